"""From the evidence of all pairs to one `PairResult` each, by the method asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tiebreak.comparison.assistance import adjusted_mean, expected_saving, explained_shares, metric_use
from tiebreak.comparison.curves import evidence_curve
from tiebreak.comparison.processes import family_rule, pair_processes
from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.evidence.study_evidence import PairEvidence
from tiebreak.kernels.stopping_estimate import estimate_at_stop
from tiebreak.records import OrderOfItems, Verdict
from tiebreak.results.comparison_terms import anytime_validity, fixed_validity
from tiebreak.results.curves import EvidenceCurve
from tiebreak.results.numbers import percent
from tiebreak.results.records import (
    BEYOND_BUDGET,
    LEAST_UNITS,
    Difference,
    MetricUse,
    PairResult,
    e_value,
    interval_flags,
)
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.anytime import Priors, evidence_paths
from tiebreak.rules.family import EvidenceVerdict, FamilyRule, decide_family, simultaneous_log_threshold
from tiebreak.rules.fixed_sample import FixedVerdict, dirichlet_verdict, hoeffding_verdict, sign_verdicts
from tiebreak.rules.projection import further_units_fixed, units_to_verdict

_SOON_AFTER = 1.1  # labels in their recorded order that end so soon after a verdict were ended by it


def judge_pairs(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
    price: float | None,
    order_of_items: OrderOfItems,
) -> list[PairResult]:
    """One result per pair, in the same order; all pairs are one family.

    `automatic`: values of metrics and judges, one record per pair, or none at all. `price` per label, None if unknown.
    `order_of_items`: that of the evidence. In an exchangeable order the data were complete before anybody looked;
    otherwise they may end where a verdict was reached, and estimates of decided pairs are shrunk.
    """
    if settings.rule == "posterior":
        return _posterior(evidence, automatic, settings, price)
    if settings.rule == "anytime":
        return _anytime(evidence, automatic, settings, order_of_items, price)
    rule = family_rule(settings, order_of_items)
    if settings.rule == "fixed":
        verdicts = sign_verdicts([pair.counts for pair in evidence], rule)
    elif settings.rule == "hoeffding":
        verdicts = [hoeffding_verdict(pair.sequence.for_a, settings.alpha) for pair in evidence]
    else:
        verdicts = [dirichlet_verdict(pair.counts, settings.alpha) for pair in evidence]
    family = len(evidence) if settings.rule == "fixed" and settings.multiplicity in ("holm", "bonferroni") else 1
    validity = fixed_validity(settings, family, clustered=any(pair.clusters is not None for pair in evidence))
    return [
        _fixed(pair, verdict, settings, family, validity, price)
        for pair, verdict in zip(evidence, verdicts, strict=True)
    ]


def _anytime(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
    order_of_items: OrderOfItems,
    price: float | None,
) -> list[PairResult]:
    priors, rule = Priors.default(), family_rule(settings, order_of_items)
    validity = anytime_validity(settings, len(evidence), order_of_items)
    processes = pair_processes(evidence, automatic, settings, order_of_items, priors)
    paths = [evidence_paths(process.used, settings.margin) for process in processes]
    verdicts = decide_family(paths, rule)
    helped: list[tuple[MetricUse | None, float]] = [(None, pair.sequence.mean) for pair in evidence]
    if automatic:
        alone = [evidence_paths(process.alone, settings.margin) for process in processes]
        without = decide_family(alone, rule)
        helped = [
            _metric_use(pair, values, settings, used=process.assisted, without=verdict)
            for pair, values, process, verdict in zip(evidence, automatic, processes, without, strict=True)
        ]
    log_threshold = simultaneous_log_threshold(len(evidence), rule)
    results = []
    for pair, process, path, verdict, (use, mean) in zip(evidence, processes, paths, verdicts, helped, strict=True):
        low, high = process.used.interval(log_threshold)
        # Fewer looks and a search within a tolerance may leave 0 inside although this very process rejected it at this
        # threshold. (A direction that only a later step of Holm found may be ahead of the simultaneous interval.)
        low = max(low, 0.0) if verdict.verdict == "a" and verdict.log_e_a >= log_threshold else low
        high = min(high, 0.0) if verdict.verdict == "b" and verdict.log_e_b >= log_threshold else high
        thresholds = (verdict.log_threshold, verdict.log_threshold_equivalent)
        further: int | None = 0
        if verdict.verdict == "undecided":
            further = units_to_verdict(pair.sequence, *thresholds, settings.margin, priors)
        if further and use is not None and use.saved is not None and pair.sequence.pool_size is None:
            further = max(1, round(further * (1 - use.saved.share)))
        beyond = further is not None and pair.most_units is not None and further > pair.most_units - len(pair.sequence)
        difference = Difference(_estimate(pair, mean, verdict.stopped_at, rule), low, high, validity)
        stopped_at = verdict.stopped_at
        results.append(
            _result(
                pair,
                verdict.verdict,
                difference,
                None if beyond else further,
                stopped_at,
                price,
                margin=settings.margin,
                evidence=verdict,
                flags=(BEYOND_BUDGET,) if beyond else (),
                metric=use,
                budget_left=_budget_left(pair, settings.items_per_pair),
                curve=evidence_curve(pair, path, verdict),
            )
        )
    return results


def _budget_left(pair: PairEvidence, budget: int | None) -> int | None:
    """Items of the pair that may still be labelled; None without a budget."""
    return None if budget is None else max(0, budget - (int(pair.items.size) - pair.identical))


def _metric_use(
    pair: PairEvidence, values: PairAutomatic, settings: CompareSettings, *, used: bool, without: EvidenceVerdict
) -> tuple[MetricUse, float]:
    """What the metric did for the pair, and the pair's mean, corrected by the metric if it was used."""
    use = replace(metric_use(pair, values, settings.metric_tie_threshold), stopped_at_without=without.stopped_at)
    if not used:
        return replace(use, used=False), pair.sequence.mean
    saved, shares = expected_saving(pair, values, settings.seed), explained_shares(pair, values)
    return replace(use, used=True, saved=saved, shares=shares), adjusted_mean(pair, values)


