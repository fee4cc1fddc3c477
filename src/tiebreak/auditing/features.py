"""What an output looks like: how long it is and how much markdown it has. Counted, never judged."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex, name_numbers

Floats = NDArray[np.float64]

Feature = Literal["length", "lists", "headings", "bold"]

FEATURES: Final[dict[Feature, str]] = {
    "length": r"\S+",
    "lists": r"(?m)^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S",
    "headings": r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S",
    "bold": r"\*\*[^*\s](?:[^*\n]*[^*\s])?\*\*|__[^_\s](?:[^_\n]*[^_\s])?__",
}
"""What counts once for each match: words, list items, headings, bold passages."""


def features(study: Study, index: ItemIndex) -> dict[Feature, Floats]:
    """Counts (n_systems, n_items) of each feature, rows as in `index.text_row`, NaN without an output; none without
    outputs."""
    if study.outputs is None:
        return {}
    frame = study.outputs.with_columns(text=pl.col("text").fill_null(""))
    rows, items = name_numbers(frame["system"], list(index.text_row)), index.numbers(frame["item"])
    found: dict[Feature, Floats] = {}
    for name, pattern in FEATURES.items():
        counts = np.full((len(index.text_row), len(index.items)), np.nan)
        counts[rows, items] = frame["text"].str.count_matches(pattern).to_numpy()
        found[name] = counts
    return found
