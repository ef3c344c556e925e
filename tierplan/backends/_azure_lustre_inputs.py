"""An Azure Managed Lustre resource of anybody's program, of either provider, read as the words of a stack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from tierplan.backends._managed import TIB
from tierplan.backends._managed_inputs import Reader
from tierplan.domain.stack import OptionValue

CLASSIC = "azure:managedlustre/fileSystem:FileSystem"
NATIVE = "azure-native:storagecache:AmlFilesystem"
TOKENS = (CLASSIC, NATIVE)
PATHS: Mapping[str, Mapping[str, str]] = {
    CLASSIC: {
        "sku": "skuName",
        "size": "storageCapacityInTb",  # it says TB and counts TiB
        "day": "maintenanceWindow.dayOfWeek",
        "time": "maintenanceWindow.timeOfDayInUtc",
        "blob_container": "hsmSetting.containerId",
        "logging_container": "hsmSetting.loggingContainerId",
        "import_prefix": "hsmSetting.importPrefix",
        "encryption_key": "encryptionKey.keyUrl",
        "encryption_vault": "encryptionKey.sourceVaultId",
    },
    NATIVE: {
        "sku": "sku.name",
        "size": "storageCapacityTiB",
        "day": "maintenanceWindow.dayOfWeek",
        "time": "maintenanceWindow.timeOfDayUTC",
        "blob_container": "hsm.settings.container",
        "logging_container": "hsm.settings.loggingContainer",
        "import_prefix": "hsm.settings.importPrefix",
        "encryption_key": "encryptionSettings.keyEncryptionKey.keyUrl",
        "encryption_vault": "encryptionSettings.keyEncryptionKey.sourceVault.id",
    },
}
"""Word of the stack -> input of each provider."""


def words_of_inputs(token: str, inputs: Mapping[str, object]) -> dict[str, OptionValue]:
    """
    The options of a resource.

    Raises:   InputError with one line for each input that is unknown at preview or of a wrong type
    """
    reader, words = Reader(inputs), dict[str, OptionValue]()
    if token not in PATHS:
        reader.faults.append(f"{token}: no resource of Azure Managed Lustre; {' and '.join(TOKENS)} are")
        reader.end()
    paths = PATHS[token]
    size = reader.number(paths["size"])
    if size is not None:
        words["size"] = TIB.text(size)
    for word in ("sku", "blob_container", "logging_container", "import_prefix", "encryption_key", "encryption_vault"):
        text = reader.text(paths[word])
        if text is not None:
            words[word] = text
    zones = reader.list("zones")
    if zones is not None:
        words["zones"] = cast("tuple[OptionValue, ...]", zones)
    day, time = reader.text(paths["day"]), reader.text(paths["time"])
    words["maintenance_window"] = {key: one for key, one in (("day", day), ("time", time)) if one is not None}
    identities = _identities(reader, token)
    if identities:
        words["identity"] = identities
    reader.end()
    return words


def _identities(reader: Reader, token: str) -> str:
    if token == CLASSIC:
        return ", ".join(map(str, reader.list("identity.identityIds") or ()))
    return ", ".join(map(str, reader.list("identity.userAssignedIdentities") or ()))
