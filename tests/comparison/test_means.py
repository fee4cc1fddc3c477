"""`compare --compare means`: whose mean rating is higher. By hand, beside `estimate` and t, seeded errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from tests.small_studies import pair_of, pair_votes, rating, scored, study_of

import tiebreak
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import InputError, UsageError
from tiebreak.rules.finished import FinishedSet, FinishedSets

SCALE = {"overall": (1.0, 5.0)}


def rated(differences: list[float], *, times: float = 1.0, people: int = 1, noise: int = 0) -> Study:
    """ "ant" has 3 plus the difference, "bee" 3, by each of the people; `times`: another unit of the scale."""
    rng = np.random.default_rng(noise)
    rows = []
    for k, difference in enumerate(differences):
        for person in range(people):
            bent = int(rng.integers(-1, 2)) if noise else 0
            rows.append(rating(f"i{k:03d}", "ant", f"p{person}", times * (3 + difference)))
            rows.append(rating(f"i{k:03d}", "bee", f"p{person}", times * (3 + bent)))
    return study_of(ratings=rows, settings=StudySettings(scale={"overall": (times * 1.0, times * 5.0)}))


def test_a_higher_mean_where_each_side_wins_as_often() -> None:
    """Twenty items two points better, twenty half a point worse: as many wins as losses, and .75 points ahead."""
    study = rated([2.0] * 20 + [-0.5] * 20)
    wins, means = (tiebreak.compare(study, compare=question).results[0].pairs[0] for question in ("wins", "means"))
    assert (wins.verdict, wins.difference.estimate) == ("undecided", 0.0)
    assert (means.verdict, means.difference.estimate) == ("a", pytest.approx(0.75))
    assert 0 < means.difference.low < 0.75 < means.difference.high < 1.5
    assert (means.wins, means.losses, means.labels) == (20, 20, 80)


@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("people", [1, 3])
def test_of_two_systems_the_interval_is_that_of_estimate(people: int, target: str) -> None:
    study = rated([2.0, 1.0, -1.0, 0.0, 0.5] * 6, people=people, noise=4)
    pair = tiebreak.compare(study, compare="means", target=target).results[0].pairs[0]
    (difference,) = tiebreak.estimate(study, target=target).results[0].differences
    assert pair.difference.estimate == pytest.approx(difference.mean.estimate, abs=1e-9)
    assert pair.difference.low == pytest.approx(difference.mean.low, abs=2e-3)
    assert pair.difference.high == pytest.approx(difference.mean.high, abs=2e-3)


def test_another_unit_and_the_other_side_change_nothing_else() -> None:
    pairs = [
        tiebreak.compare(rated([2.0, -1.0, 0.0, 1.0] * 8, times=times), compare="means").results[0].pairs[0]
        for times in (1.0, 10.0)
    ]
    assert [pair.verdict for pair in pairs] == ["a", "a"]
    assert pairs[1].p_value == pytest.approx(pairs[0].p_value)
    assert pairs[1].difference.low == pytest.approx(10 * pairs[0].difference.low, abs=1e-5)
    assert pairs[1].difference.high == pytest.approx(10 * pairs[0].difference.high, abs=1e-5)
    other = tiebreak.compare(rated([-2.0, 1.0, 0.0, -1.0] * 8), compare="means").results[0].pairs[0]
    assert (other.verdict, other.p_value) == ("b", pytest.approx(pairs[0].p_value))
    assert other.difference.high == pytest.approx(-pairs[0].difference.low, abs=1e-6)


def test_the_margin_is_in_points() -> None:
    study = rated([0.5, -0.5, 0.0, 0.0] * 15)
    assert tiebreak.compare(study, compare="means", margin=0.3).results[0].pairs[0].verdict == "equivalent"
    assert tiebreak.compare(study, compare="means", margin=0.05).results[0].pairs[0].verdict == "undecided"
    wide = rated([0.5, -0.5, 0.0, 0.0] * 15, times=20.0)
    assert tiebreak.compare(wide, compare="means", margin=6.0).results[0].pairs[0].verdict == "equivalent"


def test_several_systems_are_one_family() -> None:
    """The p-values of all pairs, and Holm's steps over both directions of each."""
    rng = np.random.default_rng(5)
    rows = [
        rating(f"i{k}", name, "p", float(np.clip(np.rint(3 + shift + rng.normal(0, 0.7)), 1, 5)))
        for k in range(60)
        for name, shift in (("ant", 0.9), ("bee", 0.0), ("cat", 0.1), ("dog", 0.4))
    ]
    result = tiebreak.compare(study_of(ratings=rows, settings=StudySettings(scale=SCALE)), compare="means")
    pairs = result.results[0].pairs
    smallest = sorted(pair.p_value or 1.0 for pair in pairs)
    decided = 0
    while decided < len(smallest) and smallest[decided] / 2 <= 0.05 / (12 - decided):
        decided += 1
    assert sum(pair.winner is not None for pair in pairs) == decided
    assert pair_of(result, "ant", "bee", "overall").winner == "ant"
    assert result.terms.compare == "means"


