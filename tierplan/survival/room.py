"""Whether there is room to make anew what is lost: in failure domains, and in bytes."""

from __future__ import annotations

from tierplan.domain.tiers import Protection, TierPlan
from tierplan.units import Size

FULLEST = 0.95  # of what is left: beyond it products stop writing, rebuilds among the writes (Ceph's full ratio)


def racks_of(plan: TierPlan) -> int:
    """Racks that the nodes stand in."""
    return max(1, min(plan.config.racks, plan.config.nodes))


def node_room(plan: TierPlan) -> tuple[bool, str]:
    """Whether a lost node can be made anew in what is left, and why not; true where nothing has to be."""
    kept = plan.delivered.protection
    if kept is None or kept.keeps_on_loss or kept.tolerated < 1 or plan.config.nodes < 1:
        return True, ""
    return room_for_a_node(plan, kept)


def room_for_a_drive(plan: TierPlan, kept: Protection) -> tuple[bool, str]:
    """Room for the content of one drive, and why there is none."""
    if kept.repair == "replacement":
        return False, "nothing is kept free inside: a lost drive waits for its replacement"
    if kept.repair == "spare":
        ready = kept.spare_drives >= 1
        return ready, "" if ready else "no hot spare: a lost drive waits for its replacement"
    if kept.pool <= kept.width:
        return False, f"{kept.pool} drives hold a stripe of {kept.width} and none is left to rebuild on"
    return fits(plan, kept, nodes_lost=1 / max(1, plan.config.node.drives))


def room_for_a_node(plan: TierPlan, kept: Protection) -> tuple[bool, str]:
    """Room in failure domains for the full tolerance, and room in bytes."""
    if kept.copies > 1:
        return False, "a mirror is made anew on the server that replaces the lost one"
    if kept.repair == "replacement":
        return False, "nothing is kept free inside: a lost node waits for its replacement"
    whole = 0 if plan.config.layout.failure_domain == "rack" and plan.config.nodes >= 2 * racks_of(plan) else 1
    if kept.domains - whole < kept.domains_needed:
        word = plan.config.layout.failure_domain
        return False, (
            f"no room to rebuild: {kept.domains} {word}s less {whole} are fewer than the {kept.domains_needed} "
            f"that {plan.config.layout} lies on"
        )
    return fits(plan, kept, nodes_lost=1)


def fits(plan: TierPlan, kept: Protection, *, nodes_lost: float) -> tuple[bool, str]:
    """Whether all that is stored still fits what is left."""
    left = usable_after(plan, kept, nodes_lost=nodes_lost)
    needed = plan.need.capacity
    if needed <= left * FULLEST:
        return True, ""
    return False, f"no room to rebuild: {needed.show()} stored, {(left * FULLEST).show()} fit what is left"


def usable_after(plan: TierPlan, kept: Protection, *, nodes_lost: float) -> Size:
    """
    Usable bytes of what is left, its spares used up.

    Formula:  usable * (nodes - nodes_lost) / (nodes - spare)
    Assumes:  nodes alike; what was kept free takes the content of what is lost
    """
    nodes, spare = plan.config.nodes, kept.spare
    if kept.keeps_on_loss:
        return plan.delivered.usable
    if nodes <= spare:
        return Size.zero()
    return plan.delivered.usable * (max(0.0, nodes - nodes_lost) / (nodes - spare))
