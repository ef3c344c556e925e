"""The rendered files of a plan with real hosts: their digests show in a preview which file a change touches."""

from collections.abc import Iterator
from pathlib import Path

from tierplan import wire
from tierplan.domain.plan import Plan
from tierplan.load.hosts import read_hosts_file


def rendered(plan: Plan, folder: str) -> Iterator[tuple[wire.Artifact, str]]:
    """
    Each file with its text; none for a stack that names no hosts: examples are not worth a resource each.

    Raises:   InputError or RenderError if the hosts file cannot be read, or does not fit the plan
    """
    if plan.stack.operations.hosts is None:
        return
    from tierplan.render import artifacts, render  # noqa: PLC0415  # templates are for those who have hosts

    files = render(plan, read_hosts_file(Path(folder) / plan.stack.operations.hosts))
    for one in artifacts(files):
        yield wire.Artifact(path=one.path, sha256=one.sha256, template=one.template), files[one.path]
