"""What sacrebleu does, with its own signatures: BLEU of single texts, chrF, chrF++ and TER.

chrF is the F-score of character n-grams (Popović 2015, 2017); TER the edits, shifts among them, that make a text its
reference, per word of the reference (Snover et al. 2006).

"BLEU score (average of 2-, 3-, 4-grams)" in *Learning to Compare* (Zhou & Xu 2020) has two readings: the mean of
BLEU-2, BLEU-3 and BLEU-4, each the geometric mean of the precisions up to its order; or the mean of the three
precisions themselves. Both have its brevity penalty.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from tiebreak.scoring.metric import REFERENCES, Batch, Floats, Metric, Need, Settings

_ORDERS: Final = (2, 3, 4)


@dataclass(frozen=True, kw_only=True)
class SacrebleuMetric(Metric):
    """A metric of sacrebleu; `kind`: its class there, `options`: other than the defaults."""

    kind: str
    options: tuple[tuple[str, int | bool], ...] = ()
    range: tuple[float, float] = (0.0, 100.0)
    needs: frozenset[Need] = REFERENCES
    packages: tuple[str, ...] = ("sacrebleu",)
    extra: str = "metrics"

    def settings(self) -> Settings:
        """Those of sacrebleu's signature, but for the number of references, which differs between items."""
        parts = (part.split(":", 1) for part in str(self._scorer(["text"]).get_signature()).split("|"))
        return {key: value for key, value in parts if key != "nrefs"}

    def score(self, batch: Batch) -> Floats:
        """One score for each output; references that several outputs share are prepared once."""
        scores = np.full(len(batch.outputs), np.nan)
        sharing: dict[tuple[str, ...], list[int]] = {}
        for row, references in enumerate(batch.references):
            sharing.setdefault(tuple(references), []).append(row)
        for references, rows in sharing.items():
            scorer = self._scorer(references)
            for row in rows:
                scores[row] = self.value(scorer.corpus_score([batch.outputs[row]], None))
        return scores

    def value(self, result: Any) -> float:
        """The score in what sacrebleu found of one text."""
        return float(result.score)

    def _scorer(self, references: Sequence[str]) -> Any:
        """Sacrebleu's metric, which holds what it makes of the references of an item for all its outputs."""
        import sacrebleu.metrics

        held = [[one] for one in references]
        return getattr(sacrebleu.metrics, self.kind)(references=held, **dict(self.options))


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

    def value(self, result: Any) -> float:
        if self.reading == "precisions":
            shares = [result.counts[n - 1] / result.totals[n - 1] for n in _ORDERS if result.totals[n - 1]]
            return float(100 * result.bp * np.mean(shares)) if shares else float("nan")
        return float(np.mean([_cumulative(result, n) for n in _ORDERS])) if result.totals[1] else float("nan")


def _cumulative(result: Any, order: int) -> float:
    from sacrebleu.metrics.bleu import BLEU

    cumulative = BLEU.compute_bleu(
        result.counts[:order], result.totals[:order], result.sys_len, result.ref_len,
        smooth_method="exp", effective_order=True, max_ngram_order=order,
    )  # fmt: skip
    return float(cumulative.score)


METRICS: Final = (
    Bleu(),
    MeanBleu(),
    MeanBleu(name="bleu-234-precisions", words="mean of the precisions of 2-, 3- and 4-grams", reading="precisions"),
    SacrebleuMetric(name="chrf", words="characters shared with the reference, up to 6 in a row", kind="CHRF"),
    SacrebleuMetric(
        name="chrf++",
        words="characters, words and pairs of words shared with the reference",
        kind="CHRF",
        options=(("word_order", 2),),
    ),
    SacrebleuMetric(
        name="ter",
        words="edits that make it the nearest reference, per 100 words of that",
        kind="TER",
        higher_is_better=False,
        range=(0.0, math.inf),
    ),
)
