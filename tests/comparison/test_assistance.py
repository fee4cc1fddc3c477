"""What a metric does for a pair: help where it can, the corrected mean, the labels saved, no invalid verdict."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.metric_pairs import Floats, balanced_outcomes, outcomes_and_metric, pair_with_metric, with_correlation
from tests.planned_evidence import scan_of

from tiebreak.comparison.assistance import (
    OUTCOME_CLASSES,
    adjusted_mean,
    confusion_counts,
    expected_saving,
    metric_assistance,
    metric_use,
)
from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence

LOG_40 = math.log(40)


def evidence_of(pair: PairEvidence, automatic: PairAutomatic | None) -> Floats:
    """The evidence (n, 2) for either side, with the help of a metric or by the same bets without."""
    found = None if automatic is None else metric_assistance(pair, automatic)
    assert (found is None) == (automatic is None)
    sequence = pair.sequence
    return scan_of(sequence.for_a, pool=sequence.pool_size, help_=found, bets=automatic is None).directions


def decides(pair: PairEvidence, automatic: PairAutomatic) -> bool:
    return bool(evidence_of(pair, automatic)[-1].max() >= LOG_40)


def path(outcomes: Floats, metric: Floats, labelled: int, target: str, side: int = 1) -> Floats:
    return evidence_of(*pair_with_metric(outcomes, metric, labelled, target=target))[:, 0 if side > 0 else 1]


# ---- when it can help ------------------------------------------------------------------------------------------


def test_it_needs_items_without_labels_or_a_known_pool() -> None:
    outcomes, metric = outcomes_and_metric(np.random.default_rng(0), 60, 0.7)
    for labelled, helps in ((60, False), (40, False), (27, False), (26, True), (10, True)):
        # A quarter of the unlabelled items is reserved for bins; the others must give each label one companion.
        assert (metric_assistance(*pair_with_metric(outcomes, metric, labelled)) is not None) is helps
    assert metric_assistance(*pair_with_metric(outcomes, metric, 20, clusters=10)) is None
    assert metric_assistance(*pair_with_metric(outcomes, metric, 0)) is None
    # A claim about these items knows the metric's mean over all of them.
    assert metric_assistance(*pair_with_metric(outcomes, metric, 60, target="items")) is not None


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_scores_of_the_labelled_items_alone_do_not_help(target: str) -> None:
    outcomes, metric = outcomes_and_metric(np.random.default_rng(1), 200, 0.7)
    metric[50:] = np.nan
    assert metric_assistance(*pair_with_metric(outcomes, metric, 50, target=target)) is None


def test_a_pool_whose_items_are_not_those_with_the_metric_is_left_alone() -> None:
    # The list has 200 items, but scores name 250: the mean over the undrawn of the list is not known.
    outcomes, metric = outcomes_and_metric(np.random.default_rng(2), 200, 0.7)
    pair, automatic = pair_with_metric(outcomes, metric, 50, target="items")
    more = replace(automatic, unlabelled=np.concatenate([automatic.unlabelled, np.ones((50, 1))]))
    assert metric_assistance(pair, automatic) is not None
    assert metric_assistance(pair, more) is None


# ---- invariants ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("width", [1, 2])
def test_swapping_the_systems_swaps_the_sides(target: str, width: int) -> None:
    outcomes, metric = outcomes_and_metric(np.random.default_rng(3), 400, 0.7, 0.2)
    metrics = np.column_stack([metric, np.random.default_rng(4).normal(size=400)])[:, :width]
    assert path(-outcomes, -metrics, 150, target, -1) == pytest.approx(path(outcomes, metrics, 150, target), abs=1e-7)


@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("width", [1, 2])
def test_the_unit_and_the_zero_of_a_metric_do_not_matter(target: str, width: int) -> None:
    outcomes, metric = outcomes_and_metric(np.random.default_rng(5), 400, 0.7, 0.2)
    metrics = np.column_stack([metric, np.random.default_rng(6).normal(size=400)])[:, :width]
    plain = path(outcomes, metrics, 150, target)
    assert path(outcomes, 40 * metrics + 3, 150, target) == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize("target", ["inputs", "items"])
@pytest.mark.parametrize("difference", [0.0, 0.5, -0.5])
def test_a_constant_metric_changes_no_verdict(target: str, difference: float) -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        outcomes, _metric = outcomes_and_metric(rng, 600, 0.0, difference)
        pair, automatic = pair_with_metric(outcomes, np.full(600, 3.5), 200, target=target)
        alone, helped = evidence_of(pair, None), evidence_of(pair, automatic)
        for without, with_it in zip(alone[-1], helped[-1], strict=True):
            assert (without >= LOG_40) == (with_it >= LOG_40)
            assert with_it == pytest.approx(without, abs=0.2 * abs(without) + 1.5)


@pytest.mark.parametrize("target", [pytest.param("inputs", marks=pytest.mark.full), "items"])
def test_missing_scores_say_nothing(target: str) -> None:
    # An item without a score counts as an average one: less help than with all scores, more than with none.
    rng = np.random.default_rng(8)
    finals = []
    for _ in range(30):
        outcomes, metric = outcomes_and_metric(rng, 600, 0.8, 0.15)
        holed = np.where(rng.random(600) < 0.3, np.nan, metric)
        some = path(outcomes, holed, 200, target)
        assert np.isfinite(some).all()
        alone = evidence_of(pair_with_metric(outcomes, metric, 200, target=target)[0], None)
        finals.append([alone[-1, 0], some[-1], path(outcomes, metric, 200, target)[-1]])
    without, holes, full = np.mean(finals, axis=0)
    assert without < holes < full
    # Filling with the metric's own mean by hand gives the same for a claim about these items.
    if target == "items":
        filled = np.where(np.isnan(holed), np.nanmean(holed), holed)
        assert path(outcomes, filled, 200, target) == pytest.approx(some, abs=1e-9)


def test_scores_of_the_labelled_items_and_few_others_decide_nothing() -> None:
    """No difference in the pool, and a metric that was computed for the labelled items first: few verdicts at 5%.

    Taken for a metric of all items it is wrong in more than half of such pairs.
    """
    rng = np.random.default_rng(10)
    decided = {"items": 0, "inputs": 0}
    for target in decided:
        for _ in range(60):
            outcomes = balanced_outcomes(rng, 700, ties=0.0)
            metric = with_correlation(rng, outcomes, 0.95, 1.0)
            metric[400:] = math.nan
            found = metric_assistance(*pair_with_metric(outcomes, metric, 300, target=target))
            if found is not None:
                decided[target] += decides(*pair_with_metric(outcomes, metric, 300, target=target))
    assert max(decided.values()) <= 8  # of 60; P(more) < 0.01 at 5%
    assert sum(decided.values()) <= 11


def test_where_enough_others_have_scores_they_are_the_companions() -> None:
    outcomes, metric = outcomes_and_metric(np.random.default_rng(11), 900, 0.8, 0.15)
    metric[600:] = math.nan
    some = path(outcomes, metric, 100, "inputs")
    assert some == pytest.approx(path(outcomes[:600], metric[:600], 100, "inputs"), abs=1e-12)
    assert metric_assistance(*pair_with_metric(outcomes, metric, 100, target="items")) is None


# ---- validity and power ----------------------------------------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("target", ["inputs", "items"])
def test_equal_systems_get_a_wrong_verdict_no_more_often_than_alpha(target: str) -> None:
    # 200 of 600 items labelled, looking after each label, metric of correlation .7: alpha + 3 standard errors. About
    # inputs the population is balanced, about these items the pool is.
    rng, runs = np.random.default_rng(11), 4_000
    wrong = 0
    for _ in range(runs):
        if target == "items":
            outcomes = balanced_outcomes(rng, 600)
            metric = with_correlation(rng, outcomes, 0.7, math.sqrt(0.7))
        else:
            outcomes, metric = outcomes_and_metric(rng, 600, 0.7)
        wrong += decides(*pair_with_metric(outcomes, metric, 200, target=target))
    assert wrong / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


# ---- the estimate ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3])
def test_the_corrected_mean_is_the_regression_at_the_mean_of_all_items(width: int) -> None:
    # Oracle: least squares of h on (1, g), predicted at the mean of g over labelled and unlabelled items.
    rng = np.random.default_rng(13)
    outcomes, metric = outcomes_and_metric(rng, 300, 0.6, 0.1)
    metrics = np.column_stack([metric, rng.normal(size=(300, 2))])[:, :width]
    pair, automatic = pair_with_metric(outcomes, metrics, 100)
    design = np.column_stack([np.ones(100), metrics[:100]])
    fitted = np.linalg.solve(design.T @ design, design.T @ outcomes[:100])
    expected = float(fitted @ np.concatenate([[1.0], metrics.mean(axis=0)]))
    assert adjusted_mean(pair, automatic) == pytest.approx(expected)
    assert adjusted_mean(pair, automatic) != pytest.approx(pair.values.mean())


def test_the_corrected_mean_by_hand() -> None:
    # h = g on ten labelled items with mean 0; five more items of g = 1: the mean over all fifteen is 5/15.
    g = np.array([1.0, -1.0] * 5 + [1.0] * 5)
    assert adjusted_mean(*pair_with_metric(g, g, 10)) == pytest.approx(1 / 3)
    constant = np.full(15, 2.0)
    assert adjusted_mean(*pair_with_metric(g, constant, 10)) == pytest.approx(0.0)
    assert adjusted_mean(*pair_with_metric(g, g, 9)) == pytest.approx(1 / 9)  # below ten labels: the plain mean
    assert math.isnan(adjusted_mean(*pair_with_metric(g, g, 0)))
    # A prediction beyond the range of h stays within it.
    steep = np.concatenate([g[:10], np.full(5, 30.0)])
    assert adjusted_mean(*pair_with_metric(g, steep, 10)) == 1.0


def test_the_corrected_mean_varies_less() -> None:
    # Variance with rho = .8 and 100 of 2,000 items: (1 - .64)/100 + .64/2000 = .39/100 of Var h, so sd .63 as large.
    rng = np.random.default_rng(14)
    plain, corrected = [], []
    for _ in range(300):
        outcomes, metric = outcomes_and_metric(rng, 2000, 0.8, 0.1)
        pair, automatic = pair_with_metric(outcomes, metric, 100)
        plain.append(pair.values.mean())
        corrected.append(adjusted_mean(pair, automatic))
    assert np.std(corrected) / np.std(plain) == pytest.approx(math.sqrt(0.39), abs=0.08)
    assert np.mean(corrected) == pytest.approx(0.1, abs=3 * np.std(corrected) / math.sqrt(300) + 0.003)


# ---- the saving ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
@pytest.mark.parametrize(("target", "share"), [("inputs", 0.75), ("items", 1.0)])
def test_the_saving_is_r_squared_of_the_items_without_labels(correlation: float, target: str, share: float) -> None:
    # 500 of 2,000 labelled: R^2 (1 - 500/2000) about inputs like these, R^2 about these items.
    rng = np.random.default_rng(15)
    found = []
    for _ in range(40):
        pair = pair_with_metric(*outcomes_and_metric(rng, 2000, correlation), 500, target=target)
        saving = expected_saving(*pair, seed=0)
        assert 0 <= saving.low <= saving.share <= saving.high <= 1
        found.append(saving.share)
    assert np.mean(found) == pytest.approx(share * correlation**2, abs=0.015)


def test_the_interval_of_the_saving_holds_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(16)
    held = 0
    for seed in range(150):
        saving = expected_saving(*pair_with_metric(*outcomes_and_metric(rng, 800, 0.6), 200), seed)
        held += saving.low <= 0.75 * 0.36 <= saving.high
    assert held >= 132  # 95% of 150 is 142.5, standard deviation 2.7; a bootstrap falls a little short


def test_the_saving_of_degenerate_data() -> None:
    outcomes, metric = outcomes_and_metric(np.random.default_rng(17), 100, 0.7)
    assert expected_saving(*pair_with_metric(outcomes, metric, 9), seed=0) is None
    for values, scores in ((outcomes, np.full(100, 7.0)), (np.ones(100), metric), (outcomes, np.full(100, np.nan))):
        saving = expected_saving(*pair_with_metric(values, scores, 40), seed=0)
        assert (saving.share, saving.low, saving.high) == (0.0, 0.0, 0.0)
    perfect = expected_saving(*pair_with_metric(outcomes, 5 * outcomes - 2, 40), seed=0)
    assert perfect.share == pytest.approx(0.6, abs=1e-6)


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_unlabelled_items_without_a_score_save_nothing(target: str) -> None:
    # 100 labelled, 300 not, of which 100 have a score: like 100 of 200 about inputs; a third of R^2 about these items.
    outcomes, metric = outcomes_and_metric(np.random.default_rng(18), 400, 0.8)
    whole = expected_saving(*pair_with_metric(outcomes, metric, 100, target=target), seed=0)
    metric[200:] = np.nan
    some = expected_saving(*pair_with_metric(outcomes, metric, 100, target=target), seed=0)
    metric[100:] = np.nan
    none = expected_saving(*pair_with_metric(outcomes, metric, 100, target=target), seed=0)
    expected = (1 / 2) / (3 / 4) if target == "inputs" else 1 / 3
    assert some.share / whole.share == pytest.approx(expected)
    assert none.share == 0.0


# ---- agreement -------------------------------------------------------------------------------------------------


def test_the_confusion_by_hand() -> None:
    human = np.array([1.0, 1.0, 0.0, -1.0, -1.0, 1.0])
    metric = np.array([1.0, 0.0, 0.0, -1.0, 1.0, np.nan])
    assert confusion_counts(human, metric, OUTCOME_CLASSES).tolist() == [[1, 0, 1], [1, 1, 0], [0, 0, 1]]
    assert confusion_counts(human, metric, (1.0, -1.0)).tolist() == [[1, 1], [0, 1]]


def test_use_is_counted_on_the_labelled_items_and_told_for_the_others() -> None:
    outcomes = np.array([1.0, 1.0, 0.0, -1.0, -1.0, 0.5, 0.0, 0.0])
    metric = np.array([2.0, 0.1, -0.2, -3.0, 4.0, 1.0, np.nan, 5.0])
    use = metric_use(*pair_with_metric(outcomes, metric, 6), 0.25)
    # Metric outcomes at threshold .25: a, tie, tie, b, a, a; a mean label of .5 favours a.
    assert use.confusion == ((2, 0, 1), (1, 1, 0), (0, 0, 1))
    assert use.agreement == pytest.approx(4 / 6)
    assert (use.names, use.unlabelled) == (("m0",), 1)
    nothing = metric_use(*pair_with_metric(outcomes, np.full(8, np.nan), 6), 0.25)
    assert (nothing.agreement, nothing.unlabelled) == (None, 0)


def test_identical_outputs_that_nobody_labelled_are_no_agreement_with_people() -> None:
    outcomes = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 1.0])
    pair, automatic = pair_with_metric(outcomes, np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), 5)
    pair = replace(pair, labels=np.array([1, 1, 0, 1, 0]), identical=3)  # somebody labelled one of the three
    use = metric_use(pair, automatic, 0.0)
    assert use.confusion == ((1, 0, 1), (0, 1, 0), (0, 0, 0))
    assert use.agreement == pytest.approx(2 / 3)
    assert use.unlabelled == 3
