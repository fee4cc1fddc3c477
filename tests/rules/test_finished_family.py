"""One level for all pairs, and the rules of the papers: verdicts and intervals agree under every correction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from tiebreak.kernels.multiplicity import holm_p
from tiebreak.records import MULTIPLICITIES, Multiplicity
from tiebreak.rules.finished_family import FinishedFamily, adjusted_p, decide_finished

# ---- family ------------------------------------------------------------------------------------------------------

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NormalTests:
    """Known standard errors: the interval is the estimate -+ the quantile, the p-values are normal tails."""

    estimates: Floats
    error: float = 0.05

    @property
    def p_a(self) -> Floats:
        return np.asarray(ndtr(-self.estimates / self.error))

    @property
    def p_b(self) -> Floats:
        return np.asarray(ndtr(self.estimates / self.error))

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        half = -ndtri(level) * self.error
        return self.estimates - half, self.estimates + half


def drawn(seed: int, pairs: int) -> NormalTests:
    rng = np.random.default_rng(seed)
    true = rng.choice([0.0, 0.05, 0.15, -0.2], size=pairs)
    return NormalTests(true + rng.normal(0, 0.05, pairs))


def directions(found: FinishedFamily) -> NDArray[np.bool_]:
    return np.array([[verdict == "a", verdict == "b"] for verdict in found.verdicts])


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("margin", [None, 0.1])
def test_adjusted_p_values_are_at_most_alpha_exactly_where_there_is_a_direction(
    multiplicity: Multiplicity, margin: float | None
) -> None:
    if multiplicity in ("fdr", "fdr-any") and margin is not None:
        assert adjusted_p(drawn(1, 3), multiplicity, margin) is None
        return
    told = 0
    for seed in range(60):
        tests = drawn(seed, 1 + seed % 12)
        adjusted = adjusted_p(tests, multiplicity, margin)
        assert adjusted is not None
        for alpha in (0.01, 0.05, 0.2):
            found = directions(decide_finished(tests, alpha, multiplicity, margin)).any(axis=1)
            assert (adjusted <= alpha).tolist() == found.tolist()
            told += int(found.sum())
    assert told > 300


def test_adjusted_p_values_are_those_of_scipy_and_statsmodels() -> None:
    """Of 2K one-sided nulls; each pair has one below a half, which all of the others are above."""
    for seed in range(20):
        tests = drawn(seed, 7)
        both, best = np.concatenate([tests.p_a, tests.p_b]), np.minimum(tests.p_a, tests.p_b)
        for multiplicity, method in (("holm", "holm"), ("bonferroni", "bonferroni")):
            known = multipletests(both, method=method)[1].reshape(2, -1).min(axis=0)
            assert adjusted_p(tests, multiplicity, None) == pytest.approx(known)
        of_pairs = np.minimum(false_discovery_control(2 * best), 1.0)  # a find is a pair
        assert adjusted_p(tests, "fdr", None) == pytest.approx(of_pairs)


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("margin", [None, 0.1])
def test_intervals_never_contradict_verdicts(multiplicity: Multiplicity, margin: float | None) -> None:
    for seed in range(60):
        tests = drawn(seed, 1 + seed % 12)
        found = decide_finished(tests, 0.05, multiplicity, margin)
        for k, verdict in enumerate(found.verdicts):
            assert (verdict == "a") == (found.low[k] > 0)
            assert (verdict == "b") == (found.high[k] < 0)
            if margin is not None:
                assert found.equivalence_low is not None
                assert found.equivalence_high is not None
                inside = found.equivalence_low[k] > -margin and found.equivalence_high[k] < margin
                assert found.equivalent[k] == inside
                assert (verdict == "equivalent") == (inside and verdict not in ("a", "b"))


def test_a_single_pair_has_its_usual_interval_whatever_the_correction() -> None:
    for estimate in (0.0, 0.3):
        for multiplicity in MULTIPLICITIES:
            found = decide_finished(NormalTests(np.array([estimate])), 0.05, multiplicity, None)
            if multiplicity != "fdr-any":  # which pays for both directions of one pair
                assert found.level == 0.025
            assert found.simultaneous


def test_holm_finds_what_the_step_down_finds() -> None:
    for seed in range(100):
        tests = drawn(seed, 8)
        by_steps = holm_p(np.column_stack([tests.p_a, tests.p_b]), 0.05)
        found = decide_finished(tests, 0.05, "holm", None)
        assert np.array_equal(directions(found), by_steps.found)
        assert found.level == 0.05 / (16 - by_steps.j)
        assert not found.simultaneous


@pytest.mark.parametrize(("multiplicity", "method"), [("fdr", "bh"), ("fdr-any", "by")])
def test_false_discovery_rates_are_those_of_scipy(multiplicity: Multiplicity, method: str) -> None:
    decided = 0
    for seed in range(100):
        tests = drawn(seed, 9)
        p = np.column_stack([tests.p_a, tests.p_b])
        adjusted = false_discovery_control(p, axis=None, method=method)
        found = directions(decide_finished(tests, 0.05, multiplicity, None))
        assert np.array_equal(found, adjusted.reshape(p.shape) <= 0.05)
        decided += int(found.sum())
    assert decided > 100


def test_with_a_margin_holm_is_bonferroni() -> None:
    tests = drawn(3, 10)
    holm, bonferroni = (decide_finished(tests, 0.05, name, 0.2) for name in ("holm", "bonferroni"))
    assert (holm.level, holm.equivalence_level) == (bonferroni.level, bonferroni.equivalence_level) == (0.0025, 0.005)
    assert holm.verdicts == bonferroni.verdicts
    assert holm.simultaneous


def test_a_direction_inside_the_margin_is_reported_as_both() -> None:
    found = decide_finished(NormalTests(np.array([0.1]), error=0.01), 0.05, "holm", 0.2)
    assert found.verdicts == ("a",)
    assert found.equivalent.tolist() == [True]


def test_equivalences_join_the_family_of_the_false_discovery_rate() -> None:
    # At most 20 nulls hold, each at 0.05/20; the ten equivalences raise R to 10 and so the level to 0.05 * 10 / 20.
    tests = NormalTests(np.zeros(10), error=0.02)
    found = decide_finished(tests, 0.05, "fdr", 0.1)
    assert found.verdicts == ("equivalent",) * 10
    assert found.level == pytest.approx(0.05 * 10 / 20)


def test_a_pair_that_is_better_and_equivalent_is_one_find() -> None:
    # Counted as two of three, direction and equivalence would have had 0.05 * 2/3 a side.
    for error, expected in ((0.05, "a"), (0.0524, "equivalent")):  # p = 0.023 and 0.028
        found = decide_finished(NormalTests(np.array([0.1]), error=error), 0.05, "fdr", 0.4)
        assert found.level == pytest.approx(0.025)
        assert found.verdicts == (expected,)


def test_no_pairs_are_no_error() -> None:
    for multiplicity in MULTIPLICITIES:
        assert decide_finished(NormalTests(np.empty(0)), 0.05, multiplicity, None).verdicts == ()


def test_any_wrong_verdict_is_as_rare_as_it_says() -> None:
    """4,000 families of six pairs, three of them equal: within 0.05 plus 4 standard errors; 0.1 would be 14 above."""
    rng = np.random.default_rng(12)
    true = np.array([0.0, 0.0, 0.0, 0.1, 0.2, -0.15])
    for multiplicity, margin in (("holm", None), ("bonferroni", None), ("holm", 0.1)):
        wrong = 0
        for _ in range(4000):
            found = decide_finished(NormalTests(true + rng.normal(0, 0.05, 6)), 0.05, multiplicity, margin)  # type: ignore[arg-type]
            false_direction = directions(found) & np.column_stack([true <= 0, true >= 0])
            false_equivalence = found.equivalent & (np.abs(true) >= (margin or 1))
            wrong += bool(false_direction.any() or false_equivalence.any())
        assert wrong / 4000 <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 4000)
