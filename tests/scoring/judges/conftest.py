"""A server that plays the providers, where every judge of a test finds it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scoring.judges.judging import small
from tests.scoring.judges.model_server import ModelServer, environment, serving


@pytest.fixture(autouse=True)
def no_line_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the paths of a test are."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Four items, on which `bee` is better."""
    return small(tmp_path / "study")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Prefers the text with the greater number, unless the test gives it another `model`."""
    with serving() as found:
        for name, value in environment(found).items():
            monkeypatch.setenv(name, value)
        yield found
