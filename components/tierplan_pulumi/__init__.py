"""tierplan as Pulumi components: ``TieredStorage(name, {"spec": …})`` in any Python program."""

from tierplan_pulumi.parts import (
    ColdTier,
    ConfigArtifact,
    HotTier,
    Lifecycle,
    LocalTier,
    StorageFabric,
    StorageNodeGroup,
    StorageRequirement,
)
from tierplan_pulumi.program import preview_stack
from tierplan_pulumi.storage import TieredStorage, TieredStorageArgs

__all__ = [
    "ColdTier",
    "ConfigArtifact",
    "HotTier",
    "Lifecycle",
    "LocalTier",
    "StorageFabric",
    "StorageNodeGroup",
    "StorageRequirement",
    "TieredStorage",
    "TieredStorageArgs",
    "preview_stack",
]
