"""From a result to what the page shows: plain records of words and figures, so that the templates only place them.

One system over all of its pairs: its place in the order and how often it was preferred.

One pair as the page shows it: words, interval on a common axis, outcomes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from tiebreak.comparison.examples import Key, PairExamples
from tiebreak.messages.claims import agreement_rows, clusters_words, interval_words
from tiebreak.messages.headline import Message, message_of, systems_by_rank
from tiebreak.messages.metric_use import MetricSummary, metrics_of_criterion, metrics_of_pair
from tiebreak.messages.verdicts import too_few_words, verdict_words
from tiebreak.numbers import e_number, natural_key, number, signed, signed_interval
from tiebreak.report.style import short_names
from tiebreak.report.system_figures import SystemFigures, compared_figures
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.records import CompareResult, CriterionResult, PairResult


@dataclass(frozen=True, slots=True)
class SystemView:
    """One system: its `name`, a `short` one for narrow places, its place in the order, and its wins, ties and losses
    over all items of all its pairs."""

    name: str
    short: str
    number: int
    tier: int
    beats: tuple[str, ...]
    beaten_by: tuple[str, ...]
    equivalent: tuple[str, ...]
    wins: int
    ties: int
    losses: int

    @property
    def items(self) -> int:
        """Compared items over all pairs; at least 1, so that shares exist."""
        return max(self.wins + self.ties + self.losses, 1)

    def share(self, count: int) -> float:
        """Of the compared items, from 0 to 1."""
        return count / self.items


def system_views(found: CriterionResult) -> tuple[SystemView, ...]:
    """All systems, best first."""
    order = found.order
    tier = {name: k for k, names in enumerate(order.tiers, 1) for name in names}
    ranked = systems_by_rank(found)
    short = short_names(ranked)
    views = []
    for place, name in enumerate(ranked, 1):
        first = [pair for pair in found.pairs if pair.system_a == name]
        second = [pair for pair in found.pairs if pair.system_b == name]
        beats = {loser for winner, loser in order.edges if winner == name}
        beaten_by = {winner for winner, loser in order.edges if loser == name}
        same = {a if b == name else b for a, b in order.equivalences if name in (a, b)}
        views.append(
            SystemView(
                name=name,
                short=short[name],
                number=place,
                tier=tier[name],
                beats=tuple(other for other in ranked if other in beats),
                beaten_by=tuple(other for other in ranked if other in beaten_by),
                equivalent=tuple(other for other in ranked if other in same),
                wins=sum(pair.wins for pair in first) + sum(pair.losses for pair in second),
                ties=sum(pair.ties for pair in (*first, *second)),
                losses=sum(pair.losses for pair in first) + sum(pair.wins for pair in second),
            )
        )
    return tuple(views)


KINDS = {"a": "first", "b": "second", "equivalent": "equal", "undecided": "open"}
"""From a verdict to the name of its colour."""

_ROUNDING = 1e-9
_LIMITS: tuple[float, ...] = tuple(step * 10.0**power for power in range(13) for step in (0.1, 0.2, 0.4, 0.6, 0.8))
_LARGEST_E = 1e300  # results hold nothing larger


@dataclass(frozen=True, slots=True)
class PairView:
    """`kind`: first, second, equal or open. `low`, `middle`, `high`: the interval in percent of the axis.
    `facts`: name and value of what else is known."""

    key: str
    system_a: str
    system_b: str
    kind: str
    words: str
    further: float
    estimate: float | None
    difference: str
    interval: str
    low: float
    middle: float | None
    high: float
    items: int
    labels: int
    wins: int
    ties: int
    losses: int
    stopped: str
    facts: tuple[tuple[str, str], ...]
    metric: MetricSummary | None
    examples: PairExamples | None

    def share(self, count: int) -> float:
        """Of the pair's items, from 0 to 1."""
        return count / max(self.wins + self.ties + self.losses, 1)


def sort_key(pair: PairView) -> tuple[int, float, str, str]:
    """Decided pairs by their difference, then equivalent ones, then open ones, the nearest to a verdict first."""
    place = {"equal": 1, "open": 2}.get(pair.kind, 0)
    within = pair.further if pair.kind == "open" else -(pair.estimate or 0.0)
    return (place, within, pair.system_a, pair.system_b)


