"""The `fabric` block of a stack file: read, written back, refused by name; and the facts it is planned with."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from tierplan.domain.stack import FabricPins
from tierplan.errors import CatalogueError, InputError
from tierplan.fabric.links import links
from tierplan.load import FileCatalogue, stack_from_document, stack_from_text, stack_text
from tierplan.load.document import read_document
from tierplan.units import bandwidth

STACK = {
    "site": {"kind": "on-prem"},
    "cluster": {"node": "dgx-h100", "gpu_nodes": 16},
    "workloads": [{"name": "g", "kind": "general", "read": "1 GB/s"}],
}
PINS = {"leaf_ports": 64, "spine_ports": 32, "oversubscription": 2.5, "rail_optimised": False, "storage_share": 0.7}


def stack(**pins: object):
    return stack_from_document(STACK | {"fabric": pins}, name="x", where="x")


def test_pins_are_read_and_written_back():
    found = stack(**PINS)
    assert found.fabric == FabricPins(**PINS)
    assert stack_from_text(stack_text(found), name="x", where="x").fabric == found.fabric


def test_what_is_left_out_stays_open():
    assert stack(leaf_ports=64).fabric == FabricPins(leaf_ports=64)
    assert stack_from_document(STACK, name="x", where="x").fabric is None


@pytest.mark.parametrize(
    ("pins", "path"),
    [
        ({"oversubscription": 0.5}, "fabric.oversubscription"),
        ({"leaf_ports": 0}, "fabric.leaf_ports"),
        ({"leaf_ports": 2.5}, "fabric.leaf_ports"),
        ({"storage_share": 0}, "fabric.storage_share"),
        ({"storage_share": 1.5}, "fabric.storage_share"),
        ({"rail_optimised": "perhaps"}, "fabric.rail_optimised"),
        ({"leafports": 64}, "fabric.leafports"),
    ],
)
def test_a_wrong_pin_is_named(pins, path):
    with pytest.raises(InputError) as caught:
        stack(**pins)
    (line,) = caught.value.faults
    assert path in line


def test_the_facts_have_the_form_of_every_figure():
    schema = json.loads(files("tierplan").joinpath("schemas/backend.json").read_text(encoding="utf-8"))
    form = {"$defs": schema["$defs"], **schema["properties"]["figures"]}
    content = read_document(files("tierplan").joinpath("catalogue/fabric.yaml").read_text(encoding="utf-8"))
    assert content.faults == []
    assert set(content.value) == {"figures"}
    assert list(jsonschema.Draft202012Validator(form).iter_errors(content.value["figures"])) == []


def test_every_fact_counts_at_its_careful_end(figures):
    for name, fact in figures.items():
        if name.endswith(("_link", "_path")) or "switch_ports" in name:
            assert fact.low is None or fact.value == fact.low, name
        assert fact.source
        assert fact.checked


def test_switches_of_a_rate_come_smallest_first(figures):
    found = links(figures, "infiniband")
    assert [int(fact.value) for fact in found.switches(bandwidth("200 Gbit/s"))] == [40, 64]
    assert [int(fact.value) for fact in found.switches(bandwidth("400 Gbit/s"))] == [64]
    assert [int(fact.value) for fact in found.switches(bandwidth("3.2 Tbit/s"))] == [32]
    assert [int(fact.value) for fact in links(figures, "tcp").switches(bandwidth("25 Gbit/s"))] == [32, 64]


@pytest.mark.parametrize("text", ["figures: [1, 2]\n", "other: {}\n", "figures: {a: 1}\n"])
def test_a_file_of_another_form_is_a_fault_of_the_catalogue(tmp_path, text):
    (tmp_path / "fabric.yaml").write_text(text)
    with pytest.raises(CatalogueError):
        FileCatalogue(tmp_path).figures("fabric")


def test_a_file_that_is_not_there_is_a_fault_of_the_catalogue(tmp_path):
    with pytest.raises(CatalogueError):
        FileCatalogue(tmp_path).figures("fabric")
