"""Resource properties: what is written is what is read back, whatever a tier holds."""

import json
import math
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

import jsonschema
import pytest
from google.protobuf import json_format, struct_pb2  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan import wire, wire_schema
from tierplan.codec import HIDDEN, camel, snake
from tierplan.domain.need import TIERS, Tier, TierNeed
from tierplan.domain.tiers import Rejection, TierConfig
from tierplan.errors import InputError
from tierplan.units import Quantity

SCHEMA = json.loads(files("tierplan").joinpath("schemas/resources.json").read_text(encoding="utf-8"))
numbers = st.floats(min_value=0, max_value=1e18, allow_nan=False)
words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
options = st.dictionaries(
    st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True),
    st.recursive(
        st.booleans() | st.integers(-(2**40), 2**40) | words,
        lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(words, inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


PLAIN: dict[object, st.SearchStrategy[Any]] = {
    int: st.integers(0, 10**9),
    float: numbers,
    str: words,
    bool: st.booleans(),
}


def value_of(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a field's type."""
    if isinstance(hint, type) and get_origin(hint) is None:
        if issubclass(hint, Quantity):
            return numbers.map(hint)
        return noun(hint) if is_dataclass(hint) else PLAIN[hint]
    parts = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is Literal:
        return st.sampled_from(parts)
    if get_origin(hint) is tuple:
        return st.lists(value_of(parts[0]), max_size=3).map(tuple)
    if len(parts) == 1:
        return st.none() | value_of(parts[0])
    return st.dictionaries(words, numbers, max_size=3) if parts[1:] == [float] else options


def noun(kind: Any, **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Any noun of this kind, its fields drawn by their types."""
    hints = get_type_hints(kind)
    drawn = {field.name: value_of(hints[field.name]) for field in fields(kind) if field.name not in HIDDEN}
    return st.builds(kind, **{**drawn, **fixed})


def tier_inputs(tier: Tier) -> st.SearchStrategy[wire.TierInputs]:
    """Any tier: chosen with a need, or rejected."""
    config = noun(TierConfig, tier=st.just(tier))
    need = st.none() | noun(TierNeed, tier=st.just(tier))
    chosen = st.tuples(config, need).map(
        lambda pair: wire.TierInputs(tier=tier, backend=pair[0].backend, config=pair[0], need=pair[1])
    )
    rejected = st.lists(noun(Rejection, tier=st.just(tier)), min_size=1, max_size=3).map(
        lambda many: wire.TierInputs(tier=tier, backend="auto", rejections=tuple(many))
    )
    return chosen | rejected


def over_the_wire(properties: wire.Properties) -> dict[str, object]:
    """The properties as a policy gets them: every number a double."""
    struct = struct_pb2.Struct()
    struct.update(properties)
    return cast("dict[str, object]", json_format.MessageToDict(struct))


@settings(deadline=None)
@given(st.sampled_from(TIERS).flatmap(tier_inputs))
def test_a_tier_comes_back_as_it_was_sent(inputs: wire.TierInputs) -> None:
    token = wire.TIER_TOKENS[inputs.tier]
    assert wire.tier_inputs(token, over_the_wire(wire.tier_properties(inputs))) == inputs


@settings(deadline=None)
@given(st.sampled_from(TIERS).flatmap(tier_inputs))
def test_a_tier_obeys_its_schema(inputs: wire.TierInputs) -> None:
    token = wire.TIER_TOKENS[inputs.tier]
    document = json.loads(json.dumps(wire.tier_properties(inputs)))
    jsonschema.Draft202012Validator(SCHEMA).validate({token: document})


def test_the_written_schema_is_the_one_of_the_nouns() -> None:
    """`python -m tierplan.wire_schema > tierplan/schemas/resources.json` after a change of the nouns."""
    assert wire_schema.document() == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert set(SCHEMA["properties"]) == set(wire.TOKENS)


@pytest.mark.parametrize(
    "name", ["read_bytes_per_s", "op_rate_ops_per_s", "raw_bytes", "nodes", "planned_fill_fraction"]
)
def test_property_names_follow_one_rule(name: str) -> None:
    assert snake(camel(name)) == name


NODE: wire.Properties = {
    "drives": 12.0,
    "drive": {"sizeBytes": 7.68e12, "readBytesPerS": 6.5e9, "writeBytesPerS": 3.5e9},
    "ports": 2.0,
    "portRateBytesPerS": 25e9,
    "cores": 64.0,
    "memoryBytes": 4.1e11,
}
MINIMAL: wire.Properties = {
    "backend": "weka",
    "nodes": 12.0,
    "layout": {"kind": "erasure-code", "dataUnits": 5.0, "parityUnits": 2.0},
    "node": NODE,
}


def test_a_hand_written_tier_needs_neither_tier_nor_need() -> None:
    inputs = wire.tier_inputs(wire.TIER_TOKENS["hot"], MINIMAL)
    assert inputs.config is not None
    assert (inputs.config.tier, inputs.config.nodes, inputs.need) == ("hot", 12, None)
    assert isinstance(inputs.config.nodes, int)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"nodes": 12.5}, "nodes: 12.5 is not a whole number"),
        ({"nodez": 12}, "nodez: unknown key"),
        ({"node": None}, "node: missing"),
        ({"tier": "cold"}, "tier: 'cold'; a HotTier holds 'hot'"),
        ({"need": 5.0}, "need: 5.0 is no map of keys"),
        ({"need": {}}, "need.readBytesPerS: missing"),
        ({"rejections": 5.0}, "rejections: 5.0 is no list"),
        ({"rejections": [{"backend": "weka"}]}, "rejections[0].tier: missing"),
        ({"layout": {"kind": "raid"}}, "layout.kind: 'raid'; allowed: erasure-code, replicas, none"),
        ({"node": {**NODE, "cores": math.inf}}, "node.cores: inf is not a whole number"),
    ],
)
def test_a_wrong_property_is_named(change: wire.Properties, fault: str) -> None:
    with pytest.raises(InputError) as caught:
        wire.tier_inputs(wire.TIER_TOKENS["hot"], {**MINIMAL, **change})
    assert fault in caught.value.faults


def test_the_configuration_becomes_the_stack_form() -> None:
    config = {
        "tierplan:site": '{"kind":"on-prem","racks":8}',
        "tierplan:workloads": ' [{"name":"a"}]',
        "tierplan:expect": "refused",
        "tierplan:tiers": "{not json",
        "tierplan:capacity": {"home": "50 TB"},
        "aws:region": "us-east-1",
    }
    assert wire.stack_document(config) == {
        "site": {"kind": "on-prem", "racks": 8},
        "workloads": [{"name": "a"}],
        "expect": "refused",
        "tiers": "{not json",
        "capacity": {"home": "50 TB"},
    }


def test_other_namespaces_alone_are_no_stack() -> None:
    assert wire.stack_document({"aws:region": "us-east-1", "tierplanner:site": "{}"}) == {}
