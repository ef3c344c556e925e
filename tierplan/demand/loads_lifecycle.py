"""Life cycle as loads: what hot and cold tier carry day after day because data grows old, and what cold then stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierplan.demand import capacity, lifecycle
from tierplan.demand.sheet import Asked, Sheet, shared_tier
from tierplan.domain.figures import Known, Ledger
from tierplan.domain.need import Load
from tierplan.domain.stack import Stack, Training
from tierplan.units import Bandwidth, Duration, Size

DAY = Duration(86400.0)
PREFIX = "lifecycle"


def warm_after(stack: Stack) -> Duration | None:
    """The age at which data leaves the hot tier; None where nothing does, or there is no hot tier."""
    asked = stack.tiers.lifecycle
    return asked.warm_after if asked is not None and shared_tier(stack) == "hot" else None


def handed_over(stack: Stack, ledger: Ledger, suffix: str = "", *, others: Sequence[Load] = ()) -> Asked:
    """Continuous loads of the stack's life cycle, on top of the `others`; none where the stack has none."""
    if stack.tiers.lifecycle is None:
        return Asked()
    loads = (*_aged(stack, ledger, suffix), *_ingested(stack, ledger, suffix))
    written = sum((load.write.base for load in loads if load.tier == "cold"), start=0.0)
    loads = (*loads, *_inside(stack, ledger, suffix, arriving=(*others, *loads)))
    return Asked(loads=loads, written={"cold": Bandwidth(written) * DAY} if written else {})


def moved(stack: Stack, ledger: Ledger) -> tuple[dict[str, Known[Size]], dict[str, Known[Size]]]:
    """What the cold tier stores of the hot one's: what grows, and what does not."""
    after = warm_after(stack)
    if after is None:
        return {}, {}
    home = Known(stack.capacity.home, stack.origin("capacity.home"))
    kept = {f"{sheet.name}.weekly": size for sheet, size in _weekly_sizes(stack, ledger, after)}
    return ({"home_handed_over": home} if home.value else {}), kept


def _aged(stack: Stack, ledger: Ledger, suffix: str) -> Iterator[Load]:
    """From hot to cold: home, and the weekly checkpoints that outlive the hot tier."""
    after = warm_after(stack)
    if after is None:
        return
    if stack.capacity.home and stack.capacity.growth_per_year:
        rate = ledger.figure(
            f"{PREFIX}.home_bytes_per_s{suffix}",
            lifecycle.grown_bandwidth,
            growing=Known(stack.capacity.home, stack.origin("capacity.home")),
            growth_per_year=Known(stack.capacity.growth_per_year, stack.origin("capacity.growth_per_year")),
        )
        yield from _both(f"{PREFIX}.home", rate.value, f"home that nobody used for {after.show()}")
    for sheet, _size in _weekly_sizes(stack, ledger, after):
        size = _checkpoint_size(ledger, sheet.name)
        rate = ledger.figure(
            f"{PREFIX}.{sheet.name}.weekly_bytes_per_s{suffix}",
            lifecycle.kept_bandwidth,
            size=size,
            running=_running(ledger, sheet.name, suffix),
            every=Known(lifecycle.WEEK, "constant"),
        )
        words = f"weekly checkpoints of {sheet.name} older than {after.show()}"
        yield from _both(f"{PREFIX}.{sheet.name}.weekly", rate.value, words)


def _both(load_id: str, rate: Bandwidth, words: str) -> Iterator[Load]:
    because = f"{load_id}: {words}"
    yield Load(id=load_id, tier="hot", when="continuous", read=rate, because=because)
    yield Load(id=load_id, tier="cold", when="continuous", write=rate, because=because)


def _ingested(stack: Stack, ledger: Ledger, suffix: str) -> Iterator[Load]:
    """What comes into the cold tier from outside, as raw and processed data grow."""
    stored = stack.capacity
    data = stored.raw_data + stored.processed_data
    if not data or not stored.growth_per_year:
        return
    rate = ledger.figure(
        f"{PREFIX}.ingest_bytes_per_s{suffix}",
        lifecycle.grown_bandwidth,
        growing=ledger.figure(
            f"{PREFIX}.growing_bytes{suffix}",
            capacity.total,
            raw_data=Known(stored.raw_data, stack.origin("capacity.raw_data")),
            processed_data=Known(stored.processed_data, stack.origin("capacity.processed_data")),
        ),
        growth_per_year=Known(stored.growth_per_year, stack.origin("capacity.growth_per_year")),
    )
    because = f"{PREFIX}.ingest: raw and processed data grow by {stored.growth_per_year:.0%} a year"
    yield Load(id=f"{PREFIX}.ingest", tier="cold", when="continuous", write=rate.value, because=because)


