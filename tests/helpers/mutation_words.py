"""The mutations of every product's own words, and of what a tier says that it must carry."""

from __future__ import annotations

from collections.abc import Mapping

from mutation_clouds import CLOUDS
from mutation_table import ANYTHING, LAYOUT, NODE, SLOW, both, holds, reads, rules, same, times, worse, writes
from mutations import Case, Change, Effect, Expect, Mutation, Rules, nothing

COPIES = rules("survive-nodes")
STANDING = rules("survive-bandwidth")
CLASS, SIZE, EFA = rules("cloud-class"), rules("cloud-size"), rules("cloud-efa")


def ops(case: Case) -> Rules:
    """What asks for metadata operations."""
    return case.rule("op-rate") if case.number("opRateOpsPerS") > 1 else frozenset()


def linked(case: Case) -> Rules:
    """A file system with a linked bucket is not backed up by its service."""
    return frozenset({"cloud-backup"} if case.given("options.data_repositories") else ())


def unless_it_is(value: object, expect: Expect) -> Expect:
    """The rules, where it was something else before."""
    return lambda case: expect(case) if case.given("options.deployment_type") != value else frozenset()


Row = tuple[str, object, Effect, Expect, Expect]
OPTIONS: Mapping[str, tuple[Row, ...]] = {
    **CLOUDS,
    "weka": (
        ("tiering.ssd_share", 0.1, "neutral", nothing, nothing),  # a share of capacity that nothing is asked of
        ("tiering.cue", "60 d", "worsens", LAYOUT, nothing),  # later than it is retained
        ("tiering.retention", "1 h", "worsens", LAYOUT, rules("lifecycle-order")),
    ),
    "3fs": (
        ("client", "fuse", "worsens", nothing, both(SLOW, STANDING, rules("hot-client"))),
        ("targets_per_disk", 50.0, "worsens", LAYOUT, nothing),
    ),
    "beegfs": (
        ("mirror", False, "worsens", both(COPIES, STANDING), nothing),
        ("mirror", True, "improves", nothing, nothing),
        ("version", 9.0, "worsens", LAYOUT, nothing),
        ("version", 7.0, "neutral", nothing, nothing),
    ),
    "juicefs": (
        ("block_size", "1 MiB", "worsens", nothing, both(SLOW, STANDING)),  # more requests to the store
        ("cache_size", "1 GiB", "neutral", nothing, nothing),  # a cache is never counted as bandwidth
        ("object_store", "ceph-rgw", "worsens", LAYOUT, both(ANYTHING, rules("stack-parts"))),
        ("metadata_engine", "tikv", "worsens", CLASS, nothing),
        ("metadata_class", "cache.t4g.nano", "worsens", CLASS, nothing),
        ("metadata_service", "ec2", "worsens", CLASS, nothing),
        ("region", "eu-west-1", "worsens", nothing, both(SLOW, STANDING)),  # a quota of its own
        ("write_back", True, "worsens", nothing, CLASS),
        ("quota_raised", "0.1 GB/s", "worsens", nothing, both(SLOW, STANDING)),
    ),
    "lustre": (
        ("ha", "none", "worsens", both(COPIES, STANDING), nothing),
        ("fsname", "warm", "neutral", nothing, nothing),
        ("fsname", "much-too-long", "worsens", LAYOUT, nothing),  # at most eight characters
        ("mds.drives", 1.0, "worsens", NODE, nothing),
        ("mds.nodes", 1.0, "worsens", rules("survive-quorum"), LAYOUT),
        ("mds.hosts", [], "worsens", LAYOUT, nothing),
        ("mds.addresses", [], "worsens", LAYOUT, nothing),
    ),
    "storage-scale": (
        ("block_size", "1 MiB", "neutral", nothing, nothing),
        ("metadata", "with-data", "neutral", nothing, nothing),
    ),
    "vast": (
        ("box", "dbox", "neutral", nothing, nothing),
        ("op_rate", "1 ops/s", "worsens", ops, nothing),
        ("op_rate", "2000000 ops/s", "improves", nothing, nothing),
    ),
    "ceph-rgw": (("cold_class", "FROZEN", "neutral", nothing, nothing),),
    "fsx-lustre": (
        ("size", "1200 GiB", "worsens", holds, both(SLOW, STANDING, SIZE, rules("hot-client"))),
        ("size", "115201 GiB", "worsens", SIZE, nothing),
        ("deployment_type", "SCRATCH_2", "worsens", rules("cloud-scratch"), both(COPIES, STANDING, CLASS, EFA, SLOW)),
        ("deployment_type", "PERSISTENT_1", "worsens", CLASS, both(EFA, SLOW, STANDING)),
        ("storage_type", "HDD", "worsens", CLASS, both(holds, SLOW, STANDING, rules("hot-client"))),
        ("efa", False, "worsens", nothing, EFA),
        ("efa", True, "worsens", nothing, EFA),
        ("metadata_mode", "USER_PROVISIONED", "worsens", nothing, CLASS),
        ("metadata_mode", "AUTOMATIC", "worsens", CLASS, nothing),
        ("metadata_iops", 7.0, "worsens", CLASS, nothing),
        ("metadata_iops", 12000.0, "improves", nothing, nothing),
        ("per_unit_throughput", 125.0, "worsens", nothing, both(SLOW, STANDING)),  # a class one step down
        ("per_unit_throughput", 333.0, "worsens", CLASS, nothing),
        ("per_unit_throughput", 500.0, "improves", nothing, nothing),
        ("throughput_capacity", 4001.0, "worsens", SIZE, nothing),
        ("throughput_capacity", 8000.0, "improves", nothing, nothing),
        ("compression", "LZ4", "neutral", nothing, nothing),  # no reduction is promised
        ("backup_days", 100.0, "worsens", rules("cloud-backup"), nothing),
        ("backup_days", 7.0, "neutral", linked, rules("cloud-backup")),
        ("region", "eu-west-1", "neutral", nothing, nothing),
        ("version", "2.10", "worsens", nothing, CLASS),
        ("data_repositories", [], "neutral", nothing, nothing),
        ("read_cache", "NO_CACHE", "neutral", nothing, nothing),
    ),
    "s3": (
        ("storage_class", "GLACIER", "worsens", nothing, rules("lifecycle-order")),
        ("warm_class", "ONEZONE_IA", "neutral", nothing, nothing),
        ("cold_class", "DEEP_ARCHIVE", "neutral", nothing, nothing),
        ("prefixes", 0.0, "worsens", LAYOUT, both(writes, reads, times, STANDING)),
        ("prefixes", 100.0, "improves", nothing, nothing),
        ("region", "eu-west-1", "neutral", nothing, nothing),
        ("versioning", False, "neutral", nothing, nothing),  # the bucket itself is judged: bucket-versioned
    ),
    "minio": (("pools", 50.0, "worsens", nothing, both(LAYOUT, ANYTHING)),),
    "alluxio": (
        ("masters", [], "worsens", LAYOUT, nothing),
        ("under_store", "/mnt/other", "neutral", nothing, nothing),
    ),
    "fluid": (
        ("namespace", "other", "neutral", nothing, nothing),
        ("runtime", "juicefs", "neutral", nothing, nothing),
        ("source", "s3://other", "neutral", nothing, nothing),
    ),
    "lmcache": (
        ("chunk_tokens", 16.0, "neutral", nothing, nothing),
        ("engine", "sglang", "neutral", nothing, nothing),
    ),
    "mooncake": (
        ("master", "cpu-2", "neutral", nothing, nothing),
        ("protocol", "tcp", "neutral", nothing, nothing),
    ),
}


