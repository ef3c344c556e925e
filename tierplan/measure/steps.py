"""The runs that prove a plan: what each measures, what the plan promises of it, and what it must reach to pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tierplan.domain.need import Tier
from tierplan.domain.plan import Plan
from tierplan.domain.stack import Training
from tierplan.domain.tiers import TierPlan
from tierplan.measure.nouns import MIB, Quantity
from tierplan.measure.sizes import mlperf_files, run_bytes
from tierplan.units import Bandwidth, Duration, Size

SECONDS = Duration(120.0)
ROOM_SHARE = 0.2  # of what may be stored: a benchmark must not fill the tier
SMALL_FILES = 100_000
BLOCK = 4 * MIB
MODELS: Mapping[str, tuple[int, int, int]] = {
    "unet3d": (7, 146_600_628, 1),
    "resnet50": (400, 114_660, 1251),
    "cosmoflow": (1, 2_828_486, 1),
}
"""MLPerf model -> batch, bytes of a sample, samples a file (github.com/mlcommons/storage, configs/dlio/workload)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """
    One run. `expected` is what the plan promises (its low end), `required` what the workloads ask, headroom included.

    A run that reaches `expected` proves the plan; one that misses `required` contradicts it.
    """

    label: str
    tier: Tier
    tool: str
    title: str
    quantity: Quantity
    expected: float
    required: float
    hosts: int
    total_bytes: float
    writes: bool
    proves: str
    leaves_open: str
    values: Mapping[str, object] = field(default_factory=dict)


def steps(plan: Plan, *, rehearsal: Size | None = None) -> tuple[Step, ...]:
    """
    The runs for a plan, in the order to run them: local first, then one client, then all, then the object store.

    With `rehearsal` every run moves that much in all: it shows that the commands work and proves nothing.
    """
    found = [*_local(plan), *_hot(plan), *_small(plan), *_cold(plan)]
    return tuple(_shrunk(step, rehearsal) if rehearsal is not None else step for step in found)


def _shrunk(step: Step, most: Size) -> Step:
    from dataclasses import replace  # noqa: PLC0415  # only where somebody rehearses

    values = dict(step.values)
    jobs = max(1, int(str(values.get("jobs", 1))))
    total = min(step.total_bytes, most.base)
    if "file_mib" in values:
        values["file_mib"] = max(1, int(total / jobs / MIB))
    if "files" in values:
        values["files"] = min(int(str(values["files"])), 200)
    return replace(step, total_bytes=total, values=values)


def _local(plan: Plan) -> Iterator[Step]:
    local = plan.tiers.get("local")
    if local is None or local.config.node.drives < 1 or not local.delivered.usable:
        return
    nodes = max(1, local.config.nodes)
    room = Size(local.delivered.planned.base / nodes * ROOM_SHARE)
    node = local.need.clients
    for label, quantity, rate, asked in (
        ("local-write", "write", local.delivered.healthy.write, node.node_write),
        ("local-read", "read", local.delivered.healthy.read, node.node_read),
    ):
        each = Bandwidth(rate.base / nodes)
        total = min(room, each * SECONDS)
        jobs = max(1, local.config.node.drives)
        yield Step(
            label=label,
            tier="local",
            tool="fio",
            title=f"The local drives of one GPU node {'take' if quantity == 'write' else 'give'} what is planned",
            quantity="write" if quantity == "write" else "read",
            expected=each.base,
            required=asked.base,
            hosts=1,
            total_bytes=total.base,
            writes=True,  # fio lays out what it reads
            proves="the array of this node, without its page cache",
            leaves_open="that every node is like it; endurance; what the drives do when they are full and warm",
            values={"jobs": jobs, "file_mib": max(1, int(total.base / jobs / MIB)), "depth": 16},
        )


def _hot(plan: Plan) -> Iterator[Step]:
    hot = plan.tiers.get("hot")
    if hot is None:
        return
    rates, need = hot.delivered.healthy, hot.need
    if need.write:
        yield _stream(
            plan,
            hot,
            label="checkpoint-write",
            quantity="write",
            rate=rates.write,
            required=need.write,
            title="All GPU nodes write a checkpoint at once, each rank its own file, until it is durable",
            leaves_open="a checkpoint of your framework: it may write fewer, smaller or shared files",
        )
    if need.read:
        yield _stream(
            plan,
            hot,
            label="restore-read",
            quantity="read",
            rate=rates.read,
            required=need.read,
            title="All GPU nodes read what the run before wrote, each one what another one wrote",
            leaves_open="random reads, and reads beside a checkpoint that is written",
        )
    if any(isinstance(work, Training) and work.dataset is not None for work in plan.stack.workloads) and need.read:
        yield _stream(
            plan,
            hot,
            label="dataset-read",
            quantity="read",
            rate=rates.read,
            required=need.read,
            title="All GPU nodes read blocks at random places of large shared files, as shuffled shards are read",
            leaves_open="what the data loader itself costs: MLPerf Storage or your own loader shows that",
        )


