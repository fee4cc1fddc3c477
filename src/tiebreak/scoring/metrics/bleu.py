"""BLEU of single texts, by sacrebleu; and its mean over 2-, 3- and 4-grams (*Learning to Compare*, Zhou & Xu 2020).

"BLEU score (average of 2-, 3-, 4-grams)" has two readings: the mean of BLEU-2, BLEU-3 and BLEU-4, each the geometric
mean of the precisions up to its order; or the mean of the three precisions themselves. Both have its brevity
penalty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from tiebreak.scoring.metric import Settings
from tiebreak.scoring.metrics.sacrebleu_scores import SacrebleuMetric

_ORDERS: Final = (2, 3, 4)


@dataclass(frozen=True, kw_only=True)
class Bleu(SacrebleuMetric):
    """BLEU-4 of a text. Orders beyond its length are left out, and precisions of 0 smoothed exponentially."""

    name: str = "bleu"
    words: str = "n-grams shared with the references, up to 4 words"
    kind: str = "BLEU"
    options: tuple[tuple[str, int | bool], ...] = (("effective_order", True),)


@dataclass(frozen=True, kw_only=True)
class MeanBleu(Bleu):
    """The mean over orders 2, 3 and 4. `reading`: of what. A text of one word has none of them."""

    name: str = "bleu-234"
    words: str = "mean of BLEU-2, BLEU-3 and BLEU-4"
    reading: Literal["cumulative", "precisions"] = "cumulative"

    def settings(self) -> Settings:
        told = {"mean": "BLEU-2,3,4" if self.reading == "cumulative" else "p2,p3,p4*BP", **super().settings()}
        return told if self.reading == "cumulative" else told | {"smooth": "none"}

    def value(self, found: Any) -> float:
        if self.reading == "precisions":
            shares = [found.counts[n - 1] / found.totals[n - 1] for n in _ORDERS if found.totals[n - 1]]
            return float(100 * found.bp * np.mean(shares)) if shares else float("nan")
        return float(np.mean([_cumulative(found, n) for n in _ORDERS])) if found.totals[1] else float("nan")


def _cumulative(found: Any, order: int) -> float:
    from sacrebleu.metrics.bleu import BLEU

    of = BLEU.compute_bleu(
        found.counts[:order], found.totals[:order], found.sys_len, found.ref_len,
        smooth_method="exp", effective_order=True, max_ngram_order=order,
    )  # fmt: skip
    return float(of.score)


METRICS: Final = (
    Bleu(),
    MeanBleu(),
    MeanBleu(name="bleu-234-precisions", words="mean of the precisions of 2-, 3- and 4-grams", reading="precisions"),
)
