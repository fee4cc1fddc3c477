"""`rank` on small studies: by hand, against other packages, notes that speak and stay quiet, what cannot be ranked."""

from __future__ import annotations

import math
from dataclasses import asdict

import choix
import evalica
import numpy as np
import pytest
from tests.ranking.ranked_studies import judged, played
from tests.small_studies import answer, rating, study_of, vote

import tiebreak
from tiebreak.data.study import Study
from tiebreak.errors import InputError, UsageError
from tiebreak.ranking.sources import sample_points, sample_skills
from tiebreak.results.ranks import CriterionRanks, RankedSystem

CIRCLE = {("ant", "bee"): "w" * 60 + "l" * 30, ("bee", "cat"): "w" * 60 + "l" * 30, ("ant", "cat"): "w" * 30 + "l" * 60}
SOUND = {("ant", "bee"): "wwwlwtlw" * 6, ("bee", "cat"): "wtlwlwwl" * 6, ("ant", "cat"): "wwtwlwww" * 6}


def only(study: Study, **settings: object) -> CriterionRanks:
    (found,) = tiebreak.rank(study, **settings).results  # type: ignore[arg-type]
    return found


def row(found: CriterionRanks, name: str) -> RankedSystem:
    return next(one for one in found.davidson.systems if one.system == name)


def places(found: CriterionRanks) -> dict[str, tuple[int, int]]:
    return {one.system: (one.rank_low, one.rank_high) for one in found.davidson.systems}


def codes(found: CriterionRanks) -> set[str]:
    return {note.code for note in found.notes}


def test_two_systems_by_hand() -> None:
    # 40 wins, 20 ties, 10 losses: odds of 4 among decided games, 400 log10(4) = 240.8 points apart, half of it either
    # side of 1500; Var(d) = 1/40 + 1/10, so each half-width is 1.96 sqrt(.125)/2 * 173.7 = 60.2. nu = 20/sqrt(400) = 1.
    found = only(played({("ant", "bee"): "w" * 40 + "t" * 20 + "l" * 10}))
    first, second = found.davidson.systems
    assert (first.system, second.system) == ("ant", "bee")
    assert [one.strength.rating for one in (first, second)] == pytest.approx([1620.4, 1379.6], abs=1.5)
    assert (first.strength.low, first.strength.high) == pytest.approx((1560.2, 1680.6), abs=6)
    assert found.davidson.nu == pytest.approx(1, abs=0.02)
    assert (first.rank_low, first.rank_high, second.rank_low, second.rank_high) == (1, 1, 2, 2)
    assert (first.games, first.wins, first.ties, first.losses) == (70, 40, 20, 10)
    assert (first.opponents, first.annotators, first.group, first.tier, second.tier) == (1, 1, 1, 1, 2)
    assert codes(found) == set()
    anchored = only(played({("ant", "bee"): "w" * 40 + "t" * 20 + "l" * 10}), anchor="bee", anchor_rating=1000)
    assert [one.strength.rating for one in anchored.davidson.systems] == pytest.approx([1240.8, 1000], abs=3)
    assert anchored.davidson.systems[1].strength.low == 1000


def test_against_other_packages() -> None:
    study = judged(items=80)
    games = [
        (name_a, name_b, {"a": evalica.Winner.X, "tie": evalica.Winner.Draw, "b": evalica.Winner.Y}[outcome])
        for name_a, name_b, outcome in study.preferences.select("system_a", "system_b", "outcome").rows()
    ]
    expected = np.log(evalica.newman(*zip(*games, strict=True), tolerance=1e-10, limit=10_000).scores)
    found = only(study, sources=["preferences"])
    for one in found.davidson.systems:
        elo = 1500 + 400 / math.log(10) * (expected[one.system] - expected.mean())
        assert one.strength.rating == pytest.approx(elo, abs=1)
    # Without ties Davidson's model is that of Bradley and Terry.
    decided = played({pair: codes.replace("t", "") for pair, codes in SOUND.items()})
    number = {"ant": 0, "bee": 1, "cat": 2}
    pairs = [
        (number[a], number[b])[:: 1 if outcome == "a" else -1]
        for a, b, outcome in decided.preferences.select("system_a", "system_b", "outcome").rows()
    ]
    strengths = choix.ilsr_pairwise(3, pairs, alpha=1e-6)
    for one in only(decided).davidson.systems:
        elo = 1500 + 400 / math.log(10) * (strengths[number[one.system]] - strengths.mean())
        assert one.strength.rating == pytest.approx(elo, abs=2)


