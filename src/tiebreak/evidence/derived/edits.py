"""Ratings that follow from edits: how much of an output a person left as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import polars as pl

from tiebreak.evidence.derived.distances import Floats, kept_characters, kept_words, minus_hter

_OUTPUT: Final = ("item", "system", "sample")
_OF: Final[Mapping[str, Callable[[pl.Series, pl.Series], Floats]]] = {
    "EditWords": kept_words,
    "EditCharacters": kept_characters,
    "HTER": minus_hter,
}


def edited_outputs(edits: pl.DataFrame, outputs: pl.DataFrame) -> pl.DataFrame:
    """Edits of outputs that the study has: item, system, sample, annotator, `output` and `edit`."""
    before = outputs.select(*_OUTPUT, output="text")
    after = edits.select(*_OUTPUT, "annotator", edit="text")
    return after.join(before, on=_OUTPUT, how="inner", nulls_equal=True, maintain_order="left")


def ratings_of_edits(edited: pl.DataFrame, criteria: Sequence[str]) -> list[pl.DataFrame]:
    """One rating for each of the `edited_outputs` on each of the criteria."""
    return [
        edited.select(
            *_OUTPUT,
            "annotator",
            criterion=pl.lit(name),
            value=pl.Series(_OF[name](edited["output"], edited["edit"]), dtype=pl.Float64),
        )
        for name in criteria
    ]


def without_edit(ratings: pl.DataFrame, edits: pl.DataFrame) -> tuple[int, int]:
    """Outputs that people who edited also rated: how many they left without an edit, and of how many."""
    one = ("annotator", *_OUTPUT)
    rated = ratings.join(edits, on="annotator", how="semi").select(one).unique()
    return rated.join(edits, on=one, how="anti", nulls_equal=True).height, rated.height
