"""Worlds in which people and a judge compare two systems, and what is true in them, by plain arithmetic on all of it.

Outputs differ by what a person sees in them; a judge sees part of that, errs in ways of its own, far on hard documents
and little on others, and leans to the first system. All comparisons of a world are drawn; people labelled some of its
items.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import polars as pl
from benchmarks.cells import Rng
from numpy.typing import NDArray
from scipy.special import expit, ndtri

from tiebreak.data.study import Study
from tiebreak.records import Target

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

UNSEEN: Final = 0.4
"""A difference that nobody sees."""
_SEVERITY: Final = 0.5
_HARD: Final = 0.4
_ERRORS: Final = (2.0, 0.3)
"""Of documents, and the standard deviation of a judge's error on these and on others."""
_TRUTH_ITEMS: Final = 300_000
_WORDS: Final = np.array(["b", "tie", "a"])


@dataclass(frozen=True, slots=True)
class World:
    """`judged` items, of which people labelled `labelled`, in clusters of `cluster` that were drawn whole.

    `samples` of the first system, all judged, of which people labelled `shown`; outputs of an item share half of what
    they are worth. `shared`: the share of a judge's own error that comparisons of one cluster have in common. `lean`:
    how far the judge leans to the first system. `sure`: how far its probabilities overstate. `people`: if any, who rate
    outputs instead of comparing them, each output one of them at random, and are unequally strict.
    """

    name: str
    judged: int
    labelled: int
    cluster: int = 1
    samples: int = 1
    shown: int = 1
    lean: float = 0.3
    sure: float = 1.0
    people: int = 0
    target: Target = "inputs"
    because: str = ""


@dataclass(frozen=True, slots=True)
class Drawn:
    """By item and sample (items, samples): people's outcomes, the judge's and another judge's, in -1, 0, 1, the judge's
    in the other order, and its probabilities (items, samples, 3) of a win, a tie and a loss of the first system.

    `ratings` and `raters` (items, 2): of the first sample of the first system and of the second system, and whose.
    """

    human: Floats
    judge: Floats
    turned: Floats
    other: Floats
    chances: Floats
    ratings: Floats
    raters: Places

    def taken(self, items: Places, samples: int) -> Drawn:
        """These items and the first so many samples."""
        rows = (self.human, self.judge, self.turned, self.other, self.chances)
        return Drawn(*(row[items][:, :samples] for row in rows), self.ratings[items], self.raters[items])


def outcome(values: Floats) -> Floats:
    """-1, 0 or 1."""
    return np.where(np.abs(values) <= UNSEEN, 0.0, np.sign(values))


def drawn(world: World, rng: Rng, items: int) -> Drawn:
    """So many items."""
    shape = (items, world.samples)
    groups = np.arange(items) // world.cluster

    alike = 0.3 if world.cluster > 1 else 0.0
    worth = math.sqrt(alike) * rng.normal(size=groups[-1] + 1)[groups] + math.sqrt(1 - alike) * rng.normal(size=items)
    seen = 0.2 + math.sqrt(0.5) * (worth[:, None] + rng.normal(size=shape))
    far = np.where(rng.random(groups[-1] + 1) < _HARD, *_ERRORS)[groups, None]
    common, own, others = far * rng.normal(size=(3, *shape)) / math.sqrt(2)
    judge, turned, other = (
        0.7 * seen + common + error + world.lean + 0.3 * rng.normal(size=shape) for error in (own, own, others)
    )
    said = (judge + turned) / 2
    chances = np.stack([expit(world.sure * 2 * (side * said - UNSEEN)) for side in (1, -1)], axis=-1)
    win, loss = chances[..., 0], chances[..., 1]
    tie = np.maximum(1 - win - loss, 0.05)
    chances = np.stack([win, tie, loss], axis=-1)
    chances /= chances.sum(axis=-1, keepdims=True)
    ratings, raters = np.column_stack([seen[:, 0], np.zeros(items)]), np.zeros((items, 2), dtype=np.intp)
    human = outcome(seen)
    if world.people:
        raters = rng.integers(world.people, size=(items, 2))
        severity = _SEVERITY * ndtri((np.arange(world.people) + 0.5) / world.people)
        ratings = ratings + severity[raters]
        human = outcome(ratings[:, :1] - ratings[:, 1:])
    return Drawn(human, outcome(judge), outcome(turned), outcome(other), chances, ratings, raters)


def both_orders(of: Drawn) -> Floats:
    """The judge's outcome: a change with the order is a tie."""
    return np.where(of.judge == of.turned, of.judge, 0.0)


