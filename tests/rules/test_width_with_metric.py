"""The rule width with a metric: bets that are fair, hold at every look, and end campaigns with fewer ratings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from benchmarks.papers.debiasing.stopping import simulated, stops
from benchmarks.worlds.rating_campaigns import open_ratings, rated_study, rating_protocol, ratings_run
from benchmarks.worlds.simulation import largest_rate
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.rules.test_width import UNITS, path, plan_of

from tiebreak.campaign import ProtocolError, State
from tiebreak.campaign.estimates import estimates
from tiebreak.kernels import bounded_bets
from tiebreak.kernels.pool_metric import pool_metric
from tiebreak.records import UnitValue
from tiebreak.rules.rule import MeasureFacts, Units
from tiebreak.rules.width import RULE
from tiebreak.settings.protocol import DecisionSettings

Floats = NDArray[np.float64]
HELPED = DecisionSettings("width", target="items", metrics=("m",))


def looks(ratings: Floats, metric: Floats | None, half_width: float, alpha: float = 0.05) -> tuple[Floats, int]:
    """Intervals (N, 2) of a campaign on all ratings of a pool in their order, and when it ends."""
    decision = DecisionSettings("width", alpha=alpha, target="items")
    facts = MeasureFacts(ratings.size, False, ratings.size, half_width=half_width, metric=metric)
    (plan,) = RULE.prepare([facts], decision)
    _, found = RULE.advance(plan, RULE.start(plan), Units.labelled(ratings[None]))
    return found[0] * [1, -1], int(RULE.verdicts([plan], found[0][:, None], decision)[:, 0].argmax()) + 1


@pytest.mark.parametrize("half_width", [0.1, 0.25])
def test_the_stops_are_those_of_the_definition(half_width: float) -> None:
    for ratings, metric in simulated(0.5, 12, 250):
        for of in (None, metric):
            ours = [looks(one, None if of is None else of[k], half_width)[1] for k, one in enumerate(ratings)]
            assert ours == stops(ratings, half_width, of)[0].tolist()


def test_a_good_metric_saves_ratings_and_noise_costs_few() -> None:
    plain, helped, noisy = [], [], []
    for ratings, metric in simulated(0.6, 15, 400):
        noise = np.random.default_rng(8).permuted(metric, axis=1)
        for place, one in enumerate(ratings):
            of_one = [looks(one, of, 0.1)[1] for of in (None, metric[place], noise[place])]
            for all_of, stop in zip((plain, helped, noisy), of_one, strict=True):
                all_of.append(stop)
    assert np.mean(helped) < 0.85 * np.mean(plain)
    assert np.mean(noisy) < 1.06 * np.mean(plain)


@pytest.mark.parametrize("values", [(1.0, 1.0, 0.0, -1.0, -1.0), (1.0, -1 / 3, 1 / 3, 0.5, -0.5)])
@pytest.mark.parametrize("metric", [(2.0, 1.0, 0.5, -1.0, -3.0), (0.0, 0.0, 9.0, 0.0, 0.0)])
def test_every_bet_is_fair(values: tuple[float, ...], metric: tuple[float, ...]) -> None:
    """At the pool's own mean E is 1 on average over all orders, after any number of ratings, and positive."""
    nulls, prior, found = np.array([np.mean(values)]), bounded_bets.kappa_prior(), []
    for order in permutations(range(5)):
        known = pool_metric(np.array(metric)[list(order)])
        wealth, log_e = bounded_bets.start(nulls, prior.log_weights), []
        for place in order:
            one = UnitValue.labelled(values[place])
            wealth = bounded_bets.after_value(wealth, prior, nulls, one, 5, metric=known)
            log_e.append(wealth.log_e[0, 0])
        found.append(log_e)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(np.exp(found).mean(axis=0), 1.0, atol=1e-12)


def pools(runs: int, size: int) -> Iterator[tuple[Floats, Floats]]:
    """Ratings of different shapes; metrics that follow them, or have a value far off."""
    for world, (ratings, metric) in enumerate(simulated(0.7, 3 * runs, size)):
        yield from zip(ratings, metric if world else np.exp(3 * metric), strict=True)


def check_coverage(runs: int) -> None:
    alpha, missed = 0.2, []
    for ratings, metric in pools(runs, 60):
        low, high = looks(ratings, metric, 0.3, alpha)[0].T
        missed.append((low > ratings.mean() + 1e-9).any() or (high < ratings.mean() - 1e-9).any())
    assert np.mean(missed) <= largest_rate(alpha, len(missed)) < 2 * alpha


