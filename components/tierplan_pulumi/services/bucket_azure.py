"""A storage account of Azure with one container, safe from the start: private, encrypted, with its rules of age."""

from __future__ import annotations

import hashlib
import re
import warnings
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_azure

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule
from tierplan.lifecycle.rules import OLD_VERSIONS_AFTER_DAYS
from tierplan_pulumi.services import _azure
from tierplan_pulumi.services._place import Place

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    storage = pulumi_azure.storage
    storage.Account, storage.Container, storage.ManagementPolicy  # noqa: B018  # loaded on first use

DATA_PATH = "Storage Blob Data Contributor"
TIERS = {"Cool": "cool", "Cold": "cold", "Archive": "archive"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An account and a container of it."""

    account: pulumi.Input[str]
    container: pulumi.Input[str]


def account_name(stack: str, group: str, use: str) -> str:
    """
    A name for an account, of which Azure wants no two in the world: 3 to 24 small letters and digits.

    >>> account_name("Azure JuiceFS", "gpu", "hot")
    'tpazurejuicefshot16a56f'
    """
    slug = re.sub(r"[^a-z0-9]", "", stack.lower())[:12]
    mark = hashlib.sha256(f"{stack}/{group}/{use}".encode()).hexdigest()[:6]
    return f"tp{slug}{use[:4]}{mark}"


def safe_container(
    name: str,
    place: Place,
    stack: str,
    *,
    use: str,
    lifecycle: LifecyclePlan | None,
    opts: pulumi.ResourceOptions,
    versioning: bool = True,
) -> Made:
    """
    An account with one container and everything that keeps it safe.

    lifecycle:  the plan's rules; None for a container whose blobs only their writer may touch (the data of JuiceFS)
    """
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True))
    account = storage.Account(
        name,
        name=account_name(stack, place.ids["resource_group"], use),
        resource_group_name=place.ids["resource_group"],
        location=place.region,
        account_kind="StorageV2",
        account_tier="Standard",
        account_replication_type="ZRS",
        access_tier="Hot",
        https_traffic_only_enabled=True,
        min_tls_version="TLS1_2",
        allow_nested_items_to_be_public=False,
        shared_access_key_enabled=False,  # Guard: identities only; no key can leak
        infrastructure_encryption_enabled=True,
        blob_properties={"versioning_enabled": versioning},
        tags=_azure.tags(place.tags),
        opts=kept,
    )
    container = storage.Container(
        f"{name}-container", name=use, storage_account_id=account.id, container_access_type="private", opts=kept
    )
    rules = [rule_args(rule, use) for rule in (lifecycle.rules if lifecycle else ()) if _does_something(rule)]
    if versioning:
        rules.append(
            rule_args(ObjectRule(id="drop-old-versions", old_versions_after_days=OLD_VERSIONS_AFTER_DAYS), use)
        )
    if rules:
        storage.ManagementPolicy(f"{name}-lifecycle", storage_account_id=account.id, rules=rules, opts=opts)
    principal = place.ids.get("client_principal")
    if principal is not None:
        pulumi_azure.authorization.Assignment(
            f"{name}-access",
            scope=account.id,
            role_definition_name=DATA_PATH,
            principal_id=principal,
            opts=opts,
        )
    return Made(account=account.name, container=container.name)


def _does_something(rule: ObjectRule) -> bool:
    """Uploads that were never finished need no rule: the service drops their blocks after a week."""
    return bool(rule.transitions) or rule.delete_after_days is not None or rule.old_versions_after_days is not None


def rule_args(rule: ObjectRule, container: str) -> dict[str, Any]:
    """One rule in the provider's words; a prefix begins with the container's name."""
    base: dict[str, Any] = {
        f"tier_to_{TIERS[move.storage_class]}_after_days_since_modification_greater_than": move.after_days
        for move in rule.transitions
    }
    if rule.delete_after_days is not None:
        base["delete_after_days_since_modification_greater_than"] = rule.delete_after_days
    actions: dict[str, Any] = {"base_blob": base} if base else {}
    if rule.old_versions_after_days is not None:
        actions["version"] = {"delete_after_days_since_creation": rule.old_versions_after_days}
    filters = {"blob_types": ["blockBlob"], "prefix_matches": [f"{container}/{rule.prefix}"]}
    return {"name": rule.id, "enabled": True, "filters": filters, "actions": actions}
