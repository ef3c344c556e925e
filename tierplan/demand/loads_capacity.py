"""Bytes stored on each tier, year by year, from what the workloads keep and what the stack states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.demand import capacity, growth, loads_lifecycle, model
from tierplan.demand.job import total_parameters
from tierplan.demand.sheet import Asked, Sheet, Stored, shared_tier
from tierplan.domain.figures import Known, Ledger
from tierplan.domain.need import Tier
from tierplan.domain.stack import Stack, Training
from tierplan.units import Size

NOTHING: Known[Size] = Known(Size.zero(), "constant")


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacities:
    """Bytes stored by tier and year; the local tier's on one GPU node. And the files of the shared tier."""

    by_year: Mapping[Tier, tuple[Size, ...]]
    files: float


def capacities(stack: Stack, ledger: Ledger, asked: Mapping[int, Asked]) -> Capacities:
    """What every tier stores in each year of the horizon."""
    years = range(growth.horizon(stack) + 1)
    in_year = [asked[max(year for year in asked if year <= now)] for now in years]
    shared = shared_tier(stack)
    today = asked[0].stored
    fixed = {
        "checkpoints": _total(ledger, "capacity.checkpoint_bytes", _sizes(today, "checkpoint")),
        "weights": _total(ledger, "capacity.weights_bytes", _sizes(today, "weights")),
    }
    sessions = [
        _total(ledger, _of_year("capacity.kv_cache_bytes", now), _sizes(one.stored, "kv_cache"))
        for now, one in zip(years, in_year, strict=True)
    ]
    home = {"home": Known(stack.capacity.home, stack.origin("capacity.home"))} | _sizes(today, "dataset")
    cold = {
        "raw_data": Known(stack.capacity.raw_data, stack.origin("capacity.raw_data")),
        "processed_data": Known(stack.capacity.processed_data, stack.origin("capacity.processed_data")),
    }
    if shared == "cold":
        hot_bytes = [Size.zero() for _ in years]
        cold_bytes = _cold(stack, ledger, cold | home, fixed, sessions)
    else:
        hot_bytes = _hot(stack, ledger, home, fixed, sessions)
        grown, kept = loads_lifecycle.moved(stack, ledger)
        cold_bytes = _cold(stack, ledger, cold | grown, kept, [NOTHING for _ in years])
    local = [
        ledger.figure(_of_year("capacity.local_bytes_per_node", now), capacity.total, **one.on_node).value
        for now, one in zip(years, in_year, strict=True)
    ]
    _last(ledger, "capacity.local_bytes_per_node", local)
    by_year: dict[Tier, tuple[Size, ...]] = {"local": tuple(local), "hot": tuple(hot_bytes), "cold": tuple(cold_bytes)}
    return Capacities(by_year=by_year, files=_files(stack, ledger, today))


def _hot(
    stack: Stack,
    ledger: Ledger,
    growing: Mapping[str, Known[Size]],
    fixed: Mapping[str, Known[Size]],
    sessions: list[Known[Size]],
) -> list[Size]:
    """The figures of the hot tier, each year's and the last one's."""
    grown = _total(ledger, "capacity.growing_hot_bytes", growing)
    rate = Known(stack.capacity.growth_per_year, stack.origin("capacity.growth_per_year"))
    found = [
        ledger.figure(
            _of_year("capacity.hot_bytes", year),
            capacity.hot,
            growing=grown,
            growth_per_year=rate,
            year=Known(year, "constant"),
            kv_cache=kv_cache,
            **fixed,
        ).value
        for year, kv_cache in enumerate(sessions)
    ]
    _last(ledger, "capacity.hot_bytes", found)
    return found


