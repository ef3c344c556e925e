"""JuiceFS: its metadata engine, the objects that files become, what one client moves."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._sizing import ClientCeiling, client_ceiling
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import NEVER, TierConfig
from tierplan.units import Bandwidth, Duration, OpRate, Size

ENGINES = ("redis", "postgresql", "tikv")
BLOCK_SIZE = Size(4.0 * 2**20)
SMALLEST_BLOCK, LARGEST_BLOCK = Size(64.0 * 2**10), Size(16.0 * 2**20)
SERVERS = 3  # sentinels; a database with two standbys, one of which answers; the least group of TiKV


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """The metadata engine: what it is, on how many of the hosts it runs, what it takes there and gives."""

    name: str
    servers: int
    data: Size
    """Metadata of all files, one copy."""
    memory: Size
    """Of one server."""
    disk: Size
    """Of one server."""
    op_rate: OpRate
    op_rate_high: OpRate


def request_rate(*, moved: Bandwidth, block: Size) -> OpRate:
    """
    Object requests that a bandwidth becomes.

    Formula:  moved / block

    >>> request_rate(moved=Bandwidth(10e9), block=Size(4194304.0)).show("ops/s", 4)
    '2,384 ops/s'
    """
    return OpRate(moved.bytes_per_s / block.bytes if block.bytes > 0 else 0.0)


def concurrent_bandwidth(*, requests: int, block: Size, latency: Duration) -> Bandwidth:
    """
    What one client moves when so many requests are under way at once.

    Formula:  requests * block / latency

    >>> concurrent_bandwidth(requests=20, block=Size(4194304.0), latency=Duration(0.1)).show("GB/s", 2)
    '0.84 GB/s'
    """
    return block * requests / latency


def metadata_size(*, files: float, bytes_per_file: Size) -> Size:
    """
    Space of the metadata, one copy.

    Formula:  files * bytes_per_file
    Source:   github.com/juicedata/juicefs, docs/en/reference/how_to_set_up_metadata_engine.md (2026-11-29)

    >>> metadata_size(files=1e9, bytes_per_file=Size(600.0)).show("GB")
    '600 GB'
    """
    return bytes_per_file * files


def redis_maxmemory(*, data: Size, data_share: float) -> Size:
    """
    Memory that Redis may take for its data, overhead included.

    Formula:  data / data_share
    Source:   github.com/juicedata/juicefs, docs/en/administration/metadata/redis_best_practices.md (2026-11-29)

    >>> redis_maxmemory(data=Size(30e9), data_share=0.7).show("GB", 2)
    '43 GB'
    """
    return data / data_share


def chosen_engine(config: TierConfig, need: TierNeed, used: Relied) -> str:
    """
    The stack's word, else by count of files, op rate and what may be lost.

    Redis where all files fit one memory and what the tier holds exists elsewhere too: its replica lags behind, and a
    takeover may lose the last writes.  PostgreSQL keeps them with a synchronous standby; TiKV grows beyond both.
    """
    word = option(config.options, "metadata_engine", str)
    if word in ENGINES:
        return str(word)

    carries = {
        name: need.files <= used[f"{name}_most_files"] and need.op_rate <= used.quantity(OpRate, f"{name}_op_rate")
        for name in ENGINES
    }
    if carries["redis"] and not need.irreplaceable:
        return "redis"
    return "postgresql" if carries["postgresql"] else "tikv"


def engine(config: TierConfig, need: TierNeed, used: Relied) -> Engine:
    """The engine, sized: TiKV in groups of three servers as the op rate asks."""
    name = chosen_engine(config, need, used)
    bytes_of = {one: used.quantity(Size, f"{one}_bytes_per_file") for one in ENGINES}  # all were weighed
    data = metadata_size(files=need.files, bytes_per_file=bytes_of[name])
    least, share = used.quantity(Size, "least_metadata_memory"), used["metadata_memory_share"]
    one, high = used.quantity(OpRate, f"{name}_op_rate"), used.quantity_high(OpRate, f"{name}_op_rate")
    data_share, factor = used["redis_data_share"], used["redis_memory_factor"]
    groups = max(1, min(NEVER // SERVERS, nodes_for(need.op_rate, one))) if name == "tikv" else 1
    servers = SERVERS * groups
    disk = data * 3 / servers if name == "tikv" else data
    memory = max(least, disk * share)
    if name == "redis":
        kept = redis_maxmemory(data=data, data_share=data_share)
        memory = max(least, kept * factor)
        disk = kept * 2  # the log of changes while it is rewritten
    return Engine(
        name=name,
        servers=servers,
        data=data,
        memory=memory,
        disk=disk,
        op_rate=one * groups,
        op_rate_high=high * groups,
    )


def client(config: TierConfig, need: TierNeed, used: Relied) -> ClientCeiling:
    """What one GPU node moves: ports, requests under way, cores of the mount process, and what was ever measured."""
    block, latency = block_size(config), used.quantity(Duration, "request_latency")
    by_cores = used.quantity(Bandwidth, "client_per_core") * used["client_cores"]
    by_cores = min(by_cores, used.quantity(Bandwidth, "client_bandwidth"))

    def at_once(name: str) -> Bandwidth:
        return concurrent_bandwidth(requests=int(used[name]), block=block, latency=latency)

    return client_ceiling(
        need.clients,
        read_share=used["client_read_share"],
        write_share=used["client_write_share"],
        most_read=min(by_cores, at_once("max_downloads")),
        most_write=min(by_cores, at_once("max_uploads")),
    )


def block_size(config: TierConfig) -> Size:
    """The stack's word, else the product's default of 4 MiB."""
    return option(config.options, "block_size", Size) or BLOCK_SIZE


def block_size_ok(block: Size) -> bool:
    """
    Whether JuiceFS keeps this block size as it is: a power of two from 64 KiB to 16 MiB.

    >>> block_size_ok(Size(4194304.0)), block_size_ok(Size(3e6)), block_size_ok(Size(2.0**25))
    (True, False, False)
    """
    within = SMALLEST_BLOCK <= block <= LARGEST_BLOCK
    return within and math.log2(block.bytes).is_integer()


def nearest_block(block: Size) -> Size:
    """
    The nearest block size that JuiceFS knows.

    >>> nearest_block(Size(3e6)).show("MiB")
    '2 MiB'
    """
    within = min(LARGEST_BLOCK, max(SMALLEST_BLOCK, block))
    return Size(2.0 ** math.floor(math.log2(within.bytes)))
