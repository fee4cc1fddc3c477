"""The certification of the rule `fixed`: a small part of it, its arithmetic, and that it can see what is broken."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from benchmarks.one_look import clusters, counts, families, found, grid, metrics, panels, pools, repeats
from benchmarks.one_look.cells import ALPHAS, Cell, Counts, Rng
from benchmarks.one_look.found import Found, broken
from benchmarks.one_look.page import page
from benchmarks.one_look.simulated import Control, Draw, by_t, p_values, wrong_directions
from scipy.special import bdtrc
from scipy.stats import binom, ttest_1samp

from tiebreak.kernels.paired_pool import paired_pool
from tiebreak.rules.finished import FinishedSet

CELLS = {(cell.section, cell.world): cell for cell in grid.all_cells()}


def counted(section: str, world: str, runs: int) -> Counts:
    return CELLS[section, world].measure(np.random.default_rng(4), runs)


def more_than(count: float, runs: int, rate: float) -> bool:
    """Whether a test that errs at this rate would show so many in fewer than one of 10,000 runs."""
    return bool(count > 0 and bdtrc(count - 1, runs, rate) < 1e-4)


# ---- the part that runs every time: it would fail at twice the level -------------------------------------------------


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
    assert counts.power(n)["least gain"] >= -1e-9


def test_widths() -> None:
    assert 1.0 < counts.Enumerated.of(100, 0.7, 0.5).width_ratio(0.025) <= 1.04


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
    found = counted(section, world, runs)
    assert not more_than(found["wrong 0.05"], runs, 0.05 * CELLS[section, world].times("wrong 0.05"))
    assert more_than(0.1 * runs, runs, 0.05 * CELLS[section, world].times("wrong 0.05")) or section == "clusters"


def test_families_keep_their_promises_and_no_correction_does_not() -> None:
    runs = 1_000
    found = counted("families", "5 systems, half are better, own noise of each pair", runs)
    assert not more_than(found["any holm 0.05"], runs, 0.05)
    assert not more_than(int(found["false fdr 0.05"]), runs, 0.05)
    assert more_than(found["any none 0.05"], runs, 0.05)
    assert found["power fdr-any 0.05"] < found["power fdr 0.05"]


def test_controls_fail() -> None:
    runs = 600
    strong = counted("means", "20 items, 3 people, 5% strong items", 1_500)
    assert more_than(strong["control 0.05"], 1_500, 0.05)
    whole = counted("clusters", "20 clusters, 2-20 sizes", runs)
    assert more_than(whole["second 0.05"], runs, 0.2)
    smaller = counted("metrics", "30 of 300, inputs, 16 useless", runs)
    assert more_than(smaller["control 0.05"], runs, 0.1)


# ---- the larger part -------------------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("n", counts.SIZES[:-1])
@pytest.mark.parametrize("pairs", counts.FAMILIES)
def test_outcomes_in_full(n: int, pairs: int) -> None:
    assert all(counts.errors(n, pairs)[f"wrong {alpha}"] <= alpha for alpha in ALPHAS)


@pytest.mark.full
@pytest.mark.parametrize("section", ["pools", "pool coverage", "coverage", "width", "power"])
def test_computed_cells_in_full(section: str) -> None:
    own = [cell for cell in CELLS.values() if cell.section == section and "3,000" not in cell.world]
    assert broken([Found(cell, dict(cell.measure(np.random.default_rng(0), 0)), 0, 0.0) for cell in own]) == []


@pytest.mark.full
@pytest.mark.parametrize("section", ["means", "clusters", "metrics", "simulated coverage"])
def test_simulated_cells_in_full(section: str) -> None:
    runs = 500
    own = [cell for cell in CELLS.values() if cell.section == section and "3,000" not in cell.world]
    assert broken([Found(cell, dict(cell.measure(np.random.default_rng(8), runs)), runs, 0.0) for cell in own]) == []


# ---- its arithmetic --------------------------------------------------------------------------------------------------


def test_errors_of_outcomes_by_brute_force() -> None:
    # Three items, the rule "reject with two wins more than losses": 2:0 of untied 2, 3:0 of 3.
    fewest = np.array([1.0, 2.0, 2.0, 3.0])
    share = 0.6
    expected = 0.0
    for wins, losses in itertools.product(range(4), repeat=2):
        if wins + losses <= 3 and wins >= fewest[wins + losses]:
            ways = [1, 1, 2, 6]
            ties = 3 - wins - losses
            expected += 6 / (ways[wins] * ways[losses] * ways[ties]) * 0.3 ** (wins + losses) * 0.4**ties
    assert counts.found_by(fewest, np.array([share]))[0] == pytest.approx(expected)


def test_sign_test_region_by_scipy() -> None:
    fewest = counts.fewest_of_sign_test(40, 0.025)
    for m in range(41):
        rejected = [w for w in range(m + 1) if w > 0 and binom.sf(w - 1, m, 0.5) <= 0.025]
        assert fewest[m] == (min(rejected) if rejected else m + 1)


def test_region_of_pools_is_that_of_all_counts() -> None:
    fewest = pools.fewest_wins(60, 30, 0.025)
    wins, untied = np.meshgrid(np.arange(31.0), np.arange(31.0))
    possible = wins <= untied
    wins, untied = wins[possible], untied[possible]
    rejected = paired_pool(wins, 30 - untied, untied - wins, 60).p_a <= 0.025
    assert (rejected == (wins >= fewest[untied.astype(int)])).all()


def test_chance_of_a_pool_by_simulation() -> None:
    rng = np.random.default_rng(3)
    fewest = pools.fewest_wins(50, 25, 0.025)
    pool = np.repeat([1, 0, -1], [20, 10, 20])
    draws = rng.permuted(np.tile(pool, (20_000, 1)), axis=1)[:, :25]
    wins, untied = (draws == 1).sum(axis=1), (draws != 0).sum(axis=1)
    share = float((wins >= fewest[untied]).mean())
    assert pools.chance_of(fewest, 50, 40) == pytest.approx(share, abs=0.004)


@pytest.mark.parametrize("sizes", clusters.SIZES)
def test_nobody_is_ahead_where_size_is_tied_to_the_outcome(sizes: clusters.Sizes) -> None:
    of, shares = clusters.size_shares(sizes)
    if sizes != "equal":
        assert (of * shares) @ clusters.tied_leans(sizes) == pytest.approx(0.0, abs=1e-12)
        assert np.ptp(clusters.tied_leans(sizes)) > 0.3


@pytest.mark.parametrize("difference", [0.0, 0.2, 0.5])
def test_worlds_have_the_difference_that_they_say(difference: float) -> None:
    rng = np.random.default_rng(5)
    votes = panels.leaning(0.3, difference)(rng, 100_000, 2)
    assert votes.mean() == pytest.approx(difference, abs=0.01)
    assert (votes == 0).mean() == pytest.approx(0.3, abs=0.01)
    drawn = clusters.clustered(20_000, "2-20", False, 0.0, difference)(rng)
    assert drawn.values.mean() == pytest.approx(difference, abs=0.02)
    labelled = metrics.with_metrics(50_000, 60_000, "inputs", metrics.METRICS["1 useless"], difference)(rng)
    assert labelled.values.mean() == pytest.approx(difference, abs=0.015)


def test_cr2_by_hand() -> None:
    # Equal clusters: the variance is that of their means, G - 1 degrees of freedom, as for a t test of the means.
    rng = np.random.default_rng(6)
    values = np.sign(rng.normal(size=40))
    member = np.repeat(np.arange(8), 5)
    of = FinishedSet(values, np.ones(40, dtype=np.int64), clusters=member)
    expected = ttest_1samp(values.reshape(8, 5).mean(axis=1), 0.0).pvalue
    assert clusters.by_cr2(of) == pytest.approx(expected)


def test_judgements_made_again_hold_a_third_of_ties() -> None:
    found = repeats.counted(timed=True)(np.random.default_rng(7), 100)
    assert found["wrong 0.05"] < 20


# ---- the machinery ---------------------------------------------------------------------------------------------------


def a_cell(promise: str = "ordinary", p: float = 0.0, runs: int = 1_000) -> Cell:
    def measure(rng: Rng, runs: int) -> Counts:
        return {f"{kind} {alpha}": float((rng.random(runs) < p).sum()) for kind in ("wrong",) for alpha in ALPHAS}

    return Cell("means", f"a world {promise} {p}", promise, measure, runs, (p,), source=str(counts.__file__))  # type: ignore[arg-type]


def test_pieces_are_kept_and_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    first = grid.run([a_cell(p=0.04)], tmp_path, 1)
    files = sorted(tmp_path.iterdir())
    assert len(files) == 2
    files[0].unlink()
    assert grid.run([a_cell(p=0.04)], tmp_path, 1)[0].counts == first[0].counts
    assert sorted(tmp_path.iterdir()) == files
    so_far = grid.kept([a_cell(p=0.04, runs=2_000), a_cell(p=0.03)], tmp_path, 1)
    assert [(each.runs, each.counts) for each in so_far] == [(1_000, first[0].counts)]
    grid.run([a_cell(p=0.04, runs=2_000)], tmp_path, 1)
    assert len(list(tmp_path.iterdir())) == 4


def test_what_is_broken_is_named() -> None:
    def of(p: float, promise: str = "ordinary") -> Found:
        return Found(a_cell(promise, p), {"wrong 0.05": 1_000 * p, "wrong 0.01": 0.0}, 1_000, 0.0)

    assert broken([of(0.05), of(0.055), of(0.08, "corner")]) == []
    assert len(broken([of(0.11)])) == 1
    computed = Found(a_cell("exact"), {"wrong 0.05": 0.0501, "wrong 0.01": 0.01}, 0, 0.0)
    assert len(broken([computed])) == 1
    weak = Found(a_cell(), {"least gain": -0.001}, 0, 0.0)
    wide = Found(a_cell(), {"most": 1.05}, 0, 0.0)
    assert len(broken([weak, wide])) == 2
    assert found.MOST_WIDTH == 1.04


@pytest.mark.parametrize(
    ("draw", "least"),
    [
        (panels.of_panel(panels.leaning(0.3), 40, (1, 6)), panels.t_or_nothing),
        (panels.of_panel(panels.strong(0.05), 50, (3, 3)), panels.t_or_nothing),
        (clusters.clustered(8, "lognormal", True), clusters.by_cluster_t),
        (clusters.clustered(20, "2-20", False, 0.6), clusters.by_cluster_t),
    ],
)
def test_the_rule_never_decides_where_it_is_not_asked(draw: Draw, least: Control) -> None:
    rng = np.random.default_rng(9)
    sets = [draw(rng) for _ in range(150)]
    assert (p_values(sets) >= np.array([least(of) for of in sets]) * (1 - 1e-9)).all()


def test_a_broken_rule_is_seen() -> None:
    runs = 1_000
    strong = panels.of_panel(panels.strong(0.05), 50, (3, 3))

    def as_if_t(rng: Rng, runs: int) -> Counts:
        counted = wrong_directions(strong, by_t)(rng, runs)
        return {f"wrong {alpha}": counted[f"control {alpha}"] for alpha in ALPHAS}

    cell = Cell("means", "t alone", "ordinary", as_if_t, runs, ())
    assert broken([Found(cell, dict(as_if_t(np.random.default_rng(2), runs)), runs, 0.0)])


def test_page_marks_what_fails() -> None:
    chosen = [cell for cell in CELLS.values() if cell.section == "clusters"][:2]
    events = [f"{kind} {alpha}" for kind in ("wrong", "control", "second") for alpha in ALPHAS]
    fine, bad = (dict.fromkeys(events, share * 1000) for share in (0.004, 0.2))
    text = page(
        [Found(chosen[0], fine, 1_000, 60.0), Found(chosen[1], bad, 1_000, 60.0)], "the command", 2.0, "none", 9_000
    )
    assert "the command" in text
    assert "2,000 of 9,000 simulated studies" in text
    assert "**0.2000 (< 0.2259)**" in text
    assert "0.0040 (< 0.0102)" in text
    assert "**fails in 2**" in text


def test_every_cell_is_its_own_and_has_a_source() -> None:
    assert len({cell.key for cell in CELLS.values()}) == len(CELLS) == len(grid.all_cells())
    assert all(Path(cell.source).is_file() for cell in CELLS.values())
    exact = [cell for cell in CELLS.values() if cell.promise == "exact" and cell.runs]
    assert all(cell.runs >= 40_000 for cell in exact)
    assert all(cell.because for cell in CELLS.values() if cell.promise == "corner")
    assert families.RUNS >= 40_000
