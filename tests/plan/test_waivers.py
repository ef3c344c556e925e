"""Waivers: which hold on a given day, which are refused, and that what is waived is still shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import pytest

from tierplan.domain.plan import Finding
from tierplan.errors import InputError
from tierplan.plan.waivers import Waiver, read_waivers, settle, severities

DAY = date(2027, 1, 31)
ROW = {"rule": "hot-capacity", "stack": "demo", "reason": "drives in May", "owner": "ops", "until": "2027-01-31"}


def waiver(**changes: str) -> Waiver:
    (found,) = read_waivers({"stack-waivers": {"waivers": [{**ROW, **changes}]}})
    return found


def finding(policy: str) -> Finding:
    return Finding(policy=policy, level="mandatory", message=f"{policy} is missed")


def test_a_waiver_holds_on_its_last_day_and_not_on_the_next() -> None:
    found = settle([finding("hot-capacity")], [waiver()], stack="demo", today=DAY)
    assert found.findings == ()
    assert [(one.finding.policy, one.waiver) for one in found.waived] == [("hot-capacity", waiver())]
    late = settle([finding("hot-capacity")], [waiver()], stack="demo", today=DAY + timedelta(days=1))
    assert [one.policy for one in late.findings] == ["stack-waivers", "hot-capacity"]
    assert late.findings[0].message == "the waiver of hot-capacity for demo by ops is refused: it ended on 2027-01-31"
    assert late.findings[0].level == "mandatory"
    assert late.waived == ()


@pytest.mark.parametrize("rule", sorted(name for name, severity in severities().items() if severity == "critical"))
def test_what_guards_against_the_loss_of_data_is_never_waived(rule: str) -> None:
    found = settle([finding(rule)], [waiver(rule=rule)], stack="demo", today=DAY)
    assert [one.policy for one in found.findings] == ["stack-waivers", rule]
    assert "is never waived" in found.findings[0].message


def test_the_rules_of_data_loss_are_critical() -> None:
    """Else their findings could be waived."""
    lossy = {"survive-nodes", "survive-racks", "local-refetchable", "hot-layout", "cold-layout", "stack-tiers"}
    assert {name for name in lossy if severities()[name] == "critical"} == lossy


def test_an_unknown_rule_is_told() -> None:
    found = settle([], [waiver(rule="hot-capacities")], stack="demo", today=DAY)
    assert "there is no rule hot-capacities" in found.findings[0].message


def test_a_waiver_of_another_stack_does_nothing() -> None:
    found = settle([finding("hot-capacity")], [waiver(stack="other")], stack="demo", today=DAY)
    assert [one.policy for one in found.findings] == ["hot-capacity"]
    assert found.unused == ()


def test_a_waiver_covers_its_own_rule_only_and_all_of_its_findings() -> None:
    findings = [finding("hot-capacity"), finding("cold-capacity"), finding("hot-capacity")]
    found = settle(findings, [waiver()], stack="demo", today=DAY)
    assert [one.policy for one in found.findings] == ["cold-capacity"]
    assert len(found.waived) == 2


def test_a_waiver_that_waives_nothing_is_shown() -> None:
    assert settle([], [waiver()], stack="demo", today=DAY).unused == (waiver(),)


def test_no_configuration_of_waivers_is_none() -> None:
    assert read_waivers({}) == ()
    assert read_waivers({"all": "mandatory", "stack-waivers": "mandatory"}) == ()


@pytest.mark.parametrize(
    ("rows", "faults"),
    [
        ({**ROW, "until": "soon"}, ["stack-waivers.waivers[0].until: 'soon' is no day"]),
        ({**ROW, "until": "2027-02-30"}, ["stack-waivers.waivers[0].until: '2027-02-30' is no day"]),
        ({**ROW, "owner": " "}, ["stack-waivers.waivers[0].owner: ' ' is no text"]),
        ({**ROW, "who": "me"}, ["stack-waivers.waivers[0].who: unknown key; allowed: rule, stack, reason"]),
        ({"rule": "x"}, [f"stack-waivers.waivers[0].{key}: missing" for key in ("stack", "reason", "owner", "until")]),
        ("hot-capacity", ["stack-waivers.waivers[0]: 'hot-capacity' is no map"]),
    ],
)
def test_each_fault_of_a_waiver_is_one_line(rows: Mapping[str, str], faults: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        read_waivers({"stack-waivers": {"waivers": [rows]}})
    assert len(caught.value.faults) == len(faults)
    assert all(line.startswith(fault) for line, fault in zip(caught.value.faults, faults, strict=True))


@pytest.mark.parametrize("document", [[], {"stack-waivers": []}, {"stack-waivers": {"waivers": "all"}}])
def test_a_configuration_of_another_form_is_refused(document: object) -> None:
    with pytest.raises(InputError, match="stack-waivers"):
        read_waivers(document)
