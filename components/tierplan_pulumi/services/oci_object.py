"""The bucket of a cold tier on Oracle's Object Storage, with the plan's rules of age; or somebody's own bucket."""

import pulumi

from tierplan.backends._choosing import option
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _oci

NEEDED = ("compartment", "namespace")


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket's resources as children of the tier; none where `options.bucket` names one that exists."""
    options = chosen.config.options
    bucket = option(options, "bucket", str)
    if bucket is None:
        _oci.safe_bucket(
            f"{name}-bucket",
            _oci.place(name, plan, NEEDED),
            bucket_id=None,
            lifecycle=plan.lifecycle,
            opts=opts,
            versioning=option(options, "versioning", bool) is not False,
        )
