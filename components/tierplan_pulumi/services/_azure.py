"""What the services of Azure share: tags and names in Azure's rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pulumi

from tierplan.domain.plan import Plan
from tierplan_pulumi.services._place import Place, place_of, same_place

TAG_KEY, TAG_VALUE, MOST_TAGS = 512, 256, 50
FORBIDDEN = re.compile(r"[<>%&\\?/]")


def place(name: str, plan: Plan, needed: tuple[str, ...]) -> Place:
    """
    The stack's region and network.

    Raises:   RunError if something is missing, or the provider's own location is another
    """
    found = place_of(name, plan, needed=needed)
    same_place(name, "azure:location", pulumi.Config("azure").get("location"), found.region, "site.region")
    return found


def tags(words: Mapping[str, str]) -> dict[str, str]:
    """
    Tags as Azure takes them: at most 50, keys of 512 characters, some of which are forbidden, values of 256.

    >>> tags({"team/owner": "storage"})
    {'team-owner': 'storage'}
    """
    found = {FORBIDDEN.sub("-", key)[:TAG_KEY]: value[:TAG_VALUE] for key, value in sorted(words.items())}
    return dict(list(found.items())[:MOST_TAGS])


def slug(stack: str, most: int) -> str:
    """
    A stack's name in small letters, digits and hyphens.

    >>> slug("Azure Lustre", 40)
    'azure-lustre'
    """
    return re.sub(r"[^a-z0-9]+", "-", stack.lower()).strip("-")[:most].strip("-") or "cluster"
