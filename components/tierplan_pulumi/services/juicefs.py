"""JuiceFS: on hosts of one's own nothing is made here; in a cloud its bucket and its metadata engine are."""

import pulumi

from tierplan.backends._juicefs_cloud import in_cloud
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """Bucket, network rules and metadata engine of a volume on S3."""
    if in_cloud(chosen.config):
        from tierplan_pulumi.services import _juicefs_aws  # noqa: PLC0415  # needs the SDK of the cloud

        _juicefs_aws.register(name, chosen=chosen, plan=plan, opts=opts)
