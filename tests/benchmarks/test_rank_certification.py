"""The certification of leaderboards: its control fails, its page has every world, and says what was found."""

from __future__ import annotations

from benchmarks.worlds.tournaments import by_item, independent
from tests.docs.documents import REPOSITORY

from benchmarks import rank_certification as certification

PAGE = (REPOSITORY / "docs" / "rank_certification.md").read_text(encoding="utf-8")


def test_intervals_that_take_games_for_independent_are_found_out() -> None:
    """10 systems on 13 items, all pairs: 33% of the naive boards err on the page; 60 of them by 20% have at most 12."""
    found = certification.measured(by_item(10, 13, None, 0.0, 1 / 3), 60, 2)
    assert found.control > 12
    assert found.any_interval <= 8  # 5%: more in 0.3%; 10%: more in 17%
    assert certification.measured(independent(5, 50, 1.0, 0.0), 60, 2).control <= 8


def test_the_page_is_of_these_worlds_and_nothing_errs_more_than_promised() -> None:
    for world in (*certification.WORLDS, *certification.ONE_SCALE):
        assert f"| {world.name} |" in PAGE
    assert "**" not in PAGE[PAGE.index("| world |") :]
    assert certification.too_many(180, 2_000, 71)
    assert not certification.too_many(115, 2_000, 71)
