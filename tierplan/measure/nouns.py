"""A measured figure, as its tool gave it, in base units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Quantity: TypeAlias = Literal["write", "read", "ops", "utilisation"]

MIB, GIB, KIB = 2.0**20, 2.0**30, 2.0**10
"""What tools mean by MB, GB, KB where their labels say otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """
    One figure of one run.

    `value` is in bytes/s, ops/s or a fraction.  `label` is the run's own name: the kit names its runs by the step that
    they prove.  `against` says why it cannot count; `about` what it leaves open.
    """

    label: str
    quantity: Quantity
    value: float
    tool: str
    file: str
    hosts: int = 0  # 0: the file does not say
    total_bytes: float = 0.0
    seconds: float = 0.0
    direct: bool | None = None
    durable: bool | None = None
    date: str = ""
    against: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
