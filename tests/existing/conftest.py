"""Files with the outputs of running systems."""

from __future__ import annotations

import pytest


@pytest.fixture
def laid(tmp_path):
    """Write texts to files and give their paths."""

    def lay(files):
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        return [str(tmp_path / name) for name in files]

    return lay
