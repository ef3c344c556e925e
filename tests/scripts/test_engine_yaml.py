"""The host of YAML programs: found, kept, built; with a stand-in in place of `go`."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine
import engine_make
import engine_yaml

GO = """
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' > "$2"
"""


def program(path: Path, text: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Nothing on PATH, an empty cache, no Go in its usual place."""
    monkeypatch.setattr(engine_make, "GO_HOME", "/nonexistent")
    (tmp_path / "empty").mkdir()
    return {"PATH": str(tmp_path / "empty"), "TIERPLAN_CACHE": str(tmp_path / "cache")}


def test_the_host_beside_the_engine_is_taken(tmp_path: Path, env: dict[str, str]) -> None:
    program(tmp_path / "bin" / engine_make.YAML_HOST)
    assert engine_yaml.find(tmp_path / "bin", env) == tmp_path / "bin"
    assert not (tmp_path / "cache").exists()


def test_it_is_built_once_and_kept(tmp_path: Path, env: dict[str, str]) -> None:
    go = program(tmp_path / "go" / "go", GO)
    found = engine_yaml.find(tmp_path / "none", {**env, "PATH": f"{go.parent}:/usr/bin:/bin"})
    assert (found / engine_make.YAML_HOST).is_file()
    assert found.parent.name.startswith(f"yaml-v{engine_make.yaml_version()}-")
    go.unlink()
    assert engine_yaml.find(tmp_path / "none", env) == found


def test_a_build_that_fails_leaves_nothing_and_says_why(tmp_path: Path, env: dict[str, str]) -> None:
    go = program(tmp_path / "go" / "go", "echo 'dial tcp: no route to host' >&2; exit 1")
    with pytest.raises(engine.EngineMissingError, match=r"no pulumi-language-yaml: Go build .*no route to host"):
        engine_yaml.find(tmp_path / "none", {**env, "PATH": f"{go.parent}:/usr/bin:/bin"})
    assert [path.name for path in (tmp_path / "cache" / "pulumi").iterdir()] == ["lock"]


def test_without_go_there_is_one_line(tmp_path: Path, env: dict[str, str]) -> None:
    with pytest.raises(engine.EngineMissingError, match="no pulumi-language-yaml: Go: not found"):
        engine_yaml.find(tmp_path / "none", env)
