"""What metrics and judges did, in words."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.data.study import Study
from tiebreak.messages.metric_use import metrics_of_criterion, metrics_of_pair, pooled_metrics
from tiebreak.report import render
from tiebreak.results.records import CompareResult, MetricUse, PairResult, Saving

USE = MetricUse(
    ("bleu",), ((2, 1, 0), (0, 1, 1), (1, 1, 3)), 0.6, 4, saved=Saving(0.2, 0.1, 0.3), stopped_at_without=50
)


def with_uses(result: CompareResult, *uses: MetricUse | None) -> tuple[PairResult, ...]:
    return tuple(replace(pair, metric=use) for pair, use in zip(result.results[0].pairs, uses, strict=False))


def test_counts_are_summed_and_agreement_is_that_of_the_sum(four: tuple[Study, CompareResult]) -> None:
    other = replace(USE, confusion=((10, 0, 0), (0, 0, 0), (0, 0, 0)), agreement=1.0, unlabelled=1)
    (pooled,) = pooled_metrics(with_uses(four[1], USE, other, None))
    assert pooled.confusion == ((12, 1, 0), (0, 1, 1), (1, 1, 3))
    assert pooled.agreement == 16 / 20
    assert pooled.unlabelled == 5
    assert pooled_metrics(with_uses(four[1], None, None)) == ()


def test_words_for_a_pair(four: tuple[Study, CompareResult]) -> None:
    used, unused, unseen = with_uses(
        four[1],
        USE,
        replace(USE, used=False, saved=None, unlabelled=0),
        replace(USE, confusion=((0, 0, 0),) * 3, agreement=None, saved=None, stopped_at_without=None),
    )
    view = metrics_of_pair(used)
    assert view is not None
    assert view.sentences == (
        "Agrees with people on 60% of 10 comparisons; 4 more comparisons judged by no person.",
        "Saves about 20% of the labels (about 95%: 10% to 30%).",
        "Human labels alone: a verdict after 50 items.",
    )
    alone = metrics_of_pair(unused)
    assert alone is not None
    nothing = metrics_of_pair(unseen)
    assert nothing is not None
    assert nothing.sentences == (
        "Unvalidated: judged no comparison with human labels; 4 more comparisons judged by no person.",
    )


def test_words_for_all_pairs(four: tuple[Study, CompareResult]) -> None:
    more = replace(USE, saved=Saving(0.4, 0.3, 0.5))
    (view,) = metrics_of_criterion(with_uses(four[1], USE, more, replace(USE, used=False, saved=None)))
    assert view.sentences[1] == (
        "Saves about 20% of the labels (about 95%: 10% to 30%), in the median pair; 40% at most."
    )
    assert view.sentences[2].startswith("Did not help 1 of 3 pairs")


def test_the_report_shows_the_confusion(four: tuple[Study, CompareResult]) -> None:
    _, result = four
    pairs = with_uses(result, *[USE] * 6)
    text = render(replace(result, results=(replace(result.results[0], pairs=pairs),)))
    assert '<td class="num agree">12</td>' in text  # 6 pairs x 2
