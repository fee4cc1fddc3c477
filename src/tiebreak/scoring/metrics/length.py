"""How long a text is: neither more nor less is better, but people and judges may lean to one side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from tiebreak.scoring.metric import Batch, Floats, Metric, Settings


@dataclass(frozen=True, kw_only=True)
class Length(Metric):
    """Units between blanks, or characters (Unicode code points), those at the ends left out."""

    unit: Literal["words", "characters"]
    higher_is_better: bool | None = None
    range: tuple[float, float] = (0.0, math.inf)

    def settings(self) -> Settings:
        return {"unit": self.unit, "v": 1}

    def score(self, batch: Batch) -> Floats:
        if self.unit == "words":
            return np.array([len(text.split()) for text in batch.outputs], dtype=np.float64)
        return np.array([len(text.strip()) for text in batch.outputs], dtype=np.float64)


METRICS: Final = (
    Length(name="length", words="number of words", unit="words"),
    Length(name="length-characters", words="number of characters", unit="characters"),
)
