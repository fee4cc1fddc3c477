"""The rule `planned` on labels that are all there: a finished set, or one that came in looks.

A finished set is a plan for all its units, looked at after every one of them in the fixed order. So its verdict is that
of a campaign which got these labels. Above `MOST_LOOKS` units several are taken together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.metric_help import HelpStep, MetricHelp, openings
from tiebreak.records import Verdict
from tiebreak.rules import planned
from tiebreak.rules.family import Family
from tiebreak.rules.planned import LARGEST_WALK, PairPlan, PairState
from tiebreak.rules.rule import ValueSequence

Floats = NDArray[np.float64]

MOST_LOOKS: Final = LARGEST_WALK
"""At a pair, where nothing says when it was looked at."""

_CELLS_TOGETHER: Final = 64  # pairs of one plan
_VERDICTS: Final[tuple[Verdict, ...]] = ("a", "b", "equivalent")


@dataclass(frozen=True, slots=True, eq=False)
class PairSet:
    """A pair's values in their order, its plan, and what a metric says of each value (None without one)."""

    plan: PairPlan
    sequence: ValueSequence
    help: MetricHelp | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PairScan:
    """What the evidence of a pair came to: `state` at its end, and at its largest after each unit (n,) the evidence for
    a and b `directions` (n, 2), that for equivalence `equivalent` (n,) (None without a margin) and what counts for
    verdicts `largest` (n, D).
    """

    plan: PairPlan
    state: PairState
    directions: Floats
    equivalent: Floats | None
    largest: Floats

    @property
    def at_end(self) -> Floats:
        """What counts for verdicts (D,) after all units."""
        if len(self.largest):
            return np.asarray(self.largest[-1])
        return np.zeros(2 if self.plan.margin is None else 3)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """The verdict on one pair. `stopped_at`: units after which it was reached, None if undecided; `also`: a second one
    that was reached too. `log_e_*`: logarithms of inverse p-values at their largest. `log_threshold`: what a direction
    faces, `log_threshold_equivalent` what both sides of an equivalence do.
    """

    verdict: Verdict
    also: Verdict | None
    stopped_at: int | None
    log_e_a: float
    log_e_b: float
    log_e_equivalent: float | None
    log_threshold: float
    log_threshold_equivalent: float | None


def plan_set(
    family: Family,
    sequence: ValueSequence,
    *,
    most: int | None,
    margin: float | None,
    help_: MetricHelp | None = None,
    known: NDArray[np.bool_] | None = None,
) -> PairSet:
    """A pair planned for `most` units, or for those it has; `known` (n,): units that are ties by their texts.

    A metric helps from where the labels before show that it predicts them; without such a label it does not.
    """
    used = help_ if help_ is not None and _opening(sequence, help_) < len(sequence) else None
    planned_for = max(most or len(sequence), 1)
    plan = planned.plan_pair(
        family,
        planned_for if sequence.pool_size is None else min(planned_for, max(sequence.pool_size, 1)),
        margin=margin,
        outcomes_only=sequence.outcomes_only,
        pool_size=sequence.pool_size,
        scale=sequence.scale,
        weights=sequence.weights,
        by_walk=used is None and sequence.looks is None and sequence.weights is None,
        known=known,
    )
    return PairSet(plan, sequence, used)


def scan(sets: Sequence[PairSet]) -> list[PairScan]:
    """The evidence of all pairs; those with alike plans are computed together."""
    found: dict[int, PairScan] = {}
    places = sorted(range(len(sets)), key=lambda k: _kind(sets[k], k))
    for _, group in groupby(places, key=lambda k: _kind(sets[k], k)):
        alike = list(group)
        for start in range(0, len(alike), _CELLS_TOGETHER):
            together = alike[start : start + _CELLS_TOGETHER]
            found.update(zip(together, _scan_alike([sets[k] for k in together]), strict=True))
    return [found[k] for k in range(len(sets))]


