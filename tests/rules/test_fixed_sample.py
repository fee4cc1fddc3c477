from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binomtest, dirichlet
from statsmodels.stats.multitest import multipletests

from tiebreak.rules.family import FamilyRule
from tiebreak.rules.fixed_sample import dirichlet_verdict, hoeffding_verdict, sign_verdicts

COUNTS = [(30, 20, 10), (12, 5, 11), (3, 40, 17), (0, 9, 0), (61, 0, 39), (25, 25, 8)]


def test_sign_test_by_hand() -> None:
    # 9 wins, 1 loss, any ties: P(X >= 9) = (10 + 1)/1024 = .0107, two-sided .0215. One pair at alpha .05: .025 a side.
    verdict = sign_verdicts([(9, 100, 1)], FamilyRule(0.05, "none"))[0]
    assert verdict.verdict == "a"
    assert verdict.p_value == pytest.approx(22 / 1024)
    assert verdict.theta is None
    assert verdict.stopped_at is None
    assert sign_verdicts([(1, 100, 9)], FamilyRule(0.05, "none"))[0].verdict == "b"
    assert sign_verdicts([(9, 100, 1)], FamilyRule(0.02, "none"))[0].verdict == "undecided"


def test_sign_tests_against_scipy() -> None:
    found = sign_verdicts(COUNTS, FamilyRule(0.05, "none"))
    for (wins, _, losses), verdict in zip(COUNTS, found, strict=True):
        expected = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        assert verdict.p_value == pytest.approx(expected)
        decided = expected <= 0.05
        assert verdict.verdict == (("a" if wins > losses else "b") if decided else "undecided")


@pytest.mark.parametrize(("multiplicity", "name"), [("bonferroni", "bonferroni"), ("fdr", "fdr_by")])
def test_sign_tests_of_many_pairs_against_statsmodels(multiplicity: str, name: str) -> None:
    one_sided = [
        binomtest(k, wins + losses, alternative="greater").pvalue if wins + losses else 1.0
        for wins, _, losses in COUNTS
        for k in (wins, losses)
    ]
    expected = multipletests(one_sided, alpha=0.05, method=name)[0].reshape(-1, 2)
    found = sign_verdicts(COUNTS, FamilyRule(0.05, multiplicity))  # type: ignore[arg-type]
    names = {(True, False): "a", (False, True): "b", (False, False): "undecided"}
    assert [verdict.verdict for verdict in found] == [names[tuple(row.tolist())] for row in expected]
    assert {verdict.verdict for verdict in found} == {"a", "b", "undecided"}


def test_holm_between_bonferroni_and_none() -> None:
    # Two pairs, four nulls, alpha .05: p <= .0125 first, then p <= .05/3 = .0167. (9, 1): p = .0107; (20, 8): p =
    # .0178; (8, 1): p = 10/512 = .0195; (19, 7): .0145 passes at the second step only.
    p_second = binomtest(19, 26, alternative="greater").pvalue
    assert 0.0125 < p_second < 0.05 / 3
    counts = [(9, 0, 1), (19, 0, 7)]
    verdicts = {
        name: [verdict.verdict for verdict in sign_verdicts(counts, FamilyRule(0.05, name))]  # type: ignore[arg-type]
        for name in ("bonferroni", "holm", "none")
    }
    assert verdicts == {"bonferroni": ["a", "undecided"], "holm": ["a", "a"], "none": ["a", "a"]}


def test_sign_intervals_widen_with_the_family_and_cover() -> None:
    alone = sign_verdicts([COUNTS[0]], FamilyRule(0.05, "bonferroni"))[0]
    family = sign_verdicts(COUNTS, FamilyRule(0.05, "bonferroni"))[0]
    apart = sign_verdicts(COUNTS, FamilyRule(0.05, "fdr"))[0]
    assert family.low < alone.low < 20 / 60 < alone.high < family.high
    assert (apart.low, apart.high) == (alone.low, alone.high)
    # 40 items, P = (.45, .3, .25): 95% intervals hold the true .2 in 95% of 2,000 samples, to within 3 sd = 1.5%.
    samples = np.random.default_rng(21).multinomial(40, [0.45, 0.3, 0.25], size=2000).tolist()
    found = sign_verdicts([tuple(row) for row in samples], FamilyRule(0.05, "none"))
    assert 0.935 < np.mean([verdict.low <= 0.2 <= verdict.high for verdict in found]) < 0.975


def test_sign_test_without_pairs_and_without_untied_items() -> None:
    assert sign_verdicts([], FamilyRule(0.05, "holm")) == []
    only_ties = sign_verdicts([(0, 7, 0)], FamilyRule(0.05, "holm"))[0]
    assert (only_ties.verdict, only_ties.p_value) == ("undecided", 1.0)
    assert only_ties.low < 0 < only_ties.high


def test_hoeffding_by_hand() -> None:
    # d = .05: t(n) = sqrt(2.9957/(2n)). All wins: 1 - 1/2 > t first at n = 6 (t(5) = .547, t(6) = .4997).
    verdict = hoeffding_verdict(np.ones(20), 0.05)
    assert (verdict.verdict, verdict.stopped_at) == ("a", 6)
    # In differences the bound is twice as wide: 2 sqrt(2.9957/40) = .547 around 1.
    assert verdict.low == pytest.approx(1 - 2 * math.sqrt(-math.log(0.05) / 40))
    assert verdict.high == 1.0
    assert hoeffding_verdict(-np.ones(20), 0.05).verdict == "b"
    assert hoeffding_verdict(np.zeros(500), 0.05).verdict == "undecided"


def test_hoeffding_keeps_its_first_crossing() -> None:
    verdict = hoeffding_verdict(np.concatenate([np.ones(8), -np.ones(60)]), 0.05)
    assert (verdict.verdict, verdict.stopped_at) == ("a", 6)
    assert verdict.high < 0  # the rule contradicts its own verdict later: one reason not to use it
    empty = hoeffding_verdict(np.empty(0), 0.05)
    assert (empty.verdict, empty.low, empty.high) == ("undecided", -1.0, 1.0)


@pytest.mark.parametrize("counts", COUNTS)
def test_dirichlet_against_the_beta_and_against_draws(counts: tuple[int, int, int]) -> None:
    wins, ties, losses = counts
    found = dirichlet_verdict(counts, 0.1)
    theta = float(beta.sf(0.5, wins + 1, losses + 1))
    assert found.theta == pytest.approx(theta)
    assert found.verdict == ("a" if theta > 0.95 else "b" if theta < 0.05 else "undecided")
    draws = dirichlet.rvs([wins + 1, ties + 1, losses + 1], size=40_000, random_state=np.random.default_rng(22))
    low, high = np.quantile(draws[:, 0] - draws[:, 2], [0.05, 0.95])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.015)
    assert found.p_value is None


def test_swapping_the_systems_mirrors_every_rule() -> None:
    mirror = {"a": "b", "b": "a", "undecided": "undecided"}
    for wins, ties, losses in COUNTS:
        values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
        forward = (
            sign_verdicts([(wins, ties, losses)], FamilyRule(0.05, "holm"))[0],
            hoeffding_verdict(values, 0.05),
            dirichlet_verdict((wins, ties, losses), 0.05),
        )
        back = (
            sign_verdicts([(losses, ties, wins)], FamilyRule(0.05, "holm"))[0],
            hoeffding_verdict(-values, 0.05),
            dirichlet_verdict((losses, ties, wins), 0.05),
        )
        for one, other in zip(forward, back, strict=True):
            assert other.verdict == mirror[one.verdict]
            assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-3)
