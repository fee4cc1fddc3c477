"""The levels that evidence faces where many pairs are tested together, by hand and against another package."""

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
from tiebreak.rules.family import Family
from tiebreak.rules.finished_family import FinishedFamily, adjusted_p, decide_finished

# ---- levels of evidence --------------------------------------------------------------------------------------------

RUNS, PAIRS = 120, 5


def test_levels_of_families_by_hand() -> None:
    """Four pairs at .08: Holm .08/8, ... .08/5; with a margin, and by Bonferroni, .08/8; none .04."""
    expected = [0.08 / 5, 0.08 / 6, 0.08 / 7, 0.08 / 8]
    assert Family(0.08, "holm", 4, margin=False).levels() == pytest.approx(expected)
    for family in (Family(0.08, "holm", 4, margin=True), Family(0.08, "bonferroni", 4, margin=False)):
        assert family.levels() == pytest.approx([0.01])
    assert Family(0.08, "none", 4, margin=True).levels() == pytest.approx([0.04])
    harmonic = 1 + 1 / 2 + 1 / 3 + 1 / 4
    by_rate = Family(0.08, "fdr", 2, margin=False)
    assert by_rate.levels() == pytest.approx([0.08 * k / (4 * harmonic) for k in (4, 3, 2, 1)])
    assert by_rate.first_level == pytest.approx(0.08 / (4 * harmonic))
    assert Family(0.05, "holm", 40, margin=False).levels().size == 16


@pytest.mark.parametrize("multiplicity", MULTIPLICITIES)
@pytest.mark.parametrize("margin", [False, True])
def test_levels_fall_and_stay_below_alpha(multiplicity: Multiplicity, margin: bool) -> None:
    levels = Family(0.05, multiplicity, 7, margin=margin).levels()
    assert (np.diff(levels) < 0).all()
    assert 0 < levels[-1] <= levels[0] < 0.05


def test_the_thresholds_of_a_false_discovery_rate_by_hand() -> None:
    """Four nulls at .05: with one, two found 4 (25/12)/.05, half of it; the second passes only with the first."""
    family, first = Family(0.05, "fdr", 2, margin=False), 4 * (25 / 12) / 0.05
    none, one, two = np.log([[[first / 2, 1], [1, 1]], [[first, 1], [1, 1]], [[first / 2, 1], [first / 2, 1]]])
    assert np.exp(family.faced(np.stack([none, one, two]))) == pytest.approx([first, first, first / 2])


@pytest.mark.parametrize(
    ("multiplicity", "theirs"), [("holm", "holm"), ("fdr", "fdr_by"), ("bonferroni", "bonferroni")]
)
def test_what_is_rejected_in_many_runs_is_what_statsmodels_rejects(multiplicity: Multiplicity, theirs: str) -> None:
    """Of p-values, as evidence on the scale of -log p."""
    rng = np.random.default_rng(5)
    p = rng.random((RUNS, PAIRS, 2)) ** rng.choice([1, 3, 8], size=(RUNS, 1, 1))
    reached = -np.log(p) >= Family(0.2, multiplicity, PAIRS, margin=False).faced(-np.log(p))[:, None, None]
    expected = [multipletests(of.ravel(), 0.2, method=theirs)[0] for of in p]
    np.testing.assert_array_equal(reached.reshape(RUNS, -1), expected)
    assert 0.05 < reached.mean() < 0.6


@pytest.mark.parametrize("multiplicity", ["holm", "fdr", "none"])
def test_one_run_faces_what_it_does_among_many(multiplicity: Multiplicity) -> None:
    evidence = np.random.default_rng(6).exponential(2.0, (RUNS, PAIRS, 2))
    family = Family(0.2, multiplicity, PAIRS, margin=False)
    faced = family.faced(evidence)
    for run, common in zip(evidence, faced, strict=True):
        thresholds = family.thresholds(run)
        found = (run >= thresholds[:, None]).any(axis=1)
        np.testing.assert_array_equal(found, (run >= common).any(axis=1))
        assert (thresholds[~found] == common).all()


# ---- finished sets -------------------------------------------------------------------------------------------------
# One level for all pairs, and the rules of the papers: verdicts and intervals agree under every correction.

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
