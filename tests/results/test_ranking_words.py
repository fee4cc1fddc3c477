"""Leaderboards in words: places, ends of intervals, what ratings are told from; settings of sources."""

from __future__ import annotations

import pytest
from tests.ranking.ranked_studies import judged, played

import tiebreak
from tiebreak.errors import UsageError
from tiebreak.results.ranking.records import CriterionRanks, RankedSystem, Strength
from tiebreak.results.ranking.settings import AskedSource, RankSettings, asked_sources
from tiebreak.results.ranking.words import (
    counts_words,
    ends_words,
    next_words,
    ordinal,
    p_words,
    paper_sentence,
    place_words,
    reference_words,
    scale_words,
    settings_words,
)

SOUND = {("ant", "bee"): "wwwlwtlw" * 6, ("bee", "cat"): "wtlwlwwl" * 6, ("ant", "cat"): "wwtwlwww" * 6}


def only(results: dict[tuple[str, str], str], **settings: object) -> CriterionRanks:
    return tiebreak.rank(played(results), **settings).results[0]  # type: ignore[arg-type]


def test_places() -> None:
    assert [ordinal(k) for k in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip
    one = RankedSystem(Strength("a", 1500, 1400, 1600), 2, 4, 9, 3, 3, 3, 2, 1, 1, None)
    assert place_words(one) == "2nd to 4th"


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(1400.4, 1600.6, "[1400, 1601]"), (1400, None, "above 1400"), (None, 1600, "below 1600"), (None, None, "-"),
     (1500, 1500, "fixed"), (-120.2, 30, "[-120, 30]")],
)  # fmt: skip
def test_ends(low: float | None, high: float | None, words: str) -> None:
    assert ends_words(Strength("a", 1500, low, high)) == words


def test_what_ratings_are_told_from() -> None:
    assert reference_words(only(SOUND)) == "the mean of all 3 systems"
    assert reference_words(only({("ant", "bee"): "wlwl" * 9})) == "the mean of both systems"
    assert reference_words(only(SOUND, anchor="bee")) == "bee"
    assert reference_words(only(SOUND | {("zed", "ant"): "w" * 9})) == "the mean of 3 systems (without zed)"
    assert reference_words(only(SOUND | {("p", "q"): "wl" * 9})) == "the mean of each group"
    assert reference_words(only({("ant", "bee"): "w" * 9})) == "ant"
    lone = SOUND | {("p", "q"): "w" * 9}
    assert reference_words(only(lone)) == "the mean of each group (without q)"
    assert reference_words(only(lone, anchor="q")) == "the mean of each group"
    assert reference_words(only(lone | {("zed", "ant"): "w" * 9}, anchor="q")) == "the mean of each group (without zed)"
    assert scale_words(only(SOUND, anchor="bee", anchor_rating=0)).startswith("Elo scale: bee is 0, and 400 points")


def test_the_sentence_for_a_paper() -> None:
    result = tiebreak.rank(judged(items=20), sources=["preferences", "judge:gpt=0.5"], anchor="cat", anchor_rating=1000)
    sentence = paper_sentence(result.results[0], result)
    assert sentence.startswith(
        "From 120 comparisons by people's preferences (weight 1) and 120 comparisons by judge gpt (weight 0.5) on "
        "overall we rated 4 systems by Davidson's model on the Elo scale (cat at 1000), with simultaneous 95% "
        "intervals clustered by item for one look; goodness of fit of one scale: p = "
    )
    single = tiebreak.rank(played(SOUND), multiplicity="none", alpha=0.1)
    assert "with single 90% intervals" in paper_sentence(single.results[0], single)
    assert "hold with about 90%, each by itself" in dict(settings_words(single))["Intervals"]


def test_how_several_labels_count_is_said() -> None:
    for several, words in (
        ("majority", "by the majority of its labels"),
        ("first", "by its earliest label (of equally"),
    ):
        result = tiebreak.rank(judged(items=20), several=several)
        assert f"comparisons by people on overall, each {words}" in paper_sentence(result.results[0], result)
        assert f"counts once, {words}" in dict(settings_words(result))["Ratings"]
    assert "counts once, however many labels" in dict(settings_words(tiebreak.rank(judged(items=20))))["Ratings"]


def test_the_sentence_promises_no_interval_where_there_is_none() -> None:
    for results in ({("ant", "bee"): "w"}, {("ant", "bee"): "t" * 20}):
        for settings in ({}, {"anchor": "bee"}):
            result = tiebreak.rank(played(results), **settings)  # type: ignore[arg-type]
            sentence = paper_sentence(result.results[0], result)
            assert "at 1500), of which these comparisons limit none (tiebreak" in sentence
    half = tiebreak.rank(played({("ant", "bee"): "w" * 20}))
    assert "with simultaneous 95% intervals" in paper_sentence(half.results[0], half)


def test_what_to_compare_next() -> None:
    two, three = (only(results) for results in ({("ant", "bee"): "wlwl" * 9}, SOUND))
    assert next_words(two) == "To learn most about the order, and about the best system, compare ant and bee next."
    assert next_words(three).startswith("To learn most about the order, ")


def test_a_comparison_by_several_sources_counts_once() -> None:
    both = tiebreak.rank(judged(items=20), sources=["preferences", "judges"]).results[0]
    assert counts_words(both) == "4 systems, 120 comparisons on 20 items"


def test_p_values() -> None:
    assert [p_words(p) for p in (0.0001, 0.0123, 0.5, 1.0)] == ["p < 0.001", "p = 0.012", "p = 0.50", "p = 1.00"]


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
