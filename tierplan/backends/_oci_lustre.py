"""OCI File Storage with Lustre: its classes and sizes, its words, what it forbids, a resource read as those words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._managed import Bought, Grade, Options, Unit, client_of, offers
from tierplan.backends._managed_capped import Caps, counts, leanest
from tierplan.backends._managed_inputs import Reader
from tierplan.backends._managed_rules import class_fault, not_ours, size_faults
from tierplan.backends._managed_sizes import Band, Bands
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.errors import InputError
from tierplan.units import Bandwidth, BandwidthDensity, OpRate, Size

NAME = "oci-lustre"
GB = Unit(name="GB", bytes=1e9)
RATES = (125, 250, 500, 1000)
TOKENS = ("oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem",)
FILE_SYSTEM = "hot"
SQUASHES = ("NONE", "ROOT")
TOKEN_WORDS = {"performanceTier": "performance_tier", "fileSystemName": "file_system_name", "kmsKeyId": "kms_key"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One file system in the service's own words."""

    tier: str | None
    size: float | None
    """GB as the request carries it."""
    file_system: str
    squash: str


def tier_name(rate: int) -> str:
    """
    The word of a class.

    >>> tier_name(125)
    'MBPS_PER_TB_125'
    """
    return f"MBPS_PER_TB_{rate}"


def bands(facts: BackendFacts) -> Bands:
    """Small steps from the least size on, then larger ones, counted from 0 like the small ones."""
    step, end = int(facts["large_step"]), int(facts["small_most"])
    small = Band(least=int(facts["least_size"]), step=int(facts["small_step"]), most=end)
    return Bands(bands=(small, Band(least=(end // step + 1) * step, step=step)))


def grades(facts: BackendFacts) -> tuple[Grade, ...]:
    """Every class, the slowest first; all come in the same sizes."""
    sizes, found = bands(facts), []
    for rate in RATES:
        density = BandwidthDensity(facts[f"rate_{rate}"])
        found.append(Grade(key=f"rate_{rate}", name=tier_name(rate), bands=sizes, read=density, write=density))
    return tuple(found)


def caps(used: Relied) -> Caps:
    """Nothing ends at a figure of the service; a tenth of each rate is kept back."""
    return Caps(
        op_rate_each=used.quantity(OpRate, "op_rate_per_tb") * 1e-3,
        margin=used["counted_share"],
    )


def choice_of(options: Mapping[str, OptionValue]) -> Choice:
    """The words of a configuration."""
    size = option(options, "size", Size)
    return Choice(
        tier=option(options, "performance_tier", str),
        size=None if size is None else GB.of(size),
        file_system=option(options, "file_system_name", str) or FILE_SYSTEM,
        squash=option(options, "root_squash", str) or SQUASHES[0],
    )


def bought_of(known: tuple[Grade, ...], choice: Choice, used: Relied) -> Bought:
    """The size of its class; of a class that is not known the slowest counts, so that nothing is promised."""
    grade = next((one for one in known if one.name == choice.tier), known[0])
    used.quantity(BandwidthDensity, grade.key)  # relied on
    return Bought(grade=grade, unit=GB, size=choice.size)


def settled(pins: Options, need: TierNeed, site: Site, known: tuple[Grade, ...], used: Relied) -> Options:
    """The pins with everything that is left open: the class that weighs least, at its least size."""
    base = {"file_system_name": FILE_SYSTEM, "root_squash": SQUASHES[0]}
    if site.region is not None:
        base["region"] = site.region
    pinned = choice_of(pins).tier
    tried = [one for one in known if one.name == pinned] or (known[:1] if "performance_tier" in pins else known)
    found = offers(
        {**base, **pins},
        tried,
        GB,
        words_of=lambda grade: {"performance_tier": grade.name},
        asked=lambda grade: counts(grade, GB, caps(used), need, usable=used["usable_fraction"]),
    )
    return leanest(found, used, pinned=choice_of(pins).size)


def client(need: TierNeed, used: Relied) -> Bandwidth:
    """What one GPU node takes."""
    return client_of(need.clients, used)


def faults(config: TierConfig, choice: Choice, bought: Bought, used: Relied) -> Iterator[Illegal]:
    """Everything against a configuration."""
    yield from not_ours(config)
    names = [tier_name(rate) for rate in RATES]
    if choice.tier not in names:
        asked = "missing" if choice.tier is None else choice.tier
        yield class_fault(NAME, f"performance_tier {asked}; allowed: {', '.join(names)}", f"write {names[0]}")
    yield from size_faults(NAME, bought)
    longest = int(used["longest_name"])
    if not re.fullmatch(f"[A-Za-z0-9_]{{1,{longest}}}", choice.file_system):
        yield class_fault(
            NAME,
            f"file_system_name {choice.file_system}; 1 to {longest} letters, digits and _",
            f"write file_system_name: {FILE_SYSTEM}",
        )
    if choice.squash not in SQUASHES:
        yield class_fault(NAME, f"root_squash {choice.squash}; allowed: {', '.join(SQUASHES)}", "write NONE")
    yield from _links(config)


def links(config: TierConfig) -> tuple[Mapping[str, object], ...]:
    """The links to buckets that are readable."""
    found = option(config.options, "object_links", tuple) or ()
    return tuple(one for one in found if isinstance(one, Mapping))


def _links(config: TierConfig) -> Iterator[Illegal]:
    """Each directory is linked once, to a place in a bucket."""
    listed, found = option(config.options, "object_links", tuple) or (), links(config)

    def is_link(one: Mapping[str, object]) -> bool:
        path, bucket = one.get("path"), one.get("bucket")
        right = isinstance(path, str) and path.startswith("/") and (bucket is None or isinstance(bucket, str))
        return right and set(one) <= {"path", "bucket"}

    if len(found) < len(listed) or not all(is_link(one) for one in found):
        yield Illegal(
            policy="cloud-repository",
            message=f"{NAME}: an object link is a map of path (from / on) and bucket (name, or name/prefix)",
            remedy="write object_links: [{path: /data, bucket: my-bucket}]",
        )
        return
    paths = [str(one["path"]).strip("/") for one in found]
    for path in sorted({one for one in paths if paths.count(one) > 1}):
        yield Illegal(
            policy="cloud-repository",
            message=f"{NAME}: directory /{path} is linked twice",
            remedy="keep each directory apart",
        )


def words_of_inputs(token: str, inputs: Mapping[str, object]) -> Options:
    """
    The options of a resource; what it leaves out is as the service takes it.

    Raises:   InputError with one line for each input that is unknown at preview or of a wrong type
    """
    if token not in TOKENS:
        message = f"{token}: no resource of File Storage with Lustre; {TOKENS[0]} is"
        raise InputError(message)
    read, words = Reader(inputs=inputs), dict[str, OptionValue]()
    size = read.number("capacityInGbs")
    if size is not None:
        words["size"] = GB.text(size)
    for path, word in TOKEN_WORDS.items():
        if (text := read.text(path)) is not None:
            words[word] = text
    squash = read.text("rootSquashConfiguration.identitySquash")
    words["root_squash"] = squash or SQUASHES[0]
    read.end()
    return words
