"""A cloud's file system or bucket, whatever program or command describes it -> what a stack would pin."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tierplan.backends.fsx_lustre import from_inputs
from tierplan.codec import encode
from tierplan.errors import InputError
from tierplan.existing.documents import whole
from tierplan.existing.nouns import Found, Value

Inputs = Mapping[str, object]
FSX = "aws:fsx/lustreFileSystem:LustreFileSystem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One kind of resource: the tokens under which programs know it, and how its properties are read."""

    product: str
    tier: str
    backend: str
    kind: str
    tokens: tuple[str, ...]
    options: Callable[[Inputs], dict[str, Value]]


def found(service: Service, inputs: Inputs, *, tool: str, file: str, name: str, region: str = "") -> Found:
    """
    What a resource pins.

    Raises:   InputError if it lacks its size, or a property is of a wrong type
    """
    try:
        options = service.options(inputs)
    except InputError as fault:
        raise InputError(f"{file}: {name}: {one}" for one in fault.faults) from None
    site = {"kind": service.kind, **({"region": region} if region else {})}
    return Found(
        product=service.product,
        tool=tool,
        file=file,
        name=name,
        backends={"cold": service.backend} if service.tier == "cold" else {"hot": service.backend},
        pins={f"options.{word}": value for word, value in options.items()},
        site=site,
        whole=True,
    )


def service_of(token: str) -> Service | None:
    """The service that owns a type of resource; None for all others."""
    return next((one for one in SERVICES if token in one.tokens), None)


def camel(inputs: Inputs) -> dict[str, object]:
    """Terraform's attributes as Pulumi spells them: camelCase, a block of one as that block, nothing that is unset."""
    return {_camel(key): value for key, given in inputs.items() if (value := _plain(given)) not in (None, "", {})}


def _plain(value: object) -> object:
    if isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        return camel(value[0]) if value else None
    return camel(value) if isinstance(value, Mapping) else value


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _fsx(inputs: Inputs) -> dict[str, Value]:
    known = {key: value for key, value in inputs.items() if key in FSX_KEYS and value not in (0, 0.0)}
    if "storageCapacity" not in known and "throughputCapacity" not in known:
        message = "has neither storageCapacity nor throughputCapacity; give the whole description"
        raise InputError(message)
    backup = inputs.get("automaticBackupRetentionDays")
    if backup is not None:
        known["automaticBackupRetentionDays"] = backup
    options = encode(from_inputs(FSX, known), "form")["options"]
    return options if isinstance(options, dict) else {}


FSX_KEYS = (
    "storageCapacity",
    "perUnitStorageThroughput",
    "throughputCapacity",
    "metadataConfiguration",
    "deploymentType",
    "storageType",
    "driveCacheType",
    "dataCompressionType",
    "fileSystemTypeVersion",
    "importPath",
    "efaEnabled",
    "dataReadCacheConfiguration",
)


def _azure(inputs: Inputs) -> dict[str, Value]:
    size = _size(inputs, "storageCapacityTiB", "storageCapacityInTb")
    sku = inputs.get("sku")
    name = sku.get("name") if isinstance(sku, Mapping) else inputs.get("skuName")
    options: dict[str, Value] = {"size": f"{size} TiB"}
    if isinstance(name, str):
        options["sku"] = name
    zones = inputs.get("zones")
    if isinstance(zones, list) and zones:
        options["zones"] = [str(zone) for zone in zones]
    return options


def _google(inputs: Inputs) -> dict[str, Value]:
    options: dict[str, Value] = {"size": f"{_size(inputs, 'capacityGib')} GiB"}
    rate = whole(inputs, "perUnitStorageThroughput")
    if rate:
        options["per_unit_throughput"] = rate
    if isinstance(inputs.get("filesystem"), str):
        options["filesystem"] = str(inputs["filesystem"])
    if inputs.get("gkeSupportEnabled") is True:
        options["gke_support"] = True
    return options


def _oci(inputs: Inputs) -> dict[str, Value]:
    options: dict[str, Value] = {"size": f"{_size(inputs, 'capacityInGbs', 'capacityInGBs')} GB"}
    if isinstance(inputs.get("performanceTier"), str):
        options["performance_tier"] = str(inputs["performanceTier"])
    return options


def _bucket(inputs: Inputs) -> dict[str, Value]:
    name = inputs.get("bucket")
    return {"bucket": name} if isinstance(name, str) else {}


def _size(inputs: Inputs, *keys: str) -> int:
    for key in keys:
        size = whole(inputs, key)
        if size:
            return size
    message = f"{keys[0]} {inputs.get(keys[0])!r} is no size; give the whole description"
    raise InputError(message)


SERVICES = (
    Service(
        product="FSx for Lustre",
        tier="hot",
        backend="fsx-lustre",
        kind="aws",
        tokens=(FSX, "aws_fsx_lustre_file_system"),
        options=_fsx,
    ),
    Service(
        product="Amazon S3",
        tier="cold",
        backend="s3",
        kind="aws",
        tokens=("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2", "aws_s3_bucket"),
        options=_bucket,
    ),
    Service(
        product="Azure Managed Lustre",
        tier="hot",
        backend="azure-lustre",
        kind="azure",
        tokens=("azure-native:storagecache:AmlFilesystem", "azurerm_managed_lustre_file_system"),
        options=_azure,
    ),
    Service(
        product="Google Managed Lustre",
        tier="hot",
        backend="google-lustre",
        kind="google",
        tokens=("gcp:lustre/instance:Instance", "google_lustre_instance"),
        options=_google,
    ),
    Service(
        product="OCI File Storage with Lustre",
        tier="hot",
        backend="oci-lustre",
        kind="oci",
        tokens=(
            "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem",
            "oci_lustre_file_storage_lustre_file_system",
        ),
        options=_oci,
    ),
)