def _inside(stack: Stack, ledger: Ledger, suffix: str, *, arriving: Sequence[Load]) -> Iterator[Load]:
    """
    From class to class: in steady state as much as arrives is read and written again, by the store's own disks.

    A service of a cloud does it on its own; on premises the stack names the class, or there is none.
    """
    asked, cold = stack.tiers.lifecycle, stack.tiers.cold
    if stack.site.kind != "on-prem" or asked is None or asked.cold_after is None or "cold_class" not in cold.options:
        return
    rates = {
        load.id: _arriving(ledger, load, suffix)
        for load in arriving
        if load.tier == "cold" and load.when == "continuous" and load.write
    }
    if not rates:
        return
    rate = ledger.figure(f"{PREFIX}.inside_bytes_per_s{suffix}", lifecycle.inside_bandwidth, **rates)
    because = f"{PREFIX}.inside: objects older than {asked.cold_after.show()} change their class inside the store"
    yield Load(
        id=f"{PREFIX}.inside",
        tier="cold",
        when="continuous",
        read=rate.value,
        write=rate.value,
        because=because,
    )


def _arriving(ledger: Ledger, load: Load, suffix: str) -> Known[Bandwidth]:
    """The figure of what one load brings: its own, or that of one job times the jobs that run."""
    if load.id.startswith(f"{PREFIX}."):
        return Known(load.write, f"figure {load.id}_bytes_per_s{suffix}")
    workload = load.id.partition(".")[0]
    name = f"{workload}.checkpoint.archive_bytes_per_s{suffix}"
    return ledger.figure(
        f"{PREFIX}.{workload}.archive_bytes_per_s{suffix}",
        lifecycle.of_jobs,
        bandwidth=Known(Bandwidth(ledger.figures[name].number), f"figure {name}"),
        running=_running(ledger, workload, suffix),
    )


def _weekly_sizes(stack: Stack, ledger: Ledger, after: Duration) -> Iterator[tuple[Sheet, Known[Size]]]:
    """Each job that keeps weekly checkpoints longer than data stays on the hot tier, with what those take."""
    for index, work in enumerate(stack.workloads):
        retain = work.checkpoint.retain if isinstance(work, Training) and work.checkpoint else None
        if retain is None:
            continue
        sheet = Sheet(stack=stack, ledger=ledger, path=f"workloads[{index}]", name=work.name)
        count = lifecycle.weekly_old(weekly=retain.weekly, warm_after=after)
        if not count:
            continue
        old = sheet.figure(
            "checkpoint.weekly_old.kept",
            lifecycle.weekly_old,
            weekly=sheet.given(retain.weekly, "checkpoint.retain.weekly"),
            warm_after=sheet.of_stack(after, "tiers.lifecycle.warm_after"),
        )
        size = sheet.figure(
            "checkpoint.weekly_old_bytes",
            capacity.checkpoints,
            size=_checkpoint_size(ledger, work.name),
            kept=old,
            concurrent_jobs=sheet.given(_jobs(stack, work.name), "checkpoint.concurrent_jobs"),
        )
        yield sheet, size


def _checkpoint_size(ledger: Ledger, workload: str) -> Known[Size]:
    name = f"{workload}.checkpoint.size_bytes"
    return Known(Size(ledger.figures[name].number), f"figure {name}")


def _running(ledger: Ledger, workload: str, suffix: str = "") -> Known[int]:
    name = f"{workload}.jobs.running{suffix}"
    return Known(int(ledger.figures[name].number), f"figure {name}")


def _jobs(stack: Stack, workload: str) -> int:
    for work in stack.workloads:
        if work.name == workload and isinstance(work, Training) and work.checkpoint is not None:
            return work.checkpoint.concurrent_jobs
    return 1
