"""The life cycle of a plan: rules, hand-overs against the loads that carry them, retention, notes."""

from __future__ import annotations

import pytest

from tierplan.plan.document import plan_document, plan_schema
from tierplan.units import Duration, Size

DAY = 86400.0


def test_without_a_life_cycle_there_is_none(planned) -> None:
    assert planned("demo")[0].lifecycle is None


def test_a_bucket_of_a_cloud_has_its_least_rules_all_the_same(planned) -> None:
    made = planned("aws-fsx")[0].lifecycle
    assert [rule.id for rule in made.rules] == ["abort-incomplete-uploads", "drop-old-versions"]
    assert made.hot == "fsx-lustre"


def test_the_rules_of_the_shipped_stack(planned) -> None:
    made = planned("lifecycle")[0].lifecycle
    checkpoints, data, uploads = made.rules
    assert [(one.after_days, one.storage_class) for one in checkpoints.transitions] == [(90, "COLD")]
    assert (checkpoints.prefix, checkpoints.delete_after_days) == ("checkpoints/", 100)
    assert (data.prefix, data.delete_after_days) == ("data/", None)
    assert uploads.abort_uploads_after_days == 7


def test_data_is_never_deleted_by_age(planned) -> None:
    """Raw data cannot be fetched again: whatever the stack says, only archived checkpoints go."""
    made = planned("lifecycle")[0].lifecycle
    assert [rule.prefix for rule in made.rules if rule.delete_after_days is not None] == ["checkpoints/"]


def test_hand_overs_are_the_loads_that_are_carried(planned) -> None:
    """Each once: what a day moves is the continuous write of the cold tier, and nothing is counted twice."""
    plan = planned("lifecycle")[0]
    between = [one for one in plan.lifecycle.hand_overs if not one.id.startswith("lifecycle.STANDARD")]
    writes = [load for load in plan.requirement.loads if load.tier == "cold" and load.id != "lifecycle.inside"]
    assert [one.id for one in between] == [load.id for load in writes]
    assert len({one.id for one in between}) == len(between)
    for one, load in zip(between, writes, strict=True):
        assert one.daily.bytes == pytest.approx(load.write.bytes_per_s * DAY)
        assert one.counted


def test_the_figures_of_a_day_by_hand(planned) -> None:
    """980 GB a day archived; 980 GB a week kept weekly; 40 % a year of 50 TB of home and of 2.5 PB of data."""
    daily = {one.id: one.daily.bytes for one in planned("lifecycle")[0].lifecycle.hand_overs}
    assert daily["pretrain-70b.archive"] == pytest.approx(980e9)
    assert daily["lifecycle.pretrain-70b.weekly"] == pytest.approx(980e9 / 7)
    assert daily["lifecycle.home"] == pytest.approx(50e12 * 0.4 / 365)
    assert daily["lifecycle.ingest"] == pytest.approx(2.5e15 * 0.4 / 365)
    arriving = sum(daily[name] for name in daily if name != "lifecycle.STANDARD-COLD")
    assert daily["lifecycle.STANDARD-COLD"] == pytest.approx(arriving)


def test_the_cold_tier_is_sized_for_what_it_takes_in(planned) -> None:
    """Writes: archive, aged, ingested, and once more from class to class; reads: from class to class."""
    plan = planned("lifecycle")[0]
    need = plan.requirement.needs["cold"]
    arriving = (980e9 + 980e9 / 7 + 50e12 * 0.4 / 365 + 2.5e15 * 0.4 / 365) / DAY
    assert need.read.bytes_per_s == pytest.approx(1.3 * arriving)
    assert need.write.bytes_per_s == pytest.approx(1.3 * 2 * arriving)


def test_too_much_to_take_in_is_refused_by_cold_ingest(planned) -> None:
    """Growth that the disks of a pinned cold tier cannot carry."""

    def spoil(document) -> None:
        document["tiers"]["cold"] |= {"nodes": 16}
        document["capacity"] |= {"raw_data": "1000 PB", "growth_per_year": 2.0}

    found = planned("lifecycle", spoil)[1]
    assert {"cold-ingest", "cold-capacity"} <= {finding.policy for finding in found if finding.level == "mandatory"}


def test_cold_stores_what_is_handed_over(planned) -> None:
    """Home may all grow old; of eight weekly checkpoints four are older than 30 days, of four jobs."""
    with_it = planned("lifecycle")[0].requirement
    without = planned("lifecycle", lambda document: document["tiers"].pop("lifecycle"))[0].requirement
    more = with_it.needs["cold"].capacity.bytes - without.needs["cold"].capacity.bytes
    assert more == pytest.approx(50e12 * 1.4 + 4 * 4 * 980e9)
    assert with_it.needs["hot"].capacity == without.needs["hot"].capacity


def test_retention_is_that_of_the_job(planned) -> None:
    (job,) = planned("lifecycle")[0].lifecycle.retention
    assert (job.last, job.best, job.weekly) == (5, 1, 8)
    assert job.kept_bytes == Size(4 * 15 * 980e9)  # four jobs, and the one being written
    assert job.deleted_daily.bytes == pytest.approx(48 * 980e9)  # one job runs; as much goes as comes


