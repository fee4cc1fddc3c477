"""Our BLEU, chrF and ROUGE-L are the scores that came with two real studies."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import tiebreak
from tiebreak.data.readers import read_study

OUTPUTS = 80


@pytest.mark.parametrize(
    ("study", "metric", "theirs", "reference", "rounding"),
    [
        ("summeval", "bleu", "bleu_11refs", None, 5e-5),
        ("summeval", "chrf", "chrf_11refs", None, 5e-5),
        ("summeval", "rougeL", "rougeL_max11", None, 5e-7),
        ("summeval", "length", "words", None, 0),
        ("wmt21-en-de", "bleu", "bleu_refA", "A", 5e-4),
        ("wmt21-en-de", "chrf", "chrf_refC", "C", 5e-4),
    ],
)
def test_scores_are_those_of_the_data(
    real_studies: Path, study: str, metric: str, theirs: str, reference: str | None, rounding: float
) -> None:
    read = read_study(real_studies / study)
    assert read.items is not None
    assert read.outputs is not None
    assert read.scores is not None
    items = read.items
    if reference is not None:
        items = items.with_columns(references=pl.col("references").struct.field(reference))
    outputs = read.outputs.gather_every(max(read.outputs.height // OUTPUTS, 1))
    bare = replace(read, items=items, outputs=outputs, scores=None, ratings=None, judge_preferences=None)
    found = tiebreak.score(bare, [metric], workers=1).scores
    known = read.scores.filter(pl.col("metric") == theirs).select("item", "system", theirs="value")
    both = found.join(known, on=["item", "system"])
    assert both.height >= 0.8 * OUTPUTS  # references that are systems, too, came without scores
    assert float((both["value"] - both["theirs"]).abs().max()) <= rounding * 1.01  # type: ignore[arg-type]
