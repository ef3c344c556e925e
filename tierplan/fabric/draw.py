"""The fabric as a picture: Mermaid and SVG text, the same text for the same plan, with both cuts marked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from tierplan.domain.fabric import FabricPath, FabricPlan, LeafGroup, Segment
from tierplan.fabric.paths import CLIENTS, DRIVES, GPU_LEAFS, GPU_PORTS, LEAFS, NODES, PORTS

CUT, PLAIN = "#c62828", "#546e7a"
BOX_WIDTH, BOX_HEIGHT, COLUMN, ROW, MARGIN, LINE = 168, 64, 300, 150, 24, 16
TITLE = 40
HALO = 'paint-order="stroke" stroke="#ffffff" stroke-width="4"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One class of equal things."""

    id: str
    lines: tuple[str, ...]
    column: int
    row: float
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What is between two of them, with what it carries."""

    tail: str
    head: str
    lines: tuple[str, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Boxes from the drives on the left to the client processes on the right."""

    title: str
    boxes: tuple[Box, ...]
    links: tuple[Link, ...]
    notes: tuple[str, ...]


def picture(fabric: FabricPlan, *, title: str) -> Picture:
    """The classes of a fabric, and what carries what between them."""
    boxes, links = list[Box](), list[Link]()
    for row, path in enumerate(fabric.paths):
        found = {segment.name: segment for segment in path.segments}
        boxes += _tier_boxes(path, found, row)
        links.append(_link(path, found.get(DRIVES), f"{path.tier}_drives", f"{path.tier}_nodes"))
        links += _tier_links(fabric, path, found)
    middle = (len(fabric.paths) - 1) / 2
    boxes += _switches(fabric, middle)
    boxes += _gpu_boxes(fabric, middle)
    if fabric.paths and fabric.known:
        links += _gpu_links(fabric)
    notes = tuple(cut.words for path in fabric.paths for cut in (path.read, path.write))
    return Picture(title=title, boxes=tuple(boxes), links=tuple(links), notes=notes)


def _cuts(path: FabricPath, segment: str) -> bool:
    return segment in (path.read.segment, path.write.segment)


def _tier_boxes(path: FabricPath, found: dict[str, Segment], row: int) -> Iterator[Box]:
    nodes, drives = found[NODES], found.get(DRIVES)
    each = f"{drives.units} in each node" if drives else "not known"
    name = f"{nodes.units} {path.tier} storage nodes" if nodes.units else f"{path.tier} service"
    yield Box(id=f"{path.tier}_drives", lines=(f"{path.tier} drives", each), column=0, row=row)
    yield Box(
        id=f"{path.tier}_nodes",
        lines=(name, *_rates(nodes)),
        column=1,
        row=row,
        cut=_cuts(path, NODES),
    )


def _rates(segment: Segment) -> tuple[str, str]:
    return f"read {segment.read.show()}", f"write {segment.write.show()}"


def _link(path: FabricPath, segment: Segment | None, tail: str, head: str) -> Link:
    if segment is None:
        return Link(tail=tail, head=head, lines=("not known",))
    return Link(tail=tail, head=head, lines=_rates(segment), cut=_cuts(path, segment.name))


def _tier_links(fabric: FabricPlan, path: FabricPath, found: dict[str, Segment]) -> Iterator[Link]:
    """From the storage nodes to their leafs; at a cloud straight to the client processes."""
    if fabric.known:
        yield _link(path, found.get(PORTS), f"{path.tier}_nodes", "leaf" if fabric.levels == 1 else "storage_leafs")
    else:
        yield _link(path, found[CLIENTS], f"{path.tier}_nodes", "gpu_nodes")


def _leaf_lines(group: LeafGroup, ports: int) -> tuple[str, ...]:
    names = {"storage": "storage", "gpu": "GPU", "all": ""}
    first = f"{group.leafs} {names[group.serves]} leafs" if group.leafs > 1 else "1 leaf"
    up = f"{group.uplinks} up, {group.oversubscription:.3g}:1" if group.uplinks else "no uplinks"
    return first, f"{ports} ports: {group.node_ports} down", up


def _switches(fabric: FabricPlan, row: float) -> Iterator[Box]:
    ids = {"storage": ("storage_leafs", 2), "gpu": ("gpu_leafs", 4), "all": ("leaf", 2)}
    for group in fabric.leafs:
        name, column = ids[group.serves]
        yield Box(id=name, lines=_leaf_lines(group, fabric.leaf_ports), column=column, row=row)
    if fabric.spines:
        cores = (f"{fabric.cores} cores above",) if fabric.cores else ()
        yield Box(
            id="spines", lines=(f"{fabric.spines} spines", f"{fabric.spine_ports} ports", *cores), column=3, row=row
        )


def _gpu_boxes(fabric: FabricPlan, row: float) -> Iterator[Box]:
    column = {0: 2, 1: 3}.get(fabric.levels, 5)
    nodes, processes = f"{fabric.gpu_nodes:,} GPU nodes", "client processes"
    if not fabric.known:
        yield Box(id="gpu_nodes", lines=(nodes, processes), column=column, row=row)
        return
    yield Box(id="gpu_nodes", lines=(nodes,), column=column, row=row)
    yield Box(id="processes", lines=(processes,), column=column + 1, row=row)


