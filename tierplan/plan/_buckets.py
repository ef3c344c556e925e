"""Buckets of a program, cloud by cloud: whether each is private, encrypted, versioned, and forgets no upload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tierplan.plan.rule import UNKNOWN, Registered

Check = Callable[[Registered, tuple[Registered, ...]], str]
"""A bucket among all resources -> what is wrong with it, in words; nothing if it is well."""
NOT_KNOWN = "{} is not known at preview; give a plain value"
PUBLIC_ACLS = ("public-read", "public-read-write", "authenticated-read")
ANYBODY = ("allUsers", "allAuthenticatedUsers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """How one cloud's resources say these things; None where the service always does it."""

    tokens: tuple[str, ...]
    companions: tuple[str, ...]
    private: Check
    encrypted: Check | None
    versioned: Check
    uploads: Check | None


def of_bucket(
    bucket: Registered, resources: Iterable[Registered], tokens: tuple[str, ...], key: str
) -> Iterator[Registered]:
    """The resources of these tokens that belong to the bucket: by the link, or by its plain name."""
    names = {bucket.inputs.get(word) for word in (key, "bucket", "name", "accountName")} - {None, UNKNOWN}
    for one in resources:
        if one.token not in tokens:
            continue
        value = one.inputs.get(key)
        if bucket.urn in one.links.get(key, ()) or (isinstance(value, str) and value in names):
            yield one


def within(value: object, *path: str) -> object:
    """A value inside maps; None where a map is missing, `UNKNOWN` where it is not known."""
    for key in path:
        if value is UNKNOWN:
            return UNKNOWN
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def listed(value: object) -> tuple[object, ...]:
    """A list's items; nothing where there is none."""
    return tuple(value) if isinstance(value, list | tuple) else ()


def _must(value: object, wanted: object, what: str, otherwise: str) -> str:
    """Nothing if the value is what it must be; else why not."""
    if value is UNKNOWN:
        return NOT_KNOWN.format(what)
    return "" if value == wanted else otherwise


def _first(*found: str) -> str:
    return next((words for words in found if words), "")


# --- Amazon S3: everything but the bucket itself is a resource of its own since version 7 of the provider ---

S3_BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
S3_ACL = ("aws:s3/bucketAcl:BucketAcl", "aws:s3/bucketAclV2:BucketAclV2")
S3_ENCRYPTION = (
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    "aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2",
)
S3_VERSIONING = ("aws:s3/bucketVersioning:BucketVersioning", "aws:s3/bucketVersioningV2:BucketVersioningV2")
S3_RULES = (
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2",
)
S3_FLAGS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")


