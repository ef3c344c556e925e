"""JuiceFS: on hosts of one's own nothing is made here; in a cloud its bucket and its metadata engine are."""

from importlib import import_module
from importlib.util import find_spec
from typing import cast

import pulumi

from tierplan.backends._juicefs_cloud import in_cloud
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi import services


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """Bucket, network rules and metadata engine of a volume, by the module of the stack's cloud."""
    if not in_cloud(chosen.config):
        return
    module = f"{services.__name__}._juicefs_{plan.stack.site.kind}"  # needs the SDK of the cloud
    if find_spec(module) is None:
        pulumi.warn(f"{name}: no provider of this cloud is known that is kept well; `tierplan render` writes Terraform")
        return
    cast("services.Service", import_module(module)).register(name, chosen=chosen, plan=plan, opts=opts)
