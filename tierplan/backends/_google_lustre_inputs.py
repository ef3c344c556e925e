"""A Google Cloud Managed Lustre instance of anybody's program, read as the words of a stack."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.backends._managed import GIB
from tierplan.backends._managed_inputs import Reader
from tierplan.domain.stack import OptionValue

TOKEN = "gcp:lustre/instance:Instance"  # noqa: S105  # a type of resource, no secret
TEXTS = {"filesystem": "filesystem", "instanceId": "instance_id", "kmsKey": "kms_key"}


def words_of_inputs(token: str, inputs: Mapping[str, object]) -> dict[str, OptionValue]:
    """
    The options of a resource; numbers arrive as text.

    Raises:   InputError with one line for each input that is unknown at preview or of a wrong type
    """
    reader, words = Reader(inputs), dict[str, OptionValue]()
    if token != TOKEN:
        reader.faults.append(f"{token}: no resource of Google Cloud Managed Lustre; {TOKEN} is")
    size, rate = reader.number("capacityGib"), reader.number("perUnitStorageThroughput")
    if size is not None:
        words["size"] = GIB.text(size)
    if rate:
        words["per_unit_throughput"] = int(rate)
    words["dynamic_tier"] = reader.text("dynamicTierOptions.mode") == "DEFAULT_CACHE"
    words["gke_support"] = bool(reader.flag("gkeSupportEnabled"))
    for name, word in TEXTS.items():
        text = reader.text(name)
        if text is not None:
            words[word] = text
    reader.end()
    return words
