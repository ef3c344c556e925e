"""What small objects cost an object store, and what packing them saves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierplan.domain.tiers import TierPlan
from tierplan.units import Duration, OpRate, Size

SMALL_SHARE = 0.1  # padding below this share of the data is not worth a word: tierplan's own choice
SHARD = Size(256e6)  # what shards are packed to where the stack does not say: the smallest that is advised
MOST_OBJECTS = 10**15


def padded_size(*, size: Size, step: Size) -> Size:
    """
    What an object takes of the usable capacity where it is rounded up to whole steps.

    Formula:  ceil(size / step) * step
    Assumes:  a step of zero rounds nothing
    Source:   github.com/ceph/ceph, doc/rados/operations/erasure-code.rst: k * stripe_unit (2026-11-29)

    >>> padded_size(size=Size(4000.0), step=Size(16384.0)).show("KiB")
    '16 KiB'
    """
    return size if step.bytes <= 0 else step * math.ceil(size.bytes / step.bytes)


def request_time(*, objects: int, op_rate: OpRate) -> Duration:
    """
    Time that so many objects take to be asked for once.

    Formula:  objects / op_rate
    Assumes:  requests in parallel up to what the store answers; bytes come on top

    >>> request_time(objects=36_000_000, op_rate=OpRate(10_000.0)).show("h")
    '1 h'
    """
    return Duration(objects / op_rate.base if op_rate.base > 0 else math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A set of samples as objects of their own, and as shards."""

    objects: int
    objects_packed: int
    samples_per_shard: int
    padding: Size
    requests_time: Duration


def packed(cold: TierPlan, *, size: Size, sample: Size, samples_per_shard: int | None) -> Packed:
    """What a dataset of samples costs this store, each sample an object, and how few shards it would be."""
    objects = min(MOST_OBJECTS, max(1, round(size / sample))) if sample.bytes > 0 else 1
    each = samples_per_shard if samples_per_shard and samples_per_shard > 1 else max(1, int(SHARD / sample))
    step = Size(cold.delivered.parts["object_step_bytes"])
    return Packed(
        objects=objects,
        objects_packed=-(-objects // each),
        samples_per_shard=each,
        padding=(padded_size(size=sample, step=step) - sample) * objects,
        requests_time=request_time(objects=objects, op_rate=cold.delivered.healthy.op_rate),
    )
