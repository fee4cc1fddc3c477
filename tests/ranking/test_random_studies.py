"""Random studies and settings: a leaderboard or a plain refusal, strict JSON, figures that agree with each other."""

from __future__ import annotations

import io
import json
import math
import random

import pytest
from rich.console import Console
from tests.small_studies import Row, answer, rating, study_of, vote

import tiebreak
from tiebreak.cli.show_ranks import show_ranks
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
    show_ranks(result, Console(file=io.StringIO(), width=80), everything=True)
