"""SummEval's three experts: every output of 16 systems on 100 articles with its ratings and metrics."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.readers import read_study
from tiebreak.kernels.rated_outputs import RatedOutputs

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

CRITERIA: Final = ("coherence", "consistency", "fluency", "relevance")
METRICS: Final = ("rougeL_first_ref", "gpt-4o")
EXPERTS: Final = 3
SYSTEMS: Final = 16
ARTICLES: Final = 100


class Outputs(NamedTuple):
    """All outputs (n,) of a criterion: codes of system and item, the experts' ratings (n, 3), metrics by name."""

    systems: Integers
    items: Integers
    ratings: Floats
    metrics: dict[str, Floats]

    def rated(self, system: int | None = None) -> RatedOutputs:
        """The ratings of one system, or of all outputs as if they were one system's."""
        return rated_rows(self.ratings if system is None else self.ratings[self.systems == system])

    def comparisons(self) -> Floats:
        """What the experts' ratings say of two systems on an article (pairs * articles, 3): -1, 0, 1."""
        table = np.full((SYSTEMS, ARTICLES, EXPERTS), np.nan)
        table[self.systems, self.items] = self.ratings
        return np.concatenate([np.sign(table[a] - table[b]) for a, b in combinations(range(SYSTEMS), 2)])


def rated_rows(ratings: Floats) -> RatedOutputs:
    """Outputs (n, k) with k ratings each."""
    outputs, people = ratings.shape
    return RatedOutputs.of(np.repeat(np.arange(outputs), people), ratings.ravel())


def summeval(data: Path) -> dict[str, Outputs]:
    """By criterion, from the folder of real studies."""
    study = read_study(data / "summeval")
    if study.ratings is None or study.scores is None:
        raise ValueError(f"{data / 'summeval'} has no ratings, or no scores")
    experts = study.ratings.filter(pl.col("annotator").str.starts_with("expert"))
    found = {}
    for criterion in CRITERIA:
        table = experts.filter(pl.col("criterion") == criterion)
        table = table.pivot(on="annotator", index=["item", "system"], values="value").sort("system", "item")
        if table.shape != (SYSTEMS * ARTICLES, 2 + EXPERTS):
            raise ValueError(f"{criterion} has {table.shape}, not every output with three ratings")
        metrics = {}
        for name in METRICS:
            of_metric = pl.col("criterion").is_null() | (pl.col("criterion") == criterion)
            scores = study.scores.filter((pl.col("metric") == name) & of_metric).select("item", "system", "value")
            metrics[name] = table.join(scores, on=["item", "system"], how="left", maintain_order="left")["value"]
        found[criterion] = Outputs(
            np.unique(table["system"].to_numpy(), return_inverse=True)[1],
            np.unique(table["item"].to_numpy(), return_inverse=True)[1],
            table.drop("item", "system").to_numpy().astype(np.float64),
            {name: of.to_numpy().astype(np.float64) for name, of in metrics.items()},
        )
    return found
