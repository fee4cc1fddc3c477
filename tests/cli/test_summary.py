"""A result as text is what its command prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.campaign_commands import ok

import tiebreak
from tiebreak.errors import UsageError


@pytest.mark.parametrize("name", ["compare", "rank", "estimate", "annotators", "check"])
def test_a_summary_is_what_the_command_prints(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    ok("tiebreak demo made --ratings" if name in ("estimate", "annotators") else "tiebreak demo made")
    result = getattr(tiebreak, name)("made")
    summary = tiebreak.summary(result, width=90)
    assert summary.splitlines() == ok(f"tiebreak {name} made").splitlines()[: len(summary.splitlines())]
    assert max(map(len, summary.splitlines())) <= 90


def test_what_is_no_result_has_none() -> None:
    with pytest.raises(UsageError, match="a str has no summary"):
        tiebreak.summary("made")  # type: ignore[arg-type]
