"""A number of items per pair, fixed beforehand, and one look at its end: the test that `compare` takes.

An abandoned item favours b in the test of a, and a in the test of b: whatever it would have got, neither errs more
often for it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.paired_outcomes import PairedOutcomes, PairedPool, paired_outcomes, paired_pool
from tiebreak.kernels.unit_means import effective_clusters
from tiebreak.numbers import percent, plain
from tiebreak.rules.family import BOUNDED
from tiebreak.rules.finished import (
    EXACT,
    TEST_WORDS,
    FinishedCounts,
    FinishedSet,
    FinishedSets,
    TestKind,
    kind_of_test,
)
from tiebreak.rules.finished_family import FinishedFamily, adjusted_p, decide_finished, finished_verdicts
from tiebreak.rules.rule import (
    ALL_COUNTED,
    ALL_LABELLED,
    CERTAIN,
    FOR_PEOPLE,
    TOO_FEW,
    VERDICTS,
    Cells,
    Codes,
    Finding,
    Guarantee,
    Looks,
    MeasureFacts,
    Rule,
    RuleSettings,
    Summary,
    Units,
    Validity,
    scope_words,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

AT_THE_LOOK: Final = "for one look"
BEFORE_THE_LOOK: Final = "at the number of items fixed beforehand"
"""When an interval holds: where it is that of the one look, and before that."""

_HALF: Final = 0.5
_CODES: Final = {verdict: code for code, verdict in VERDICTS.items()}


@dataclass(frozen=True, slots=True, eq=False)
class LookPlan:
    """What is known of a pair before any label.

    `units` that get labels, in their order. `sizes`, `asked` (U,): items of each unit, and those that are no known
    ties; None where each unit is one item. `pool_size`, `scale`: as in `FinishedSet`.
    """

    units: int
    sizes: Integers | None = None
    asked: Integers | None = None
    pool_size: int | None = None
    scale: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class LookState:
    """The sums of the outcomes of the units so far, as `for_a` and `for_b` (C, n) have them. `evidence` (C, 2): wins
    and losses at the end, minus infinity before it.
    """

    for_a: Integers
    for_b: Integers
    evidence: Floats

    @property
    def done(self) -> int:
        """Units so far."""
        return int(self.for_a.shape[1])

    @property
    def lacks_answers(self) -> bool:
        """Whether any unit of the first cell has items that nobody will label."""
        return not np.array_equal(self.for_a[0], self.for_b[0])


class Fixed(Rule[LookPlan, LookState]):
    """Nothing is decided, and nothing tested, before every pair has all its units."""

    name: ClassVar[str] = "fixed"
    title: ClassVar[str] = "one look at a number of items fixed beforehand"
    looks: ClassVar[Looks] = "one"
    controls_error: ClassVar[bool] = True
    takes_margin: ClassVar[bool] = True
    takes_metric: ClassVar[bool] = True
    needs_items_per_pair: ClassVar[bool] = True

    def described(self, plans: Sequence[LookPlan]) -> str:
        """The tests by name."""
        return tests_in_words(_kinds(plans))

    def alpha_problem(self, settings: RuleSettings) -> str:
        """With a margin or a false discovery rate intervals may have a whole alpha on either side, and with a half
        there is nothing between the ends.
        """
        doubled = settings.margin is not None or settings.multiplicity in ("fdr", "fdr-any")
        if not doubled or settings.alpha < _HALF:
            return ""
        return "must be below 0.5 with a margin or a false discovery rate: a chance of error such as 0.05"

    def guarantee(self, plans: Sequence[LookPlan], settings: RuleSettings) -> Guarantee:
        """At the end only."""
        return fixed_guarantee(settings, _kinds(plans))

    def prepare(self, facts: Sequence[MeasureFacts], settings: RuleSettings) -> list[LookPlan]:  # noqa: ARG002
        """The number of units, and what they are."""
        return [LookPlan(of.most_units, of.sizes, of.asked, of.pool_size, of.scale) for of in facts]

    def start(self, plan: LookPlan, cells: int = 1) -> LookState:  # noqa: ARG002
        """No values."""
        none = np.zeros((cells, 0), dtype=np.int64)
        return LookState(none, none, np.full((cells, 2), -np.inf))

    def advance(self, plan: LookPlan, state: LookState, units: Units) -> tuple[LookState, Floats]:
        """More values."""
        path = np.full((*units.for_a.shape, 2), -np.inf)
        if not units.number:
            return state, path
        end = state.done + units.number
        sizes = 1 if plan.sizes is None else plan.sizes[state.done : end]
        for_a, for_b = (
            np.concatenate([before, np.rint(values * sizes).astype(np.int64)], axis=1)
            for before, values in ((state.for_a, units.for_a), (state.for_b, units.for_b))
        )
        if state.done < plan.units <= end:
            counted = for_a[:, : plan.units]
            path[:, plan.units - state.done - 1 :] = np.stack([counted > 0, counted < 0], -1).sum(1)[:, None]
        return LookState(for_a, for_b, path[:, -1]), path

    def some(self, state: LookState, cells: Cells) -> LookState:
        """Some of the cells."""
        return LookState(state.for_a[cells], state.for_b[cells], state.evidence[cells])

    def verdicts(self, plans: Sequence[LookPlan], evidence: Floats, settings: RuleSettings) -> Codes:
        """Of runs with single items and no missing answers, in which all pairs have the same number of items."""
        codes = np.zeros(evidence.shape[:2], dtype=np.int8)
        over = np.flatnonzero(np.isfinite(evidence).all(axis=(1, 2)))
        if over.size:
            counts = evidence[over].astype(np.int64)
            tests = _SharedTests(counts[..., 0], counts[..., 1], plans[0].units, plans[0].pool_size)
            codes[over] = tests.verdicts(settings)
        return codes

    def decide(
        self,
        plans: Sequence[LookPlan],
        states: Sequence[LookState],
        settings: RuleSettings,
        changed: int,  # noqa: ARG002
    ) -> Mapping[int, Finding]:
        """All pairs at once, at the end."""
        if not _at_the_end(plans, states):
            return {}
        found = finished_verdicts(LookTests(plans, states), settings.alpha, settings.multiplicity, settings.margin)
        return {k: verdict for k, verdict in enumerate(found.verdicts) if verdict != "undecided"}

    def next_look(self, plan: LookPlan, state: LookState) -> int:  # noqa: ARG002
        """At the end."""
        return plan.units

    def summary(self, plans: Sequence[LookPlan], states: Sequence[LookState], settings: RuleSettings) -> list[Summary]:
        """That of `compare` on the same labels; before the end, as it would be if this were the end."""
        tests, over = LookTests(plans, states), _at_the_end(plans, states)
        family = decide_finished(tests, settings.alpha, settings.multiplicity, settings.margin)
        validity = fixed_validity(settings, family, len(plans), AT_THE_LOOK if over else BEFORE_THE_LOOK)
        adjusted = adjusted_p(tests, settings.multiplicity, settings.margin)
        found = []
        for k, (plan, of) in enumerate(zip(plans, states, strict=True)):
            whole = over and plan.pool_size == plan.units and not of.lacks_answers
            too_few = over and family.verdicts[k] == "undecided" and tests.smallest_p[k] > family.level
            found.append(
                Summary(
                    estimate=float(tests.estimates[k]),
                    low=float(family.low[k]),
                    high=float(family.high[k]),
                    validity=CERTAIN if whole else validity,
                    p_value=min(1.0, 2 * float(min(tests.p_a[k], tests.p_b[k]))),
                    p_adjusted=None if adjusted is None else float(adjusted[k]),
                    equivalence_interval=family.equivalence_interval(k),
                    equivalent=bool(over and family.equivalent[k]),
                    effective_clusters=effective_units(plan, of),
                    flags=(*((ALL_LABELLED,) if whole else ()), *((TOO_FEW,) if too_few else ())),
                )
            )
        return found


# ---- what it promises ------------------------------------------------------------------------------------------


def tests_in_words(tests: Sequence[TestKind]) -> str:
    """The tests by name."""
    return "; ".join(TEST_WORDS[kind] for kind in tests)


def fixed_guarantee(settings: RuleSettings, tests: Sequence[TestKind], provided: tuple[str, ...] = ()) -> Guarantee:
    """What verdicts by these tests promise, in a comparison or at the end of a campaign; `provided`: on trust."""
    if set(tests) == {"whole-pool"}:
        return replace(ALL_COUNTED, provided=provided)
    # A margin rests on intervals, which are exact at 0 only; Benjamini-Hochberg is proven for independent pairs.
    exact = set(tests) <= EXACT and settings.margin is None and settings.multiplicity != "fdr"
    most = "at most" if exact else "about"
    return Guarantee(
        "hold for one look at a number of labels fixed beforehand",
        chance=f"{BOUNDED[settings.multiplicity]} is {most} {plain(settings.alpha)}",
        provided=provided,
    )


def fixed_validity(
    settings: RuleSettings, family: FinishedFamily, pairs: int, when: str = AT_THE_LOOK, *, people: bool = False
) -> Validity:
    """When an interval holds: about, since the tests are exact, if at all, at a difference of 0; `people`: for others
    than these, too.
    """
    scope = FOR_PEOPLE if people else scope_words(settings.target)
    if pairs > 1 and family.simultaneous:
        return Validity(f"about {percent(1 - settings.alpha)} {when}, for all {pairs:,} pairs at once, {scope}")
    whom = ", for each pair by itself" if pairs > 1 else ""
    digits = math.ceil(-math.log10(2 * family.level))  # 95%, 98.3%, 99.95%: never 100%
    return Validity(f"about {percent(round(1 - 2 * family.level, digits + 1))} {when}{whom}, {scope}")


# ---- the tests -------------------------------------------------------------------------------------------------


class LookTests:
    """The tests of K pairs as `compare` takes them, `FinishedTests` with estimates.

    `estimates` (K,), nan without labels: an abandoned item counts as a tie there. `smallest_p` (K,): at most what would
    have been reached, had all labels that are no ties agreed. Of a cluster only the sum is known: as many of its items
    count as no ties as can be.
    """

    def __init__(self, plans: Sequence[LookPlan], states: Sequence[LookState]) -> None:
        pairs = list(zip(plans, states, strict=True))
        # With nothing abandoned one test has both sides.
        self._second = np.array([k for k, of in enumerate(states) if of.lacks_answers], int)
        self._tests = FinishedSets(
            [
                *(_evidence(plan, of.for_a[0]) for plan, of in pairs),
                *(_evidence(pairs[k][0], pairs[k][1].for_b[0]) for k in self._second),
            ]
        )
        self.p_a, self.p_b = self._sides(self._tests.p_a, self._tests.p_b)
        first, second = self._sides(self._tests.estimates, self._tests.estimates)
        self.estimates = (first + second) / 2
        self.smallest_p = self._tests.smallest_p[: len(pairs)].copy()
        for k, (plan, of) in enumerate(pairs):
            if plan.asked is not None and plan.asked[: of.done].any():
                self.smallest_p[k] = FinishedSets([_evidence(plan, _agreeing(plan, of))]).p_a[0]

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        """Low and high (K,) at `level` a side: low > 0 exactly where p_a <= level, high < 0 where p_b <= level."""
        return self._sides(*self._tests.intervals(level))

    def _sides(self, of_a: Floats, of_b: Floats) -> tuple[Floats, Floats]:
        """The one from the tests of a, the other from those of b."""
        pairs = of_a.size - self._second.size
        other = of_b[:pairs].copy()
        other[self._second] = of_b[pairs:]
        return of_a[:pairs], other


def effective_units(plan: LookPlan, state: LookState) -> float | None:
    """As many clusters of equal size say as much; None where units are no clusters."""
    if plan.asked is None:
        return None
    asked = plan.asked[: state.done]
    return effective_clusters(asked[asked > 0].astype(np.float64))


def _evidence(plan: LookPlan, totals: Integers) -> FinishedSet | FinishedCounts:
    """The items of units with these sums (n,) of outcomes; in clusters known ties are left out, the rest stands for
    all.
    """
    if plan.sizes is None or plan.asked is None:
        wins, losses = int((totals > 0).sum()), int((totals < 0).sum())
        return FinishedCounts(wins, totals.size - wins - losses, losses, plan.pool_size, plan.scale)
    asked, items = plan.asked[: totals.size], int(plan.sizes[: totals.size].sum())
    left = asked > 0
    values = [_outcomes(total, count) for total, count in zip(totals[left], asked[left], strict=True)]
    flat = np.concatenate([np.empty(0), *values])
    labels = np.ones(flat.size, dtype=np.int64)
    if not flat.size:
        return FinishedSet(flat, labels)
    return FinishedSet(flat, labels, clusters=np.repeat(np.arange(len(values)), asked[left]), scale=flat.size / items)


def _agreeing(plan: LookPlan, state: LookState) -> Integers:
    """The sums of the units so far, had all their items agreed; of a unit of one item it is known if that is a tie."""
    if plan.asked is None:
        return np.asarray(np.abs(state.for_a[0]))
    asked = plan.asked[: state.done]
    tie = (asked == 1) & (state.for_a[0] == 0) & (state.for_b[0] == 0)
    return np.where(tie, 0, asked)


def _outcomes(total: int, asked: int) -> Floats:
    """`asked` outcomes whose sum is `total`."""
    values = np.zeros(asked)
    values[: abs(total)] = np.sign(total)
    return values


def _at_the_end(plans: Sequence[LookPlan], states: Sequence[LookState]) -> bool:
    return all(of.done >= plan.units for plan, of in zip(plans, states, strict=True))


def _kinds(plans: Sequence[LookPlan]) -> tuple[TestKind, ...]:
    """The tests that the pairs get, each once."""
    kinds = [
        kind_of_test(
            clustered=of.asked is not None,
            of_means=False,
            in_pool=of.pool_size is not None,
            whole=of.pool_size == of.units,
        )
        for of in plans
    ]
    return tuple(dict.fromkeys(kinds))


class _SharedTests:
    """The tests of many runs, from `wins` and `losses` (R, K) of `items` each: pairs with the same counts share one.

    Each run is decided by the very function that decides a comparison.
    """

    def __init__(self, wins: Integers, losses: Integers, items: int, pool: int | None) -> None:
        counts, back = np.unique(wins * (items + 1) + losses, return_inverse=True)
        won, lost = np.divmod(counts, items + 1)
        tied = items - won - lost
        self._tests: PairedOutcomes | PairedPool = (
            paired_outcomes(won, tied, lost) if pool is None else paired_pool(won, tied, lost, pool)
        )
        self._different, run = np.unique(back.reshape(wins.shape), axis=0, return_inverse=True)
        self._run = run.reshape(-1)
        self._known: dict[float, tuple[Floats, Floats]] = {}

    def verdicts(self, settings: RuleSettings) -> Codes:
        """Codes (R, K)."""
        codes = np.zeros(self._different.shape, dtype=np.int8)
        for row, places in enumerate(self._different):
            of_run = _RunTests(self, places)
            found = finished_verdicts(of_run, settings.alpha, settings.multiplicity, settings.margin)
            codes[row] = [_CODES[name] for name in found.verdicts]
        return np.asarray(codes[self._run])

    @property
    def p(self) -> tuple[Floats, Floats]:
        """One-sided p-values of all tests."""
        return self._tests.p_a, self._tests.p_b

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """Of all tests, kept: the same few levels are asked for again and again."""
        if level not in self._known:
            self._known[level] = self._tests.interval(level)
        return self._known[level]


@dataclass(frozen=True, slots=True)
class _RunTests:
    """The tests of one run, at their `places` among those that are shared."""

    shared: _SharedTests
    places: NDArray[np.intp]

    @property
    def p_a(self) -> Floats:
        return np.asarray(self.shared.p[0][self.places])

    @property
    def p_b(self) -> Floats:
        return np.asarray(self.shared.p[1][self.places])

    def intervals(self, level: float) -> tuple[Floats, Floats]:
        low, high = self.shared.interval(level)
        return low[self.places], high[self.places]


RULE: Final = Fixed()
