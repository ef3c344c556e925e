"""The schema says the whole form, and the same as the nouns do."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import cast

import pytest
from jsonschema import Draft202012Validator

from tierplan.domain import stack as nouns
from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load import stack_from_text, stack_schema
from tierplan.load.defaults import default_fact
from tierplan.load.faults import Fault
from tierplan.load.schema import Schema, branch, flat_schema, properties_of, tidy
from tierplan.units import Bandwidth, Duration, OpRate, Quantity, Size

KINDS = {
    "training": nouns.Training,
    "model-load": nouns.ModelLoad,
    "kv-cache": nouns.KvCache,
    "general": nouns.General,
}
NOT_OF_THE_FORM = {"name", "origins", "lines", "calibrated"}  # of a Stack
FORMATS: dict[type[Quantity], str] = {Size: "size", Bandwidth: "bandwidth", OpRate: "op-rate", Duration: "duration"}
READS: dict[object, str] = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(stack_schema())


def test_flat_schema_has_no_reference_left() -> None:
    assert "$ref" not in json.dumps(flat_schema())


def parts(hint: object) -> tuple[object, ...]:
    """The alternatives of a type, without None."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(part for part in typing.get_args(hint) if part is not type(None))
    return (hint,)


def pairs(noun: type, schema: Schema, path: str) -> Iterator[tuple[str, object, Schema, dataclasses.Field[object]]]:
    """Every field of the nouns below this one, with the schema of its key."""
    hints = typing.get_type_hints(noun)
    fields = {field.name: field for field in dataclasses.fields(noun)}
    known = properties_of(schema)
    if noun is Stack:
        fields = {name: field for name, field in fields.items() if name not in NOT_OF_THE_FORM}
    assert set(known) == set(fields), path
    for name, field in fields.items():
        hint, wanted = hints[name], known[name]
        yield f"{path}{name}", hint, wanted, field
        for part in parts(hint):
            inner = typing.get_args(part)[0] if typing.get_origin(part) is tuple else part
            wanted_inner = cast("Schema", wanted["items"]) if typing.get_origin(part) is tuple else wanted
            if name == "workloads":
                for kind, one in KINDS.items():
                    yield from pairs(one, branch(wanted_inner, {"kind": kind}), f"{kind}.")
            elif dataclasses.is_dataclass(inner) and not issubclass(cast("type", inner), Quantity):
                yield from pairs(cast("type", inner), wanted_inner, f"{path}{name}.")


def all_pairs() -> list[tuple[str, object, Schema, dataclasses.Field[object]]]:
    return list(pairs(Stack, flat_schema(), ""))


def test_every_key_is_a_field_and_every_field_a_key() -> None:
    """`pairs` asserts it block by block; here only that it went everywhere."""
    paths = {path for path, *_ in all_pairs()}
    assert {"cluster.local_nvme.read", "training.checkpoint.staging.slack", "tiers.cold.quote.usable"} <= paths
    assert len(paths) > 150


def test_every_key_is_read_as_its_field_wants() -> None:
    for path, hint, wanted, _ in all_pairs():
        for part in parts(hint):
            if isinstance(part, type) and issubclass(part, Quantity):
                assert str(wanted["format"]).removesuffix("-or-auto") == FORMATS[part], path
            elif part in READS and not path.endswith("kind"):
                assert wanted["x-reads"] == READS[part], path


def test_every_enumeration_is_that_of_its_field() -> None:
    for path, hint, wanted, _ in all_pairs():
        for part in parts(hint):
            inner = typing.get_args(part)[0] if typing.get_origin(part) is tuple else part
            items = cast("Schema", wanted["items"]) if typing.get_origin(part) is tuple else wanted
            if typing.get_origin(inner) is typing.Literal and "enum" in items:
                words = {word for word in cast("list[object]", items["enum"]) if word is not None}
                assert words == set(typing.get_args(inner)), path


def test_every_field_without_a_value_of_its_own_is_required_or_has_a_default() -> None:
    """What a noun must have comes from the stack, a preset or a default of the schema."""
    filled = {"cluster.gpus_per_node", "kv-cache.model.layers"}  # by rule: from the catalogue or the key
    filled |= {f"targets.reference.{key}" for key in ("gpus", "read", "write")}
    for path, _, wanted, field in all_pairs():
        bare = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if not bare or path in filled:
            continue
        assert "default" in wanted or required(path), path


def required(path: str) -> bool:
    *blocks, key = path.split(".")
    node: Schema = flat_schema()
    if blocks and blocks[0] in KINDS:
        node = branch(cast("Schema", properties_of(node)["workloads"]["items"]), {"kind": blocks.pop(0)})
    for block in blocks:
        node = properties_of(node)[block]
        node = cast("Schema", node.get("items", node))
    return key in cast("list[str]", node.get("required", []))


