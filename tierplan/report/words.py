"""The core's own words as messages: each is marked here, so that the catalogues hold it."""

from __future__ import annotations

from tierplan.report.language import Language


def N_(message: str) -> str:  # noqa: N802  # gettext's own name for a mark
    """Mark a message for the catalogues; it is translated where it is shown."""
    return message


TIERS = {"local": N_("local"), "hot": N_("hot"), "cold": N_("cold")}
TIER_TITLES = {
    "local": N_("Local tier: the GPU nodes' own NVMe"),
    "hot": N_("Hot tier: shared file system"),
    "cold": N_("Cold tier: object store"),
}
LIMITS = {
    "media": N_("media"),
    "cpu": N_("CPU"),
    "memory": N_("memory"),
    "node ports": N_("node ports"),
    "fabric": N_("fabric"),
    "protocol": N_("protocol"),
    "clients": N_("clients"),
    "class": N_("class"),
    "quota": N_("quota"),
    "metadata": N_("metadata"),
    "quote": N_("quote"),
}
CONSTRAINTS = {
    "capacity": N_("capacity"),
    "read": N_("read bandwidth"),
    "write": N_("write bandwidth"),
    "metadata": N_("op rate"),
    "phases": N_("phases"),
    "minimum": N_("the product's minimum"),
    "failure_domain": N_("failure domains"),
    "hot_spare": N_("hot spare"),
    "degraded": N_("bandwidth after a loss"),
    "pair": N_("pairs"),
    "monitors": N_("monitors"),
}
LOADS = {
    "checkpoint": N_("checkpoint"),
    "dataset": N_("dataset read"),
    "restore": N_("restore"),
    "model_load": N_("model load"),
    "kv_cache": N_("KV cache"),
    "kv_cache.write": N_("KV cache, written"),
    "kv_cache.read": N_("KV cache, read"),
    "general": N_("general load"),
    "preload": N_("preload"),
    "archive": N_("archive"),
}
WHEN = {"continuous": N_("continuous"), "burst": N_("burst")}
VERDICTS = {"pass": N_("pass"), "refused": N_("refused")}
LEVELS = {"mandatory": N_("mandatory"), "advisory": N_("advisory")}
ROWS = {
    "a single server": N_("a single server of up to 4 GPUs: local SSD and NFS"),
    "below 64": N_("below 64 GPUs: local NVMe with CephFS, JuiceFS or an all-flash NAS"),
    "with few": N_("64 to 1,000 GPUs with few storage engineers: a VAST class appliance"),
    "with enough": N_("64 to 1,000 GPUs with enough storage engineers: Storage Scale ECE or WEKA"),
    "people who read storage code: 3FS": N_(
        "above 1,000 GPUs with people who read storage code: 3FS, a commercial system as fallback"
    ),
    "without people": N_("above 1,000 GPUs without people who read storage code: WEKA, Storage Scale or VAST at scale"),
    "in a cloud": N_("in a cloud: the managed parallel file system, or JuiceFS on the object store"),
}


def word(say: Language, table: dict[str, str], name: str) -> str:
    """A word of the core in this language; one that no table has stays as it is, without its underscores."""
    return say(table[name]) if name in table else name.replace("_", " ")
