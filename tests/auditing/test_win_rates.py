"""Win rates beside people's, corrected, and labels needed: by hand, against a formula, and how often they hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from tests.auditing.judged_studies import judged, only_source, outputs_of, simulated
from tests.small_studies import pair_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study


def test_by_hand() -> None:
    study = study_of(pair_votes("wwwwttllll"), judge_preferences=judged("wwwwwwwlltww"))
    (pair,) = only_source(study).pairs
    assert (pair.system_a, pair.system_b) == ("ant", "bee")
    assert (pair.outcomes.items, pair.outcomes.labels, pair.outcomes.judged) == (10, 10, 12)
    assert pair.outcomes.by_people.value == pytest.approx((4 + 1) / 10)
    assert pair.outcomes.by_source.value == pytest.approx((7 + 0.5) / 10)
    assert pair.outcomes.difference.value == pytest.approx(0.25)


def test_the_corrected_win_rate_is_that_of_compare() -> None:
    study = simulated(600, 3, labelled=100)
    (pair,) = only_source(study).pairs
    found = compare(study, judges=["gpt"]).results[0].pairs[0].difference
    assert pair.outcomes.uses_source
    assert pair.outcomes.corrected.value == pytest.approx((1 + found.estimate) / 2, abs=1e-9)
    assert pair.outcomes.corrected.low == pytest.approx((1 + found.low) / 2, abs=1e-6)
    assert pair.outcomes.corrected.high == pytest.approx((1 + found.high) / 2, abs=1e-6)
    assert pair.outcomes.by_people.low is not None
    assert pair.outcomes.corrected.low is not None
    assert pair.outcomes.corrected.low > pair.outcomes.by_people.low


def test_with_few_labels_nothing_is_corrected() -> None:
    """Below 20 labels that are no ties, as in `compare`; clusters of items are tested by clusters."""
    (few,) = only_source(simulated(600, 3, labelled=18)).pairs
    assert not few.outcomes.uses_source
    assert few.outcomes.corrected.value == few.outcomes.by_people.value
    items = [{"item": f"i{k}", "cluster": f"c{k // 3}"} for k in range(600)]
    study = simulated(600, 3, labelled=120)
    grouped = study_of(study.preferences.to_dicts(), judge_preferences=study.judge_preferences, items=items)
    (pair,) = only_source(grouped).pairs
    found = compare(grouped, judges=["gpt"]).results[0].pairs[0].difference
    assert pair.outcomes.corrected.units == 40
    assert pair.outcomes.corrected.low == pytest.approx((1 + found.low) / 2, abs=0.002)


def test_labels_needed_follow_from_the_variances() -> None:
    study = simulated(2000, 5, labelled=500)
    (pair,) = only_source(study, half_width=0.02).pairs
    people = np.array([{"a": 1, "tie": 0, "b": -1}[of] for of in study.preferences["outcome"]])
    judge = np.array([{"a": 1, "tie": 0, "b": -1}[of] for of in study.judge_preferences["outcome"]])[:500]
    z = float(ndtri(0.975))
    without = people.var(ddof=1) * (z / 0.04) ** 2
    assert pair.outcomes.needed.without == pytest.approx(without, abs=1)
    left = people.var(ddof=1) * (1 - np.corrcoef(people, judge)[0, 1] ** 2)
    with_it = (0.9 * left + 0.1 * people.var(ddof=1)) * (z / 0.04) ** 2
    assert pair.outcomes.needed.with_source == pytest.approx(with_it, rel=0.02)
    (wider,) = only_source(study, half_width=0.04).pairs
    assert wider.outcomes.needed.without == pytest.approx(without / 4, abs=1)


def test_so_many_labels_reach_the_half_width() -> None:
    (pilot,) = only_source(simulated(3000, 8, labelled=300), half_width=0.06).pairs
    labels = pilot.outcomes.needed.with_source
    assert labels is not None
    (pair,) = only_source(simulated(10 * labels, 9, labelled=labels)).pairs
    assert pair.outcomes.corrected.high is not None
    assert pair.outcomes.corrected.low is not None
    assert (pair.outcomes.corrected.high - pair.outcomes.corrected.low) / 2 == pytest.approx(0.06, abs=0.008)


def test_a_useless_judge_saves_no_label() -> None:
    (pair,) = only_source(study_of(pair_votes("wwlt" * 10), judge_preferences=judged("w" * 60))).pairs
    assert not pair.outcomes.uses_source
    assert pair.outcomes.needed.with_source == pair.outcomes.needed.without
    assert pair.outcomes.corrected == pair.outcomes.by_people
    (pair,) = only_source(study_of(pair_votes("w" * 40), judge_preferences=judged("wl" * 30))).pairs
    assert (pair.outcomes.needed.with_source, pair.outcomes.needed.without) == (None, None)  # people never differ


@pytest.mark.full
def test_intervals_hold_the_truth() -> None:
    """60 of 240 items are labelled; the judge favours ant. Of 500 intervals at 95% of the corrected win rate, and of
    the difference, at most 39 miss: with .05 more would in 3 of 1,000 tests, with .10 in all but 3 of 1,000 ones."""
    truth, errors = 0.48 + 0.1, 0.3 * (0.5 + 0.2 - 0.58)  # the judge guesses ant with .7 where it errs
    missed = np.zeros(3, dtype=int)
    for seed in range(500):
        (pair,) = only_source(simulated(240, seed, bias=0.2, labelled=60)).pairs
        ends = [(pair.outcomes.corrected, truth), (pair.outcomes.difference, errors), (pair.outcomes.by_people, truth)]
        missed += [not (of.low or 0) <= value <= (of.high or 0) for of, value in ends]
    assert missed.max() <= 39, missed


def identical_in_part(rng: np.random.Generator, items: int) -> Study:
    """On three tenths of the items both systems wrote the same, on the others people prefer ant nearly always."""
    same, wins, right = rng.random(items) < 0.3, rng.random(items) < 0.95, rng.random(items) < 0.8
    texts = {name: [f"{k}" if of else f"{k} {name}" for k, of in enumerate(same)] for name in ("ant", "bee")}
    people = "".join(" " if of else "w" if win else "l" for of, win in zip(same, wins, strict=True))
    said = "".join("t" if of else "w" if win else "l" for of, win in zip(same, wins == right, strict=True))
    return study_of(pair_votes(people), judge_preferences=judged(said), outputs=outputs_of(texts))


@pytest.mark.full
def test_a_share_of_identical_outputs_is_no_more_known_than_the_rest() -> None:
    """For inputs like these. As if it were known, the corrected win rate missed in 12% of such studies."""
    rng, missed = np.random.default_rng(3), 0
    for _ in range(200):
        (pair,) = only_source(identical_in_part(rng, 60)).pairs
        corrected = pair.outcomes.corrected
        assert corrected.low is not None
        assert corrected.high is not None
        missed += not corrected.low <= 0.3 / 2 + 0.7 * 0.95 <= corrected.high
    assert missed <= 17  # of 200; P(more) is 0.01 at 5%, and .9 at 12%
    same = identical_in_part(np.random.default_rng(4), 60)
    (here,), (there,) = only_source(same, target="items").pairs, only_source(same).pairs
    known, like = here.outcomes.corrected, there.outcomes.corrected
    assert known.value == like.value
    assert known.low == known.high == pytest.approx(known.value), "all labelled: nothing is left to chance"