def figures(of: Drawn) -> dict[str, float]:
    """What an audit finds where people labelled all of it, by plain arithmetic on all comparisons."""
    human, said = of.human.ravel(), both_orders(of).ravel()
    decided, hit = human != 0, human == said
    shares = [np.array([(values == code).mean() for code in (1, 0, -1)]) for values in (human, said)]
    by_chance = float(shares[0] @ shares[1])
    was = np.stack([human == code for code in (1, 0, -1)], axis=1)
    chances = of.chances.reshape(-1, 3)
    likeliest = chances.max(axis=1)
    named = (was & (chances == likeliest[:, None])).any(axis=1)
    errors = said - human, of.other.ravel() - human
    return {
        "agreement": float(hit.mean()),
        "decided": float(hit[decided].mean()),
        "a preferred": float(hit[human == 1].mean()),
        "kappa": (float(hit.mean()) - by_chance) / (1 - by_chance),
        "people": float((1 + human.mean()) / 2),
        "judge": float((1 + said.mean()) / 2),
        "difference": float((said - human).mean() / 2),
        "corrected": float((1 + human.mean()) / 2),
        "corrected by chances": float((1 + human.mean()) / 2),
        "flips": float((of.judge != of.turned).mean()),
        "errors of two": float(np.corrcoef(*errors)[0, 1]),
        "Brier": float(((chances - was) ** 2).sum(axis=1).mean()),
        "log loss": float(-np.log(chances[was]).mean()),
        "too sure": float((likeliest - named).mean()),
        "reliability": float(named[(likeliest >= 0.6) & (likeliest < 0.7)].mean()),
        "by the judge alone": float((1 + human.mean()) / 2),
        "single comparisons": float(hit.mean()),
    }


@cache
def truth(world: World) -> Mapping[str, float]:
    """Of inputs like these."""
    return figures(drawn(world, np.random.default_rng(99), _TRUTH_ITEMS // world.samples))


def study_of(world: World, of: Drawn, rng: Rng) -> tuple[Study, Places]:
    """The study, and the places of the items (labelled,) that people labelled."""
    groups = np.arange(world.judged) // world.cluster
    order = rng.permutation(groups[-1] + 1)
    labelled = np.flatnonzero(np.isin(groups, order[: math.ceil(world.labelled / world.cluster)]))
    names = np.array([f"i{k:04d}" for k in range(world.judged)])
    listed = {"item": names, "cluster": np.array([f"c{group}" for group in groups])}
    people = _ratings(of, names, labelled) if world.people else _votes(world, of, names, labelled)
    study = Study.from_tables(
        items=pl.DataFrame(listed if world.cluster > 1 else {"item": names}),
        judge_preferences=_replies(world, of, names),
        name="made",
        **people,
    )
    return study, labelled


def _pairs(names: NDArray[np.str_], samples: int) -> pl.DataFrame:
    """Item, systems and samples, item by item."""
    return pl.DataFrame(
        {
            "item": np.repeat(names, samples),
            "system_a": "ant",
            "system_b": "bee",
            "sample_a": np.tile([f"s{k}" for k in range(samples)], names.size),
        }
    )


def _said(values: Floats) -> pl.Series:
    return pl.Series("outcome", _WORDS[values.ravel().astype(np.intp) + 1])


def _votes(world: World, of: Drawn, names: NDArray[np.str_], labelled: Places) -> dict[str, pl.DataFrame]:
    rows = _pairs(names[labelled], world.shown).with_columns(annotator=pl.lit("p"))
    return {"preferences": rows.with_columns(_said(of.human[labelled][:, : world.shown]))}


def _ratings(of: Drawn, names: NDArray[np.str_], labelled: Places) -> dict[str, pl.DataFrame]:
    rows = [
        pl.DataFrame(
            {
                "item": names[labelled],
                "system": system,
                "annotator": np.array([f"p{person}" for person in of.raters[labelled, side]]),
                "value": of.ratings[labelled, side],
            }
        )
        for side, system in enumerate(("ant", "bee"))
    ]
    return {"ratings": pl.concat(rows).with_columns(criterion=pl.lit("good"))}


def _replies(world: World, of: Drawn, names: NDArray[np.str_]) -> pl.DataFrame:
    pairs = _pairs(names, world.samples)
    chances = pl.DataFrame(of.chances.reshape(-1, 3), schema=["p_a", "p_tie", "p_b"])
    both = [
        pairs.with_columns(_said(values), judge=pl.lit("gpt"), left=pl.lit(left)).hstack(chances)
        for left, values in (("ant", of.judge), ("bee", of.turned))
    ]
    nothing = chances.with_columns(pl.lit(None, pl.Float64).alias(name) for name in chances.columns)
    second = pairs.with_columns(_said(of.other), judge=pl.lit("other"), left=pl.lit("ant")).hstack(nothing)
    return pl.concat([*both, second])
