"""TER: edits, shifts among them, that make a text its reference, per word of the reference (Snover et al. 2006)."""

from __future__ import annotations

import math
from typing import Final

from tiebreak.scoring.metrics.sacrebleu_scores import SacrebleuMetric

METRICS: Final = (
    SacrebleuMetric(
        name="ter",
        words="edits that make it the nearest reference, per 100 words of that",
        kind="TER",
        higher_is_better=False,
        range=(0.0, math.inf),
    ),
)
