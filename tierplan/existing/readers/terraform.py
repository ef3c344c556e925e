"""
Terraform: a state file (version 4), ``terraform state pull`` or ``terraform show -json``.

Source:   Terraform documentation: JSON output format; state version 4 (resources, instances, attributes);
          attributes as in the providers' documentation (checked 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.errors import InputError
from tierplan.existing.documents import mapped, objects
from tierplan.existing.nouns import Found
from tierplan.existing.resources import camel, found, service_of
from tierplan.measure.readers.documents import block, text_of

PRODUCT = "Terraform state"
TELLS: Mapping[str, str] = {}


def fits(text: str) -> bool:
    """Whether this is Terraform's state."""
    return '"terraform_version"' in text or ('"format_version"' in text and '"root_module"' in text)


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found` for each file system and bucket that is known.

    Raises:   InputError if it is cut off, or none is in it
    """
    state = mapped(text[text.find("{") :], file)
    made = [
        found(service, inputs, tool="Terraform state", file=file, name=name, region=text_of(inputs, "region"))
        for kind, name, attributes in _resources(state)
        if (service := service_of(kind)) is not None
        for inputs in (camel(attributes),)
    ]
    if not made:
        message = f"{file}: holds no file system or bucket that is known (aws_fsx_lustre_file_system, aws_s3_bucket, …)"
        raise InputError(message)
    yield from made


def _resources(state: Mapping[str, object]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    if "values" in state:
        yield from _module(block(block(state, "values"), "root_module"))
    for one in objects(state.get("resources")):
        if text_of(one, "mode") in ("managed", ""):
            for instance in objects(one.get("instances")):
                yield text_of(one, "type"), text_of(one, "name"), block(instance, "attributes")


def _module(module: Mapping[str, object]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    for one in objects(module.get("resources")):
        if text_of(one, "mode") in ("managed", ""):
            yield text_of(one, "type"), text_of(one, "name"), block(one, "values")
    for child in objects(module.get("child_modules")):
        yield from _module(child)
