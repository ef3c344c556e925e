"""Where stack files are looked for, and what is said where there is none."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tierplan.errors import InputError
from tierplan.load import read_hosts, read_stack, stack_names
from tierplan.load.places import MOST_BYTES


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: str) -> Path:
    """A project with two stacks in its own folder; one stands in a folder below it."""
    (tmp_path / "Pulumi.yaml").write_text("name: tierplan\nruntime: python\nstackConfigDir: wanted\n")
    (tmp_path / "wanted").mkdir()
    for name in ("demo", "large-1"):
        (tmp_path / "wanted" / f"Pulumi.{name}.yaml").write_text(good)
    (tmp_path / "wanted" / "notes.yaml").write_text("a: 1\n")
    (tmp_path / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "src" / "deep")
    return tmp_path


def refused(stack: str | Path) -> str:
    with pytest.raises(InputError) as caught:
        read_stack(stack)
    (line,) = caught.value.faults
    return line


def test_names_are_looked_up_where_pulumi_does(project: Path) -> None:
    assert stack_names() == ("demo", "large-1")
    assert read_stack("demo").name == "demo"
    assert read_stack("large-1").name == "large-1"
    assert project.exists()


@pytest.mark.parametrize("content", ["name: x\n", "name: x\nconfig: stacks\n", ": broken: [", "- list\n"])
def test_default_folder_is_stacks(project: Path, content: str) -> None:
    (project / "Pulumi.yaml").write_text(content)
    (project / "wanted").rename(project / "stacks")
    assert stack_names() == ("demo", "large-1")


def test_without_a_project_the_folder_stacks_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, good: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert stack_names() == ()
    assert refused("demo") == 'no stack "demo"; no stacks here; tierplan init writes one'
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.demo.yml").write_text(good)
    assert stack_names() == ("demo",)
    assert read_stack("demo").cluster.gpu_nodes == 128


def test_faults_name_the_file_as_one_would_type_it(project: Path, good: str) -> None:
    path = project / "wanted" / "Pulumi.demo.yaml"
    path.write_text(good.replace("headroom: 1.3", "headroom: 0"))
    assert refused("demo").startswith("../../wanted/Pulumi.demo.yaml:74: targets.headroom:")
    assert refused(path).startswith(f"{path}:74: targets.headroom:")


@pytest.mark.parametrize(
    ("file", "name"), [("Pulumi.other.yaml", "other"), ("mine.yaml", "mine"), ("x.y.json", "x.y"), ("plain", "plain")]
)
def test_a_path_names_its_stack(tmp_path: Path, good: str, file: str, name: str) -> None:
    (tmp_path / file).write_text(good)
    assert read_stack(tmp_path / file).name == name
    assert read_stack(str(tmp_path / file)).name == name


def test_standard_input(monkeypatch: pytest.MonkeyPatch, good: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(good.encode())))
    assert read_stack("-").name == "stdin"
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(good.replace("headroom: 1.3", "headroom: 0").encode()))
    )
    assert refused("-").startswith("stdin:74: targets.headroom:")


def test_an_unknown_name_lists_what_there_is(project: Path) -> None:
    assert refused("dmeo") == 'no stack "dmeo"; did you mean demo? stacks here: demo, large-1'
    assert refused("") == 'no stack ""; stacks here: demo, large-1'
    assert refused("a\nb\0c") == 'no stack "a?b?c"; stacks here: demo, large-1'
    assert project.exists()


def test_a_missing_file_a_folder_and_a_device(tmp_path: Path) -> None:
    assert (
        refused(tmp_path / "no.yaml")
        == f"{tmp_path}/no.yaml: cannot be read: No such file or directory; name a stack file"
    )
    assert refused(tmp_path) == f"{tmp_path}: is a folder; name a stack file in it"
    assert refused("/dev/null") == "/dev/null: is empty; write a stack file (`tierplan init` makes a starter)"
    assert refused("/dev/zero") == "/dev/zero: is larger than 1 MiB; a stack file is some tens of lines"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", "x.yaml: is empty; write a stack file (`tierplan init` makes a starter)"),
        (b"config:\n  a: \xff\n", "x.yaml:2: is not UTF-8 text; save it as UTF-8"),
        ("config: {}".encode("utf-16"), "x.yaml:1: is not UTF-8 text; save it as UTF-8"),
        (b"#" * (MOST_BYTES + 1), "x.yaml: is larger than 1 MiB; a stack file is some tens of lines"),
        (b"a: 1\n---\nb: 1\n", "x.yaml:2: holds several documents; write one, without ---"),
        (b"config:\n  a: &a [*a]\n", "x.yaml:2: *a refers to itself: a loop"),
        (b"config:\n  a: !!python/object:os.system x\n", "x.yaml:2: tag !!python/object:os.system is not allowed: "),
        (b"config:\n  a: [\n", "x.yaml:2: is no YAML: "),
        (b"\x00", "x.yaml: is no YAML: "),
    ],
)
def test_unreadable_files_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_bytes(content)
    assert refused("x.yaml").startswith(line)


def test_a_byte_order_mark_is_skipped(tmp_path: Path, good: str) -> None:
    (tmp_path / "x.yaml").write_text(good, encoding="utf-8-sig")
    assert read_stack(tmp_path / "x.yaml").cluster.gpu_nodes == 128


def test_hosts_are_looked_up_beside_the_stack_file(project: Path, good: str) -> None:
    folder = project / "wanted"
    assert read_hosts(read_stack("demo"), "demo") is None
    (folder / "Pulumi.demo.yaml").write_text(good.replace("kubernetes: true", "hosts: sub/hosts.yaml"))
    stack = read_stack("demo")
    with pytest.raises(InputError, match=r"\.\./\.\./wanted/sub/hosts\.yaml: cannot be read"):
        read_hosts(stack, "demo")
    (folder / "sub").mkdir()
    (folder / "sub" / "hosts.yaml").write_text("hot: {hosts: [{name: weka-1, addresses: [10.0.0.1]}]}\n")
    hosts = read_hosts(stack, folder / "Pulumi.demo.yaml")
    assert hosts is not None
    assert hosts.hot is not None
    assert hosts.hot.hosts[0].name == "weka-1"


def test_of_many_stacks_some_are_named_and_the_nearest(project: Path, good: str) -> None:
    for number in range(30):
        (project / "wanted" / f"Pulumi.cluster-{number:02}.yaml").write_text(good)
    line = refused("largo-1")
    assert line.startswith('no stack "largo-1"; did you mean large-1? stacks here: cluster-00, ')
    assert line.endswith("cluster-09, … and 22 more")
