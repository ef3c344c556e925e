"""Every figure can be walked back: to other figures with the same value, and in the end to the stack or a constant."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from tierplan import demand
from tierplan.domain.figures import Ledger, base_number, formula_words
from tierplan.domain.stack import Growth, Parallelism
from tierplan.units import op_rate

LEAVES = ("stack ", "default ", "catalogue ", "plan ", "constant")
FORMULAS = [
    *("cache", "capacity", "checkpoint", "dataset_read", "general", "goodput", "growth", "interval", "jobs"),
    *(
        "kv_cache",
        "lifecycle",
        "loader",
        "metadata",
        "model",
        "model_load",
        "near",
        "reference",
        "restore",
        "share",
        "writers",
    ),
]


def mixed(build, **changes):
    """One platform with everything: training of three kinds, serving, sessions, users."""
    return build.stack(
        build.training(),
        build.training(
            name="finetune",
            gpus=64,
            parallelism=Parallelism(tensor=8, data=8, sharding="zero-1"),
            checkpoint=build.checkpoint(mode="async", first_landing="local", concurrent_jobs=2),
            dataset=build.dataset(cache="sticky", format="files", samples_per_shard=None),
        ),
        build.training(
            name="auto", gpus=256, checkpoint=build.checkpoint(interval="auto", first_landing="peer"), dataset=None
        ),
        build.model_load(fan_out="node", replicas_per_node=4),
        build.kv_cache(sessions=12_000, resumes=op_rate("1 ops/s"), prefill_tokens_per_s=8000.0),
        build.general(),
        tiers=build.using("dataset-cache", "kv-cache", "checkpoint-first-landing", "model-cache"),
        capacity=build.capacity(growth_per_year=0.3, years=2, archived_weights=5),
        cluster=build.cluster(growth=(Growth(year=1, gpu_nodes=256),)),
        **changes,
    )


@pytest.fixture(scope="module")
def figures(build):
    stack = mixed(build)
    requirement = demand.requirement(stack)
    tiers = {
        "hot": build.plan(requirement, "hot", read="400 GB/s", write="150 GB/s"),
        "local": build.plan(requirement, "local", read="2 TB/s", write="1 TB/s", nodes=128),
        "cold": build.plan(requirement, "cold", read="20 GB/s", write="10 GB/s"),
    }
    return requirement.figures, demand.outcome(stack, requirement, tiers)


def test_every_input_comes_from_somewhere(figures):
    required, given = figures
    known = {**required, **given}
    for figure in known.values():
        for one in figure.inputs:
            if one.origin.startswith("figure "):
                source = known[one.origin.removeprefix("figure ")]
                assert base_number(one.value) == pytest.approx(source.number), f"{figure.id}: {one.name}"
            else:
                assert one.origin.startswith(LEAVES), f"{figure.id}: {one.name} from {one.origin}"


def test_no_figure_is_written_twice_with_another_value(build, monkeypatch):
    """An id that two loads shared would lose one of them."""
    values = {}
    write = Ledger.figure

    def watched(self, figure_id, formula, /, **inputs):
        known = write(self, figure_id, formula, **inputs)
        assert values.setdefault(figure_id, known.value) == known.value, figure_id
        return known

    monkeypatch.setattr(Ledger, "figure", watched)
    demand.requirement(mixed(build))
    assert len(values) > 200


def test_requirement_never_rests_on_the_plan(figures):
    required, _ = figures
    for figure in required.values():
        for one in figure.inputs:
            assert not one.origin.startswith("plan ")
            assert one.origin.removeprefix("figure ") in required or not one.origin.startswith("figure ")


def test_every_figure_has_formula_and_source(figures):
    for figure in (*figures[0].values(), *figures[1].values()):
        assert figure.formula, figure.id
        assert figure.source, figure.id
        assert figure.number == figure.number  # not NaN


def test_no_walk_ends_in_a_circle(figures):
    known = {**figures[0], **figures[1]}

    def depth(name, above=()):
        assert name not in above
        inner = [one.origin.removeprefix("figure ") for one in known[name].inputs if one.origin.startswith("figure ")]
        return 1 + max((depth(one, (*above, name)) for one in inner), default=0)

    assert max(depth(name) for name in known) < 20


UNITS = re.compile(
    r"(_bytes|_bytes_per_s|_s|_ops_per_s|_fraction|_factor|_bytes_per_node|_bytes_per_day|_per_token|_per_30d"
    r"|_with_fan_out|_in_years|_per_s)(\.year_\d+)?$"
)
COUNTS = re.compile(
    r"\.(running|nodes|node_gpus|files|kept|kept_files|samples|shards|samples_per_shard|gpus|data_parallel|replicas"
    r"|sessions|gpu_nodes|parameters|growth_factor)(\.year_\d+)?$"
)


def test_ids_end_in_their_unit(figures):
    for name in (*figures[0], *figures[1]):
        assert UNITS.search(name) or COUNTS.search(name), name


def test_ids_of_the_contract_are_all_there(figures):
    required, given = figures
    names = {
        "finetune.checkpoint": "staging_bytes_per_node drain_bytes_per_s node_bytes node_write_bytes_per_s interval_s "
        "files metadata_ops_per_s written_bytes_per_day size_bytes allowed_stall_s",
        "pretrain-70b.checkpoint": "write_bytes_per_s",
        "pretrain-70b.restore": "read_bytes read_bytes_per_s",
        "pretrain-70b.dataset": "read_bytes_per_s metadata_ops_per_s hit_fraction shared_read_bytes_per_s shards",
        "chat.model_load": "weights_bytes total_bytes read_bytes_per_s read_bytes_per_s_with_fan_out",
        "long-context.kv_cache": "bytes_per_token session_bytes working_set_bytes read_bytes_per_s write_bytes_per_s",
        "users.general": "read_bytes_per_s write_bytes_per_s op_rate_ops_per_s",
        "capacity": "hot_bytes cold_bytes local_bytes_per_node hot_bytes.year_0 hot_bytes.year_1 hot_bytes.year_2 "
        "local_bytes_per_node.year_2 cold_bytes.year_2",
    }
    for load, quantities in names.items():
        assert {f"{load}.{quantity}" for quantity in quantities.split()} <= set(required)
    names = {
        "pretrain-70b.checkpoint": "stall_s mean_time_to_interrupt_s optimal_interval_s overhead_fraction lost_work_s "
        "goodput_fraction stall_gpu_hours_per_30d",
        "pretrain-70b.restore": "duration_s",
        "pretrain-70b.dataset": "epoch_s first_epoch_s",
        "chat.model_load": "duration_s",
        "long-context.kv_cache": "reload_s prefill_s",
        "capacity": "full_in_years",
    }
    for load, quantities in names.items():
        assert {f"{load}.{quantity}" for quantity in quantities.split()} <= set(given)


def formulas():
    for module in FORMULAS:
        loaded = import_module(f"tierplan.demand.{module}")
        for name, function in inspect.getmembers(loaded, inspect.isfunction):
            if function.__module__ == loaded.__name__ and "Formula:" in (function.__doc__ or ""):
                yield pytest.param(function, id=f"{module}.{name}")


@pytest.mark.parametrize("function", list(formulas()))
def test_a_formula_says_what_it_is(function):
    words = formula_words(function)
    assert all(words.values()), words
    assert ">>>" in function.__doc__


def test_every_quantity_of_a_formula_line_is_an_argument():
    """The trail prints the formula beside its inputs: a name in one that is not in the other cannot be followed."""
    for case in formulas():
        (function,) = case.values
        parameters = inspect.signature(function).parameters
        if any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters.values()):
            continue
        missing = [name for name in parameters if not re.search(rf"\b{name}\b", function.__doc__.split(">>>")[0])]
        assert not missing, f"{function.__module__}.{function.__name__}: {missing}"


def test_all_modules_with_formulas_are_listed():
    folder = Path(demand.__file__).parent
    found = {path.stem for path in folder.glob("*.py") if "    Formula:" in path.read_text()}
    assert found == set(FORMULAS)


def test_figures_do_not_depend_on_the_number_of_gpus(build):
    """Nothing loops over GPUs, ranks or files: 100,000 GPUs make as many figures as 8."""
    counts = []
    for gpus, nodes in ((8, 1), (100_000, 12_500)):
        job = build.training(gpus=gpus, parallelism=Parallelism(data=gpus, sharding="zero-3"))
        found = demand.requirement(build.stack(job, cluster=build.cluster(gpu_nodes=nodes)))
        counts.append(len(found.figures))
    assert counts[0] == counts[1]


def test_the_same_stack_gives_the_same_requirement(build):
    assert demand.requirement(mixed(build)) == demand.requirement(mixed(build))


def test_a_ledger_only_holds_numbers():
    with pytest.raises(TypeError):
        Ledger().figure("a.b.c", lambda: "text")
