"""FSx for Lustre: AWS's managed Lustre; the smallest legal size of the cheapest class that does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import (
    NO_NODE,
    OptionKind,
    Relied,
    option,
    option_faults,
    pinned_layout,
    pinned_node,
)
from tierplan.backends._fsx import (
    Choice,
    choice_of,
    counts,
    iops_of,
    price_of,
    rates,
    servers,
    sized_row,
    sizes_of,
    space,
)
from tierplan.backends._fsx_choices import alternatives, settled
from tierplan.backends._fsx_inputs import TOKEN, words_of_inputs
from tierplan.backends._fsx_rules import amount, faults, iops_ceiling, repositories
from tierplan.backends._fsx_table import HDD, SCRATCH, Table, table
from tierplan.backends._sizing import losses
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Degraded, Delivered, Factor, Layout, Rates, TierConfig, TierPlan
from tierplan.units import Size

OPTIONS: Mapping[str, OptionKind] = {
    "deployment_type": str,
    "storage_type": str,
    "size": Size,
    "per_unit_throughput": int,
    "throughput_capacity": int,
    "metadata_mode": str,
    "metadata_iops": int,
    "efa": bool,
    "drive_cache_type": str,
    "read_cache": str,
    "compression": str,
    "backup_days": int,
    "data_repositories": tuple,
    "kms_key": str,
    "region": str,
    "version": str,
    "import_path": str,
}
TOKENS = (TOKEN,)
FIXED = (
    "deployment type and storage type",
    "subnet, zone and security groups",
    "encryption key",
    "EFA and whether there is a metadata configuration",
)
REPLACES = (
    "deployment_type",
    "storage_type",
    "subnet",
    "security_groups",
    "kms_key",
    "efa",
    "drive_cache_type",
    "import_path",
    "a smaller size",
)
MANAGED = (
    "fsx-lustre a failed file server is replaced by the service within minutes, and what lies on it waits that long "
    "(assumed: no rate of such a state is published)"
)


def from_inputs(token: str, inputs: Mapping[str, object]) -> TierConfig:
    """
    A resource of anybody's program as a configuration, to be judged by the same `deliver`.

    Raises:   InputError if an input is unknown at preview or of a wrong type
    """
    words = words_of_inputs(token, inputs)
    return TierConfig(
        tier="hot", backend="fsx-lustre", nodes=1, node=NO_NODE, layout=Layout(kind="none"), options=words
    )


def cloud_size(known: Table, choice: Choice, used: Relied) -> CloudSize:
    """What the service is asked for, and what of it can ever change."""
    sizes, value = sizes_of(known, choice), float((choice.throughput if choice.tiering else choice.size) or 0.0)
    row = sized_row(known, choice)
    return CloudSize(
        service="FSx for Lustre",
        unit="MB/s" if choice.tiering else "GiB",
        size=value,
        class_name=f"{choice.deployment} {choice.storage}" if row is None or choice.tiering else row.title,
        legal=sizes is not None and sizes.legal(value),
        next_legal=None if sizes is None else sizes.above(value),
        previous_legal=None if sizes is None else sizes.below(value),
        growth_ceiling=_ceiling(known, choice),
        changes_in_place=tuple(_in_place(choice)),
        replaces_on_change=REPLACES,
        beyond_quota=tuple(beyond_quota(choice, used)),
    )


def _ceiling(known: Table, choice: Choice) -> float | None:
    if choice.deployment == "SCRATCH_1":
        return choice.size
    return float(known.tiering.largest) if choice.tiering else None


def _in_place(choice: Choice) -> Iterator[str]:
    if choice.tiering:
        yield "throughput_capacity, upwards"
    elif choice.deployment != "SCRATCH_1":
        yield "size, upwards, the next time after six hours"
    if choice.per_unit is not None and choice.storage != HDD and not choice.efa:
        yield "per_unit_throughput, up and down"
    if choice.mode is not None:
        yield "metadata_iops, upwards"
    yield "compression, backups, maintenance window, tags"


def beyond_quota(choice: Choice, used: Relied) -> Iterator[str]:
    """Default quotas of the account that this file system alone exceeds."""
    asked = [
        (choice.throughput, used["quota_tiering"], "MB/s", "Intelligent-Tiering throughput", choice.tiering),
        (choice.size, used["quota_hdd"], "GiB", "HDD size", choice.storage == HDD),
        (
            choice.size,
            used["quota_storage"],
            "GiB",
            f"{'scratch' if choice.deployment in SCRATCH else choice.deployment} storage",
            choice.storage != HDD and not choice.tiering,
        ),
        (_cache_gib(choice), used["quota_tiering_cache"], "GiB", "Intelligent-Tiering read cache", choice.tiering),
    ]
    for value, quota, unit, what, holds in asked:
        if holds and value is not None and value > quota:
            yield f"{what}: {amount(value, unit)} of {amount(quota, unit)} by default in one account and region"


def _cache_gib(choice: Choice) -> float | None:
    size = option({"size": choice.read_cache or ""}, "size", Size)
    return None if size is None else size.bytes / 2**30


def bill(known: Table, choice: Choice) -> Iterator[BillItem]:
    """What a month of the file system is paid for, by the names under which a price list may know it."""
    if choice.tiering:
        yield BillItem(items=("fsx-lustre.throughput",), quantity=float(choice.throughput or 0), per="MBps-month")
        return
    row = known.row(choice.deployment, choice.storage, choice.per_unit)
    if row is None:
        return
    size = max(0.0, choice.size or 0.0)
    words = (row.deployment, row.storage if row.storage == HDD else None, row.per_unit)
    name = "-".join(str(word) for word in words if word is not None)
    yield BillItem(items=(f"fsx-lustre.{name}",), quantity=size, per="GB-month")
    extra = max(0, (iops_of(known, choice) or 0) - known.metadata.automatic(size))
    yield BillItem(items=("fsx-lustre.metadata-iops",), quantity=float(extra), per="IOPS-month")


def addresses(known: Table, choice: Choice, used: Relied) -> int:
    """Addresses that the file system takes of its subnet: one for each file server and each metadata server."""
    return servers(known, choice) + max(1, math.ceil((iops_of(known, choice) or 0) / used["metadata_server"]))


def notes(known: Table, choice: Choice, config: TierConfig, need: TierNeed, used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures: why this class, what to ask AWS for, what to prepare."""
    yield from _class_reason(known, choice, config, need, used)
    yield from (f"default quota exceeded, ask for more first: {line}" for line in beyond_quota(choice, used))
    yield f"takes {addresses(known, choice, used)} free addresses of the subnet, which is in one zone with the clients"
    if choice.efa:
        yield (
            "EFA: clients of Nitro v4 or later (not trn2) in the same zone and /16, Amazon Linux 2023, RHEL 9.5 or "
            "Ubuntu 22.04 with kernel 6.8; GPUDirect Storage on P5, P5e, P5en and P6-B200 only"
        )
    if choice.deployment in SCRATCH:
        yield "scratch is not replicated: a lost server loses its files; nothing irreplaceable belongs there"
    if choice.tiering:
        yield (
            f"holds at most {space(choice, used).show('TiB', 4)}; first byte from the tiered store after tens of ms; "
            "stored data and requests are billed beside the throughput"
        )
    if choice.drive_cache == "READ":
        cached = (choice.size or 0.0) * used["read_cache_fraction"]
        yield f"a read cache of {amount(cached, 'GiB')} SSD lies in front of the disks; no rate is counted on it"
    if repositories(config):
        yield "associations with buckets are made one after another; the first import loads names, not data"


