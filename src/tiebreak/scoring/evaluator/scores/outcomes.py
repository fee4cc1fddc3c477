"""Outcomes of comparisons of outputs by an evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from tiebreak.scoring.evaluator.models.lost import Lost
from tiebreak.scoring.evaluator.scores.samples import Sample
from tiebreak.scoring.evaluator.training.calibration import answers
from tiebreak.scoring.evaluator.training.kept import Evaluator
from tiebreak.scoring.evaluator.training.measured import AT_ONCE

Places = NDArray[np.intp]

_PAIRS_AT_ONCE: Final = 4096

Report = Callable[[int], None]
"""Pairs that were read since the last call."""


class Outcomes:
    """What one evaluator says of pairs of `samples`, by their numbers: 1, 0 or -1 for the first.

    Each has its own context: outputs for different inputs are compared as answers to their own. (The form `cross`,
    which reads one context with both texts, reads such a pair once in either context.) A pair is read once, and equal
    texts for equal contexts are a tie without being read. `lost`: what is not read of the texts.
    """

    def __init__(
        self, evaluator: Evaluator, samples: Sequence[Sample], contexts: Mapping[str, str], report: Report
    ) -> None:
        numbers: dict[tuple[str, str], int] = {}
        about = [contexts.get(one.item, "") for one in samples]
        self._text = np.array(
            [
                numbers.setdefault((context, one.text), len(numbers))
                for context, one in zip(about, samples, strict=True)
            ],
            dtype=np.intp,
        )
        places = {context: number for number, context in enumerate(dict.fromkeys(about))}
        context = np.array([places[context] for context, _ in numbers], dtype=np.intp)
        texts = [text for _, text in numbers]
        tokens = evaluator.read(texts, list(places))
        self.lost = Lost.of(evaluator.model.always_read(tokens), texts, list(places), tokens)
        self._probabilities = evaluator.model.comparing(tokens, context, AT_ONCE)
        self._bound = float(evaluator.about["tie_bound"])
        self._known: dict[int, int] = {}
        self._report = report

    def __call__(self, first: Places, second: Places) -> NDArray[np.int8]:
        """Outcomes (n,) of pairs (n,)."""
        a, b = self._text[first], self._text[second]
        code, place = np.unique(np.minimum(a, b) * self._text.size + np.maximum(a, b), return_inverse=True)
        low, high = np.divmod(code, self._text.size)
        fresh = np.array([pair not in self._known for pair in code.tolist()], dtype=bool) & (low != high)
        self._read(code[fresh], low[fresh], high[fresh])
        found = np.array([self._known.get(pair, 0) for pair in code.tolist()], dtype=np.int8)[place]
        return np.where(a <= b, found, -found)

    def _read(self, code: Places, low: Places, high: Places) -> None:
        for start in range(0, code.size, _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            with torch.inference_mode():
                said = answers(self._probabilities(low[part], high[part]), self._bound)
            self._known.update(zip(code[part].tolist(), said.tolist(), strict=True))
            self._report(said.size)
