"""
JuiceFS: ``juicefs status META-URL`` (JSON).

Source:   github.com/juicedata/juicefs cmd/status.go, pkg/meta/config.go (1.4, checked 2026-11-29); BlockSize in KiB.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tierplan.errors import InputError
from tierplan.existing.documents import mapped, whole
from tierplan.existing.nouns import Found, Value
from tierplan.measure.readers.documents import block, text_of
from tierplan.units import Size

PRODUCT = "JuiceFS"
TELLS: Mapping[str, str] = {}
AMAZON = re.compile(
    r"https?://(?:(?P<bucket>[a-z0-9.-]+)\.)?s3[.-](?P<region>[a-z0-9-]+)\.amazonaws\.com(?:/(?P<path>[^/?]+))?"
)
PATH = re.compile(r"https?://[^/]+/(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/?\Z")


def fits(text: str) -> bool:
    """Whether this is `juicefs status`."""
    return '"Setting"' in text and '"BlockSize"' in text


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found`.

    Raises:   InputError if it is cut off, or the volume has no block size
    """
    found = mapped(text[text.find("{") :], file)
    setting = block(found, "Setting")
    kib = whole(setting, "BlockSize")
    if kib is None:
        message = f"{file}: Setting.BlockSize {setting.get('BlockSize')!r} is no size in KiB; run juicefs status again"
        raise InputError(message)
    pins: dict[str, Value] = {"options.block_size": Size(kib * 1024.0).show("MiB", 6)}
    site: dict[str, str] = {}
    storage, url = text_of(setting, "Storage"), text_of(setting, "Bucket")
    unknown = ["the metadata engine: juicefs status does not tell it; it is the scheme of the META-URL"]
    amazon = AMAZON.match(url)
    if storage == "s3" and amazon:
        pins["options.object_store"] = "s3"
        pins["options.bucket"] = amazon["bucket"] or amazon["path"] or ""
        site = {"kind": "aws", "region": amazon["region"]}
    elif storage == "ceph":
        pins["options.object_store"] = "rados"
    else:
        path = PATH.match(url)
        if path:
            pins["options.bucket"] = path["bucket"]
        unknown.append(f"what the object store is (storage {storage}), its hosts and drives: import them as the store")
    yield Found(
        product=PRODUCT,
        tool="juicefs status",
        file=file,
        name=text_of(setting, "Name"),
        backends={"hot": "juicefs"},
        pins={key: value for key, value in pins.items() if value != ""},
        unknown=tuple(unknown),
        site=site,
        whole=bool(site),
        about=(f"{int(whole(block(found, 'Stat'), 'UsedSpace') or 0) / 1e12:.4g} TB stored",),
    )
