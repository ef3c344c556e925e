"""The real resources of a managed service: made by the backend's own module, under the tier, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import pulumi
import pytest

import recording
from tierplan import wire
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi import TieredStorage

WEKA = "tierplan_pulumi.services.weka"  # no service; here it stands for one


def service(monkeypatch: pytest.MonkeyPatch, register: Any) -> None:
    module = ModuleType(WEKA)
    module.__spec__ = ModuleSpec(WEKA, None)
    vars(module)["register"] = register
    monkeypatch.setitem(sys.modules, WEKA, module)


def record(spec: Mapping[str, object]) -> recording.Recording:
    return recording.record(lambda: TieredStorage("mine", {"spec": spec}))


def test_the_service_makes_children_of_the_tier(
    monkeypatch: pytest.MonkeyPatch, demo_spec: Mapping[str, object]
) -> None:
    def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
        assert (chosen.config.tier, chosen.config.backend, plan.tiers["hot"]) == ("hot", "weka", chosen)
        pulumi.ComponentResource("acme:index:FileSystem", f"{name}-fs", {"size": chosen.config.nodes}, opts)

    service(monkeypatch, register)
    recorded = record(demo_spec)
    made = recorded.of("acme:index:FileSystem")
    assert made.parent == recorded.of(wire.TIER_TOKENS["hot"]).urn
    assert (made.name, made.inputs) == ("mine-hot-fs", {"size": 12.0})


@pytest.mark.parametrize(
    ("package", "extra"),
    [("pulumi_aws", "aws"), ("pulumi_azure_native", "azure"), ("pulumi_kubernetes", "kubernetes")],
)
def test_a_missing_sdk_is_one_line_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, demo_spec: Mapping[str, object], package: str, extra: str
) -> None:
    def register(*_: object, **__: object) -> None:
        message = f"No module named '{package}'"
        raise ModuleNotFoundError(message, name=f"{package}.fsx")

    service(monkeypatch, register)
    with pytest.raises(pulumi.RunError) as caught:
        record(demo_spec)
    assert str(caught.value) == (
        f"mine-hot: the resources of weka need the Python package {package}, which is not installed; "
        f"pip install 'tierplan[{extra}]'"
    )


def test_another_missing_module_is_a_defect_and_keeps_its_traceback(
    monkeypatch: pytest.MonkeyPatch, demo_spec: Mapping[str, object]
) -> None:
    def register(*_: object, **__: object) -> None:
        raise ModuleNotFoundError(name="numpy")

    service(monkeypatch, register)
    with pytest.raises(ModuleNotFoundError):
        record(demo_spec)


def test_a_product_without_a_service_makes_nothing(demo_spec: Mapping[str, object]) -> None:
    assert not [one for one in record(demo_spec).resources if not one.token.startswith("tierplan:")]