def test_preferences_beside_ratings_and_metrics() -> None:
    study = rated([1.0, 0.0, -1.0, 2.0] * 10)
    voted = study_of(
        pair_votes("l" * 30, criterion="overall"), study.ratings.to_dicts(), settings=StudySettings(scale=SCALE)
    )
    assert tiebreak.compare(voted, criteria=["overall"]).results[0].pairs[0].winner == "bee"
    assert tiebreak.compare(voted, criteria=["overall"], compare="means").results[0].pairs[0].winner == "ant"
    items = [f"i{k:03d}" for k in range(400)]
    rng = np.random.default_rng(2)
    leads = [[1.0, 0.0, -1.0, 2.0][k % 4] + 0.2 * rng.normal() for k in range(400)]
    outputs = [{"item": item, "system": name, "text": f"{name} {item}"} for item in items for name in ("ant", "bee")]
    scores = scored({"ant": leads, "bee": [0.0] * 400})
    for row in scores:
        row["item"] = f"i{int(str(row['item'])[1:]):03d}"
    helped = study_of(
        ratings=study.ratings.to_dicts(), outputs=outputs, scores=scores, settings=StudySettings(scale=SCALE)
    )
    alone, metric = (
        tiebreak.compare(helped, compare="means", metrics=names).results[0].pairs[0] for names in ((), ("bleu",))
    )
    assert metric.metric is not None
    assert metric.metric.used
    width = [pair.difference.high - pair.difference.low for pair in (alone, metric)]
    assert width[1] < 0.6 * width[0]


def test_what_it_needs() -> None:
    without = study_of(ratings=rated([1.0] * 9).ratings.to_dicts())
    with pytest.raises(UsageError, match=r'write \[scale\] "overall" = \[lowest, highest\] into study.toml'):
        tiebreak.compare(without, compare="means")
    with pytest.raises(
        UsageError, match=r"margin is 4, but no two mean ratings of overall can be farther apart than 4"
    ):
        tiebreak.compare(rated([1.0] * 9), compare="means", margin=4.0)
    with pytest.raises(InputError, match="has no ratings, whose means --compare means compares"):
        tiebreak.compare(study_of(pair_votes("wwl")), compare="means")
    few = tiebreak.compare(rated([1.0] * 4), compare="means").results[0].pairs[0]
    assert (few.verdict, "too-few" in " ".join(few.flags)) == ("undecided", True)


def test_wrong_directions_are_rare_and_few_verdicts_are_lost_beside_t() -> None:
    """Ratings of 1-5 by three people, of systems that fail now and then; with a lead in half of the studies."""
    rng, runs = np.random.default_rng(31), 400
    wrong = found = by_t = 0
    for run in range(runs):
        lead = 0.0 if run % 2 else 0.35
        base = rng.normal(3.8, 0.6, 60)
        a, b = (np.clip(np.rint(base + rng.normal(0, 0.7, (3, 60))), 1, 5) for _ in range(2))
        a = np.where(rng.random(60) < lead, np.minimum(a + 1, 5), a)
        both_fail = np.where(rng.random(60) < 0.03, 1.0, 0.0)
        swapped = rng.random(60) < 0.5
        a, b = (np.where((both_fail > 0) & chosen, 1.0, of) for of, chosen in ((a, swapped), (b, ~swapped)))
        values = (a - b).mean(axis=0) / 4
        tests = FinishedSets([FinishedSet(values, np.full(60, 3), np.zeros(60), points=4.0)])
        if run % 2:
            wrong += min(tests.p_a[0], tests.p_b[0]) <= 0.025
        else:
            found += tests.p_a[0] <= 0.025
            by_t += ttest_1samp(values, 0.0, alternative="greater").pvalue <= 0.025
    assert 0 < wrong / (runs / 2) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / (runs / 2))
    assert 0.85 * by_t <= found
