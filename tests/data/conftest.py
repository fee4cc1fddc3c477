"""Shared by the tests of the data layer: study folders from a few lines of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

MakeFolder = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def make_folder(tmp_path: Path) -> MakeFolder:
    """Writes files, exactly as given, into a new folder and returns it."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / "study"
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return folder

    return make
