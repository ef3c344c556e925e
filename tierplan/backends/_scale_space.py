"""Usable space of recovery groups: IBM's estimator for each group, and the steps that lead there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tierplan.backends import _scale as scale
from tierplan.backends._space import smallest
from tierplan.domain.tiers import Factor, Layout
from tierplan.units import Size


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedSpace:
    """Space of servers in recovery groups of at most `largest`; a spare is subtracted in the array and nowhere else."""

    drives: int
    drive: Size
    layout: Layout
    block: int
    flash: bool
    largest: int
    spare_drives: int | None = None
    """As pinned; None: as mmvdisk sets aside, and as much as the layout's spare nodes or its tolerance ask."""
    metadata: Size
    """Metadata of all files, once."""
    metadata_copies: float
    metadata_percent: float
    """The least share of the array that metadata gets."""
    quick_fraction: float
    step: Factor | None = None

    def spares(self, nodes: int) -> float:
        """Spare drives of a group of so many servers."""
        if self.spare_drives is not None:
            return self.spare_drives
        spares = max(scale.default_spares(nodes, drives=self.drives), self.layout.hot_spares * self.drives)
        return max(spares, nodes) if needs_a_spare_for_each_node(nodes, self.layout) else spares

    def arrays(self, nodes: int) -> Iterator[tuple[int, int, scale.Array]]:
        """Servers of a group, number of such groups, the array of each."""
        for size, number in scale.group_sizes(nodes, largest=self.largest):
            spares = self.spares(size)
            yield size, number, scale.array(size, drives=self.drives, drive=self.drive, spares=spares)

    def metadata_share(self, nodes: int) -> int:
        """
        Percent of the arrays that metadata takes: for the files of the plan, and no less than the rule of thumb.

        Formula:  max(metadata_percent, ceil(100 * metadata * metadata_copies / arrays)), at most 90
        """
        arrays = sum(array.size.bytes * number for _, number, array in self.arrays(nodes))
        asked = self.metadata.bytes * self.metadata_copies * 100 / arrays if arrays > 0 else 0.0
        return math.ceil(min(90.0, max(self.metadata_percent, asked)))

    def usable(self, nodes: int) -> Size:
        """Bytes that the file system gives to data, before planned fill."""
        percent = 100 - self.metadata_share(nodes)
        parts = (self._group(size, array, percent) * number for size, number, array in self.arrays(nodes))
        total = sum(parts, Size.zero())
        return total * self.step.fraction if self.step else total

    def _group(self, nodes: int, array: scale.Array, percent: int) -> Size:
        data, parity = scale.strips(self.layout)
        if self.layout.kind != "erasure-code":
            holding = nodes * self.drives - self.spares(nodes)
            fraction = self.quick_fraction * percent / 100
            return scale.quick_capacity(drives=holding, drive=self.drive, data=data, parity=parity, fraction=fraction)
        granule = scale.checksum_granule(data=data, block=self.block, flash=self.flash)
        return scale.capacity(
            array, nodes, data=data, parity=parity, block=self.block, granule=granule, percent=percent
        )

    def count(self, required: Size) -> int:
        """Smallest node count from which on there are so many usable bytes; a further group costs spares of its own."""
        enough = required.base * (1 - 1e-9)  # as units.count_for: float noise buys nothing

        def fits(nodes: int) -> bool:
            next_group = -(-nodes // self.largest) * self.largest + 1
            return self.usable(nodes).base >= enough and self.usable(next_group).base >= enough

        return smallest(fits) if required.base > 0 else 0

    def waterfall(self, nodes: int) -> tuple[Factor, ...]:
        """Spare drives, code, metadata, then what the estimator takes for checksums, log homes and rounding."""
        drives, percent = nodes * self.drives, self.metadata_share(nodes)
        spares = sum(self.spares(size) * number for size, number in scale.group_sizes(nodes, largest=self.largest))
        spare = max(0.0, 1 - spares / drives) if drives > 0 else 0.0
        data, parity = scale.strips(self.layout)
        code = min(1.0, max(0.0, data / (data + parity))) if data + parity > 0 else 0.0
        known = self.drive.bytes * drives * spare * code * (1 - percent / 100)
        plain = replace(self, step=None).usable(nodes).bytes
        rest = min(1.0, plain / known) if known > 0 else 0.0
        name = "checksums, log homes, rounding" if self.layout.kind == "erasure-code" else "formatting"
        own = (
            Factor(name=f"hot spare ({spares:g} of {drives} drives)", fraction=spare, basis="vendor"),
            Factor(name=f"code {scale_name(self.layout)}", fraction=code, basis="layout"),
            Factor(name=f"metadata ({percent} % of the arrays)", fraction=1 - percent / 100, basis="assumed"),
            Factor(name=name, fraction=rest, basis="vendor"),
        )
        return (*own, self.step) if self.step else own

    def limited(self, step: Factor) -> GroupedSpace:
        """The same space with one more step at the end."""
        return replace(self, step=step)


def needs_a_spare_for_each_node(nodes: int, layout: Layout) -> bool:
    """Where the tolerance comes back after a drive's rebuild only if there are as many spare drives as nodes (IBM)."""
    return (nodes, *scale.strips(layout)) in {(4, 4, 3), (6, 4, 2)}


def scale_name(layout: Layout) -> str:
    """The code's name in mmvdisk, else the layout in plain words."""
    code = scale.code_of(layout)
    return str(layout) if code is None else code.name