def _estimate(pair: PairEvidence, mean: float, stopped_at: int | None, rule: FamilyRule) -> float:
    """The mean over all labels, or, where labelling seems to have stopped at the verdict, that mean shrunk."""
    sequence = pair.sequence
    stopped_there = stopped_at is not None and len(sequence) <= _SOON_AFTER * stopped_at
    if rule.independent_stops or not stopped_there:
        return mean
    variance = sequence.scale**2 * float(sequence.for_a.var())  # on the scale of the mean, known ties included
    return estimate_at_stop(mean, variance, len(sequence), sequence.pool_size)


def _fixed(
    pair: PairEvidence,
    verdict: FixedVerdict,
    settings: CompareSettings,
    family: int,
    validity: str,
    price: float | None,
) -> PairResult:
    further: int | None = 0
    if verdict.verdict == "undecided":
        further = further_units_fixed(settings.rule, pair.sequence.for_a, settings.alpha, family)
    wins, _, losses = pair.counts
    estimate = (wins - losses) / pair.items.size if settings.rule != "hoeffding" else pair.sequence.mean
    difference = Difference(estimate, verdict.low, verdict.high, validity)
    return _result(
        pair,
        verdict.verdict,
        difference,
        further,
        verdict.stopped_at,
        price,
        p_value=verdict.p_value,
        theta=verdict.theta,
    )


def _posterior(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
    price: float | None,
) -> list[PairResult]:
    """Pair by pair: the paper corrects for no multiplicity, and gives no number of further labels."""
    from tiebreak.comparison.posterior import is_forced_choice, posterior_verdict

    threshold = settings.metric_tie_threshold
    forced = is_forced_choice(zip(evidence, automatic, strict=True), threshold)
    validity = f"{percent(1 - settings.alpha)} posterior probability under the metric-error model, for this pair"
    results = []
    for pair, values in zip(evidence, automatic, strict=True):
        found = posterior_verdict(pair, values, threshold, settings.alpha, forced=forced)
        results.append(
            _result(
                pair,
                found.verdict,
                Difference(found.mean, found.low, found.high, validity),
                None if found.verdict == "undecided" else 0,
                None,
                price,
                theta=found.theta,
                mean_p=found.mean_p,
                p_interval=found.p_interval,
                k_hat=found.k_hat,
                flags=found.flags,
                metric=metric_use(pair, values, threshold),
            )
        )
    return results


def _result(
    pair: PairEvidence,
    verdict: Verdict,
    difference: Difference,
    further_units: int | None,
    stopped_at: int | None,
    price: float | None,
    *,
    margin: float | None = None,
    evidence: EvidenceVerdict | None = None,
    p_value: float | None = None,
    theta: float | None = None,
    mean_p: tuple[float, float, float] | None = None,
    p_interval: tuple[tuple[float, float], ...] | None = None,
    k_hat: float | None = None,
    flags: tuple[str, ...] = (),
    metric: MetricUse | None = None,
    budget_left: int | None = None,
    curve: EvidenceCurve | None = None,
) -> PairResult:
    wins, ties, losses = pair.counts
    items, units, labels = int(pair.items.size), len(pair.sequence), int(pair.labels.sum())
    further_items = None if further_units is None else round(further_units * items / max(units, 1))
    further_labels = None if further_items is None else round(further_items * labels / max(items, 1))
    clustered = pair.clusters is not None
    stop_items = round(stopped_at * items / units) if stopped_at is not None and clustered else stopped_at
    also = evidence.also if evidence is not None else None
    return PairResult(
        system_a=pair.system_a,
        system_b=pair.system_b,
        verdict=verdict,
        also=also,
        items=items,
        labels=labels,
        units=units,
        identical=pair.identical,
        clusters=pair.clusters,
        items_to_decision=further_items,
        labels_to_decision=further_labels,
        cost_to_decision=None if price is None or further_labels is None else round(further_labels * price, 2),
        stopped_at=stop_items,
        labels_at_stop=None if stop_items is None else int(np.sum(pair.labels[:stop_items])),
        wins=wins,
        ties=ties,
        losses=losses,
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
        k_hat=k_hat,
        flags=(
            *(("both-directions-reached",) if also in ("a", "b") else ()),
            *flags,
            *interval_flags(verdict, difference.low, difference.high, margin),
        ),
        metric=metric,
        budget_left=budget_left,
        curve=curve,
    )
