"""From a result to what the page shows: plain records of words and figures, so that the templates only place them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.analysis.evidence_curves import EvidenceCurve, evidence_curves
from tiebreak.analysis.result import CompareResult, CriterionResult, MetricUse
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.report.agreement_words import agreement_rows
from tiebreak.report.layout import layout
from tiebreak.report.message import Message, message_of, systems_by_rank
from tiebreak.report.order_svg import order_svg
from tiebreak.report.pair_view import PairView, axis_limit, pair_view, sort_key
from tiebreak.report.people import AnnotatorLabels, SystemRatings, annotator_labels, selected, system_ratings

_POINTS_IN_ALL = 40_000  # of evidence curves on one page, which bounds its size
_ROWS_AT_ONCE = 60


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """`kind`: first (the row is better), second, equal, open, none (not compared) or self; `pair`: its identifier."""

    kind: str
    pair: str
    words: str


@dataclass(frozen=True, slots=True)
class SystemView:
    """One system: its place in the order, and its wins, ties and losses over all items of all its pairs."""

    name: str
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
        """Percent of the compared items."""
        return 100 * count / self.items


@dataclass(frozen=True, slots=True)
class CriterionView:
    """Everything that the page shows on one criterion. `key` makes identifiers unique; `limit`: the interval axis runs
    from -limit to limit; `shown` of the `pairs` are listed at once."""

    key: str
    title: str | None
    message: Message
    labels: int
    people: int
    systems: tuple[SystemView, ...]
    matrix: tuple[tuple[MatrixCell, ...], ...]
    pairs: tuple[PairView, ...]
    shown: int
    limit: float
    validity: str
    order_drawing: str | None
    loose: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...]
    annotators: tuple[AnnotatorLabels, ...]
    names_only: tuple[str, ...]
    agreement: tuple[tuple[str, str], ...]
    ratings: tuple[SystemRatings, ...]
    metrics: tuple[MetricUse, ...]
    advice: tuple[str, ...]
    sentence: str


def criterion_views(result: CompareResult, study: Study | None) -> list[CriterionView]:
    """One view per criterion; evidence curves, labels per annotator and ratings need the study.

    Raises:
        UsageError: the study does not hold the labels that the result was made from.
    """
    curves: Sequence[EvidenceCurve] = ()
    if study is not None:
        _check_same(result, study)
        curves = evidence_curves(study, result.settings, points=max(40, min(200, _POINTS_IN_ALL // result.family)))
    views = []
    for k, found in enumerate(result.results, 1):
        mine, curves = curves[: len(found.pairs)], curves[len(found.pairs) :]
        views.append(_view(f"c{k}", found, result, study, mine))
    return views


def _check_same(result: CompareResult, study: Study) -> None:
    if selected(study, result.settings).label_fingerprint != result.study["fingerprint"]:
        raise UsageError(
            f"the study {study.name} does not hold the labels of this result (of study {result.study['name']}): give "
            "the study that was compared, or none"
        )


def _view(
    key: str, found: CriterionResult, result: CompareResult, study: Study | None, curves: Sequence[EvidenceCurve]
) -> CriterionView:
    settings, currency = result.settings, str(result.study["currency"])
    limit = axis_limit(found.pairs, settings.margin)
    pairs = [
        pair_view(f"{key}-p{n}", pair, settings, currency, limit, curves[n - 1] if curves else None)
        for n, pair in enumerate(found.pairs, 1)
    ]
    systems = _systems(found)
    drawing, loose = _order(found, systems, key)
    uses = tuple(pair.metric for pair in found.pairs if pair.metric is not None)
    return CriterionView(
        key=key,
        title=found.criterion,
        message=message_of(found, settings, currency),
        labels=found.labels,
        people=len(found.annotators),
        systems=systems,
        matrix=_matrix(systems, pairs),
        pairs=tuple(sorted(pairs, key=sort_key)),
        shown=_ROWS_AT_ONCE if len(pairs) > 2 * _ROWS_AT_ONCE else len(pairs),
        limit=limit,
        validity=found.pairs[0].difference.validity,
        order_drawing=drawing,
        loose=loose,
        cycles=found.order.cycles,
        annotators=() if study is None else tuple(annotator_labels(study, found.criterion, settings)),
        names_only=found.annotators if study is None else (),
        agreement=tuple(row for kind in found.agreement for row in agreement_rows(kind)),
        ratings=() if study is None else tuple(system_ratings(study, found.criterion, settings)),
        metrics=_pooled(uses),
        advice=found.advice,
        sentence=found.sentence,
    )


def _systems(found: CriterionResult) -> tuple[SystemView, ...]:
    order = found.order
    tier = {name: k for k, names in enumerate(order.tiers, 1) for name in names}
    ranked = systems_by_rank(found)
    views = []
    for number, name in enumerate(ranked, 1):
        first = [pair for pair in found.pairs if pair.system_a == name]
        second = [pair for pair in found.pairs if pair.system_b == name]
        beats = {loser for winner, loser in order.edges if winner == name}
        beaten_by = {winner for winner, loser in order.edges if loser == name}
        same = {a if b == name else b for a, b in order.equivalences if name in (a, b)}
        views.append(
            SystemView(
                name=name,
                number=number,
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


def _matrix(systems: Sequence[SystemView], pairs: Sequence[PairView]) -> tuple[tuple[MatrixCell, ...], ...]:
    cells: dict[tuple[str, str], MatrixCell] = {}
    turned = {"first": "second", "second": "first"}
    for pair in pairs:
        words = f"{pair.system_a} and {pair.system_b}: {pair.words}"
        cells[pair.system_a, pair.system_b] = MatrixCell(pair.kind, pair.key, words)
        cells[pair.system_b, pair.system_a] = MatrixCell(turned.get(pair.kind, pair.kind), pair.key, words)
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


def _pooled(uses: Sequence[MetricUse]) -> tuple[MetricUse, ...]:
    """One record over all pairs per set of metrics; both orders of a pair count alike, so sums stay meaningful only
    for agreement and ties."""
    found = []
    for names in dict.fromkeys(use.names for use in uses):
        mine = [use for use in uses if use.names == names]
        size = len(mine[0].confusion)
        table = tuple(tuple(sum(use.confusion[k][c] for use in mine) for c in range(size)) for k in range(size))
        total = sum(map(sum, table))
        agreeing = sum(table[k][k] for k in range(size))
        found.append(MetricUse(names, table, agreeing / total if total else None, sum(use.unlabelled for use in mine)))
    return tuple(found)