def axis_limit(pairs: Sequence[PairResult], margin: float | None) -> float:
    """The smallest round limit that all intervals and the margin stay within."""
    reach = max([abs(end) for pair in pairs for end in (pair.difference.low, pair.difference.high)], default=1.0)
    return next(limit for limit in _LIMITS if limit >= max(reach, margin or 0.0) - _ROUNDING)


def pair_view(
    key: str,
    pair: PairResult,
    terms: Terms,
    currency: str,
    limit: float,
    examples: PairExamples | None = None,
) -> PairView:
    """The view of one pair, the winner first."""
    gap = pair.difference

    def place(value: float) -> float:
        return 50 + 50 * max(-1.0, min(1.0, value / limit))

    return PairView(
        key=key,
        system_a=pair.system_a,
        system_b=pair.system_b,
        kind=KINDS[pair.verdict],
        words=verdict_words(pair, terms.margin, currency, anew=not terms.going_on),
        further=math.inf if pair.items_to_decision is None else pair.items_to_decision,
        estimate=gap.estimate,
        difference=too_few_words([pair]) if gap.estimate is None else signed(gap.estimate),
        interval=signed_interval(gap.low, gap.high),
        low=place(gap.low),
        middle=None if gap.estimate is None else place(gap.estimate),
        high=place(gap.high),
        items=pair.items,
        labels=pair.labels,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        stopped=_stopped(pair),
        facts=_facts(pair),
        metric=metrics_of_pair(pair),
        examples=examples,
    )


def _stopped(pair: PairResult) -> str:
    if pair.stopped_at is None:
        return ""
    labels = "" if pair.labels_at_stop in (None, pair.stopped_at) else f", {pair.labels_at_stop:,} labels"
    return f"after {pair.stopped_at:,} of {pair.items:,} items{labels}"


def _facts(pair: PairResult) -> tuple[tuple[str, str], ...]:
    facts = [("Items", f"{pair.items:,}"), ("Labels", f"{pair.labels:,}")]
    if pair.stopped_at is not None:
        facts.append(("Verdict reached", _stopped(pair)))
    if pair.identical:
        facts.append(("Identical outputs (ties)", f"{pair.identical:,}"))
    if pair.clusters is not None:
        facts.append(("Items are in", clusters_words([pair])))
    claims = (f"that {pair.system_a} is better", f"that {pair.system_b} is better", "for equivalence")
    for claim, value in zip(claims, (pair.e_a, pair.e_b, pair.e_equivalent), strict=True):
        if value is not None:
            most = "beyond 10³⁰⁰" if value >= _LARGEST_E else f"= {e_number(math.log(value) if value else -math.inf)}"
            facts.append((f"Most evidence {claim}", f"E {most}"))
    if pair.p_value is not None:
        facts.append(("p-value, two-sided", f"{pair.p_value:.2g}"))
    if pair.p_adjusted is not None:
        facts.append(("Adjusted for all pairs", f"{pair.p_adjusted:.2g}"))
    if pair.theta is not None:
        facts.append((f"Probability that {pair.system_a} is better", number(pair.theta, 3)))
    if pair.k_hat is not None:
        facts.append(("Pareto k", number(pair.k_hat)))
    if pair.flags:
        facts.append(("Flags", ", ".join(pair.flags)))
    return tuple(facts)


_ROWS_AT_ONCE = 60

# Keeps a page below 10 MB where there are very many pairs or people; the rest is in the table and the JSON.
_PAIRS_DRAWN = 1_500
_PAIRS_LISTED = 5_000
_CELLS_WITH_WORDS = 10_000
_PEOPLE_LISTED = 1_000
_NO_EXAMPLES: Final[Mapping[Key, PairExamples]] = {}


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """`kind`: first (the row is better), second, equal, open, none (not compared) or self; `pair`: its identifier, ""
    where it is not drawn; `words`: "" where the matrix is too large for them."""

    kind: str
    pair: str
    words: str