def test_names_order_of_rows_and_sides_change_nothing() -> None:
    study = judged(items=25)
    rows = study.preferences.to_dicts()
    other = {"ant": "zebra", "bee": "yak", "cat": "wolf", "dog": "vole"}
    turned = [
        one | {"system_a": other[one["system_b"]], "system_b": other[one["system_a"]], "left": other[one["left"]],
               "outcome": {"a": "b", "tie": "tie", "b": "a"}[one["outcome"]]}
        for one in reversed(rows)
    ]  # fmt: skip
    first, second = only(study_of(rows)), only(study_of(turned))
    for one in first.davidson.systems:
        same = row(second, other[one.system])
        assert same.strength.rating == pytest.approx(one.strength.rating)
        assert same.strength.low == pytest.approx(one.strength.low)
        assert (same.rank_low, same.rank_high, same.tier) == (one.rank_low, one.rank_high, one.tier)


def test_what_never_lost_has_no_upper_limit_and_a_known_lower_one() -> None:
    found = only(played(SOUND | {("zed", "ant"): "w" * 12, ("cat", "yak"): "w" * 12}))
    best, worst = row(found, "zed").strength, row(found, "yak").strength
    assert best.high is None
    assert best.low < best.rating
    assert (worst.low is None, worst.high is None) == (True, False)
    assert codes(found) == {"open-ratings"}
    assert found.davidson.references[0].systems == ("ant", "bee", "cat")
    assert row(found, "zed").rank_high < 5  # it is known to be better than some


def test_groups_are_told_apart() -> None:
    found = only(played(SOUND | {("p", "q"): "wlwwtwlw" * 4}))
    assert codes(found) == {"open-ratings"}
    assert {one.system: one.group for one in found.davidson.systems} == {"ant": 1, "bee": 1, "cat": 1, "p": 2, "q": 2}
    assert all(one.rank_low == 1 or one.rank_high == 5 for one in found.davidson.systems)
    assert [reference.rating for reference in found.davidson.references] == [1500, 1500]
    assert sum(one.strength.rating for one in found.davidson.systems if one.group == 2) == pytest.approx(3000)
    anchored = only(played(SOUND | {("p", "q"): "wlwwtwlw" * 4}), anchor="p", anchor_rating=0)
    assert row(anchored, "p").strength.rating == 0
    assert [reference.anchor for reference in anchored.davidson.references] == [None, "p"]


def test_ties_alone_and_one_item() -> None:
    tied = only(played({("ant", "bee"): "t" * 30, ("bee", "cat"): "t" * 30}))
    assert codes(tied) == {"open-ratings"}
    one_item = only(study_of([vote("i", *pair, f"p{k}", "ab"[k % 2]) for pair in SOUND for k in range(6)]))
    assert codes(one_item) == {"open-ratings"}
    assert all(one.strength.low is one.strength.high is None for one in one_item.davidson.systems)
    assert all((one.rank_low, one.rank_high) == (1, 3) for one in one_item.davidson.systems)


def test_a_circle_is_found_by_the_test_and_by_the_verdicts() -> None:
    found = only(played(CIRCLE))
    assert codes(found) >= {"not-one-scale"}
    assert found.davidson.fit.p_value < 0.001
    assert {(pair.system_a, pair.system_b, pair.excess > 0) for pair in found.davidson.fit.pairs} == {
        ("ant", "bee", True), ("bee", "cat", True), ("ant", "cat", False),
    }  # fmt: skip
    sound = only(played(SOUND))
    assert codes(sound) == set()
    assert sound.davidson.fit.p_value > 0.05


