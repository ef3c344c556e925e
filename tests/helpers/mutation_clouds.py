"""The mutations of the words of managed services other than FSx for Lustre and S3."""

from __future__ import annotations

from collections.abc import Mapping

from mutation_table import SLOW, both, holds, rules
from mutations import Effect, Expect, nothing

STANDING = rules("survive-bandwidth", "hot-client")
CLASS, SIZE, LINK = rules("cloud-class"), rules("cloud-size"), rules("cloud-repository")
ORDER = rules("lifecycle-order")  # where the stack states a life cycle
SMALLER = both(SLOW, STANDING, SIZE, CLASS)

Row = tuple[str, object, Effect, Expect, Expect]


def same(*paths: str) -> tuple[Row, ...]:
    """Words that change a name, a place or a time, and nothing that is asked for."""
    return tuple((path, "other", "neutral", nothing, nothing) for path in paths)


def bucket(*, warmest: str, coldest: str) -> tuple[Row, ...]:
    """The words that object stores share; a bucket's own protection is judged on the bucket itself."""
    return (
        ("storage_class", coldest, "worsens", nothing, both(ORDER, rules("cold-restore-time"))),
        ("warm_class", coldest, "worsens", nothing, ORDER),
        ("cold_class", warmest, "worsens", nothing, ORDER),
        ("versioning", False, "neutral", nothing, nothing),
        ("prefixes", 100.0, "improves", nothing, nothing),
        *same("region"),
    )


CLOUDS: Mapping[str, tuple[Row, ...]] = {
    "azure-lustre": (
        ("size", "4 TiB", "worsens", holds, both(SMALLER, rules("cloud-growth"))),
        ("size", "97 TiB", "worsens", SIZE, nothing),
        ("sku", "AMLFS-Durable-Premium-40", "worsens", nothing, both(SMALLER, rules("hot-capacity"))),
        ("zones", [], "worsens", CLASS, nothing),  # one must be named
        ("blob_container", "other", "worsens", LINK, nothing),  # no resource id
        ("logging_container", "other", "worsens", LINK, nothing),
        ("maintenance_window.day", "Monday", "neutral", nothing, nothing),
        ("maintenance_window.time", "23:00", "neutral", nothing, nothing),
        *same("region"),
    ),
    "google-lustre": (
        ("size", "9000 GiB", "worsens", holds, SMALLER),
        ("size", "108001 GiB", "worsens", SIZE, nothing),
        ("per_unit_throughput", 125.0, "worsens", nothing, SMALLER),
        ("per_unit_throughput", 333.0, "worsens", CLASS, both(SMALLER)),
        ("dynamic_tier", True, "worsens", nothing, both(SMALLER, rules("cloud-class"))),
        ("gke_support", True, "neutral", nothing, nothing),
        ("filesystem", "warm", "neutral", nothing, nothing),
        *same("bucket", "region"),
    ),
    "oci-lustre": (
        ("size", "31200 GB", "worsens", holds, SMALLER),
        ("size", "72801 GB", "worsens", SIZE, nothing),
        ("performance_tier", "MBPS_PER_TB_125", "worsens", nothing, SMALLER),
        ("object_links", [], "neutral", nothing, nothing),
        ("root_squash", "ROOT", "neutral", nothing, nothing),
        ("file_system_name", "warm", "neutral", nothing, nothing),
        *same("region"),
    ),
    "cpfs": (
        ("size", "3600 GiB", "worsens", holds, SMALLER),
        ("size", "22801 GiB", "worsens", SIZE, nothing),
        ("storage_type", "advance_100", "worsens", nothing, SMALLER),
        ("file_system_type", "cpfsse", "worsens", nothing, both(SMALLER, rules("hot-capacity"))),
        ("protocol_service", False, "neutral", nothing, nothing),
        ("data_flows", [], "neutral", nothing, nothing),
        ("region", "other", "worsens", CLASS, nothing),  # sold in some regions only
    ),
    "sfs-turbo": (
        ("size", "1228 GiB", "worsens", holds, both(SMALLER, rules("hot-capacity"))),
        ("size", "13517 GiB", "worsens", SIZE, nothing),
        ("bandwidth_per_tib", 125.0, "worsens", nothing, both(SMALLER, rules("cloud-growth"))),
        ("bandwidth_per_tib", 200.0, "worsens", CLASS, both(SMALLER, rules("cloud-growth"))),
        *same("region"),
    ),
    "azure-blob": bucket(warmest="Hot", coldest="Archive"),
    "gcs": bucket(warmest="STANDARD", coldest="ARCHIVE"),
    "oci-object": bucket(warmest="Standard", coldest="Archive"),
    "oss": bucket(warmest="Standard", coldest="Archive"),
    "obs": bucket(warmest="STANDARD", coldest="DEEP_ARCHIVE"),
    "cos": bucket(warmest="STANDARD", coldest="DEEP_ARCHIVE"),
}
