"""Units as each tool means them, the lowest of its repetitions, and what speaks against a run."""

from __future__ import annotations

import pytest

from tierplan import measure
from tierplan.errors import InputError

MIB, GIB = 2**20, 2**30


def found(results, name):
    return {(one.label, one.quantity): one for one in measure.read([results / name])}


def test_a_checkpoint_takes_until_it_is_durable(results):
    one = found(results, "elbencho.json")[("checkpoint-write", "write")]
    assert one.value == pytest.approx(134_217_728 / 0.221)
    assert one.value / 1e6 == pytest.approx(607, abs=1)
    assert (one.hosts, one.direct, one.durable) == (128, True, True)
    assert found(results, "elbencho.json")[("restore-read", "read")].value == pytest.approx(1e10)


def test_elbencho_csv_counts_in_mebibytes_and_is_not_flushed(results):
    one = found(results, "elbencho.csv")[("checkpoint-write", "write")]
    assert one.value == pytest.approx(256 * MIB / 0.133)
    assert one.durable is False


def test_fio_counts_bytes_and_tells_its_errors(results):
    runs = found(results, "fio.json")
    assert runs[("local-write", "write")].value == 2_917_776_695
    assert runs[("local-write", "write")].durable is True
    assert runs[("local-read", "read")].against == ("fio ended with error 5",)


def test_ior_takes_the_lowest_repetition(results):
    one = found(results, "ior.json")[("checkpoint-write", "write")]
    assert one.value == pytest.approx(2150.3565 * MIB)
    assert (one.hosts, one.direct, one.durable) == (128, True, True)


def test_mdtest_takes_the_lowest_repetition(results):
    runs = found(results, "mdtest.txt")
    assert runs[("small-create", "ops")].value == 170_085.320
    assert runs[("small-stat", "ops")].value == 1_282_661.774
    assert runs[("small-create", "ops")].hosts == 2


def test_juicefs_tables_are_read_with_and_without_colours(results):
    runs = found(results, "juicefs.txt")
    assert runs[("big-write", "write")].value == pytest.approx(1008.91 * MIB)
    assert runs[("small-stat", "ops")].value == 8109.4
    objects = found(results, "objbench.txt")
    assert objects[("object-put", "write")].value == pytest.approx(2403.59 * MIB)
    assert objects[("object-put-small", "ops")].value == 17_914.01


def test_mlperf_labels_are_binary_and_a_mean_of_nothing_is_nothing(results):
    runs = found(results, "summary.json")
    assert runs[("dataset-read", "read")].value == pytest.approx(46_151.0 * MIB)
    assert runs[("dataset-read", "read")].total_bytes == pytest.approx(2 * 5120 * GIB)
    assert runs[("utilisation", "utilisation")].value == pytest.approx(0.952)
    assert ("checkpoint-write", "write") not in runs


def test_a_folder_is_read_and_what_is_no_result_is_left_alone(results):
    tools = {one.tool.split()[0] for one in measure.read([results])}
    assert tools == {"elbencho", "fio-3.33", "IOR", "mdtest", "juicefs", "MLPerf"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.json", "{", "of no known tool"),
        ("x.json", '{"fio version": "fio-3.33", "jobs": [', "is cut off or no JSON"),
        ("x.json", '{"phase_type":"WRITE","last_done":{"elaps', "is cut off or no JSON"),
        ("x.txt", "SUMMARY rate\nFile creation", "has no row"),
        ("x.txt", "", "of no known tool"),
    ],
)
def test_spoilt_files_are_told_by_name(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        measure.read([tmp_path / name])
    assert name in str(caught.value)


def test_all_spoilt_files_are_told_at_once(tmp_path, results):
    (tmp_path / "a.json").write_text('{"fio version": "x"')
    with pytest.raises(InputError) as caught:
        measure.read([tmp_path / "a.json", tmp_path / "gone.json", results / "fio.json"])
    assert len(caught.value.faults) == 2
