"""The engine's finder, with stand-in programs in place of `pulumi` and `go`; nothing is fetched or built here."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import engine
import engine_make

SCRIPTS = Path(engine.__file__).parent
PINS = engine_make.pinned()


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def pulumi(folder: Path, version: str, *, host: bool = True) -> Path:
    if host:
        program(folder / engine.HOST, "exit 0")
    return program(folder / "pulumi", f'[ "$1" = version ] && echo {version}')


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """No engine anywhere: an empty cache, nothing on PATH but what a shell needs."""
    (tmp_path / "empty").mkdir()
    return {
        "PATH": str(tmp_path / "empty"),
        "TIERPLAN_CACHE": str(tmp_path / "cache"),
        "TIERPLAN_ENGINE_INSTALL": "0",
    }


@pytest.fixture(autouse=True)
def no_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go in its usual place is not found, only that on the test's PATH."""
    monkeypatch.setattr(engine_make, "GO_HOME", "/nonexistent")


def whole(home: Path) -> Path:
    for name in engine_make.PROGRAMS:
        program(home / "bin" / name, "exit 0")
    sizes = {name: (home / "bin" / name).stat().st_size for name in engine_make.PROGRAMS}
    (home / engine_make.MARK).write_text(json.dumps(sizes))
    return home / "bin"


@pytest.mark.parametrize("version", ["v3.255.0", "3.274.1", "v3.300.2-alpha.7+abc", "v3.255.0+dirty"])
def test_fitting_pulumi_on_path_is_taken(tmp_path: Path, env: dict[str, str], version: str) -> None:
    pulumi(tmp_path / "theirs", version)
    env["PATH"] = str(tmp_path / "theirs")
    assert engine.find(env) == tmp_path / "theirs"
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("v3.254.9", "version 3.254.9 is not >=3.255.0,<4"),
        ("v2.99.0", "version 2.99.0 is not >=3.255.0,<4"),
        ("v4.0.0", "version 4.0.0 is not >=3.255.0,<4"),
        ("what", "does not tell its version"),
    ],
)
def test_unfitting_pulumi_is_passed_over_with_its_reason(
    tmp_path: Path, env: dict[str, str], version: str, why: str
) -> None:
    pulumi(tmp_path / "theirs", version)
    env["PATH"] = str(tmp_path / "theirs")
    with pytest.raises(engine.EngineMissingError) as caught:
        engine.find(env)
    assert f"{tmp_path}/theirs/pulumi: {why}" in str(caught.value)


def test_pulumi_without_python_host_is_passed_over(tmp_path: Path, env: dict[str, str]) -> None:
    pulumi(tmp_path / "theirs", "v3.274.1", host=False)
    env["PATH"] = str(tmp_path / "theirs")
    with pytest.raises(engine.EngineMissingError, match="has no pulumi-language-python beside it or on PATH"):
        engine.find(env)


def test_host_may_lie_elsewhere_on_path_or_beside_the_link_target(tmp_path: Path, env: dict[str, str]) -> None:
    alone = pulumi(tmp_path / "alone", "v3.274.1", host=False)
    program(tmp_path / "hosts" / engine.HOST, "exit 0")
    assert engine.unsuitable(alone, {**env, "PATH": str(tmp_path / "hosts")}) is None
    both = pulumi(tmp_path / "both", "v3.274.1")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "pulumi").symlink_to(both)
    assert engine.unsuitable(tmp_path / "links" / "pulumi", env) is None


def test_second_pulumi_on_path_is_taken_where_the_first_does_not_fit(tmp_path: Path, env: dict[str, str]) -> None:
    pulumi(tmp_path / "old", "v3.100.0")
    pulumi(tmp_path / "new", "v3.280.0")
    env["PATH"] = f"{tmp_path}/old:{tmp_path}/new"
    assert engine.find(env) == tmp_path / "new"


def test_whole_engine_in_the_cache_is_taken_at_once(env: dict[str, str]) -> None:
    for home in engine.homes(env):
        expected = whole(home)
        assert engine.find(env) == expected
        shutil.rmtree(home)


def spoil_mark(home: Path) -> None:
    (home / engine_make.MARK).unlink()


def spoil_program(home: Path) -> None:
    (home / "bin" / "pulumi").write_bytes(b"half")


def spoil_shim(home: Path) -> None:
    (home / "bin" / "pulumi-language-python-exec").unlink()


def spoil_marks_text(home: Path) -> None:
    (home / engine_make.MARK).write_text('{"pulu')


