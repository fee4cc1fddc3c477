"""Simulated power against the formulas, for rules that have one, and against other runs of the rule."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.planning.records import Range
from tiebreak.planning.simulated_power import SimulatedPower
from tiebreak.rules.family import Family
from tiebreak.rules.power import Endings, PlannedPower
from tiebreak.settings.protocol import DecisionSettings
from tiebreak.simulate.engines.stops import SimulatedRule, stops

# ---- simulated power -----------------------------------------------------------------------------------------------

PLANNED, SQUARE = 300, 0.7


@pytest.mark.parametrize("margin", [None, 0.2])
def test_the_formula_agrees(margin: float | None) -> None:
    computed = PlannedPower.of(Family(0.05, "holm", 1, margin is not None), SQUARE, margin)
    simulated = SimulatedPower(DecisionSettings("anytime", margin=margin), SQUARE)
    for difference in (-0.12, 0.0, 0.05):
        one, other = (power.endings(PLANNED, np.array([difference])) for power in (simulated, computed))
        for field in ("for_a", "for_b", "equivalent"):
            assert getattr(one, field)[0, -1] == pytest.approx(getattr(other, field)[0, -1], abs=0.1), field
        assert one.right == pytest.approx(other.right, abs=0.05)
        assert one.mean_units == pytest.approx(other.mean_units, rel=0.12)
    assert simulated.found(PLANNED) == pytest.approx(computed.found(PLANNED), rel=0.1)
    assert simulated.found(3) is None


@pytest.mark.parametrize("pool", [None, 300])
def test_further_runs_of_the_rule_agree(pool: int | None) -> None:
    power, differences = SimulatedPower(DecisionSettings("hoeffding"), SQUARE, pool), np.array([-0.2, 0.1, 0.15])
    rng, one_by_one = np.random.default_rng(5), power.endings(250, differences)
    interpolated = power.endings(250, np.concatenate([differences, np.linspace(0.3, 0.6, 9)]))
    for place, difference in enumerate(differences):
        shares = np.cumsum([(SQUARE + difference) / 2, 1 - SQUARE])
        if pool is None:
            values = 1 - np.searchsorted(shares, rng.random((2_000, 250)))
        else:
            whole = 1 - np.searchsorted(shares, (np.arange(pool) + 0.5) / pool)
            values = rng.permuted(np.tile(whole, (2_000, 1)), axis=1)[:, :250]
        ends = stops(values.astype(np.int8), SimulatedRule(DecisionSettings("hoeffding"), 250, pool=pool))
        right = np.mean(ends.verdict == np.sign(difference))
        assert one_by_one.right[place] == pytest.approx(right, abs=0.06)
        assert interpolated.right[place] == pytest.approx(right, abs=0.1)
        assert one_by_one.mean_units[place] == pytest.approx(ends.items.mean(), rel=0.07)


# ---- ranges --------------------------------------------------------------------------------------------------------


def test_a_range_by_hand() -> None:
    # A tenth has ended by unit 10, all but a tenth by 90, evenly between; the rest goes on to 100.
    units, chances = np.array([10.0, 90.0, 100.0]), np.array([[0.1, 0.9, 0.94]])
    found = Range.of(Endings(np.array([0.1]), units, chances, 0 * chances, 0 * chances, None))
    assert (found.low, found.high) == (pytest.approx(10.0), pytest.approx(90.0))
    assert found.open == pytest.approx(0.06)
    assert found.mean == pytest.approx(9.5 + 40 + 0.8)
    assert found.scaled(2).mean == 2 * found.mean
    assert found.scaled(2).open == found.open


def test_the_sum_over_pairs_is_what_drawn_campaigns_add_up_to() -> None:
    endings = PlannedPower(0.01, 0.7).endings(200, np.array([0.25]))
    found = Range.of_all([endings], 6)
    rng = np.random.default_rng(1)
    ended = np.concatenate([[0.0], endings.ended[0]])
    drawn = np.interp(rng.random((20_000, 6)), ended, np.concatenate([[0.0], endings.units])).sum(axis=1)
    assert found.mean == pytest.approx(drawn.mean(), rel=0.02)
    assert [found.low, found.high] == pytest.approx(np.quantile(drawn, [0.1, 0.9]), rel=0.05)
    assert found.open == pytest.approx(1 - ended[-1] ** 6)


def test_one_pair_alone_is_no_sum() -> None:
    endings = PlannedPower(0.025, 0.7).endings(200, np.array([0.25]))
    assert Range.of_all([endings]) == Range.of(endings)
