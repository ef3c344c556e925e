"""What CPFS forbids, each with the nearest that it allows; and a resource of anybody's program as a stack's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends._choosing import Relied, option
from tierplan.backends._cpfs import CLASSES, EDITIONS, GENERAL, LINGJUN, NAME, NEXT, Choice
from tierplan.backends._managed import GIB, Bought, Options
from tierplan.backends._managed_capped import Caps, beyond, capacity_ceiling, too_small_for_files
from tierplan.backends._managed_inputs import Reader
from tierplan.backends._managed_rules import amount, class_fault, not_ours, size_faults
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.errors import InputError
from tierplan.units import Bandwidth

TOKENS = ("alicloud:nas/fileSystem:FileSystem",)
REDUNDANCIES = ("LRS", "ZRS")
LEAST_FLOW, FLOW = "data_flow_1", ("data_flow_1", "data_flow_2", "data_flow_3")


def faults(  # noqa: PLR0917  # everything that a configuration is judged by
    config: TierConfig, choice: Choice, bought: Bought, limits: Caps, need: TierNeed, facts: BackendFacts, used: Relied
) -> Iterator[Illegal]:
    """Everything against a configuration."""
    yield from not_ours(config)
    yield from _words(choice, used)
    yield from size_faults(NAME, bought)
    yield from beyond(NAME, bought.grade, limits, need, remedy=_remedy(choice))
    yield from capacity_ceiling(NAME, bought, need, remedy=_remedy(choice))
    yield from too_small_for_files(NAME, bought, limits, need)
    yield from _clients(choice, need, used)
    yield from _place(choice, facts)
    yield from _flows(config, facts)


def _remedy(choice: Choice) -> str:
    if not choice.raised:
        return "ask the service for more, then write quota_raised: true; or spread the data over several file systems"
    return "take another class, or spread the data over several file systems"


def _words(choice: Choice, used: Relied) -> Iterator[Illegal]:
    allowed = CLASSES.get(choice.edition)
    if allowed is None:
        yield class_fault(
            NAME,
            f"file_system_type {choice.edition}; allowed: {', '.join(EDITIONS)}",
            f"write file_system_type: {GENERAL}",
        )
    elif choice.storage == NEXT:
        read, write = used.quantity(Bandwidth, "p400_read"), used.quantity(Bandwidth, "p400_write")
        yield class_fault(
            NAME,
            f"storage_type {NEXT}: no bandwidth by size is published, only {read.show()} read and {write.show()} "
            "written through a VPC by default, so it cannot be planned",
            f"write storage_type: {CLASSES[LINGJUN][0]}",
        )
    elif choice.storage not in allowed:
        yield class_fault(
            NAME,
            f"storage_type {choice.storage or 'missing'}; {choice.edition} has {', '.join(allowed)}",
            f"write storage_type: {allowed[0]}",
        )
    if choice.redundancy not in (None, *REDUNDANCIES):
        words = ", ".join(REDUNDANCIES)
        yield class_fault(NAME, f"redundancy_type {choice.redundancy}; allowed: {words}", "leave redundancy_type out")
    if choice.redundancy == "ZRS" and not choice.protocol_service:
        yield class_fault(
            NAME, "redundancy_type ZRS has no POSIX client; it is reached over NFS", "write protocol_service: true"
        )
    if choice.edition == LINGJUN and choice.protocol_service:
        yield class_fault(NAME, "protocol_service belongs to General-purpose CPFS", "write protocol_service: false")


def _clients(choice: Choice, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    most = int(used["lingjun_clients" if choice.edition == LINGJUN else "general_clients"])
    nodes = need.clients.gpu_nodes
    asked = bool(need.read or need.write or need.capacity)
    if asked and nodes > most:
        yield Illegal(
            policy="cloud-class",
            message=f"{NAME}: {nodes:,} GPU nodes; {choice.edition} is mounted by at most {most:,}",
            remedy="spread the nodes over several file systems",
            required=nodes,
            planned=most,
        )


def _place(choice: Choice, facts: BackendFacts) -> Iterator[Illegal]:
    regions = facts.fact("general_regions").note.partition(";")[0].split()
    if choice.edition == GENERAL and choice.region is not None and choice.region not in regions:
        yield class_fault(
            NAME,
            f"General-purpose CPFS is not offered in {choice.region} (list of 2026; it changes)",
            f"take one of {', '.join(regions)}, or JuiceFS on OSS",
        )


def flows(config: TierConfig) -> tuple[Mapping[str, object], ...]:
    """The data flows with buckets that are readable."""
    found = option(config.options, "data_flows", tuple) or ()
    return tuple(one for one in found if isinstance(one, Mapping))


def flow_rate(flow: Mapping[str, object], facts: BackendFacts) -> int:
    """MB/s of a data flow; the least where it says nothing."""
    rate = flow.get("throughput")
    return rate if isinstance(rate, int) and not isinstance(rate, bool) else int(facts[LEAST_FLOW])


def _flows(config: TierConfig, facts: BackendFacts) -> Iterator[Illegal]:
    """Each directory flows from and to one bucket, at a bandwidth that is sold."""
    listed, found = option(config.options, "data_flows", tuple) or (), flows(config)

    def is_flow(one: Mapping[str, object]) -> bool:
        path, bucket = one.get("path"), one.get("bucket")
        right = isinstance(path, str) and len(path.strip("/")) > 0 and path.startswith("/")
        return right and (bucket is None or isinstance(bucket, str)) and set(one) <= {"path", "bucket", "throughput"}

    if len(found) < len(listed) or not all(is_flow(one) for one in found):
        yield Illegal(
            policy="cloud-repository",
            message=f"{NAME}: a data flow is a map of path (a directory from / on), bucket and throughput",
            remedy="write data_flows: [{path: /data, bucket: my-bucket, throughput: 600}]",
        )
        return
    paths = [str(one["path"]).strip("/") for one in found]
    for path in sorted({one for one in paths if paths.count(one) > 1}):
        yield Illegal(
            policy="cloud-repository", message=f"{NAME}: directory /{path} flows twice", remedy="keep each apart"
        )
    allowed = [int(facts[word]) for word in FLOW]
    for one in found:
        rate = one.get("throughput", allowed[0])
        if rate not in allowed:
            yield Illegal(
                policy="cloud-class",
                message=f"{NAME}: a data flow of {rate} MB/s; allowed: {', '.join(map(str, allowed))}",
                remedy=f"write throughput: {allowed[0]}",
            )


def beyond_quota(choice: Choice, bought: Bought, facts: BackendFacts) -> Iterator[str]:
    """What only a ticket to the service allows, where the stack says that it was granted."""
    usual = facts["lingjun_most"] if choice.edition == LINGJUN else facts["general_most"]
    if bought.size is not None and bought.size > usual:
        yield f"size: {amount(bought.size, bought.unit.name)} of {amount(usual, bought.unit.name)} by default"
    for word in ("read", "write"):
        rate = bought.read if word == "read" else bought.write
        most = Bandwidth(facts[f"{bought.grade.key}_most_{word}"])
        if choice.raised and rate > most:
            yield f"{word} bandwidth: {rate.show()} by size, {most.show()} by default"


def is_ours(inputs: Mapping[str, object]) -> bool:
    """Whether a file system of the provider is CPFS: of other types (standard, extreme, cpfsse) nothing is known."""
    found = inputs.get("fileSystemType")
    return not isinstance(found, str | None) or found == GENERAL


def words_of_inputs(token: str, inputs: Mapping[str, object]) -> Options:
    """
    The options of a resource; what it leaves out is as the service takes it.

    Raises:   InputError with one line for each input that is unknown at preview or of a wrong type
    """
    if token not in TOKENS:
        message = f"{token}: no resource of CPFS; {TOKENS[0]} is"
        raise InputError(message)
    read, words = Reader(inputs=inputs), dict[str, OptionValue]()
    for path, word in (
        ("fileSystemType", "file_system_type"),
        ("storageType", "storage_type"),
        ("redundancyType", "redundancy_type"),
    ):
        if (text := read.text(path)) is not None:
            words[word] = text
    size = read.number("capacity")
    if size is not None:
        words["size"] = GIB.text(size)
    # NFS mount targets are resources of their own, which a file system cannot be judged by
    words["protocol_service"] = words.get("redundancy_type") == "ZRS"
    read.end()
    return words
