"""From evidence to results: what each figure of a pair means, on studies small enough to count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from tests.small_studies import anytime, anytime_pair, only_pair, pair_of, pair_votes, simulated_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.kernels import bet_mixture
from tiebreak.kernels.paired_outcomes import paired_outcomes
from tiebreak.results.records import CONTRADICTION
from tiebreak.results.words import message_of, verdict_words
from tiebreak.rules.anytime import AnytimeProcess

STRENGTHS = {"ant": 0.3, "bee": 0.1, "cat": -0.2}


def evidence_of(study: Study, **settings: object) -> tuple[PairEvidence, ...]:
    return study_evidence(study, study.criteria, EvidenceSettings(**settings)).criteria[0].pairs  # type: ignore[arg-type]


def test_e_values_are_running_maxima_over_the_fixed_order() -> None:
    study = study_of(simulated_votes({"ant": 0.2, "bee": 0.0}, 80))
    (evidence,) = evidence_of(study)
    prior = bet_mixture.default_prior()
    for_a, for_b = (bet_mixture.log_e_path(side * evidence.values, prior) for side in (1, -1))
    pair = anytime_pair(study)
    assert pair.e_a == pytest.approx(math.exp(for_a.max()))
    assert pair.e_b == pytest.approx(math.exp(for_b.max()))
    reached = for_a >= math.log(40)
    assert pair.stopped_at == (int(reached.argmax()) + 1 if reached.any() else None)


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
    pair = anytime_pair(study_of(pair_votes("w" * 9)))  # one win short of a verdict
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


def test_the_nearest_verdict_is_projected() -> None:
    # Almost only ties: equivalence within .15 (at every look: .3) is near, a direction far away.
    study = study_of(pair_votes("t" * 24 + "wwl"))
    for rule, margin in (("fixed", 0.15), ("anytime", 0.3)):
        without, with_margin = only_pair(study, rule=rule), only_pair(study, rule=rule, margin=margin)
        assert (without.verdict, with_margin.verdict) == ("undecided", "undecided")
        assert with_margin.items_to_decision is not None
        assert without.items_to_decision is None or without.items_to_decision > with_margin.items_to_decision


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
        assert pair.difference.estimate == pytest.approx((pair.wins - pair.losses) / 50)


def test_the_hoeffding_rule_uses_the_fixed_order() -> None:
    study = study_of(simulated_votes({"ant": 0.4, "bee": -0.2}, 60))
    (evidence,) = evidence_of(study)
    n = np.arange(1, 61)
    offset = np.abs((np.cumsum(evidence.values) / n + 1) / 2 - 0.5) > np.sqrt(-math.log(0.05) / (2 * n))
    pair = only_pair(study, rule="hoeffding")
    assert pair.stopped_at == int(offset.argmax()) + 1
    assert pair.verdict == "a"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rule": "anytime"}, "95%, for all 3 pairs at once, on inputs like these"),
        ({"rule": "anytime", "multiplicity": "none"}, "95%, for this pair, on inputs like these"),
        (
            {"rule": "anytime", "target": "items", "alpha": 0.001},
            "99.9%, for all 3 pairs at once, on these items",
        ),
        ({}, "about 98.3% for one look, for each pair by itself, on inputs like these"),
        (
            {"rule": "fixed", "multiplicity": "bonferroni"},
            "about 95% for one look, for all 3 pairs at once, on inputs like these",
        ),
        (
            {"rule": "fixed", "multiplicity": "none"},
            "about 95% for one look, for each pair by itself, on inputs like these",
        ),
        ({"rule": "hoeffding"}, "90% for one look at this number of items, for this pair"),
        ({"rule": "dirichlet"}, "95% posterior probability under a uniform prior, for this pair"),
    ],
)
def test_intervals_say_when_they_hold(options: dict[str, object], words: str) -> None:
    result = compare(study_of(simulated_votes(STRENGTHS, 20)), **options)  # type: ignore[arg-type]
    assert {pair.difference.validity for pair in result.results[0].pairs} == {words}


def test_a_direction_of_holms_later_steps_may_be_ahead_of_the_interval_for_all_pairs() -> None:
    # alpha = .06: 6/alpha = 100 for the simultaneous interval; Holm decides the last of three pairs at 4/alpha = 66.7.
    # Eleven wins give E = 70.3.
    rows = [
        *pair_votes("w" * 30, "ant", "bee"),
        *pair_votes("w" * 30, "ant", "cat"),
        *pair_votes("w" * 11, "bee", "cat"),
    ]
    last = pair_of(anytime(study_of(rows), alpha=0.06), "bee", "cat")
    assert (last.verdict, last.stopped_at) == ("a", 11)
    assert last.e_a == pytest.approx(70.3, abs=0.05)
    assert -0.1 < last.difference.low < 0
    bonferroni = pair_of(anytime(study_of(rows), alpha=0.06, multiplicity="bonferroni"), "bee", "cat")
    assert bonferroni.verdict == "undecided"
    assert bonferroni.difference.low == last.difference.low
    first = pair_of(anytime(study_of(rows), alpha=0.06), "ant", "bee")
    assert first.difference.low >= 0  # what the interval's own threshold found, it excludes


def test_evidence_that_rules_out_every_difference_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnytimeProcess, "interval", lambda *_: (0.34, 0.01))
    result = anytime(study_of(pair_votes("w" * 30)))
    (pair,) = result.results[0].pairs
    assert (pair.verdict, pair.flags, pair.difference.estimate) == ("undecided", (CONTRADICTION,), None)
    assert (pair.difference.low, pair.difference.high) == (-1.0, 1.0)
    assert "no sentence for a paper" in result.results[0].sentence
    (notice,) = [found for found in result.warnings if found.code == "contradiction"]
    assert notice.text.startswith("The evidence on ant and bee contradicts itself")
    assert verdict_words(pair, None) == "undecided: the evidence contradicts itself"
    assert "a pool (--target items) that is not the one" in notice.text
    message = message_of(result.results[0], result.terms, "$")
    assert message.headline == "ant or bee: no result, as the evidence contradicts itself"
    assert message.next_step.startswith("Stop labelling, and find out what is wrong: the evidence on ant and bee")
    assert result.results[0].advice == ()
