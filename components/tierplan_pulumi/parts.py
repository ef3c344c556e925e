"""
The parts of a `TieredStorage`: each holds its choices as inputs and what they give as outputs.

Nothing is computed here and nothing is unknown at preview: every figure is plain Python before it arrives.
"""

from collections.abc import Mapping
from typing import ClassVar

import pulumi

from tierplan import wire


class Part(pulumi.ComponentResource):
    """A resource without a provider: inputs that policies judge, outputs that other stacks read."""

    TOKEN: ClassVar[str]

    def __init__(
        self,
        name: str,
        properties: wire.Properties,
        *,
        outputs: wire.Properties,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__(self.TOKEN, name, properties, opts)
        self.register_outputs(outputs)


class StorageRequirement(Part):
    """Every required figure, by its id."""

    TOKEN = wire.REQUIREMENT


class LocalTier(Part):
    """The drives of the GPU nodes."""

    TOKEN = wire.TIER_TOKENS["local"]


class HotTier(Part):
    """The parallel file system."""

    TOKEN = wire.TIER_TOKENS["hot"]


class ColdTier(Part):
    """The object store."""

    TOKEN = wire.TIER_TOKENS["cold"]


class StorageNodeGroup(Part):
    """Identical storage nodes of one tier."""

    TOKEN = wire.NODE_GROUP


class StorageFabric(Part):
    """Ports, switches and the min cut between drives and GPUs."""

    TOKEN = wire.FABRIC


class Lifecycle(Part):
    """The rules by which data moves down the tiers."""

    TOKEN = wire.LIFECYCLE


class ConfigArtifact(Part):
    """One rendered file."""

    TOKEN = wire.ARTIFACT


TIER_CLASSES: Mapping[str, type[Part]] = {"local": LocalTier, "hot": HotTier, "cold": ColdTier}