@pytest.mark.parametrize("spoil", [spoil_mark, spoil_program, spoil_shim, spoil_marks_text])
def test_half_finished_engine_never_counts(env: dict[str, str], spoil: Callable[[Path], None]) -> None:
    home = engine.homes(env)[1]
    whole(home)
    spoil(home)
    assert engine.in_cache(env) is None
    with pytest.raises(engine.EngineMissingError):
        engine.find(env)


def test_without_anything_one_line_says_what_to_install(env: dict[str, str]) -> None:
    with pytest.raises(engine.EngineMissingError) as caught:
        engine.find(env)
    said = str(caught.value)
    assert "\n" not in said
    for part in ("Pulumi 3.255.0 or newer", f"Go {PINS.go} or newer", "no pulumi on PATH", "Go: not found"):
        assert part in said


def test_command_prints_the_folder_alone_and_fails_with_3(tmp_path: Path, env: dict[str, str]) -> None:
    def run(path: str) -> subprocess.CompletedProcess[str]:
        command: list[str | Path] = [sys.executable, SCRIPTS / "engine.py"]
        return subprocess.run(command, env={**env, "PATH": path}, capture_output=True, text=True, check=False)

    pulumi(tmp_path / "theirs", "v3.274.1")
    good = run(str(tmp_path / "theirs"))
    assert (good.returncode, good.stdout, good.stderr) == (0, f"{tmp_path}/theirs\n", "")
    (tmp_path / "cache").write_text("a file where the folder should be")
    bad = run(str(tmp_path / "empty"))
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (3, "", 1)
    assert "TIERPLAN_CACHE names another folder" in bad.stderr


GO = """
case "$1 $2" in
  "env GOVERSION") echo go{version};;
  "env GOTOOLCHAIN") echo {toolchain};;
  "list -m") echo {sdk};;
  build*) {build};;
esac
"""
BUILD = 'while [ "$1" != -o ]; do shift; done; printf "#!/bin/sh\\necho v%s\\n" {version} >"$2"; chmod +x "$2"'


def go(folder: Path, *, version: str = PINS.go, toolchain: str = "local", build: str = "", sdk: str = "") -> str:
    return str(program(folder / "go", GO.format(version=version, toolchain=toolchain, build=build or ":", sdk=sdk)))


@pytest.mark.parametrize(
    ("version", "toolchain", "fault"),
    [
        (PINS.go, "local", None),
        ("1.99.0", "local", None),
        ("1.99rc1", "local", None),
        ("1.21.5", "auto", None),
        ("1.21.5", "go1.22.0+auto", None),
        ("1.21.5", "local", "Go: 1.21.5 is older than {go} and GOTOOLCHAIN=local keeps it from fetching that one"),
        ("1.20.1", "auto", "Go: 1.20.1 is older than {go}"),
        ("1.20.1", "", "Go: 1.20.1 is older than {go}"),
    ],
)
def test_go_must_be_new_enough_or_allowed_to_fetch_its_toolchain(
    tmp_path: Path, version: str, toolchain: str, fault: str | None
) -> None:
    expected = fault.format(go=PINS.go) if fault else None
    assert engine_make.too_old(go(tmp_path, version=version, toolchain=toolchain), dict(os.environ)) == expected


@pytest.fixture
def go_env(tmp_path: Path, env: dict[str, str]) -> dict[str, str]:
    """A stand-in Go that builds programs which tell the pinned version, and counts its builds."""
    sdk = tmp_path / "sdk"
    program(sdk / "python" / "cmd" / "pulumi-language-python-exec", "exit 0")
    count = f"echo build >>{tmp_path}/builds; "
    go(tmp_path / "go", sdk=str(sdk), build=count + BUILD.format(version=PINS.engine))
    return {**env, "PATH": f"{tmp_path}/go:/usr/bin:/bin"}


def test_engine_is_built_once_whole_and_without_leftovers(tmp_path: Path, go_env: dict[str, str]) -> None:
    left = tmp_path / "cache" / "pulumi" / f"v0.0.0+official-x{engine_make.UNFINISHED}"
    left.mkdir(parents=True)
    found = engine.find(go_env)
    assert found == engine.find(go_env) == engine.in_cache(go_env)
    assert {path.name for path in found.iterdir()} == set(engine_make.PROGRAMS)
    assert (tmp_path / "builds").read_text().count("build") == 2
    assert sorted(path.name for path in (tmp_path / "cache" / "pulumi").iterdir()) == sorted(
        ["lock", found.parent.name]
    )


