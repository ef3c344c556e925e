"""
A bucket's rules in the form that each service takes: documents of maps and lists, ready to be written as JSON.

OSS, COS and OBS take XML; their templates write it from the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tierplan.domain.lifecycle import ObjectRule

Document = dict[str, object]
OCI_ACTIONS = {"InfrequentAccess": "INFREQUENT_ACCESS", "Archive": "ARCHIVE"}


def s3(rules: Sequence[ObjectRule]) -> Document:
    """
    The body of PutBucketLifecycleConfiguration: S3, and every store that speaks its API.

    Source:   botocore service model s3/2006-03-01, BucketLifecycleConfiguration
    """
    return {"Rules": [_s3_rule(rule) for rule in rules]}


def _s3_rule(rule: ObjectRule) -> Document:
    found: Document = {"ID": rule.id, "Status": "Enabled", "Filter": {"Prefix": rule.prefix}}
    if rule.transitions:
        moves = [{"Days": move.after_days, "StorageClass": move.storage_class} for move in rule.transitions]
        found["Transitions"] = moves
    if rule.delete_after_days is not None:
        found["Expiration"] = {"Days": rule.delete_after_days}
    if rule.old_versions_after_days is not None:
        found["NoncurrentVersionExpiration"] = {"NoncurrentDays": rule.old_versions_after_days}
    if rule.abort_uploads_after_days is not None:
        found["AbortIncompleteMultipartUpload"] = {"DaysAfterInitiation": rule.abort_uploads_after_days}
    return found


def gcs(rules: Sequence[ObjectRule]) -> Document:
    """
    The `lifecycle` of a bucket resource: one action for each rule.

    Source:   Cloud Storage JSON API, Buckets resource, lifecycle.rule[]
    """
    return {"lifecycle": {"rule": [item for rule in rules for item in _gcs_rules(rule)]}}


def _gcs_rules(rule: ObjectRule) -> Iterator[Document]:
    where: Document = {"matchesPrefix": [rule.prefix]} if rule.prefix else {}
    for move in rule.transitions:
        action = {"type": "SetStorageClass", "storageClass": move.storage_class}
        yield {"action": action, "condition": {"age": move.after_days, **where}}
    if rule.delete_after_days is not None:
        yield {"action": {"type": "Delete"}, "condition": {"age": rule.delete_after_days, "isLive": True, **where}}
    if rule.old_versions_after_days is not None:
        condition = {"daysSinceNoncurrentTime": rule.old_versions_after_days, **where}
        yield {"action": {"type": "Delete"}, "condition": condition}
    if rule.abort_uploads_after_days is not None:
        condition = {"age": rule.abort_uploads_after_days, **where}
        yield {"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": condition}


def azure(rules: Sequence[ObjectRule], container: str) -> Document:
    """
    The policy of a storage account; uncommitted blocks go after a week by themselves, so no rule ends uploads.

    Source:   Microsoft.Storage storageAccounts/managementPolicies 2023-04-01
    """
    found = [(rule, _azure_actions(rule)) for rule in rules]
    return {
        "rules": [
            {
                "enabled": True,
                "name": "".join(word.title() for word in rule.id.split("-")),
                "type": "Lifecycle",
                "definition": {
                    "filters": {"blobTypes": ["blockBlob"], "prefixMatch": [f"{container}/{rule.prefix}"]},
                    "actions": actions,
                },
            }
            for rule, actions in found
            if actions
        ]
    }


def _azure_actions(rule: ObjectRule) -> Document:
    words = "daysAfterModificationGreaterThan"
    base: Document = {f"tierTo{move.storage_class}": {words: move.after_days} for move in rule.transitions}
    if rule.delete_after_days is not None:
        base["delete"] = {words: rule.delete_after_days}
    found: Document = {"baseBlob": base} if base else {}
    if rule.old_versions_after_days is not None:
        found["version"] = {"delete": {"daysAfterCreationGreaterThan": rule.old_versions_after_days}}
    return found


def oci(rules: Sequence[ObjectRule]) -> list[Document]:
    """
    The items of an object lifecycle policy.

    Source:   Oracle Cloud Infrastructure API, ObjectLifecycleRule
    """
    return [item for rule in rules for item in _oci_rules(rule)]


def _oci_rules(rule: ObjectRule) -> Iterator[Document]:
    def item(name: str, action: str, days: int, target: str) -> Document:
        found: Document = {
            "name": f"{rule.id}{name}",
            "action": action,
            "timeAmount": days,
            "timeUnit": "DAYS",
            "isEnabled": True,
            "target": target,
        }
        if rule.prefix:
            found["objectNameFilter"] = {"inclusionPrefixes": [rule.prefix]}
        return found

    for move in rule.transitions:
        action = OCI_ACTIONS.get(move.storage_class, move.storage_class)
        yield item(f"-{action.lower().replace('_', '-')}", action, move.after_days, "objects")
    if rule.delete_after_days is not None:
        yield item("-delete", "DELETE", rule.delete_after_days, "objects")
    if rule.old_versions_after_days is not None:
        yield item("", "DELETE", rule.old_versions_after_days, "previous-object-versions")
    if rule.abort_uploads_after_days is not None:
        yield item("", "ABORT", rule.abort_uploads_after_days, "multipart-uploads")
