"""The GPU nodes' own NVMe drives: one striped array on each node, no protection, gone with the node."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.backends import Backend
from tierplan.backends._choosing import OptionKind, Relied
from tierplan.backends._local import COMMON, LocalProduct, local_model
from tierplan.backends._sizing import Model
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import TierConfig

OPTIONS: Mapping[str, OptionKind] = COMMON


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The figures of the nodes' arrays, with nothing between them and who reads."""
    return local_model(config, need, used)


BACKEND: Backend = LocalProduct(id="local-nvme", options=OPTIONS, arrays="raid0", model=model)
