"""What the services of Google Cloud share: labels and names in Google's rules, private service access."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pulumi
import pulumi_gcp

from tierplan.domain.plan import Plan
from tierplan_pulumi.services._place import Place, place_of, same_place

MOST, MOST_LABELS = 63, 64
SERVICE = "servicenetworking.googleapis.com"


def place(name: str, plan: Plan, needed: tuple[str, ...], *words: str) -> Place:
    """
    The stack's region, zone and network.

    Raises:   RunError if something is missing, or the provider's own region or project is another
    """
    found = place_of(name, plan, needed=needed, words=("region", *words))
    own = pulumi.Config("gcp")
    same_place(name, "gcp:region", own.get("region"), found.region, "site.region")
    same_place(name, "gcp:project", own.get("project"), project(found) or "unset", "site.network.project")
    return found


def project(place: Place) -> str | None:
    """The stack's project: its own word, else that of the network; None leaves it to the provider."""
    found = re.fullmatch(r"projects/([^/]+)/global/networks/.+", place.ids.get("network", ""))
    return place.ids.get("project") or (found.group(1) if found else None)


def slug(stack: str, most: int) -> str:
    """
    A stack's name in small letters, digits and hyphens.

    >>> slug("Google JuiceFS", 28)
    'google-juicefs'
    """
    return re.sub(r"[^a-z0-9]+", "-", stack.lower()).strip("-")[:most].strip("-") or "cluster"


def labels(words: Mapping[str, str]) -> dict[str, str]:
    """
    Tags as labels: small letters, digits, hyphens and underscores, at most 63 characters, a letter first.

    >>> labels({"Owner": "AI Storage", "1st": "x"})
    {'t1st': 'x', 'owner': 'ai_storage'}
    """
    found = {_label_key(key): _label(value) for key, value in sorted(words.items())}
    return dict(list(found.items())[:MOST_LABELS])


def _label(word: str) -> str:
    return re.sub(r"[^a-z0-9_-]", "_", word.lower())[:MOST]


def _label_key(word: str) -> str:
    key = _label(word)
    return key if key[:1].isalpha() else f"t{key}"[:MOST]


def private_access(name: str, place: Place, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """
    Private service access over the reserved range that the stack names; nothing where it exists.

    Guard: it must be active before the first service of the network is made.
    """
    reserved = place.ids.get("reserved_range")
    if reserved is None:
        return []
    connection = pulumi_gcp.servicenetworking.Connection(
        f"{name}-private-access",
        network=place.ids["network"],
        service=SERVICE,
        reserved_peering_ranges=[reserved],
        deletion_policy="ABANDON",  # other services of the network may use it
        opts=opts,
    )
    return [connection]
