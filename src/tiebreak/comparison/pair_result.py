"""From what a rule found about a pair to its `PairResult`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.records import Verdict
from tiebreak.results.records import LEAST_UNITS, Difference, PairResult, e_value, interval_flags
from tiebreak.rules.family import EvidenceVerdict


def pair_result(
    pair: PairSummary,
    verdict: Verdict,
    difference: Difference,
    further_units: int | None,
    price: float | None,
    *,
    margin: float | None = None,
    drawn: int | None = None,
    flags: tuple[str, ...] = (),
) -> PairResult:
    """The result of one pair, whatever the rule: its evidence counted, and units turned into items, labels and money.
    What only some rules know is for them to add.

    `further_units`: projected further need, 0 once decided, None if none is known. `drawn`: clusters that are the units
    of a claim about these items.
    """
    items, units, labels = pair.items, drawn or pair.units, pair.labels
    further_items = None if further_units is None else round(further_units * items / max(units, 1))
    further_labels = None if further_items is None else round(further_items * labels / max(items, 1))
    return PairResult(
        system_a=pair.system_a,
        system_b=pair.system_b,
        verdict=verdict,
        also=None,
        items=items,
        labels=labels,
        units=units,
        identical=pair.identical,
        clusters=drawn or pair.clusters,
        items_to_decision=further_items,
        labels_to_decision=further_labels,
        cost_to_decision=None if price is None or further_labels is None else round(further_labels * price, 2),
        stopped_at=None,
        labels_at_stop=None,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        difference=replace(difference, estimate=None if units < LEAST_UNITS else difference.estimate),
        flags=(*flags, *interval_flags(verdict, difference.low, difference.high, margin)),
    )


def with_stop(result: PairResult, pair: PairEvidence, stopped_at: int | None) -> PairResult:
    """The same with the items and labels of the units after which its verdict was reached; None: it was not."""
    if stopped_at is None:
        return result
    items = stopped_at if pair.clusters is None else round(stopped_at * result.items / result.units)
    return replace(result, stopped_at=items, labels_at_stop=int(np.sum(pair.labels[:items])))


def with_evidence(result: PairResult, pair: PairEvidence, found: EvidenceVerdict) -> PairResult:
    """The same with the e-values of the rule `anytime`, and where it would have stopped."""
    equivalent = found.log_e_equivalent
    return replace(
        with_stop(result, pair, found.stopped_at),
        also=found.also,
        e_a=e_value(found.log_e_a),
        e_b=e_value(found.log_e_b),
        e_equivalent=None if equivalent is None else e_value(equivalent),
    )
