"""Plans with an on-premises object store behind them, their hosts, and all that is rendered of them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from tierplan import load, plan
from tierplan.domain.hosts import Host, HostGroup, Hosts
from tierplan.domain.plan import Plan
from tierplan.domain.stack import LayoutPins, LifecyclePins, NodePins, OptionValue, Survive, TierPins
from tierplan.render import render
from tierplan.units import duration

STORES = ("minio", "rustfs", "seaweedfs", "garage")


def made(
    backend: str,
    *,
    kubernetes: bool = True,
    survive: Survive | None = None,
    name: str = "cephfs",
    delete_after: str | None = None,
    layout: LayoutPins | None = None,
    node: NodePins | None = None,
    nodes: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
) -> Plan:
    """The shipped CephFS stack with this store behind it."""
    stack = load.read_stack("cephfs")
    words = {**({"evaluation": True} if backend == "rustfs" else {}), **(options or {})}
    stack = replace(
        stack,
        name=name,
        tiers=replace(
            stack.tiers,
            cold=TierPins(backend=backend, layout=layout, node=node, nodes=nodes, options=words),
            lifecycle=LifecyclePins(delete_after=duration(delete_after)) if delete_after else stack.tiers.lifecycle,
        ),
        operations=replace(stack.operations, kubernetes=kubernetes),
        targets=replace(stack.targets, survive=survive or stack.targets.survive),
    )
    return plan.make_plan(stack, load.catalogue())


def hosts_of(nodes: int, *, drives: int = 24, racks: int = 8, named: bool = True) -> Hosts:
    """As many hosts as a plan has nodes, over the racks."""
    return Hosts(
        cold=HostGroup(
            virtual_ips=("10.20.255.1/16",),
            drives=tuple(f"/dev/sd{letter}" for letter in "abcdefghijklmnopqrstuvwx"[:drives]) if named else (),
            db_drives=("/dev/nvme0n1",),
            hosts=tuple(
                Host(name=f"cold-{index}", addresses=(f"10.20.0.{index + 1}",), rack=f"r{index * racks // nodes}")
                for index in range(nodes)
            ),
        )
    )


def own(files: Mapping[str, str], backend: str) -> dict[str, str]:
    """The files of the store alone, without their folder."""
    return {path.partition("/")[2]: text for path, text in files.items() if path.startswith(f"20-cold-{backend}/")}


def settings(text: str) -> dict[str, str]:
    """The variables of a file of settings."""
    pairs = [line.partition("=")[::2] for line in text.splitlines() if line and not line.startswith("#")]
    return {name: value.strip('"') for name, value in pairs}


def names_of(value: object) -> set[str]:
    """Every key of nested maps and lists."""
    if isinstance(value, dict):
        return set(value).union(*(names_of(item) for item in value.values())) if value else set()
    return set().union(*(names_of(item) for item in value)) if isinstance(value, list) and value else set()


@cache
def renderings() -> dict[str, dict[str, dict[str, str]]]:
    """Files of plans that between them take every branch, by product."""
    found = {}
    for backend in STORES:
        usual = made(backend)
        nodes = usual.tiers["cold"].config.nodes
        options: dict[str, OptionValue] = {"bucket": "archive"}
        if backend != "garage":
            options["versioning"] = True
        if backend in {"minio", "rustfs"}:
            options |= {"pools": 2, "set_drive_count": 12}
        other = made(backend, kubernetes=False, options=options, nodes=8)
        copies = made(backend, layout=LayoutPins(replicas=2), nodes=8) if backend == "seaweedfs" else other
        found[backend] = {
            "usual": own(render(usual, hosts_of(nodes)), backend),
            "examples": own(render(usual, None), backend),
            "aged": own(render(made(backend, delete_after="365 d"), None), backend),
            "other": own(render(other, hosts_of(8)), backend),
            "copies": own(render(copies, hosts_of(8)), backend),
        }
    return found
