"""Resources of anybody's program as the rules look at them: plain values, and `UNKNOWN` where there is none yet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pulumi_policy import proxy

from seen import INPUTS
from tierplan.plan.rule import UNKNOWN, Registered

if TYPE_CHECKING:
    from pulumi_policy import PolicyResource, ResourceValidationArgs

NOT_KNOWN = proxy.UNKNOWN_STRING_VALUE


class Inputs(Mapping[str, object]):
    """The inputs of a resource: plain, but to ask for a value that is not known at preview raises."""

    def __init__(self, values: Mapping[str, object], path: tuple[str, ...] = ()) -> None:
        self._values, self._path = values, path

    def __getitem__(self, key: str) -> object:
        value = self._values[key]
        path = (*self._path, key)
        if value is UNKNOWN:
            raise proxy.UnknownValueError(NOT_KNOWN, list(path))
        return self._values[key] if is_known(value) else _checked(value, path)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def _checked(value: object, path: tuple[str, ...]) -> object:
    if isinstance(value, Mapping):
        return Inputs(value, path)
    raise proxy.UnknownValueError(NOT_KNOWN, list(path))  # a list of which a part is not known


def is_known(value: object) -> bool:
    """Whether nothing in it is unknown."""
    if isinstance(value, Mapping):
        return all(map(is_known, value.values()))
    return all(map(is_known, value)) if isinstance(value, list) else value is not UNKNOWN


def known(value: object) -> object:
    """The value without the proxies of the policy SDK, `UNKNOWN` where it is not known at preview."""
    if isinstance(value, Mapping):
        return {key: _item(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_item(value, index) for index in range(len(value))]
    return value


def _item(holder: object, key: object) -> object:
    try:
        value = holder[key]  # type: ignore[index]  # a map by its keys, a list by its places
    except proxy.UnknownValueError:
        return UNKNOWN
    return known(value)


def inputs_of(properties: Mapping[str, object]) -> dict[str, object]:
    """All properties of a resource, in the manner of `known`; the engine's own keys are left out."""
    return {key: _item(properties, key) for key in properties if not key.startswith("__")}


def text_of(inputs: Mapping[str, object]) -> str:
    """The inputs as text that two equal ones share."""
    return json.dumps(inputs, sort_keys=True, default=lambda _: NOT_KNOWN)


def read(text: str) -> dict[str, object]:
    """What `text_of` wrote."""
    found: dict[str, object] = _read(json.loads(text))  # type: ignore[assignment]  # a map was written
    return found


def _read(value: object) -> object:
    if isinstance(value, dict):
        return {key: _read(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_read(item) for item in value]
    return UNKNOWN if value == NOT_KNOWN else value


def alone(args: ResourceValidationArgs) -> Registered:
    """A resource as a resource policy sees it: before it is made, without its neighbours."""
    return Registered(
        token=args.resource_type,
        name=args.name,
        urn=args.urn,
        inputs=inputs_of(args.props),
        parent=args.opts.parent or None,
        protected=args.opts.protect,
    )


def together(resources: Sequence[PolicyResource]) -> tuple[Registered, ...]:
    """All resources as a stack policy sees them; by their inputs, where those were shown."""
    return tuple(
        Registered(
            token=one.resource_type,
            name=one.name,
            urn=one.urn,
            inputs=inputs_of(INPUTS.get(one.urn, one.props)),
            links={key: tuple(other.urn for other in others) for key, others in one.property_dependencies.items()},
            parent=one.parent.urn if one.parent else None,
            protected=one.opts.protect,
        )
        for one in resources
    )
