"""An FSx for Lustre resource of anybody's program, read as the words of a stack."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.backends._fsx_table import gib_text
from tierplan.domain.stack import OptionValue
from tierplan.errors import InputError

TOKEN = "aws:fsx/lustreFileSystem:LustreFileSystem"  # noqa: S105  # a type of resource, no secret
NUMBERS = {
    "storageCapacity": "size",
    "perUnitStorageThroughput": "per_unit_throughput",
    "throughputCapacity": "throughput_capacity",
    "automaticBackupRetentionDays": "backup_days",
    "metadataConfiguration.iops": "metadata_iops",
}
TEXTS = {
    "deploymentType": "deployment_type",
    "storageType": "storage_type",
    "metadataConfiguration.mode": "metadata_mode",
    "driveCacheType": "drive_cache_type",
    "dataCompressionType": "compression",
    "fileSystemTypeVersion": "version",
    "importPath": "import_path",
    "region": "region",
}
CACHE = "dataReadCacheConfiguration"


def words_of_inputs(token: str, inputs: Mapping[str, object]) -> dict[str, OptionValue]:
    """
    The options of a resource; what it leaves out is as the service takes it.

    Without a deployment type AWS makes SCRATCH_1, and without a version one that depends on the type: both are said.

    Raises:   InputError with one line for each input that is unknown at preview or of a wrong type
    """
    faults: list[str] = []
    if token != TOKEN:
        faults.append(f"{token}: no resource of FSx for Lustre; {TOKEN} is")
    words: dict[str, OptionValue] = {"deployment_type": "SCRATCH_1", "storage_type": "SSD", "efa": False}
    for path, word in NUMBERS.items():
        number = _read(inputs, path, faults, int | float, "a number")
        if isinstance(number, int | float):
            words[word] = gib_text(number) if word == "size" else int(number)
    for path, word in TEXTS.items():
        text = _read(inputs, path, faults, str, "text")
        if isinstance(text, str):
            words[word] = text
    efa = _read(inputs, "efaEnabled", faults, bool, "true or false")
    if isinstance(efa, bool):
        words["efa"] = efa
    _read_cache(inputs, words, faults)
    if "version" not in words:
        words["version"] = _default_version(words)
    if faults:
        raise InputError(faults)
    return words


def _read(inputs: Mapping[str, object], path: str, faults: list[str], kind: object, words: str) -> object:
    value: object = inputs
    for key in path.split("."):
        if not isinstance(value, Mapping):
            faults.append(f"{path}: {value!r} is no map; give plain values that are known at preview")
            return None
        value = value.get(key)
        if value is None:
            return None
    allowed = isinstance(value, kind)  # type: ignore[arg-type]  # a type or a union of types
    if not allowed or (isinstance(value, bool) and kind is not bool):
        faults.append(f"{path}: {value!r} is not {words}; give a plain value that is known at preview")
        return None
    return value


def _read_cache(inputs: Mapping[str, object], words: dict[str, OptionValue], faults: list[str]) -> None:
    mode = _read(inputs, f"{CACHE}.sizingMode", faults, str, "text")
    size = _read(inputs, f"{CACHE}.size", faults, int | float, "a number")
    if isinstance(size, int | float):
        words["read_cache"] = gib_text(size)
    elif isinstance(mode, str):
        words["read_cache"] = mode


def _default_version(words: Mapping[str, OptionValue]) -> str:
    """The Lustre version that the service takes where none is named."""
    if words["deployment_type"] != "PERSISTENT_2":
        return "2.10"
    return "2.15" if "metadata_mode" in words else "2.12"
