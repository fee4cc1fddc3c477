"""Ratings that follow from spans: whether passages support an answer.

As in *The price of debiasing automatic metrics*, an answer to a question that makes no sense, and one that is not
plausible, is not correct: nobody is asked about the passages then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.data.schema import YES_OR_NO

_JUDGED: Final = ("item", "system", "sample", "annotator")
_OF: Final = {"AnyCorrect": pl.col("supports").any(), "AvgCorrect": pl.col("supports").mean()}


@dataclass(frozen=True, slots=True)
class JudgedAnswers:
    """`answers`: one row for each answer and person, with AnyCorrect and AvgCorrect and the number of `passages` that
    it was judged by. `refused`: how many of them count as 0 because the person said 0 on `sensible` or `plausible`;
    `unclear`: which of these criteria have other ratings than 0 and 1, and are left alone.
    """

    answers: pl.DataFrame
    refused: int
    unclear: tuple[str, ...]

    @classmethod
    def of(cls, spans: pl.DataFrame, ratings: pl.DataFrame | None) -> JudgedAnswers:
        """From spans, and what their annotators said of question and answer in their ratings."""
        rows = spans.with_columns(supports=pl.col("support") == "supports")
        found = rows.group_by(_JUDGED, maintain_order=True).agg(
            *(of.cast(pl.Float64).alias(name) for name, of in _OF.items()), passages=pl.len()
        )
        if ratings is None:
            return cls(found, 0, ())
        unclear = tuple(name for name in YES_OR_NO if not _is_yes_or_no(ratings, name))
        said = ratings.filter(pl.col("criterion").is_in([name for name in YES_OR_NO if name not in unclear]))
        refused = said.filter(pl.col("value") == 0).select(_JUDGED).unique(maintain_order=True)
        refused = refused.join(spans, on="annotator", how="semi", maintain_order="left")
        zeros = refused.with_columns(pl.lit(0.0).alias(name) for name in _OF).with_columns(passages=None)
        others = found.join(refused, on=_JUDGED, how="anti", nulls_equal=True, maintain_order="left")
        return cls(pl.concat([others, zeros], how="diagonal_relaxed"), refused.height, unclear)

    def ratings(self, criteria: Sequence[str]) -> list[pl.DataFrame]:
        """One rating for each answer and person on each of the criteria."""
        return [self.answers.select(*_JUDGED, criterion=pl.lit(name), value=name) for name in criteria]

    def partly_judged(self, passages: pl.DataFrame) -> int:
        """Answers that a person judged by fewer passages than their item has."""
        listed = passages.group_by("item").len("listed")
        judged = self.answers.join(listed, on="item", how="inner")
        return judged.filter(pl.col("passages") < pl.col("listed")).height


def _is_yes_or_no(ratings: pl.DataFrame, criterion: str) -> bool:
    return ratings.filter(pl.col("criterion") == criterion)["value"].is_in([0.0, 1.0]).all()
