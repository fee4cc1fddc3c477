"""A simulated world as a TOML file: systems, items, people in groups, metrics and judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tiebreak.errors import Flaw, InputError, KeyedError, Problem, UsageError, did_you_mean
from tiebreak.settings.checks import wrong_number
from tiebreak.settings.toml_file import read_toml
from tiebreak.simulate.people.agents import World
from tiebreak.simulate.people.metrics import SimulatedJudge, SimulatedMetric
from tiebreak.simulate.people.workers import Worker
from tiebreak.simulate.settings import QUALITY, SimulatedSystems

_MOST_PEOPLE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Items:
    """[items]: how many, how much a system's outputs differ (standard deviation), and documents of several items.

    In the ranges of the options of the same names. Raises `UsageError` for others.
    """

    number_of_items: int = 500
    spread: float = 0.2
    cluster_size: int = 1
    intraclass: float = 0.0

    def __post_init__(self) -> None:
        named = (self.number_of_items, self.spread, self.cluster_size, self.intraclass)
        SimulatedSystems((0.0, 0.0), *named)


@dataclass(frozen=True, slots=True)
class PeopleGroup:
    """[[people]]: a `crowd` of people alike, as in `workers.Worker`; `capability` is drawn evenly between two values.

    Raises `UsageError` for values that cannot be.
    """

    crowd: int = 10
    capability: tuple[float, float] = (0.8, 1.0)
    indifference: float = 0.1
    side: float = 0.0
    spam: float = 0.0
    seconds: float = 30.0
    price: float = 0.0
    leanings: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 1 <= self.crowd <= _MOST_PEOPLE:
            raise UsageError(f"crowd must be from 1 to {_MOST_PEOPLE:,} people, not {self.crowd:,}")
        low, high = self.capability
        if not 0 <= low <= high <= 1:
            raise UsageError(f"capability must be LOW,HIGH, both from 0 to 1, not {low:g},{high:g}")
        self.workers(np.random.default_rng(0))

    def workers(self, rng: np.random.Generator) -> tuple[Worker, ...]:
        """Its people."""
        leanings = tuple(self.leanings.items())
        return tuple(
            Worker(float(drawn), self.indifference, self.side, self.spam, self.seconds, leanings, self.price)
            for drawn in rng.uniform(*self.capability, self.crowd)
        )


@dataclass(frozen=True, slots=True)
class WorldFile:
    """A world as its file has it: `systems`, a quality by name, and everything else. Raises `KeyedError`."""

    systems: Mapping[str, float]
    items: Items = field(default_factory=Items)
    metrics: tuple[SimulatedMetric, ...] = ()
    judges: tuple[SimulatedJudge, ...] = ()
    people: tuple[PeopleGroup, ...] = (PeopleGroup(),)

    def __post_init__(self) -> None:
        if flaws := list(self._flaws()):
            raise KeyedError(flaws[0].message, flaws)

    def _flaws(self) -> Iterator[Flaw]:
        for name, quality in self.systems.items():
            if wrong := wrong_number(QUALITY, quality, whole=False):
                yield Flaw(("systems", name), quality, wrong)
        for number, group in enumerate(self.people):
            for name in group.leanings:
                if name not in self.systems:
                    hint = did_you_mean(name, self.systems) or f"; known are {', '.join(self.systems)}"
                    yield Flaw(("people", number, "leanings", name), None, f"unknown system{hint}", hidden=True)
        if len(self.systems) < 2:
            yield Flaw(("systems",), None, "a world needs at least 2 systems", hidden=True)


def world_from_toml(text: str, file: str = "world.toml") -> tuple[World, tuple[PeopleGroup, ...]]:
    """The world that a TOML text describes, a `WorldFile`, and its groups of people (ten of the usual kind if it names
    none).

    Raises:
        InputError: invalid TOML; all unknown keys and values of the wrong kind at once; or what cannot be.
    """
    found = read_toml(WorldFile, text, file)
    of = found.items
    laid_out = (of.number_of_items, of.spread, of.cluster_size, of.intraclass)
    try:
        world = World(tuple(found.systems.values()), *laid_out, tuple(found.systems), found.metrics, found.judges)
    except UsageError as error:
        raise InputError([Problem(file, str(error))]) from error
    return world, found.people or (PeopleGroup(),)


def draw_crowd(groups: tuple[PeopleGroup, ...], rng: np.random.Generator) -> tuple[Worker, ...]:
    """All people, group by group."""
    return tuple(worker for group in groups for worker in group.workers(rng))
