"""The program of a stack whose whole configuration is a stack file: what the project's ``__main__.py`` runs."""

import pulumi
from pulumi.runtime import get_config_env
from pulumi.runtime.config import CONFIG

from tierplan import wire
from tierplan_pulumi.storage import TieredStorage

STACKS = "stacks"  # `stackConfigDir` of Pulumi.yaml: a hosts file lies beside the stack file


def preview_stack() -> TieredStorage:
    """
    The storage that the stack's ``tierplan:`` configuration asks for, with one line for each tier as outputs.

    Every key of the namespace is handed on, also one that nobody knows: the loader says so.
    """
    stack = pulumi.get_stack()
    spec = wire.stack_document({**get_config_env(), **CONFIG.get()})
    if not spec:
        message = f"stack {stack}: no {wire.NAMESPACE} configuration; `tierplan init` writes a stack file to start from"
        raise pulumi.RunError(message)
    storage = TieredStorage(stack, {"spec": spec, "folder": STACKS})
    for key, line in storage.lines.items():
        pulumi.export(key, line)
    return storage
