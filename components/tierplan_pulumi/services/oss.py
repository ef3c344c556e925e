"""The bucket of a cold tier on Alibaba Cloud OSS, with the plan's rules of age; or somebody's own, left as it is."""

import pulumi

from tierplan.backends._choosing import option
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _alibaba


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket's resources as children of the tier; none where `options.bucket` names one that exists."""
    options = chosen.config.options
    if option(options, "bucket", str) is None:
        _alibaba.safe_bucket(
            f"{name}-bucket",
            _alibaba.place(name, plan, ()),
            bucket_id=None,
            lifecycle=plan.lifecycle,
            opts=opts,
            versioning=option(options, "versioning", bool) is not False,
        )
