"""
The fabric between drives and GPUs: topology, sizing, what it carries; pure arithmetic over nouns.

    fabric_plan    the fabric that a plan's tiers and GPU nodes need, in closed form: cheap, on every plan
    limited_tiers  the tiers as clients see them through it
    topology_of    the same as groups of leafs and members, for graphs and pictures
    graph          flow networks of it (whole, or one node for each class) and their max-flow, by networkx
    draw           Mermaid and SVG text
"""

from tierplan.fabric.limits import limited_tiers
from tierplan.fabric.planning import fabric_plan, topology_of

__all__ = ["fabric_plan", "limited_tiers", "topology_of"]
