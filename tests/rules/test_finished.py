"""Each kind of evidence gets the test that suits it, and verdicts from many pairs are those of each alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.cells import ALPHAS, Cell, Counts, Found, all_cells, too_high
from benchmarks.one_look import MODULES
from benchmarks.worlds.one_look import counts, pools
from scipy.special import bdtrc
from scipy.stats import binomtest

from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.kernels.unit_means import panel_means
from tiebreak.rules.finished import FinishedSet, FinishedSets, least_streak
from tiebreak.rules.finished_family import decide_finished
from tiebreak.rules.power import least_units

# ---- tests ---------------------------------------------------------------------------------------------------------


def outcomes(wins: int, ties: int, losses: int, pool_size: int | None = None, scale: float = 1.0) -> FinishedSet:
    values = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
    return FinishedSet(values, np.ones(values.size, dtype=np.int64), pool_size=pool_size, scale=scale)


def panel(rng: np.random.Generator, items: int, shift: float, people: int = 3) -> FinishedSet:
    labels = rng.choice([-1.0, 0.0, 1.0], size=(items, people), p=[0.4 - shift / 2, 0.2, 0.4 + shift / 2])
    count = np.full(items, people, dtype=np.int64)
    return FinishedSet(labels.mean(axis=1), count, labels.var(axis=1, ddof=1))


def test_every_pair_is_tested_as_it_would_be_alone() -> None:
    rng = np.random.default_rng(5)
    sets = [outcomes(30, 10, 12), panel(rng, 80, 0.3), outcomes(5, 0, 9), panel(rng, 40, 0.0), outcomes(0, 4, 0)]
    together = FinishedSets(sets)
    low, high = together.intervals(0.01)
    for k, of in enumerate(sets):
        alone = FinishedSets([of])
        for name in ("p_a", "p_b", "smallest_p"):
            assert getattr(alone, name)[0] == getattr(together, name)[k]
        assert np.array_equal(np.concatenate(alone.intervals(0.01)), [low[k], high[k]])
        assert alone.estimates[0] == pytest.approx(of.values.mean())


def test_which_test_it_is() -> None:
    rng = np.random.default_rng(6)
    single, several = outcomes(30, 10, 12), panel(rng, 80, 0.3)
    tests = FinishedSets([single, several])
    assert tests.p_a[0] == paired_outcomes(30, 10, 12).p_a
    assert tests.p_a[1] == panel_means(several.values, several.labels).p_a


def test_a_pool_with_one_label_on_every_item_leaves_nothing_to_infer() -> None:
    tests = FinishedSets([outcomes(6, 2, 5, pool_size=13, scale=0.5), outcomes(5, 3, 5, pool_size=13)])
    low, high = tests.intervals(0.001)
    assert tests.p_a.tolist() == [0.0, 1.0]
    assert tests.p_b.tolist() == [1.0, 1.0]
    assert low[0] == pytest.approx(0.5 / 13, abs=1e-6)
    assert high[0] == pytest.approx(0.5 / 13, abs=1e-6)
    assert (low[1], high[1]) == (0.0, 0.0)


def test_clusters_are_the_units_and_items_the_estimand() -> None:
    values = np.array([1.0] * 3 + [-1.0] + [1.0, 1.0] * 6 + [0.0])
    clusters = np.array([0] * 4 + [k for c in range(1, 7) for k in (c, c)] + [7])
    of = FinishedSet(values, np.ones(values.size, dtype=np.int64), clusters=clusters)
    tests = FinishedSets([of])
    assert tests.estimates[0] == pytest.approx(values.mean())
    assert tests.smallest_p[0] == 0.5**7
    assert tests.p_a[0] >= 0.5**7


def test_the_smallest_p_is_that_of_a_perfect_streak_among_as_many_ties() -> None:
    tests = FinishedSets([outcomes(5, 95, 0), outcomes(4, 95, 1), outcomes(3, 0, 2), outcomes(300, 0, 200)])
    assert tests.smallest_p[0] == tests.smallest_p[1] < 0.025 < 0.5**5
    assert tests.smallest_p[0] == pytest.approx(tests.p_a[0], rel=1e-9)
    assert tests.smallest_p[2] == pytest.approx(0.5**5, rel=2e-5)
    assert tests.smallest_p[3] < 1e-11
    pools = FinishedSets([outcomes(5, 5, 0, pool_size=20), outcomes(4, 5, 1, pool_size=20)])
    assert pools.smallest_p[0] == pools.smallest_p[1] < 0.025
    assert pools.smallest_p[0] == pytest.approx(pools.p_a[0], rel=1e-9)


def test_a_part_of_a_pool_is_tested_without_replacement() -> None:
    pool, inputs = FinishedSets([outcomes(70, 20, 50, pool_size=160)]), FinishedSets([outcomes(70, 20, 50)])
    assert pool.p_a[0] < inputs.p_a[0]
    (low, high), (wider_low, wider_high) = pool.intervals(0.025), inputs.intervals(0.025)
    assert wider_low < low < 20 / 140 < high < wider_high


def test_no_labels_decide_nothing() -> None:
    found = decide_finished(FinishedSets([outcomes(0, 0, 0)]), 0.05, "holm", 0.1)
    assert found.verdicts == ("undecided",)
    assert (found.low[0], found.high[0]) == (-1.0, 1.0)
    assert decide_finished(FinishedSets([]), 0.05, "holm", None).verdicts == ()


def test_swapping_the_systems_mirrors_everything() -> None:
    rng = np.random.default_rng(7)
    sets = [outcomes(30, 10, 12), panel(rng, 80, 0.2), outcomes(9, 3, 4, pool_size=40)]
    mirrored = [replace(of, values=-of.values) for of in sets]
    one, other = FinishedSets(sets), FinishedSets(mirrored)
    assert np.allclose(one.p_a, other.p_b, rtol=1e-12)
    assert np.allclose(one.intervals(0.025)[0], -other.intervals(0.025)[1], atol=1e-6)


def test_many_ties_make_a_shorter_streak_decide() -> None:
    assert [least_streak(outcomes(0, items, 0), 0.025) for items in (3, 6, 100)] == [6, 5, 4]
    for items in (6, 40, 100):
        least = least_streak(outcomes(0, items, 0), 0.025)
        assert paired_outcomes(least, items - least, 0).p_a <= 0.025
        assert paired_outcomes(least - 1, items - least + 1, 0).p_a > 0.025


@pytest.mark.parametrize("level", [0.025, 0.05 / 90])
@pytest.mark.parametrize("kind", ["means", "means of a pool", "clusters", "clusters of a pool", "pool"])
def test_so_many_must_agree_as_the_test_itself_says(kind: str, level: float) -> None:
    rng = np.random.default_rng(3)
    of = panel(rng, 12, 0.0) if "means" in kind else outcomes(3, 6, 3)
    if "pool" in kind:
        of = replace(of, pool_size=60, pool_clusters=30 if "clusters" in kind else None, clusters=None)
    if "clusters" in kind:
        of = replace(of, clusters=np.arange(12) // 2)
    least = least_streak(of, level)
    units = 6 if "clusters" in kind else 12
    for agreeing in (least - 1, least):
        size = 2 if "clusters" in kind else 1
        count = max(units, agreeing) * size  # all else ties, and no more units than are needed
        found = FinishedSet(
            values=(np.arange(count) // size < agreeing).astype(float),
            labels=np.full(count, of.labels[0]),
            variances=None if of.variances is None else np.zeros(count),
            clusters=None if of.clusters is None else np.arange(count) // 2,
            pool_size=of.pool_size,
            pool_clusters=of.pool_clusters,
        )
        assert (FinishedSets([found]).p_a[0] <= level) == (agreeing == least)


def test_six_unanimous_means_or_clusters_decide() -> None:
    rng = np.random.default_rng(3)
    assert least_streak(panel(rng, 5, 0.0), 0.025) == 6  # 2^-6 is below .025, 2^-5 is not
    assert least_streak(replace(outcomes(2, 2, 2), clusters=np.arange(6) // 2), 0.025) == 6  # 2^-6 < 0.025 < 2^-5
    with pytest.raises(ValueError, match="without any unit"):
        least_streak(outcomes(0, 0, 0), 0.025)


def test_a_perfect_streak_is_the_least_that_decides() -> None:
    for level in (0.025, 0.05 / 12, 0.05 / 960):
        least = least_units(level)
        assert binomtest(least, least, alternative="greater").pvalue <= level
        assert binomtest(least - 1, least - 1, alternative="greater").pvalue > level


# ---- error rates ---------------------------------------------------------------------------------------------------
# Error rates of the rule `fixed`: some worlds of benchmarks/one_look.py; they would fail at twice the level.

CELLS = {(cell.section, cell.world): cell for cell in all_cells(MODULES)}


def counted(section: str, world: str, runs: int) -> Counts:
    return CELLS[section, world].measure(np.random.default_rng(4), runs)


def more_than(count: float, runs: int, rate: float) -> bool:
    """Whether a test that errs at this rate would show so many in fewer than one of 10,000 runs."""
    return bool(count > 0 and bdtrc(count - 1, runs, rate) < 1e-4)


@pytest.mark.parametrize("n", [20, 50, 100])
@pytest.mark.parametrize("pairs", [1, 45])
def test_outcomes_err_in_at_most_alpha_and_z_in_more(n: int, pairs: int) -> None:
    errors = counts.errors(n, pairs)
    for alpha in ALPHAS:
        assert 0.3 * alpha < errors[f"wrong {alpha}"] <= alpha
    if pairs == 1:
        assert errors["control 0.05"] > 0.05


@pytest.mark.parametrize(("size", "drawn"), [(20, 10), (50, 25), (100, 50)])
def test_pools_err_in_at_most_alpha(size: int, drawn: int) -> None:
    errors = pools.errors(size, drawn, 1)
    assert all(errors[f"wrong {alpha}"] <= alpha for alpha in ALPHAS)


@pytest.mark.parametrize("n", [20, 50, 100])
def test_power_is_nowhere_below_the_sign_test(n: int) -> None:
    assert counts.gain(n)["least 0.05"] >= -1e-9


@pytest.mark.parametrize(
    ("section", "world", "runs"),
    [
        ("means", "50 items, 1-6 people, 30% ties", 600),
        ("means", "100 items, 3 people, 5% strong items", 600),
        ("means", "200 items, 10 people, 3% strong items", 600),
        ("means", "400 items, 20 people, 1.25% strong items", 600),
        ("clusters", "20 clusters, 2-20 sizes, size tied to outcome", 600),
        ("clusters", "100 clusters, 2-20 sizes, 5% strong", 600),
        ("metrics", "100 of 1,000, inputs, 16 useless", 500),
        ("metrics", "100 of 1,000, inputs, good, missing by outcome", 500),
        ("repeats", "50 items, 40% judged again, the first by its time counts", 500),
    ],
)
def test_simulated_worlds_stay_below_twice_their_level(section: str, world: str, runs: int) -> None:
    limit = CELLS[section, world].limit("wrong 0.05")
    assert not more_than(counted(section, world, runs)["wrong 0.05"], runs, limit)
    assert more_than(0.1 * runs, runs, limit) or section == "clusters"


def test_families_keep_their_promises_and_no_correction_does_not() -> None:
    runs = 1_000
    found = counted("families", "5 systems, half are better, own noise of each pair", runs)
    assert not more_than(found["any holm 0.05"], runs, 0.05)
    assert not more_than(int(found["false fdr 0.05"]), runs, 0.05)
    assert more_than(found["any none 0.05"], runs, 0.05)
    assert found["power fdr-any 0.05"] < found["power fdr 0.05"]


def test_controls_fail() -> None:
    strong = counted("means", "20 items, 3 people, 5% strong items", 1_500)
    assert more_than(strong["control 0.05"], 1_500, 0.05)
    assert more_than(counted("clusters", "20 clusters, 2-20 sizes", 600)["second 0.05"], 600, 0.2)
    assert more_than(counted("metrics", "30 of 300, inputs, 16 useless", 600)["control 0.05"], 600, 0.1)


@pytest.mark.full
@pytest.mark.parametrize(
    ("section", "runs"),
    [
        *((section, 0) for section in ("outcomes", "pools", "pool coverage", "coverage", "width", "gain in power")),
        *((section, 500) for section in ("means", "clusters", "metrics", "simulated coverage")),
    ],
)
def test_sections_in_full(section: str, runs: int) -> None:
    def found(cell: Cell) -> Found:
        return Found(cell, dict(cell.measure(np.random.default_rng(8), runs)), runs)

    own = [cell for cell in CELLS.values() if cell.section == section and "3,000" not in cell.world]
    assert too_high([found(cell) for cell in own]) == []