def _stream(
    plan: Plan,
    hot: TierPlan,
    *,
    label: str,
    quantity: Quantity,
    rate: Bandwidth,
    required: Bandwidth,
    title: str,
    leaves_open: str,
) -> Step:
    cluster, config = plan.stack.cluster, hot.config
    clients = hot.need.clients
    each = (
        clients.network if hot.delivered.healthy.client is None else min(hot.delivered.healthy.client, clients.network)
    )
    expected = min(rate, each * cluster.gpu_nodes)
    jobs = cluster.gpus_per_node
    total = run_bytes(
        rate=expected,
        seconds=SECONDS,
        server_memory=config.node.memory * config.nodes,
        least=_largest_checkpoint(plan),
        room=hot.delivered.planned * ROOM_SHARE,
    )
    whole = total.base / (cluster.gpu_nodes * jobs)
    return Step(
        label=label,
        tier="hot",
        tool="elbencho",
        title=title,
        quantity=quantity,
        expected=expected.base,
        required=required.base,
        hosts=cluster.gpu_nodes,
        total_bytes=total.base,
        writes=quantity == "write",
        proves=f"the bandwidth of {cluster.gpu_nodes} clients at once, caches aside",
        leaves_open=leaves_open,
        values={"jobs": jobs, "file_mib": max(4, int(whole / MIB) // 4 * 4)},
    )


def _largest_checkpoint(plan: Plan) -> Size:
    sizes = [
        one.number for name, one in plan.requirement.figures.items() if name.endswith(".checkpoint.size_bytes")
    ]  # fmt: skip
    return Size(max(sizes, default=0.0))


def _small(plan: Plan) -> Iterator[Step]:
    """Creating and looking up small files, where the plan has a metadata rate at all."""
    hot = plan.tiers.get("hot")
    if hot is None or not hot.delivered.healthy.op_rate:
        return
    cluster = plan.stack.cluster
    for label, title, open_ in (
        ("small-create", "All GPU nodes create small files in folders of their own", "files in one shared folder"),
        ("small-stat", "All GPU nodes look up the files that were created", "looking up with a cold server cache"),
    ):
        yield Step(
            label=label,
            tier="hot",
            tool="elbencho",
            title=title,
            quantity="ops",
            expected=hot.delivered.healthy.op_rate.base,
            required=hot.need.op_rate.base,
            hosts=cluster.gpu_nodes,
            total_bytes=float(SMALL_FILES * 4096),
            writes=label == "small-create",
            proves="the rate of one kind of metadata operation",
            leaves_open=open_,
            values={
                "jobs": cluster.gpus_per_node,
                "files": max(1, SMALL_FILES // (cluster.gpu_nodes * cluster.gpus_per_node)),
            },
        )


def _cold(plan: Plan) -> Iterator[Step]:
    cold = plan.tiers.get("cold")
    if cold is None:
        return
    rates, cluster = cold.delivered.healthy, plan.stack.cluster
    for label, quantity, rate, asked in (
        ("object-put", "write", rates.write, cold.need.write),
        ("object-get", "read", rates.read, cold.need.read),
    ):
        if not rate:
            continue
        total = min(cold.delivered.planned * ROOM_SHARE, rate * SECONDS)
        jobs = 32
        each = total.base / (cluster.gpu_nodes * jobs)
        yield Step(
            label=label,
            tier="cold",
            tool="elbencho",
            title=f"All GPU nodes {'write' if quantity == 'write' else 'read'} large objects over S3",
            quantity="write" if quantity == "write" else "read",
            expected=rate.base,
            required=asked.base,
            hosts=cluster.gpu_nodes,
            total_bytes=total.base,
            writes=quantity == "write",
            proves="the bandwidth of the object store's front ends for large objects",
            leaves_open="small objects, lists, and what a life-cycle rule does beside it",
            values={"jobs": jobs, "file_mib": max(16, int(each / MIB))},
        )


def mlperf(plan: Plan, model: str, accelerators: int) -> int:
    """Files of the MLPerf Storage dataset for this cluster and model."""
    batch, sample, per_file = MODELS[model]
    cluster = plan.stack.cluster
    return mlperf_files(
        accelerators=accelerators,
        hosts=cluster.gpu_nodes,
        host_memory=cluster.host_memory,
        batch=batch,
        sample=Size(float(sample)),
        samples_per_file=per_file,
    )
