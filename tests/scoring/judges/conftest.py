"""A server that plays the providers, where every judge of a test finds it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.scoring.judges.model_server import ModelServer, serving

KEY = "sk-secret-0123456789abcdefghijklmnop"


@pytest.fixture(autouse=True)
def no_line_is_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the paths of a test are."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """Prefers the text with the greater number, unless the test gives it another `model`."""
    with serving() as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", found.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        yield found