def test_an_archive_that_grows_beyond_its_space_is_told(planned) -> None:
    def grow(document) -> None:
        document["capacity"]["archived_checkpoints"] = 10

    notes = planned("lifecycle", grow)[0].lifecycle.notes
    assert any("keeps 100 archived checkpoints" in note and "space for 10" in note for note in notes)


def test_hours_are_rounded_up_and_told(planned) -> None:
    made = planned("lifecycle", lambda d: d["tiers"]["lifecycle"].update(cold_after="2161 h"))[0].lifecycle
    assert made.rules[0].transitions[0].after_days == 91
    assert any("rounded up" in note for note in made.notes)
    assert made.cold_after == Duration(2161 * 3600.0)


def test_a_class_that_is_left_early_is_told(planned) -> None:
    """GLACIER_IR bills 90 days; leaving after ten costs the other eighty."""

    def spoil(document) -> None:
        document["tiers"]["lifecycle"] = {"cold_after": "90 d", "delete_after": "100 d"}
        document["tiers"]["cold"]["options"] = {}

    notes = planned("lifecycle-refused", spoil)[0].lifecycle.notes
    assert any("GLACIER_IR is billed for 90 days" in note and "after 10" in note for note in notes)


@pytest.mark.parametrize("name", ["lifecycle", "aws-fsx", "demo"])
def test_the_plan_document_obeys_its_schema(name: str, planned) -> None:
    import jsonschema  # noqa: PLC0415

    plan, findings = planned(name)
    document = plan_document(plan, findings)
    jsonschema.validate(document, plan_schema())
    assert (document["lifecycle"] is None) is (name == "demo")


def test_judging_the_settled_stack_gives_the_same_life_cycle(planned) -> None:
    from tierplan import plan as planning  # noqa: PLC0415
    from tierplan.load import catalogue  # noqa: PLC0415

    for name in ("lifecycle", "aws-fsx"):
        first = planned(name)[0]
        assert planning.evaluate(first.stack, catalogue()).lifecycle == first.lifecycle


@pytest.mark.parametrize("name", ["lifecycle", "aws-fsx"])
def test_a_settled_stack_can_be_written_and_read_back(name: str, planned, tmp_path) -> None:
    """A service has no nodes, drives or layout: none may be written as zero, which no stack may pin."""
    from tierplan.load import read_stack, stack_text  # noqa: PLC0415

    settled = planned(name)[0].stack
    file = tmp_path / f"Pulumi.{name}.yaml"
    file.write_text(stack_text(settled))
    assert read_stack(str(file)).tiers == settled.tiers


def test_what_a_product_has_to_move_data_with_says_where_that_is_known_from() -> None:
    from tierplan import backends  # noqa: PLC0415
    from tierplan.backends import module_name  # noqa: PLC0415
    from tierplan.domain.stack import Drive, StorageNode  # noqa: PLC0415
    from tierplan.domain.tiers import Layout, TierConfig  # noqa: PLC0415
    from tierplan.load import catalogue  # noqa: PLC0415
    from tierplan.units import Bandwidth  # noqa: PLC0415

    nothing = Bandwidth.zero()
    drive = Drive(size=Size(1.0), read=nothing, write=nothing)
    node = StorageNode(drives=1, drive=drive, ports=1, port_rate=nothing, cores=1, memory=Size(1.0))
    moving = set()
    for backend in catalogue().known():
        if "hot" not in catalogue().backend(backend).fills:
            continue
        config = TierConfig(tier="hot", backend=backend, nodes=1, node=node, layout=Layout(kind="none"))
        found = backends.downward(config)
        if found is not None:
            moving.add(backend)
            assert found.mechanism, module_name(backend)
            assert len(found.source) > 20, module_name(backend)
    managed = {"fsx-lustre", "azure-lustre", "google-lustre", "oci-lustre", "cpfs"}
    assert moving == {"weka", "storage-scale", "lustre", "juicefs"} | managed


def test_a_restore_out_of_an_archive_waits_for_it_first(planned) -> None:
    """GLACIER answers within 5 h; the transfer comes on top."""
    archived, at_once = planned("lifecycle-refused")[0].outcome, planned("aws-fsx")[0].outcome
    transfer = at_once["pretrain-70b.restore.cold_duration_s"].number
    assert archived["pretrain-70b.restore.cold_transfer_s"].number == pytest.approx(transfer)
    assert archived["pretrain-70b.restore.cold_duration_s"].number == pytest.approx(5 * 3600 + transfer)
    assert "pretrain-70b.restore.cold_transfer_s" not in at_once


@pytest.mark.parametrize(("within", "policies"), [("6 h", set()), ("4 h", {"lifecycle-order", "cold-restore-time"})])
def test_the_time_from_the_archive_counts_where_it_is_stated(within: str, policies, refused_by) -> None:
    def spoil(document) -> None:
        document["workloads"][0]["restore"]["cold_within"] = within

    assert refused_by("lifecycle-refused", spoil) == policies
