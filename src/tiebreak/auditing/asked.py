"""Which metrics and judges are audited on which criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiebreak.comparison.compare import default_criteria
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.evidence.automatic import check_said, known_judges, known_metrics
from tiebreak.evidence.derived import check_criteria, with_derived
from tiebreak.numbers import quoted
from tiebreak.records import Kind
from tiebreak.results.settings import AuditSettings


@dataclass(frozen=True, slots=True)
class AskedCriterion:
    """The sources of one criterion, by name and kind."""

    criterion: str | None
    sources: tuple[tuple[str, Kind], ...]


def selected(study: Study, settings: AuditSettings) -> Study:
    """The study with the systems and people asked for, and derived criteria."""
    if settings.systems is not None and len(set(settings.systems)) < 2:
        raise UsageError("name at least two systems, separated by commas")
    if settings.systems is not None or settings.annotators is not None or settings.exclude is not None:
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
