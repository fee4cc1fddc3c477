"""What the tests of the commands share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def a_wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """120 columns, whatever the terminal that runs the tests has."""
    monkeypatch.setenv("COLUMNS", "120")
