"""Raters of unequal severity, from tables of ratings to the p-values of `compare`.

The two outputs of an item are often rated by different people, and the strict ones see one system more than the other.
Many studies of one pair stand in one table, each with a criterion of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass

import numpy as np
import polars as pl
from benchmarks.cells import ALPHAS, Cell, Counts, Floats, Measure, Rng, add

from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import pair_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.records import Raters
from tiebreak.rules.finished import FinishedSet, FinishedSets

RUNS = 10_000
_STUDIES = 50  # of one pair each, in one table: a criterion is looked up in all of it
_SEVERITY = np.array([0.0, 0.4, 1.2, 0.0, 0.8])
_SCALE = np.array([1.0, 0.6, 1.0, 1.5, 0.3])  # how far a person's ratings lie apart


@dataclass(frozen=True)
class Panel:
    """`people` rate each output of `items`, drawn by the chances of its system: those of ant and those of bee."""

    ant: tuple[float, ...]
    bee: tuple[float, ...]
    items: int
    people: int = 1


ONE_STRICT = Panel((0.75, 0, 0.25, 0, 0), (0.25, 0, 0.75, 0, 0), 300)
"""The strict third person gave three of four ratings of bee, and one of four of ant."""

FIVE = Panel((0.3, 0.2, 0.1, 0.3, 0.1), (0.1, 0.2, 0.3, 0.1, 0.3), 150, people=2)
"""On a third of the items nobody rated both outputs, on most somebody rated only one."""

BY_CHANCE = Panel((0.2,) * 5, (0.2,) * 5, 120)
"""The same five, of whom chance alone decides who rates what."""


def ratings(rng: Rng, panel: Panel, studies: int = 1, better: float = 0.0) -> pl.DataFrame:
    """Ratings of 1 to 5 of `studies` pairs of ant and bee, a criterion each; ant is better by `better` (item sd 1)."""
    shape = (studies, 2, panel.items)
    chance = np.array([panel.ant, panel.bee])[:, None, :]
    with np.errstate(divide="ignore"):
        drawn = np.log(chance) + rng.gumbel(size=(*shape, _SEVERITY.size))  # the largest: one draw by the chances
    who = np.argsort(-drawn, axis=-1)[..., : panel.people]
    quality = rng.normal(size=(studies, 1, panel.items)) + 0.7 * rng.normal(size=shape)
    quality += np.array([[better], [0.0]])
    seen = _SCALE[who] * (quality[..., None] + 0.5 * rng.normal(size=who.shape)) - _SEVERITY[who]
    study, system, item, _ = (each.ravel() for each in np.indices(who.shape))
    return pl.DataFrame(
        {
            "item": [f"i{k}" for k in item],
            "system": np.array(["ant", "bee"])[system].tolist(),
            "annotator": [f"p{person}" for person in who.ravel()],
            "criterion": [f"c{k}" for k in study],
            "value": np.clip(np.round(3 + seen), 1, 5).ravel(),
        }
    )


def counted(panel: Panel, raters: Raters) -> Measure:
    """Wrong directions with `--raters`; the control compares ratings of different people."""

    def measure(rng: Rng, runs: int) -> Counts:
        found: dict[str, float] = {}
        for start in range(0, runs, _STUDIES):
            studies = min(_STUDIES, runs - start)
            study = Study.from_tables(ratings=ratings(rng, panel, studies))
            wrong = p_values(study, studies, raters)
            control = wrong if raters == "any" else p_values(study, studies, "any")
            for kind, p in (("wrong", wrong), ("control", control)):
                found = add(found, {f"{kind} {alpha}": float((p <= alpha).sum()) for alpha in ALPHAS})
        return found

    return measure


def p_values(study: Study, studies: int, raters: Raters) -> Floats:
    """Two-sided p-values (studies,) of `compare` from the table of ratings."""
    index, found = ItemIndex.of(study), []
    for k in range(studies):
        (pair,) = pair_values(study, f"c{k}", index, "mean", 0.0, raters)
        found.append(FinishedSet(pair.values, pair.labels, pair.variances))
    tests = FinishedSets(found)
    return 2 * np.minimum(tests.p_a, tests.p_b)


def cells() -> Iterator[Cell]:
    """All cells of this module."""
    worlds: tuple[tuple[str, Panel, Raters], ...] = (
        ("300 items, 1 rating an output, one strict of two", ONE_STRICT, "same"),
        ("150 items, 2 ratings an output, five people", FIVE, "same"),
        ("120 items, 1 rating an output, chance decides, `--raters any`", BY_CHANCE, "any"),
    )
    for world, panel, raters in worlds:
        yield Cell("raters", world, "ordinary", counted(panel, raters), RUNS, (*astuple(panel), raters))