def test_a_verdict_against_the_ratings_is_named() -> None:
    # cat beats ant, and ant stands above it by what they did against bee and dog.
    results = {
        ("ant", "cat"): "w" * 20 + "l" * 60, ("ant", "bee"): "w" * 70 + "l" * 10, ("ant", "dog"): "w" * 70 + "l" * 10,
        ("bee", "cat"): "w" * 40 + "l" * 40, ("cat", "dog"): "w" * 40 + "l" * 40,
    }  # fmt: skip
    found = only(played(results))
    assert found.against_verdicts == (("cat", "ant"),)
    assert "not-one-scale" in codes(found)


def test_a_place_alone_needs_verdicts() -> None:
    """ant beats bee, and bee cat and dog: by the ratings ant is alone in front, though nobody compared it with them."""
    won = "w" * 75 + "l" * 5
    found = only(played({("ant", "bee"): won, ("bee", "cat"): won, ("bee", "dog"): won}))
    assert places(found) == {"ant": (1, 1), "bee": (2, 2), "cat": (3, 4), "dog": (3, 4)}  # by paths of verdicts
    # Two of equal strength that meet ant's equal: the ratings tell ant from cat by what they did against bee and dog.
    results = {
        ("ant", "bee"): "w" * 66 + "l" * 14, ("ant", "dog"): "w" * 66 + "l" * 14, ("bee", "cat"): "w" * 46 + "l" * 34,
        ("cat", "dog"): "w" * 34 + "l" * 46,
    }  # fmt: skip
    found = only(played(results))
    assert {(a, b) for a, b in found.order.edges} == {("ant", "bee"), ("ant", "dog")}
    assert places(found)["ant"] == (1, 2)  # no verdict separates it from cat


def test_sources_are_told_apart_and_their_weights_count() -> None:
    study = judged(judge_likes_dog=4.0)
    people, judge = only(study, sources=["preferences"]), only(study, sources=["judge:gpt"])
    mixed = only(study, sources=["preferences", "judge:gpt=0.5"])
    every = only(study, sources=["preferences", "judge:gpt=0.5", "ratings=2"])
    assert [(source.source, source.weight, source.games) for source in every.sources] == [
        ("preferences", 1, 360), ("judge gpt", 0.5, 360), ("ratings", 2, 360),
    ]  # fmt: skip
    by_people = {one.system: one.rating for one in mixed.sources[0].systems or ()}
    assert by_people == pytest.approx({one.system: one.strength.rating for one in people.davidson.systems})
    assert row(people, "dog").strength.rating < row(mixed, "dog").strength.rating < row(judge, "dog").strength.rating
    nearly = only(study, sources=["preferences", "judges=0.001"])
    assert row(nearly, "dog").strength.rating == pytest.approx(row(people, "dog").strength.rating, abs=1)
    (told,) = (note for note in mixed.notes if note.code == "unvalidated")
    assert told.details["disagreements"]
    assert codes(judge) == {"unvalidated"}
    assert row(judge, "dog").annotators == 0
    assert row(people, "dog").annotators == 2
    replies = [
        answer(one["item"], one["system_a"], one["system_b"], one["outcome"], criterion="overall")
        for one in judged(people=1, seed=2).preferences.to_dicts()
    ]
    alike = study_of(judged(people=1).preferences.to_dicts(), judge_preferences=replies)
    assert codes(only(alike, sources=["preferences", "judges"])) == {"unvalidated"}


