"""Plan and hosts -> path -> text; pure: the same plan gives the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan import __version__, backends, codec
from tierplan.domain.hosts import HostGroup, Hosts, HostTier
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan.errors import RenderError
from tierplan.render.aging import lifecycle_jobs, lifecycle_values
from tierplan.render.crew import Crew, addresses_needed, completed, crew
from tierplan.render.engine import SUFFIX, rendered, template_names
from tierplan.render.manifest import MANIFEST, Artifact, digest, manifest_text
from tierplan.render.near import near_jobs

FOLDERS: Mapping[HostTier, str] = {"hot": "10-hot", "cold": "20-cold"}
AFTER_COLD = "after-cold"  # a subfolder of templates: to be run when the cold tier is there
NOBODY = Crew(group=HostGroup(hosts=()))  # a managed service has no hosts of the stack's
AFTER_COLD_NUMBER = {"10-hot": "30-hot", "20-cold": "40-cold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One tier to render: its product, hosts and the values of its templates."""

    tier: HostTier
    plan: TierPlan
    crew: Crew
    product: Mapping[str, object]
    templates: tuple[str, ...]

    @property
    def folder(self) -> str:
        return f"{FOLDERS[self.tier]}-{self.plan.config.backend}"


def render(plan: Plan, hosts: Hosts | None) -> Mapping[str, str]:
    """
    Every file of the plan's products, by path, in the order to run, with README.md and MANIFEST.json.

    Raises:   RenderError if a product has no templates yet, or if the hosts do not fit the plan; one line for each
    """
    parts = _parts(plan, hosts)
    common = _common(plan, hosts, parts)
    files: dict[str, str] = {}
    made: list[Artifact] = []
    for path, template, context in (*_jobs(parts, common), *near_jobs(plan, common), *lifecycle_jobs(plan, common)):
        text = rendered(template, {**context, "template": template})
        if text:
            files[path] = text
            made.append(Artifact(path=path, sha256=digest(text), template=template))
    template = f"common/README.md{SUFFIX}"
    listing = {**common, "template": template, "files": list(files), "parts": [_summary(part) for part in parts]}
    readme = rendered(template, listing)
    made.append(Artifact(path="README.md", sha256=digest(readme), template=template))
    manifest = manifest_text(made, stack=plan.stack.name, plan_digest=_plan_digest(plan))
    return {**files, "README.md": readme, MANIFEST: manifest}


def _parts(plan: Plan, hosts: Hosts | None) -> tuple[_Part, ...]:
    faults: list[str] = []
    parts: list[_Part] = []
    for tier in FOLDERS:
        chosen = plan.tiers.get(tier)
        if chosen is None:
            continue
        try:
            parts.append(_part(tier, chosen, hosts))
        except RenderError as error:
            faults.append(str(error))
    if not parts and not faults:
        faults.append("the plan has neither a hot nor a cold tier; there is nothing to render")
    if faults:
        raise RenderError("\n".join(faults))
    return tuple(parts)


def _part(tier: HostTier, chosen: TierPlan, hosts: Hosts | None) -> _Part:
    backend_id = chosen.config.backend
    known = NOBODY if chosen.delivered.cloud else crew(tier, chosen, hosts, example_name=backend_id.split("-")[0])
    product = backends.load(backend_id).template_context(chosen, known.mapping())
    templates = template_names(str(product.get("templates", backends.module_name(backend_id))))
    if not templates:
        message = f"{tier}: {backend_id} has no templates yet; render a plan of products that have"
        raise RenderError(message)
    needs = product.get("host_needs", ())
    whole = completed(known, chosen, tuple(needs) if isinstance(needs, list | tuple) else ())
    return _Part(tier=tier, plan=chosen, crew=whole, product=product, templates=templates)


