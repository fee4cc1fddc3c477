"""Ratings beyond the scale that study.toml declares: the scale, or they, must be wrong."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from tiebreak.data.problems import ProblemLog
from tiebreak.errors import Problem


def check_scales(ratings: pl.DataFrame, scales: Mapping[str, tuple[float, float]], file: str, log: ProblemLog) -> None:
    """One problem per criterion with ratings below or above its scale; it names the first of them."""
    for criterion, (low, high) in scales.items():
        of_criterion = ratings.filter(pl.col("criterion") == criterion)
        beyond = of_criterion.filter((pl.col("value") < low) | (pl.col("value") > high))
        if beyond.height:
            first = beyond.row(0, named=True)
            message = (
                f"{beyond.height:,} of {of_criterion.height:,} ratings of {criterion} are beyond the scale of "
                f"{low:g} to {high:g} that study.toml gives (the first: item {first['item']}, system "
                f"{first['system']}, annotator {first['annotator']}); correct them, or the scale"
            )
            log.add(Problem(file, message, column="value", value=f"{first['value']:g}"))