def test_the_left_is_taken_out() -> None:
    study = judged(left=0.8)
    found = only(study, sources=["preferences"], left_advantage=True).davidson.side
    assert found.low < 0.8 * 400 / math.log(10) < found.high
    assert only(study, sources=["preferences"]).davidson.side is None
    always = study_of([one | {"left": one["system_a"]} for one in study.preferences.to_dicts()])
    blind = only(always, left_advantage=True)
    assert blind.davidson.side is not None  # six pairs, one scale: the systems do not explain it
    pair = study_of([vote(f"i{k}", "ant", "bee", "p", "ab"[k % 3 == 0]) | {"left": "ant"} for k in range(30)])
    unknown = only(pair, left_advantage=True)
    assert codes(unknown) == {"open-ratings"}
    assert unknown.davidson.systems[0].strength == only(pair).davidson.systems[0].strength


def test_an_advantage_without_limit_is_not_taken_out() -> None:
    seen = [(a, b) for k in range(40) for a, b in (("ant", "bee"), ("cat", "bee"), ("ant", "cat"))[:: 1 - k % 2 * 2]]
    rows = [
        vote(f"i{k}", a, b, f"p{k % 5}", "ab"[(k % 2) ^ (k % 7 == 0)]) | {"left": (a, b)[k % 2]}
        for k, (a, b) in enumerate(seen)
    ]
    known = only(study_of(rows), left_advantage=True)
    assert codes(known) == set()
    always = [row | {"outcome": "a" if row["left"] == row["system_a"] else "b"} for row in rows]
    without = only(study_of(always), left_advantage=True)
    assert without.davidson.side is None
    assert codes(without) == {"open-ratings"}
    for one, other in zip(without.davidson.systems, only(study_of(always)).davidson.systems, strict=True):
        assert asdict(one.strength) == pytest.approx(asdict(other.strength))
    # In a group of their own two systems that the left does not tell apart spoil nothing of the others.
    apart = [vote(f"j{k}", "yak", "zebu", "p", "ab"[k % 3 == 0]) | {"left": "yak"} for k in range(30)]
    found = only(study_of([*rows, *apart]), left_advantage=True)
    assert found.davidson.side == known.davidson.side
    assert {"systems": ["yak", "zebu"]} in [note.details for note in found.notes if note.code == "open-ratings"]


def test_criteria_have_boards_of_their_own() -> None:
    rows = [
        rating(f"i{k}", name, "p", (value * (-1) ** (criterion == "brevity") + k) % 5, criterion)
        for k in range(30)
        for name, value in (("ant", 2), ("bee", 1), ("cat", 0))
        for criterion in ("brevity", "fluency")
    ]
    result = tiebreak.rank(study_of(ratings=rows))
    assert [found.criterion for found in result.results] == ["brevity", "fluency"]
    alone = tiebreak.rank(study_of(ratings=rows), criteria=["fluency"])
    assert alone.to_dict()["results"][0] == result.to_dict()["results"][1]
    assert result.systems.height == 6
    assert result.systems.columns[:5] == ["criterion", "system", "rating", "low", "high"]


def test_intervals_by_themselves_are_shorter_and_places_no_wider() -> None:
    together, alone = only(judged()), only(judged(), multiplicity="none")
    for one in together.davidson.systems:
        other = row(alone, one.system)
        assert other.strength.rating == one.strength.rating
        assert one.strength.low < other.strength.low  # type: ignore[operator]
        assert one.rank_low <= other.rank_low <= other.rank_high <= one.rank_high


def test_tournaments() -> None:
    study = judged()
    paper, standard = only(study, glicko2="paper"), only(study, glicko2="standard", max_games=500)
    assert paper.glicko2.converged
    assert [one.system for one in paper.glicko2.systems] == ["ant", "bee", "cat", "dog"]
    assert sum(one.games for one in paper.glicko2.systems) == 2 * paper.glicko2.games
    assert {one.volatility for one in paper.glicko2.systems} == {0.06}
    assert (standard.glicko2.converged, standard.glicko2.games) == (False, 500)
    assert "not-converged" in codes(standard)
    for matching in ("most-informative", "winner"):
        assert only(study, glicko2="paper", matching=matching, max_games=400).glicko2.matching == matching
    assert only(study, glicko2="paper").glicko2 == paper.glicko2  # the seed decides
    assert only(study, glicko2="paper", seed=2).glicko2 != paper.glicko2
    assert only(study).glicko2 is None


