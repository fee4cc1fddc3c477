"""What a metric or judge says beside what people say: one comparison is an item and a pair of systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiebreak.data.study import Study
from tiebreak.evidence.automatic import AutomaticValues, automatic_values
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import CriterionEvidence

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Kind = Literal["judge", "metric"]


@dataclass(frozen=True, slots=True)
class Source:
    """A metric or judge and what it says on one criterion; `tie_threshold` is that of a metric's scores."""

    name: str
    kind: Kind
    criterion: str | None
    values: AutomaticValues
    tie_threshold: float

    @classmethod
    def of(
        cls, study: Study, index: ItemIndex, name: str, kind: Kind, criterion: str | None, threshold: float
    ) -> Source:
        """The values of the metric or judge of that name."""
        metrics, judges = ((name,), ()) if kind == "metric" else ((), (name,))
        values = automatic_values(study, criterion, index, metrics, judges)
        return cls(name, kind, criterion, values, threshold if kind == "metric" else 0.0)

    def on_pair(self, system_a: str, system_b: str) -> Floats:
        """What it says of a pair (n_items,), positive for system_a: score differences, or outcomes; NaN: nothing."""
        return self.values.of_pair(system_a, system_b)[:, 0]

    def outcomes(self, values: Floats) -> Floats:
        """Outcomes in {-1, 0, 1} of its values, NaN where it says nothing."""
        return np.where(np.abs(values) <= self.tie_threshold, 0.0, np.sign(values))

    def pairs_without(self, labelled: Sequence[tuple[str, str]]) -> int:
        """Pairs that a judge judged beyond those; 0 of a metric, which scores outputs."""
        answered = {pair for judge in self.values.answers for pair in judge}
        return len(answered - {(min(pair), max(pair)) for pair in labelled})


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All comparisons that people and the source have both made.

    Arrays (n,): `pair`, a place in `pairs`; `item`, a place among all items; `cluster` of the item; `human`, people's
    value in [-1, 1]; `said`, the source's outcome; both positive for the first system of the pair. `unjudged`:
    comparisons with human labels of which the source says nothing.
    """

    pairs: tuple[tuple[str, str], ...]
    pair: Places
    item: Places
    cluster: Places
    human: Floats
    said: Floats
    unjudged: int

    @property
    def people(self) -> Floats:
        """People's outcomes (n,) in {-1, 0, 1}: the side of their value."""
        return np.sign(self.human)

    @property
    def error(self) -> Floats:
        """How many more wins (n,) the first system gets from the source than from people; ties count half."""
        return (self.said - self.human) / 2

    @property
    def items(self) -> int:
        """Items that are compared."""
        return int(np.unique(self.item).size)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of all systems compared, sorted."""
        return tuple(sorted({name for pair in self.pairs for name in pair}))

    def sides(self, number: Mapping[str, int]) -> tuple[Places, Places]:
        """Numbers (n,) of the first and of the second system of each comparison; -1 of those that have none."""
        of_pairs = np.array([[number.get(name, -1) for name in pair] for pair in self.pairs], dtype=np.intp)
        first, second = of_pairs.reshape(-1, 2)[self.pair].T
        return first, second


def labelled(pairs: Sequence[PairEvidence]) -> Iterator[tuple[PairEvidence, NDArray[np.bool_]]]:
    """Each pair with which (n,) of its items have human labels, and are not ties that nobody was asked about."""
    for pair in pairs:
        yield pair, pair.labels > 0


def compared(source: Source, evidence: CriterionEvidence, index: ItemIndex) -> Comparisons:
    """The comparisons of a source on a criterion."""
    pairs: list[tuple[str, str]] = []
    parts: list[tuple[Places, Places, Floats, Floats]] = []
    unjudged = 0
    for pair, asked in labelled(evidence.pairs):
        items = pair.items[asked]
        said = source.outcomes(source.on_pair(pair.system_a, pair.system_b)[items])
        there = ~np.isnan(said)
        unjudged += int((~there).sum())
        if there.any():
            place = np.full(int(there.sum()), len(pairs), dtype=np.intp)
            parts.append((place, items[there], pair.values[asked][there], said[there]))
            pairs.append((pair.system_a, pair.system_b))
    if not parts:
        none, nothing = np.empty(0, dtype=np.intp), np.empty(0)
        return Comparisons((), none, none, none, nothing, nothing, unjudged)
    place, item, human, said = (np.concatenate(of) for of in zip(*parts, strict=True))
    return Comparisons(tuple(pairs), place, item, index.clusters[item], human, said, unjudged)
