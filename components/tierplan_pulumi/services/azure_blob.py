"""The storage account of a cold tier on Azure, with the plan's rules of age; or somebody's own container."""

import pulumi

from tierplan.backends._choosing import option
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _azure
from tierplan_pulumi.services.bucket_azure import safe_container


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """Account and container as children of the tier; none where the options name some that exist."""
    options = chosen.config.options
    if option(options, "account", str) or option(options, "bucket", str):
        return
    safe_container(
        f"{name}-account",
        _azure.place(name, plan, ("resource_group",)),
        plan.stack.name,
        use="cold",
        lifecycle=plan.lifecycle,
        opts=opts,
        versioning=option(options, "versioning", bool) is not False,
    )
