"""Places of a leaderboard in words, and settings of sources."""

from __future__ import annotations

import pytest

from tiebreak.errors import UsageError
from tiebreak.messages.ranks import ordinal, place_words
from tiebreak.results.rank_settings import AskedSource, RankSettings, asked_sources
from tiebreak.results.ranks import RankedSystem, Strength


def test_places() -> None:
    assert [ordinal(k) for k in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip
    one = RankedSystem(Strength("a", 1500, 1400, 1600), 2, 4, 9, 3, 3, 3, 2, 1, 1, None)
    assert place_words(one) == "2nd to 4th"


def test_sources_as_they_are_asked_for() -> None:
    assert asked_sources(["preferences", "ratings=0.25", "judge:a=b", "judge:c=2"]) == (
        AskedSource("preferences"), AskedSource("ratings", 0.25), AskedSource("judges", 1.0, "a=b"),
        AskedSource("judges", 2.0, "c"),
    )  # fmt: skip
    assert asked_sources(["judges=3"]) == (AskedSource("judges", 3.0),)
    for wrong in ("ratings=nan", "ratings=", "ratings=-1", "ratings=0", "ratings=1e-9", "ratings=1e9"):
        with pytest.raises(UsageError, match="the weight must be a number from"):
            asked_sources([wrong])
    with pytest.raises(UsageError, match="did you mean ratings"):
        RankSettings(sources=["rating"])
    assert RankSettings(sources="ratings").sources == ("ratings",)
