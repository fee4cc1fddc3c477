"""Random studies: a leaderboard or a plain refusal, strict JSON, figures that agree; intervals and places that hold."""

from __future__ import annotations

import io
import json
import math
import random
from itertools import combinations

import numpy as np
import pytest
from benchmarks.worlds.leaderboards import outcomes
from tests.small_studies import Row, answer, rating, study_of, vote

import tiebreak
from tiebreak.cli.rank import show_ranks
from tiebreak.cli.terminal import Terminal
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.report.leaderboard import render
from tiebreak.results.ranks import CriterionRanks

SEEDS = 40


def random_study(draw: random.Random) -> Study:
    """Few or many systems and labels, strong or no differences, ties or none, sides known or not."""
    names = [f"s{k}" for k in range(draw.randint(2, 9))]
    items, bias, ties = draw.randint(1, 12), draw.choice([0, 1, 3, 20]), draw.choice([0, 0.5, 50])
    votes: list[Row] = []
    for _ in range(draw.choice([1, 2, 3, 8, 30, 100])):
        a, b = draw.sample(range(len(names)), 2)
        lead = math.exp((a - b) * bias / 2)
        outcome = draw.choices(["a", "tie", "b"], [lead, ties, 1 / lead])[0]
        row = vote(f"i{draw.randrange(items)}", names[a], names[b], f"p{draw.randrange(4)}", outcome)
        votes.append(row | {"left": draw.choice([names[a], names[b], None])})
    judged = votes[: draw.randint(0, len(votes))]
    replies = [
        answer(str(row["item"]), str(row["system_a"]), str(row["system_b"]), draw.choice(["a", "b", "tie", None]))
        for row in judged
    ]
    ratings = [
        rating(f"i{draw.randrange(items)}", draw.choice(names), f"p{draw.randrange(3)}", draw.randint(1, 3))
        for _ in range(draw.choice([0, 0, 20]))
    ]
    return study_of(votes, ratings=ratings, judge_preferences=replies or None)


def random_settings(draw: random.Random, study: Study) -> dict[str, object]:
    found: dict[str, object] = {
        "matching": draw.choice(["random", "random", "most-informative", "winner"]),
        "glicko2": draw.choice(["paper", "standard"]),
        "max_games": draw.choice([1, 50, 300]),
    }
    if draw.random() < 0.5:
        found["sources"] = draw.sample(["preferences", "ratings=0.3", "judges=2"], draw.randint(1, 3))
    if draw.random() < 0.3:
        found["anchor"] = draw.choice(study.systems)
    others = {"left_advantage": True, "multiplicity": "none", "several": draw.choice(["first", "majority"])}
    return found | {name: value for name, value in others.items() if draw.random() < 0.3}


def check(found: CriterionRanks) -> None:
    count = len(found.davidson.systems)
    for one in found.davidson.systems:
        rating, low, high = one.strength.rating, one.strength.low, one.strength.high
        assert abs(rating) < 1e5
        assert low is None or low <= rating + 1e-6
        assert high is None or rating <= high + 1e-6
        assert 1 <= one.rank_low <= one.rank_high <= count
        assert one.games >= one.opponents >= 1
    assert {one.system for one in found.glicko2.systems} == {one.system for one in found.davidson.systems}
    assert sum(one.games for one in found.davidson.systems) == 2 * sum(pair.games for pair in found.pairs)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_leaderboard_or_a_refusal(seed: int) -> None:
    draw = random.Random(seed)
    study = random_study(draw)
    try:
        result = tiebreak.rank(study, **random_settings(draw, study))  # type: ignore[arg-type]
    except TiebreakError:
        return
    for found in result.results:
        check(found)
    json.dumps(result.to_dict(), allow_nan=False)
    assert "<html" in render(result)
    show_ranks(result, Terminal(file=io.StringIO(), width=80), everything=True)


# ---- coverage ------------------------------------------------------------------------------------------------------


NAMES = ("ant", "bee", "cat", "dog", "elk")
OUTCOMES = {1: "a", 0: "tie", -1: "b"}


def voted(rng: np.random.Generator) -> Study:
    """Three people on every pair of 25 inputs, on each of which systems differ; two items repeat each input."""
    rows, inputs = [], []
    for k in range(25):
        own = 1.2 * rng.standard_normal(len(NAMES))
        inputs += [{"item": f"i{k}-{n}", "input": f"input {k}"} for n in range(2)]
        for n, (a, b) in enumerate(combinations(range(len(NAMES)), 2)):
            for person, outcome in enumerate(outcomes(rng, np.full(3, own[a] - own[b]), 0.0).tolist()):
                rows.append(vote(f"i{k}-{n % 2}", NAMES[a], NAMES[b], f"p{person}", OUTCOMES[outcome]))
    return study_of(rows, items=inputs)


def rated(rng: np.random.Generator) -> Study:
    """Ratings of 30 items, all outputs of which two people rate."""
    return study_of(
        ratings=[
            rating(f"i{k}", name, f"p{person}", float(np.clip(round(3 + quality + 0.7 * rng.standard_normal()), 1, 5)))
            for k in range(30)
            for name, quality in zip(NAMES, rng.standard_normal(len(NAMES)), strict=True)
            for person in range(2)
        ]
    )


@pytest.mark.parametrize("world", [pytest.param(voted, marks=pytest.mark.full), rated])
def test_intervals_and_places_hold(world: object) -> None:
    """Of 80 studies at most 10 may have a wrong interval, or a wrong place: at 5% more are found in 0.3%, at 10% in
    18%. (With every label for a unit of its own half of them do.)
    """
    rng = np.random.default_rng(7)
    intervals = places = 0
    for _ in range(80):
        (found,) = tiebreak.rank(world(rng), max_games=1).results  # type: ignore[operator]
        systems = found.davidson.systems
        intervals += any(not one.strength.low <= 1500 <= one.strength.high for one in systems)
        places += any((one.rank_low, one.rank_high) != (1, len(NAMES)) for one in systems)
    assert intervals <= 10
    assert places <= 10