def _class_reason(known: Table, choice: Choice, config: TierConfig, need: TierNeed, used: Relied) -> Iterator[str]:
    price = price_of(known, choice, used)
    if price is None or not known.rows_of(choice.deployment, choice.storage):
        return
    others = [
        f"{other.choice.per_unit}: {amount(other.choice.size or 0.0, 'GiB')}, {other.price:,.0f} USD"
        for other in alternatives(config.options, need, known, used)
        if other.price is not None
    ]
    yield (
        f"{cloud_words(known, choice)} costs {price:,.0f} USD a month by list price of us-east-1 (unverified)"
        + (f"; other classes for the same need: {'; '.join(others)}" if others else "")
    )


def cloud_words(known: Table, choice: Choice) -> str:
    """Class and size in words."""
    row = known.row(choice.deployment, choice.storage, choice.per_unit)
    title = row.title if row is not None else f"{choice.deployment} {choice.storage}"
    size = amount(choice.throughput or 0, "MB/s") if choice.tiering else amount(choice.size or 0.0, "GiB")
    return f"{title}{' with EFA' if choice.efa else ''}, {size},"


def degraded(choice: Choice, given: Rates, need: TierNeed, *, file_servers: int) -> Iterator[Degraded]:
    """What is left with servers lost: the service replaces them; scratch has lost what lay on them."""
    scratch = choice.deployment in SCRATCH
    for loss in losses(need.survive, racks=1):
        gone = min(loss.nodes + loss.racks, file_servers)
        left = (file_servers - gone) / file_servers if scratch else 1.0
        yield Degraded(
            nodes=loss.nodes,
            racks=loss.racks,
            read=given.read * left,
            write=given.write * left,
            data_lost=scratch and gone > 0,
        )


