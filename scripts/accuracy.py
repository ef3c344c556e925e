"""
Hold what the backends promise against what was published: writes docs/accuracy.md (`--check`: only compares).

Each row of tierplan/catalogue/accuracy/*.yaml is a published system with its source; the prediction is the
backend's own `deliver` of that configuration.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from tierplan import backends, load
from tierplan.codec import decode
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.tiers import Delivered, TierConfig
from tierplan.units import Bandwidth, OpRate, Quantity, Size, bandwidth, size

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "accuracy.md"
ROWS = ROOT / "tierplan" / "catalogue" / "accuracy"
OVER_PROMISE = 1.10  # above this a row must say why
MANY = Clients(
    gpu_nodes=100_000, ports=8, port_rate=bandwidth("400 Gbit/s"), transport="infiniband", cpu_cores=112
)  # so that clients limit nothing unless the row names its own
HEAD = """\
# Prediction and publication

What each backend's `deliver` says of systems whose figures were published. A factor above 1 promises more than was
seen; above 1.1 the row says why. *Fitted* rows are those that a factor of the catalogue was taken from: they show that
the arithmetic reproduces its source, not that it predicts. Written by `python scripts/accuracy.py`.

| backend | system | quantity | published | predicted | factor | remark | source |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One published quantity and its prediction."""

    backend: str
    system: str
    quantity: str
    published: Quantity
    predicted: Quantity
    remark: str
    source: str

    @property
    def factor(self) -> float:
        """Predicted over published."""
        return self.predicted.base / self.published.base

    def line(self) -> str:
        """The row of the page."""
        cells = (
            self.backend,
            self.system,
            self.quantity,
            self.published.show(),
            self.predicted.show(),
            f"{self.factor:.2f}",
            self.remark,
            self.source,
        )
        return f"| {' | '.join(cells)} |"


def compared() -> Iterator[Compared]:
    """Every published quantity of every row."""
    for path in sorted(ROWS.glob("*.yaml")):
        for row in cast("list[Mapping[str, object]]", yaml.safe_load(path.read_text(encoding="utf-8"))):
            yield from _row(row)


def page() -> str:
    """The whole page."""
    return HEAD + "".join(f"{one.line()}\n" for one in compared())


def main() -> None:
    """Write the page, or with --check exit 1 where it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 where the page is stale")
    if parser.parse_args().check:
        stale = not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != page()
        if stale:
            print(f"{PAGE.relative_to(ROOT)} is stale; run python scripts/accuracy.py")
        sys.exit(stale)
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")


def _row(row: Mapping[str, object]) -> Iterator[Compared]:
    config = decode(TierConfig, cast("Mapping[str, object]", row["config"]), "form", str(row["system"]))
    clients = decode(Clients, cast("Mapping[str, object]", row["clients"]), "form") if "clients" in row else MANY
    delivered = _delivered(config, clients)
    predicted = {"read": delivered.healthy.read, "write": delivered.healthy.write, "usable": delivered.usable}
    fitted = "fitted" if row.get("fitted") else ""
    for quantity, text in cast("Mapping[str, str]", row["published"]).items():
        yield Compared(
            backend=config.backend,
            system=str(row["system"]),
            quantity=quantity,
            published=size(text) if quantity == "usable" else bandwidth(text),
            predicted=predicted[quantity],
            remark="; ".join(part for part in (fitted, str(row.get("note", ""))) if part),
            source=str(row["source"]),
        )


def _delivered(config: TierConfig, clients: Clients) -> Delivered:
    need = TierNeed(
        tier=config.tier,
        read=Bandwidth.zero(),
        write=Bandwidth.zero(),
        op_rate=OpRate.zero(),
        capacity=Size.zero(),
        phases=(),
        clients=clients,
    )
    return backends.load(config.backend).deliver(config, need, load.catalogue().backend(config.backend))


if __name__ == "__main__":
    main()
