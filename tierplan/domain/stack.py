"""
The stack file as nouns: each class is one block of the form, each field one key, spelt the same.

A `Stack` is what was asked for; where it leaves a choice open (`None`, ``auto``), `plan.resolve` settles it
and returns a stack of the same form with nothing left open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tierplan.units import Bandwidth, Duration, OpRate, Size

SiteKind: TypeAlias = Literal["on-prem", "aws", "azure", "google", "oci", "alibaba", "tencent", "huawei"]
Transport: TypeAlias = Literal["infiniband", "roce", "tcp"]
LocalUse: TypeAlias = Literal["dataset-cache", "checkpoint-first-landing", "kv-cache", "model-cache", "scratch"]
LOCAL_BACKENDS: Mapping[str, str] = {"none": "local-nvme", "juicefs": "juicefs-cache"}
"""`tiers.local.software` -> catalogue id, where they differ."""
OptionValue: TypeAlias = "str | int | float | bool | tuple[OptionValue, ...] | Mapping[str, OptionValue]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where the cluster stands."""

    kind: SiteKind
    racks: int = 1
    region: str | None = None
    zone: str | None = None
    network: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalNvme:
    """The data drives of one GPU node; rates are per drive. No drives: 0."""

    drives: int
    size: Size
    read: Bandwidth
    write: Bandwidth


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageNetwork:
    """The ports of one GPU node that lead to storage; `rate` is of one port."""

    ports: int
    rate: Bandwidth
    transport: Transport
    shared_with_compute: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupts:
    """How often the hardware interrupts a job; `per_node_day`, where given, counts instead of `per_gpu`."""

    per_gpu: Duration
    per_node_day: float | None = None
    large_job_factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuPrice:
    """In the currency of `targets.budget.currency`."""

    per_gpu_hour: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """From this year on the cluster has so many GPU nodes; year 0 is today."""

    year: int
    gpu_nodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The GPU nodes."""

    gpu_nodes: int
    gpus_per_node: int
    node: str | None = None
    host_memory: Size
    cpu_cores: int
    local_nvme: LocalNvme
    storage_network: StorageNetwork
    interrupts: Interrupts
    price: GpuPrice | None = None
    growth: tuple[Growth, ...] = ()

    @property
    def gpus(self) -> int:
        """GPUs of the whole cluster, today."""
        return self.gpu_nodes * self.gpus_per_node


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A transformer's shape: dense, grouped-query; gated MLP, untied embeddings unless said."""

    layers: int
    hidden: int
    ffn: int
    heads: int
    vocabulary: int
    kv_heads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """Mixture of experts: of all parameters, those that one token uses."""

    active_parameters: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapters:
    """LoRA: only these parameters train and are saved; `parameters` given, or computed from rank and shape."""

    rank: int | None = None
    parameters: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """
    A model to train or to load.

    `parameters` is the total (mixture of experts included); given, or computed from `shape`, or from the
    catalogue.  `bytes_per_parameter` is what a checkpoint keeps for each; given, or by `training_state`.
    """

    parameters: float | None = None
    bytes_per_parameter: float | None = None
    catalogue: str | None = None
    training_state: str | None = None
    shape: Shape | None = None
    experts: Experts | None = None
    adapters: Adapters | None = None
    weight_bytes_per_parameter: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KvModel:
    """What one token leaves in the KV cache: multi-head or grouped-query, or multi-latent (`latent_dimension`)."""

    layers: int
    kv_heads: int | None = None
    head_dimension: int | None = None
    latent_dimension: int | None = None
    bytes_per_element: float = 2.0
    catalogue: str | None = None
    parameters: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallelism:
    """Degrees of tensor, pipeline and data parallelism, and who holds which shard."""

    tensor: int = 1
    pipeline: int = 1
    data: int | None = None
    sharding: Literal["ddp", "zero-1", "zero-3", "fsdp", "torch-dist"] = "torch-dist"


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """Asynchronous checkpoints in host memory: copies held, and the share that fragmentation costs."""

    copies: int
    slack: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Retain:
    """Which checkpoints stay on the hot tier."""

    last: int
    best: int = 0
    weekly: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How a training job saves its state."""

    interval: Duration | Literal["auto"]
    mode: Literal["sync", "async"]
    overhead: float
    blocking: Duration
    drain_fraction: float
    staging: Staging
    keep: int
    retain: Retain | None = None
    changed_fraction: float = 1.0
    concurrent_jobs: int = 1
    coincide: bool = False
    first_landing: Literal["hot", "local", "peer"] = "hot"
    archive_every: Duration | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """How a job comes back; without `within` the time is shown, not required."""

    within: Duration | None = None
    cold_within: Duration | None = None
    """The same from an archived checkpoint, straight out of the cold tier."""
    reads: Literal["once", "per-replica"] = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Reads of a language model: tokens per second and GPU, and the bytes that one is stored in."""

    per_s_per_gpu: float
    bytes_per_token: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Loader:
    """The data loader of one GPU's process; `batch` is of one GPU."""

    workers: int
    prefetch: int
    batch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What a training job reads, each epoch."""

    size: Size
    sample_size: Size | None = None
    tokens: Tokens | None = None
    samples_per_s_per_gpu: float | None = None
    file_operations_per_sample: float = 1.0
    samples_per_shard: int | None = None
    format: Literal["files", "webdataset", "tfrecord", "mindrecord", "parquet", "hdf5", "npy", "lmdb"] = "files"
    cache: Literal["none", "preload", "distributed", "sticky", "fill-on-read"] = "none"
    cache_copies: int = 1
    preload_within: Duration | None = None
    """The caches are filled in this time before training; left out, the time that it takes is shown."""
    loader: Loader | None = None
    profile: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """One training job, or `checkpoint.concurrent_jobs` of the same kind."""

    name: str
    kind: Literal["training"]
    gpus: int
    model: Model
    parallelism: Parallelism
    checkpoint: Checkpoint | None = None
    restore: Restore | None = None
    dataset: Dataset | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelLoad:
    """Replicas of a served model start and read its weights."""

    name: str
    kind: Literal["model-load"]
    weights: Size | None = None
    model: Model | None = None
    replicas: int
    replicas_per_node: int = 1
    within: Duration
    fan_out: Literal["none", "node", "peer"] = "none"
    gpu_nodes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KvCache:
    """Serving with sessions kept off the GPU."""

    name: str
    kind: Literal["kv-cache"]
    model: KvModel
    context: int
    sessions: int
    resumes: OpRate
    reload_within: Duration
    new_tokens_per_s: float = 0.0
    prefill_tokens_per_s: float | None = None
    placement: tuple[Literal["host-memory", "local", "hot"], ...] = ("hot",)
    gpu_nodes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class General:
    """Home, code, logs: stated, not derived."""

    name: str
    kind: Literal["general"]
    read: Bandwidth
    write: Bandwidth
    operations: OpRate


Workload: TypeAlias = Training | ModelLoad | KvCache | General


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What must be stored beside datasets and checkpoints."""

    home: Size
    raw_data: Size
    processed_data: Size
    archived_checkpoints: int = 0
    archived_weights: int = 0
    files: float | None = None
    growth_per_year: float = 0.0
    years: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """One drive of a storage node."""

    size: Size
    read: Bandwidth
    write: Bandwidth


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageNode:
    """One storage node of a tier; every drive and port alike."""

    drives: int
    drive: Drive
    ports: int
    port_rate: Bandwidth
    cores: int
    memory: Size
    medium: Literal["nvme", "ssd", "hdd"] = "nvme"

    @property
    def raw(self) -> Size:
        """Raw bytes of one node."""
        return self.drive.size * self.drives

    @property
    def network(self) -> Bandwidth:
        """All ports of one node, one direction."""
        return self.port_rate * self.ports


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivePins:
    """What the stack pins of a drive."""

    size: Size | None = None
    read: Bandwidth | None = None
    write: Bandwidth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePins:
    """What the stack pins of a storage node."""

    drives: int | None = None
    drive: DrivePins | None = None
    ports: int | None = None
    port_rate: Bandwidth | None = None
    cores: int | None = None
    memory: Size | None = None
    medium: Literal["nvme", "ssd", "hdd"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutPins:
    """What the stack pins of the layout."""

    data_units: int | None = None
    parity_units: int | None = None
    replicas: int | None = None
    hot_spares: int | None = None
    failure_domain: Literal["node", "rack", "drive"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A vendor's offer for the whole system."""

    read: Bandwidth
    write: Bandwidth
    usable: Size
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The shares of its promise that a product was measured to give on this kind of node; never above 1."""

    read_fraction: float = 1.0
    write_fraction: float = 1.0
    op_rate_fraction: float = 1.0
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One line of a calibration file: a product on a node, one direction, the measured share of the promise."""

    backend: str
    node: str
    quantity: Literal["read", "write", "op_rate"]
    fraction: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPins:
    """A tier's choices as far as the stack makes them."""

    backend: str = "auto"
    nodes: int | None = None
    node: NodePins | None = None
    layout: LayoutPins | None = None
    quote: Quote | None = None
    measured: Measured | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteNvme:
    """Drives of storage targets that GPU nodes without drives use as their own, over NVMe-oF; rates are per drive."""

    drives: int  # of one GPU node
    size: Size
    read: Bandwidth
    write: Bandwidth
    targets: int
    ports: int  # of one target
    port_rate: Bandwidth
    transport: Literal["rdma", "tcp"] = "rdma"
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPins:
    """What the local tier may be used for, and by which software."""

    use: tuple[LocalUse, ...] = ()
    software: Literal["none", "juicefs", "alluxio", "fluid", "lmcache", "mooncake"] = "none"
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """The software's own words; of `none` those of the drives themselves."""
    measured: Measured | None = None
    remote: RemoteNvme | None = None
    """Drives over the network, for GPU nodes that have none of their own."""

    @property
    def backend(self) -> str:
        """The catalogue id of what is planned on the local drives."""
        return LOCAL_BACKENDS.get(self.software, self.software)


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecyclePins:
    """When data moves down."""

    warm_after: Duration | None = None
    cold_after: Duration | None = None
    delete_after: Duration | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiers:
    """The three tiers, as far as the stack chooses."""

    local: LocalPins
    hot: TierPins
    cold: TierPins
    lifecycle: LifecyclePins | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Survive:
    """What may be lost at once without losing data."""

    nodes: int = 1
    racks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Money; the currency holds for every price of the stack."""

    monthly: float | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a reference architecture wants of the storage of one unit of `gpus` GPUs: a check, never the requirement."""

    gpus: int
    read: Bandwidth
    write: Bandwidth
    catalogue: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What the plan is judged against, beside the workloads' own figures."""

    headroom: float
    max_fill: float
    survive: Survive
    degraded_fraction: float
    annual_loss_probability: float | None = None
    budget: Budget
    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPins:
    """
    Switches, where they are given.

    `spine_ports` are a leaf's unless said; `rail_optimised` spreads the ports of each node over as many leafs;
    `storage_share` is what storage gets of GPU ports that compute uses too.
    """

    leaf_ports: int | None = None
    spine_ports: int | None = None
    oversubscription: float | None = None
    rail_optimised: bool | None = None
    storage_share: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operations:
    """Who runs it, and how."""

    storage_engineers: float | None = None
    can_read_storage_code: bool = False
    kubernetes: bool = False
    hosts: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """One cluster and what it shall do; `origins` says for each key path where its value comes from."""

    name: str
    site: Site
    cluster: Cluster
    workloads: tuple[Workload, ...]
    capacity: Capacity
    tiers: Tiers
    targets: Targets
    operations: Operations
    fabric: FabricPins | None = None
    prices: str | None = None
    calibration: str | None = None
    expect: Literal["pass", "refused"] = "pass"
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    """Key path -> ``stack``, ``default`` or ``catalogue <row>``; paths are those of the form."""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Key path -> line of the stack file, where it was read from one."""
    calibrated: tuple[Calibration, ...] = field(default=(), compare=False, repr=False)
    """What the file of `calibration` holds."""

    @property
    def local_drives(self) -> LocalNvme:
        """The drives that a GPU node uses as its own: those in it, else those of NVMe-oF targets."""
        remote = self.tiers.local.remote
        if remote is None or self.cluster.local_nvme.drives:
            return self.cluster.local_nvme
        return LocalNvme(drives=remote.drives, size=remote.size, read=remote.read, write=remote.write)

    @property
    def local_path(self) -> str:
        """Where the stack says what those drives are."""
        own = self.tiers.local.remote is None or self.cluster.local_nvme.drives > 0
        return "cluster.local_nvme" if own else "tiers.local.remote"

    def origin(self, path: str) -> str:
        """The origin of a key as figures quote it: ``stack workloads[0].gpus``, ``default targets.headroom``."""
        word, _, rest = self.origins.get(path, "default").partition(" ")
        return f"{word} {rest}" if rest else f"{word} {path}"