def _cold(
    stack: Stack,
    ledger: Ledger,
    growing: Mapping[str, Known[Size]],
    fixed: Mapping[str, Known[Size]],
    sessions: list[Known[Size]],
) -> list[Size]:
    """The figures of the cold tier, each year's and the last one's."""
    grown = _total(ledger, "capacity.growing_cold_bytes", growing)
    rate = Known(stack.capacity.growth_per_year, stack.origin("capacity.growth_per_year"))
    archived = {**_archived(stack, ledger), **fixed}
    found = []
    for year, kv_cache in enumerate(sessions):
        kept = {**archived, "kv_cache": kv_cache} if kv_cache.value else archived
        found.append(
            ledger.figure(
                _of_year("capacity.cold_bytes", year),
                capacity.cold,
                growing=grown,
                growth_per_year=rate,
                year=Known(year, "constant"),
                archived=_total(ledger, _of_year("capacity.archived_bytes", year), kept),
            ).value
        )
    _last(ledger, "capacity.cold_bytes", found)
    return found


def _archived(stack: Stack, ledger: Ledger) -> dict[str, Known[Size]]:
    """The figures of archived checkpoints and weights, each as large as the largest of the stack."""
    found: dict[str, Known[Size]] = {}
    asked = stack.capacity
    if asked.archived_checkpoints:
        found["checkpoints_archived"] = ledger.figure(
            "capacity.archived_checkpoint_bytes",
            capacity.archived,
            checkpoint=_largest(ledger, ".checkpoint.size_bytes"),
            count=Known(asked.archived_checkpoints, stack.origin("capacity.archived_checkpoints")),
        )
    if asked.archived_weights:
        found["weights_archived"] = ledger.figure(
            "capacity.archived_weights_bytes",
            capacity.archived,
            checkpoint=_largest_weights(stack, ledger),
            count=Known(asked.archived_weights, stack.origin("capacity.archived_weights")),
        )
    return found


def _largest(ledger: Ledger, ending: str) -> Known[Size]:
    """The largest figure of today whose id ends so; nothing if there is none."""
    found = [Known(Size(figure.number), f"figure {figure.id}") for figure in ledger if figure.id.endswith(ending)]
    return max(found, key=lambda known: known.value, default=NOTHING)


def _largest_weights(stack: Stack, ledger: Ledger) -> Known[Size]:
    """The largest weights that are trained here, else the largest that are served."""
    for index, work in enumerate(stack.workloads):
        if isinstance(work, Training):
            sheet = Sheet(stack=stack, ledger=ledger, path=f"workloads[{index}]", name=work.name)
            sheet.figure(
                "model.weights_bytes",
                model.weights,
                parameters=total_parameters(sheet, work.model),
                weight_bytes=sheet.given(work.model.weight_bytes_per_parameter, "model.weight_bytes_per_parameter"),
            )
    trained = _largest(ledger, ".model.weights_bytes")
    return trained if trained.value else _largest(ledger, ".model_load.weights_bytes")


def _files(stack: Stack, ledger: Ledger, stored: tuple[Stored, ...]) -> float:
    """The figure of the shared tier's files: stated, or what datasets and checkpoints alone make."""
    if stack.capacity.files is not None:
        stated = Known(stack.capacity.files, stack.origin("capacity.files"))
        return ledger.figure("capacity.files", capacity.stated_files, files=stated).value
    counted = {f"{one.workload}.{one.kind}": one.files for one in stored if one.files is not None}
    return ledger.figure("capacity.files", capacity.counted_files, **counted).value


def _sizes(stored: tuple[Stored, ...], kind: str) -> dict[str, Known[Size]]:
    return {f"{one.workload}.{one.kind}": one.size for one in stored if one.kind == kind}


def _total(ledger: Ledger, figure_id: str, sizes: Mapping[str, Known[Size]]) -> Known[Size]:
    """The figure of a sum; nothing to add is no figure."""
    return ledger.figure(figure_id, capacity.total, **sizes) if sizes else NOTHING


def _of_year(quantity: str, year: int) -> str:
    return f"{quantity}.year_{year}"


def _last(ledger: Ledger, quantity: str, years: list[Size]) -> None:
    """The figure without a year: the last year's."""
    last = _of_year(quantity, len(years) - 1)
    ledger.figure(quantity, capacity.last_year, last=Known(years[-1], f"figure {last}"))
