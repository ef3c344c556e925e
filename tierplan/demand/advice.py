"""stub"""

from collections.abc import Mapping

from tierplan.demand.sheet import Asked
from tierplan.domain.figures import Figure
from tierplan.domain.need import Advice
from tierplan.domain.stack import Stack


def advice(stack: Stack, figures: Mapping[str, Figure], asked: Asked) -> tuple[Advice, ...]:
    return ()