def test_defaults_of_schema_and_nouns_agree() -> None:
    for path, _, wanted, field in all_pairs():
        if "default" in wanted and field.default is not dataclasses.MISSING and field.default is not None:
            value = tuple(wanted["default"]) if isinstance(wanted["default"], list) else wanted["default"]
            assert value == field.default, path


def test_every_assumed_default_names_its_reason() -> None:
    """What is planned with and nobody stated must be told: basis and source stand beside it."""
    silent = {"cluster.price", "tiers.hot.backend", "tiers.cold.backend", "training.checkpoint.first_landing"}
    silent |= {"training.checkpoint.concurrent_jobs", "training.dataset.cache_copies", "kv-cache.placement", "expect"}
    silent |= {"tiers.local.use", "tiers.local.software", "targets.budget.currency"}
    for path, _, wanted, _ in all_pairs():
        value = wanted.get("default")
        if value in (None, {}, 0, "0 B", "0 B/s", "0 ops/s") or path in silent:
            continue
        assert wanted.get("x-basis") in ("measured", "vendor", "derived", "assumed"), path
        assert len(str(wanted.get("x-source", ""))) >= 8, path


def test_default_facts_can_be_looked_up() -> None:
    fact = default_fact("targets.headroom")
    assert fact is not None
    assert (fact.value, fact.basis) == (1.3, "assumed")
    staging = default_fact("workloads[3].checkpoint.staging.slack")
    assert staging is not None
    assert (staging.name, staging.value, staging.basis) == ("workloads.checkpoint.staging.slack", 0.15, "vendor")
    state = default_fact("workloads[0].model.training_state")
    assert state is not None
    assert (state.note, state.basis) == ("bf16-adam-fp32-master", "assumed")
    assert default_fact("site.kind") is None
    assert default_fact("no.such.key") is None


def test_the_target_of_loss_is_honoured() -> None:
    node: Schema = flat_schema()
    for key in ("targets", "annual_loss_probability"):
        node = properties_of(node)[key]
    assert "x-not-yet" not in node
    assert "default" not in node  # left out: not judged


def test_good_document_is_valid_by_the_schema_alone(read: Callable[[str], Stack], good: str) -> None:
    """An editor that knows only the schema accepts what we accept, numeric text and nulls included."""
    from tierplan.load.document import read_document  # noqa: PLC0415
    from tierplan.load.namespaces import form_document  # noqa: PLC0415

    read(good)
    document = cast("dict[str, dict[str, object]]", form_document(read_document(good)).value)
    document["cluster"]["gpu_nodes"] = "128"
    document["capacity"]["files"] = "200e6"
    document["operations"]["kubernetes"] = "true"
    document["operations"]["hosts"] = None
    validator = Draft202012Validator(stack_schema())
    assert [error.message for error in validator.iter_errors(document)] == []
    document["cluster"]["gpu_nodes"] = "many"
    assert not validator.is_valid(document)


@pytest.mark.parametrize(
    ("value", "reads", "tidied"),
    [
        ("70e9", "a number", 70_000_000_000),
        ("0.5", "a number", 0.5),
        (8.0, "a whole number", 8),
        ("8", "a whole number", 8),
        ("8.5", "a whole number", 8.5),
        ("many", "a whole number", "many"),
        (True, "a number", True),
        ("true", "true or false", True),
        ("false", "true or false", False),
        ("yes", "true or false", "yes"),
        (1.0, "text", "1"),
        (False, "text", "false"),
        ("70e9", "text", "70e9"),
        ("70e9", None, "70e9"),
    ],
)
def test_tidy_reads_text_as_what_the_key_holds(value: object, reads: str | None, tidied: object) -> None:
    schema = {"properties": {"key": {"x-reads": reads}}}
    faults: list[Fault] = []
    result = cast("Mapping[str, object]", tidy({"key": value}, schema, "", faults))
    assert result["key"] == tidied
    assert type(result["key"]) is type(tidied)
    assert faults == []


def test_tidy_leaves_out_nulls_and_the_engines_own_keys() -> None:
    assert tidy({"a": None, "__defaults": {}, "b": {"c": None}}, {}, "", []) == {"b": {}}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("drive_cores: 12", "drive_corez: 12", "tiers.hot.options.drive_corez: unknown key; did you mean drive_cores?"),
        ("drive_cores: 12", "drive_cores: many", "tiers.hot.options.drive_cores: "),
        ("ssd_share: 0.5", "ssd_shape: 0.5", "tiers.hot.options.tiering.ssd_shape: unknown key"),
    ],
)
def test_the_products_own_words_are_judged_by_its_own_schema(
    spoil: Callable[..., str], old: str, new: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        stack_from_text(spoil((old, new)), name="x", where="x")
    (line,) = caught.value.faults
    assert words in line
