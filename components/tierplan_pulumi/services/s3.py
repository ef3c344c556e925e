"""The bucket of a cold tier on Amazon S3, with the plan's rules of age; or somebody's own bucket, left as it is."""

import pulumi

from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services.bucket_aws import BucketHandle, safe_bucket


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket's resources as children of the tier; none where `options.bucket` names one that exists."""
    bucket(name, chosen=chosen, plan=plan, opts=opts)


def bucket(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> BucketHandle:
    """The cold tier's bucket, for whoever writes to it."""
    options, site = chosen.config.options, plan.stack.site
    role = site.network.get("client_role")
    return safe_bucket(
        f"{name}-bucket",
        lifecycle=plan.lifecycle,
        opts=opts,
        bucket_id=_word(options.get("bucket")),
        tags=plan.stack.operations.tags,
        versioning=options.get("versioning") is not False,
        kms_key=_word(options.get("encryption_key")) or site.network.get("kms_key"),
        principals=[role] if role else [],
        region=site.region,
    )


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