class FsxLustre:
    """The FSx for Lustre backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The cheapest class that does, at its smallest legal size; what is pinned stays as it is."""
        options = settled(pins.options, need, site, table(facts), Relied(facts))
        yield TierConfig(
            tier=need.tier,
            backend="fsx-lustre",
            nodes=1 if pins.nodes is None else pins.nodes,
            node=NO_NODE if pins.node is None else pinned_node(NO_NODE, pins.node),
            layout=pinned_layout(Layout(kind="none"), pins),
            quote=pins.quote,
            options=options,
        )

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this file system gives, and what the service says against it."""
        used, known, choice = Relied(facts), table(facts), choice_of(config.options)
        given = rates(known, choice, need, used)
        share = used["usable_fraction"]
        raw, file_servers = space(choice, used), servers(known, choice)
        illegal = (*option_faults(config, OPTIONS), *faults(config, choice, need, known, used))
        ceiling = iops_ceiling(choice, known)
        return Delivered(
            counts=counts(known, choice, need, used),
            raw=raw,
            usable=raw * share,
            planned_fill_fraction=need.max_fill,
            waterfall=(Factor(name="usable of the size sold", fraction=share, basis="assumed"),),
            healthy=given,
            degraded=tuple(degraded(choice, given, need, file_servers=file_servers)),
            illegal=illegal,
            cannot_change_later=(*FIXED, *(("throughput class: fixed with EFA",) if choice.efa else ())),
            assumptions=(*used.lines(config.node), MANAGED),
            notes=tuple(notes(known, choice, config, need, used)),
            parts={
                "file_servers": file_servers,
                "metadata_iops": float(max(0, iops_of(known, choice) or 0)),
                "metadata_iops_ceiling": float(ceiling or 0),
                "subnet_addresses": addresses(known, choice, used),
            },
            cloud=cloud_size(known, choice, used),
            bill=tuple(bill(known, choice)),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What mounting, tuning and volumes of the file system need.

        file system: deployment_type, storage_type, size_gib, per_unit_throughput, throughput_mb_per_s, region
        client:      efa, gpudirect, client_threads, file_servers, mount_point, volume, repositories
        """
        choice, parts = choice_of(plan.config.options), plan.delivered.parts
        return {
            "deployment_type": choice.deployment,
            "storage_type": choice.storage,
            "size_gib": math.floor(plan.delivered.usable.bytes / 2**30),
            "bought": f"{plan.delivered.cloud.size:,.10g} {plan.delivered.cloud.unit}" if plan.delivered.cloud else "",
            "per_unit_throughput": choice.per_unit or 0,
            "throughput_mb_per_s": choice.throughput or 0,
            "region": choice.region or "",
            "efa": choice.efa,
            "gpudirect": False,  # asks for instances of which the plan knows nothing
            "client_threads": plan.need.clients.cpu_cores * 2,
            "file_servers": int(parts["file_servers"]),
            "metadata_iops": int(parts["metadata_iops"]),
            "subnet_addresses": int(parts["subnet_addresses"]),
            "scratch": choice.deployment in SCRATCH,
            "mount_point": "/mnt/hot",
            "volume": "hot",
            "repositories": [
                {"path": str(one.get("path")), "bucket": str(one.get("bucket") or "")}
                for one in repositories(plan.config)
            ],
        }


def downward(config: TierConfig) -> Downward:
    """Release tasks: the space of files that the linked bucket has, and that nobody uses, is freed."""
    return Downward(
        mechanism="release task of the linked data repository",
        by_itself=False,
        transparent=True,
        missing="" if repositories(config) else "fsx-lustre is linked to no bucket, so it hands nothing over",
        remedy="write tiers.hot.options.data_repositories",
        source="botocore service model fsx/2018-03-01, CreateDataRepositoryTask: RELEASE_DATA_FROM_FILESYSTEM",
    )


def needed_ids(config: TierConfig) -> tuple[str, ...]:  # noqa: ARG001  # the same for every configuration
    """Keys of `site.network` of what must exist before the file system is made."""
    return ("subnet", "client_security_group")


def second_copy(config: TierConfig) -> tuple[bool, str]:
    """Whether what lies here lies elsewhere too, and how it gets there."""
    copied = bool(config.options.get("backup_days") or config.options.get("data_repositories"))
    return copied, "write backup_days (up to 90), or data_repositories with a bucket"


BACKEND: Backend = FsxLustre()