def _gpu_links(fabric: FabricPlan) -> Iterator[Link]:
    """What all tiers share; of what differs between them (the client's own ceiling) a line for each."""
    if fabric.levels > 1:
        yield _shared(fabric, LEAFS, "storage_leafs", "spines")
        yield _shared(fabric, GPU_LEAFS, "spines", "gpu_leafs")
    yield _shared(fabric, GPU_PORTS, "leaf" if fabric.levels == 1 else "gpu_leafs", "gpu_nodes")
    yield _shared(fabric, CLIENTS, "gpu_nodes", "processes")


def _shared(fabric: FabricPlan, name: str, tail: str, head: str) -> Link:
    lines: dict[str, None] = {}
    cut = False
    for path in fabric.paths:
        segment = next((one for one in path.segments if one.name == name), None)
        if segment is not None:
            prefix = f"{path.tier} " if name in (LEAFS, CLIENTS) and len(fabric.paths) > 1 else ""
            lines.update(dict.fromkeys(f"{prefix}{line}" for line in _rates(segment)))
            cut = cut or _cuts(path, name)
    return Link(tail=tail, head=head, lines=tuple(lines), cut=cut)


def mermaid(fabric: FabricPlan, *, title: str) -> str:
    """A Mermaid flowchart; what is cut is red."""
    drawn = picture(fabric, title=title)
    lines = ["---", f"title: {json.dumps(drawn.title, ensure_ascii=False)}", "---", "flowchart LR"]
    lines += [f'  {box.id}["{_label(box.lines)}"]' for box in drawn.boxes]
    lines += [f'  {link.tail} -- "{_label(_marked(link))}" --> {link.head}' for link in drawn.links]
    red = [box.id for box in drawn.boxes if box.cut]
    if red:
        lines += [f"  classDef cut stroke:{CUT},stroke-width:3px", f"  class {','.join(red)} cut"]
    cuts = [str(index) for index, link in enumerate(drawn.links) if link.cut]
    if cuts:
        lines.append(f"  linkStyle {','.join(cuts)} stroke:{CUT},stroke-width:3px")
    lines += [f"%% {_word(note)}" for note in drawn.notes]
    return "\n".join(lines) + "\n"


def _marked(link: Link) -> tuple[str, ...]:
    return ("min cut", *link.lines) if link.cut else link.lines


def _label(lines: tuple[str, ...]) -> str:
    return "<br/>".join(_word(line) for line in lines)


def _word(text: str) -> str:
    """Text that no quote or entity of Mermaid can end."""
    return escape(text, quote=False).replace('"', "'").replace("\n", " ")


def svg(fabric: FabricPlan, *, title: str) -> str:
    """An SVG picture; what is cut is red."""
    drawn = picture(fabric, title=title)
    place = {box.id: box for box in drawn.boxes}
    width = MARGIN * 2 + max(box.column for box in drawn.boxes) * COLUMN + BOX_WIDTH
    rows = max(box.row for box in drawn.boxes)
    foot = TITLE + MARGIN + rows * ROW + BOX_HEIGHT + 40
    height = foot + LINE * 1.3 * (len(drawn.notes) + 1)
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">',
        f"<title>{escape(drawn.title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(MARGIN, MARGIN + 4, drawn.title, size=16, anchor="start"),
    ]
    for link in drawn.links:
        lines += _svg_link(link, place[link.tail], place[link.head])
    for box in drawn.boxes:
        lines += _svg_box(box)
    lines += [
        _text(MARGIN, foot + LINE * 1.3 * index, note, anchor="start", colour=CUT)
        for index, note in enumerate(drawn.notes)
    ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _at(box: Box) -> tuple[float, float]:
    return MARGIN + box.column * COLUMN, TITLE + MARGIN + box.row * ROW


def _svg_box(box: Box) -> Iterator[str]:
    x, y = _at(box)
    colour, stroke = (CUT, 3) if box.cut else (PLAIN, 1.5)
    yield (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8" fill="#eceff1" '
        f'stroke="{colour}" stroke-width="{stroke:g}"/>'
    )
    top = y + BOX_HEIGHT / 2 - (len(box.lines) - 1) * LINE / 2 + 4
    for index, line in enumerate(box.lines):
        yield _text(x + BOX_WIDTH / 2, top + index * LINE, line, colour=CUT if box.cut else "#263238").replace(
            f" {HALO}", ""
        )


def _svg_link(link: Link, tail: Box, head: Box) -> Iterator[str]:
    (x, y), (to_x, to_y) = _at(tail), _at(head)
    x, y, to_y = x + BOX_WIDTH, y + BOX_HEIGHT / 2, to_y + BOX_HEIGHT / 2
    colour, stroke, dash = (CUT, 4, ' stroke-dasharray="8 4"') if link.cut else (PLAIN, 2, "")
    yield (f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{colour}" stroke-width="{stroke}"{dash}/>')
    shown = _marked(link)
    for index, line in enumerate(shown):
        above = (y + to_y) / 2 - 6 - (len(shown) - 1 - index) * LINE
        yield _text((x + to_x) / 2, above, line, size=11, colour=colour)


def _text(x: float, y: float, text: str, *, size: int = 13, anchor: str = "middle", colour: str = "#263238") -> str:
    """White around the letters keeps them legible over lines."""
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:g}" y="{y:g}" {style} {HALO}>{escape(text)}</text>'
