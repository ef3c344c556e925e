"""Hosts files: read whole or refused with one line for each fault."""

from pathlib import Path

import pytest

from tierplan.domain.hosts import address_ok, host_name_ok
from tierplan.errors import InputError
from tierplan.load.hosts import MOST_BYTES, hosts_from_text, read_hosts_file

EXAMPLE = Path(__file__).parents[2] / "examples" / "hosts.yaml"


def faults_of(text):
    with pytest.raises(InputError) as caught:
        hosts_from_text(text, where="hosts.yaml")
    return list(caught.value.faults)


def test_the_example_reads_as_what_it_says():
    hosts = read_hosts_file(EXAMPLE)
    assert len(hosts.hot.hosts) == 12
    assert hosts.hot.hosts[0].addresses == ("10.10.1.11", "10.10.2.11")
    assert hosts.hot.hosts[-1].ports == ("enp1s0f0np0", "enp1s0f1np1")
    assert hosts.cold.virtual_ips == ("10.20.0.250/24",)
    assert hosts.clients.ports == ("ib0", "ib1")


def test_every_fault_has_its_line_and_key_path():
    text = """hot:
  drives: [sda/x]
  adresses: []
  hosts:
    - {name: "a; rm -rf /", addresses: ["10.0.0.1"]}
    - {name: b}
"""
    known = "cluster_network, db_drives, drives, hosts, ports, public_network, s3_name, virtual_ips"
    assert faults_of(text) == [
        f"hosts.yaml:3: hot.adresses: unknown key; allowed: {known}",
        "hosts.yaml:6: hot.hosts[1]: has no addresses; write it",
    ]
    semantic = text.replace("  adresses: []\n", "").replace("{name: b}", '{name: b, addresses: ["10.0.0.1", x]}')
    words = "allowed: letters, digits and hyphens between dots (RFC 1123), or an IP"
    assert faults_of(semantic) == [
        'hosts.yaml:2: hot.drives[0]: "sda/x" is no device path; write e.g. "/dev/nvme0n1"',
        f'hosts.yaml:4: hot.hosts[0].name: "a; rm -rf /" is no host name; {words}',
        'hosts.yaml:5: hot.hosts[1].addresses[1]: "x" is no IP address; write e.g. "10.10.0.11"',
        'hosts.yaml:5: hot.hosts[1].addresses: "10.0.0.1" is also an address of a; rm -rf /; give each host its own',
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("{}", "is empty; name hot, cold or clients"),
        ("[]", "is not a map of keys"),
        ("hot: {hosts: []}", "has too few items; at least 1"),
        ("hot: {hosts: [{name: 1, addresses: [10.0.0.1]}]}", "is not text"),
        ("a: [", "hosts.yaml"),
        ("hot: {hosts: [{name: a, name: b, addresses: [10.0.0.1]}]}", "duplicate key"),
        ("hot: {hosts: [{name: a, addresses: [10.0.0.1]}, {name: A, addresses: [10.0.0.2]}]}", "name each host once"),
        ("hot: {drives: [/dev/a, /dev/a], hosts: [{name: a, addresses: [10.0.0.1]}]}", "stands here twice"),
        ("hot: {drives: [/dev/a], db_drives: [/dev/a], hosts: [{name: a, addresses: [10.0.0.1]}]}", "not both"),
        ("cold: {virtual_ips: [10.0.0.9], hosts: [{name: a, addresses: [10.0.0.1]}]}", "no address with prefix"),
        (
            "cold: {virtual_ips: [10.0.0.8/24, 10.0.0.9/24], hosts: [{name: a, addresses: [10.0.0.1]}]}",
            "at most one for each host",
        ),
        ("cold: {public_network: 10.0.0.0, hosts: [{name: a, addresses: [10.0.0.1]}]}", "is not a network"),
        ("hot: {ports: ['eth0/10'], hosts: [{name: a, addresses: [10.0.0.1]}]}", "no network device name"),
        ("hot: {hosts: [{name: a, addresses: [10.0.0.1], rack: '$(x)'}]}", "is no rack name"),
    ],
)
def test_what_cannot_be_is_said_in_words(text, words):
    assert any(words in line for line in faults_of(text)), faults_of(text)


def test_faults_never_break_their_line():
    (line,) = faults_of('hot: {hosts: [{name: "a\\nb", addresses: [10.0.0.1]}]}')
    assert "\n" not in line


def test_a_file_that_cannot_be_read_is_a_clear_line(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_hosts_file(tmp_path / "none.yaml")
    (tmp_path / "big.yaml").write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(InputError, match="larger than 1 MiB"):
        read_hosts_file(tmp_path / "big.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        read_hosts_file(tmp_path / "latin.yaml", shown_as="hosts.yaml")


@pytest.mark.parametrize(
    "name", ["a", "weka-1", "1a", "a.b-c.example", "x" * 63, "10.0.0.1", "fe80::1", "WEKA-1.Example"]
)
def test_host_names_that_are_allowed(name):
    assert host_name_ok(name)


@pytest.mark.parametrize(
    "name",
    ["", "-a", "a-", "a_b", "a..b", ".a", "a.", "x" * 64, "a." * 130 + "a", "1.2.3", "a b", "a\n", "ä", "fe80::1%eth0"],
)
def test_host_names_that_are_not(name):
    assert not host_name_ok(name)


def test_an_address_has_no_zone_and_no_prefix():
    assert address_ok("10.0.0.1")
    assert not address_ok("10.0.0.1/24")
    assert not address_ok("fe80::1%eth0; reboot")
