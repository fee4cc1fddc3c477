"""Views of the human labels that analyses ask for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.data.times import decision_times
from tiebreak.errors import UsageError, did_you_mean

__all__ = ["RatingMatrix", "decision_times", "rating_matrix"]


class RatingMatrix(NamedTuple):
    """Ratings of one criterion. `mean` float64 (n_items, n_systems), NaN where nobody rated the output; `count` int32
    of the same shape: annotators of the output.
    """

    items: list[str]
    systems: list[str]
    mean: NDArray[np.float64]
    count: NDArray[np.int32]  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


def rating_matrix(study: Study, criterion: str) -> RatingMatrix:
    """The mean over annotators of each output's ratings on a criterion; items and systems that have one, sorted.

    Comparing two columns gives preferences; differences up to a tie threshold are the caller's to judge. Raises
    UsageError if the study has no ratings on the criterion.
    """
    if study.ratings is None:
        raise UsageError("the study has no ratings")
    ratings = study.ratings.filter(pl.col("criterion") == criterion)
    if ratings.height == 0:
        known = sorted(study.ratings["criterion"].unique().to_list())
        hint = did_you_mean(criterion, known) or f"; ratings have {', '.join(known)}"
        raise UsageError(f"no ratings on the criterion {criterion!r}{hint}")
    cells = ratings.group_by("item", "system").agg(
        # Sorted before it is summed, so that the order of the rows cannot change the last digit.
        pl.col("value").sort().mean().alias("mean"),
        pl.len().alias("count"),
    )
    items = sorted(cells["item"].unique().to_list())
    systems = sorted(cells["system"].unique().to_list())
    row = {item: index for index, item in enumerate(items)}
    column = {system: index for index, system in enumerate(systems)}
    rows = np.array([row[item] for item in cells["item"]], dtype=np.intp)
    columns = np.array([column[system] for system in cells["system"]], dtype=np.intp)
    mean = np.full((len(items), len(systems)), np.nan)
    count = np.zeros((len(items), len(systems)), dtype=np.int32)
    mean[rows, columns] = cells["mean"].to_numpy()
    count[rows, columns] = cells["count"].to_numpy()
    return RatingMatrix(items, systems, mean, count)
