"""What the vectorised engine computes anew for many pairs, beside the kernels that give the verdicts elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from tiebreak.kernels import bet_mixture, bounded_mean, multiplicity
from tiebreak.rules.anytime import Priors
from tiebreak.simulate.engines.evidence_paths import OutcomePaths, PoolPaths, band
from tiebreak.simulate.engines.policies import Turns, benjamini_yekutieli, holm


@pytest.mark.parametrize("nulls", [2, 6, 30])
@pytest.mark.parametrize("alpha", [0.05, 0.3])
def test_as_many_rejections_as_the_kernels(nulls: int, alpha: float) -> None:
    sup = np.random.default_rng(nulls).exponential(3.0, size=(400, nulls // 2, 2))
    zero = np.zeros(400, dtype=np.int64)
    by_holm = holm(nulls, alpha).rejected_in_all(sup, zero)
    by_fdr = benjamini_yekutieli(nulls, alpha).rejected_in_all(sup, zero)
    assert by_holm.tolist() == [multiplicity.holm_directions(of, alpha).j for of in sup]
    p_values = multiplicity.p_from_sup(sup.reshape(400, nulls))
    assert by_fdr.tolist() == [int(multiplicity.benjamini_yekutieli(of, alpha).sum()) for of in p_values]
    assert len(set(by_holm.tolist())) > 2
    assert (by_holm != by_fdr).any()


def test_the_band_holds_the_evidence_between_the_thresholds() -> None:
    horizon, low, high = 700, 2.0, 9.0
    table, prior = band(low, high, horizon), Priors.default().outcomes
    untied = np.repeat(np.arange(horizon + 1, dtype=np.int32), 41)
    lead = untied - 2 * np.random.default_rng(1).integers(0, untied // 2 + 1).astype(np.int32)
    wins, losses = (untied + lead) / 2, (untied - lead) / 2
    exact = bet_mixture.log_e_from_counts(losses, np.zeros_like(wins), wins, prior)
    found = table(untied, lead)
    between = (exact >= low) & (exact < high)
    assert between.sum() > 1_000
    np.testing.assert_allclose(found[between], exact[between], rtol=1e-12)
    assert (found[exact < low] == -np.inf).all()
    assert (found[exact >= high] == np.inf).all()
    assert (table(untied, -lead)[lead >= 0] == -np.inf).all()


def test_paths_go_on_where_they_stopped() -> None:
    """In two stretches, the second of some cells only: the running maxima of the kernels on the whole sequence."""
    values = np.random.default_rng(2).choice([1, 0, -1], p=[0.6, 0.2, 0.2], size=(5, 80)).astype(np.int8)
    low, high, margin = 1.0, 30.0, 0.4
    of_outcomes, of_pool = OutcomePaths(5, 80, low, high, margin), PoolPaths(5, 80, 100, margin)
    some = np.array([0, 3, 4])
    for paths, path in (
        (of_outcomes, lambda h, null: bet_mixture.log_e_path(h, Priors.default().outcomes, null)),
        (of_pool, lambda h, null: bounded_mean.log_e_path(h.astype(float), Priors.default().bounded, null, 100)),
    ):
        paths.after(np.arange(5), values[:, :33], 0)
        found = paths.after(some, values[some, 33:], 33)
        for row, cell in enumerate(some):
            sides = [path(side * values[cell], null) for null in (0.0, -margin) for side in (1, -1)]
            sup = np.maximum.accumulate(np.array(sides), axis=1)
            exact = np.array([sup[0], sup[1], np.minimum(sup[2], sup[3])])[:, 33:].T
            kept = exact >= (low if paths is of_outcomes else -np.inf)
            np.testing.assert_allclose(found[row][kept], exact[kept], rtol=1e-9)
            assert kept[:, 0].any()


@pytest.mark.parametrize(("batch", "most", "several"), [(10, 50, False), (10, 50, True), (1, 7, True), (60, 50, True)])
def test_turns_end_with_all_items_done(batch: int, most: int, several: bool) -> None:
    turns = Turns(batch, most, several)
    done = turns.done_after(np.arange(-1, turns.count))
    assert done[0] == 0
    assert done[-1] == most
    assert (np.diff(done) <= batch).all()
    assert done[-2] < most
    stretches = list(turns.stretches())
    assert [first for first, _ in stretches] == [0, *(last for _, last in stretches[:-1])]
    assert stretches[-1][1] == turns.count
