"""What a metric or judge says beside what people say: a comparison is an item and an output of each of two systems.

A judge's probabilities of the three outcomes, where its table has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.auditing.estimates import Claim, Units
from tiebreak.data.columns import one_way_round
from tiebreak.data.schema import PROBABILITIES
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import AutomaticValues, automatic_values, serving
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import SingleOutputs
from tiebreak.evidence.study_evidence import CriterionEvidence
from tiebreak.records import Kind, Target

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
PairOfSystems = tuple[str, str]


@dataclass(frozen=True, slots=True)
class AnsweringSource:
    """A metric or judge and what it says on one criterion; `tie_threshold` is that of a metric's scores.

    `system_of`: the system of each place of a sample, which all pairs here are pairs of.
    """

    name: str
    kind: Kind
    criterion: str | None
    values: AutomaticValues
    tie_threshold: float
    system_of: Mapping[str, str]

    @classmethod
    def of(
        cls, outputs: SingleOutputs, index: ItemIndex, name: str, kind: Kind, criterion: str | None, threshold: float
    ) -> AnsweringSource:
        """The values of the metric or judge of that name."""
        metrics, judges = ((name,), ()) if kind == "metric" else ((), (name,))
        values = automatic_values(outputs.study, criterion, index, metrics, judges)
        return cls(name, kind, criterion, values, threshold if kind == "metric" else 0.0, outputs.system_of)

    def on_pair(self, pair: PairOfSystems) -> Floats:
        """What it says of a pair (n_items,), positive for the first: score differences, or outcomes; NaN: nothing."""
        return self.values.outcomes_of_pair(*pair)[:, 0]

    def outcomes(self, pair: PairOfSystems) -> Floats:
        """The same as outcomes in {-1, 0, 1}."""
        values = self.on_pair(pair)
        return np.where(np.abs(values) <= self.tie_threshold, 0.0, np.sign(values))

    def places_of(self, systems: PairOfSystems) -> Iterator[PairOfSystems]:
        """The pairs of places of two systems."""
        sides = [[place for place, name in self.system_of.items() if name == system] for system in systems]
        yield from ((first, second) for first in sides[0] for second in sides[1])

    def pairs_without(self, labelled: set[PairOfSystems]) -> int:
        """Pairs of systems that a judge judged beyond those; 0 of a metric, which scores outputs."""
        answered = {self.systems(pair) for judge in self.values.answers for pair in judge}
        return len(answered - labelled)

    def systems(self, pair: PairOfSystems) -> PairOfSystems:
        """Of two places, the first by name first."""
        first, second = sorted((self.system_of[pair[0]], self.system_of[pair[1]]))
        return first, second


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All comparisons that people and the source have both made.

    `pairs` of places, `system_of` which are their systems. Arrays (n,): `pair`, a place in `pairs`; `item`, a place
    among all items; `human`, people's value in [-1, 1]; `said`, the source's outcome; both positive for the first of
    the pair. `units` of the comparisons, by the `claim`. `unjudged`: comparisons with human labels of which the source
    says nothing.
    """

    pairs: tuple[PairOfSystems, ...]
    system_of: Mapping[str, str]
    pair: Places
    item: Places
    human: Floats
    said: Floats
    claim: Claim
    unjudged: int

    @property
    def units(self) -> Units:
        """What is independent among them."""
        return self.claim.units(self.item)

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
        return tuple(sorted({self.system_of[place] for pair in self.pairs for place in pair}))

    def sides(self, number: Mapping[str, int]) -> tuple[Places, Places]:
        """Numbers (n,) of the first and of the second place of each comparison; -1 of those that have none."""
        of_pairs = np.array([[number.get(name, -1) for name in pair] for pair in self.pairs], dtype=np.intp)
        first, second = of_pairs.reshape(-1, 2)[self.pair].T
        return first, second


def pairs_by_systems(evidence: CriterionEvidence, system_of: Mapping[str, str]) -> dict[PairOfSystems, list[int]]:
    """The places in the evidence of each pair of systems; samples of one system are not compared with one another."""
    found: dict[PairOfSystems, list[int]] = {}
    for place, pair in enumerate(evidence.summaries):
        systems = system_of[pair.system_a], system_of[pair.system_b]
        if systems[0] != systems[1]:
            found.setdefault(systems, []).append(place)
    return found


