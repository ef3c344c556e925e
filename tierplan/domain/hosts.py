"""Real hosts of a site: names, addresses, ports and drives, as `operations.hosts` names them for rendered files."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

HostTier: TypeAlias = Literal["hot", "cold"]

_LABEL = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_PORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,14}")
_DRIVE = re.compile(r"/dev/[A-Za-z0-9][A-Za-z0-9._:+/-]{0,199}")
_RACK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """One storage node; its own ports and drives count before those of its group."""

    name: str
    addresses: tuple[str, ...]
    rack: str | None = None
    ports: tuple[str, ...] = ()
    drives: tuple[str, ...] = ()
    db_drives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostGroup:
    """The storage nodes of one tier, and where its clients find it."""

    hosts: tuple[Host, ...]
    ports: tuple[str, ...] = ()
    drives: tuple[str, ...] = ()
    db_drives: tuple[str, ...] = ()
    virtual_ips: tuple[str, ...] = ()  # of the gateways, each with prefix length; at most one for each host
    s3_name: str | None = None
    public_network: str | None = None
    cluster_network: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHosts:
    """What every GPU node has in common."""

    ports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """A hosts file: the storage nodes of the tiers and the GPU nodes' storage ports."""

    hot: HostGroup | None = None
    cold: HostGroup | None = None
    clients: ClientHosts | None = None

    def group(self, tier: HostTier) -> HostGroup | None:
        """The hosts of one tier, where the file names them."""
        return self.hot if tier == "hot" else self.cold


def host_name_ok(name: str) -> bool:
    """
    Whether this is a host name (RFC 1123) or an IP address.

    >>> host_name_ok("weka-1.example"), host_name_ok("-x"), host_name_ok("a; rm -rf /")
    (True, False, False)
    """
    if address_ok(name):
        return True
    labels = name.split(".")
    return len(name) <= 253 and not labels[-1].isdigit() and all(_LABEL.fullmatch(label) for label in labels)


def address_ok(text: str) -> bool:
    """Whether this is an IPv4 or IPv6 address, without zone or prefix."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text


def network_ok(text: str) -> bool:
    """Whether this is a network with its prefix length."""
    return "/" in text and _parses(ipaddress.ip_network, text)


def interface_ok(text: str) -> bool:
    """Whether this is an address with the prefix length of its network."""
    return "/" in text and "%" not in text and _parses(ipaddress.ip_interface, text)


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def host_faults(hosts: Hosts) -> Iterator[tuple[str, str]]:
    """Key path and message of every value that cannot stand where it stands; one for each."""
    for tier in ("hot", "cold"):
        group = hosts.hot if tier == "hot" else hosts.cold
        if group is not None:
            yield from _group_faults(tier, group)
    if hosts.clients is not None:
        yield from _listed("clients.ports", hosts.clients.ports, _port_fault)


def _group_faults(path: str, group: HostGroup) -> Iterator[tuple[str, str]]:
    yield from _device_faults(path, group)
    yield from _listed(f"{path}.virtual_ips", group.virtual_ips, _interface_fault)
    if len(group.virtual_ips) > len(group.hosts):
        yield f"{path}.virtual_ips", f"{len(group.virtual_ips)} for {len(group.hosts)} hosts; at most one for each host"
    names: dict[str, int] = {}
    addresses: dict[str, str] = {}
    for index, host in enumerate(group.hosts):
        place = f"{path}.hosts[{index}]"
        yield from _host_faults(place, host)
        first = names.setdefault(host.name.lower(), index)
        if first != index:
            yield f"{place}.name", f'"{host.name}" is also hosts[{first}]; name each host once'
        for address in host.addresses:
            owner = addresses.setdefault(address, host.name)
            if owner != host.name:
                yield f"{place}.addresses", f'"{address}" is also an address of {owner}; give each host its own'
    checks: tuple[tuple[str, str | None, Callable[[str], bool], str], ...] = (
        ("s3_name", group.s3_name, host_name_ok, 'a host name or an address, e.g. "s3.example.internal"'),
        ("public_network", group.public_network, network_ok, 'a network, e.g. "10.20.0.0/16"'),
        ("cluster_network", group.cluster_network, network_ok, 'a network, e.g. "10.21.0.0/16"'),
    )
    for key, value, right, allowed in checks:
        if value is not None and not right(value):
            yield f"{path}.{key}", f'"{value}" is not {allowed}'


def _host_faults(path: str, host: Host) -> Iterator[tuple[str, str]]:
    if not host_name_ok(host.name):
        yield (
            f"{path}.name",
            f'"{host.name}" is no host name; allowed: letters, digits and hyphens between dots (RFC 1123), or an IP',
        )
    if not host.addresses:
        yield f"{path}.addresses", 'is empty; write one or more addresses, e.g. ["10.10.0.11"]'
    yield from _listed(f"{path}.addresses", host.addresses, _address_fault)
    if host.rack is not None and not _RACK.fullmatch(host.rack):
        yield f"{path}.rack", f'"{host.rack}" is no rack name; allowed: letters, digits, ".", "_" and "-"'
    yield from _device_faults(path, host)


def _device_faults(path: str, owner: Host | HostGroup) -> Iterator[tuple[str, str]]:
    yield from _listed(f"{path}.ports", owner.ports, _port_fault)
    yield from _listed(f"{path}.drives", owner.drives, _drive_fault)
    yield from _listed(f"{path}.db_drives", owner.db_drives, _drive_fault)
    both = sorted(set(owner.drives) & set(owner.db_drives))
    if both:
        yield f"{path}.db_drives", f'"{both[0]}" is also in drives; a drive holds data or databases, not both'


def _listed(path: str, values: tuple[str, ...], fault: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    for index, value in enumerate(values):
        if message := fault(value):
            yield f"{path}[{index}]", message
        elif value in values[:index]:
            yield f"{path}[{index}]", f'"{value}" stands here twice; write it once'


def _address_fault(text: str) -> str:
    return "" if address_ok(text) else f'"{text}" is no IP address; write e.g. "10.10.0.11"'


def _interface_fault(text: str) -> str:
    return "" if interface_ok(text) else f'"{text}" is no address with prefix length; write e.g. "10.20.0.250/24"'


def _port_fault(text: str) -> str:
    return "" if _PORT.fullmatch(text) else f'"{text}" is no network device name; write e.g. "ib0" or "enp1s0f0np0"'


def _drive_fault(text: str) -> str:
    right = _DRIVE.fullmatch(text) is not None and ".." not in text
    return "" if right else f'"{text}" is no device path; write e.g. "/dev/nvme0n1"'
