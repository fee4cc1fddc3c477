"""From a result to what the page shows: plain records of words and figures, so that the templates only place them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from tiebreak.report.layout import layout
from tiebreak.report.order_svg import order_svg
from tiebreak.report.pair_view import PairView, axis_limit, pair_view, sort_key
from tiebreak.report.system_view import SystemView, system_views
from tiebreak.results.annotators import Annotators, SystemRatings
from tiebreak.results.records import CompareResult, CriterionResult
from tiebreak.results.words import (
    Message,
    MetricSummary,
    agreement_rows,
    interval_words,
    message_of,
    metrics_of_criterion,
)

_POINTS_IN_ALL = 30_000  # of evidence curves on one page, which bounds its size
_ROWS_AT_ONCE = 60

# Keeps a page below 10 MB where there are very many pairs or people; the rest is in the table and the JSON.
_PAIRS_DRAWN = 1_500
_PAIRS_LISTED = 5_000
_CELLS_WITH_WORDS = 10_000
_PEOPLE_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """`kind`: first (the row is better), second, equal, open, none (not compared) or self; `pair`: its identifier, ""
    where it is not drawn; `words`: "" where the matrix is too large for them."""

    kind: str
    pair: str
    words: str


@dataclass(frozen=True, slots=True)
class CriterionView:
    """Everything that the page shows on one criterion. `key` makes identifiers unique; `limit`: the interval axis runs
    from -limit to limit; of the `pairs` the first `drawn` are drawn, `shown` of them at once, and the first `listed`
    are in the table; of the annotators the first `people_listed`."""

    key: str
    title: str | None
    message: Message
    labels: int
    people: int
    systems: tuple[SystemView, ...]
    matrix: tuple[tuple[MatrixCell, ...], ...]
    pairs: tuple[PairView, ...]
    drawn: int
    shown: int
    listed: int
    people_listed: int
    limit: float
    intervals: str
    order_drawing: str | None
    loose: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    annotators: Annotators
    agreement: tuple[tuple[str, str], ...]
    ratings: tuple[SystemRatings, ...]
    metrics: tuple[MetricSummary, ...]
    advice: tuple[str, ...]
    sentence: str


def criterion_views(result: CompareResult) -> list[CriterionView]:
    """One view per criterion."""
    points = max(40, min(200, _POINTS_IN_ALL // result.terms.family))
    return [_view(f"c{k}", found, result, points) for k, found in enumerate(result.results, 1)]


def _view(key: str, found: CriterionResult, result: CompareResult, points: int) -> CriterionView:
    terms, currency = result.terms, str(result.study["currency"])
    limit = axis_limit(found.pairs, terms.margin)
    pairs = [pair_view(f"{key}-p{n}", pair, terms, currency, limit, points) for n, pair in enumerate(found.pairs, 1)]
    pairs.sort(key=sort_key)
    drawn, listed, cells = (
        max(most // len(result.results), 20) for most in (_PAIRS_DRAWN, _PAIRS_LISTED, _CELLS_WITH_WORDS)
    )
    systems = system_views(found)
    drawing, loose = _order(found, systems, key)
    return CriterionView(
        key=key,
        title=found.criterion,
        message=message_of(found, terms, currency, result.campaign, result.own_analysis, result.watch),
        labels=found.labels,
        people=len(found.annotators),
        systems=systems,
        matrix=_matrix(systems, pairs, {pair.key for pair in pairs[:drawn]}, with_words=len(systems) ** 2 <= cells),
        pairs=tuple(pairs),
        drawn=min(drawn, len(pairs)),
        shown=min(drawn, _ROWS_AT_ONCE if len(pairs) > 2 * _ROWS_AT_ONCE else len(pairs)),
        listed=min(listed, len(pairs)),
        people_listed=min(_PEOPLE_LISTED, len(found.people)),
        limit=limit,
        intervals=interval_words(found.pairs, terms),
        order_drawing=drawing,
        loose=loose,
        cycles=found.order.cycles,
        annotators=found.people,
        agreement=tuple(row for kind in found.agreement for row in agreement_rows(kind)),
        ratings=found.ratings,
        metrics=metrics_of_criterion(found.pairs),
        advice=found.advice,
        sentence=found.sentence,
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
    rows = []
    for row in systems:
        line = []
        for column in systems:
            empty = MatrixCell("self" if row is column else "none", "", "" if row is column else "not compared")
            line.append(cells.get((row.name, column.name), empty))
        rows.append(tuple(line))
    return tuple(rows)


def _order(found: CriterionResult, systems: Sequence[SystemView], key: str) -> tuple[str | None, tuple[str, ...]]:
    """The drawing, None where there is nothing to draw: fewer than three systems, or nothing decided."""
    if len(systems) < 3 or not (found.order.edges or found.order.equivalences):
        return None, ()
    places = layout(found.order, [system.name for system in systems])
    drawing, _ = order_svg(found.order, places, {system.name: system.number for system in systems}, f"{key}-order")
    return drawing, places.loose
