"""Margins, draws and bounds of ties: pure functions."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.scoring.evaluator.examples.rows import BETTER, TIE, Pairs
from tiebreak.scoring.evaluator.training.measures import (
    ENOUGH,
    MOST_PROBABLE,
    NEVER,
    answers,
    calibrated,
    measured,
    tie_bound,
)
from tiebreak.scoring.evaluator.training.stages import Draws, margins_at


def test_margins_fall_until_60_percent_of_the_steps() -> None:
    assert margins_at(0, 100, 0.1, "falling") == (0.5, 1.0)
    assert margins_at(30, 100, 0.1, "falling") == pytest.approx((0.3, 1.0))
    assert margins_at(60, 100, 0.1, "falling") == pytest.approx((0.1, 1.0))
    assert margins_at(99, 100, 0.1, "falling") == pytest.approx((0.1, 1.0))
    assert margins_at(0, 100, 0.1, "rising") == (0.1, 0.5)
    assert margins_at(60, 100, 0.1, "rising") == pytest.approx((0.1, 1.0))
    assert margins_at(0, 100, 0.1, "none") == (0.1, 1.0)


def pairs(contexts: int, each: int) -> Pairs:
    """`each` pairs of each context, with margins from 0.1 on."""
    count = contexts * each
    of_text = np.repeat(np.arange(contexts), 2 * each)
    margin = np.tile(np.linspace(0.1, 1.0, each), contexts)
    return Pairs.of(range(0, 2 * count, 2), range(1, 2 * count, 2), [BETTER] * count, of_text, margin)


def test_every_context_comes_once_in_a_round_and_steps_depend_on_nothing_else() -> None:
    draws = Draws.of(pairs(10, 5), (3, 0), 2, 100)
    assert draws.steps(1.0) == 5
    seen = [draws.at(step, (0.0, 1.0)) for step in range(10)]
    assert sorted(context for one in seen[:5] for context in set(one.context)) == list(range(10))
    assert all(len(one) == 10 for one in seen)
    assert seen[7].a.tolist() == Draws.of(pairs(10, 5), (3, 0), 2, 100).at(7, (0.0, 1.0)).a.tolist()
    orders = [[one.context[0] for one in seen[part]] for part in (slice(5), slice(5, 10))]
    assert orders[0] != orders[1]


def test_margins_and_the_number_of_pairs_are_kept() -> None:
    draws = Draws.of(pairs(4, 9), (3, 0), 4, 6)
    assert len(draws.at(0, (0.0, 1.0))) == 6
    assert np.all(Draws.of(pairs(4, 9), (3, 0), 4, 100).at(0, (0.5, 1.0)).margin >= 0.5)
    near = Draws.of(pairs(1, 3).only(np.array([0])), (3, 0), 1, 100)
    assert len(near.at(0, (0.5, 1.0))) == 1, "of a context that has no such margin, the nearest"


def test_as_many_ties_are_answered_as_people_told() -> None:
    generator = np.random.default_rng(0)
    found = generator.dirichlet((2, 1, 2), size=500)
    bound = tie_bound(found, 0.3)
    given = answers(found, bound)
    assert (given == 0).mean() == pytest.approx(0.3, abs=0.002)
    assert np.all(np.sign(found[:, 0] - found[:, 2])[given != 0] == given[given != 0])
    assert not (answers(found, tie_bound(found, 0.0)) == 0).any()
    assert tie_bound(found, 0.0) == NEVER
    assert answers(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [0.1, 0.2, 0.7]]), MOST_PROBABLE).tolist() == [0, 0, -1]
    for bound in (MOST_PROBABLE, 0.9, NEVER):
        near = np.array([[0.4, 0.2, 0.4], [0.4, 0.2, 0.4 + 1e-6], [0.4 + 1e-6, 0.2, 0.4]])
        assert answers(near, bound).tolist() == [0, 0, 0], "neither side is more probable"


def with_ties(ties: int, count: int, first: int) -> Pairs:
    """Pairs of texts from `first` on, so many of them ties."""
    numbers = range(first, first + count)
    return Pairs.of(numbers, numbers, [TIE] * ties + [BETTER] * (count - ties), np.zeros(1000, int))


def test_enough_held_out_pairs_set_the_bound_and_few_are_not_alone() -> None:
    """Half of the pairs learned from are ties, and none of those held out; what was told of measured pairs is nothing
    to it.
    """
    found = np.random.default_rng(0).dirichlet((2, 1, 2), size=1000)
    learned, measured = with_ties(20, 40, 100), with_ties(5, 50, 200)

    def share_of(pairs: Pairs, bound: float) -> float:
        return float((answers(found[pairs.a], bound) == 0).mean())

    def probabilities(pairs: Pairs) -> np.ndarray:
        return found[pairs.a]

    enough = calibrated(with_ties(3, ENOUGH, 0), learned, measured, probabilities)
    assert (enough.ties, enough.told, enough.set_on, enough.held_out, enough.learned) == (3, ENOUGH, ENOUGH, ENOUGH, 0)
    assert share_of(with_ties(0, ENOUGH, 0), enough.bound) == pytest.approx(0.1)
    few = calibrated(with_ties(0, 10, 0), learned, measured, probabilities)
    assert (few.ties, few.told, few.set_on, few.held_out, few.learned) == (20, 50, 60, 10, 0)
    assert share_of(Pairs.joined([with_ties(0, 10, 0), measured]), few.bound) == pytest.approx(0.4)
    assert calibrated(with_ties(0, 10, 0), learned, with_ties(50, 50, 200), probabilities) == few
    none = Pairs.joined([])
    little = calibrated(none, learned, with_ties(0, 5, 200), probabilities)
    assert (little.told, little.set_on, little.held_out, little.learned) == (40, 45, 0, 40)
    assert little.answered == round(45 / 2)
    assert calibrated(none, learned, none, probabilities).bound == MOST_PROBABLE, "nothing was held out"
    assert calibrated(with_ties(0, 10, 0), with_ties(0, 40, 100), measured, probabilities).bound == NEVER
    assert calibrated(none, none, measured, probabilities).bound == MOST_PROBABLE


def test_a_pair_is_a_tie_where_more_people_say_so_than_either_side() -> None:
    shares = [(0.1, 0.9, 0.0), (0.5, 0.5, 0.0), (0.35, 0.3, 0.35), (0.2, 0.3, 0.5), (0.0, 1.0, 0.0)]
    given = Pairs.of(range(5), range(5), shares, np.zeros(5, int))
    assert given.outcome.tolist() == [0, 1, 0, -1, 0]
    assert given.better.tolist() == [1, 1, 0, -1, 0]
    of = measured(np.array([[0.1, 0.8, 0.1]] * 5), given, 0.0)
    assert (of.ties_told, of.three_way, of.decided) == (0.6, 0.6, 2), "a pair is decided or a tie"


def test_measured_by_hand() -> None:
    """Three decided pairs, two of them right; one tie, taken for a win."""
    given = Pairs.of(
        range(4), range(4), [BETTER, BETTER, (0.0, 0.2, 0.8), (0.3, 0.4, 0.3)], np.zeros(4, int), [0.15, 0.6, 0.6, 0.15]
    )
    found = np.array([[0.7, 0.2, 0.1], [0.2, 0.2, 0.6], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]])
    of = measured(found, given, 0.25)
    assert (of.pairs, of.decided, of.two_way, of.three_way) == (4, 3, pytest.approx(2 / 3), 0.5)
    assert measured(found, given, 0.25, 0.25).three_way == 0.75, "answers, with the bound of ties"
    assert (of.ties_told, of.ties_answered, of.flips) == (0.25, 0.0, 0.25)
    assert measured(found, given, 0.25, 0.25).ties_answered == 0.25, (
        "answers too, though a tie is most probable of none"
    )
    losses = [-np.log(0.7), -np.log(0.2), -0.2 * np.log(0.2) - 0.8 * np.log(0.7)]
    losses.append(-0.3 * np.log(0.5) - 0.4 * np.log(0.3) - 0.3 * np.log(0.2))
    assert of.loss == pytest.approx(np.mean(losses))
    assert of.intervals["two_way"] == pytest.approx((0.208, 0.939), abs=1e-3), "Wilson's, of 2 of 3"
    assert [(bucket.low, bucket.pairs, bucket.right) for bucket in of.by_margin] == [(0.1, 1, 1.0), (0.5, 2, 0.5)]
