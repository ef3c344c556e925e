"""The catalogue: every figure has a source, every file its form, every row what the published sources say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from tierplan.errors import CatalogueError
from tierplan.load import FileCatalogue, catalogue, stack_schema
from tierplan.load.document import read_document
from tierplan.load.facts import TABLES, quantity
from tierplan.load.words import quantity_fault
from tierplan.units import bandwidth, bandwidth_density, op_rate, size

PACKAGE = Path(__file__).resolve().parent.parent.parent / "tierplan"
BACKENDS = sorted(path.stem for path in (PACKAGE / "catalogue" / "backends").glob("*.yaml"))
BACKEND = """\
id: one
name: One
fills: [hot, cold]
summary: a product
suits: {gpus: [1, null], columns: {}}
nodes:
  small:
    drives: 4
    drive: {size: "1 TB", read: "2 GB/s", write: "1 GB/s"}
    ports: 1
    port_rate: "100 Gbit/s"
    cores: 8
    memory: "64 GiB"
    medium: ssd
    basis: assumed
    source: nobody knows
    checked: 2026-11-29
figures:
  share: {value: 0.1, basis: vendor, source: "title, section", checked: 2026-11-29, low: 0.05, high: 0.2, note: why}
  rate: {value: "5.05 GB/s", basis: measured, source: "title, section", checked: 2026-11-29, high: "8 GB/s"}
