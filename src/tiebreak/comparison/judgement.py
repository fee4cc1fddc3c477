"""From the evidence of all pairs to one `PairResult` each, by the method asked for.

`--rule posterior`: a Bayesian model of a metric's mistakes (metric-error-correction, Algorithm 1), per pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.comparison.assistance import (
    OUTCOME_CLASSES,
    adjusted_mean,
    confusion_counts,
    expected_saving,
    explained_shares,
    metric_assistance,
    metric_use,
)
from tiebreak.comparison.finished import finished_results
from tiebreak.comparison.pair_result import evidence_curve, pair_result, with_evidence, with_stop
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import AutomaticPairs, PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, StudyEvidence
from tiebreak.kernels.metric_error import decide, metric_error_posterior
from tiebreak.records import Verdict
from tiebreak.results.comparison_terms import anytime_validity, counts_validity
from tiebreak.results.guarantee import Validity
from tiebreak.results.numbers import percent
from tiebreak.results.records import BEYOND_BUDGET, BEYOND_ITEMS, CONTRADICTION, Difference, MetricUse, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.finished_family import ReproducedVerdict, dirichlet_verdict, hoeffding_verdict
from tiebreak.rules.finished_projection import least_units
from tiebreak.rules.planned import Family, interval, units_to_verdict
from tiebreak.rules.planned_set import PairScan, PairSet, PairVerdict, plan_set, scan, set_verdicts
from tiebreak.rules.power import PlannedPower

Floats = NDArray[np.float64]

_GRID = 0.01  # step of the grid on which intervals are found
_FARTHEST = 100  # times the units at hand: beyond this there is no end in sight


def evidence_settings(settings: CompareSettings) -> EvidenceSettings:
    """How labels become values."""
    return EvidenceSettings(
        settings.several,
        settings.tie_threshold,
        settings.target,
        settings.seed,
        settings.baseline,
        settings.items_per_pair,
        ordered=settings.rule != "fixed",
        raters=settings.raters,
    )


def judge_pairs(
    evidence: StudyEvidence, automatic: AutomaticPairs, settings: CompareSettings, price: float | None
) -> list[PairResult]:
    """One result per pair, in the same order; all pairs are one family.

    `automatic`: values of metrics and judges, one record per pair, or none at all. `price` per label, None if unknown.
    """
    if settings.rule == "fixed":
        return finished_results(evidence, automatic, settings, price)
    pairs = evidence.pairs
    if settings.rule == "posterior":
        return _posterior(pairs, automatic, settings, price)
    if settings.rule == "anytime":
        return anytime_results(pairs, automatic, settings, price)
    if settings.rule == "hoeffding":
        verdicts = [hoeffding_verdict(pair.sequence.for_a, settings.alpha) for pair in pairs]
    else:
        verdicts = [dirichlet_verdict(pair.counts, settings.alpha) for pair in pairs]
    validity = counts_validity(settings, clustered=any(pair.clusters is not None for pair in pairs))
    return [
        _from_counts(pair, verdict, settings, validity, price) for pair, verdict in zip(pairs, verdicts, strict=True)
    ]


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
    family = Family(settings.alpha, settings.multiplicity, len(evidence), settings.margin is not None)
    if settings.items_per_pair is not None:
        _check_budget(settings.items_per_pair, evidence, family)
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
                budget_left=_budget_left(pair, settings.items_per_pair),
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
    most = _FARTHEST * count if pool is None else pool
    needed = power.smallest_plan(np.array([mean]), most)
    return None if needed is None else max(needed - count, 1), ()


def _contradiction(pair: PairEvidence, validity: Validity, price: float | None, use: MetricUse | None) -> PairResult:
    """Of a pair whose evidence rules out every difference: no verdict, and an interval that rules out none."""
    nothing = Difference(None, -1.0, 1.0, validity)
    return replace(pair_result(pair.summary(), "undecided", nothing, None, price, flags=(CONTRADICTION,)), metric=use)


def _budget_left(pair: PairEvidence, budget: int | None) -> int | None:
    """Items of the pair that may still be labelled; None without a budget."""
    return None if budget is None else max(0, budget - (int(pair.items.size) - pair.identical))


class _Help(NamedTuple):
    """What metrics did for a pair, and its mean, corrected by them if they were used."""

    use: MetricUse | None
    mean: float


def _help(
    pair: PairEvidence,
    values: PairAutomatic,
    settings: CompareSettings,
    *,
    used: bool,
    stopped_without: int | None,
) -> _Help:
    use = replace(metric_use(pair, values, settings.metric_tie_threshold), stopped_at_without=stopped_without)
    if not used:
        return _Help(replace(use, used=False), pair.sequence.mean)
    saved, shares = expected_saving(pair, values, settings.seed), explained_shares(pair, values)
    return _Help(replace(use, used=True, saved=saved, shares=shares), adjusted_mean(pair, values))


def _from_counts(
    pair: PairEvidence,
    verdict: ReproducedVerdict,
    settings: CompareSettings,
    validity: Validity,
    price: float | None,
) -> PairResult:
    further: int | None = 0
    if verdict.verdict == "undecided":
        further = _further_by_counts(settings.rule, pair.sequence.for_a, settings.alpha)
    wins, _, losses = pair.counts
    estimate = (wins - losses) / pair.items.size if settings.rule != "hoeffding" else pair.sequence.mean
    difference = Difference(estimate, verdict.low, verdict.high, validity)
    found = pair_result(pair.summary(), verdict.verdict, difference, further, price)
    return replace(with_stop(found, pair, verdict.stopped_at), theta=verdict.theta)


def _further_by_counts(rule: str, values: Floats, alpha: float) -> int | None:
    """At what further size a sample like this one would decide by the rules `hoeffding` and `dirichlet`.

    Dirichlet posterior: z grows with the square root of the sample, and decides at the normal quantile of 1 - alpha/2.
    Hoeffding: n > ln(1/d) / (2 (mean - 1/2)^2). None where the labels show no difference.
    """
    balance = abs(float(np.sign(values).sum()))
    informative = int((values != 0).sum())
    if rule == "hoeffding":
        offset = abs(float(values.mean())) / 2 if values.size else 0.0
        needed = math.log(1 / alpha) / (2 * offset**2) if offset > 0 else math.inf
    else:
        z = balance / math.sqrt(informative) if informative else 0.0
        needed = values.size * (float(ndtri(1 - alpha / 2)) / z) ** 2 if z > 0 else math.inf
    if not needed <= _FARTHEST * max(values.size, 1):
        return None
    return max(1, math.ceil(needed) - values.size)


def _posterior(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
    price: float | None,
) -> list[PairResult]:
    """Pair by pair: the paper corrects for no multiplicity, and gives no number of further labels."""
    threshold = settings.metric_tie_threshold
    forced = is_forced_choice(zip(evidence, automatic, strict=True), threshold)
    validity = Validity(
        f"{percent(1 - settings.alpha)} posterior probability under the metric-error model, for this pair"
    )
    results = []
    for pair, values in zip(evidence, automatic, strict=True):
        found = posterior_verdict(pair, values, threshold, settings.alpha, forced=forced)
        difference = Difference(found.mean, found.low, found.high, validity)
        further = None if found.verdict == "undecided" else 0
        results.append(
            replace(
                pair_result(pair.summary(), found.verdict, difference, further, price, flags=found.flags),
                theta=found.theta,
                mean_p=found.mean_p,
                p_interval=found.p_interval,
                k_hat=found.k_hat,
                metric=metric_use(pair, values, threshold),
            )
        )
    return results


_UNRELIABLE: Final = frozenset({"no-labels", "few-labels", "heavy-tail", "not-converged"})
"""Flags of the kernel under which a pair stays undecided: too few labels, or theta not known well enough."""


@dataclass(frozen=True, slots=True)
class PosteriorVerdict:
    """`mean` and interval of the difference, `theta` = P(a better | data), and how well it was computed.

    `mean_p`, `p_interval`: mean and interval of the shares of (a, tie, b).
    """

    verdict: Verdict
    mean: float
    low: float
    high: float
    theta: float
    mean_p: tuple[float, float, float]
    p_interval: tuple[tuple[float, float], ...]
    k_hat: float | None
    flags: tuple[str, ...]


def is_forced_choice(pairs: Iterable[tuple[PairEvidence, PairAutomatic]], tie_threshold: float) -> bool:
    """Whether nobody and nothing ever ties: then the two-class model applies to all pairs."""
    for pair, automatic in pairs:
        metric, rest = automatic.outcomes(tie_threshold)
        if (pair.values == 0).any() or (metric == 0).any() or (rest == 0).any():
            return False
    return True


def posterior_verdict(
    pair: PairEvidence, automatic: PairAutomatic, tie_threshold: float, alpha: float, *, forced: bool
) -> PosteriorVerdict:
    """The verdict from human outcomes and metric outcomes together; alpha is the paper's gamma."""
    human = np.sign(pair.values)
    metric, rest = automatic.outcomes(tie_threshold)
    rest = rest[~np.isnan(rest)]
    classes = (1.0, -1.0) if forced else OUTCOME_CLASSES
    paired = confusion_counts(human, metric, classes)
    human_only = np.array([int((human[np.isnan(metric)] == c).sum()) for c in classes])
    found = metric_error_posterior(
        paired, np.array([int((rest == k).sum()) for k in classes]), human_only, credibility=1 - alpha
    )
    verdict: Verdict = "undecided"
    if not _UNRELIABLE & set(found.flags):
        verdict = {1: "a", -1: "b"}.get(decide(found.theta, alpha), "undecided")  # type: ignore[assignment]
    shares = found.mean_p.tolist()
    mean_p = (shares[0], 0.0, shares[1]) if forced else (shares[0], shares[1], shares[2])
    ends = list(zip(found.p_low.tolist(), found.p_high.tolist(), strict=True))
    intervals = (ends[0], (0.0, 0.0), ends[1]) if forced else tuple(ends)
    return PosteriorVerdict(
        verdict,
        found.difference_mean,
        found.difference_low,
        found.difference_high,
        found.theta,
        mean_p,
        intervals,
        found.k_hat if found.k_hat is not None and math.isfinite(found.k_hat) else None,
        found.flags,
    )
