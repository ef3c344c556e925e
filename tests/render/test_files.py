"""The door to disk: all files or none, ours to replace or not ours, never outside."""

import hashlib
import json
from pathlib import Path

import pytest

from tierplan.errors import RenderError
from tierplan.render import MANIFEST, artifacts, render, write


@pytest.fixture
def files(plan, hosts):
    return render(plan, hosts)


def tree(folder):
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_write_puts_every_file_and_nothing_else(files, tmp_path):
    write(files, tmp_path / "out")
    assert tree(tmp_path / "out") == dict(files)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_digests_of_the_manifest_are_those_of_the_disk(files, tmp_path):
    write(files, tmp_path / "out")
    for artifact in artifacts(files):
        assert hashlib.sha256((tmp_path / "out" / artifact.path).read_bytes()).hexdigest() == artifact.sha256


def test_scripts_can_be_run_and_others_not(files, tmp_path):
    write(files, tmp_path / "out")
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert bool(path.stat().st_mode & 0o100) == (path.suffix == ".sh"), path
            assert not path.stat().st_mode & 0o022


def test_parent_folders_are_made_and_an_empty_folder_is_filled(files, tmp_path):
    write(files, tmp_path / "a" / "b")
    (tmp_path / "empty").mkdir()
    write(files, tmp_path / "empty")
    assert tree(tmp_path / "empty") == tree(tmp_path / "a" / "b")


def test_our_own_folder_is_replaced_whole(plan, tiered_plan, hosts, tmp_path):
    write(render(tiered_plan, hosts), tmp_path / "out")
    later = render(plan, hosts)
    write(later, tmp_path / "out")
    assert tree(tmp_path / "out") == dict(later)


def test_a_folder_with_other_files_is_left_alone(files, tmp_path):
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(RenderError, match="holds files that are not tierplan's"):
        write(files, tmp_path)
    assert tree(tmp_path) == {"mine": "precious"}


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"schema": "other/1", "files": []}', '{"schema": 1}'])
def test_a_manifest_that_is_not_ours_protects_its_folder(files, tmp_path, manifest):
    (tmp_path / MANIFEST).write_text(manifest)
    with pytest.raises(RenderError, match="none of tierplan's"):
        write(files, tmp_path)
    assert tree(tmp_path) == {MANIFEST: manifest}


def test_a_file_changed_or_added_by_hand_is_not_lost(files, tmp_path):
    out = tmp_path / "out"
    write(files, out)
    script = out / "10-hot-weka" / "05-start-io.sh"
    script.write_text("mine\n")
    with pytest.raises(RenderError, match=r"10-hot-weka/05-start-io.sh was added or changed by hand"):
        write(files, out)
    assert script.read_text() == "mine\n"
    script.write_text(files["10-hot-weka/05-start-io.sh"])
    (out / "notes.txt").write_bytes(b"\xff")
    with pytest.raises(RenderError, match=r"notes.txt was added or changed by hand"):
        write(files, out)


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "a//b", "./x", "", "a\\..\\x", "a/./b", "..", "a\0b"])
def test_a_path_that_leads_outside_is_refused_before_anything_is_written(files, tmp_path, path):
    with pytest.raises(RenderError, match="no path inside the folder"):
        write({**files, path: "x"}, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_followed(files, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RenderError, match="is no folder"):
        write(files, tmp_path / "out")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_file_in_the_way_is_refused(files, tmp_path):
    (tmp_path / "out").write_text("x")
    with pytest.raises(RenderError, match="is no folder"):
        write(files, tmp_path / "out")
    with pytest.raises(RenderError, match="cannot be written"):
        write(files, tmp_path / "out" / "below")


def test_a_full_disk_leaves_the_old_folder_and_no_debris(files, tmp_path, monkeypatch):
    out = tmp_path / "out"
    write(files, out)
    count = 0

    def failing(self, data):
        nonlocal count
        count += 1
        if count > 5:
            raise OSError(28, "No space left on device")
        with self.open("wb") as file:
            return file.write(data)

    monkeypatch.setattr(Path, "write_bytes", failing)
    with pytest.raises(RenderError, match="No space left on device"):
        write(files, out)
    assert tree(out) == dict(files)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_rename_that_fails_puts_the_old_folder_back(files, tmp_path, monkeypatch):
    out = tmp_path / "out"
    write(files, out)
    rename = Path.rename

    def failing(self, target):
        if self.name == "new":
            raise OSError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(RenderError, match="Permission denied"):
        write(files, out)
    assert tree(out) == dict(files)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_files_without_a_manifest_are_not_written(tmp_path):
    """Such a folder could never be replaced."""
    with pytest.raises(RenderError, match="MANIFEST"):
        write({"a.sh": "x"}, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_manifest_itself_is_readable(files):
    assert json.loads(files[MANIFEST])["stack"] == "demo"
