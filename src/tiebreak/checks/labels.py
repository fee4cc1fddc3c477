"""The human labels behind an evidence, as the warnings look at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.records import OUTCOME_CODES, LabelRule

LabelsOf = Literal["study", "campaign", "looks", "means"]
"""Whose labels are checked: those of a study; those of a campaign that are evidence, whose others wait or came too
late; all that the looks at a watched study saw, whether they are evidence or not; or all ratings, of which means are
made whether or not they compare two outputs."""


@dataclass(frozen=True)
class Labels:
    """A study, its evidence, and the human labels on the evidence's criteria; `of`: whose they are;
    `metrics`: those that the result rests on, ("all",) being every one."""

    study: Study
    evidence: StudyEvidence
    label_rule: LabelRule
    of: LabelsOf = "study"
    metrics: tuple[str, ...] = ()

    @cached_property
    def preferences(self) -> pl.DataFrame:
        """Preferences in the order of the file, with system_a < system_b, their samples alike.

        Added: `value` 1, 0, -1 (for system_a, tied, for system_b); `side` 1 if system_a was on the left, -1 if
        system_b was, else null; `unit` the item's cluster; `pair` a number for criterion and pair.
        """
        frame = self.as_written
        if frame is None:
            columns = ("value", "side", "unit", "pair")
            texts = ("item", "system_a", "system_b", "annotator", "criterion", "sample_a", "sample_b")
            return pl.DataFrame(schema=dict.fromkeys(texts, pl.String) | dict.fromkeys(columns, pl.Int64))
        flipped = pl.col("system_a") > pl.col("system_b")
        value = pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int64)
        index = self.evidence.index
        side = pl.when(pl.col("left") == pl.col("system_a")).then(1).when(pl.col("left") == pl.col("system_b")).then(-1)
        oriented = frame.with_columns(
            value=pl.when(flipped).then(-value).otherwise(value),
            side=pl.when(flipped).then(-side).otherwise(side),
            system_a=pl.min_horizontal("system_a", "system_b"),
            system_b=pl.max_horizontal("system_a", "system_b"),
            sample_a=pl.when(flipped).then("sample_b").otherwise("sample_a"),
            sample_b=pl.when(flipped).then("sample_a").otherwise("sample_b"),
            unit=pl.Series(index.clusters[index.numbers(frame["item"])], dtype=pl.Int64),
        )
        pair = pl.struct("criterion", "system_a", "system_b").rank("dense") - 1
        return oriented.with_columns(pair=pair.cast(pl.Int64))

    @cached_property
    def as_written(self) -> pl.DataFrame | None:
        """Preferences on the evidence's criteria as the file has them, or None."""
        return self._on_criteria(self.study.preferences)

    @cached_property
    def ratings(self) -> pl.DataFrame | None:
        """Ratings on the evidence's criteria, or None."""
        return self._on_criteria(self.study.ratings)

    def column(self, name: str) -> NDArray[np.float64]:
        """A numeric column of `preferences`, NaN where it is null."""
        return self.preferences[name].cast(pl.Float64).to_numpy()

    def codes(self, name: str) -> NDArray[np.intp]:
        """A column of `preferences` that numbers something."""
        return self.preferences[name].to_numpy().astype(np.intp)

    def _on_criteria(self, frame: pl.DataFrame | None) -> pl.DataFrame | None:
        if frame is None:
            return None
        criteria = [found.criterion for found in self.evidence.criteria]
        named = [name for name in criteria if name is not None]
        wanted = pl.col("criterion").is_in(named).fill_null(None in criteria)
        kept = frame.filter(wanted)
        return kept if kept.height else None


def on_criterion(criterion: str | None) -> str:
    """`" (fluency)"`, or nothing for preferences without a criterion."""
    return "" if criterion is None else f" ({criterion})"
