"""From the evidence of all pairs to one `PairResult` each, by the rule asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.comparison.assistance import (
    adjusted_mean,
    expected_saving,
    explained_shares,
    metric_assistance,
    metric_use,
)
from tiebreak.comparison.finished import finished_results
from tiebreak.comparison.pair_result import evidence_curve, pair_result, with_evidence, with_stop
from tiebreak.comparison.people import PeopleTests
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import AutomaticPairs, PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, StudyEvidence
from tiebreak.records import Verdict
from tiebreak.results.records import (
    BEYOND_BUDGET,
    BEYOND_ITEMS,
    CONTRADICTION,
    NOT_PROJECTED,
    Difference,
    MetricUse,
    PairResult,
)
from tiebreak.results.settings import DEFAULT_RULE, CompareSettings
from tiebreak.rules.anytime import anytime_validity, family_of
from tiebreak.rules.family import Family
from tiebreak.rules.planned import interval, units_to_verdict
from tiebreak.rules.planned_set import PairScan, PairSet, PairVerdict, plan_set, scan, set_verdicts
from tiebreak.rules.power import FARTHEST, PlannedPower, least_units
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import VERDICTS, MeasureFacts, PlanError, Rule, Units, Validity

Floats = NDArray[np.float64]

_GRID = 0.01  # step of the grid on which intervals are found


def evidence_settings(settings: CompareSettings) -> EvidenceSettings:
    """How labels become values."""
    return EvidenceSettings(
        settings.several,
        settings.tie_threshold,
        settings.target,
        settings.seed,
        settings.baseline,
        settings.items_per_pair,
        ordered=RULES[settings.rule].looks != "one",
        raters=settings.raters,
    )


def judge_pairs(
    evidence: StudyEvidence,
    automatic: AutomaticPairs,
    settings: CompareSettings,
    price: float | None,
    over_people: PeopleTests | None = None,
) -> list[PairResult]:
    """One result per pair, in the same order; all pairs are one family.

    `automatic`: values of metrics and judges, one record per pair, or none at all. `price` per label, None if unknown.
    `over_people`: the tests, where verdicts are to hold for people like these.
    """
    rule = RULES[settings.rule]
    if rule.looks == "one":
        return finished_results(evidence, automatic, settings, price, over_people)
    if rule.plans_items:
        return anytime_results(evidence.pairs, automatic, settings, price)
    return _by_steps(evidence.pairs, automatic, settings, price)


def anytime_results(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
    price: float | None,
    *,
    every_look: bool = False,
) -> list[PairResult]:
    """One result per pair of a family by the rule `anytime`, each planned for its budget or for the units it has.

    `every_look`: labels come in; else they are a finished set.
    """
    family, budget = family_of(settings, len(evidence)), settings.items_per_pair
    if budget is not None:
        _check_budget(budget, evidence, family)
    validity = anytime_validity(settings, len(evidence), every_look=every_look)
    alone = [_planned(family, pair, None, settings) for pair in evidence]
    helped = [_planned(family, *of, settings) for of in zip(evidence, automatic, strict=True)] if automatic else alone
    scans = scan(helped)
    verdicts = set_verdicts(family, scans)
    stops: Sequence[int | None] = [None] * len(evidence)
    if automatic:
        stops = [of.stopped_at for of in set_verdicts(family, scan(alone))]
    results = []
    for k, (pair, one, verdict) in enumerate(zip(evidence, scans, verdicts, strict=True)):
        use, mean = None, pair.sequence.mean
        if automatic:
            use, mean = _help(pair, automatic[k], settings, used=helped[k].help is not None, stopped_without=stops[k])
        low, high = interval(one.plan, one.state, family.simultaneous)
        if verdict.also in ("a", "b") or low > high + _GRID:
            results.append(_contradiction(pair, validity, price, use))
            continue
        further, flags = _further(pair, one, verdict, BEYOND_ITEMS if every_look else BEYOND_BUDGET)
        judged = pair_result(
            pair.summary(), verdict.verdict, Difference(mean, low, high, validity), further, price,
            margin=settings.margin, flags=flags,
        )  # fmt: skip
        results.append(
            replace(
                with_evidence(judged, pair, verdict),
                metric=use,
                budget_left=None if budget is None else max(0, budget - (int(pair.items.size) - pair.identical)),
                curve=evidence_curve(pair, one, verdict),
            )
        )
    return results


def _check_budget(budget: int, evidence: Sequence[PairEvidence], family: Family) -> None:
    """Refuse a plan that could not even decide if all answers were equal; the smallest that could is named."""
    enough = least_units(family.first_level)
    alone = [pair for pair in evidence if pair.clusters is None and not pair.identical]
    if budget >= enough or not alone or any((pair.sequence.pool_size or budget + 1) <= budget for pair in alone):
        return
    whom = f"{len(evidence):,} pairs tested together" if len(evidence) > 1 else "one pair"
    raise UsageError(
        f"a budget of {budget} items a pair can decide nothing, even if all answers are the same: {whom} at this alpha "
        f"need{'' if len(evidence) > 1 else 's'} at least {enough}"
    )


def _planned(family: Family, pair: PairEvidence, values: PairAutomatic | None, settings: CompareSettings) -> PairSet:
    help_ = None if values is None else metric_assistance(pair, values)
    single = pair.clusters is None and pair.sequence.pool_size is None and pair.different.size == pair.items.size
    known = ~pair.different[pair.in_sequence] if single else None
    return plan_set(family, pair.sequence, most=pair.most_units, margin=settings.margin, help_=help_, known=known)


def _further(
    pair: PairEvidence, scanned: PairScan, verdict: PairVerdict, beyond: str
) -> tuple[int | None, tuple[str, ...]]:
    """Further units until a verdict with a chance of 80%, and why none is given.

    Within a plan from the evidence at hand; of a set that is all there, until a larger one would be decided.
    """
    if verdict.verdict != "undecided":
        return 0, ()
    level, count = math.exp(-verdict.log_threshold), len(pair.sequence)
    if pair.most_units is not None:
        easier = verdict.log_threshold_equivalent
        level_equivalent = None if easier is None else math.exp(-easier)
        further = units_to_verdict(scanned.plan, scanned.state, level, level_equivalent)
        return further, () if further is not None or not count else (beyond,)
    mean, square = float(scanned.state.mean[0]), float(np.mean(pair.sequence.for_a**2)) if count else 0.0
    if not mean or not square:
        return None, ()
    pool = pair.sequence.pool_size
    power = PlannedPower(level, square, pool=pool)
    most = FARTHEST * count if pool is None else pool
    needed = power.smallest_plan(np.array([mean]), most)
    return None if needed is None else max(needed - count, 1), ()


def _contradiction(pair: PairEvidence, validity: Validity, price: float | None, use: MetricUse | None) -> PairResult:
    """Of a pair whose evidence rules out every difference: no verdict, and an interval that rules out none."""
    nothing = Difference(None, -1.0, 1.0, validity)
    return replace(pair_result(pair.summary(), "undecided", nothing, None, price, flags=(CONTRADICTION,)), metric=use)


def _help(
    pair: PairEvidence,
    values: PairAutomatic,
    settings: CompareSettings,
    *,
    used: bool,
    stopped_without: int | None,
) -> tuple[MetricUse, float]:
    """What metrics did for a pair, and its mean, corrected by them if they were used."""
    use = replace(metric_use(pair, values, settings.metric_tie_threshold), stopped_at_without=stopped_without)
    if not used:
        return replace(use, used=False), pair.sequence.mean
    saved, shares = expected_saving(pair, values, settings.seed), explained_shares(pair, values)
    return replace(use, used=True, saved=saved, shares=shares), adjusted_mean(pair, values)


def _by_steps(
    evidence: Sequence[PairEvidence], automatic: Sequence[PairAutomatic], settings: CompareSettings, price: float | None
) -> list[PairResult]:
    """One result per pair by a rule that takes the values as a campaign would, in their order."""
    rule = RULES[settings.rule]
    plans = _step_plans(rule, evidence, automatic, settings)
    advanced = [
        rule.advance(plan, rule.start(plan), Units.labelled(pair.sequence.for_a[None]))
        for plan, pair in zip(plans, evidence, strict=True)
    ]
    states, paths = [state for state, _ in advanced], [path[0] for _, path in advanced]
    summaries = rule.summary(plans, states, settings)
    results = []
    for k, (pair, summary) in enumerate(zip(evidence, summaries, strict=True)):
        verdict, stopped_at = _first_verdict(rule, plans, paths, k, settings)
        is_open = verdict == "undecided"
        flags = (NOT_PROJECTED, *summary.flags) if is_open and summary.mean_p is None else summary.flags
        difference = Difference(summary.estimate, summary.low, summary.high, summary.validity)
        found = pair_result(pair.summary(), verdict, difference, None if is_open else 0, price, flags=flags)
        use = metric_use(pair, automatic[k], settings.metric_tie_threshold) if automatic else None
        results.append(
            replace(
                with_stop(found, pair, None if rule.by_batches else stopped_at),
                theta=summary.theta,
                mean_p=summary.mean_p,
                p_interval=summary.p_interval,
                k_hat=summary.k_hat,
                metric=use,
            )
        )
    return results


def _step_plans(
    rule: Rule[Any, Any],
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
) -> list[Any]:
    """The plans for the units that there are."""
    facts = []
    for k, pair in enumerate(evidence):
        outcomes = None
        if automatic:
            labelled, others = automatic[k].outcomes(settings.metric_tie_threshold)
            outcomes = np.concatenate([labelled[pair.in_sequence], others])
        facts.append(
            MeasureFacts(
                most_units=len(pair.sequence),
                outcomes_only=not pair.clustered,
                pool_size=pair.sequence.pool_size,
                scale=pair.sequence.scale,
                metric_outcomes=outcomes,
                forced_choice=bool(pair.values.all()),
            )
        )
    try:
        return rule.prepare(facts, settings)
    except PlanError as error:
        raise UsageError(f"{error}: leave the column cluster out, or take --rule {DEFAULT_RULE}") from error


def _first_verdict(
    rule: Rule[Any, Any], plans: Sequence[Any], paths: Sequence[Floats], k: int, settings: CompareSettings
) -> tuple[Verdict, int | None]:
    """The first verdict along the path of a pair, and the units until then."""
    path = np.maximum.accumulate(paths[k], axis=0)[:, None]
    if not len(path):
        return "undecided", None
    own, place = [plans[k]], 0
    if rule.controls_error:  # by what all pairs came to in the end
        at_end = np.stack([of.max(axis=0) if len(of) else np.full(path.shape[2], -np.inf) for of in paths])
        together = np.repeat(at_end[None], len(path), axis=0)
        together[:, k] = path[:, 0]
        path, own, place = together, list(plans), k
    codes = rule.verdicts(own, path, settings)[:, place]
    if not codes.any():
        return "undecided", None
    first = int((codes != 0).argmax())
    return VERDICTS[int(codes[first])], first + 1
