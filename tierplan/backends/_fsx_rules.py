"""What FSx for Lustre forbids, each with the nearest that it allows; and what somebody would regret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

from tierplan.backends._choosing import NO_NODE, Relied, option
from tierplan.backends._fsx import AUTOMATIC, USER, Choice, efa_wanted, iops_for, iops_of, is_known, sized_row, sizes_of
from tierplan.backends._fsx_table import DEPLOYMENTS, HDD, SCRATCH, SSD, STORAGES, TIERING, Table
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, Layout, TierConfig
from tierplan.units import Bandwidth, Size

NAME = "fsx-lustre"
NO_LAYOUT = Layout(kind="none")
CACHES = ("NO_CACHE", "PROPORTIONAL_TO_THROUGHPUT_CAPACITY")
VERSIONS = ("2.10", "2.12", "2.15")
COMPRESSIONS = ("NONE", "LZ4")


def faults(config: TierConfig, choice: Choice, need: TierNeed, known: Table, used: Relied) -> Iterator[Illegal]:
    """Everything against a configuration."""
    yield from _no_nodes(config)
    yield from _words(choice)
    if is_known(choice):
        yield from _throughput(choice, known)
        yield from _size(choice, known)
        yield from _metadata(choice, known)
    yield from _region(choice, known)
    yield from _caches(config, choice, used)
    yield from _version(config, choice)
    yield from _efa(choice, need, known, used)
    yield from _backups(config, choice, used)
    yield from _repositories(config, choice, used)
    yield from _growth(choice, need, known, used)
    yield from _advice(choice, known, used)


def amount(value: float, unit: str) -> str:
    """
    A size as the service writes it.

    >>> amount(148800, "GiB")
    '148,800 GiB'
    """
    return f"{value:,.10g} {unit}"


def nearest(below: float | None, above: float | None, unit: str) -> str:
    """The legal values around an illegal one, in words."""
    found = [f"{amount(value, unit)} {word}" for value, word in ((below, "below"), (above, "above")) if value]
    return " and ".join(found) or "none"


def _no_nodes(config: TierConfig) -> Iterator[Illegal]:
    given = {
        "nodes": config.nodes != 1,
        "node": config.node != NO_NODE,
        "layout": config.layout != NO_LAYOUT,
        "quote": config.quote is not None,
    }
    pinned = [word for word, found in given.items() if found]
    if pinned:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{NAME} is a service: {' and '.join(pinned)} cannot be pinned, the service decides them",
            remedy=f"leave out {', '.join(f'tiers.{config.tier}.{word}' for word in pinned)}",
        )


def _illegal(message: str, remedy: str, *, policy: str = "cloud-class") -> Illegal:
    return Illegal(policy=policy, message=f"{NAME}: {message}", remedy=remedy)


def _words(choice: Choice) -> Iterator[Illegal]:
    if choice.deployment not in DEPLOYMENTS:
        allowed = ", ".join(DEPLOYMENTS)
        yield _illegal(
            f"deployment_type {choice.deployment}; allowed: {allowed}", f"write deployment_type: {DEPLOYMENTS[-1]}"
        )
    elif choice.storage not in STORAGES:
        yield _illegal(f"storage_type {choice.storage}; allowed: {', '.join(STORAGES)}", f"write storage_type: {SSD}")
    elif not is_known(choice):
        owner = {HDD: "PERSISTENT_1", TIERING: "PERSISTENT_2"}[choice.storage]
        yield _illegal(
            f"storage_type {choice.storage} with deployment_type {choice.deployment}; it belongs to {owner}",
            f"write deployment_type: {owner}, or storage_type: {SSD}",
        )


def _throughput(choice: Choice, known: Table) -> Iterator[Illegal]:
    rows = known.rows_of(choice.deployment, choice.storage)
    allowed = [row.per_unit for row in rows if row.per_unit is not None]
    if not allowed:
        if choice.per_unit is not None:
            kind = choice.storage if choice.tiering else choice.deployment
            remedy = "leave per_unit_throughput out" + ("; write throughput_capacity" if choice.tiering else "")
            yield _illegal(f"per_unit_throughput {choice.per_unit} with {kind}, which has none", remedy)
    elif choice.per_unit not in allowed:
        words = ", ".join(map(str, allowed))
        asked = "none" if choice.per_unit is None else choice.per_unit
        closest = min(allowed, key=lambda one: abs(one - (choice.per_unit or 0)))
        yield Illegal(
            policy="cloud-class",
            message=f"{NAME}: per_unit_throughput {asked}; {choice.deployment} {choice.storage} has {words} MB/s/TiB",
            remedy=f"write per_unit_throughput: {closest}",
            required=closest,
            planned=choice.per_unit,
            unit="MB/s/TiB",
        )


def _size(choice: Choice, known: Table) -> Iterator[Illegal]:
    """One of size and throughput, and a legal one."""
    unit, word = ("MB/s", "throughput_capacity") if choice.tiering else ("GiB", "size")
    value = choice.throughput if choice.tiering else choice.size
    other = choice.size if choice.tiering else choice.throughput
    if other is not None:
        wrong = "size" if choice.tiering else "throughput_capacity"
        kind = f"{choice.deployment} {choice.storage}"
        yield _illegal(f"{wrong} with {kind}, which takes {word}", f"leave {wrong} out", policy="cloud-size")
    sizes = sizes_of(known, choice)
    if sizes is None or (value is not None and sizes.legal(value)):
        return
    if value is None:
        yield _illegal(f"{word} is missing", f"write {word}, from {amount(sizes.least, unit)} on", policy="cloud-size")
        return
    below, above = sizes.below(value), sizes.above(value)
    row = sized_row(known, choice)
    kind = choice.storage if choice.tiering or row is None else row.title
    target = above if above is not None else below
    written = target if choice.tiering else f'"{target} GiB"'
    yield Illegal(
        policy="cloud-size",
        message=f"{NAME}: {word} {amount(value, unit)} is no size of {kind}{' with EFA' if choice.efa else ''}; "
        f"legal: {nearest(below, above, unit)}",
        remedy=f"write {word}: {written}",
        required=target,
        planned=value,
        unit=unit,
    )


def _metadata(choice: Choice, known: Table) -> Iterator[Illegal]:
    mode, iops = choice.mode, choice.iops
    if mode is None and iops is None:
        return
    if choice.deployment != "PERSISTENT_2":
        yield _illegal(
            f"a metadata configuration with {choice.deployment}; only PERSISTENT_2 has one",
            "leave metadata_mode and metadata_iops out, or write deployment_type: PERSISTENT_2",
        )
    elif mode not in (AUTOMATIC, USER):
        asked = "missing" if mode is None else mode
        yield _illegal(f"metadata_mode {asked}; allowed: {AUTOMATIC}, {USER}", f"write metadata_mode: {USER}")
    elif mode == AUTOMATIC:
        if choice.tiering:
            least = known.metadata.tiering[0]
            yield _illegal(
                f"metadata_mode {AUTOMATIC} with {TIERING}, which is {USER} only",
                f"write metadata_mode: {USER} and metadata_iops: {least}",
            )
        elif iops is not None:
            yield _illegal(
                f"metadata_iops {iops} with mode {AUTOMATIC}", f"leave it out, or write metadata_mode: {USER}"
            )
    else:
        yield from _iops(choice, known)


def _iops(choice: Choice, known: Table) -> Iterator[Illegal]:
    iops, metadata = choice.iops, known.metadata
    if iops is None:
        yield _illegal(f"metadata_mode {USER} without metadata_iops", "write metadata_iops")
        return
    least = 0 if choice.tiering else metadata.automatic(choice.size or 0.0)
    target = metadata.at_least(max(iops, least), storage=choice.storage)
    if not metadata.legal(iops, storage=choice.storage):
        below, above = metadata.around(iops, storage=choice.storage)
        message = f"metadata_iops {iops:,}; legal: {nearest(below, above, 'IOPS')}"
    elif iops < least:
        message = f"metadata_iops {iops:,} with {amount(choice.size or 0.0, 'GiB')}, which asks for {least:,} or more"
    else:
        return
    target = target or metadata.around(iops, storage=choice.storage)[0] or iops
    yield Illegal(
        policy="cloud-class",
        message=f"{NAME}: {message}",
        remedy=f"write metadata_iops: {target}",
        required=target,
        planned=iops,
        unit="IOPS",
    )


def _region(choice: Choice, known: Table) -> Iterator[Illegal]:
    if choice.deployment != "PERSISTENT_2":
        return
    if choice.region in known.without_persistent_2:
        yield _illegal(
            f"PERSISTENT_2 is not offered in {choice.region} (list of 2026; it changes)",
            "write deployment_type: PERSISTENT_1, or take another region",
        )
    slow = choice.storage == SSD and (choice.per_unit or 0) <= 250 and not choice.efa
    if choice.region in known.slow_classes_only and not slow:
        yield _illegal(
            f"{choice.region} has PERSISTENT_2 SSD of 125 and 250 MB/s/TiB without EFA only (list of 2026; it changes)",
            "write per_unit_throughput: 250 and efa: false, or take another region",
        )


def _caches(config: TierConfig, choice: Choice, used: Relied) -> Iterator[Illegal]:
    if (choice.storage == HDD) != (choice.drive_cache is not None):
        word = "is required with" if choice.storage == HDD else "belongs to"
        remedy = "write drive_cache_type: NONE or READ" if choice.storage == HDD else "leave drive_cache_type out"
        yield _illegal(f"drive_cache_type {word} storage_type HDD", remedy)
    elif choice.drive_cache not in (None, "NONE", "READ"):
        yield _illegal(f"drive_cache_type {choice.drive_cache}; allowed: NONE, READ", "write drive_cache_type: NONE")
    cache = choice.read_cache
    if choice.tiering != (cache is not None):
        word = "is required with" if choice.tiering else "belongs to"
        remedy = f"write read_cache: {CACHES[1]}" if choice.tiering else "leave read_cache out"
        yield _illegal(f"read_cache {word} storage_type {TIERING}", remedy)
    elif cache is not None and cache not in CACHES:
        yield from _own_cache(choice, cache, used)
    compression = option(config.options, "compression", str)
    if compression not in (None, *COMPRESSIONS):
        yield _illegal(f"compression {compression}; allowed: {', '.join(COMPRESSIONS)}", "write compression: NONE")


def _own_cache(choice: Choice, cache: str, used: Relied) -> Iterator[Illegal]:
    """A read cache of one's own size."""
    size = option({"size": cache}, "size", Size)
    steps = max(1, (choice.throughput or 0) // int(used["tiering_step"]))
    least, most = used["tiering_cache_least"] * steps, used["tiering_cache_most"] * steps
    if size is None or not least <= size.bytes / 2**30 <= most:
        yield _illegal(
            f"read_cache {cache}; allowed: {', '.join(CACHES)}, or a size from {least:,.0f} to {most:,.0f} GiB",
            f"write read_cache: {CACHES[1]}",
        )


def _version(config: TierConfig, choice: Choice) -> Iterator[Illegal]:
    if choice.version not in VERSIONS:
        yield _illegal(f"version {choice.version}; allowed: {', '.join(VERSIONS)}", 'write version: "2.15"')
    elif choice.deployment == "PERSISTENT_2":
        least = "2.15" if choice.mode is not None else "2.12"
        if VERSIONS.index(choice.version) < VERSIONS.index(least):
            what = "a metadata configuration" if choice.mode is not None else "PERSISTENT_2"
            yield _illegal(f"Lustre {choice.version} with {what}, which needs {least}", f'write version: "{least}"')
    if option(config.options, "import_path", str) is not None and choice.deployment == "PERSISTENT_2":
        yield _illegal(
            "import_path with PERSISTENT_2, which takes data repository associations",
            "leave import_path out; write data_repositories",
        )
    if option(config.options, "kms_key", str) is not None and choice.deployment in SCRATCH:
        yield _illegal(f"kms_key with {choice.deployment}; persistent types only", "leave kms_key out")


def _efa(choice: Choice, need: TierNeed, known: Table, used: Relied) -> Iterator[Illegal]:
    why = efa_wanted(need.clients, used)
    if choice.efa:
        missing = "deployment_type: PERSISTENT_2"
        if choice.deployment == "PERSISTENT_2":
            missing = "" if choice.mode is not None else f"metadata_mode: {USER if choice.tiering else AUTOMATIC}"
        if missing:
            yield _illegal(f"efa without {missing}", f"write {missing}", policy="cloud-efa")
    elif why and choice.region not in known.slow_classes_only:
        yield _illegal(
            f"{why}; efa is off, and it can be set only when the file system is made",
            "write efa: true, or storage_network.transport: tcp",
            policy="cloud-efa",
        )


def _backups(config: TierConfig, choice: Choice, used: Relied) -> Iterator[Illegal]:
    days, most = option(config.options, "backup_days", int) or 0, int(used["most_backup_days"])
    if not 0 <= days <= most:
        yield _illegal(f"backup_days {days}; 0 to {most}", f"write backup_days: {most}", policy="cloud-backup")
    elif days and choice.deployment in SCRATCH:
        yield _illegal(
            f"backup_days {days} with {choice.deployment}, which has no backups",
            "write backup_days: 0, or deployment_type: PERSISTENT_2",
            policy="cloud-backup",
        )
    elif days and (repositories(config) or config.options.get("import_path")):
        yield _illegal(
            f"backup_days {days} on a file system linked to a bucket, which has no backups",
            "write backup_days: 0; what is exported to the bucket is the copy",
            policy="cloud-backup",
        )


def repositories(config: TierConfig) -> tuple[Mapping[str, object], ...]:
    """The data repositories that are readable."""
    found = option(config.options, "data_repositories", tuple) or ()
    return tuple(one for one in found if isinstance(one, Mapping))


def _repositories(config: TierConfig, choice: Choice, used: Relied) -> Iterator[Illegal]:
    listed, most = option(config.options, "data_repositories", tuple) or (), int(used["most_repositories"])
    links, policy = repositories(config), "cloud-repository"
    if listed and choice.deployment == "SCRATCH_1":
        yield _illegal("data_repositories with SCRATCH_1", "write deployment_type: SCRATCH_2", policy=policy)
    if len(listed) > most:
        yield _illegal(f"{len(listed)} data repositories; at most {most}", f"link {most} directories", policy=policy)
    if len(links) < len(listed) or not all(_is_link(link) for link in links):
        yield _illegal(
            "a data repository is a map of path (from / on) and bucket (name, or name/prefix)",
            "write data_repositories: [{path: /data, bucket: my-bucket}]",
            policy=policy,
        )
        return
    paths = [_folded(str(link["path"])) for link in links]
    stores = [_folded(str(link["bucket"])) for link in links if link.get("bucket")]
    for kind, names in (("path", paths), ("bucket", stores)):
        for one, other in combinations(names, 2):
            if one.startswith(other) or other.startswith(one):
                yield _illegal(
                    f"data repositories overlap: {kind} {one} and {other}", f"keep each {kind} apart", policy=policy
                )


def _is_link(link: Mapping[str, object]) -> bool:
    path, bucket = link.get("path"), link.get("bucket")
    known = set(link) <= {"path", "bucket"}
    return known and isinstance(path, str) and path.startswith("/") and (bucket is None or isinstance(bucket, str))


def _folded(path: str) -> str:
    return path.removeprefix("s3://").strip("/").join(("/", "/")).replace("//", "/")


def _growth(choice: Choice, need: TierNeed, known: Table, used: Relied) -> Iterator[Illegal]:
    """A choice of the first day that can never become what the last year asks for."""
    policy, held = "cloud-growth", need.capacity.bytes / max(need.max_fill, 1e-9) / 2**30
    if choice.deployment == "SCRATCH_1" and choice.size is not None and held > choice.size * (1 + 1e-9):
        yield Illegal(
            policy=policy,
            message=f"{NAME}: {amount(choice.size, 'GiB')} of SCRATCH_1 can never grow, and {held:,.0f} GiB are needed",
            remedy="write deployment_type: PERSISTENT_2, whose size grows in place",
            required=held,
            planned=choice.size,
            unit="GiB",
        )
    wanted = iops_for(operations=need.op_rate, operations_per_iops=used["operations_per_iops"])
    ceiling = iops_ceiling(choice, known)
    if ceiling is not None and wanted > ceiling * (1 + 1e-9):
        yield Illegal(
            policy=policy,
            message=f"{NAME}: metadata rate can never pass {ceiling:,.0f} IOPS, and {wanted:,.0f} are needed",
            remedy="pack small files into shards, or spread them over several file systems",
            required=wanted,
            planned=ceiling,
            unit="IOPS",
        )
    unconfigured = used["unconfigured_op_rate"]
    if iops_of(known, choice) is None and need.op_rate.base > unconfigured * (1 + 1e-9):
        yield Illegal(
            policy=policy,
            message=f"{NAME}: no metadata configuration, which can be given only when the file system is made; "
            f"{need.op_rate.show()} are needed and {unconfigured:,.0f} ops/s are planned without one",
            remedy=f"write deployment_type: PERSISTENT_2 and metadata_mode: {USER}",
            required=need.op_rate.base,
            planned=unconfigured,
            unit="ops_per_s",
        )


def iops_ceiling(choice: Choice, known: Table) -> float | None:
    """The metadata rate that a file system can ever reach in place; None without a metadata configuration."""
    if choice.deployment != "PERSISTENT_2" or choice.mode is None:
        return None
    return max(known.metadata.tiering) if choice.tiering else known.metadata.most


def _advice(choice: Choice, known: Table, used: Relied) -> Iterator[Illegal]:
    size, least = choice.size or 0.0, used["least_hdd"]
    if choice.storage == HDD and 0 < size < least:
        yield Illegal(
            policy="advice-cloud",
            message=f"{NAME}: {amount(size, 'GiB')} of HDD; the quota page names {amount(least, 'GiB')} as the least",
            remedy=f'write size: "{least:.0f} GiB" if the service refuses it',
            required=least,
            planned=size,
            unit="GiB",
        )
    row = sized_row(known, choice)
    at = used.quantity(Bandwidth, "efa_recommended")
    fast = row is not None and row.read * Size(size * 2**30) > at
    if fast and choice.deployment == "PERSISTENT_2" and not choice.efa:
        yield Illegal(
            policy="advice-efa",
            message=f"{NAME}: without EFA, which AWS advises above {at.show()}; it can never be switched on later",
            remedy="write efa: true where the GPU nodes have EFA; sizes then come in larger steps",
        )
