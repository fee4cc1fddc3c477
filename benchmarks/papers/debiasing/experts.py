"""What the paper calls a perfect metric contains the rating itself: how much that inflates, by simulation.

SummEval's three experts: every output of 16 systems on 100 articles with its ratings and metrics.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.readers import read_study
from tiebreak.kernels.data_efficiency import perfect_metric
from tiebreak.kernels.rated_outputs import RatedOutputs


class Inflation(NamedTuple):
    """With `people` per output: what no metric exceeds, what a perfect metric is as the paper has it, and leave-one-out
    (medians over studies); `limit`: (1 + gamma)/gamma.
    """

    gamma: float
    people: int
    limit: float
    as_in_paper: float
    leave_one_out: float
    ceiling: float


def inflation(gamma: float, people: int, *, studies: int = 40, outputs: int = 2_000, seed: int = 1) -> Inflation:
    """Normal outputs of variance 1, ratings of variance gamma around them."""
    rng = np.random.default_rng([seed, people, round(1000 * gamma)])
    found = []
    for _ in range(studies):
        worth = rng.normal(size=(outputs, 1))
        of = perfect_metric(rated_rows(worth + np.sqrt(gamma) * rng.normal(size=(outputs, people))))
        found.append((of.as_in_paper, of.leave_one_out, of.ceiling))
    in_paper, without, ceiling = np.median(np.array(found, dtype=np.float64), axis=0).tolist()
    return Inflation(gamma, people, (1 + gamma) / gamma, in_paper, without, ceiling)


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
