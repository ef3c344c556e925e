"""
Pulumi: ``pulumi stack export``; our own tiers with every choice, and the clouds' resources of anybody's program.

Source:   pulumi/pulumi sdk/go/common/apitype: UntypedDeployment, DeploymentV3, ResourceV3 (checked 2026-11-29)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan import wire
from tierplan.errors import InputError
from tierplan.existing.choices import config_pins
from tierplan.existing.documents import mapped, objects
from tierplan.existing.nouns import Found
from tierplan.existing.resources import found, service_of
from tierplan.measure.readers.documents import block, text_of

PRODUCT = "Pulumi stack"
TELLS: Mapping[str, str] = {}
TOOL = "pulumi stack export"


def fits(text: str) -> bool:
    """Whether this is an exported stack."""
    return '"deployment"' in text and ('"resources"' in text or '"manifest"' in text)


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found` for each tier of ours; without any, for each file system and bucket that is known.

    Raises:   InputError if it is cut off, or nothing of it is known
    """
    rows = objects(block(mapped(text[text.find("{") :], file), "deployment").get("resources"))
    alive = [one for one in rows if one.get("delete") is not True]
    own = [one for one in alive if text_of(one, "type") in wire.TIER_OF]
    made = [_own(one, file) for one in own] or [
        found(service, block(one, "inputs"), tool=TOOL, file=file, name=_name(one), region=_region(one))
        for one in alive
        if (service := service_of(text_of(one, "type"))) is not None
    ]
    if not made:
        message = f"{file}: holds no tier, file system or bucket that is known; export a stack that is deployed"
        raise InputError(message)
    yield from made


def _name(one: Mapping[str, object]) -> str:
    return text_of(one, "urn").rpartition("::")[2]


def _region(one: Mapping[str, object]) -> str:
    return text_of(block(one, "inputs"), "region")


def _own(one: Mapping[str, object], file: str) -> Found:
    token = text_of(one, "type")
    tier = wire.TIER_OF[token]
    inputs = {key: value for key, value in block(one, "inputs").items() if not key.startswith("__")}
    try:
        config = wire.tier_inputs(token, inputs).config
    except InputError as fault:
        raise InputError(f"{file}: {_name(one)}: {line}" for line in fault.faults) from None
    if config is None:
        message = f"{file}: {_name(one)}: nothing was chosen for it when it was deployed"
        raise InputError(message)
    return Found(
        product=f"Pulumi stack, {tier} tier",
        tool=TOOL,
        file=file,
        name=_name(one),
        backends={tier: config.backend},
        pins=config_pins(config),
        whole=True,
        complete=True,
    )
