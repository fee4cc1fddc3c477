"""Win rates of systems: by hand, where there is an interval, and how often it misses the truth."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import study_of

import tiebreak
from tiebreak.data.study import Study
from tiebreak.results.records import WinRate
from tiebreak.results.standing import win_rates_of

SYSTEMS = ("ant", "bee", "cat")


def votes(outcomes: dict[tuple[str, str], str], first: int = 0) -> list[dict[str, object]]:
    """One label per item: a, t or b for each pair, on items from `first` on."""
    words = {"a": "a", "t": "tie", "b": "b"}
    return [
        {"item": f"i{first + k:03d}", "system_a": a, "system_b": b, "annotator": "p", "outcome": words[letter]}
        for (a, b), letters in outcomes.items()
        for k, letter in enumerate(letters)
    ]


def rates(study: Study, **settings: object) -> dict[str, WinRate]:
    (found,) = tiebreak.compare(study, **settings).results  # type: ignore[arg-type]
    return {rate.system: rate for rate in found.win_rates}


def test_the_mean_over_opponents_with_ties_half() -> None:
    """Of twenty items ant wins 15 against bee with 5 ties (.875), and 10 against cat (.5); bee and cat always tie."""
    three = {("ant", "bee"): "a" * 15 + "t" * 5, ("ant", "cat"): "a" * 10 + "b" * 10, ("bee", "cat"): "t" * 20}
    found = rates(study_of(preferences=votes(three)))
    assert found["ant"].estimate == pytest.approx((0.875 + 0.5) / 2)
    assert found["bee"].estimate == pytest.approx((0.125 + 0.5) / 2)
    assert found["cat"].estimate == pytest.approx((0.5 + 0.5) / 2)
    assert {rate.opponents for rate in found.values()} == {2}
    for rate in found.values():
        assert (rate.low or 1) < (rate.estimate or 0) < (rate.high or 0)


def test_of_two_systems_both_have_the_interval_of_their_difference() -> None:
    study = study_of(preferences=votes({("ant", "bee"): "a" * 20 + "t" * 8 + "b" * 9}))
    (found,) = tiebreak.compare(study).results
    gap = found.pairs[0].difference
    ant, bee = found.win_rates
    assert (ant.low, ant.high) == (pytest.approx((1 + gap.low) / 2), pytest.approx((1 + gap.high) / 2))
    assert (bee.low, bee.high) == (pytest.approx(1 - (1 + gap.high) / 2), pytest.approx(1 - (1 + gap.low) / 2))


def test_there_is_no_interval_where_opponents_were_met_on_other_items() -> None:
    """Bee and cat are compared on items of their own, so that only ant has met both on the same ones."""
    study = study_of(
        preferences=votes({("ant", "bee"): "a" * 12 + "b" * 8, ("ant", "cat"): "a" * 10 + "b" * 10})
        + votes({("bee", "cat"): "a" * 15 + "b" * 5}, first=50)
    )
    found = rates(study)
    assert found["ant"].low is not None
    assert (found["bee"].low, found["bee"].high, found["cat"].low) == (None, None, None)
    assert found["bee"].estimate == pytest.approx((0.4 + 0.75) / 2)


@pytest.mark.parametrize("settings", [{"rule": "anytime"}, {"target": "items"}])
def test_there_is_none_at_many_looks_or_about_these_items(settings: dict[str, str]) -> None:
    study = study_of(preferences=votes({("ant", "bee"): "a" * 20 + "b" * 10, ("ant", "cat"): "a" * 16 + "b" * 14}))
    found = rates(study, **settings)
    assert [rate.low for rate in found.values()] == [None] * 3
    assert found["ant"].estimate is not None


def test_a_pair_with_few_items_leaves_no_rate() -> None:
    study = study_of(preferences=votes({("ant", "bee"): "a" * 20, ("ant", "cat"): "a" * 4}))
    found = rates(study)
    assert (found["ant"].estimate, found["cat"].estimate) == (None, None)
    assert found["bee"].estimate == 0
    assert win_rates_of(tiebreak.compare(study).results[0].pairs)[0] == found["ant"]


def outcomes_of(rng: np.random.Generator, items: int, of_cluster: int) -> np.ndarray:
    """Qualities (items, 3): a mean of each system, what an item does to it, and what its cluster does."""
    means = np.array([0.4, 0.0, -0.1])
    clusters = rng.normal(size=(-(-items // of_cluster), 3)).repeat(of_cluster, axis=0)[:items]
    return means + rng.normal(size=(items, 3)) + (of_cluster > 1) * clusters


def scores(quality: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """1, 0, -1 of each pair where qualities differ by more than .3."""
    gaps = {(i, j): quality[:, i] - quality[:, j] for i in range(3) for j in range(i + 1, 3)}
    return {pair: np.sign(gap) * (np.abs(gap) > 0.3) for pair, gap in gaps.items()}


def truth(of_cluster: int) -> float:
    known = scores(outcomes_of(np.random.default_rng(7), 400_000, of_cluster))
    return float((1 + (known[0, 1].mean() + known[0, 2].mean()) / 2) / 2)


@pytest.mark.parametrize("of_cluster", [pytest.param(of, marks=pytest.mark.full) for of in (1, 4)])
def test_intervals_miss_the_truth_as_often_as_they_say(of_cluster: int) -> None:
    """Of 300 studies of 40 items 15 may miss at .05; at twice that P(22 or fewer) is .06. Outcomes of an item against
    both opponents go together, and so do those of a cluster."""
    true, missed = truth(of_cluster), 0
    letters = {1: "a", 0: "t", -1: "b"}
    for seed in range(300):
        known = scores(outcomes_of(np.random.default_rng([seed, of_cluster]), 40, of_cluster))
        pairs = {
            (SYSTEMS[i], SYSTEMS[j]): "".join(letters[int(one)] for one in outcomes)
            for (i, j), outcomes in known.items()
        }
        items = [{"item": f"i{k:03d}", "input": f"question {k}", "cluster": f"c{k // of_cluster}"} for k in range(40)]
        rate = rates(study_of(preferences=votes(pairs), items=items))["ant"]
        missed += not (rate.low or 0) <= true <= (rate.high or 0)
    assert 3 <= missed <= 22