def test_systems_without_games_are_named() -> None:
    outputs = [{"item": "ant-bee-0", "system": name, "text": name} for name in ("ant", "bee", "owl")]
    study = study_of(played({("ant", "bee"): "wl" * 9}).preferences.to_dicts(), outputs=outputs)
    found = only(study)
    assert found.without_games == ("owl",)
    assert codes(found) == {"open-ratings"}


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"anchor": "antt"}, UsageError, "no system 'antt': did you mean ant"),
        ({"sources": ["judge:gtp"]}, UsageError, "no judge 'gtp'"),
        ({"sources": ["likes"]}, UsageError, "--source likes: name one of preferences, ratings, judges, judge:NAME"),
        ({"sources": ["ratings=0"]}, UsageError, "the weight must be a number from 0.001 to 1000"),
        ({"sources": ["ratings", "ratings=2"]}, UsageError, "--source names ratings twice"),
        ({"sources": ["judges", "judge:gpt"]}, UsageError, "name no judge beside it"),
        ({"left_advantage": True, "several": "majority"}, UsageError, "--left-advantage needs --several mean or first"),
        ({"raters": "any", "several": "first"}, UsageError, "raters any needs --several mean"),
        ({"criteria": ["fluency"]}, UsageError, "no criterion 'fluency'"),
        ({"systems": ["ant"]}, InputError, "there is nothing to rank"),
        ({"max_games": 0}, UsageError, "max-games is 0"),
    ],
)
def test_what_cannot_be_ranked(settings: dict[str, object], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tiebreak.rank(judged(items=5), **settings)  # type: ignore[arg-type]


def test_nothing_of_the_sources_asked_for() -> None:
    with pytest.raises(InputError, match="no item on which two systems were compared, by ratings"):
        tiebreak.rank(played(SOUND), sources=["ratings"])
    only_judge = study_of(judge_preferences=judged(items=4).judge_preferences.to_dicts(),
                          outputs=[{"item": "i0", "system": "ant", "text": "x"}])  # fmt: skip
    with pytest.raises(InputError, match="by people's preferences and ratings"):
        tiebreak.rank(only_judge)
    assert only(only_judge, sources=["judges"]).sources[0].source == "judge gpt"


# ---- tournaments of samples ----------------------------------------------------------------------------------------


QUALITY = np.array([3.0, 1.0, 2.0])


def test_points_against_references() -> None:
    references = np.array([0.0, 2.0])

    def compare(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.sign(QUALITY[first] - references[second])

    assert sample_points(compare, 3, 2).tolist() == [6, 3, 4]  # 3 + 3, 3 + 0, 3 + 1


def test_every_sample_is_a_player() -> None:
    def compare(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        assert (first != second).all()
        return np.sign(QUALITY[first] - QUALITY[second])

    skills = sample_skills(compare, 3, 300, rng=np.random.default_rng(1))
    assert np.argsort([-one.rating for one in skills]).tolist() == [0, 2, 1]


def test_bad_tournaments_are_refused() -> None:
    with pytest.raises(UsageError, match="a sample and a reference at least"):
        sample_points(lambda first, _: first, 0, 2)
    with pytest.raises(UsageError, match="2 samples and 1 game at least"):
        sample_skills(lambda first, _: first, 1, 9, rng=np.random.default_rng(1))
    with pytest.raises(UsageError, match="as many outcomes of 1, 0 or -1"):
        sample_points(lambda first, _: first[:1], 3, 3)
    with pytest.raises(UsageError, match="as many outcomes of 1, 0 or -1"):
        sample_points(lambda first, _: np.full(first.size, 0.5), 3, 3)