@dataclass(frozen=True, slots=True)
class CriterionView:
    """Everything that the page shows beside what was `found` on one criterion. `key` makes identifiers unique; `limit`:
    the interval axis runs from -limit to limit; of the `pairs` the first `drawn` are drawn, `shown` of them at once,
    and the first `listed` are in the table; of the annotators the first `people_listed`."""

    key: str
    found: CriterionResult
    message: Message
    systems: tuple[SystemView, ...]
    figures: SystemFigures
    matrix: tuple[tuple[MatrixCell, ...], ...]
    pairs: tuple[PairView, ...]
    drawn: int
    shown: int
    listed: int
    people_listed: int
    limit: float
    intervals: str
    tiers: tuple[tuple[str, ...], ...]
    agreement: tuple[tuple[str, str], ...]
    metrics: tuple[MetricSummary, ...]


def criterion_views(result: CompareResult, examples: Mapping[Key, PairExamples] = _NO_EXAMPLES) -> list[CriterionView]:
    """One view per criterion; `examples`: items to read, by criterion, better and other system."""
    return [_view(f"c{k}", found, result, examples) for k, found in enumerate(result.results, 1)]


def _view(
    key: str, found: CriterionResult, result: CompareResult, examples: Mapping[Key, PairExamples]
) -> CriterionView:
    terms, currency = result.terms, str(result.study["currency"])
    limit = axis_limit(found.pairs, terms.margin)
    pairs = [
        pair_view(
            f"{key}-p{n}",
            pair,
            terms,
            currency,
            limit,
            examples.get((found.criterion, pair.system_a, pair.system_b)),
        )
        for n, pair in enumerate((one.winner_first() for one in found.pairs), 1)
    ]
    pairs.sort(key=sort_key)
    drawn, listed, cells = (
        max(most // len(result.results), 20) for most in (_PAIRS_DRAWN, _PAIRS_LISTED, _CELLS_WITH_WORDS)
    )
    systems = system_views(found)
    return CriterionView(
        key=key,
        found=found,
        message=message_of(found, terms, currency, result.campaign, result.own_analysis, result.watch),
        systems=systems,
        figures=compared_figures([found], terms),
        matrix=_matrix(systems, pairs, {pair.key for pair in pairs[:drawn]}, with_words=len(systems) ** 2 <= cells),
        pairs=tuple(pairs),
        drawn=min(drawn, len(pairs)),
        shown=min(drawn, _ROWS_AT_ONCE if len(pairs) > 2 * _ROWS_AT_ONCE else len(pairs)),
        listed=min(listed, len(pairs)),
        people_listed=min(_PEOPLE_LISTED, len(found.people)),
        limit=limit,
        intervals=interval_words(found.pairs, terms),
        tiers=tuple(tuple(sorted(tier, key=natural_key)) for tier in found.order.tiers) if found.order.edges else (),
        agreement=tuple(row for kind in found.agreement for row in agreement_rows(kind)),
        metrics=metrics_of_criterion(found.pairs),
    )


def _matrix(
    systems: Sequence[SystemView], pairs: Sequence[PairView], drawn: Set[str], *, with_words: bool
) -> tuple[tuple[MatrixCell, ...], ...]:
    """A row per system; only pairs that are `drawn` are linked to, and words are left out where they are too many."""
    cells: dict[tuple[str, str], MatrixCell] = {}
    turned = {"first": "second", "second": "first"}
    for pair in pairs:
        words = f"{pair.system_a} and {pair.system_b}: {pair.words}" if with_words else ""
        key = pair.key if with_words and pair.key in drawn else ""
        cells[pair.system_a, pair.system_b] = MatrixCell(pair.kind, key, words)
        cells[pair.system_b, pair.system_a] = MatrixCell(turned.get(pair.kind, pair.kind), key, words)
    cells |= {(system.name, system.name): MatrixCell("self", "", "") for system in systems}
    nothing = MatrixCell("none", "", "not compared")
    return tuple(tuple(cells.get((row.name, column.name), nothing) for column in systems) for row in systems)
