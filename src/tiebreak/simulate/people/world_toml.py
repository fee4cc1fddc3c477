"""A simulated world as a TOML file: systems, items, people in groups, metrics and judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tiebreak.campaign.protocol_toml import TomlReader, parsed_toml
from tiebreak.errors import InputError, UsageError, did_you_mean
from tiebreak.settings.checks import wrong_number
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
    leanings: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.crowd <= _MOST_PEOPLE:
            raise UsageError(f"crowd must be from 1 to {_MOST_PEOPLE:,} people, not {self.crowd:,}")
        low, high = self.capability
        if not 0 <= low <= high <= 1:
            raise UsageError(f"capability must be LOW,HIGH, both from 0 to 1, not {low:g},{high:g}")
        self.workers(np.random.default_rng(0))

    def workers(self, rng: np.random.Generator) -> tuple[Worker, ...]:
        """Its people."""
        return tuple(
            Worker(float(drawn), self.indifference, self.side, self.spam, self.seconds, self.leanings, self.price)
            for drawn in rng.uniform(*self.capability, self.crowd)
        )


def world_from_toml(text: str, file: str = "world.toml") -> tuple[World, tuple[PeopleGroup, ...]]:
    """The world that a TOML text describes, and its groups of people (ten of the usual kind if it names none).

    `[systems]` holds a quality by name, `[items]` is `Items`, `[[metrics]]` `SimulatedMetric`, `[[judges]]`
    `SimulatedJudge`, `[[people]]` `PeopleGroup`.

    Raises:
        InputError: invalid TOML; all unknown keys and values of the wrong kind at once; or what cannot be.
    """
    parsed = parsed_toml(text, file)
    reader = TomlReader(text, file)
    for key in parsed.keys() - {"systems", "items", "metrics", "judges", "people"}:
        reader.unknown(key, key, ("systems", "items", "metrics", "judges", "people"))
    qualities = _qualities(reader, parsed.get("systems"))
    listed = reader.table("items", parsed.get("items", {}))
    items = {} if listed is None else reader.record(Items, listed, "items.")
    metrics = _each(reader, SimulatedMetric, "metrics", parsed)
    judges = _each(reader, SimulatedJudge, "judges", parsed)
    people = _each(reader, PeopleGroup, "people", parsed)
    _check_leanings(reader, parsed.get("people"), tuple(qualities))
    if reader.problems:
        raise InputError(reader.problems)
    try:
        of = Items(**items)
        laid_out = (of.number_of_items, of.spread, of.cluster_size, of.intraclass)
        world = World(tuple(qualities.values()), *laid_out, tuple(qualities), metrics, judges)
    except UsageError as error:
        reader.wrong("items" if listed else "systems", None, str(error))
        raise InputError(reader.problems) from error
    return world, people or (PeopleGroup(),)


def draw_crowd(groups: tuple[PeopleGroup, ...], rng: np.random.Generator) -> tuple[Worker, ...]:
    """All people, group by group."""
    return tuple(worker for group in groups for worker in group.workers(rng))


def _qualities(reader: TomlReader, value: object) -> dict[str, float]:
    if value is None:
        reader.wrong("systems", None, "is missing: write [systems], and a quality for each name below it")
        return {}
    table: Mapping[str, Any] = reader.table("systems", value) or {}
    for name, number in table.items():
        if wrong := wrong_number(QUALITY, number, whole=False):
            reader.wrong(f"systems.{name}", number, f"{wrong}, the quality of the system")
    return {name: float(number) for name, number in table.items() if not wrong_number(QUALITY, number, whole=False)}


def _check_leanings(reader: TomlReader, people: object, systems: tuple[str, ...]) -> None:
    for number, group in enumerate(people if isinstance(people, list) else [], 1):
        leanings = group.get("leanings") if isinstance(group, dict) else None
        for name in leanings if isinstance(leanings, dict) else ():
            if name not in systems:
                hint = did_you_mean(name, systems) or f"; known are {', '.join(systems)}"
                reader.wrong(f"people[{number}].leanings", name, f"unknown system{hint}")


def _each(reader: TomlReader, kind: type[Any], key: str, parsed: Mapping[str, Any]) -> tuple[Any, ...]:
    return reader.records(kind, key, parsed[key]) if key in parsed else ()
