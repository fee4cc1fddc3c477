"""What is learned in each stage of a training, and which rows a step of it sees: a pure function of seed and step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tiebreak.scoring.evaluator.examples.collect import Examples, Parts
from tiebreak.scoring.evaluator.examples.corpus import within
from tiebreak.scoring.evaluator.examples.rows import SOURCES, OfTexts, Pairs, Places, Rows, Source, as_pairs
from tiebreak.scoring.evaluator.examples.sources import SMALLEST_MARGIN, Across
from tiebreak.scoring.evaluator.settings import Curriculum, TrainSettings

LARGEST: Final = 0.5
FALLS_UNTIL: Final = 0.6
"""Of the steps of the stage; from there on every margin counts. The paper states no schedule."""

LAST_RATE: Final = 0.2
"""What people say is learned last, at a fifth of the rate, where something was learned before."""
_TEXTS_AT_ONCE: Final = 16


def margins_at(step: int, steps: int, smallest: float, curriculum: Curriculum) -> tuple[float, float]:
    """The smallest and the largest margin that weak pairs may have at a step.

    `falling`: at least 0.5 at first, `smallest` from 60% of the steps on (learning-to-compare, 3.1). `rising` is the
    reverse: at most what `falling` would begin with, and then more.
    """
    if curriculum == "none":
        return smallest, 1.0
    come = min(step / max(FALLS_UNTIL * steps, 1e-9), 1.0)
    if curriculum == "falling":
        return LARGEST - (LARGEST - smallest) * come, 1.0
    return smallest, LARGEST + (1.0 - LARGEST) * come


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Rows by context. A step takes some contexts whole, up to `most` rows: texts that are read once make them all.
    With `across` it takes the pairs between its contexts, too.

    Contexts (C,) come in a new order in every round over them. `starts` (C + 1,): where the rows of each begin.
    """

    rows: Rows
    across: Across | None
    contexts: Places
    starts: Places
    seed: tuple[int, ...]
    contexts_at_once: int
    most: int

    @classmethod
    def of(
        cls, rows: Rows, seed: tuple[int, ...], contexts_at_once: int, most: int, across: Across | None = None
    ) -> Draws:
        """`across` goes with pairs alone."""
        ordered = rows.only(np.argsort(rows.context, kind="stable"))
        contexts = np.unique(ordered.context if across is None else np.concatenate([ordered.context, across.context]))
        starts = np.append(np.searchsorted(ordered.context, contexts), len(ordered))
        return cls(ordered, across, contexts, starts, seed, contexts_at_once, most)

    def shown(self) -> Rows:
        """The rows of one round over the contexts; with `across`, as many as there would be."""
        if self.across is None:
            return self.rows
        return Pairs.joined([as_pairs(self.rows), self.across.in_groups(self.contexts_at_once)])

    def said_of(self) -> tuple[OfTexts, ...]:
        """All rows about texts that it can show."""
        return (self.rows,) if self.across is None else (self.rows, self.across)

    def steps(self, rounds: float) -> int:
        """How many steps it takes to see every context so many times."""
        return max(int(np.ceil(rounds * self.contexts.size / self.contexts_at_once)), 1)

    def rounds(self, steps: int) -> float:
        """How often so many steps see every context."""
        return steps * min(self.contexts_at_once, self.contexts.size) / self.contexts.size

    def at(self, step: int, margins: tuple[float, float]) -> Rows:
        """The rows of a step, with margins in this range: of a context that has none, those that come nearest.

        There may be none where `across` finds nothing in common between contexts of one text each.
        """
        numbers = self._contexts_at(step)
        rows = self.rows.only(np.concatenate([self._of_context(int(number), margins) for number in numbers]))
        if self.across is not None:
            rows = Pairs.joined([as_pairs(rows), self.across.between(self.contexts[numbers])])
        if len(rows) > self.most:
            chosen = np.random.default_rng([*self.seed, 1, step]).choice(len(rows), size=self.most, replace=False)
            rows = rows.only(np.sort(chosen))
        return rows

    def _contexts_at(self, step: int) -> Places:
        first = step * self.contexts_at_once
        count = self.contexts.size
        numbers = range(first, first + min(self.contexts_at_once, count))
        rounds = {number // count for number in numbers}
        orders = {k: np.random.default_rng([*self.seed, 0, k]).permutation(count) for k in rounds}
        return np.unique([orders[number // count][number % count] for number in numbers])

    def _of_context(self, number: int, margins: tuple[float, float]) -> Places:
        places = np.arange(self.starts[number], self.starts[number + 1])
        margin = self.rows.margin[places]
        if np.isnan(margin).all():
            return places
        low, high = min(margins[0], float(np.nanmax(margin))), max(margins[1], float(np.nanmin(margin)))
        return places[(margin >= low - 1e-9) & (margin <= high + 1e-9)]


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """What is learned from one kind of rows, step by step. `rate`: a share of the learning rate. `looks`: held-out rows
    of the same kind, at which training looks to keep the best weights; none of them: the last ones are kept.
    """

    source: Source
    draws: Draws
    steps: int
    rate: float
    curriculum: Curriculum = "none"
    smallest_margin: float = 0.0
    looks: Rows | None = None

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, step: int) -> dict[str, Rows]:
        """The rows that a step learns from."""
        margins = margins_at(step, self.steps, self.smallest_margin, self.curriculum)
        return {"rows": self.draws.at(step, margins)}


def stages_of(examples: Examples, parts: Parts, settings: TrainSettings) -> list[Stage]:
    """The stages that there are rows for, in the order of learning: strong, weak, human."""
    found = {source: within(examples.rows[source], parts.learned) for source in SOURCES if source in examples.rows}
    across = None if examples.across is None else within(examples.across, parts.learned)
    found = {source: rows for source, rows in found.items() if len(rows) or (source == "human" and across)}
    stages = []
    for number, (source, rows) in enumerate(found.items()):
        between = across if source == "human" else None
        at_once = settings.contexts_at_once or _contexts_at_once(rows, between)
        draws = Draws.of(rows, (settings.seed, number), at_once, settings.pairs_at_once, between)
        looks = within(examples.rows[source], parts.looked)
        if between is not None and examples.across is not None:
            looks = Pairs.joined([as_pairs(looks), within(examples.across, parts.looked).in_groups(at_once)])
        stages.append(
            Stage(
                source,
                draws,
                draws.steps(settings.rounds),
                LAST_RATE if source == "human" and number else 1.0,
                settings.curriculum if source == "weak" else "none",
                SMALLEST_MARGIN if source == "weak" else 0.0,
                looks if len(looks) else None,
            )
        )
    return stages


def texts_learned(stages: Sequence[Stage]) -> Places:
    """The numbers of the texts that are learned from, sorted."""
    return np.unique(np.concatenate([rows.texts.ravel() for stage in stages for rows in stage.draws.said_of()]))


def _contexts_at_once(rows: Rows, across: Across | None) -> int:
    """As many as have about 16 texts; two or more where texts are compared across them."""
    of = rows.texts.ravel() if across is None else np.concatenate([rows.texts.ravel(), across.text])
    contexts = rows.context if across is None else np.concatenate([rows.context, across.context])
    each = np.unique(of).size / np.unique(contexts).size
    return max(round(_TEXTS_AT_ONCE / each), 1 if across is None else 2)
