"""The fabric of a plan: switches, the path of each tier with its cut, what each phase fills; and its picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from tierplan import load
from tierplan.cli import files, texts
from tierplan.cli.planning import planned
from tierplan.domain.fabric import Direction, FabricPath, FabricPlan
from tierplan.domain.plan import Plan
from tierplan.errors import InputError
from tierplan.fabric import draw, graph, topology_of
from tierplan.fabric.paths import SERVICE
from tierplan.plan.document import fabric_document
from tierplan.units import Bandwidth

REFUSED = 1
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@click.command("fabric")
@click.argument("stack")
@click.option("--mermaid", "as_mermaid", is_flag=True, help="The topology as a Mermaid flowchart.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write the topology as SVG to this file.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def command(stack: str, *, as_mermaid: bool, svg: Path | None, as_json: bool) -> None:
    """Switches and cables between drives and GPUs, the min cut, and what each phase fills."""
    files.ready(svg, "--svg")
    made, findings = planned(stack)
    fabric = made.fabric
    if fabric is None:
        message = f"{made.stack.name}: no tier is planned that a fabric would lead to; tierplan plan {stack} says why"
        raise InputError(message)
    title = f"{made.stack.name}: fabric"
    if svg is not None:
        files.write(svg, draw.svg(fabric, title=title), "--svg")
        click.echo(f"wrote {svg}", err=True)
    if as_mermaid:
        click.echo(draw.mermaid(fabric, title=title), nl=False)
    elif as_json:
        click.echo(json.dumps(_document(made, fabric), indent=1, allow_nan=False))
    elif svg is None:
        texts.show(fabric_lines(made, fabric))
        against = tuple(finding for finding in findings if "fabric" in finding.policy)
        texts.show(texts.finding_lines(against, limit=None))
    refused = any(finding.policy == "fabric-bandwidth" for finding in findings)
    sys.exit(REFUSED if refused else 0)


def flows(plan: Plan) -> dict[str, dict[str, Bandwidth]]:
    """Tier -> direction -> max-flow of the network of classes, by networkx."""
    topology = topology_of(plan.stack, plan.requirement, plan.tiers, load.catalogue().figures("fabric"))
    found: dict[str, dict[str, Bandwidth]] = {}
    for path in plan.fabric.paths if plan.fabric and topology else ():
        for direction in DIRECTIONS:
            network = graph.by_class(topology, path.tier, direction) if topology else None
            if network is not None:
                found.setdefault(path.tier, {})[direction] = graph.maximum(network)[0]
    return found


def _document(plan: Plan, fabric: FabricPlan) -> dict[str, object]:
    computed = {
        tier: {f"{direction}_bytes_per_s": flow.base for direction, flow in of_tier.items()}
        for tier, of_tier in flows(plan).items()
    }
    return {"stack": plan.stack.name, **(fabric_document(fabric) or {}), "max_flow": computed}


def fabric_lines(plan: Plan, fabric: FabricPlan) -> list[str]:
    """The fabric for a terminal."""
    lines = texts.wrapped(f"{plan.stack.name}: fabric over {fabric.transport}: {texts.switch_words(fabric)}", indent=2)
    lines += _leafs(fabric)
    computed = flows(plan)
    for path in fabric.paths:
        lines += ["", *_path(path, computed.get(path.tier, {}))]
    if fabric.phases:
        rows = [("phase", "fullest link", "carries", "of", "share")]
        rows += [
            (one.name, one.link, one.required.show(), one.carried.show(), f"{min(one.load_fraction, 1e4):.1%}")
            for one in fabric.phases
        ]
        lines += ["", *texts.table(rows, indent=0)]
    for word, said in (("note", fabric.notes), ("not known", fabric.unknown), ("assumed", fabric.assumptions)):
        lines += [line for text in said for line in texts.wrapped(f"{word}: {text}", indent=4)]
    return lines


def _leafs(fabric: FabricPlan) -> list[str]:
    rows = [("leafs of", "machines", "leafs", "ports down", "uplinks", "each", "oversubscription", "rails")]
    rows += [
        (
            group.serves,
            f"{group.nodes:,}",
            str(group.leafs),
            str(group.node_ports),
            str(group.uplinks),
            group.rate.show("Gbit/s"),
            f"{group.oversubscription:.3g}" if group.uplinks else "-",
            str(group.rails),
        )
        for group in fabric.leafs
    ]
    return texts.table(rows) if fabric.leafs else []


def _path(path: FabricPath, computed: dict[str, Bandwidth]) -> list[str]:
    rows = [("", "count", "of", "read", "write")]
    for segment in path.segments:
        marks = [d for d in DIRECTIONS if path.cut(d).segment == segment.name]
        name = segment.name if segment.unit != SERVICE else segment.unit
        shown = f"{name}{' ← cut' if marks else ''}"
        count = f"{segment.units:,}" if segment.units else "-"
        rows.append((shown, count, segment.unit, segment.read.show(), segment.write.show()))
    lines = [f"{path.tier} tier, drives to client processes", *texts.table(rows)]
    lines += [line for cut in (path.read, path.write) for line in texts.wrapped(f"  {cut.words}", indent=4)]
    if computed:
        words = ", ".join(f"{direction} {flow.show()}" for direction, flow in computed.items())
        lines.append(f"  max-flow over its classes: {words}")
    return lines