def test_engine_of_another_version_than_pinned_is_not_kept(tmp_path: Path, go_env: dict[str, str]) -> None:
    go(tmp_path / "go", sdk=str(tmp_path / "sdk"), build=BUILD.format(version="3.1.0"))
    with pytest.raises(engine.EngineMissingError, match=r"says version 'v3\.1\.0' instead of v" + PINS.engine):
        engine.find(go_env)
    assert engine.in_cache(go_env) is None


def test_failing_build_tells_its_last_line_and_leaves_nothing(tmp_path: Path, go_env: dict[str, str]) -> None:
    go(tmp_path / "go", build="echo first; echo no space left on device >&2; exit 1")
    with pytest.raises(engine.EngineMissingError, match="Go build: no space left on device"):
        engine.find(go_env)
    assert [path.name for path in (tmp_path / "cache" / "pulumi").iterdir()] == ["lock"]


def test_two_at_once_build_once(tmp_path: Path, go_env: dict[str, str]) -> None:
    command: list[str | Path] = [sys.executable, SCRIPTS / "engine.py"]
    slow = f"sleep 1; echo build >>{tmp_path}/builds; " + BUILD.format(version=PINS.engine)
    go(tmp_path / "go", sdk=str(tmp_path / "sdk"), build=slow)
    both = [
        subprocess.Popen(command, env=go_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [each.communicate(timeout=60) for each in both]
    assert [each.returncode for each in both] == [0, 0]
    assert said[0][0] == said[1][0]
    assert (tmp_path / "builds").read_text().count("build") == 2  # host and engine, once each
    assert sum("waiting for another command that is making the Pulumi engine" in err for _, err in said) == 1


def test_interrupted_build_leaves_nothing_that_counts(tmp_path: Path, go_env: dict[str, str]) -> None:
    """Killed in the middle; the next run sweeps up and builds."""
    go(tmp_path / "go", build=f"touch {tmp_path}/started; exec sleep 60")
    running = subprocess.Popen([sys.executable, SCRIPTS / "engine.py"], env=go_env, stderr=subprocess.DEVNULL)
    while not (tmp_path / "started").exists():
        assert running.poll() is None
    running.terminate()
    assert running.wait(20) == 143
    assert engine.in_cache(go_env) is None
    go(tmp_path / "go", sdk=str(tmp_path / "sdk"), build=BUILD.format(version=PINS.engine))
    assert engine.find(go_env) == engine.in_cache(go_env)


def test_installer_is_given_up_when_nothing_arrives(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_make, "STALL_S", 0.5)
    monkeypatch.setattr(engine_make, "INSTALLER", "import time; time.sleep(60)")
    home = engine.homes(env)[0]
    fault = engine_make.fetch(home, {**env, "TIERPLAN_ENGINE_INSTALL": "1", "PATH": os.environ["PATH"]})
    assert fault == "official installer: nothing arrived for 0 s"
    assert list((tmp_path / "cache" / "pulumi").iterdir()) == []


def test_installed_engine_is_kept_like_a_built_one(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The installer's part is played by a script that leaves the three programs where the real one does."""
    write = (
        "import pathlib, sys\n"
        "for name in {names!r}:\n"
        "    path = pathlib.Path(sys.argv[1], 'bin', name)\n"
        "    path.parent.mkdir(exist_ok=True)\n"
        "    path.write_text('#!/bin/sh\\necho v' + sys.argv[2] + '\\n')\n"
        "    path.chmod(0o755)\n"
    )
    monkeypatch.setattr(engine_make, "INSTALLER", write.format(names=engine_make.PROGRAMS))
    env |= {"TIERPLAN_ENGINE_INSTALL": "1", "PATH": os.environ["PATH"]}
    monkeypatch.setattr(engine, "on_path", lambda *_: None)
    assert engine.find(env) == engine.in_cache(env) == engine.homes(env)[0] / "bin"


def test_pins_are_one_engine_in_both_modules() -> None:
    assert engine.LOWEST <= tuple(map(int, PINS.engine.split("."))) < engine.BELOW
    assert (engine_make.TOOLS / "pulumi-cli" / "go.sum").exists()
    assert f"sdk/v3 v{PINS.engine}" in (engine_make.TOOLS / "pulumi-cli" / "go.mod").read_text()


def test_cache_folder_follows_the_users_settings(tmp_path: Path) -> None:
    assert engine.cache_folder({"TIERPLAN_CACHE": str(tmp_path)}) == tmp_path
    assert engine.cache_folder({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "tierplan"
    assert engine.cache_folder({"XDG_CACHE_HOME": "relative"}) == Path.home() / ".cache" / "tierplan"
