"""`compare` with metrics and judges beside the labels, and with metrics alone."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import polars as pl
import pytest
from scipy.stats import binomtest
from tests.metric_pairs import study_with_metric
from tests.planned_evidence import scan_of
from tests.small_studies import answer, anytime_pair, only_pair, pair_votes, scored, study_of

from tiebreak.comparison.assistance import metric_assistance
from tiebreak.comparison.compare import compare
from tiebreak.data.study import StudySettings
from tiebreak.errors import InputError, UsageError
from tiebreak.evidence.automatic import RandomOrders, chosen_values, pair_automatic
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.results.records import MetricUse, PairResult

# ---- beside labels -------------------------------------------------------------------------------------------------


def with_metric(pair: PairResult) -> MetricUse:
    assert pair.metric is not None
    return pair.metric


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_compare_bets_with_the_metrics_help(target: str) -> None:
    # The same process by hand: values in the order of the evidence, the rest of the pool unlabelled.
    study = study_with_metric(4, 600, 150, 0.8, 0.25)
    evidence = study_evidence(study, (None,), EvidenceSettings(target=target))  # type: ignore[arg-type]
    (pair,) = evidence.criteria[0].pairs
    automatic = chosen_values(study, None, evidence.index, ("bleu",), ())
    values = pair_automatic(pair, evidence.index, automatic, RandomOrders(0))
    help_ = metric_assistance(pair, values)
    assert help_ is not None
    by_hand = scan_of(pair.sequence.for_a, pool=pair.sequence.pool_size, help_=help_).directions[-1]
    found = anytime_pair(study, metrics=["bleu"], target=target)
    assert found.e_a == pytest.approx(math.exp(by_hand[0]))
    assert found.e_b == pytest.approx(math.exp(by_hand[1]))
    alone = anytime_pair(study, target=target)
    assert with_metric(found).stopped_at_without == alone.stopped_at
    assert (with_metric(found).used, with_metric(found).unlabelled) == (True, 450)
    assert (found.verdict, alone.metric) == ("a", None)
    assert found.difference.low > 0


def test_only_the_labels_decide_what_a_metric_may_not_touch() -> None:
    study = study_with_metric(5, 400, 100, 0.7, 0.2)
    helped, alone = only_pair(study, metrics=["bleu"]), only_pair(study)
    assert (helped.wins, helped.ties, helped.losses) == (alone.wins, alone.ties, alone.losses)
    assert (helped.items, helped.labels, helped.units) == (alone.items, alone.labels, alone.units)
    # A metric that is there but not asked for changes nothing.
    without = study_of(study.preferences.to_dicts(), items=[{"item": f"i{k}"} for k in range(400)])  # type: ignore[union-attr]
    assert only_pair(without) == alone


def test_which_way_a_metric_is_better_only_turns_its_sign() -> None:
    study = study_with_metric(7, 400, 100, 0.7, 0.2)
    rows = study.scores.with_columns(-pl.col("value"))  # type: ignore[union-attr]
    settings = StudySettings(higher_is_better={"bleu": False})
    turned = study_of(study.preferences.to_dicts(), scores=rows, items=study.items, settings=settings)  # type: ignore[union-attr]
    for options in ({}, {"target": "items"}, {"rule": "anytime"}, {"rule": "posterior"}):
        assert only_pair(turned, metrics=["bleu"], **options) == only_pair(study, metrics=["bleu"], **options)


def test_the_order_of_the_scores_does_not_matter() -> None:
    study = study_with_metric(8, 300, 100, 0.7, 0.2)
    shuffled = study.scores.sample(fraction=1, shuffle=True, seed=1)  # type: ignore[union-attr]
    other = study_of(study.preferences.to_dicts(), scores=shuffled)  # type: ignore[union-attr]
    assert only_pair(other, metrics=["bleu"]) == only_pair(study, metrics=["bleu"])


def test_a_second_metric_that_is_not_asked_for_changes_nothing() -> None:
    study = study_with_metric(9, 300, 100, 0.7, 0.2)
    other = study.scores.with_columns(metric=pl.lit("noise"), value=pl.col("value") * 7 % 3)  # type: ignore[union-attr]
    both = study_of(study.preferences.to_dicts(), scores=pl.concat([study.scores, other]))  # type: ignore[union-attr, list-item]
    assert only_pair(both, metrics=["bleu"]) == only_pair(study, metrics=["bleu"])
    assert only_pair(both, metrics=["all"]).metric != only_pair(study, metrics=["all"]).metric


@pytest.mark.parametrize("reason", ["clusters", "all labelled", "no other scores", "few unlabelled"])
def test_where_a_metric_cannot_help_the_labels_alone_decide(reason: str) -> None:
    study = study_with_metric(10, 200, {"all labelled": 200, "few unlabelled": 120}.get(reason, 80), 0.8, 0.2)
    votes, scores = study.preferences.to_dicts(), study.scores.to_dicts()  # type: ignore[union-attr]
    items = [{"item": f"i{k}", "cluster": f"c{k // 2}" if reason == "clusters" else None} for k in range(200)]
    if reason == "no other scores":
        scores = [row for row in scores if int(row["item"][1:]) < 80]
    study = study_of(votes, scores=scores, items=items)
    helped, alone = anytime_pair(study, metrics=["bleu"]), anytime_pair(study)
    assert replace(helped, metric=None) == alone
    use = with_metric(helped)
    assert (use.used, use.saved) == (False, None)
    assert sum(map(sum, use.confusion)) == helped.items  # agreement is known all the same


def test_the_estimate_is_corrected_by_the_metric() -> None:
    study = study_with_metric(12, 2000, 100, 0.8, 0.2)
    truth = 0.2
    helped, alone = only_pair(study, metrics=["bleu"]), only_pair(study)
    assert alone.difference.estimate == pytest.approx((alone.wins - alone.losses) / 100)
    assert abs(helped.difference.estimate - alone.difference.estimate) > 1e-3
    assert helped.difference.estimate == pytest.approx(truth, abs=3 * math.sqrt(0.39 * 0.7 / 100))


def test_a_metric_alone_is_for_comparison_only() -> None:
    # 300 items on which the metric favours ant nine times out of ten, and no word from a human.
    study = study_of(pair_votes("l" * 30), scores=scored({"ant": [0.0 if k % 10 else -2.0 for k in range(300)],
                                                           "bee": [-1.0] * 300}))  # fmt: skip
    result = compare(study, rule="fixed", human=False, metrics=["bleu"])
    (pair,) = result.results[0].pairs
    assert (pair.verdict, pair.wins, pair.losses, pair.labels) == ("a", 270, 30, 0)
    assert pair.p_value == pytest.approx(float(binomtest(270, 300).pvalue))
    assert (result.results[0].annotators, result.results[0].agreement) == ((), ())
    assert str(result.terms.guarantee) == "promise nothing: nothing bounds the mistakes of metrics and judges"
    assert str(pair.difference.validity).endswith("of what metrics and judges say")
    assert only_pair(study, rule="fixed").verdict == "b"
    near = compare(study, rule="fixed", human=False, metrics=["bleu"], metric_tie_threshold=1.0)
    assert near.results[0].pairs[0].ties == 300


def test_metrics_are_chosen_per_criterion() -> None:
    votes = [*pair_votes("w" * 30, criterion="style"), *pair_votes("l" * 30, criterion="sense")]
    scores = [
        *scored({"ant": [1.0] * 60, "bee": [0.0] * 60}, "style-net", "style"),
        *scored({"ant": [1.0] * 60, "bee": [0.0] * 60}, "bleu"),
    ]
    result = compare(study_of(votes, scores=scores), metrics=["all"])
    names = {found.criterion: with_metric(found.pairs[0]).names for found in result.results}
    assert names == {"sense": ("bleu",), "style": ("bleu", "style-net")}
    with pytest.raises(UsageError, match=r"no metric 'style-net' on sense; it is known on style: ask"):
        compare(study_of(votes, scores=scores), metrics=["style-net"])
    on_style = compare(study_of(votes, scores=scores), metrics=["style-net"], criteria=["style"])
    assert on_style.results[0].pairs[0].metric is not None
    with pytest.raises(UsageError, match="no judge on sense that 'all' could mean"):
        compare(study_of(votes, scores=scores[:60]), judges=["all"])


def test_all_documents_with_metrics_are_json() -> None:
    study = study_with_metric(13, 300, 100, 0.7, 0.2)
    for options in ({}, {"target": "items"}, {"rule": "anytime"}, {"rule": "posterior"}, {"human": False}):
        document = compare(study, metrics=["bleu"], **options).to_dict()  # type: ignore[arg-type]
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        pair = document["results"][0]["pairs"][0]  # type: ignore[index]
        assert list(pair) == list(only_pair(study).to_dict())


# ---- without people ------------------------------------------------------------------------------------------------
# Studies in which nobody labelled anything: what judges and metrics alone would say, and that it promises nothing.


def test_judgements_and_scores_alone() -> None:
    judged = study_of(judge_preferences=[answer(f"q{k}", "x", "y", "b" if k % 5 else "a") for k in range(30)])
    pair = only_pair(judged, human=False, judges=("gpt",))
    assert (pair.winner, pair.wins, pair.losses, pair.labels) == ("y", 6, 24, 0)
    with pytest.raises(InputError, match="no human labels"):
        compare(judged)
    scores = scored({"x": [0.0, 1.0, 2.0] * 10, "y": [1.0, 2.0, 3.0] * 10})
    assert only_pair(study_of(scores=scores), human=False, metrics=("all",)).winner == "y"
