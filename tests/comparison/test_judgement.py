"""From evidence to results: what each figure of a pair means; counts into the metric-error posterior."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import beta, binomtest, norm
from tests.planned_evidence import first_decision, scan_of
from tests.small_studies import (
    Row,
    answer,
    anytime,
    anytime_pair,
    only_pair,
    pair_of,
    pair_votes,
    rating,
    scored,
    simulated_votes,
    study_of,
    texts,
    vote,
)

import tiebreak
from tiebreak.comparison import judgement
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
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
    assert pair.labels_at_stop == int(evidence.labels[: pair.stopped_at].sum())
    assert pair.labels == len(rows)


def test_the_stop_of_clusters_is_told_in_items() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 3}"} for k in range(120)]
    pair = anytime_pair(study_of(pair_votes("w" * 120), items=items))
    assert (pair.units, pair.items) == (40, 120)
    assert pair.stopped_at % 3 == 0
    assert 3 * 6 <= pair.stopped_at < 120
    assert pair.labels_at_stop == pair.stopped_at


def test_an_undecided_pair_needs_at_least_one_more_item() -> None:
    pair = anytime_pair(study_of(pair_votes("t" * 10 + "w" * 5)))  # one win short of a verdict
    assert pair.verdict == "undecided"
    assert (pair.items_to_decision or 0) >= 1
    even = anytime_pair(study_of(pair_votes("wl" * 10)))
    assert (even.items_to_decision, even.labels_to_decision, even.cost_to_decision) == (None, None, None)


def test_labels_to_decision_follow_from_labels_per_item() -> None:
    one = anytime_pair(study_of(simulated_votes({"ant": 0.2, "bee": 0.0}, 20, annotators=1, seed=8)))
    assert one.labels_to_decision == one.items_to_decision
    rows = simulated_votes({"ant": 0.15, "bee": 0.0}, 15, annotators=4, seed=6)
    four = anytime_pair(study_of(rows))
    assert four.verdict == "undecided"
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
    rows = pair_votes("w" * 30, "ant", "bee") + pair_votes("w" * 30, "ant", "cat")
    rows += pair_votes("w" * last_wins, "bee", "cat")
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
    study = study_of(votes, scores=scores)
    found = only_pair(study, rule="posterior", metrics=["bleu"], metric_tie_threshold=threshold)
    assert (found.mean_p[1] == 0.0) is forced


def test_a_tie_threshold_of_the_metric_makes_ties() -> None:
    rng = np.random.default_rng(RNG_SEED)
    metric = rng.normal(size=60)
    cut = np.where(np.abs(metric) <= 0.5, 0.0, np.sign(metric))
    found = []
    for of, threshold in ((metric, 0.5), (cut, 0.0)):
        study = study_of(pair_votes("wl" * 15), scores=scored({"ant": of.tolist(), "bee": [0.0] * 60}))
        found.append(only_pair(study, rule="posterior", metrics=["bleu"], metric_tie_threshold=threshold))
    assert found[0].theta == found[1].theta
    assert found[0].p_interval == found[1].p_interval


def test_judges_are_metrics_of_whole_outcomes() -> None:
    # The judge is right nine times out of ten, on 20 labelled and 40 other items.
    votes = pair_votes("w" * 15 + "l" * 5)
    right = "a" * 13 + "bb" + "bbbb" + "a" + "a" * 28 + "b" * 12
    replies = [answer(f"i{k}", "ant", "bee", outcome) for k, outcome in enumerate(right)]
    pair = only_pair(study_of(votes, judge_preferences=replies), rule="posterior", judges=["gpt"])
    assert pair.metric.confusion == ((13, 0, 1), (0, 0, 0), (2, 0, 4))
    assert pair.theta == metric_error_posterior([[13, 1], [2, 4]], [28, 12], [0, 0]).theta
    # Beside a metric that says the opposite the two cancel out, and nothing is a forced choice any more.
    against = scored({"ant": [-1.0 if reply == "a" else 1.0 for reply in right], "bee": [0.0] * 60})
    both = study_of(votes, judge_preferences=replies, scores=against)
    with_both = only_pair(both, rule="posterior", metrics=["bleu"], judges=["gpt"])
    assert with_both.metric.confusion == ((0, 0, 0), (15, 0, 5), (0, 0, 0))


# ---- all pairs together --------------------------------------------------------------------------------------------
# All pairs of a study in one metric-error model: how labels, strata, ties and names get there.

SYSTEMS = ("ant", "bee", "cat")
PAIRS = (("ant", "bee"), ("ant", "cat"), ("bee", "cat"))
SURE = {"draws": 6_000, "pooled": False}


def voted(items: int = 60, labelled: int = 30, people: int = 1) -> Study:
    """The better of ant, bee and cat wins mostly; the metric says so, too, and of all items."""
    rng = np.random.default_rng(1)
    votes: list[Row] = []
    scores: list[Row] = []
    for item in range(items):
        quality = dict(zip(SYSTEMS, np.array([0.8, 0.0, 0.0]) + rng.standard_normal(3), strict=True))
        scores += [{"item": f"i{item:02}", "system": s, "metric": "m", "value": q} for s, q in quality.items()]
        for a, b in PAIRS if item < labelled else ():
            for person in range(people):
                gap = quality[a] - quality[b] + rng.standard_normal() * (0.3 + person)
                outcome = "a" if gap > 0.3 else "b" if gap < -0.3 else "tie"
                votes.append(vote(f"i{item:02}", a, b, f"p{person}", outcome))
    domains = [{"item": f"i{k:02}", "domain": "xy"[k % 2]} for k in range(items)]
    return study_of(votes, scores=scores, items=domains)


def test_a_pair_alone_has_the_posterior_of_the_paper() -> None:
    """Counted here by hand, from the tables."""
    study = voted()
    found = tiebreak.posterior_together(study, metrics=["m"], metric_tie_threshold=0.2, margin=0.1, **SURE)  # type: ignore[arg-type]
    scores = study.scores
    by_item = scores.pivot("system", index="item", values="value")
    for pair in found.pairs.iter_rows(named=True):
        a, b = pair["system_a"], pair["system_b"]
        gap = (by_item[a] - by_item[b]).to_numpy()
        metric = np.where(np.abs(gap) <= 0.2, 1, np.where(gap > 0, 0, 2))
        votes = study.preferences
        labels = votes.filter(system_a=a, system_b=b).sort("item")
        human = labels["outcome"].replace_strict({"a": 0, "tie": 1, "b": 2}).to_numpy()
        paired = np.zeros((3, 3), dtype=int)
        np.add.at(paired, (metric[: human.size], human), 1)
        alone = np.bincount(metric[human.size :], minlength=3)
        known = metric_error_posterior(paired, alone, [0, 0, 0])
        assert pair["labels"] == 30
        assert pair["theta"] == pytest.approx(known.theta, abs=0.03)
        assert pair["difference"] == pytest.approx(known.difference_mean, abs=0.02)
        assert pair["low"] < pair["difference"] < pair["high"]
        spread = (known.difference_high - known.difference_low) / 3.92
        normal = norm(known.difference_mean, spread)
        assert pair["equivalent"] == pytest.approx(normal.cdf(0.1) - normal.cdf(-0.1), abs=0.05)
    assert found.annotators.is_empty()
    assert np.isnan(found.strength)


def test_annotators_are_listed_with_how_often_they_are_right_the_worst_first() -> None:
    found = tiebreak.posterior_together(voted(people=3), metrics=["m"], annotators_err=True, draws=1_000)
    assert found.annotators["annotator"].to_list() == ["p2", "p1", "p0"]
    assert found.pairs["equivalent"].null_count() == 3
    assert found.strength > 0


def test_strata_that_are_alike_change_little() -> None:
    both = [tiebreak.posterior_together(voted(), metrics=["m"], strata=of, **SURE) for of in (None, "domain")]
    whole, parts = (found.pairs for found in both)
    np.testing.assert_allclose(whole["difference"], parts["difference"], atol=0.1)


def test_identical_outputs_are_ties() -> None:
    """Half of the items have identical outputs: the difference is half of that on the others."""
    votes, scores = pair_votes("w" * 40), scored({"ant": [1.0] * 80, "bee": [1.0] * 80}, "m")
    outputs = texts({"ant": ["one"] * 40 + ["same"] * 40, "bee": ["other"] * 40 + ["same"] * 40})
    whole = tiebreak.posterior_together(study_of(votes, scores=scores), metrics=["m"], **SURE).pairs  # type: ignore[arg-type]
    found = tiebreak.posterior_together(study_of(votes, scores=scores, outputs=outputs), metrics=["m"], **SURE).pairs  # type: ignore[arg-type]
    # Of the 40 that differ all are labelled: p_a ~ Beta(41, 2), p_b ~ Beta(1, 42).
    assert found["difference"][0] == pytest.approx((41 / 43 - 1 / 43) / 2, abs=0.01)
    assert found["high"][0] < 0.5 < whole["high"][0]


def test_ratings_of_one_person_are_compared() -> None:
    rows = [rating(f"i{k}", system, "p", value) for k in range(20) for system, value in (("ant", 5), ("bee", 3))]
    scores = scored({"ant": [2.0] * 20, "bee": [1.0] * 20}, "m")
    found = tiebreak.posterior_together(study_of(ratings=rows, scores=scores), metrics=["m"], draws=500).pairs
    assert found["theta"][0] > 0.99


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metrics": ["bleu"]}, "no metric"),
        ({"metrics": []}, "a metric or judge"),
        ({"metrics": ["m"], "margin": 2.0}, "margin is 2"),
        ({"metrics": ["m"], "criterion": "style"}, "criterion"),
        ({"metrics": ["m"], "strata": "genre"}, "column of items 'genre'"),
        ({"metrics": ["m"], "draws": 0}, "draws must be 1"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        tiebreak.posterior_together(voted(), **options)  # type: ignore[arg-type]


def test_a_study_without_pairs_is_refused() -> None:
    scores = pl.DataFrame({"item": ["i"], "system": ["ant"], "metric": ["m"], "value": [1.0]})
    with pytest.raises(UsageError, match="no labels of two systems"):
        tiebreak.posterior_together(study_of(ratings=[rating("i", "ant", "p", 1)], scores=scores), metrics=["m"])
