"""How wrong the metrics and judges of a study are, by its human labels; each on the criteria that were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.auditing.agreement import Others, agreement, calibration, confusion, together
from tiebreak.auditing.comparisons import AnsweringSource, Chances, Comparisons, compared, pairs_by_systems
from tiebreak.auditing.dependence import (
    DependenceCheck,
    Groups,
    features,
    groups_of,
    of_features,
    of_groups,
    of_order,
    of_systems,
)
from tiebreak.auditing.pair_items import Replies, orders
from tiebreak.auditing.win_rates import win_rates
from tiebreak.checks.labels import Labels
from tiebreak.checks.use import different_raters
from tiebreak.comparison.compare import default_criteria
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.evidence.automatic import check_said, known_judges, known_metrics
from tiebreak.evidence.derived import check_criteria, with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import SingleOutputs
from tiebreak.evidence.study_evidence import CriterionEvidence, EvidenceSettings, study_evidence
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.numbers import quoted
from tiebreak.records import Kind
from tiebreak.results.audits import Audit, AuditedSource, Feature, PairWinRates, Together
from tiebreak.results.settings import AuditSettings
from tiebreak.settings.setting import takes_fields_of


@dataclass(frozen=True, slots=True)
class AskedCriterion:
    """The sources of one criterion, by name and kind."""

    criterion: str | None
    sources: tuple[tuple[str, Kind], ...]


def selected(study: Study, settings: AuditSettings) -> Study:
    """The study with the systems and people asked for, and derived criteria."""
    if settings.systems is not None and len(set(settings.systems)) < 2:
        raise UsageError("name at least two systems, separated by commas")
    study = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    return with_derived(study, settings.criteria, beside=False)


def asked_of(study: Study, settings: AuditSettings) -> tuple[AskedCriterion, ...]:
    """Judges, then metrics, of each criterion that has any: those with human labels first, then those without.

    Raises:
        UsageError: a metric, judge or criterion that the study does not have; one that learned from labels of it.
        InputError: there is nothing to audit.
    """
    judges, metrics = _wanted(study, settings)
    known = _criteria(study)
    if settings.criteria is not None:
        check_criteria(study, settings.criteria, [name for name in known if name is not None])
        known = tuple(dict.fromkeys(settings.criteria))
    found = [AskedCriterion(criterion, tuple(_sources(study, criterion, judges, metrics))) for criterion in known]
    found = [of for of in found if of.sources]
    if not found:
        raise InputError([_nothing(study, settings)])
    return tuple(found)


def _wanted(study: Study, settings: AuditSettings) -> tuple[set[str], set[str]]:
    """Names of judges and of metrics."""
    frames: Mapping[Kind, pl.DataFrame | None] = {"judge": study.judge_preferences, "metric": study.scores}
    every = {kind: [] if frame is None else sorted(frame[kind].unique().to_list()) for kind, frame in frames.items()}
    metrics, judges = asked_names(settings)
    named: Mapping[Kind, Sequence[str]] = {"judge": judges, "metric": metrics}
    for kind, names in named.items():
        if tuple(names) != ("all",):
            _check_kind(names, every, kind)
            check_said(study, kind, names, every[kind])
    of_judges, of_metrics = (set(every[kind] if tuple(names) == ("all",) else names) for kind, names in named.items())
    return of_judges, of_metrics


def asked_names(settings: AuditSettings) -> tuple[Sequence[str], Sequence[str]]:
    """Metrics and judges, ("all",) being every one, as both are where none of either is named."""
    return (settings.metrics, settings.judges) if settings.metrics or settings.judges else (("all",), ("all",))


def _check_kind(names: Sequence[str], every: Mapping[Kind, Sequence[str]], kind: Kind) -> None:
    """A model that rated single outputs is a metric, one that compared two of them a judge."""
    other: Kind = "metric" if kind == "judge" else "judge"
    did = "rated single outputs" if kind == "judge" else "compared two outputs at a time"
    for name in names:
        if name not in every[kind] and name in every[other]:
            raise UsageError(f"{name} {did}, which makes it a {other}: --{other} {quoted(name)}")


def _sources(study: Study, criterion: str | None, judges: set[str], metrics: set[str]) -> Sequence[tuple[str, Kind]]:
    """Those that serve a criterion; of one that people never labelled those that name it."""
    of_judges = [(name, "judge") for name in known_judges(study, criterion) if name in judges]
    of_metrics = [(name, "metric") for name in known_metrics(study, criterion) if name in metrics]
    found: list[tuple[str, Kind]] = [*of_judges, *of_metrics]  # type: ignore[list-item]
    if criterion in study.criteria:
        return found
    return [(name, kind) for name, kind in found if criterion in _own_criteria(study, name, kind)]


def _criteria(study: Study) -> tuple[str | None, ...]:
    """Those with human labels, as `compare` takes them, then those that only metrics and judges have.

    What is said on no criterion in particular serves those that people labelled; only where they labelled none at all
    does it stand alone.
    """
    listed, labelled = study.settings.criteria, study.criteria
    others = {
        name
        for frame in (study.judge_preferences, study.scores)
        if frame is not None
        for name in frame["criterion"].unique().to_list()
        if name not in labelled and (name in listed if listed is not None and name is not None else True)
    }
    if labelled:
        others.discard(None)
    return (*default_criteria(study), *sorted(others, key=lambda name: (name is not None, name or "")))


def _own_criteria(study: Study, name: str, kind: Kind) -> list[str | None]:
    frame = study.judge_preferences if kind == "judge" else study.scores
    if frame is None:
        return []
    found: list[str | None] = frame.filter(pl.col(kind) == name)["criterion"].unique().to_list()
    return found


def _nothing(study: Study, settings: AuditSettings) -> Problem:
    if study.judge_preferences is None and study.scores is None:
        tables = "judge_preferences (item, system_a, system_b, judge, outcome) or scores (item, system, metric, value)"
        return Problem(study.name, f"has no judge and no metric to audit: add a table {tables}")
    asked = f" on {', '.join(settings.criteria)}" if settings.criteria else ""
    return Problem(study.name, f"has no judge and no metric of those asked for{asked}: name others, or leave names out")


__all__ = ["Audit", "audit", "audit_with"]


def audit_with(study: Study, settings: AuditSettings) -> Audit:
    """`audit` with its settings as one record."""
    chosen = selected(study, settings)
    asked = asked_of(chosen, settings)
    outputs = SingleOutputs.of(chosen)
    rules = EvidenceSettings(
        label_rule=settings.several, tie_threshold=settings.tie_threshold, ordered=False, raters=settings.raters
    )
    criteria = [of.criterion for of in asked]
    evidence = study_evidence(outputs.study, criteria, rules)
    by_system = evidence if outputs.study is chosen else study_evidence(chosen, criteria, rules)
    about_raters = different_raters(Labels(chosen, by_system, settings.several))
    single, index = outputs.study, evidence.index
    auditor = _Auditor(outputs, index, settings, features(single, index), groups_of(single, index, settings.group))
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
        warnings=(*chosen.notices_for(*asked_names(settings)), *about_raters),
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A source's result while the level of its checks is not known, since all sources share one."""

    found: AuditedSource
    comparisons: Comparisons
    checks: tuple[DependenceCheck, ...]

    def result(self, level: float) -> AuditedSource:
        """With its checks at that level."""
        return replace(self.found, dependence=tuple(check.at(level) for check in self.checks))


