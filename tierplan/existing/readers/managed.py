"""
Managed file systems as the clouds' own commands describe them, in JSON.

    aws fsx describe-file-systems                 botocore service model fsx/2018-03-01
    az amlfs show, or the REST API's object       Azure template reference, Microsoft.StorageCache/amlFilesystems
    gcloud lustre instances describe              Google Cloud SDK, lustre v1 messages (numbers of 64 bits are text)
    oci lfs lustre-file-system get                OCI SDK, LustreFileSystem; the command writes hyphens

(checked 2026-11-29)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.errors import InputError
from tierplan.existing.documents import objects, parsed
from tierplan.existing.nouns import Found
from tierplan.existing.resources import SERVICES, Service, found
from tierplan.measure.readers.documents import block, text_of

PRODUCT = "a managed file system"
TELLS: Mapping[str, str] = {}
LOOKS: Mapping[str, re.Pattern[str]] = {
    "fsx-lustre": re.compile(r'"LustreConfiguration"|"FileSystemType"'),
    "azure-lustre": re.compile(r'"storageCapacityTiB"', re.IGNORECASE),
    "google-lustre": re.compile(r'"capacityGib"'),
    "oci-lustre": re.compile(r'"capacity-in-gbs"|"capacityInG[Bb]s"'),
}
TOOLS = {
    "fsx-lustre": "aws fsx describe-file-systems",
    "azure-lustre": "az amlfs show",
    "google-lustre": "gcloud lustre instances describe",
    "oci-lustre": "oci lfs lustre-file-system get",
}
READ_CACHE = "dataReadCacheConfiguration"


def fits(text: str) -> bool:
    """Whether this describes one of the four services."""
    return any(look.search(text) for look in LOOKS.values())


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found` for each file system.

    Raises:   InputError if it is cut off, or describes none
    """
    backend = next(name for name, look in LOOKS.items() if look.search(text))
    service = next(one for one in SERVICES if one.backend == backend)
    value = parsed(text[min(at for at in (text.find("{"), text.find("[")) if at >= 0) :], file)
    rows = list(_rows(value))
    made = [_fsx(service, row, file) for row in rows if text_of(row, "FileSystemType") == "LUSTRE"]
    if backend != "fsx-lustre":
        made = [_other(service, row, file) for row in rows]
    if not made:
        message = f"{file}: describes no Lustre file system; known are {', '.join(TOOLS.values())}"
        raise InputError(message)
    yield from made


def _rows(value: object) -> Iterator[Mapping[str, object]]:
    """The file systems: one object, a list, or what a command wraps around them."""
    if isinstance(value, list):
        yield from objects(value)
    elif isinstance(value, Mapping):
        inner = next((value[key] for key in ("FileSystems", "value", "data", "items") if key in value), None)
        if inner is None:
            yield value
        else:
            yield from _rows(inner)


def _fsx(service: Service, row: Mapping[str, object], file: str) -> Found:
    settings = block(row, "LustreConfiguration")
    inputs = {_lower(key): _lowered(value) for key, value in {**row, **settings}.items()}
    cache = inputs.get(READ_CACHE)
    if isinstance(cache, Mapping):
        inputs[READ_CACHE] = {"sizingMode": cache.get("sizingMode"), "size": cache.get("sizeGiB")}
    arn = text_of(row, "ResourceARN").split(":")
    made = found(
        service,
        inputs,
        tool=TOOLS[service.backend],
        file=file,
        name=text_of(row, "FileSystemId"),
        region=arn[3] if len(arn) > 3 else "",
    )
    subnets = row.get("SubnetIds")
    network = {"vpc": text_of(row, "VpcId"), "subnet": str(subnets[0]) if isinstance(subnets, list) and subnets else ""}
    return replace(
        made,
        site={**made.site, **{key: value for key, value in network.items() if value}},
        unknown=("links to buckets: describe-data-repository-associations is not read; pin data_repositories",),
    )


def _lower(key: str) -> str:
    return key[:1].lower() + key[1:]


def _lowered(value: object) -> object:
    return {_lower(key): _lowered(one) for key, one in value.items()} if isinstance(value, Mapping) else value


def _other(service: Service, row: Mapping[str, object], file: str) -> Found:
    inputs = {_dehyphened(key): value for key, value in {**row, **block(row, "properties")}.items()}
    name = next((text_of(inputs, key) for key in ("displayName", "name", "id") if text_of(inputs, key)), "")
    region = text_of(inputs, "location")
    return found(service, inputs, tool=TOOLS[service.backend], file=file, name=name.rpartition("/")[2], region=region)


def _dehyphened(key: str) -> str:
    first, *rest = key.split("-")
    return first + "".join(word.capitalize() for word in rest)