def _jobs(parts: tuple[_Part, ...], common: Mapping[str, object]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Path, template and values of every file, in the order to run."""
    jobs = [
        (_path(part, template), template, {**common, **_values(part)}) for part in parts for template in part.templates
    ]
    yield from sorted(jobs, key=lambda job: job[0])


def _path(part: _Part, template: str) -> str:
    """``weka/after-cold/01-tiering.sh.j2`` -> ``30-hot-weka-after-cold/01-tiering.sh``."""
    inner = template.partition("/")[2].removesuffix(SUFFIX)
    if not inner.startswith(f"{AFTER_COLD}/"):
        return f"{part.folder}/{inner}"
    number = AFTER_COLD_NUMBER[FOLDERS[part.tier]]
    return f"{number}-{part.plan.config.backend}-{AFTER_COLD}/{inner.removeprefix(f'{AFTER_COLD}/')}"


def _values(part: _Part) -> dict[str, object]:
    """What the templates of one tier read beside the common values: `product`, `tier`, `crew`."""
    config, need, given = part.plan.config, part.plan.need, part.plan.delivered
    return {
        "product": dict(part.product),
        "crew": part.crew.mapping(),
        "tier": {
            "name": part.tier,
            "backend": config.backend,
            "nodes": config.nodes,
            "layout": str(config.layout),
            "failure_domain": config.layout.failure_domain,
            "cores": config.node.cores,
            "memory_gib": int(config.node.memory.bytes * 0.97 / 2**30),  # what the firmware keeps does not count
            "drive_bytes": int(config.node.drive.size.bytes * 0.99),  # sizes on labels are rounded
            "host_network_text": config.node.network.show(),
            "addresses_needed": addresses_needed(part.plan),
            "need_text": max(need.read, need.write).show(),
            "planned_bytes": int(given.planned.bytes),
            "usable_bytes": int(given.usable.bytes),
            "need_bytes": int(need.capacity.bytes),
            "planned_fill_percent": round(given.planned_fill_fraction * 100),
            "read_bytes_per_s": int(given.healthy.read.bytes_per_s),
            "write_bytes_per_s": int(given.healthy.write.bytes_per_s),
            "need_read_bytes_per_s": int(need.read.bytes_per_s),
            "need_write_bytes_per_s": int(need.write.bytes_per_s),
            "planned_text": given.planned.show(),
            "read_text": given.healthy.read.show(),
            "write_text": given.healthy.write.show(),
            "cannot_change_later": list(given.cannot_change_later),
            "notes": list(given.notes),
        },
    }


def _common(plan: Plan, hosts: Hosts | None, parts: tuple[_Part, ...]) -> dict[str, object]:
    """What every template may read: `stack`, `clients`, and `products`, the other tiers' own values."""
    stack = plan.stack
    network = stack.cluster.storage_network
    ports = hosts.clients.ports if hosts is not None and hosts.clients is not None else ()
    return {
        "stack": {
            "name": stack.name,
            "slug": re.sub(r"[^a-z0-9]+", "-", stack.name.lower()).strip("-")[:40] or "cluster",
            "version": __version__,
            "digest": _plan_digest(plan)[:12],
            "kubernetes": stack.operations.kubernetes,
            "tags": [f"{key}={value}" for key, value in sorted(stack.operations.tags.items())],
            "racks": stack.site.racks,
            "site": stack.site.kind,
            "region": stack.site.region or "",
            "delete_after_days": _days(plan),
        },
        "clients": {
            "ports": list(ports) or [f"port{index}" for index in range(network.ports)],
            "examples": [] if ports else ["client ports"],
            "transport": network.transport,
            "gpu_nodes": stack.cluster.gpu_nodes,
        },
        "products": {part.tier: {**part.product, "crew": part.crew.mapping()} for part in parts},
        "backend_of": {part.tier: part.plan.config.backend for part in parts},
        "lifecycle": lifecycle_values(plan),
    }


def _days(plan: Plan) -> int:
    """Days after which an archived object may go; 0 where nothing is ever deleted."""
    lifecycle = plan.stack.tiers.lifecycle
    after = lifecycle.delete_after if lifecycle is not None else None
    return int(-(-after.s // 86400)) if after is not None else 0


def _summary(part: _Part) -> dict[str, object]:
    return {**_values(part), "folder": part.folder}


def _plan_digest(plan: Plan) -> str:
    """The SHA-256 of the settled stack: what the files were rendered from."""
    document = codec.encode(plan.stack, "form")
    return digest(json.dumps(document, sort_keys=True, default=str))