def compared(source: AnsweringSource, evidence: CriterionEvidence, index: ItemIndex, target: Target) -> Comparisons:
    """The comparisons of a source on a criterion."""
    pairs: list[PairOfSystems] = []
    parts: list[tuple[Places, Places, Floats, Floats]] = []
    unjudged = 0
    for places in pairs_by_systems(evidence, source.system_of).values():
        for pair in (evidence.pairs[place] for place in places):
            asked = pair.asked
            items = pair.items[asked]
            said = source.outcomes((pair.system_a, pair.system_b))[items]
            there = ~np.isnan(said)
            unjudged += int((~there).sum())
            if there.any():
                number = np.full(int(there.sum()), len(pairs), dtype=np.intp)
                parts.append((number, items[there], pair.values[asked][there], said[there]))
                pairs.append((pair.system_a, pair.system_b))
    none, nothing = np.empty(0, dtype=np.intp), np.empty(0)
    number, item, human, said = (
        (np.concatenate(of) for of in zip(*parts, strict=True)) if parts else (none, none, nothing, nothing)
    )
    claim = Claim("inputs", index.clusters) if target == "inputs" else _about_items(source, pairs, item, index)
    return Comparisons(tuple(pairs), source.system_of, number, item, human, said, claim, unjudged)


def _about_items(source: AnsweringSource, pairs: list[PairOfSystems], labelled: Places, index: ItemIndex) -> Claim:
    """About all comparisons that the source made of those pairs of systems."""
    judged = np.zeros(index.clusters.size, dtype=np.intp)
    for systems in {source.systems(pair) for pair in pairs}:
        for places in source.places_of(systems):
            judged += ~np.isnan(source.on_pair(places))
    return Claim.about_items(np.unique(labelled), np.flatnonzero(judged), int(judged.sum()), index.clusters)


_NEARLY_ONE: Final = 0.02
"""How far three rounded probabilities may be from 1 in all."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Of each pair of places, the first by name first: items (k,) and probabilities (k, 3) of a win, a tie and a loss
    of the first, the mean over the orders shown.

    `replies` have probabilities, `scaled` of them probabilities that were not 1 in all; `size`: number of items.
    """

    of_pair: Mapping[PairOfSystems, tuple[Places, Floats]]
    replies: int
    scaled: int
    size: int

    @classmethod
    def of(cls, study: Study, index: ItemIndex, judge: str, criterion: str | None) -> Chances | None:
        """Those that serve a criterion; None without any.

        A reply counts where it says how probable a win of either is; a tie has what they leave where it does not say.
        What is not 1 in all is scaled, as where they are those of three words among others that might have come.
        """
        rows = serving(study.judge_preferences, "judge", judge, criterion)
        left = (1 - pl.col("p_a") - pl.col("p_b")).clip(0.0)
        known = rows.filter(pl.col("p_a").is_not_null() & pl.col("p_b").is_not_null())
        known = one_way_round(known).with_columns(pl.col("p_tie").fill_null(left))
        total = pl.sum_horizontal(PROBABILITIES)
        known = known.with_columns(total=total).filter(pl.col("total") > 0)
        if not known.height:
            return None
        scaled = int(((known["total"] - 1).abs() > _NEARLY_ONE).sum())
        shares = known.with_columns(pl.col(name) / pl.col("total") for name in PROBABILITIES)
        pair = ("system_a", "system_b")
        means = shares.group_by(*pair, "item").agg(pl.col(name).mean() for name in PROBABILITIES)
        found = {
            (part["system_a"][0], part["system_b"][0]): (
                index.numbers(part["item"]),
                part.select(PROBABILITIES).to_numpy(),
            )
            for part in means.sort(*pair, "item").partition_by(*pair, maintain_order=True)
        }
        return cls(found, known.height, scaled, len(index.items))

    def on_pair(self, pair: PairOfSystems) -> Floats:
        """Probabilities (n_items, 3) of a pair, the first by name first; NaN where there are none."""
        found = np.full((self.size, 3), np.nan)
        if pair in self.of_pair:
            items, chances = self.of_pair[pair]
            found[items] = chances
        return found

    def expected(self, pair: PairOfSystems) -> Floats:
        """The expected outcome (n_items,), in [-1, 1]."""
        chances = self.on_pair(pair)
        return np.asarray(chances[:, 0] - chances[:, 2])
