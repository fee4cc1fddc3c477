"""From the evidence of all pairs to one `PairResult` each, by the method asked for.

`--rule posterior`: a Bayesian model of a metric's mistakes (metric-error-correction, Algorithm 1), per pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from tiebreak.comparison.assistance import (
    OUTCOME_CLASSES,
    adjusted_mean,
    confusion_counts,
    expected_saving,
    explained_shares,
    metric_use,
)
from tiebreak.comparison.finished import finished_results
from tiebreak.comparison.pair_result import evidence_curve, pair_result, with_evidence, with_stop
from tiebreak.comparison.processes import family_rule, pair_processes
from tiebreak.evidence.automatic import AutomaticPairs, PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import StudyEvidence
from tiebreak.kernels.metric_error import decide, metric_error_posterior
from tiebreak.records import Verdict
from tiebreak.results.comparison_terms import anytime_validity, counts_validity
from tiebreak.results.numbers import percent
from tiebreak.results.records import BEYOND_BUDGET, CONTRADICTION, Difference, MetricUse, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.anytime import Priors, evidence_paths
from tiebreak.rules.family import EvidenceVerdict, decide_family, simultaneous_log_threshold
from tiebreak.rules.finished_family import ReproducedVerdict, dirichlet_verdict, hoeffding_verdict
from tiebreak.rules.projection import further_units_counts, units_short, units_to_verdict

_GRID = 0.01  # step of the grid on which intervals with a budget are found


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
    automatic: Sequence[PairAutomatic | None],
    settings: CompareSettings,
    price: float | None,
    *,
    every_look: bool = False,
) -> list[PairResult]:
    """One result per pair of a family by the rule `anytime`.

    `every_look`: labels come in, and pairs stop because of what others show; else they are a finished set.
    """
    priors, rule = Priors.default(), replace(family_rule(settings), independent_stops=not every_look)
    validity = anytime_validity(settings, len(evidence), every_look=every_look)
    processes = pair_processes(evidence, automatic, settings, priors)
    paths = [evidence_paths(process.used, settings.margin) for process in processes]
    verdicts = decide_family(paths, rule)
    helped = [_Help(None, pair.sequence.mean) for pair in evidence]
    if automatic:
        alone = [evidence_paths(process.alone, settings.margin) for process in processes]
        without = decide_family(alone, rule)
        helped = [
            _Help(None, pair.sequence.mean)
            if values is None
            else _help(pair, values, settings, used=process.assisted, without=verdict)
            for pair, values, process, verdict in zip(evidence, automatic, processes, without, strict=True)
        ]
    log_threshold = simultaneous_log_threshold(len(evidence), rule)
    results = []
    found = zip(evidence, processes, paths, verdicts, helped, strict=True)
    for pair, process, path, verdict, (use, mean) in found:
        low, high = process.used.interval(log_threshold)
        # Fewer looks and a search within a tolerance may leave 0 inside although this very process rejected it at this
        # threshold. (A direction that only a later step of Holm found may be ahead of the simultaneous interval.)
        low = max(low, 0.0) if verdict.verdict == "a" and verdict.log_e_a >= log_threshold else low
        high = min(high, 0.0) if verdict.verdict == "b" and verdict.log_e_b >= log_threshold else high
        thresholds = (verdict.log_threshold, verdict.log_threshold_equivalent)
        further: int | None = 0
        if verdict.verdict == "undecided":
            further = units_to_verdict(pair.sequence, *thresholds, settings.margin, priors)
        if further and pair.sequence.looks is not None:
            side = 1 if pair.sequence.mean >= 0 else -1
            log_e = float((path.for_a if side > 0 else path.for_b)[-1])
            further = max(further, units_short(pair.sequence, log_e, verdict.log_threshold, side, priors) or further)
            if pair.sequence.pool_size is not None:  # labelled to its end, a pool always decides
                further = min(further, pair.sequence.pool_size - len(pair.sequence))
        if further and use is not None and use.saved is not None and pair.sequence.pool_size is None:
            further = max(1, round(further * (1 - use.saved.share)))
        beyond = further is not None and pair.most_units is not None and further > pair.most_units - len(pair.sequence)
        if verdict.also in ("a", "b") or low > high + _GRID:
            results.append(_contradiction(pair, validity, price, use))
            continue
        difference = Difference(mean, low, high, validity)
        judged = pair_result(
            pair.summary(),
            verdict.verdict,
            difference,
            None if beyond else further,
            price,
            margin=settings.margin,
            flags=(BEYOND_BUDGET,) if beyond else (),
        )
        results.append(
            replace(
                with_evidence(judged, pair, verdict),
                metric=use,
                budget_left=_budget_left(pair, settings.items_per_pair),
                curve=evidence_curve(pair, path, verdict),
            )
        )
    return results


def _contradiction(pair: PairEvidence, validity: str, price: float | None, use: MetricUse | None) -> PairResult:
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
    pair: PairEvidence, values: PairAutomatic, settings: CompareSettings, *, used: bool, without: EvidenceVerdict
) -> _Help:
    use = replace(metric_use(pair, values, settings.metric_tie_threshold), stopped_at_without=without.stopped_at)
    if not used:
        return _Help(replace(use, used=False), pair.sequence.mean)
    saved, shares = expected_saving(pair, values, settings.seed), explained_shares(pair, values)
    return _Help(replace(use, used=True, saved=saved, shares=shares), adjusted_mean(pair, values))


def _from_counts(
    pair: PairEvidence,
    verdict: ReproducedVerdict,
    settings: CompareSettings,
    validity: str,
    price: float | None,
) -> PairResult:
    further: int | None = 0
    if verdict.verdict == "undecided":
        further = further_units_counts(settings.rule, pair.sequence.for_a, settings.alpha)
    wins, _, losses = pair.counts
    estimate = (wins - losses) / pair.items.size if settings.rule != "hoeffding" else pair.sequence.mean
    difference = Difference(estimate, verdict.low, verdict.high, validity)
    found = pair_result(pair.summary(), verdict.verdict, difference, further, price)
    return replace(with_stop(found, pair, verdict.stopped_at), theta=verdict.theta)


def _posterior(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic],
    settings: CompareSettings,
    price: float | None,
) -> list[PairResult]:
    """Pair by pair: the paper corrects for no multiplicity, and gives no number of further labels."""
    from tiebreak.comparison.judgement import is_forced_choice, posterior_verdict

    threshold = settings.metric_tie_threshold
    forced = is_forced_choice(zip(evidence, automatic, strict=True), threshold)
    validity = f"{percent(1 - settings.alpha)} posterior probability under the metric-error model, for this pair"
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
