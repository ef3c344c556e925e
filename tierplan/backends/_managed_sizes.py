"""The sizes that a managed file system is sold in: bands, each with its least size, its step and its end."""

from __future__ import annotations

import math
from dataclasses import dataclass

NOISE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Sizes from `least` on in steps, up to `most`."""

    least: int
    step: int
    most: float = math.inf

    def at_least(self, size: float) -> int | None:
        """The smallest size of the band that is no less; None beyond its end."""
        found = self.least + max(0, math.ceil((size - self.least) / self.step - NOISE)) * self.step
        return found if found <= self.most else None

    def above(self, size: float) -> int | None:
        """The smallest size of the band that is more; None beyond its end."""
        steps = math.floor((size - self.least) / self.step + NOISE) + 1 if size >= self.least else 0
        found = self.least + steps * self.step
        return found if found <= self.most else None

    def below(self, size: float) -> int | None:
        """The largest size of the band that is less."""
        end = min(size, self.most + 1)
        steps = math.ceil((end - self.least) / self.step - NOISE) - 1
        return self.least + steps * self.step if steps >= 0 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bands:
    """All sizes of one class, the smallest band first; the bands do not overlap."""

    bands: tuple[Band, ...]

    def legal(self, size: float) -> bool:
        """
        Whether this size is sold.

        >>> Bands(bands=(Band(least=9000, step=9000, most=1530000), Band(least=1584000, step=72000))).legal(1539000)
        False
        """
        return any(one.at_least(size) == size for one in self.bands)

    def at_least(self, size: float) -> int | None:
        """
        The smallest size that is no less; None beyond the largest.

        >>> Bands(bands=(Band(least=9000, step=9000, most=1530000), Band(least=1584000, step=72000))).at_least(1530001)
        1584000
        """
        return next((found for one in self.bands if (found := one.at_least(size)) is not None), None)

    def above(self, size: float) -> int | None:
        """The smallest size that is more; None where there is none."""
        return next((found for one in self.bands if (found := one.above(size)) is not None), None)

    def below(self, size: float) -> int | None:
        """The largest size that is less; None where there is none."""
        found = [below for one in self.bands if (below := one.below(size)) is not None]
        return max(found, default=None)

    @property
    def least(self) -> int:
        """The smallest size of all."""
        return self.bands[0].least

    @property
    def most(self) -> float:
        """The largest size of all; infinite where none is published."""
        return self.bands[-1].most
