"""A result as text is what its command prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.campaign_commands import ok

import tiebreak


@pytest.mark.parametrize("name", ["compare", "rank", "estimate", "annotators", "check"])
def test_a_summary_is_what_the_command_prints(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    ok("tiebreak demo made --ratings" if name in ("estimate", "annotators") else "tiebreak demo made")
    result = getattr(tiebreak, name)("made")
    summary = result.summary(width=90)
    assert summary.splitlines() == ok(f"tiebreak {name} made").splitlines()[: len(summary.splitlines())]
    assert max(map(len, summary.splitlines())) <= 90