def _kind(of: PairSet, place: int) -> tuple[float, ...]:
    """Pairs of one kind share a plan and the times of their looks; one with weights, looks or a metric is alone."""
    alone = of.help is not None or of.sequence.weights is not None or of.sequence.looks is not None
    alone = alone or of.plan.known is not None
    plan, own = of.plan, place + 1 if alone else 0
    return (plan.planned, plan.bets.pool_size or 0, plan.walk is None, plan.scale, len(of.sequence), own)


def _scan_alike(sets: Sequence[PairSet]) -> list[PairScan]:
    plan, count = sets[0].plan, len(sets[0].sequence)
    for_a = np.array([of.sequence.for_a for of in sets]).reshape(len(sets), count)
    for_b = np.array([of.sequence.for_b for of in sets]).reshape(len(sets), count)
    state = planned.start(plan, len(sets))
    directions = np.empty((len(sets), count, 2))
    largest = np.empty((len(sets), count, 2 if plan.margin is None else 3))
    equivalent = None if plan.margin is None else np.empty((len(sets), count))
    before = planned.evidence(plan, state)
    for start, end, step in _looks(sets[0]):
        if plan.walk is None:
            state = planned.advance_look(plan, state, for_a[:, start:end], for_b[:, start:end], step)
        else:
            state = planned.advance(plan, state, for_a[:, start], for_b[:, start])
        # Between the ends of looks the evidence stays as it was at the last of them.
        now = planned.evidence(plan, state)
        for at, of in ((slice(start, end - 1), before), (slice(end - 1, end), now)):
            directions[:, at] = of.directions[:, None]
            largest[:, at] = of.for_verdicts(plan.family)[:, None]
            if equivalent is not None and of.equivalent is not None:
                equivalent[:, at] = of.equivalent[:, None]
        before = now
    return [
        PairScan(
            of.plan,
            state.of(np.array([cell])),
            directions[cell],
            None if equivalent is None else equivalent[cell],
            largest[cell],
        )
        for cell, of in enumerate(sets)
    ]


def _looks(of: PairSet) -> Iterator[tuple[int, int, HelpStep | None]]:
    """Units [start, end) of each look, and what the metric says of a look of one unit."""
    count = len(of.sequence)
    opening = count if of.help is None else _opening(of.sequence, of.help)
    if of.sequence.looks is not None:
        ends = of.sequence.looks.tolist()
    else:
        each = 1 if of.help is not None else -(-max(count, 1) // MOST_LOOKS)
        ends = [*range(each, count, each), count] if count else []
    start = 0
    for end in ends:
        yield start, end, None if of.help is None or start < opening else of.help.step(start)
        start = end


def _opening(sequence: ValueSequence, help_: MetricHelp) -> int:
    return int(openings(sequence.for_a, help_.centred))


def set_verdicts(family: Family, scans: Sequence[PairScan]) -> list[PairVerdict]:
    """One verdict per pair of the family. A reached verdict stands, a direction goes before an equivalence."""
    if not scans:
        return []
    thresholds = family.thresholds(np.stack([of.at_end for of in scans]))
    return [_verdict(family, of, threshold) for of, threshold in zip(scans, thresholds.tolist(), strict=True)]


def _verdict(family: Family, of: PairScan, threshold: float) -> PairVerdict:
    reached = of.largest >= threshold
    when = [int(column.argmax()) + 1 if column.any() else None for column in reached.T]
    order = [which for _, which in sorted((at, which) for which, at in enumerate(when[:2]) if at is not None)]
    order += [2] if len(when) > 2 and when[2] is not None else []
    equivalent = None if of.equivalent is None else float(of.equivalent[-1]) if len(of.equivalent) else 0.0
    for_a, for_b = of.directions[-1].tolist() if len(of.directions) else (0.0, 0.0)
    return PairVerdict(
        verdict=_VERDICTS[order[0]] if order else "undecided",
        also=_VERDICTS[order[1]] if len(order) > 1 else None,
        stopped_at=min((at for at in when if at is not None), default=None),
        log_e_a=for_a,
        log_e_b=for_b,
        log_e_equivalent=equivalent,
        log_threshold=threshold,
        log_threshold_equivalent=None if equivalent is None else threshold - family.easing,
    )
