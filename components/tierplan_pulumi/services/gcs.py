"""The bucket of a cold tier on Google Cloud Storage, with the plan's rules of age; or somebody's own bucket."""

import pulumi

from tierplan.backends._choosing import option
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _google
from tierplan_pulumi.services.bucket_google import safe_bucket


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket as a child of the tier; none where `options.bucket` names one that exists."""
    options = chosen.config.options
    safe_bucket(
        f"{name}-bucket",
        _google.place(name, plan, ()),
        lifecycle=plan.lifecycle,
        opts=opts,
        bucket_id=option(options, "bucket", str) or None,
        versioning=option(options, "versioning", bool) is not False,
        kms_key=option(options, "encryption_key", str),
    )
