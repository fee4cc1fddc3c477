"""One pair as the page shows it: words, interval on a common axis, outcomes, evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tiebreak.report.evidence_svg import evidence_range, evidence_svg, spoken_evidence
from tiebreak.results.curves import EvidenceCurve
from tiebreak.results.numbers import e_number, number, signed, signed_interval
from tiebreak.results.records import PairResult
from tiebreak.results.terms import Terms
from tiebreak.results.words import (
    MetricSummary,
    clusters_words,
    metrics_of_pair,
    too_few_words,
    verdict_words,
)

KINDS = {"a": "first", "b": "second", "equivalent": "equal", "undecided": "open"}
"""From a verdict to the name of its colour."""

_LIMITS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
_ROWS_OF_EVIDENCE = 7
_DECADE = math.log(10)
_LARGEST_E = 1e300  # results hold nothing larger

EvidenceRow = tuple[str, str, str, str, str, bool]
"""Items, labels, E for a, E for b, E for equivalence, and whether the pair stopped here."""


@dataclass(frozen=True, slots=True)
class PairView:
    """`kind`: first, second, equal or open. `low`, `middle`, `high`: the interval in percent of the axis.
    `facts`: name and value of what else is known. `drawing`: evidence as SVG, None without it; `beyond`: how far
    it goes beyond the drawing, in words."""

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
    drawing: str | None
    beyond: str
    evidence: tuple[EvidenceRow, ...]
    metric: MetricSummary | None

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
    return next(limit for limit in _LIMITS if limit >= min(max(reach, margin or 0.0), 1.0))


def pair_view(key: str, pair: PairResult, terms: Terms, currency: str, limit: float, points: int) -> PairView:
    """The view of one pair; `points` >= 3: of its evidence curve, at most."""
    gap = pair.difference
    curve = None if pair.curve is None else pair.curve.thinned(points)

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
        drawing=None if curve is None else evidence_svg(curve, spoken_evidence(curve)),
        beyond="" if curve is None else _beyond(curve),
        evidence=() if curve is None else _evidence_rows(curve),
        metric=metrics_of_pair(pair),
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
    if pair.theta is not None:
        facts.append((f"Probability that {pair.system_a} is better", number(pair.theta, 3)))
    if pair.k_hat is not None:
        facts.append(("Pareto k", number(pair.k_hat)))
    if pair.flags:
        facts.append(("Flags", ", ".join(pair.flags)))
    return tuple(facts)


def _beyond(curve: EvidenceCurve) -> str:
    """What the drawing leaves out at the top."""
    _, high = evidence_range(curve)
    paths = [path for path in (curve.log_e_a, curve.log_e_b, curve.log_e_equivalent) if path is not None]
    most = max(float(path.max()) for path in paths)
    return f"The curve goes on to E = {e_number(most)}." if most / _DECADE > high + 1e-9 else ""


def _evidence_rows(curve: EvidenceCurve) -> tuple[EvidenceRow, ...]:
    """A few rows of the curve's table, with the start, the end and the stop among them."""
    last = curve.items.size - 1
    chosen = set(np.linspace(0, last, min(_ROWS_OF_EVIDENCE, last + 1)).round().astype(int).tolist())
    stop = -1
    if curve.stopped_at is not None:
        stop = int(np.searchsorted(curve.items, curve.stopped_at))
        chosen.add(stop)
    equivalent = curve.log_e_equivalent
    return tuple(
        (
            f"{curve.items[k]:,}",
            f"{curve.labels[k]:,}",
            e_number(float(curve.log_e_a[k])),
            e_number(float(curve.log_e_b[k])),
            "" if equivalent is None else e_number(float(equivalent[k])),
            k == stop,
        )
        for k in sorted(chosen)
    )
