"""Chains of copies over nodes: how many targets each drive gets, which nodes share chains, how even that is."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Groups: TypeAlias = tuple[tuple[int, ...], ...]

SEARCH_STEPS = 60_000
"""Moves that the search tries at most, so that it ends within two seconds and always with the same design."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """How evenly the reads of a lost node fall on the others."""

    least_shared: int
    most_shared: int
    busiest_share: float
    """Of the lost node's reads, what the busiest of the others takes over."""
    even_share: float
    """What each would take if all took the same: 1 / (nodes - 1)."""

    @property
    def even(self) -> bool:
        """No design of these sizes is more even."""
        return self.most_shared - self.least_shared <= 1


def targets_step(*, nodes: int, replicas: int) -> int:
    """
    Targets of one drive come in multiples of this, so that every target finds its chain.

    Formula:  replicas / gcd(nodes, replicas)

    >>> targets_step(nodes=10, replicas=3), targets_step(nodes=9, replicas=3)
    (3, 1)
    """
    return replicas // math.gcd(nodes, replicas) if replicas > 0 and nodes > 0 else 1


def fitting_targets(*, nodes: int, replicas: int, least: int) -> int:
    """
    Smallest number of targets of one drive, from `least` on, of which none is left without a chain.

    Formula:  smallest r >= least with nodes * r divisible by replicas

    >>> fitting_targets(nodes=10, replicas=3, least=7)
    9
    """
    step = targets_step(nodes=nodes, replicas=replicas)
    return -(-max(1, least) // step) * step


def sharing_targets(*, nodes: int, replicas: int, least: int, most: int = 99, balanced: bool = False) -> int | None:
    """
    Targets of one drive with which every node shares a chain with every other; None if `most` do not do.

    Formula:  smallest r in [least, most] with nodes * r divisible by replicas and r * (replicas - 1) >= nodes - 1
    Where:    `balanced` also asks that r >= replicas and that nodes - 1 divides r * (replicas - 1)
    Source:   github.com/deepseek-ai/3FS, deploy/data_placement (2026-11-29)

    >>> sharing_targets(nodes=12, replicas=3, least=1), sharing_targets(nodes=200, replicas=3, least=1)
    (6, None)
    >>> sharing_targets(nodes=8, replicas=3, least=1, balanced=True)
    21
    """
    if replicas < 2 or nodes < replicas:
        return None
    step, floor = targets_step(nodes=nodes, replicas=replicas), max(least, -(-(nodes - 1) // (replicas - 1)))
    if balanced:
        step = math.lcm(step, (nodes - 1) // math.gcd(nodes - 1, replicas - 1))
        floor = max(floor, replicas)
    found = -(-floor // step) * step
    return found if found <= most else None


def groups_of(*, nodes: int, replicas: int, targets: int) -> int:
    """
    Chains for one drive index: sets of nodes that hold the same chunks.

    Formula:  nodes * targets // replicas

    >>> groups_of(nodes=5, replicas=3, targets=6)
    10
    """
    return nodes * targets // replicas if replicas > 0 else 0


def target_id(*, prefix: int, node: int, disk: int, target: int) -> int:
    """
    Number of one target; disk and target count from 0.

    Formula:  ((prefix * 10**6 + node) * 10**3 + disk + 1) * 100 + target + 1
    Source:   github.com/deepseek-ai/3FS, deploy/data_placement/src/setup (2026-11-29)

    >>> target_id(prefix=1, node=10005, disk=15, target=5)
    101000501606
    """
    return ((prefix * 10**6 + node) * 10**3 + disk + 1) * 100 + target + 1


def chain_id(*, prefix: int, disk: int, group: int) -> int:
    """
    Number of one chain; disk counts from 0, group from 1.

    Formula:  (prefix * 10**3 + disk + 1) * 10**5 + group
    Source:   github.com/deepseek-ai/3FS, deploy/data_placement/src/setup (2026-11-29)

    >>> chain_id(prefix=9, disk=15, group=10)
    901600010
    """
    return (prefix * 10**3 + disk + 1) * 10**5 + group


def shared_chains(groups: Sequence[Sequence[int]], *, nodes: int) -> list[int]:
    """Chains that two nodes have in common, at ``a * nodes + b`` and ``b * nodes + a``."""
    shared = [0] * (nodes * nodes)
    for group in groups:
        for one in group:
            for other in group:
                if one != other:
                    shared[one * nodes + other] += 1
    return shared


def balance(groups: Sequence[Sequence[int]], *, nodes: int) -> Balance:
    """How evenly a design spreads the reads of a lost node, if each chain spreads its own over those left in it."""
    shared = shared_chains(groups, nodes=nodes)
    rows = [[shared[one * nodes + other] for other in range(nodes) if other != one] for one in range(nodes)]
    return Balance(
        least_shared=min((min(row) for row in rows if row), default=0),
        most_shared=max((max(row) for row in rows if row), default=0),
        busiest_share=max((max(row) / sum(row) for row in rows if sum(row)), default=1.0),
        even_share=1 / (nodes - 1) if nodes > 1 else 1.0,
    )


def design(*, nodes: int, replicas: int, targets: int, steps: int = SEARCH_STEPS) -> Groups:
    """
    Which nodes form the chains of one drive index: each in `targets` of them, any two together about as often.

    Two copies are solved exactly, by a round robin.  More copies start from base blocks that are moved round the
    nodes (a difference family, where one is found) and are evened out by swaps, until no design is more even or
    `steps` are used up.  The same sizes always give the same design; `balance` says how even it is.
    """
    if replicas < 1 or nodes < replicas or targets < 1:
        return ()
    if replicas == 2:
        return _pairs(nodes, targets)
    dice = random.Random(nodes * 10**6 + replicas * 10**3 + targets)  # noqa: S311  # a search, no secret
    blocks = _base_blocks(nodes, replicas, targets // replicas, dice, steps=steps // 2)
    groups = [[(element + shift) % nodes for element in block] for block in blocks for shift in range(nodes)]
    rest = groups_of(nodes=nodes, replicas=replicas, targets=targets % replicas)
    groups += [[(index * replicas + place) % nodes for place in range(replicas)] for index in range(rest)]
    _even_out(groups, nodes, dice, steps=steps // 2)
    return tuple(tuple(sorted(group)) for group in sorted(map(sorted, groups)))


def _pairs(nodes: int, targets: int) -> Groups:
    """Rounds of a tournament: an even number of nodes meets in pairs, an odd one by distances round a circle."""
    pairs: list[tuple[int, int]] = []
    if nodes % 2:
        for index in range(targets // 2):
            distance = index % ((nodes - 1) // 2) + 1
            pairs += [(node, (node + distance) % nodes) for node in range(nodes)]
    else:
        circle = nodes - 1
        for index in range(targets):
            turn = index % circle
            pairs.append((turn, circle))
            pairs += [((turn + step) % circle, (turn - step) % circle) for step in range(1, nodes // 2)]
    return tuple(sorted((min(pair), max(pair)) for pair in pairs))


def _base_blocks(nodes: int, size: int, count: int, dice: random.Random, *, steps: int) -> list[list[int]]:
    """Blocks whose differences, taken together, cover every distance about as often."""
    blocks = [sorted(dice.sample(range(nodes), size)) for _ in range(count)]
    covered = [0] * nodes
    for block in blocks:
        for one in block:
            for other in block:
                covered[(one - other) % nodes] += one != other
    for _ in range(steps if count else 0):
        if max(covered[1:]) - min(covered[1:]) <= 1:
            break
        _try_move(dice.choice(blocks), covered, dice)
    return blocks


def _try_move(block: list[int], covered: list[int], dice: random.Random) -> None:
    """One element elsewhere, unless distances are then covered less evenly."""
    nodes, place = len(covered), dice.randrange(len(block))
    old, new = block[place], dice.randrange(nodes)
    if new in block:
        return
    others = [element for element in block if element != old]
    before = sum(count * count for count in covered)
    for other in others:
        for element, change in ((old, -1), (new, 1)):
            covered[(element - other) % nodes] += change
            covered[(other - element) % nodes] += change
    if sum(count * count for count in covered) <= before:
        block[place] = new
        return
    for other in others:
        for element, change in ((old, 1), (new, -1)):
            covered[(element - other) % nodes] += change
            covered[(other - element) % nodes] += change


def _even_out(groups: list[list[int]], nodes: int, dice: random.Random, *, steps: int) -> None:
    """Swaps between groups, each kept unless pairs are then shared less evenly; every node keeps its count."""
    shared = shared_chains(groups, nodes=nodes)
    pairs = nodes * (nodes - 1)
    low, over = divmod(sum(shared), pairs) if pairs else (0, 0)
    best = low * low * (pairs - over) + (low + 1) ** 2 * over
    cost = sum(count * count for count in shared)
    for _ in range(steps):
        if cost <= best:
            break
        cost += _try_swap(groups, shared, nodes, dice)


def _try_swap(groups: list[list[int]], shared: list[int], nodes: int, dice: random.Random) -> int:
    """One node of one group against one of another; the change of the sum of squares, 0 where it was not kept."""
    first, second = dice.choice(groups), dice.choice(groups)
    one, other = dice.choice(first), dice.choice(second)
    if one in second or other in first:
        return 0
    changes = [(one, mate, -1) for mate in first if mate != one] + [(other, mate, 1) for mate in first if mate != one]
    changes += [(other, mate, -1) for mate in second if mate != other]
    changes += [(one, mate, 1) for mate in second if mate != other]
    gained = 0
    for node, mate, change in changes:
        at = node * nodes + mate
        gained += 2 * (2 * change * shared[at] + 1)
        shared[at] += change
        shared[mate * nodes + node] += change
    if gained <= 0:
        first[first.index(one)], second[second.index(other)] = other, one
        return gained
    for node, mate, change in changes:
        shared[node * nodes + mate] -= change
        shared[mate * nodes + node] -= change
    return 0
