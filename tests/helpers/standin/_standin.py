# ruff: noqa: N802, ARG002, T201  # names of the protocol, and what it hands over; the port is printed
"""
A stand-in for the provider of a cloud: previews and updates run with no account and no network.

Inputs are checked against the argument classes of the installed SDK (unknown names, missing names, wrong types).
Nothing is created; outputs are placeholders of the right type.  What a cloud itself would refuse (ranges, rules
between inputs) is not known here: that is for the plan's own rules.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi import _types
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc
from pulumi.runtime.rpc import UNKNOWN

Values = Mapping[str, Any]
VERSION = "99.0.0"  # newer than any SDK asks for, so the engine does not warn
PACKAGE = Path(sys.argv[0]).name.removeprefix("pulumi-resource-")
REPLACES = {  # a change of these inputs makes a new resource; the SDK does not know them
    "aws:fsx/lustreFileSystem:LustreFileSystem": {
        "deploymentType",
        "driveCacheType",
        "efaEnabled",
        "importPath",
        "kmsKeyId",
        "securityGroupIds",
        "storageType",
        "subnetIds",
    },
    "aws:s3/bucket:Bucket": {"bucket", "region"},
    "azure:managedlustre/fileSystem:FileSystem": {
        "hsmSetting",
        "identity",
        "location",
        "name",
        "skuName",
        "storageCapacityInTb",
        "subnetId",
        "zones",
    },
    "gcp:lustre/instance:Instance": {
        "dynamicTierOptions",
        "filesystem",
        "instanceId",
        "kmsKey",
        "location",
        "network",
        "perUnitStorageThroughput",
    },
    "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem": {
        "availabilityDomain",
        "clusterPlacementGroupId",
        "fileSystemName",
        "performanceTier",
        "subnetId",
    },
    "alicloud:nas/fileSystem:FileSystem": {
        "encryptType",
        "fileSystemType",
        "kmsKeyId",
        "protocolType",
        "redundancyType",
        "storageType",
        "vpcId",
        "vswitchId",
        "zoneId",
    },
    "alicloud:oss/bucket:Bucket": {"bucket", "storageClass"},
}


def plain(struct: struct_pb2.Struct) -> dict[str, Any]:
    """A message as a dictionary; every number is a double."""
    return json_format.MessageToDict(struct)


def wire(values: Values) -> struct_pb2.Struct:
    """A dictionary as a message."""
    struct = struct_pb2.Struct()
    struct.update(values)
    return struct


@cache
def sdk_class(token: str, suffix: str) -> type | None:
    """`aws:fsx/lustreFileSystem:LustreFileSystem` -> `pulumi_aws.fsx.LustreFileSystem<suffix>`, if there is one."""
    package, module, name = token.split(":")
    # `storage.k8s.io/v1` is pulumi_kubernetes.storage.v1; of the others only the first word is a module
    path = module.replace(".k8s.io", "") if package == "kubernetes" else module.split("/")[0].lower()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = importlib.import_module(".".join([f"pulumi_{package.replace('-', '_')}", *path.split("/")]))
        except ImportError:
            return None
        return getattr(found, name + suffix, None)


def args_class(token: str) -> type | None:
    """The class of a resource's inputs; of some its plain name is taken by a nested type."""
    return sdk_class(token, "InitArgs") or sdk_class(token, "Args")


@cache
def required(args: type) -> frozenset[str]:
    """The inputs without which a resource cannot be made, by their wire names."""
    parameters = inspect.signature(args.__init__).parameters.values()
    names = _types.input_type_py_to_pulumi_names(args)
    return frozenset(names[p.name] for p in parameters if p.default is p.empty and p.name in names)