def _here(backend: str, value: object) -> Change:
    return lambda case, old: value if case.backend == backend and old != value else None


WORDS: tuple[Mutation, ...] = tuple(
    Mutation(
        path=f"options.{path}",
        words=f"{value!r}",
        effect=effect,
        change=_here(backend, value),
        must=must,
        may=may,
    )
    for backend, rows in OPTIONS.items()
    for path, value, effect, must, may in rows
)

TAMPERED = rules("stack-requirement")
RATES = ("readBytesPerS", "writeBytesPerS", "opRateOpsPerS", "capacityBytes", "degradedReadBytesPerS")
HARDER = (*RATES, "degradedWriteBytesPerS", "files", "survive.nodes", "survive.racks", "writtenPerDayBytes")
CLIENTS = ("gpuNodes", "ports", "portRateBytesPerS", "cpuCores", "nodeReadBytesPerS", "nodeWriteBytesPerS")
NEEDS: tuple[Mutation, ...] = (
    *(worse(f"need.{key}", "asked for half", lambda _, old: old // 2 if old else None, TAMPERED) for key in HARDER),
    *(same(f"need.{key}", "asked for twice", lambda _, old: old * 2) for key in HARDER),
    *(worse(f"need.clients.{key}", "another client", lambda _, old: old * 2 or 1.0, TAMPERED) for key in CLIENTS),
    worse("need.clients.transport", "another transport", lambda _, old: "tcp" if old != "tcp" else "roce", TAMPERED),
    worse("need.maxFill", "filled to the brim", lambda *_: 1.0, TAMPERED),
    worse("need.racks", "another number of racks", lambda _, old: old + 1, TAMPERED),
    worse(
        "need.tier", "another tier", lambda case, _: "hot" if case.tier == "cold" else "cold", TAMPERED, may=ANYTHING
    ),
    *(
        worse(f"need.{key}", "nothing of it", lambda _, old: [] if old else None, TAMPERED)
        for key in ("phases", "irreplaceable", "because", "capacityByYearBytes")
    ),
)
