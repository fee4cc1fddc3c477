"""How wrong the metrics and judges of a study are, by its human labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from inspect import Parameter, signature
from itertools import combinations
from typing import Concatenate, ParamSpec

import numpy as np
from numpy.typing import NDArray

from tiebreak.auditing.agreement import Others, agreement, confusion
from tiebreak.auditing.asked import Asked, asked_of, selected
from tiebreak.auditing.comparisons import Comparisons, Source, compared, labelled
from tiebreak.auditing.dependence import Check, of_features, of_groups, of_order, of_systems
from tiebreak.auditing.features import Feature, features
from tiebreak.auditing.groups import Groups, groups_of
from tiebreak.auditing.orders import orders
from tiebreak.auditing.records import Audit, AuditedSource
from tiebreak.auditing.replies import Replies
from tiebreak.auditing.settings import AuditSettings
from tiebreak.auditing.together import Together, together
from tiebreak.auditing.win_rates import PairWinRates, pair_win_rates
from tiebreak.data.samples import with_one_sample
from tiebreak.data.study import Study
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.study_evidence import CriterionEvidence, EvidenceSettings, study_evidence

__all__ = ["Audit", "audit", "audit_with"]


def audit_with(study: Study, settings: AuditSettings) -> Audit:
    """`audit` with its settings as one record."""
    chosen = with_one_sample(selected(study, settings), "audit")
    asked = asked_of(chosen, settings)
    rules = EvidenceSettings(label_rule=settings.several, tie_threshold=settings.tie_threshold, ordered=False)
    evidence = study_evidence(chosen, [of.criterion for of in asked], rules)
    auditor = _Auditor.of(chosen, evidence.index, settings)
    drafts: list[_Draft] = []
    pairs: list[Together] = []
    for of, found in zip(asked, evidence.criteria, strict=True):
        made = [*auditor.drafts(of, found)]
        drafts += made
        pairs += _together(made, settings.alpha)
    checks = sum(check.figure is not None for draft in drafts for check in draft.checks)
    level = settings.alpha / max(checks, 1)
    return Audit(
        study=study.name,
        settings=settings,
        group=None if auditor.groups is None else auditor.groups.column,
        checks=checks,
        results=tuple(draft.result(level) for draft in drafts),
        together=tuple(pairs),
        warnings=chosen.notices,
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A source's result while the level of its checks is not known, since all sources share one."""

    found: AuditedSource
    comparisons: Comparisons
    checks: tuple[Check, ...]

    def result(self, level: float) -> AuditedSource:
        """With its checks at that level."""
        return replace(self.found, dependence=tuple(check.at(level) for check in self.checks))


@dataclass(frozen=True, slots=True)
class _Auditor:
    """What all sources of a study are audited with."""

    study: Study
    index: ItemIndex
    settings: AuditSettings
    features: dict[Feature, NDArray[np.float64]]
    groups: Groups | None

    @classmethod
    def of(cls, study: Study, index: ItemIndex, settings: AuditSettings) -> _Auditor:
        """Of a study, with the features of its outputs and the groups of its items."""
        return cls(study, index, settings, features(study, index), groups_of(study, index, settings.group))

    def drafts(self, asked: Asked, evidence: CriterionEvidence) -> Iterator[_Draft]:
        """One of each source on a criterion."""
        others = Others.of(self.study, self.index, asked.criterion, self.settings.tie_threshold)
        for name, kind in asked.sources:
            threshold = self.settings.metric_tie_threshold
            source = Source.of(self.study, self.index, name, kind, asked.criterion, threshold)
            yield self._draft(source, evidence, others)

    def _draft(self, source: Source, evidence: CriterionEvidence, others: Others) -> _Draft:
        alpha, is_judge = self.settings.alpha, source.kind == "judge"
        of = compared(source, evidence, self.index)
        replies = Replies.of(self.study, self.index, source.name, source.criterion) if is_judge else None
        found = AuditedSource(
            name=source.name,
            kind=source.kind,
            criterion=source.criterion,
            comparisons=of.said.size,
            items=of.items,
            unjudged=of.unjudged,
            replies=None if replies is None else replies.said.size + replies.unscored,
            unscored=None if replies is None else replies.unscored,
            agreement=agreement(of, others, alpha),
            confusion=confusion(of),
            dependence=(),
            orders=None if replies is None else orders(of, replies, self.index.clusters, alpha),
            pairs=tuple(self._pairs(source, evidence)),
            pairs_without_labels=source.pairs_without(of.pairs),
        )
        return _Draft(found, of, tuple(self._checks(source, of, replies)))

    def _pairs(self, source: Source, evidence: CriterionEvidence) -> Iterator[PairWinRates]:
        for pair, asked in labelled(evidence.pairs):
            found = pair_win_rates(source, pair, asked, self.index, self.settings.alpha, self.settings.half_width)
            if found is not None:
                yield found

    def _checks(self, source: Source, of: Comparisons, replies: Replies | None) -> Iterator[Check]:
        """Without any common comparison only the side shown can be checked, which needs no people."""
        if replies is not None:
            yield of_order(of, replies, self.index.clusters)
        if not of.said.size:
            return
        yield from of_features(of, self.features, self.index.text_row)
        yield from of_systems(of, source.name)
        if self.groups is not None:
            yield from of_groups(of, self.groups.of_items, by_item=self.groups.are_clusters)


def _together(drafts: list[_Draft], alpha: float) -> Iterator[Together]:
    for one, other in combinations(drafts, 2):
        names = one.found.name, other.found.name
        found = together(one.found.criterion, names, one.comparisons, other.comparisons, alpha)
        if found is not None:
            yield found


P = ParamSpec("P")


def _audit_by(make: Callable[P, AuditSettings]) -> Callable[Concatenate[Study, P], Audit]:
    """A function of a study that takes all that the settings take: their fields are listed once."""

    def audit(study: Study, /, *args: P.args, **settings: P.kwargs) -> Audit:
        """How wrong the metrics and judges of a study are, by its human labels.

        The settings are the fields of `AuditSettings`, by name; they have the names of the options of `tiebreak audit`.
        Intervals hold for one look at a finished set of labels, which are a random part of what was judged.

        Raises:
            UsageError: an impossible setting, or a name that the study does not have.
            InputError: the study has no metric and no judge to audit, or several samples of a system for one item.
        """
        return audit_with(study, make(*args, **settings))

    wanted = signature(make)
    study = Parameter("study", Parameter.POSITIONAL_ONLY, annotation="Study")
    audit.__signature__ = wanted.replace(  # type: ignore[attr-defined]  # for help() and notebooks
        parameters=[study, *wanted.parameters.values()], return_annotation="Audit"
    )
    return audit


audit = _audit_by(AuditSettings)
