"""The stack's own words for Storage Scale (`options`), read with their defaults, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends import _scale as scale
from tierplan.backends._choosing import OptionKind, option
from tierplan.backends._scale_space import scale_name
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import Size

METADATA = ("replicated", "with-data")
OPTIONS: Mapping[str, OptionKind] = {
    "code": str,
    "block_size": Size,
    "spare_drives": int,
    "metadata": str,
    "vdisk_sets": int,
    "appliance": str,
}
APPLIANCES: Mapping[str, str] = {"ess-3500": "ess_3500", "sss-6000": "sss_6000"}  # node row -> its figures
SAN = "san"
SERVERS = 2  # of one appliance: they share its drives, and of one volume


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The stack's words for this product, each with its default."""

    block: int
    own_metadata: bool
    appliance: str | None

    @property
    def largest_group(self) -> int:
        """Servers that one recovery group holds at most."""
        return SERVERS if self.appliance in APPLIANCES else scale.LARGEST_GROUP


def settings(config: TierConfig) -> Settings:
    """Blocks as large as IBM advises: on flash 2 MiB with copies and 4 data strips, else 4 MiB; 8 MiB on disks."""
    data, _ = scale.strips(config.layout)
    block = option(config.options, "block_size", Size)
    small = 2 if data <= 4 else 4
    default = 2 if data == 1 else small if config.node.medium != "hdd" else 8
    known = option(config.options, "appliance", str)
    return Settings(
        block=default * scale.MIB if block is None else int(block.bytes),
        own_metadata=option(config.options, "metadata", str) != "with-data",
        appliance=known if known in (*APPLIANCES, SAN) else None,
    )


def word_faults(config: TierConfig) -> Iterator[Illegal]:
    """Words of `options` that name no choice, and a code beside another layout."""
    rule = f"{config.tier}-layout"
    for key, allowed in (("code", tuple(scale.CODES)), ("metadata", METADATA), ("appliance", (*APPLIANCES, SAN))):
        word = option(config.options, key, str)
        if word is not None and word not in allowed:
            message = f"storage-scale: options.{key} {word!r}; allowed: {', '.join(allowed)}"
            yield Illegal(policy=rule, message=message, remedy=f"write {key}: {allowed[0]}, or leave it out")
    code = scale.CODES.get(option(config.options, "code", str) or "")
    if code is not None and scale.code_of(config.layout) != code:
        yield Illegal(
            policy=rule,
            message=f"storage-scale: options.code {code.name} and layout {scale_name(config.layout)} differ",
            remedy="write one of the two",
        )
