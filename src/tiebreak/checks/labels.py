"""The human labels behind an evidence, as the checks of the data look at them, and what such a check is.

Also a test of whether one thing goes with another within pairs, which survives dependence between the rows of an item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr

from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.messages.notices import NoticeKind
from tiebreak.records import OUTCOME_CODES, LabelRule, Notice


@dataclass(frozen=True)
class Check:
    """`find` raises notices of one `kind`. `skipped`: labels that it does not look at, because a campaign sees to that
    itself, or because it is about comparisons and not about means.
    """

    kind: NoticeKind
    find: Callable[[Labels], Iterable[Notice]]
    skipped: tuple[LabelsOf, ...] = ()


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
        """Preferences in the order of the file, with system_a < system_b, their samples and outcomes alike.

        Added: `value` 1, 0, -1 (for system_a, tied, for system_b); `side` 1 if system_a was on the left, -1 if
        system_b was, else null; `unit` the item's cluster; `pair` a number for criterion and pair.
        """
        frame = self.as_written
        if frame is None:
            columns = ("value", "side", "unit", "pair")
            texts = ("item", "system_a", "system_b", "annotator", "criterion", "sample_a", "sample_b")
            return pl.DataFrame(schema=dict.fromkeys(texts, pl.String) | dict.fromkeys(columns, pl.Int64))
        index = self.evidence.index
        side = pl.when(pl.col("left") == pl.col("system_a")).then(1).when(pl.col("left") == pl.col("system_b")).then(-1)
        pair = pl.struct("criterion", "system_a", "system_b").rank("dense") - 1
        return one_way_round(frame).with_columns(
            value=pl.col("outcome").replace_strict(OUTCOME_CODES, return_dtype=pl.Int64),
            side=side,
            unit=pl.Series(index.clusters[index.numbers(frame["item"])], dtype=pl.Int64),
            pair=pair.cast(pl.Int64),
        )

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


Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

P_VALUE: Final = 1e-4
"""Two-sided significance of each test; divided by the number of pairs where every pair is tested."""
FEWEST_ITEMS: Final = 30
"""Independent items (clusters) that a test needs: below, its normal approximation does not hold."""
TEST: Final = {"p_value": P_VALUE, "items": FEWEST_ITEMS}
"""Thresholds that all such tests share."""

SMALLEST_GROUP: Final = 10
"""Rows a group needs: centring makes the rows of small groups dependent, which would inflate the test."""


@dataclass(frozen=True, slots=True)
class Association:
    """`slope` of y on x and their `correlation` within groups; `p_value` two-sided; `clusters`: independent units."""

    slope: float
    correlation: float
    p_value: float
    clusters: int


def within_groups(x: Floats, y: Floats, groups: Integers, clusters: Integers) -> Association | None:
    """Pooled association of x and y (n,) within groups (pairs of systems), rows of one cluster (item) dependent.

    Both are centred within their group. The statistic is the sum over clusters of the products of x and y, divided
    by the root of the sum of its squares: about standard normal where the clusters are independent and nothing
    goes with anything, whatever happens within a cluster. Groups of fewer than 10 rows are left out. None if no row
    is left or x or y does not vary within groups.
    """
    together = WithinGroups(int(clusters.max(initial=-1)) + 1)
    together.add(x, y, groups, clusters)
    return together.association()


class WithinGroups:
    """`within_groups` of more rows than are held at once: they come a few whole groups at a time.

    `clusters`: how many there are, numbered from 0.
    """

    def __init__(self, clusters: int) -> None:
        self._sums: Floats = np.zeros(clusters)
        self._present = np.zeros(clusters, dtype=np.bool_)
        self._spread_x = self._spread_y = self._total = 0.0

    def add(self, x: Floats, y: Floats, groups: Integers, clusters: Integers) -> None:
        """All rows (n,) of these groups; a number of a group may come again for another one."""
        large = np.bincount(groups)[groups] >= SMALLEST_GROUP if groups.size else np.zeros(0, dtype=np.bool_)
        x, y = centred(x[large], groups[large]), centred(y[large], groups[large])
        products = x * y
        self._spread_x += float((x * x).sum())  # x @ x of long rows starts threads, which cost far more
        self._spread_y += float((y * y).sum())
        self._total += float(products.sum())
        np.add.at(self._sums, clusters[large], products)
        self._present[clusters[large]] = True  # few of all items, where the rows are those of one pair

    def association(self) -> Association | None:
        """Over all groups so far."""
        if self._spread_x <= 0 or self._spread_y <= 0:
            return None
        return Association(
            slope=self._total / self._spread_x,
            correlation=self._total / float(np.sqrt(self._spread_x * self._spread_y)),
            p_value=two_sided(self._sums[self._present]),
            clusters=int(self._present.sum()),
        )


def centred(values: Floats, groups: Integers) -> Floats:
    """Values (n,) minus the mean of their group; rounding errors of constant groups are cut to 0."""
    if values.size == 0:
        return values
    counts = np.maximum(np.bincount(groups), 1)
    rest = values - (np.bincount(groups, weights=values) / counts)[groups]
    return np.where(np.abs(rest) < 1e-12, 0.0, rest)


def two_sided(sums: Floats) -> float:
    """p-value of "independent terms with mean 0 add up to this", by their self-normalised sum; 1 for no variation."""
    scale = float(np.sqrt(sums @ sums))
    return float(2 * ndtr(-abs(float(sums.sum())) / scale)) if scale > 0 else 1.0
