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
from tiebreak.rules.rule import MeasureFacts, Units
from tiebreak.rules.width import Width, WidthPlan
from tiebreak.settings.protocol import DecisionSettings

UNITS: Final = 36
RULE: Final = Width()


def plan_of(**facts: object) -> WidthPlan:
    (plan,) = RULE.prepare([MeasureFacts(UNITS, outcomes_only=False, **facts)], DecisionSettings("width"))  # type: ignore[arg-type]
    return plan


def plain(_: np.random.Generator) -> WidthPlan:
    return plan_of()


def pool(_: np.random.Generator) -> WidthPlan:
    return plan_of(pool_size=50)


def whole_pool(_: np.random.Generator) -> WidthPlan:
    return plan_of(pool_size=UNITS)


def clusters(rng: np.random.Generator) -> WidthPlan:
    return plan_of(sizes=rng.integers(1, 6, UNITS))


Make = Callable[[np.random.Generator], WidthPlan]
MAKES: Final[tuple[Make, ...]] = (plain, pool, whole_pool, clusters)


def path(plan: WidthPlan, values: Sequence[UnitValue]) -> list[RunningWealth]:
    state = RULE.start(plan)
    wealth = list(state.wealth)
    for value in values:
        state, _ = RULE.advance(plan, state, Units.of([value]))
        wealth += state.wealth
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
    seen, _ = RULE.advance(plan, RULE.start(plan), Units.of(before))
    found = RULE.again(plan, after, seen).wealth[0]
    np.testing.assert_array_equal(found.log_e, path(plan, after)[-1].log_e)
    np.testing.assert_array_equal(found.sup_log_e, seen.wealth[0].sup_log_e)


def test_the_interval_narrows_to_a_whole_pool() -> None:
    plan, rng = plan_of(pool_size=UNITS), np.random.default_rng(4)
    values = rng.uniform(-0.2, 0.8, UNITS)
    start = RULE.start(plan)
    assert start.evidence.tolist() == [[-1.0, -1.0]]
    state, ends = RULE.advance(plan, start, Units.labelled(values[None]))
    widths = -ends[0].sum(axis=1)
    assert (np.diff(widths) <= 1e-12).all()
    assert (state.evidence[0] * [1, -1]).tolist() == pytest.approx([values.mean()] * 2)
