"""Items of decided pairs to read: where the better system won most clearly, and where it lost, with the texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from tiebreak.comparison.compare import selected
from tiebreak.data.study import Study
from tiebreak.evidence.human_labels import PairValues, values_by_pair
from tiebreak.evidence.items import ItemIndex
from tiebreak.results.records import CompareResult, CriterionResult, PairResult

PAIRS: Final = 12
"""Pairs of a criterion with examples: decided ones with the largest differences."""
WON, LOST = 3, 2
_MOST_WORDS: Final = 120
"""Of a text; more would hide the others."""
_MOST_CHANGED: Final = 0.6
"""Share of words above which differences are not marked: nearly everything would be."""

Segments = tuple[tuple[str, bool], ...]
"""Parts of a text, and whether the other text lacks them."""
Key = tuple[str | None, str, str]


@dataclass(frozen=True, slots=True)
class ShownItem:
    """An item: its `input` ("" where there is none), the texts of the better and of the other system, and how many
    people labelled it; `value` in [-1, 1], positive for the better one.
    """

    item: str
    input: str
    better: Segments
    other: Segments
    value: float
    labels: int


@dataclass(frozen=True, slots=True)
class PairExamples:
    """Of one pair: items where the better system won most clearly, and where it lost."""

    won: tuple[ShownItem, ...]
    lost: tuple[ShownItem, ...]


def examples_of(study: Study, result: CompareResult) -> dict[Key, PairExamples]:
    """By criterion, better and other system. Nothing of a result that `compare` has not made from people's labels, and
    of pairs without texts.

    Raises:
        UsageError: settings that do not fit the study.
    """
    settings = result.settings
    if settings is None or not settings.human or settings.compare != "wins" or study.outputs is None:
        return {}
    chosen = selected(study, settings)
    index, texts = ItemIndex.of(chosen), _Texts(chosen)
    found: dict[Key, PairExamples] = {}
    for criterion in result.results:
        how = (settings.several, settings.tie_threshold, settings.raters)
        makers = values_by_pair(chosen, criterion.criterion, index, *how)
        for pair in _clearest(criterion):
            first, second = sorted((pair.system_a, pair.system_b))
            values = makers[first, second]()
            values = values if pair.system_a == first else values.swapped()
            shown = PairExamples(_best(values, values.values, WON, texts), _best(values, -values.values, LOST, texts))
            if shown.won or shown.lost:
                found[criterion.criterion, pair.system_a, pair.system_b] = shown
    return found


def _clearest(found: CriterionResult) -> Sequence[PairResult]:
    """Decided pairs, winner first, the largest differences first."""
    decided = [pair.winner_first() for pair in found.pairs if pair.winner is not None]
    decided.sort(key=lambda pair: (-(pair.difference.estimate or 0.0), pair.system_a, pair.system_b))
    return decided[:PAIRS]


class _Texts:
    """Inputs and outputs by item; of several samples the first one."""

    def __init__(self, study: Study) -> None:
        self._inputs: Mapping[str, str] = {}
        if study.items is not None and "input" in study.items.columns:
            given = study.items.filter(pl.col("input").is_not_null()).select("item", "input")
            self._inputs = dict(given.iter_rows())
        self._outputs: dict[tuple[str, str], str] = {}
        if study.outputs is not None:
            for item, system, text in study.outputs.select("item", "system", "text").iter_rows():
                self._outputs.setdefault((item, system), text or "")

    def shown(self, pair: PairValues, place: int) -> ShownItem | None:
        """None where a text is not there, or both are the same."""
        item = pair.names[int(pair.items[place])]
        better, other = (self._outputs.get((item, system), "") for system in (pair.system_a, pair.system_b))
        if not better.strip() or not other.strip() or better == other:
            return None
        return ShownItem(
            item=item,
            input=" ".join(_words(self._inputs.get(item, ""))),
            better=marked(_words(better), _words(other)),
            other=marked(_words(other), _words(better)),
            value=float(pair.values[place]),
            labels=int(pair.labels[place]),
        )


def _best(pair: PairValues, values: NDArray[np.float64], most: int, texts: _Texts) -> tuple[ShownItem, ...]:
    """The clearest items of one side: by the value, then by the number of labels, then as listed."""
    order = np.lexsort((np.arange(values.size), -pair.labels, -values))
    found: list[ShownItem] = []
    for place in order[values[order] > 0].tolist():
        shown = texts.shown(pair, place)
        if shown is not None:
            found.append(shown)
        if len(found) == most:
            break
    return tuple(found)


def _words(text: str) -> list[str]:
    """The first ones; an ellipsis says that there are more."""
    words = text.split()
    return words if len(words) <= _MOST_WORDS else [*words[:_MOST_WORDS], "…"]


def marked(words: Sequence[str], others: Sequence[str]) -> Segments:
    """The words in runs, with those that an alignment with the others leaves over; one run where most are."""
    changed = [False] * len(words)
    for step in Levenshtein.opcodes(words, others):
        if step.tag in ("replace", "delete"):
            changed[step.src_start : step.src_end] = [True] * (step.src_end - step.src_start)
    if sum(changed) > _MOST_CHANGED * len(words):
        return ((" ".join(words), False),)
    runs: list[tuple[list[str], bool]] = []
    for word, flag in zip(words, changed, strict=True):
        if not runs or runs[-1][1] != flag:
            runs.append(([], flag))
        runs[-1][0].append(word)
    return tuple((" ".join(run), flag) for run, flag in runs)
