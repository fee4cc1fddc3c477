"""From what a rule found about a pair to its `PairResult`."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from tiebreak.evidence.pair_evidence import PairEvidence, PairSummary
from tiebreak.records import Verdict
from tiebreak.results.curves import EvidenceCurve
from tiebreak.results.records import LEAST_UNITS, Difference, MetricUse, PairResult, e_value, interval_flags
from tiebreak.rules.family import EvidenceVerdict
from tiebreak.rules.random_orders import StopInOrders


class Stop(NamedTuple):
    """Items and labels after which a verdict was reached."""

    items: int
    labels: int


def stop_after(pair: PairEvidence, units: int | None) -> Stop | None:
    """After so many units of evidence; None where no verdict was reached."""
    if units is None:
        return None
    items = units if pair.clusters is None else round(units * pair.items.size / len(pair.sequence))
    return Stop(items, int(pair.labels[:items].sum()))


def pair_result(
    pair: PairSummary,
    verdict: Verdict,
    difference: Difference,
    further_units: int | None,
    price: float | None,
    *,
    margin: float | None = None,
    also: Verdict | None = None,
    evidence: EvidenceVerdict | None = None,
    p_value: float | None = None,
    theta: float | None = None,
    mean_p: tuple[float, float, float] | None = None,
    p_interval: tuple[tuple[float, float], ...] | None = None,
    equivalence_interval: tuple[float, float] | None = None,
    effective_clusters: float | None = None,
    stop: Stop | None = None,
    campaign_stop: StopInOrders | None = None,
    drawn: int | None = None,
    k_hat: float | None = None,
    flags: tuple[str, ...] = (),
    metric: MetricUse | None = None,
    budget_left: int | None = None,
    curve: EvidenceCurve | None = None,
) -> PairResult:
    """The result of one pair, whatever the rule: its evidence counted, and units turned into items, labels and money.

    `further_units`: projected further need, 0 once decided, None if none is known. `stop`: when a verdict was reached.
    `drawn`: clusters that are the units of a claim about these items. What a rule lacks is None.
    """
    items, units, labels = pair.items, drawn or pair.units, pair.labels
    further_items = None if further_units is None else round(further_units * items / max(units, 1))
    further_labels = None if further_items is None else round(further_items * labels / max(items, 1))
    also = evidence.also if evidence is not None else also
    return PairResult(
        system_a=pair.system_a,
        system_b=pair.system_b,
        verdict=verdict,
        also=also,
        items=items,
        labels=labels,
        units=units,
        identical=pair.identical,
        clusters=drawn or pair.clusters,
        items_to_decision=further_items,
        labels_to_decision=further_labels,
        cost_to_decision=None if price is None or further_labels is None else round(further_labels * price, 2),
        stopped_at=None if stop is None else stop.items,
        labels_at_stop=None if stop is None else stop.labels,
        wins=pair.wins,
        ties=pair.ties,
        losses=pair.losses,
        difference=replace(difference, estimate=None if units < LEAST_UNITS else difference.estimate),
        e_a=None if evidence is None else e_value(evidence.log_e_a),
        e_b=None if evidence is None else e_value(evidence.log_e_b),
        e_equivalent=None
        if evidence is None or evidence.log_e_equivalent is None
        else e_value(evidence.log_e_equivalent),
        p_value=p_value,
        theta=theta,
        mean_p=mean_p,
        p_interval=p_interval,
        equivalence_interval=equivalence_interval,
        effective_clusters=effective_clusters,
        campaign_stop=campaign_stop,
        k_hat=k_hat,
        flags=(
            *flags,
            *interval_flags(verdict, difference.low, difference.high, margin),
        ),
        metric=metric,
        budget_left=budget_left,
        curve=curve,
    )
