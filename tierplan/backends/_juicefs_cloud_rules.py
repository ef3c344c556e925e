"""What JuiceFS in a cloud may not be: words that do not go together, classes too small, engines that are outgrown."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.backends._choosing import NO_NODE, Relied, option
from tierplan.backends._juicefs import ENGINES, Engine, block_size, block_size_ok
from tierplan.backends._juicefs_classes import Class, classes_of, database_disk, metadata_gib
from tierplan.backends._juicefs_sites import OF_STORE
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, Layout, TierConfig
from tierplan.units import Size

NO_LAYOUT = Layout(kind="none")


def faults(config: TierConfig, need: TierNeed, meta: Engine, used: Relied) -> Iterator[Illegal]:
    """What neither JuiceFS nor the service allows."""
    yield from _not_ours(config)
    yield from _service_faults(config, used)
    yield from _class_faults(config, meta, used)
    yield from _engine_faults(config, need, meta, used)
    yield from _volume_faults(config, need)


def _not_ours(config: TierConfig) -> Iterator[Illegal]:
    given = {
        "nodes": config.nodes != 1,
        "node": config.node != NO_NODE,
        "layout": config.layout != NO_LAYOUT,
        "quote": config.quote is not None,
    }
    pinned = [word for word, found in given.items() if found]
    if pinned:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"juicefs in a cloud has no {' and '.join(pinned)} to pin: the service decides them",
            remedy=f"leave out {', '.join(f'tiers.{config.tier}.{word}' for word in pinned)}",
        )


def _service_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    service = option(config.options, "metadata_service", str) or ""
    word = option(config.options, "metadata_engine", str) or ""
    cloud = OF_STORE[option(config.options, "object_store", str) or ""]
    fitting = [name for name, one in cloud.services.items() if one.engine == word]
    if word in ENGINES and service not in fitting:
        yield Illegal(
            policy="cloud-class",
            message=f"juicefs: metadata_service {service or 'missing'} for {word}; allowed: {', '.join(fitting)}",
            remedy=f"write metadata_service: {fitting[0]}",
        )
    name, known = option(config.options, "metadata_class", str), classes_of(service, used)
    if known and name not in [one.name for one in known]:
        yield Illegal(
            policy="cloud-class",
            message=f"juicefs: metadata_class {name or 'missing'}; planned: {', '.join(one.name for one in known)}",
            remedy=f"write metadata_class: {known[0].name}",
        )


def _class_faults(config: TierConfig, meta: Engine, used: Relied) -> Iterator[Illegal]:
    """A class without the memory that the metadata takes, with the nearest that has it."""
    service = option(config.options, "metadata_service", str) or ""
    known, needed = classes_of(service, used), metadata_gib(meta)
    found = next((one for one in known if one.name == option(config.options, "metadata_class", str)), None)
    if found is None or found.gib >= needed:
        return
    larger: Class | None = next((one for one in known if one.gib >= needed), None)
    yield Illegal(
        policy="cloud-size",
        message=f"juicefs: the metadata takes {needed} GiB of memory, {found.name} has {found.gib:g} GiB; "
        + (f"enough above: {larger.name} with {larger.gib:g} GiB" if larger else f"the largest has {known[-1].gib:g}"),
        remedy=f"write metadata_class: {larger.name}" if larger else "write metadata_engine: tikv",
        required=needed,
        planned=found.gib,
        unit="GiB",
    )


def _engine_faults(config: TierConfig, need: TierNeed, meta: Engine, used: Relied) -> Iterator[Illegal]:
    """An engine that nobody knows, or that the files outgrow."""
    word, largest = option(config.options, "metadata_engine", str), used[f"{meta.name}_most_files"]
    if word is not None and word not in ENGINES:
        message = f"juicefs: metadata_engine {word}; allowed: {', '.join(ENGINES)}"
        yield Illegal(policy="cloud-class", message=message, remedy=f"write metadata_engine: {ENGINES[0]}")
    if need.files > largest:
        bigger = next((one for one in ENGINES if used[f"{one}_most_files"] >= need.files), None)
        yield Illegal(
            policy="cloud-growth",
            message=f"juicefs: {need.files:.3g} files in {meta.name}; planned up to {largest:.3g}",
            remedy=f"write metadata_engine: {bigger}" if bigger else "pack small files into shards",
            required=need.files,
            planned=largest,
        )
    disk, most = database_disk(meta, used), used.quantity(Size, "most_database_disk")
    if meta.name == "postgresql" and disk > most:
        yield Illegal(
            policy="cloud-growth",
            message=f"juicefs: the metadata takes a disk of {disk.show()}, and a database has at most {most.show()}",
            remedy="write metadata_engine: tikv",
            required=disk.bytes,
            planned=most.bytes,
            unit="bytes",
        )


def _volume_faults(config: TierConfig, need: TierNeed) -> Iterator[Illegal]:
    """Words of the volume itself."""
    block = block_size(config)
    if not block_size_ok(block):
        yield Illegal(
            policy="cloud-class",
            message=f"juicefs: block_size {block.text()}; a power of two from 64 KiB to 16 MiB",
            remedy='write block_size: "4 MiB"',
            planned=block.bytes,
            unit="bytes",
        )
    if option(config.options, "write_back", bool):
        yield Illegal(
            policy="cloud-class" if need.write else "advice-cloud",
            message="juicefs: write_back keeps what is written on one instance's drive first, which is lost with it",
            remedy="write write_back: false",
        )
