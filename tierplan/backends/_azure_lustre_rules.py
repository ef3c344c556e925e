"""What Azure Managed Lustre forbids, each with what it allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tierplan.backends._azure_lustre import DAYS, LISTED, NAME, PREFIX, UNLISTED, WINDOW, Choice
from tierplan.backends._choosing import Relied, option
from tierplan.backends._managed import Bought
from tierplan.backends._managed_rules import amount, class_fault, growth_fault, not_ours, size_faults
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig

CONTAINER = re.compile(
    r"/subscriptions/[^/]+/resourceGroups/[^/]+/providers/Microsoft\.Storage/storageAccounts/([a-z0-9]{3,24})"
    r"/blobServices/default/containers/([a-z0-9-]{3,63})"
)
"""Resource id of a container: account, name."""


def faults(config: TierConfig, choice: Choice, bought: Bought, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """Everything against a configuration."""
    yield from not_ours(config)
    yield from _sku(choice)
    yield from size_faults(NAME, bought)
    yield from _zone(choice)
    yield from _window(config)
    yield from _blob(config, choice)
    yield from _key(config)
    yield from _growth(choice, bought, need)
    yield from _measured(bought, need, used)


def _sku(choice: Choice) -> Iterator[Illegal]:
    listed, others = [f"{PREFIX}{one}" for one in LISTED], [f"{PREFIX}{one}" for one in UNLISTED]
    if choice.sku in others:
        if not choice.unlisted:
            yield class_fault(
                NAME,
                f"sku {choice.sku} is in no published list, it is named by Microsoft's benchmarks alone",
                f"write unlisted_sku: true if your subscription has it, or sku: {listed[0]}",
            )
    elif choice.sku not in listed:
        yield class_fault(
            NAME, f"sku {choice.sku or 'missing'}; allowed: {', '.join(listed)}", f"write sku: {listed[1]}"
        )


def _zone(choice: Choice) -> Iterator[Illegal]:
    if len(choice.zones) != 1:
        named = ", ".join(map(str, choice.zones)) or "none"
        yield class_fault(NAME, f"zones {named}; a file system is in exactly one", 'write zones: ["1"]')
    elif not isinstance(choice.zones[0], str):
        zone = choice.zones[0]
        yield class_fault(NAME, f"zone {zone} is a number; the service takes text", f'write zones: ["{zone}"]')


def _window(config: TierConfig) -> Iterator[Illegal]:
    day = option(config.options, "maintenance_window.day", str)
    time = option(config.options, "maintenance_window.time", str) or ""
    if day not in DAYS or not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", time):
        asked = f"{day} {time}".strip() if day else "missing"
        yield class_fault(
            NAME,
            f"maintenance_window {asked}; the service asks for a day of the week and a time of UTC",
            f'write maintenance_window: {{day: {WINDOW["day"]}, time: "{WINDOW["time"]}"}}',
        )


def _blob(config: TierConfig, choice: Choice) -> Iterator[Illegal]:
    """Data and logging container: both or none, of one account, not the same."""
    if choice.container is None and choice.logging is None:
        if option(config.options, "import_prefix", str) is not None:
            yield _link("import_prefix without blob_container", "write blob_container and logging_container")
        return
    if choice.container is None or choice.logging is None:
        missing = "blob_container" if choice.container is None else "logging_container"
        yield _link(f"{missing} is missing: the link to Blob Storage takes both", f"write {missing}")
        return
    found = [CONTAINER.fullmatch(one) for one in (choice.container, choice.logging)]
    for name, match, value in zip(
        ("blob_container", "logging_container"), found, (choice.container, choice.logging), strict=True
    ):
        if match is None:
            yield _link(
                f"{name} {value} is no resource id of a container",
                "write /subscriptions/…/storageAccounts/<account>/blobServices/default/containers/<name>",
            )
    data, logs = found
    if data is None or logs is None:
        return
    if data.group(1) != logs.group(1):
        yield _link(
            f"blob_container is of account {data.group(1)} and logging_container of {logs.group(1)}; "
            "one account holds both",
            "name two containers of one account",
        )
    elif data.group(2) == logs.group(2):
        yield _link(f"blob_container and logging_container are both {data.group(2)}", "name two different containers")


def _link(message: str, remedy: str) -> Illegal:
    return Illegal(policy="cloud-repository", message=f"{NAME}: {message}", remedy=remedy)


def _key(config: TierConfig) -> Iterator[Illegal]:
    words = ("encryption_key", "encryption_vault", "identity")
    named = [word for word in words if option(config.options, word, str) is not None]
    missing = [word for word in words if word not in named]
    if missing and named not in ([], ["identity"]):
        yield class_fault(
            NAME,
            f"{' and '.join(named)} without {' and '.join(missing)}; a key of one's own takes all three",
            f"write {', '.join(missing)}",
        )


def _growth(choice: Choice, bought: Bought, need: TierNeed) -> Iterator[Illegal]:
    if choice.size is None:
        return
    yield from growth_fault(
        NAME,
        bought,
        need,
        ceiling=choice.size,
        why="can never grow: every change of size or class makes a new file system",
        remedy="leave size out, or write what the last year asks for",
    )


def _measured(bought: Bought, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """Microsoft's own checkpoint benchmarks did not all reach the nominal bandwidth: who needs all of it is told."""
    for word, asked, nominal, name in (
        ("written", need.write, bought.write, "measured_write_fraction"),
        ("read", need.read, bought.read, "measured_read_fraction"),
    ):
        share, high = used[name], used.high(name)
        if nominal and share * nominal.base < asked.base <= nominal.base:
            yield Illegal(
                policy="advice-cloud",
                message=f"{NAME}: {asked.show()} {word} are {asked / nominal:.0%} of the nominal {nominal.show()}; "
                f"published checkpoint benchmarks reached {share:.0%} to {high:.0%} of it",
                remedy="measure with tierplan bench before you rely on it, or raise targets.headroom",
                required=asked.base,
                planned=nominal.base * share,
                unit="bytes_per_s",
            )


def beyond_quota(choice: Choice, bought: Bought, used: Relied) -> Iterator[str]:
    """What one subscription does not give by default."""
    size, key = choice.size or 0.0, bought.grade.key
    listed = key.removeprefix("premium_") in map(str, LISTED)
    most = used[f"{key}_default_most"] if listed else None
    ticket = used["most_by_ticket"]
    if most is not None and size > most:
        yield (
            f"size: {amount(size, 'TiB')} of {amount(most, 'TiB')} by default; up to {amount(ticket, 'TiB')} by "
            "support ticket"
        )
    switch = used["feature_above"]
    if size > switch:
        yield f"size: above {amount(switch, 'TiB')} the subscription needs a feature switched on"