def faults(value: Any, kind: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield (path, reason) wherever `value` is not of the SDK type `kind`."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if value == UNKNOWN or kind is Any:
        return
    if origin is typing.Union:
        if all(list(faults(value, part, path)) for part in parts):
            yield from faults(value, parts[0], path)
    elif isinstance(kind, type) and _types.is_input_type(kind):
        yield from object_faults(value, kind, path) if isinstance(value, dict) else [(path, f"{value!r} is no object")]
    elif origin in (list, Sequence, dict, Mapping):
        yield from container_faults(value, parts[-1], path, a_list=origin in (list, Sequence))
    elif reason := scalar_fault(value, kind):
        yield path, f"{value!r} is not {reason}"


def container_faults(value: Any, kind: Any, path: str, *, a_list: bool) -> Iterator[tuple[str, str]]:
    """The same for each item of a list, or value of a map."""
    if not isinstance(value, list if a_list else dict):
        yield path, f"{value!r} is not a {'list' if a_list else 'map'}"
        return
    items = enumerate(value) if a_list else value.items()
    for key, item in items:
        yield from faults(item, kind, f"{path}[{key}]" if a_list else f"{path}.{key}")


def scalar_fault(value: Any, kind: Any) -> str:
    """What a plain value should have been; empty where it is that."""
    if kind is int:
        return "" if isinstance(value, float) and value.is_integer() else "a whole number"
    words = {float: "a number", bool: "true or false", str: "text"}
    return "" if kind not in words or isinstance(value, kind) else words[kind]


def object_faults(values: Values, args: type, path: str = "") -> Iterator[tuple[str, str]]:
    """Missing, unknown and wrong inputs of a resource or of an object within one."""
    kinds = _types.input_type_types(args)
    prefix = path + "." if path else ""
    for name in sorted(required(args) - set(values)):
        yield prefix + name, "is required"
    for name, value in values.items():
        if name.startswith("__") or value is None:
            continue
        if name in kinds:
            yield from faults(value, kinds[name], prefix + name)
        else:
            yield prefix + name, f"is no input of {args.__name__.removesuffix('Args').removesuffix('Init')}"


def placeholder(kind: Any, label: str) -> Any:
    """A value of a kind."""
    simple = {int: 0, float: 0, bool: False, str: label}
    if kind in simple:
        return simple[kind]
    return [] if typing.get_origin(kind) in (list, Sequence) else {}


def outputs(token: str, name: str, inputs: Values, *, preview: bool) -> dict[str, Any]:
    """The inputs, and each further output of the SDK class: unknown at preview, then a placeholder."""
    resource = sdk_class(token, "")
    kinds = _types.resource_types(resource) if resource else {"arn": str}
    made = {key: UNKNOWN if preview else placeholder(kind, f"standin-{name}-{key}") for key, kind in kinds.items()}
    return {**made, **inputs}


class StandIn(provider_pb2_grpc.ResourceProviderServicer):
    """What the engine asks of a provider."""

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=VERSION)

    def CheckConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: Any) -> Any:
        return provider_pb2.DiffResponse()

    def Configure(self, request: Any, context: Any) -> Any:
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: Any) -> Any:
        args = args_class(request.type)
        found = object_faults(plain(request.news), args) if args else ()
        failures = [provider_pb2.CheckFailure(property=path, reason=reason) for path, reason in found]
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    def Diff(self, request: Any, context: Any) -> Any:
        old, new = plain(request.old_inputs), plain(request.news)
        changed = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=changed,
            replaces=[key for key in changed if key in REPLACES.get(request.type, ())],
        )

    def Create(self, request: Any, context: Any) -> Any:
        made = outputs(request.type, request.name, plain(request.properties), preview=request.preview)
        name = "" if request.preview else f"standin-{request.name}"
        return provider_pb2.CreateResponse(id=name, properties=wire(made))

    def Update(self, request: Any, context: Any) -> Any:
        made = outputs(request.type, request.name, plain(request.news), preview=request.preview)
        return provider_pb2.UpdateResponse(properties=wire(made))

    def Read(self, request: Any, context: Any) -> Any:
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    def Delete(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, f"the stand-in has no answer for {request.tok}")

    def Cancel(self, request: Any, context: Any) -> Any:
        return empty_pb2.Empty()


def main() -> None:
    """Serve until the engine stops it; the first line on standard output is the port."""
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(StandIn(), server)
    print(server.add_insecure_port("127.0.0.1:0"), flush=True)
    server.start()
    server.wait_for_termination()
