"""The parts of a protocol, one record per table of its TOML file; `protocol.Protocol` checks them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.records import Target
from tiebreak.rules.registry import Multiplicity

PairPolicyName = Literal["batches", "most-informative", "winner"]
PAIR_POLICY_NAMES: Final[tuple[PairPolicyName, ...]] = ("batches", "most-informative", "winner")
"""One for each file in `pair_policies`, which come later: they look at the state, that at the plan, that at these."""

ItemOrder = Literal["random", "listed"]
ITEM_ORDERS: Final[tuple[ItemOrder, ...]] = ("random", "listed")


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """How an item gets its value. `policy`: one of `LABELLING_POLICIES`; `annotators`: people per item, for
    `majority` (an odd number); `price` of one label in `currency`; `ties`: may annotators answer "tie"?
    """

    policy: str = "one"
    annotators: int = 1
    ties: bool = True
    price: float | None = None
    currency: str = "$"


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Which pair is asked next. `policy`: one of `PAIR_POLICIES`; `batch`: items that a pair gets before the next
    pair's turn, and after which rules that look in batches look; `open`: most items of a pair that may be out at the
    same time (None: no limit; with clusters: most clusters).
    """

    policy: str = "batches"
    batch: int = 10
    open: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent: `labels` in all, `money` in all (needs a price), `items_per_pair`. None: no limit."""

    labels: int | None = None
    money: float | None = None
    items_per_pair: int | None = None


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """When a pair is decided. `rule`: one of `STOPPING_RULES`; `alpha` in (0, 1): chance of any wrong verdict (for
    `hoeffding` its d, for `posterior` gamma); `margin` in (0, 1) or None: the smallest difference that matters;
    `target`: a claim about inputs like these, or about these items; `metrics`, `judges`: used beside the labels.
    """

    rule: str = "anytime"
    alpha: float = 0.05
    multiplicity: Multiplicity = "holm"
    margin: float | None = None
    target: Target = "inputs"
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OrderSettings:
    """`items`: "random" is a sealed random order per pair from `seed` >= 0, which no annotator should know; "listed"
    takes items in the order of the study (replays of published campaigns; errors are then not controlled unless the
    list itself is in random order).
    """

    items: ItemOrder = "random"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GoldTask:
    """A task with a known answer: `outcome` a, tie or b, relative to system_a and system_b."""

    item: str
    system_a: str
    system_b: str
    outcome: str


@dataclass(frozen=True, slots=True)
class PeopleSettings:
    """Rules for annotators. `most_labels` per person; `hours` until an unanswered task is asked of somebody else.

    `gold`: check tasks, asked every `gold_every` tasks of a person. After `gold_after` of them, somebody who got
    fewer than the share `gold_share` right gets no more tasks. (People are excluded by gold tasks only: an exclusion
    that depends on a pair's labels would bend its error rate.)
    """

    most_labels: int | None = None
    hours: float = 48.0
    gold: tuple[GoldTask, ...] = ()
    gold_every: int = 10
    gold_after: int = 5
    gold_share: float = 0.7
