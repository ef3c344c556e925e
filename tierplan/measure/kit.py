"""The benchmark kit: job files, scripts and what is expected, as files to be written all or none."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from tierplan import __version__
from tierplan.domain.plan import Plan
from tierplan.measure.steps import MODELS, SMALL_FILES, Step, mlperf
from tierplan.render.engine import SUFFIX, rendered, template_names
from tierplan.render.manifest import MANIFEST, Artifact, digest, manifest_text
from tierplan.units import Bandwidth, OpRate, Size

EXPECTED = "expected.json"
SCHEMA = "tierplan/bench/1"
FOLDER = "bench"


def kit(plan: Plan, planned: Sequence[Step], *, rehearsal: bool = False) -> Mapping[str, str]:
    """
    Every file of the kit by its path.

    Raises:   RenderError if a template and its values do not fit
    """
    context = _context(plan, planned, rehearsal=rehearsal)
    files, made = dict[str, str](), list[Artifact]()
    for template in template_names(FOLDER):
        text = rendered(template, {**context, "template": template})
        if text:
            path = template.removeprefix(f"{FOLDER}/").removesuffix(SUFFIX)
            files[path] = text
            made.append(Artifact(path=path, sha256=digest(text), template=template))
    text = json.dumps(expected(plan, planned, rehearsal=rehearsal), indent=1) + "\n"
    files[EXPECTED] = text
    made.append(Artifact(path=EXPECTED, sha256=digest(text), template=f"{FOLDER}/{EXPECTED}"))
    files[MANIFEST] = manifest_text(made, stack=plan.stack.name, plan_digest=digest(text))
    return files


def expected(plan: Plan, planned: Sequence[Step], *, rehearsal: bool) -> dict[str, object]:
    """What each run is held against, for `verify` and for anybody else."""
    return {
        "schema": SCHEMA,
        "tierplan": __version__,
        "stack": plan.stack.name,
        "rehearsal": rehearsal,
        "runs": [
            {
                "label": step.label,
                "tier": step.tier,
                "quantity": step.quantity,
                "expected": step.expected,
                "required": step.required,
                "hosts": step.hosts,
                "total_bytes": step.total_bytes,
            }
            for step in planned
        ],
    }


def _context(plan: Plan, planned: Sequence[Step], *, rehearsal: bool) -> dict[str, object]:
    cluster = plan.stack.cluster
    accelerators = max(cluster.gpus, 1)
    by_label = {step.label: _values(step) for step in planned}
    return {
        "stack": {"name": plan.stack.name, "version": __version__, "tags": [], "digest": ""},
        "rehearsal": rehearsal,
        "runs": list(by_label.values()),
        "run": by_label,
        "gpu_nodes": cluster.gpu_nodes,
        "gpus_per_node": cluster.gpus_per_node,
        "gpus": accelerators,
        "host_memory_gib": int(cluster.host_memory.base // 2**30),
        "small_files": 200 if rehearsal else SMALL_FILES,
        "mlperf": [{"model": model, "files": mlperf(plan, model, accelerators)} for model in MODELS],
        "hot": "hot" in plan.tiers,
        "cold": "cold" in plan.tiers,
        "kubernetes": plan.stack.operations.kubernetes,
        "backend": plan.tiers["hot"].config.backend if "hot" in plan.tiers else "",
        "written": Size(sum(step.total_bytes for step in planned if step.writes and step.tier != "local")).show(),
        "written_bytes": int(sum(step.total_bytes for step in planned if step.writes and step.tier == "hot")),
        "local_written": Size(sum(step.total_bytes for step in planned if step.tier == "local")).show(),
        "local_written_bytes": int(sum(step.total_bytes for step in planned if step.tier == "local")),
    }


def _values(step: Step) -> dict[str, object]:
    return {
        "label": step.label,
        "tier": step.tier,
        "tool": step.tool,
        "title": step.title,
        "hosts": step.hosts,
        "expected": shown(step, step.expected),
        "required": shown(step, step.required),
        "moves": Size(step.total_bytes).show(),
        "proves": step.proves,
        "leaves_open": step.leaves_open,
        **step.values,
    }


def shown(step: Step, value: float) -> str:
    """A figure of a run with its unit."""
    return OpRate(value).show() if step.quantity == "ops" else Bandwidth(value).show()
