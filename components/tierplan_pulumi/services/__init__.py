"""
The real resources of managed services: one module for each backend that owns some, by the backend's module name.

A module has ``register(name, *, chosen, plan, opts)``, which makes the resources as children of the tier in `opts`.
It is imported for that backend alone, so nobody needs the SDK of a cloud that the plan does not use.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

import pulumi

from tierplan import backends
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan

# Of the others the extra is the package's own second word.
EXTRAS = {"pulumi_azure_native": "azure", "pulumi_gcp": "google"}


class Service(Protocol):
    """What a module in this folder has."""

    def register(self, name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
        """Make the resources; their names begin with `name`, their options come from `opts`."""


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """
    The resources of the tier's service; nothing for a backend that owns none.

    Raises:   RunError if the service's SDK is not installed
    """
    module = f"{__name__}.{backends.module_name(chosen.config.backend)}"
    if find_spec(module) is None:
        return
    try:
        service = cast("Service", import_module(module))
        service.register(name, chosen=chosen, plan=plan, opts=opts)
    except ModuleNotFoundError as fault:
        package = (fault.name or "").partition(".")[0]
        if not package.startswith("pulumi_"):
            raise
        extra = EXTRAS.get(package, package.split("_")[1])
        message = (
            f"{name}: the resources of {chosen.config.backend} need the Python package {package}, "
            f"which is not installed; pip install 'tierplan[{extra}]'"
        )
        raise pulumi.RunError(message) from fault
