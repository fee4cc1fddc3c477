"""What is asked of the product, in words of this check's own, which stay when the product's names change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Record = dict[str, Any]
"""Field names of this check's own, to numbers, words, lists and further records."""


@dataclass(frozen=True)
class Cell:
    """One computation: a name that never changes, and the function that makes its record."""

    name: str
    compute: Callable[..., Record]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Question:
    """One comparison. `rule`: betting, sign, hoeffding, dirichlet or metric-error; `human` False: metrics alone."""

    rule: str = "betting"
    target: str = "inputs"
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    seed: int = 0
    alpha: float = 0.05
    margin: float | None = None
    budget: int | None = None
    correction: str = "holm"
    label_rule: str = "mean"
    rating_tie: float = 0.0
    score_tie: float = 0.0
    human: bool = True
    systems: tuple[str, ...] | None = None
    baseline: str | None = None
    annotators: tuple[str, ...] | None = None
    without: tuple[str, ...] | None = None
    raters: str = "same"
    criteria: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Rules:
    """The rules of a campaign. `rule`: betting, metric-error, hoeffding or one-look; `labelling`: one, fixed, majority
    or max-three; `pair_policy`: batches, winner or most-informative; `gold`: (item, system_a, system_b, outcome).
    """

    rule: str = "betting"
    alpha: float = 0.05
    correction: str = "holm"
    margin: float | None = None
    target: str = "inputs"
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    labelling: str = "one"
    people_per_item: int = 1
    ties: bool = True
    price: float | None = None
    pair_policy: str = "batches"
    batch: int = 10
    open_items: int | None = None
    label_budget: int | None = None
    money_budget: float | None = None
    items_per_pair: int | None = None
    order: str = "random"
    seed: int = 0
    most_per_person: int | None = None
    hours: float = 48.0
    gold: tuple[tuple[str, str, str, str], ...] = ()
    gold_every: int = 10
    gold_after: int = 5
    gold_share: float = 0.7
    systems: tuple[str, ...] = ()
    baseline: str | None = None
    criterion: str | None = None


class Task(NamedTuple):
    """Something that a person was asked. `is_check`: its answer is known and is no evidence."""

    name: str
    person: str
    system_a: str
    system_b: str
    item: str
    left: str
    is_check: bool


@dataclass(frozen=True)
class Person:
    """A simulated annotator."""

    capability: float = 0.9
    indifference: float = 0.1
    side: float = 0.0
    spam: float = 0.0
    seconds: float = 30.0
    leanings: tuple[tuple[str, float], ...] = ()
    price: float = 0.0


@dataclass(frozen=True)
class Simulation:
    """Simulated campaigns: systems of these qualities, people, and how they work (`hand`: tasks taken at once)."""

    rules: Rules
    qualities: tuple[float, ...]
    items: int
    people: tuple[Person, ...]
    runs: int
    spread: float = 0.2
    cluster_size: int = 1
    alike_in_cluster: float = 0.0
    metric: float | None = None
    judge: bool = False
    hand: int = 1
    forgets: float = 0.0
    leaves: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Forecast:
    """A plan of costs; `study` and the fields of the systems are not used together."""

    difference: float = 0.1
    ties: float = 0.3
    agreement: float | None = None
    systems: int = 2
    pairs: int = 1
    correlation: float | None = None
    alpha: float = 0.05
    margin: float | None = None
    target: str = "inputs"
    pool: int | None = None
    price: float | None = None
    seconds: float | None = None
    money_budget: float | None = None
    label_budget: int | None = None
    labelling: tuple[str, ...] = ("one", "fixed", "max-three", "majority")
