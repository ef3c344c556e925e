"""
tierplan: from what the GPUs do to a storage plan that can be reviewed, refused and deployed.

    import tierplan

    stack = tierplan.read_stack("stacks/Pulumi.demo.yaml")
    plan = tierplan.make_plan(stack, tierplan.catalogue())
    findings = tierplan.judge(plan)
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tierplan.load import catalogue, read_stack, stack_from_document, stack_text
    from tierplan.plan import evaluate, judge, make_plan, resolve, verdict
    from tierplan.plan.document import plan_document

__all__ = [
    "catalogue",
    "evaluate",
    "judge",
    "make_plan",
    "plan_document",
    "read_stack",
    "resolve",
    "stack_from_document",
    "stack_text",
    "verdict",
]

_HOMES = {"plan_document": "tierplan.plan.document"} | dict.fromkeys(
    ("catalogue", "read_stack", "stack_from_document", "stack_text"), "tierplan.load"
)


def __getattr__(name: str) -> object:
    """Import a public function when it is asked for: `import tierplan` alone costs nothing."""
    if name not in __all__:
        message = f"module 'tierplan' has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_HOMES.get(name, "tierplan.plan")), name)