@dataclass(frozen=True, slots=True)
class _Auditor:
    """What all sources of a study are audited with: the features of its outputs, and the groups of its items."""

    outputs: SingleOutputs
    index: ItemIndex
    settings: AuditSettings
    features: dict[Feature, NDArray[np.float64]]
    groups: Groups | None

    def drafts(self, asked: AskedCriterion, evidence: CriterionEvidence) -> Iterator[_Draft]:
        """One of each source on a criterion."""
        of = self.settings
        others = Others.of(self.outputs, self.index, asked.criterion, of.tie_threshold, of.raters)
        for name, kind in asked.sources:
            source = AnsweringSource.of(self.outputs, self.index, name, kind, asked.criterion, of.metric_tie_threshold)
            yield self._draft(source, evidence, others)

    def _draft(self, source: AnsweringSource, evidence: CriterionEvidence, others: Others) -> _Draft:
        alpha = self.settings.alpha
        of = compared(source, evidence, self.index, self.settings.target)
        replies = chances = None
        if source.kind == "judge":
            asked = self.outputs.study, self.index, source.name, source.criterion
            replies, chances = Replies.of(*asked), Chances.of(*asked)
        found = AuditedSource(
            name=source.name,
            kind=source.kind,
            criterion=source.criterion,
            comparisons=of.said.size,
            items=of.items,
            unjudged=of.unjudged,
            replies=None if replies is None else replies.said.size + replies.unscored,
            unscored=None if replies is None else replies.unscored,
            agreement=agreement(of, others, alpha, self.settings.half_width),
            confusion=confusion(of),
            dependence=(),
            orders=None if replies is None else orders(of, replies, alpha),
            probabilities=None if chances is None else calibration(of, chances, alpha),
            pairs=tuple(self._pairs(source, chances, evidence)),
            pairs_without_labels=source.pairs_without({source.systems(pair) for pair in of.pairs}),
        )
        return _Draft(found, of, tuple(self._checks(source, of, replies)))

    def _pairs(
        self, source: AnsweringSource, chances: Chances | None, evidence: CriterionEvidence
    ) -> Iterator[PairWinRates]:
        for systems, numbers in pairs_by_systems(evidence, source.system_of).items():
            parts, places = [evidence.pairs[number] for number in numbers], [*source.places_of(systems)]
            found = win_rates(parts, places, source.on_pair, source.outcomes, self.index, self.settings)
            if found is None:
                continue
            expected = None
            if chances is not None:
                expected = win_rates(parts, places, chances.expected, chances.expected, self.index, self.settings)
            yield PairWinRates(*systems, found, expected)

    def _checks(self, source: AnsweringSource, of: Comparisons, replies: Replies | None) -> Iterator[DependenceCheck]:
        """Without any common comparison only the side shown can be checked, which needs no people."""
        if replies is not None:
            yield of_order(of, replies)
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


@takes_fields_of(AuditSettings)
def audit(study: StudySource, settings: AuditSettings) -> Audit:
    """How wrong the metrics and judges of a study are, by its human labels.

    The settings are the fields of `AuditSettings`, by name; they have the names of the options of `tiebreak audit`.
    Intervals hold for one look at a finished set of labels, which are a random part of what was judged.

    Raises:
        UsageError: an impossible setting, or a name that the study does not have.
        InputError: the study has no metric and no judge to audit.
    """
    return audit_with(study_of(study), settings)
