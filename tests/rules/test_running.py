"""Nobody gains by withdrawing an item, or by leaving one unlabelled: evidence for either side is at most what it would
have been, in every history, at every null value and after every unit, whatever the owner knew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiebreak.kernels.bounded_bets import RunningWealth
from tiebreak.records import UnitValue
from tiebreak.rules import running
from tiebreak.rules.running import RunningPlan

UNITS: Final = 36


def plain(_: np.random.Generator) -> RunningPlan:
    return running.running_plan()


def pool(_: np.random.Generator) -> RunningPlan:
    return running.running_plan(pool_size=50)


def whole_pool(_: np.random.Generator) -> RunningPlan:
    return running.running_plan(pool_size=UNITS)


def clusters(rng: np.random.Generator) -> RunningPlan:
    sizes = rng.integers(1, 6, UNITS)
    return running.running_plan(weights=sizes / sizes.max())


Make = Callable[[np.random.Generator], RunningPlan]
MAKES: Final[tuple[Make, ...]] = (plain, pool, whole_pool, clusters)


def path(plan: RunningPlan, values: Sequence[UnitValue]) -> list[RunningWealth]:
    wealth = [running.start(plan)]
    for value in values:
        wealth.append(running.advance(plan, wealth[-1], value))
    return wealth


@pytest.mark.parametrize("make", MAKES)
@given(st.integers(0, 2**32))
@settings(max_examples=25, derandomize=True, deadline=None)
def test_evidence_is_at_most_what_it_would_have_been(make: Make, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.uniform(-1, 1, UNITS) * (rng.random(UNITS) < 0.9)
    plan = make(rng)
    full = path(plan, [UnitValue.labelled(value) for value in values.tolist()])
    # Anything, or all losses of one side; some of them without a label.
    gone = rng.random(UNITS) < 0.3 if rng.random() < 0.5 else values * rng.choice([-1, 1]) < -rng.random()
    missing = gone & (rng.random(UNITS) < 0.5)
    lowered = [
        UnitValue(-1.0, 1.0, None if none else value) if bad else UnitValue.labelled(value)
        for value, bad, none in zip(values.tolist(), gone, missing, strict=True)
    ]
    for without, found in zip(full, path(plan, lowered), strict=True):
        assert (found.log_e <= without.log_e + 1e-9).all()
        assert (found.sup_log_e <= without.sup_log_e + 1e-9).all()


@pytest.mark.parametrize("make", MAKES)
def test_what_was_seen_at_its_largest_stands(make: Make) -> None:
    """A win that is withdrawn later: evidence falls to that of the same history without it, and its maximum stays."""
    rng = np.random.default_rng(3)
    plan = make(rng)
    before = [UnitValue.labelled(value) for value in rng.uniform(0, 1, UNITS).tolist()]
    after = [before[0]._replace(for_a=-1.0), *before[1:]]
    seen = path(plan, before)[-1]
    found = running.again(plan, after, seen)
    np.testing.assert_array_equal(found.log_e, path(plan, after)[-1].log_e)
    np.testing.assert_array_equal(found.sup_log_e, seen.sup_log_e)


def test_the_interval_narrows_to_a_whole_pool() -> None:
    plan, rng = running.running_plan(pool_size=UNITS, steps=200), np.random.default_rng(4)
    values = rng.uniform(-0.2, 0.8, UNITS)
    found = path(plan, [UnitValue.labelled(value) for value in values.tolist()])
    assert running.interval(plan, found[0], 3.0) == (-1.0, 1.0)
    widths = [np.diff(running.interval(plan, of, 3.0))[0] for of in found]
    assert (np.diff(widths) <= 1e-12).all()
    assert running.interval(plan, found[-1], 3.0) == pytest.approx((values.mean(), values.mean()))
