"""chrF and chrF++: the F-score of character n-grams (Popović 2015, 2017), by sacrebleu."""

from __future__ import annotations

from typing import Final

from tiebreak.scoring.metrics.sacrebleu_scores import SacrebleuMetric

METRICS: Final = (
    SacrebleuMetric(name="chrf", words="characters shared with the reference, up to 6 in a row", kind="CHRF"),
    SacrebleuMetric(
        name="chrf++",
        words="characters, words and pairs of words shared with the reference",
        kind="CHRF",
        options=(("word_order", 2),),
    ),
)
