"""What the ids of a site's network look like: a slip is found before anything is asked of a cloud."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from tierplan.load.faults import Fault, listed
from tierplan.load.parts import Part
from tierplan.load.site_words import site_words


def site_faults(stack: Part) -> Iterator[Fault]:
    """Keys and ids of `site.network` that the kind of site does not have."""
    site = stack.part("site")
    known = site_words(site.text("kind") or "") if site else None
    network = site.part("network") if site and known else None
    if network is None or known is None:
        return
    words = known.ids
    for key, value in network.block.items():
        if key not in words:
            near = difflib.get_close_matches(key, words, n=1)
            hint = f"did you mean {near[0]}?" if near else f"allowed: {listed(sorted(words))}"
            yield network.fault(key, f"no id of this kind of site; {hint}")
        elif not isinstance(value, str) or not re.fullmatch(words[key][0], value):
            yield network.fault(key, f'"{value}" is not spelt like one; write e.g. "{words[key][1]}"')