"""


def checker() -> FormatChecker:
    formats = FormatChecker(formats=())
    for name in ("size", "bandwidth", "op-rate", "duration"):
        formats.checks(name)(lambda value, name=name: quantity_fault(name, value) is None)

    def readable(value: object) -> bool:
        return quantity(str(value)) is not None

    formats.checks("quantity", raises=CatalogueError)(readable)
    return formats


def schema(name: str) -> dict[str, object]:
    return cast("dict[str, object]", json.loads((PACKAGE / "schemas" / name).read_text(encoding="utf-8")))


def content(path: Path) -> object:
    document = read_document(path.read_text(encoding="utf-8"))
    assert document.faults == []
    return document.value


@pytest.fixture
def small(tmp_path: Path) -> FileCatalogue:
    """A catalogue of one backend."""
    (tmp_path / "backends").mkdir()
    (tmp_path / "backends" / "one.yaml").write_text(BACKEND)
    return FileCatalogue(tmp_path)


@pytest.mark.parametrize("name", ["backend.json", "catalogue.json"])
def test_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


@pytest.mark.parametrize("backend_id", BACKENDS)
def test_backend_file_has_the_form(backend_id: str) -> None:
    value = cast("Mapping[str, object]", content(PACKAGE / "catalogue" / "backends" / f"{backend_id}.yaml"))
    validator = Draft202012Validator(schema("backend.json"), format_checker=checker())
    assert [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(value)] == []
    assert value["id"] == backend_id


def test_tables_have_the_form() -> None:
    tables = {table: content(PACKAGE / "catalogue" / f"{table}.yaml") for table in TABLES}
    validator = Draft202012Validator(schema("catalogue.json"), format_checker=checker())
    assert [f"{list(error.path)}: {error.message}" for error in validator.iter_errors(tables)] == []


@pytest.mark.parametrize(
    "spoilt",
    [
        BACKEND.replace("basis: vendor, ", ""),
        BACKEND.replace('source: "title, section", checked: 2026-11-29, low', "checked: 2026-11-29, low"),
        BACKEND.replace("basis: vendor", "basis: guessed"),
        BACKEND.replace("5.05 GB/s", "5.05 Gbps"),
        BACKEND.replace("name: One", "name: One\nextra: 1"),
        BACKEND.replace("medium: ssd", "medium: tape"),
        BACKEND.replace("fills: [hot, cold]", "fills: [warm]"),
    ],
)
def test_schema_refuses_a_spoilt_backend(spoilt: str) -> None:
    columns = "columns: {architecture: a, protocol: b, performance: c, operations: d, cost: e, kubernetes: f}"
    validator = Draft202012Validator(schema("backend.json"), format_checker=checker())
    assert validator.is_valid(read_document(BACKEND.replace("columns: {}", columns)).value)
    assert not validator.is_valid(read_document(spoilt.replace("columns: {}", columns)).value)


@pytest.mark.parametrize("backend_id", BACKENDS)
def test_backend_is_read_and_known_to_the_stack_form(backend_id: str) -> None:
    facts = catalogue().backend(backend_id)
    assert all(fact.source and fact.checked and fact.basis for fact in facts.figures.values())
    assert set(facts.nodes) == set(facts.node_facts)
    definitions = cast("Mapping[str, Mapping[str, Mapping[str, Mapping[str, object]]]]", stack_schema()["$defs"])
    for tier in set(facts.fills) - {"local"}:
        assert backend_id in cast("list[str]", definitions[f"{tier}_tier"]["properties"]["backend"]["enum"])


@pytest.mark.parametrize("tier", ["local", "hot", "cold"])
def test_ids_by_tier_are_what_the_files_say(tier: str) -> None:
    """`ids` does not parse the files; this does."""
    fresh = FileCatalogue()
    for site in ("on-prem", "aws"):
        known = [catalogue().backend(name) for name in BACKENDS]
        assert fresh.ids(tier, site) == tuple(one.id for one in known if tier in one.fills and site in one.sites)


def test_facts_of_a_backend(small: FileCatalogue) -> None:
    facts = small.backend("one")
    share, rate = facts.fact("share"), facts.fact("rate")
    assert (share.value, share.low, share.high, share.basis, share.note) == (0.1, 0.05, 0.2, "vendor", "why")
    assert (share.checked, share.quantity) == ("2026-11-29", None)
    assert (rate.value, rate.high, rate.low, rate.quantity) == (5.05e9, 8e9, None, bandwidth("5.05 GB/s"))
    assert facts.nodes["small"].raw == size("4 TB")
    assert facts.nodes["small"].medium == "ssd"
    assert (facts.node_facts["small"].basis, facts.node_facts["small"].source) == ("assumed", "nobody knows")
    assert small.ids("cold") == ("one",)
    assert small.known() == ("one",)


@pytest.mark.parametrize("backend_id", ["two", "../one", "", "one.yaml"])
def test_a_backend_without_a_file_is_an_error(small: FileCatalogue, backend_id: str) -> None:
    with pytest.raises(CatalogueError, match=r"no backend .*; there are one"):
        small.backend(backend_id)


@pytest.mark.parametrize(
    "spoilt",
    [
        BACKEND.replace("summary: a product\n", ""),
        BACKEND.replace("basis: measured, ", ""),
        BACKEND.replace("drives: 4", "drives: many"),
        BACKEND.replace("5.05 GB/s", "5.05 GBps"),
        BACKEND.replace("name: One", "name: One\nname: Two"),
        "id: [",
        "- one",
    ],
)
def test_a_spoilt_backend_file_is_an_error(tmp_path: Path, spoilt: str) -> None:
    (tmp_path / "backends").mkdir()
    (tmp_path / "backends" / "one.yaml").write_text(spoilt)
    with pytest.raises(CatalogueError, match=r"one\.yaml|GBps"):
        FileCatalogue(tmp_path).backend("one")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5.05 GB/s", bandwidth("5.05 GB/s")),
        ("7.68 TB", size("7.68 TB")),
        ("125 MB/s/TiB", bandwidth_density("125 MB/s/TiB")),
        ("20 kops/s", op_rate("20000 ops/s")),
    ],
)
def test_a_quantity_is_of_the_kind_that_its_unit_says(text: str, value: object) -> None:
    assert quantity(text) == value


@pytest.mark.parametrize("text", ["5", "5 furlongs", "-5 TB", "x TB"])
def test_a_text_that_is_no_quantity_is_an_error(text: str) -> None:
    with pytest.raises(CatalogueError):
        quantity(text)


def test_every_value_of_every_row_is_a_fact_with_a_source() -> None:
    for table in TABLES:
        for row in catalogue().rows(table).values():
            assert row.facts
            for fact in row.facts.values():
                assert fact.basis in ("measured", "vendor", "derived", "assumed"), (row.id, fact.name)
                assert len(fact.source) >= 8
                assert fact.checked.startswith("20")


def test_exceptions_name_values_that_are_there() -> None:
    for table in TABLES:
        rows = cast(
            "Mapping[str, Mapping[str, Mapping[str, object]]]", content(PACKAGE / "catalogue" / f"{table}.yaml")
        )
        for row_id, row in rows.items():
            known = set(catalogue().rows(table)[row_id].facts)
            for path in row.get("except", {}):
                assert any(name == path or name.startswith(f"{path}.") for name in known), (row_id, path)


def test_an_origin_leads_to_its_fact() -> None:
    fact = catalogue().fact("catalogue nodes/dgx-h100/local_nvme.read")
    assert fact is not None
    assert (fact.basis, fact.quantity) == ("assumed", bandwidth("6.5 GB/s"))
    transport = catalogue().fact("nodes/dgx-h100/storage_network.transport")
    assert transport is not None
    assert transport.note == "infiniband"
    assert catalogue().fact("nodes/dgx-h100/colour") is None
    assert catalogue().fact("planets/mars/moons") is None


def test_training_states_are_those_of_the_published_table() -> None:
    """Bytes for each parameter of a checkpoint: 14 is verified with du by BLOOM."""
    rows = catalogue().rows("training_states")
    assert {name: row.values["bytes_per_parameter"] for name, row in rows.items()} == {
        "bf16-adam-fp32-master": 14,
        "fp32-adam": 12,
        "fp16-adam-no-master": 10,
        "bf16-adam": 6,
        "fp32-adam-fp32-master": 16,
        "bf16-adam8-fp32-master": 8,
        "bf16-adam-bf16-moments-fp32-master": 10,
        "one-moment-fp32-master": 10,
        "weights-bf16": 2,
        "weights-fp8": 1,
        "weights-int4": 0.5,
    }


def gated(layers: int, hidden: int, ffn: int, kv: int, vocabulary: int = 128_256) -> int:
    """Parameters of a dense gated transformer with untied embeddings (DLIO's expression)."""
    return (
        2 * vocabulary * hidden
        + hidden
        + layers * (2 * hidden + hidden * (hidden + 2 * kv) + hidden**2 + 3 * hidden * ffn)
    )


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("llama-3-8b", gated(32, 4096, 14336, 1024)),
        ("llama-3-70b", gated(80, 8192, 28672, 1024)),
        ("llama-3-405b", gated(126, 16384, 53248, 1024)),
        ("mlperf-8b", gated(32, 4096, 14336, 1024)),
        ("mlperf-70b", gated(80, 8192, 28672, 512)),
        ("mlperf-405b", gated(126, 16384, 53248, 1024)),
        ("mlperf-1t", gated(128, 25872, 98304, 25872 // 192 * 32)),
        ("gpt-neox-20b", 44 * (12 * 6144**2 + 13 * 6144) + 2 * 50432 * 6144 + 2 * 6144),
    ],
)
def test_parameters_follow_from_the_published_shapes(model: str, parameters: int) -> None:
    """MLPerf Storage v2.0 checkpoint workloads; GPT-NeoX README."""
    assert catalogue().rows("models")[model].values["parameters"] == parameters


@pytest.mark.parametrize(
    ("model", "bytes_per_token"),
    [
        ("llama-2-7b", 524_288),
        ("llama-2-13b", 819_200),
        ("llama-2-70b", 327_680),
        ("llama-3.2-1b", 32_768),
        ("llama-3.2-3b", 114_688),
        ("llama-3-8b", 131_072),
        ("llama-3-70b", 327_680),
        ("llama-3-405b", 516_096),
        ("qwen2.5-3b", 36_864),
        ("qwen2.5-7b", 57_344),
        ("qwen2.5-14b", 196_608),
        ("qwen2.5-32b", 262_144),
        ("qwen2.5-72b", 327_680),
        ("qwen3-0.6b", 114_688),
        ("qwen3-1.7b", 114_688),
        ("qwen3-4b", 147_456),
        ("qwen3-8b", 147_456),
        ("qwen3-14b", 163_840),
        ("qwen3-32b", 262_144),
        ("qwen3-30b-a3b", 98_304),
        ("qwen3-235b-a22b", 192_512),
        ("mixtral-8x7b", 131_072),
        ("deepseek-v3-671b", 70_272),
        ("deepseek-v2", 69_120),
        ("deepseek-v2-lite", 31_104),
        ("kimi-k2", 70_272),
    ],
)
def test_kv_shapes_give_the_published_bytes_a_token(model: str, bytes_per_token: int) -> None:
    """2 x layers x heads x dimension x 2 bytes; multi-latent: layers x (rank + rotary) x 2 bytes."""
    shape = cast("Mapping[str, int]", catalogue().rows("models")[model].values["kv"])
    if "latent_dimension" in shape:
        assert shape["layers"] * shape["latent_dimension"] * 2 == bytes_per_token
    else:
        assert 2 * shape["layers"] * shape["kv_heads"] * shape["head_dimension"] * 2 == bytes_per_token


def test_every_kv_shape_is_tested_above() -> None:
    assert sum("kv" in row.values for row in catalogue().rows("models").values()) == 26


@pytest.mark.parametrize(
    ("profile", "megabytes_per_s"),
    [
        ("unet3d-a100", 1452.2),
        ("unet3d-h100", 2859.4),
        ("unet3d-b200", 5701.1),
        ("resnet50-a100", 94.89),
        ("resnet50-h100", 184.28),
        ("cosmoflow-a100", 359.3),
        ("cosmoflow-h100", 565.7),
        ("retinanet-b200", 138.6),
        ("flux-b200", 69.3),
    ],
)
def test_profiles_give_the_published_bandwidth(profile: str, megabytes_per_s: float) -> None:
    """MLPerf Storage, one accelerator at the least utilisation: rate x sample = MB/s of the table."""
    facts = catalogue().rows("profiles")[profile].facts
    sample = facts["sample_size"].value
    rate = facts["samples_per_s_per_gpu"].value
    assert rate * sample / 1e6 == pytest.approx(megabytes_per_s, rel=5e-4)


def test_profile_rates_follow_from_batch_time_and_utilisation() -> None:
    rows = cast("Mapping[str, Mapping[str, Mapping[str, object]]]", content(PACKAGE / "catalogue" / "profiles.yaml"))
    assert len(rows) == 9
    for row in rows.values():
        basis = row["from"]
        seconds = float(str(basis["compute_time"]).removesuffix(" s"))
        rate = cast("float", basis["batch"]) / seconds * cast("float", basis["accelerator_utilisation"])
        assert row["values"]["samples_per_s_per_gpu"] == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize(
    ("preset", "memory", "drives", "drive", "ports", "rate"),
    [
        ("dgx-h100", "2 TB", 8, "3.84 TB", 2, "400 Gbit/s"),
        ("dgx-h200", "2 TB", 8, "3.84 TB", 2, "400 Gbit/s"),
        ("dgx-b200", "2 TB", 8, "3.84 TB", 2, "400 Gbit/s"),
        ("grand-teton-h100", "1 TB", 8, "3.84 TB", 2, "400 Gbit/s"),
        ("aws-p5", "2048 GiB", 8, "3.8 TB", 32, "100 Gbit/s"),
        ("aws-p5en", "2048 GiB", 8, "3.8 TB", 16, "200 Gbit/s"),
        ("aws-p4d", "1152 GiB", 8, "1 TB", 4, "100 Gbit/s"),
        ("azure-nd-h100-v5", "1900 GiB", 8, "3500 GiB", 1, "80 Gbit/s"),
        ("oci-bm-h100", "2048 GB", 16, "3.84 TB", 1, "100 Gbit/s"),
        ("oci-bm-h200", "3072 GB", 8, "3.84 TB", 1, "200 Gbit/s"),
        ("ibm-vela", "1.5 TB", 4, "3.2 TB", 1, "100 Gbit/s"),
    ],
)
def test_presets_are_those_of_the_published_tables(  # noqa: PLR0917  # a table
    preset: str, memory: str, drives: int, drive: str, ports: int, rate: str
) -> None:
    facts = catalogue().rows("nodes")[preset].facts
    assert facts["host_memory"].quantity == size(memory)
    assert (facts["local_nvme.drives"].value, facts["local_nvme.size"].quantity) == (drives, size(drive))
    assert (facts["storage_network.ports"].value, facts["storage_network.rate"].quantity) == (ports, bandwidth(rate))
