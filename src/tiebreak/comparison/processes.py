"""Which e-process a pair gets: from labels alone or with metrics and judges, without a limit or towards a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tiebreak.comparison.assistance import assisted_process, metric_assistance, uses_regression
from tiebreak.errors import UsageError
from tiebreak.evidence.automatic import PairAutomatic
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings
from tiebreak.results.settings import CompareSettings
from tiebreak.rules.anytime import AnytimeProcess, EvidenceProcess, Priors, predicts_labels
from tiebreak.rules.budgeted import BudgetedProcess, BudgetPlan, budget_plan
from tiebreak.rules.family import FamilyRule
from tiebreak.rules.sequence import ValueSequence

_MOST_ITEMS = 100_000  # a gigabyte and half a minute a pair
_SURELY_ENOUGH = 200  # equal answers: no family is so large that these could not decide a pair


@dataclass(frozen=True, slots=True)
class PairProcess:
    """The process that decides a pair, and that of its labels alone; the same where no metric helps."""

    used: EvidenceProcess
    alone: EvidenceProcess

    @property
    def assisted(self) -> bool:
        """Whether metrics or judges entered."""
        return self.used is not self.alone


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


def family_rule(settings: CompareSettings) -> FamilyRule:
    """The labels are a finished set: no pair stopped because of what another one showed."""
    return FamilyRule(settings.alpha, settings.multiplicity, independent_stops=True)


def pair_processes(
    evidence: Sequence[PairEvidence],
    automatic: Sequence[PairAutomatic | None],
    settings: CompareSettings,
    priors: Priors,
) -> list[PairProcess]:
    """The processes of all pairs of a family. `automatic`: one record per pair, or none at all.

    Raises:
        UsageError: a budget with which no pair of this family could be decided, whatever the labels say, or a pair
            with more labelled items than bets towards a budget are made for.
    """
    rule = family_rule(settings)
    plan = budget_plan(len(evidence), rule, with_margin=settings.margin is not None)
    if settings.items_per_pair is not None:
        _check_size(evidence)
        _check_budget(settings.items_per_pair, evidence, plan, priors)
    known: Sequence[PairAutomatic | None] = automatic or [None] * len(evidence)
    found = []
    for pair, values in zip(evidence, known, strict=True):
        alone = _process(pair, None, settings, plan, priors)
        used = None if values is None else _process(pair, values, settings, plan, priors)
        found.append(PairProcess(alone if used is None else used, alone))  # type: ignore[arg-type]
    return found


def _process(
    pair: PairEvidence,
    values: PairAutomatic | None,
    settings: CompareSettings,
    plan: BudgetPlan,
    priors: Priors,
) -> EvidenceProcess | None:
    """With the help of `values`, None where they cannot help; without them, from the labels alone."""
    if pair.most_units is None:
        if values is None:
            return AnytimeProcess(pair.sequence, priors)
        return assisted_process(pair, values, priors)
    assistance, regression = None, False
    if values is not None:
        assistance, regression = metric_assistance(pair, values), uses_regression(pair, values)
        if assistance is None or not predicts_labels(pair.sequence, assistance):
            return None
    return BudgetedProcess(
        pair.sequence, assistance, plan, pair.most_units, priors, margin=settings.margin, regression=regression
    )


def _check_size(evidence: Sequence[PairEvidence]) -> None:
    """Refuse what would take gigabytes: bets towards a budget are kept for every item and possible difference."""
    large = [pair for pair in evidence if pair.most_units is not None and len(pair.sequence) > _MOST_ITEMS]
    if large:
        raise UsageError(
            f"betting towards a budget is made for at most {_MOST_ITEMS:,} labelled items a pair, and "
            f"{large[0].system_a} and {large[0].system_b} have {len(large[0].sequence):,}: leave --items-per-pair out, "
            "which changes little with so many labels"
        )


def _check_budget(budget: int, evidence: Sequence[PairEvidence], plan: BudgetPlan, priors: Priors) -> None:
    """Refuse a budget that could not even decide if all answers were equal; the smallest that could is named."""
    if budget >= _SURELY_ENOUGH:
        return
    pools = {pair.sequence.pool_size for pair in evidence if pair.clusters is None and not pair.identical}
    if not pools or any(_can_decide(budget, pool, plan, priors) for pool in pools):
        return
    enough = next(
        (n for n in range(budget + 1, _SURELY_ENOUGH) if any(_can_decide(n, pool, plan, priors) for pool in pools)),
        _SURELY_ENOUGH,
    )
    whom = f"{len(evidence):,} pairs tested together" if len(evidence) > 1 else "one pair"
    raise UsageError(
        f"a budget of {budget} items a pair can decide nothing, even if all answers are the same: {whom} at this alpha "
        f"need{'' if len(evidence) > 1 else 's'} at least {enough}"
    )


def _can_decide(units: int, pool_size: int | None, plan: BudgetPlan, priors: Priors) -> bool:
    if pool_size is not None and units >= pool_size:
        return True
    sequence = ValueSequence.complete(np.ones(units), pool_size)
    path = BudgetedProcess(sequence, None, plan, units, priors).log_e_path(1)
    return bool((path >= -np.log(plan.level)).any())
