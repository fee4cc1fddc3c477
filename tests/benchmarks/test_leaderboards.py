"""What the page of real leaderboards says beside its tables."""

from __future__ import annotations

import evalica
from tests.docs.test_figures import rows_of


def test_the_times_that_were_asked_for() -> None:
    """Davidson from counts no slower than evalica from tables, a million games of Glicko-2 in less than 5 s."""
    rows = {row[0]: row for row in rows_of("leaderboards.md", "## Time")[2:]}
    for name in ("Davidson from counts", "Davidson from tables"):
        assert float(rows[name][1]) <= float(rows["evalica, Bradley-Terry from tables"][1])
        assert float(rows[name][2]) <= 1
    assert float(rows["Glicko-2, the paper's form"][1]) < 5


def test_no_tool_of_counted_wins_is_outside_of_the_places() -> None:
    for study in ("llmfao", "summeval, relevance", "summeval, coherence", "wmt21-en-de, mqm"):
        rows = {row[0]: row for row in rows_of("leaderboards.md", f"### {study}\n")[2:]}
        for tool in ("tiebreak, Davidson", "evalica, Newman", "evalica, win rate"):
            assert rows[tool][3] == "0"


def test_the_eigenvector_of_another_package_is_upside_down() -> None:
    """Where a new version mends it, it comes back to the page."""
    games = [("best", "mid", evalica.Winner.X), ("mid", "worst", evalica.Winner.X), ("best", "worst", evalica.Winner.X)]
    games += [
        ("best", "mid", evalica.Winner.Y),
        ("mid", "worst", evalica.Winner.Y),
        ("best", "worst", evalica.Winner.X),
    ]
    scores = evalica.eigen(*zip(*games, strict=True)).scores
    assert scores["worst"] > scores["best"]
