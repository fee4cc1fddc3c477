"""What a decision rule is given, what it answers, and what its verdicts promise: one interface for all rules.

A rule plans pairs before any label, takes their units in blocks, and says after each unit what argues for a verdict. A
campaign feeds it a unit at a time, a comparison all units at once, and a simulation thousands of runs side by side: the
arrays have a leading axis of *cells*, each the same pair in another run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar, Final, Generic, Literal, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.records import Multiplicity, Target, UnitValue, Verdict

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ValueSequence:
    """One value in [-1, 1] per unit (item, or cluster of items), in the order fixed before any label was seen.

    `for_a` (n,) are the values that evidence for a may use and `for_b` (n,) those for b: they differ only where an
    item was abandoned, which counts against whichever side is argued. `outcomes_only`: every value is -1, 0 or 1
    and stands for one item. `pool_size`: number of units of the pool for a claim about these items, None for a
    claim about inputs like these. `scale` in [0, 1]: share of all items that the units stand for, the others being
    known ties: the difference over all items is `scale` times that over the units. 0 where all items are known ties.
    `weights` (n,) in (0, 1]: what share of the largest cluster each unit stands for, where units are clusters of
    unequal size; None where all count alike. `looks`: how many units there were at the end of each look, increasing to
    n, where evidence is read at these times only; None where it may be read after every unit.
    """

    for_a: Floats
    for_b: Floats
    outcomes_only: bool
    pool_size: int | None = None
    scale: float = 1.0
    weights: Floats | None = None
    looks: NDArray[np.intp] | None = None

    @classmethod
    def complete(cls, values: Floats, pool_size: int | None = None, scale: float = 1.0) -> ValueSequence:
        """A sequence in which every unit was labelled.

        Raises:
            ValueError: a value outside [-1, 1] or NaN, or more values than the pool holds.
        """
        if values.size and not (np.abs(values) <= 1).all():
            raise ValueError(f"values must be in [-1, 1], not {values[~(np.abs(values) <= 1)][0]}")
        if pool_size is not None and values.size > pool_size:
            raise ValueError(f"{values.size} values from a pool of {pool_size}")
        return cls(values, values, bool((values == np.rint(values)).all()), pool_size, scale)

    def __len__(self) -> int:
        return int(self.for_a.size)

    @property
    def mean(self) -> float:
        """Mean difference over all items, abandoned ones in the middle (0); NaN without units, 0 if all are ties."""
        if not len(self):
            return float("nan") if self.scale > 0 else 0.0
        return self.scale * float(np.average((self.for_a + self.for_b) / 2, weights=self.weights))


INDEPENDENT: Final = "items are independent"
CHANCE_RATED: Final = "chance decided who rated which output"
FIXED_BUDGET: Final = "the budget was fixed before the first label"
"""What a promise takes on trust, where there is reason to say so."""

_DOUBTED: Final = ", which a warning doubts"


@dataclass(frozen=True, slots=True)
class Guarantee:
    """Completes the sentence "Verdicts ...", or "Intervals ...".

    `says`: when they hold, or what they are if nothing is promised. `chance`: of which error, and at most how large;
    "" where no chance is bounded. `provided`: what is taken on trust. `advice`: a sentence for the person who runs the
    command, which no paper needs.
    """

    says: str
    chance: str = ""
    provided: tuple[str, ...] = ()
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.in_a_paper}. {self.advice}" if self.advice else self.in_a_paper

    @property
    def in_a_paper(self) -> str:
        """Without advice."""
        return f"{self.says}{self.provisos}: {self.chance}" if self.chance else f"{self.says}{self.provisos}"

    @property
    def in_short(self) -> str:
        """Without advice, and without conditions where there are several: these stand where there is room."""
        if len(self.provided) <= 1:
            return self.in_a_paper
        says = f"{self.says} ({len(self.provided)} conditions: --all)"
        return replace(self, says=says, provided=()).in_a_paper

    @property
    def provisos(self) -> str:
        """What is taken on trust, with a comma before it; "" where nothing is."""
        *others, last = (f"that {condition}" for condition in self.provided) if self.provided else [""]
        if not last:
            return ""
        return f", provided {', '.join(others)}{' and ' if others else ''}{last}"

    def doubted(self) -> Guarantee:
        """The same, where a warning doubts that items are independent; a promise of no chance needs no doubt."""
        if not self.chance:
            return self
        return replace(self, provided=(*self.provided, f"{INDEPENDENT}{_DOUBTED}"))


ALL_COUNTED: Final = Guarantee("are certain, about these labels: every item of the pool is labelled and counted")
"""A guarantee without a chance of error."""


@dataclass(frozen=True, slots=True)
class Validity:
    """When an interval holds. `says` completes "Intervals hold with ...".

    `of`: what may turn out otherwise: other items or labels in a "sample", other labels of the same people on these
    items ("fresh-labels"), or "nothing", where all labels there are were counted. `promised`: False where no interval
    of the result is to be trusted.
    """

    says: str
    of: Literal["sample", "fresh-labels", "nothing"] = "sample"
    promised: bool = True

    def __str__(self) -> str:
        return self.says

    def withdrawn(self) -> Validity:
        """Without its promise."""
        return replace(self, says=f"no promise (meant: {self.says})", promised=False) if self.promised else self


FRESH_LABELS: Final = "for fresh labels of the same people"
CERTAIN: Final = Validity("certainty, about these labels", of="nothing")
"""Of an interval where every item of a pool is labelled, several times or once."""


FOR_PEOPLE: Final = "on inputs and for people like these"
"""About what an interval is that allows for other people, too."""


def scope_words(target: Target) -> str:
    """About what an interval is."""
    return "on inputs like these" if target == "inputs" else "on these items"


Integers = NDArray[np.int64]
Codes = NDArray[np.int8]
Cells = NDArray[np.intp]

Looks = Literal["every", "one", "finished", "uncontrolled"]
"""`every`: verdicts hold however often one looks; `one`: for one look at a number of labels fixed beforehand;
`finished`: for these labels as a finished set; `uncontrolled`: the rule looks again and again, and nothing bounds the
chance that one of its looks errs."""

Finding = Verdict | Literal["narrow"]
"""What a measure came to: a verdict, or an interval as narrow as was asked."""

UNDECIDED: Final = 0
EQUIVALENT: Final = 2
NARROW: Final = 3
VERDICTS: Final[Mapping[int, Verdict]] = {1: "a", -1: "b", EQUIVALENT: "equivalent", UNDECIDED: "undecided"}
FINDINGS: Final[Mapping[int, Finding]] = {**VERDICTS, NARROW: "narrow"}
"""By their codes in arrays."""

ALL_LABELLED: Final = "all-labelled"
"""Flag of a pair of which every item of the pool is labelled: chance has no part in which were."""
TOO_FEW: Final = "too-few"
TOO_FEW_PEOPLE: Final = "too-few-people"
"""Flag of a pair with so few labels that are no ties that nothing would have been decided, had they all agreed."""

_AT_ONCE: Final = 32  # units advanced together until a verdict


class RuleSettings(Protocol):
    """The settings of a comparison or a campaign that rules read."""

    @property
    def alpha(self) -> float: ...
    @property
    def multiplicity(self) -> Multiplicity: ...
    @property
    def margin(self) -> float | None: ...
    @property
    def target(self) -> Target: ...
    @property
    def metrics(self) -> Sequence[str]: ...
    @property
    def judges(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True, eq=False)
class MeasureFacts:
    """What a rule may know of a measure before any label.

    `most_units`: units (items, or clusters) that may get labels, the first of the sealed order. `outcomes_only`: each
    unit is one item, so that its value is -1, 0 or 1. `pool_size`, `scale`: for a claim about these items, the items
    with different outputs and their share of all; else None and 1. `metric` (U,): the metric's value of each unit in
    the sealed order, then of the units that nobody labels; None without metrics. `metric_outcomes` (U,): -1, 0, 1, or
    NaN where it said nothing. `sizes`, `asked` (U,): items of each unit, and those of them whose outputs differ; None
    where each unit is one item. `half_width`: how well a mean is to be known, on [-1, 1]; `direction`: a measure ends
    where it is known which side of 0 it lies on. `known_ties`: items that may get labels, but are
    ties by their texts; `known` (U,): which of the units, None where a unit is several items. `batch`: units between
    two looks of a rule that looks after batches, None: at the end only. `forced_choice`: nobody can answer with a tie.
    `intervals`: whether anybody will ask for one.
    """

    most_units: int
    outcomes_only: bool = True
    pool_size: int | None = None
    scale: float = 1.0
    metric: Floats | None = None
    metric_outcomes: Floats | None = None
    sizes: Integers | None = None
    asked: Integers | None = None
    half_width: float | None = None
    direction: bool = False
    known_ties: int = 0
    known: NDArray[np.bool_] | None = None
    batch: int | None = None
    forced_choice: bool = False
    intervals: bool = True


class Units(NamedTuple):
    """The values in [-1, 1] of the next n units of each cell, all (C, n): `for_a` in what argues for a, `for_b` in what
    argues for b, which differ where items count against either side; `taught`: as the labels came, NaN where one is
    missing.
    """

    for_a: Floats
    for_b: Floats
    taught: Floats

    @classmethod
    def labelled(cls, values: NDArray[np.float64] | Codes) -> Units:
        """Units (C, n) whose labels all count."""
        floats = values.astype(np.float64)
        return cls(floats, floats, floats)

    @classmethod
    def of(cls, values: Iterable[UnitValue]) -> Units:
        """Those of one cell."""
        rows = [(of.for_a, of.for_b, np.nan if of.taught is None else of.taught) for of in values]
        return cls(*np.array(rows, dtype=np.float64).reshape(-1, 3).T[:, None, :])

    @property
    def number(self) -> int:
        """n."""
        return int(self.for_a.shape[1])

    @property
    def labels(self) -> Floats:
        """(C, n): the labels of units that count as they came; NaN for others."""
        return np.where(self.for_a == self.for_b, self.for_a, np.nan)


class RuleState(Protocol):
    """What a rule keeps of a measure. `evidence` (C, D): what argues for verdicts now, or at its largest so far."""

    @property
    def evidence(self) -> Floats: ...


@dataclass(frozen=True, slots=True)
class Summary:
    """What the evidence of a pair says now. `low`, `high`: interval of the difference; `validity`: when it holds.

    `estimate` of the difference, NaN without values; `variance` of the values per unit. `log_e_*`: running maxima of
    log E; `log_threshold`, `log_threshold_equivalent`: what they face. `theta`: posterior probability that a is better;
    `mean_p`, `p_interval`: posterior means and intervals of the shares of (a, tie, b), `k_hat`, `flags`: how well they
    were computed. `equivalent`: whether an equivalence was reached, `equivalence_interval` what shows it;
    `effective_clusters`: clusters of equal size that would say as much.
    None: not of this rule.
    """

    estimate: float
    low: float
    high: float
    validity: Validity
    log_e_a: float | None = None
    log_e_b: float | None = None
    log_e_equivalent: float | None = None
    log_threshold: float | None = None
    log_threshold_equivalent: float | None = None
    theta: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    mean_p: tuple[float, float, float] | None = None
    p_interval: tuple[tuple[float, float], ...] | None = None
    k_hat: float | None = None
    flags: tuple[str, ...] = ()
    variance: float | None = None
    equivalent: bool = False
    equivalence_interval: tuple[float, float] | None = None
    effective_clusters: float | None = None


PlanT = TypeVar("PlanT")
StateT = TypeVar("StateT", bound=RuleState)


class Rule(ABC, Generic[PlanT, StateT]):
    """How evidence becomes a verdict: one file, and one line of `rules.registry`.

    `name`, `title`; `level`: what its source calls the number that `--alpha` sets. `looks`: at which of them its
    verdicts hold; `by_batches`: it looks after each batch of a pair, so that it has one look at a finished set.
    `controls_error`: alpha bounds the chance of error, over many pairs by `--multiplicity`; others reproduce a paper.
    `rates`: ends the measures of ratings, no pairs. `takes_margin`: can find equivalence; `takes_metric`: uses metrics
    and judges, `needs_metric`: does nothing without, `predicts`: uses them by predicting labels, which items that
    nobody labels make possible. `needs_items_per_pair`: the number of items must be fixed beforehand; `plans_items`:
    looking ends at a number of items of a pair, which the budget must pay for. `learns`: later evidence is bent by
    whoever withdraws an item before it is labelled, since they may know what waits behind it. `sources`: what to cite,
    by the keys of `messages.bibliography`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    level: ClassVar[str] = "alpha"
    looks: ClassVar[Looks] = "uncontrolled"
    by_batches: ClassVar[bool] = False
    controls_error: ClassVar[bool] = False
    rates: ClassVar[bool] = False
    takes_margin: ClassVar[bool] = False
    takes_metric: ClassVar[bool] = False
    needs_metric: ClassVar[bool] = False
    predicts: ClassVar[bool] = False
    plans_items: ClassVar[bool] = False
    needs_items_per_pair: ClassVar[bool] = False
    learns: ClassVar[bool] = False
    sources: ClassVar[tuple[str, ...]] = ()

    def described(self, plans: Sequence[PlanT]) -> str:  # noqa: ARG002
        """The rule by what it does with these pairs."""
        return self.title

    @property
    def takes_metric_in_campaigns(self) -> bool:
        """Whether metrics and judges are of use before the last label."""
        return self.predicts or self.needs_metric

    def alpha_problem(self, settings: RuleSettings) -> str:  # noqa: ARG002
        """What alpha must be under the other settings, where it is not; "" where it is."""
        return ""

    @abstractmethod
    def guarantee(self, plans: Sequence[PlanT], settings: RuleSettings) -> Guarantee:
        """What the verdicts on these pairs promise under these settings."""

    @abstractmethod
    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[PlanT]:
        """One plan per pair, before any label.

        Raises:
            PlanError: a pair whose facts the rule cannot work with.
        """

    @abstractmethod
    def start(self, plan: PlanT, cells: int = 1) -> StateT:
        """The state before any value."""

    @abstractmethod
    def advance(self, plan: PlanT, state: StateT, units: Units) -> tuple[StateT, Floats]:
        """With the next units of the sealed order; and the evidence (C, n, D) after each of them."""

    @abstractmethod
    def some(self, state: StateT, cells: Cells) -> StateT:
        """The state of some of the cells."""

    def again(self, plan: PlanT, values: Sequence[UnitValue], seen: StateT) -> StateT:  # noqa: ARG002
        """The state after all units so far once more, some of which were withdrawn since; what a rule `seen` at its
        largest keeps, it keeps.
        """
        return self.advance(plan, self.start(plan), Units.of(values))[0]

    @abstractmethod
    def verdicts(self, plans: Sequence[PlanT], evidence: Floats, settings: RuleSettings) -> Codes:
        """Codes of verdicts (R, K) in R runs, from the evidence (R, K, D) of all K measures at one time."""

    def decide(
        self, plans: Sequence[PlanT], states: Sequence[StateT], settings: RuleSettings, changed: int
    ) -> Mapping[int, Finding]:
        """Verdicts of one run by number of the measure, after the state of `changed` has grown; repeated ones do no
        harm. Here of a rule under which measures do not depend on one another.
        """
        code = int(self.verdicts([plans[changed]], states[changed].evidence[:1, None], settings)[0, 0])
        return {changed: FINDINGS[code]} if code else {}

    def units_to_decide(
        self,
        plans: Sequence[PlanT],
        started: Sequence[StateT],
        values: Iterable[UnitValue],
        settings: RuleSettings,
        number: int,
    ) -> int | None:
        """Units of one measure until a verdict on it, with these values and what all `started` with; None: never."""
        state, done, left = started[number], 0, iter(values)
        others = np.stack([of.evidence[0] for of in started])
        while block := list(islice(left, _AT_ONCE)):
            state, path = self.advance(plans[number], state, Units.of(block))
            evidence = np.repeat(others[None], len(block), axis=0)
            evidence[:, number] = path[0]
            reached = self.verdicts(plans, evidence, settings)[:, number] != UNDECIDED
            if reached.any():
                return done + int(reached.argmax()) + 1
            done += len(block)
        return None

    def evidence_now(self, plan: PlanT, state: StateT) -> tuple[float, float, float | None] | None:  # noqa: ARG002
        """log E for a, for b, and of equivalence (None without a margin), for drawing; None where the rule has none."""
        return None

    def units_to_verdict(self, plan: PlanT, state: StateT, summary: Summary) -> int | None:  # noqa: ARG002
        """Further units of an undecided pair until a verdict, as projected; None where that is not known."""
        return None

    def metric_used(self, state: StateT) -> bool:  # noqa: ARG002
        """Whether metrics and judges have entered the evidence of a pair."""
        return False

    def next_look(self, plan: PlanT, state: StateT) -> int | None:  # noqa: ARG002
        """Units of a pair at which the rule looks next; None where it looks after every one."""
        return None

    @abstractmethod
    def summary(self, plans: Sequence[PlanT], states: Sequence[StateT], settings: RuleSettings) -> list[Summary]:
        """What is known of every pair of one run now."""


class PlanError(ValueError):
    """A rule that cannot work with a study as it is; `key` is the setting to change."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def by_sign(evidence: Floats) -> Codes:
    """Codes (...) of directions from evidence (..., 2) for a and for b that reaches a verdict above 0."""
    return np.asarray((evidence[..., 0] > 0).astype(np.int8) - (evidence[..., 1] > 0).astype(np.int8))
