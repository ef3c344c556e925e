"""What the ids of a site's network look like: a slip is found before anything is asked of a cloud."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping

from tierplan.load.faults import Fault, listed
from tierplan.load.parts import Part

Words = Mapping[str, tuple[str, str]]
_SUBNET, _GROUP = ("subnet-[0-9a-f]+", "subnet-0a1b2c3d4e5f60718"), ("sg-[0-9a-f]+", "sg-0a1b2c3d4e5f60718")
_KEY = ("arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:(key|alias)/.+", "arn:aws:kms:us-east-1:111122223333:key/1234abcd")
_ROLE = ("arn:aws[a-z-]*:iam::[0-9]{12}:role/.+", "arn:aws:iam::111122223333:role/gpu-nodes")
NETWORK: Mapping[str, Words] = {
    "aws": {
        "vpc": ("vpc-[0-9a-f]+", "vpc-0a1b2c3d4e5f60718"),
        "subnet": _SUBNET,
        "subnets": (f"{_SUBNET[0]}( *, *{_SUBNET[0]})*", "subnet-0a1b2c3d, subnet-0e5f6071"),
        "client_security_group": _GROUP,
        "file_system_security_group": _GROUP,
        "kms_key": _KEY,
        "client_role": _ROLE,
    }
}
"""Kind of site -> key of `site.network` -> how its value is spelt, and an example."""


def site_faults(stack: Part) -> Iterator[Fault]:
    """Keys and ids of `site.network` that the kind of site does not have."""
    site = stack.part("site")
    words = NETWORK.get(site.text("kind") or "") if site else None
    network = site.part("network") if site and words else None
    if network is None or words is None:
        return
    for key, value in network.block.items():
        if key not in words:
            near = difflib.get_close_matches(key, words, n=1)
            hint = f"did you mean {near[0]}?" if near else f"allowed: {listed(sorted(words))}"
            yield network.fault(key, f"no id of this kind of site; {hint}")
        elif not isinstance(value, str) or not re.fullmatch(words[key][0], value):
            yield network.fault(key, f'"{value}" is not spelt like one; write e.g. "{words[key][1]}"')
