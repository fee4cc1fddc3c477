"""Metrics on the real studies: the paper's posterior on summaries, and a metric that is no help on translations."""

from __future__ import annotations

import io
import time
from pathlib import Path

import pytest
from scipy.stats import binomtest

from tiebreak.cli.compare import show_comparison
from tiebreak.cli.terminal import Terminal
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.results.records import CompareResult


def printed(result: CompareResult) -> str:
    stream = io.StringIO()
    show_comparison(result, Terminal(file=stream, width=120, emoji=False))
    return " ".join(stream.getvalue().split())


def test_the_posterior_of_summaries_opposes_no_clear_sign_test(real_studies: Path) -> None:
    study = read_study(real_studies / "summeval")
    options = {"criteria": ["relevance"], "annotators": ["expert_*"], "metrics": ["rougeL_max11"]}
    start = time.perf_counter()
    result = compare(study, rule="posterior", **options)  # type: ignore[arg-type]
    assert time.perf_counter() - start < 30  # about one second alone on a machine
    pairs = result.results[0].pairs
    assert len(pairs) == 120
    clear = 0
    for pair in pairs:
        assert pair.metric is not None
        assert sum(map(sum, pair.metric.confusion)) == pair.items == 100
        # Bonferroni over 240 directions of the same 100 items.
        if binomtest(pair.wins, pair.wins + pair.losses).pvalue / 2 <= 0.05 / 240:
            clear += 1
            assert pair.verdict in ("a" if pair.wins > pair.losses else "b", "undecided")
    assert clear >= 38
    assert sum(pair.winner is not None for pair in pairs) >= clear
    # Single summaries are where the metric is poor, and how poor depends on the pair.
    agreement = [pair.metric.agreement for pair in pairs if pair.metric is not None]
    assert max(share for share in agreement if share is not None) < 0.8


@pytest.mark.parametrize("target", [pytest.param(target, marks=pytest.mark.full) for target in ("inputs", "items")])
def test_a_string_metric_saves_next_to_nothing_on_translations(real_studies: Path, target: str) -> None:
    study = read_study(real_studies / "wmt21-en-de")
    result = compare(study, rule="anytime", metrics=["chrf_refA"], target=target)  # type: ignore[arg-type]
    alone = compare(study, rule="anytime", target=target)  # type: ignore[arg-type]
    uses = [pair.metric for pair in result.results[0].pairs if pair.metric is not None]
    assert len(uses) == 136
    words = printed(result)
    if target == "inputs":  # 527 items labelled, 475 not: too few to compare each labelled one with
        assert not any(use.used for use in uses)
        assert "Did not help any pair" in words
        assert [p.verdict for p in result.results[0].pairs] == [p.verdict for p in alone.results[0].pairs]
        return
    # Of 45 pairs both systems have scores on the items that nobody labelled; the others are references and the like.
    # It is used where the labels show that it predicts them.
    shares = [use.saved.share for use in uses if use.saved is not None]
    assert len(shares) == sum(use.used for use in uses) <= 45
    assert max(shares, default=0.0) < 0.05
    assert "Did not help " in words
    assert all("--metric" not in text for text in alone.results[0].advice)
