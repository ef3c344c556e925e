"""
What the pack has been shown so far: the inputs of each resource, by URN.

A stack policy is given outputs, in which the provider's own answers are unknown at preview; what was asked of it
stands in the inputs.  The engine shows those to the resource policies first, of the same process.
"""

from __future__ import annotations

from collections.abc import Mapping

INPUTS: dict[str, Mapping[str, object]] = {}
