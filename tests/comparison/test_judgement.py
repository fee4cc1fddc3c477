"""From evidence to results: what each figure of a pair means; counts into the metric-error posterior."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from tests.planned_evidence import first_decision, least_wins, scan_of
from tests.small_studies import (
    answer,
    anytime,
    anytime_pair,
    only_pair,
    pair_of,
    pair_votes,
    scored,
    simulated_votes,
    study_of,
)

from tiebreak.comparison import judgement
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.kernels.metric_error import metric_error_posterior
from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.results.records import CONTRADICTION

# ---- evidence ----------------------------------------------------------------------------------------------------

STRENGTHS = {"ant": 0.3, "bee": 0.1, "cat": -0.2}


def evidence_of(study: Study, **settings: object) -> tuple[PairEvidence, ...]:
    return study_evidence(study, study.criteria, EvidenceSettings(**settings)).criteria[0].pairs  # type: ignore[arg-type]


def test_e_values_are_running_maxima_over_the_fixed_order() -> None:
    study = study_of(simulated_votes({"ant": 0.2, "bee": 0.0}, 80))
    (evidence,) = evidence_of(study)
    for_a, for_b = scan_of(evidence.values).directions[-1]
    pair = anytime_pair(study)
    assert pair.e_a == pytest.approx(math.exp(for_a))
    assert pair.e_b == pytest.approx(math.exp(for_b))
    assert pair.stopped_at == first_decision(evidence.values)


def test_labels_at_the_stop_are_those_of_the_items_before_it() -> None:
    rows = simulated_votes({"ant": 0.38, "bee": -0.3}, 60, annotators=3)
    rows = [row for k, row in enumerate(rows) if k % 4]  # panels of two and three
    study = study_of(rows)
    (evidence,), pair = evidence_of(study), anytime_pair(study)
    assert pair.stopped_at is not None
    assert pair.labels_at_stop == int(evidence.labels[: pair.stopped_at].sum())
    assert pair.labels == len(rows)


def test_the_stop_of_clusters_is_told_in_items() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 3}"} for k in range(120)]
    pair = anytime_pair(study_of(pair_votes("w" * 120), items=items))
    assert (pair.units, pair.items) == (40, 120)
    assert pair.stopped_at is not None
    assert pair.stopped_at % 3 == 0
    assert 3 * 6 <= pair.stopped_at < 120
    assert pair.labels_at_stop == pair.stopped_at


def test_an_undecided_pair_needs_at_least_one_more_item() -> None:
    ties = "t" * 10
    pair = anytime_pair(study_of(pair_votes(ties + "w" * (least_wins() - 1))))  # one win short of a verdict
    assert pair.verdict == "undecided"
    assert (pair.items_to_decision or 0) >= 1
    even = anytime_pair(study_of(pair_votes("wl" * 10)))
    assert (even.items_to_decision, even.labels_to_decision, even.cost_to_decision) == (None, None, None)


def test_labels_to_decision_follow_from_labels_per_item() -> None:
    one = anytime_pair(study_of(simulated_votes({"ant": 0.2, "bee": 0.0}, 20, annotators=1, seed=8)))
    assert one.items_to_decision is not None
    assert one.labels_to_decision == one.items_to_decision
    rows = simulated_votes({"ant": 0.15, "bee": 0.0}, 15, annotators=4, seed=6)
    four = anytime_pair(study_of(rows))
    assert four.verdict == "undecided"
    assert four.items_to_decision is not None
    assert four.labels_to_decision == 4 * four.items_to_decision


def test_one_look_at_each_pair() -> None:
    study = study_of(simulated_votes(STRENGTHS, 50))
    result = compare(study, rule="fixed", multiplicity="bonferroni")
    for pair in result.results[0].pairs:
        test = paired_outcomes(pair.wins, pair.ties, pair.losses)
        assert pair.p_value == pytest.approx(min(1.0, 2 * min(float(test.p_a), float(test.p_b))))
        assert pair.p_value <= binomtest(pair.wins, pair.wins + pair.losses).pvalue * 1.05
        better = "a" if pair.wins > pair.losses else "b"
        assert pair.verdict == (better if pair.p_value <= 0.05 / 3 else "undecided")
        low, high = test.interval(0.05 / 6)
        assert (pair.difference.low, pair.difference.high) == (pytest.approx(float(low)), pytest.approx(float(high)))
        assert (pair.e_a, pair.theta, pair.stopped_at) == (None, None, None)


def test_the_dirichlet_posterior_of_each_pair() -> None:
    for pair in compare(study_of(simulated_votes(STRENGTHS, 50)), rule="dirichlet").results[0].pairs:
        assert pair.theta == pytest.approx(float(beta.sf(0.5, pair.wins + 1, pair.losses + 1)))
        assert pair.difference.estimate == pytest.approx((pair.wins - pair.losses) / 53)  # the prior is three labels


def test_the_hoeffding_rule_uses_the_fixed_order() -> None:
    study = study_of(simulated_votes({"ant": 0.4, "bee": -0.2}, 60))
    (evidence,) = evidence_of(study)
    n = np.arange(1, 61)
    offset = np.abs((np.cumsum(evidence.values) / n + 1) / 2 - 0.5) > np.sqrt(-math.log(0.05) / (2 * n))
    pair = only_pair(study, rule="hoeffding")
    assert pair.stopped_at == int(offset.argmax()) + 1
    assert pair.verdict == "a"


def test_a_direction_of_holms_later_steps_may_be_ahead_of_the_interval_for_all_pairs() -> None:
    """Of three pairs at alpha = .09 Holm decides the last at .0225 a side. Bonferroni and the interval for all ask
    .015, and six wins reach 2^-6 = .0156.
    """
    last_wins = 6
    rows = [
        *pair_votes("w" * 30, "ant", "bee"),
        *pair_votes("w" * 30, "ant", "cat"),
        *pair_votes("w" * last_wins, "bee", "cat"),
    ]
    last = pair_of(anytime(study_of(rows), alpha=0.09), "bee", "cat")
    assert (last.verdict, last.stopped_at) == ("a", last_wins)
    assert last.difference.low <= 0
    bonferroni = pair_of(anytime(study_of(rows), alpha=0.09, multiplicity="bonferroni"), "bee", "cat")
    assert bonferroni.verdict == "undecided"
    first = pair_of(anytime(study_of(rows), alpha=0.09), "ant", "bee")
    assert first.difference.low >= 0  # what the interval's own threshold found, it excludes


def test_evidence_that_rules_out_every_difference_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgement, "interval", lambda *_: (0.34, 0.01))
    result = anytime(study_of(pair_votes("w" * 30)))
    (pair,) = result.results[0].pairs
    assert (pair.verdict, pair.flags, pair.difference.estimate) == ("undecided", (CONTRADICTION,), None)
    assert (pair.difference.low, pair.difference.high) == (-1.0, 1.0)
    assert [found.code for found in result.warnings].count("contradiction") == 1
    assert result.results[0].advice == ()


# ---- posterior ---------------------------------------------------------------------------------------------------

RNG_SEED = 3


@pytest.mark.parametrize(("threshold", "forced"), [(0.0, True), (5.0, False)])
def test_forced_choices_are_those_of_the_labels_and_of_the_metric(threshold: float, forced: bool) -> None:
    """Scores closer than the threshold are ties."""
    votes = pair_votes("w" * 15 + "l" * 9)
    scores = scored({"ant": [2.0, 0.0] * 20, "bee": [1.0] * 40})
    found = only_pair(
        study_of(votes, scores=scores), rule="posterior", metrics=["bleu"], metric_tie_threshold=threshold
    )
    assert found.mean_p is not None
    assert (found.mean_p[1] == 0.0) is forced


def test_a_tie_threshold_of_the_metric_makes_ties() -> None:
    rng = np.random.default_rng(RNG_SEED)
    metric = rng.normal(size=60)
    cut = np.where(np.abs(metric) <= 0.5, 0.0, np.sign(metric))
    found = [
        only_pair(
            study_of(pair_votes("wl" * 15), scores=scored({"ant": of.tolist(), "bee": [0.0] * 60})),
            rule="posterior",
            metrics=["bleu"],
            metric_tie_threshold=threshold,
        )
        for of, threshold in ((metric, 0.5), (cut, 0.0))
    ]
    assert found[0].theta == found[1].theta
    assert found[0].p_interval == found[1].p_interval


def test_judges_are_metrics_of_whole_outcomes() -> None:
    # The judge is right nine times out of ten, on 20 labelled and 40 other items.
    votes = pair_votes("w" * 15 + "l" * 5)
    right = "a" * 13 + "bb" + "bbbb" + "a" + "a" * 28 + "b" * 12
    replies = [answer(f"i{k}", "ant", "bee", outcome) for k, outcome in enumerate(right)]
    pair = only_pair(study_of(votes, judge_preferences=replies), rule="posterior", judges=["gpt"])
    assert pair.metric is not None
    assert pair.metric.confusion == ((13, 0, 1), (0, 0, 0), (2, 0, 4))
    assert pair.theta == metric_error_posterior([[13, 1], [2, 4]], [28, 12], [0, 0]).theta
    # Beside a metric that says the opposite the two cancel out, and nothing is a forced choice any more.
    against = scored({"ant": [-1.0 if reply == "a" else 1.0 for reply in right], "bee": [0.0] * 60})
    both = study_of(votes, judge_preferences=replies, scores=against)
    with_both = only_pair(both, rule="posterior", metrics=["bleu"], judges=["gpt"])
    assert with_both.metric is not None
    assert with_both.metric.confusion == ((0, 0, 0), (15, 0, 5), (0, 0, 0))