def _s3_private(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    acls = [
        bucket.inputs.get("acl"),
        *(one.inputs.get("acl") for one in of_bucket(bucket, resources, S3_ACL, "bucket")),
    ]
    for acl in acls:
        if acl in PUBLIC_ACLS:
            return f"its acl is {acl}"
    blocks = tuple(of_bucket(bucket, resources, (S3_BLOCK,), "bucket"))
    if not blocks:
        return "nothing in the program blocks public access to it; add a BucketPublicAccessBlock with all four flags"
    return _first(
        *(_must(one.inputs.get(flag), True, flag, f"{flag} is not true") for one in blocks for flag in S3_FLAGS)
    )


def _s3_encrypted(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    found = tuple(of_bucket(bucket, resources, S3_ENCRYPTION, "bucket"))
    inline = within(bucket.inputs, "serverSideEncryptionConfiguration", "rule")
    rules = [rule for one in found for rule in _known_list(one.inputs.get("rules"))] + ([inline] if inline else [])
    if not rules:
        return "nothing in the program says how it is encrypted; add a BucketServerSideEncryptionConfiguration"
    algorithms = [within(rule, "applyServerSideEncryptionByDefault", "sseAlgorithm") for rule in rules]
    if UNKNOWN in algorithms or UNKNOWN in rules:
        return NOT_KNOWN.format("sseAlgorithm")
    return "" if any(algorithms) else "its encryption names no algorithm (AES256 or aws:kms)"


def _s3_versioned(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    found = tuple(of_bucket(bucket, resources, S3_VERSIONING, "bucket"))
    if not found:
        inline = within(bucket.inputs, "versioning", "enabled")
        return _must(inline, True, "versioning", "it keeps no old versions; add a BucketVersioning with status Enabled")
    status = within(found[0].inputs, "versioningConfiguration", "status")
    return _must(status, "Enabled", "versioningConfiguration.status", f"its versioning is {status}, not Enabled")


def _s3_uploads(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    rules = [
        rule
        for one in of_bucket(bucket, resources, S3_RULES, "bucket")
        for rule in _known_list(one.inputs.get("rules"))
    ]
    if UNKNOWN in rules:
        return NOT_KNOWN.format("rules")
    days = [
        within(rule, "abortIncompleteMultipartUpload", "daysAfterInitiation")
        for rule in rules
        if within(rule, "status") == "Enabled" and not (within(rule, "filter", "prefix") or within(rule, "prefix"))
    ]
    days += [
        within(rule, "abortIncompleteMultipartUploadDays")
        for rule in listed(bucket.inputs.get("lifecycleRules"))
        if within(rule, "enabled") is True and not within(rule, "prefix")
    ]
    return "" if any(days) else "no enabled rule over the whole bucket ends uploads that were never completed"


def _known_list(value: object) -> tuple[object, ...]:
    return (UNKNOWN,) if value is UNKNOWN else listed(value)


# --- Google Cloud Storage: everything is an input of the bucket; Google encrypts always ---

GCS_MEMBERS = (
    "gcp:storage/bucketIAMMember:BucketIAMMember",
    "gcp:storage/bucketIAMBinding:BucketIAMBinding",
    "gcp:storage/bucketAccessControl:BucketAccessControl",
)


def _gcs_private(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    for one in of_bucket(bucket, resources, GCS_MEMBERS, "bucket"):
        members = [one.inputs.get("member"), one.inputs.get("entity"), *listed(one.inputs.get("members"))]
        if any(member in ANYBODY for member in members):
            return f"{one.name} lets {' and '.join(str(m) for m in members if m in ANYBODY)} in"
    inputs = bucket.inputs
    return _first(
        _must(
            inputs.get("publicAccessPrevention"),
            "enforced",
            "publicAccessPrevention",
            "publicAccessPrevention is not enforced",
        ),
        _must(
            inputs.get("uniformBucketLevelAccess"),
            True,
            "uniformBucketLevelAccess",
            "uniformBucketLevelAccess is not true: single objects may be public",
        ),
    )


def _gcs_versioned(bucket: Registered, resources: tuple[Registered, ...]) -> str:  # noqa: ARG001  # a Check
    enabled = within(bucket.inputs, "versioning", "enabled")
    return _must(enabled, True, "versioning", "it keeps no old versions; write versioning: {enabled: true}")


def _gcs_uploads(bucket: Registered, resources: tuple[Registered, ...]) -> str:  # noqa: ARG001  # a Check
    rules = bucket.inputs.get("lifecycleRules")
    if rules is UNKNOWN:
        return NOT_KNOWN.format("lifecycleRules")
    types = [
        within(rule, "action", "type") for rule in listed(rules) if not within(rule, "condition", "matchesPrefixes")
    ]
    if "AbortIncompleteMultipartUpload" in types:
        return ""
    return "no rule of type AbortIncompleteMultipartUpload over the whole bucket"


# --- Azure: the account holds the settings; Azure encrypts always and drops uncommitted blocks after a week ---

AZURE_SERVICE = "azure-native:storage:BlobServiceProperties"


def _azure_private(bucket: Registered, resources: tuple[Registered, ...]) -> str:  # noqa: ARG001  # a Check
    inputs = bucket.inputs
    return _first(
        _must(
            inputs.get("allowBlobPublicAccess"), False, "allowBlobPublicAccess", "allowBlobPublicAccess is not false"
        ),
        _must(inputs.get("enableHttpsTrafficOnly", True), True, "enableHttpsTrafficOnly", "it answers without TLS"),
    )


def _azure_versioned(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    found = tuple(of_bucket(bucket, resources, (AZURE_SERVICE,), "accountName"))
    value = found[0].inputs.get("isVersioningEnabled") if found else None
    return _must(
        value,
        True,
        "isVersioningEnabled",
        "it keeps no old versions; add BlobServiceProperties with isVersioningEnabled: true",
    )


# --- Alibaba Cloud OSS: inputs of the bucket, or resources of their own ---

OSS_BLOCK = "alicloud:oss/bucketPublicAccessBlock:BucketPublicAccessBlock"
OSS_ACL = "alicloud:oss/bucketAcl:BucketAcl"
OSS_ENCRYPTION = "alicloud:oss/bucketServerSideEncryption:BucketServerSideEncryption"
OSS_VERSIONING = "alicloud:oss/bucketVersioning:BucketVersioning"


def _oss_private(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    acls = [
        bucket.inputs.get("acl"),
        *(one.inputs.get("acl") for one in of_bucket(bucket, resources, (OSS_ACL,), "bucket")),
    ]
    if any(acl in PUBLIC_ACLS for acl in acls):
        return "its acl is public"
    blocks = tuple(of_bucket(bucket, resources, (OSS_BLOCK,), "bucket"))
    value = blocks[0].inputs.get("blockPublicAccess") if blocks else None
    return _must(
        value,
        True,
        "blockPublicAccess",
        "nothing in the program blocks public access to it; add a BucketPublicAccessBlock with blockPublicAccess: true",
    )


def _oss_encrypted(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    found = tuple(of_bucket(bucket, resources, (OSS_ENCRYPTION,), "bucket"))
    inline = within(bucket.inputs, "serverSideEncryptionRule", "sseAlgorithm")
    algorithms = [inline, *(one.inputs.get("sseAlgorithm") for one in found)]
    if UNKNOWN in algorithms:
        return NOT_KNOWN.format("sseAlgorithm")
    if any(algorithms):
        return ""
    return "nothing encrypts it; write serverSideEncryptionRule: {sseAlgorithm: AES256}, or KMS"


def _oss_versioned(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    found = tuple(of_bucket(bucket, resources, (OSS_VERSIONING,), "bucket"))
    status = found[0].inputs.get("status") if found else within(bucket.inputs, "versioning", "status")
    return _must(
        status, "Enabled", "versioning.status", "it keeps no old versions; write versioning: {status: Enabled}"
    )


def _oss_uploads(bucket: Registered, resources: tuple[Registered, ...]) -> str:  # noqa: ARG001  # a Check
    rules = bucket.inputs.get("lifecycleRules")
    if rules is UNKNOWN:
        return NOT_KNOWN.format("lifecycleRules")
    whole = [rule for rule in listed(rules) if within(rule, "enabled") is True and not within(rule, "prefix")]
    if any(listed(within(rule, "abortMultipartUploads")) for rule in whole):
        return ""
    return "no enabled rule over the whole bucket ends uploads that were never completed"


# --- Oracle: inputs of the bucket; Oracle encrypts always ---

OCI_RULES = "oci:ObjectStorage/objectLifecyclePolicy:ObjectLifecyclePolicy"


def _oci_private(bucket: Registered, resources: tuple[Registered, ...]) -> str:  # noqa: ARG001  # a Check
    access = bucket.inputs.get("accessType", "NoPublicAccess")
    return _must(access, "NoPublicAccess", "accessType", f"its accessType is {access}")


def _oci_versioned(bucket: Registered, resources: tuple[Registered, ...]) -> str:  # noqa: ARG001  # a Check
    return _must(
        bucket.inputs.get("versioning"), "Enabled", "versioning", "it keeps no old versions; write versioning: Enabled"
    )


def _oci_uploads(bucket: Registered, resources: tuple[Registered, ...]) -> str:
    rules = [
        rule for one in of_bucket(bucket, resources, (OCI_RULES,), "bucket") for rule in listed(one.inputs.get("rules"))
    ]
    if any(within(rule, "action") == "ABORT" and within(rule, "isEnabled") is True for rule in rules):
        return ""
    return "no enabled rule with action ABORT ends uploads that were never completed"


CLOUDS: tuple[Cloud, ...] = (
    Cloud(
        tokens=("aws:s3/bucket:Bucket", "aws:s3/bucketV2:BucketV2"),
        companions=(S3_BLOCK, *S3_ACL, *S3_ENCRYPTION, *S3_VERSIONING, *S3_RULES),
        private=_s3_private,
        encrypted=_s3_encrypted,
        versioned=_s3_versioned,
        uploads=_s3_uploads,
    ),
    Cloud(
        tokens=("gcp:storage/bucket:Bucket",),
        companions=GCS_MEMBERS,
        private=_gcs_private,
        encrypted=None,
        versioned=_gcs_versioned,
        uploads=_gcs_uploads,
    ),
    Cloud(
        tokens=("azure-native:storage:StorageAccount",),
        companions=(AZURE_SERVICE,),
        private=_azure_private,
        encrypted=None,
        versioned=_azure_versioned,
        uploads=None,
    ),
    Cloud(
        tokens=("alicloud:oss/bucket:Bucket",),
        companions=(OSS_BLOCK, OSS_ACL, OSS_ENCRYPTION, OSS_VERSIONING),
        private=_oss_private,
        encrypted=_oss_encrypted,
        versioned=_oss_versioned,
        uploads=_oss_uploads,
    ),
    Cloud(
        tokens=("oci:ObjectStorage/bucket:Bucket",),
        companions=(OCI_RULES,),
        private=_oci_private,
        encrypted=None,
        versioned=_oci_versioned,
        uploads=_oci_uploads,
    ),
)