def test_intervals_hold_at_every_look() -> None:
    check_coverage(60)


@pytest.mark.full
def test_intervals_hold_at_every_look_in_full() -> None:
    check_coverage(1_000)


@given(st.integers(0, 2**32))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_nobody_gains_by_a_rating_that_is_missing_or_withdrawn(seed: int) -> None:
    """Slopes may have been anything that missing ratings could have made of them."""
    rng = np.random.default_rng(seed)
    metric = rng.normal(size=int(rng.choice([UNITS, 50])))
    values = np.clip(rng.choice([-0.7, 0.7]) * metric + rng.normal(0, 0.3, metric.size), -1, 1)[:UNITS]
    plan = plan_of(pool_size=metric.size, metric=metric)
    gone = rng.random(UNITS) < 0.15 if rng.random() < 0.5 else values * rng.choice([-1, 1]) < -rng.random()
    missing = gone & (rng.random(UNITS) < 0.7)
    labelled = [UnitValue.labelled(value) for value in values.tolist()]
    lowered = [
        UnitValue(-1.0, 1.0, None if none else of.for_a) if bad else of
        for of, bad, none in zip(labelled, gone, missing, strict=True)
    ]
    full, found = path(plan, labelled), path(plan, lowered)
    for without, of in zip(full, found, strict=True):
        assert (of.log_e <= without.log_e + 1e-9).all()
    seen, _ = RULE.advance(plan, RULE.start(plan), Units.of(labelled))
    again = RULE.again(plan, lowered, seen).wealth[0]
    np.testing.assert_array_equal(again.sup_log_e, np.maximum(seen.wealth[0].sup_log_e, found[-1].sup_log_e))


# ---- in campaigns ----------------------------------------------------------------------------------------------


def score(system: str, item: int) -> float:
    return float(7 * item % 60) + 5 * (system == "ant")


def opened(scored: object = score, **said: object) -> State:
    study = rated_study(items=60, cluster_size=2, metric=scored)  # type: ignore[arg-type]
    return open_ratings(rating_protocol(**{"decision": HELPED, **said}), study)  # type: ignore[arg-type]


def test_each_measure_has_the_scores_of_its_outputs() -> None:
    """A difference has the difference of two scores, on items that both systems have, in their order."""
    for until in ("means", "differences"):
        state = opened(lambda of, k: float(k**2 % 7 if of == "ant" else k % 5), until=until)
        items = np.array([int(state.plan.items[place][1:]) for place in state.plan.tracks[0].order])
        expected = items**2 % 7 - (0 if until == "means" else items % 5)
        x = state.plan.rule_plans[0].metric.x
        np.testing.assert_allclose(x, (expected - expected.mean()) / expected.std(), atol=1e-12)


def test_the_estimate_is_the_mean_that_the_metric_corrects_until_all_is_rated() -> None:
    """Ratings follow the metric; those of the first outputs are not those of all."""

    def values(task: object) -> dict[str, float]:
        return {"clear": float(1 + score("bee", int(task.item[1:])) // 12)}  # type: ignore[attr-defined]

    truth = 3.0  # ratings 1 to 5, of twelve items each
    state = ratings_run(opened(half_width=0.01), values, most=40)
    for of, track in zip(estimates(state).measures, state.plan.tracks, strict=True):
        plain = np.mean([1 + score("bee", int(state.plan.items[item][1:])) // 12 for item in track.order[: of.items]])
        assert of.mean.low < of.mean.estimate < of.mean.high  # type: ignore[operator]
        assert abs(of.mean.estimate - truth) < abs(plain - truth) / 2  # type: ignore[operator]
    state = ratings_run(state, values)
    assert {(of.mean.low, of.mean.estimate, of.mean.high) for of in estimates(state).measures} == {(truth,) * 3}


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"decision": DecisionSettings("width", metrics=("m",))}, r"about these items only \(--target items\)"),
        ({"decision": DecisionSettings("width", target="items", metrics=("m", "n"))}, "one metric can help"),
        ({"decision": DecisionSettings("width", target="items", judges=("j",))}, "cannot help a campaign of ratings"),
        ({"decision": DecisionSettings("bernstein", target="items", metrics=("m",))}, "uses human labels only"),
        ({"decision": DecisionSettings("width", target="items", metrics=("n",))}, "no metric on clear 'n'"),
        ({"scored": lambda of, k: None if (of, k) == ("bee", 3) else 1.0}, "no score for 1 of 60 outputs of bee"),
    ],
)
def test_what_is_refused(said: dict[str, object], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        opened(**said)
