"""`compare`: a study in, a verdict for every pair out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import polars as pl

from tiebreak.checks import data_warnings
from tiebreak.checks.labels import LabelsOf
from tiebreak.checks.values import unvalidated_alone
from tiebreak.comparison.advice import finished_advice, planned_advice
from tiebreak.comparison.finished import test_kinds
from tiebreak.comparison.judgement import evidence_settings, judge_pairs
from tiebreak.comparison.left_out import annotator_labels, people_left_out, with_baseline
from tiebreak.comparison.pair_result import criterion_result
from tiebreak.comparison.people import people_advice, people_tests
from tiebreak.comparison.win_rates import finished_win_rates, mean_ratings
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError, check_known
from tiebreak.evidence.automatic import AutomaticValues, automatic_outcomes, automatic_pairs, chosen_values
from tiebreak.evidence.derived import check_criteria, why_not_derived, with_derived
from tiebreak.evidence.human_labels import ValuesByPair, labels_passed_over
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairSummary
from tiebreak.evidence.rated_systems import rating_differences
from tiebreak.evidence.study_evidence import (
    CriterionEvidence,
    StudyEvidence,
    ValueSource,
    study_evidence,
)
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.messages.notices import contradictions
from tiebreak.numbers import plain, some_names
from tiebreak.records import Notice
from tiebreak.results.comparison_terms import Terms, comparison_terms, doubted
from tiebreak.results.order import NOBODY
from tiebreak.results.records import CompareResult, CriterionResult, JudgeOrders, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.results.standing import win_rates_of
from tiebreak.rules.registry import RULES
from tiebreak.settings.setting import takes_fields_of

__all__ = ["CompareResult", "compare", "compare_with"]


def compare_with(study: Study, settings: CompareSettings) -> CompareResult:
    """`compare` with its settings as one record. With people left out, by their names or by those of the others, it
    says what changes without them.
    """
    chosen = selected(study, settings)
    found = _compared(study, chosen, settings)
    if (settings.exclude is None and settings.annotators is None) or not settings.human:
        return found
    with_them = replace(settings, exclude=None, annotators=None)
    everybody = selected(study, with_them)
    said = people_left_out(everybody, chosen, _compared(study, everybody, with_them), found)
    if settings.exclude is None and not said.details["annotators"]:
        return found
    return replace(found, warnings=(said, *found.warnings))


def _compared(study: Study, chosen: Study, settings: CompareSettings) -> CompareResult:
    """The result of the part of a study that was chosen."""
    criteria = default_criteria(chosen) or (() if settings.human else (None,))
    if settings.criteria is not None:
        check_criteria(chosen, settings.criteria, [name for name in chosen.criteria if name is not None])
        criteria = tuple(dict.fromkeys(settings.criteria))
    rules = evidence_settings(settings)
    source: ValueSource | None = None if settings.human else partial(_metric_only, chosen, settings)
    if settings.compare == "means":
        source = partial(rating_differences, chosen, raters=settings.raters)
    evidence = study_evidence(chosen, criteria, rules, source)
    everything = evidence.summaries
    if not everything:
        raise InputError([_nothing_to_compare(study, chosen, evidence, settings)])
    _check_margin(everything, settings)
    _check_drawing(evidence, settings)
    price = chosen.settings.price_per_label
    values = _automatic_values(chosen, evidence, settings)
    automatic = automatic_pairs(evidence, values, settings.seed)
    over_people = people_tests(chosen, evidence, settings) if settings.people == "random" else None
    judged = [pair.anew() for pair in judge_pairs(evidence, automatic, settings, price, over_people)]
    used = with_baseline(chosen, settings.baseline, settings.raters)
    of: LabelsOf = "means" if settings.compare == "means" else "study"
    about_data = data_warnings(used, evidence, settings.several, of, settings.metrics)
    terms = comparison_terms(
        settings,
        len(everything),
        evidence.order,
        [found.criterion for found in evidence.criteria],
        test_kinds(everything, judged) if over_people is None else ("people",),
        _one_label(chosen, evidence, settings) if settings.human else None,
    )
    terms = doubted(terms, about_data)
    results = []
    about_metrics: list[Notice] = []
    for place, criterion in enumerate(evidence.criteria):
        pairs, judged = judged[: len(criterion.pairs)], judged[len(criterion.pairs) :]
        orders = _judge_orders(values[place]) if values else ()
        results.append(_criterion_result(used, criterion, evidence.index, pairs, settings, terms, orders))
        if not settings.human:
            about_metrics += unvalidated_alone(chosen, criterion.criterion, settings.metrics, settings.judges)
    return CompareResult(
        study={
            "name": study.name,
            "fingerprint": chosen.label_fingerprint,
            "systems": sorted({name for pair in everything for name in (pair.system_a, pair.system_b)}),
            "items": evidence.items,
            "price_per_label": price,
            "currency": chosen.settings.currency,
        },
        terms=terms,
        results=tuple(results),
        warnings=(
            *contradictions([pair for found in results for pair in found.pairs]),
            *chosen.notices_for(settings.metrics, settings.judges),
            *about_data,
            *about_metrics,
        ),
        settings=settings,
        folder=None if study.path is None else study.path.resolve().name,
    )


@takes_fields_of(CompareSettings)
def compare(study: StudySource, settings: CompareSettings) -> CompareResult:
    """Decide every pair of systems from the human labels of a study.

    The settings are the fields of `CompareSettings`, by name; they have the names of the options of
    `tiebreak compare`. The default rule is for one look at a finished set of labels: with the default multiplicity
    the chance of any wrong verdict, over all pairs and criteria together, is at most alpha by its exact tests, and
    about alpha by the others; `terms.guarantee` of the result says which.

    Raises:
        UsageError: an impossible setting, or a system, criterion or annotator that the study does not have.
        InputError: no pair of systems has a human label in common.
    """
    return compare_with(study_of(study), settings)


def _metric_only(study: Study, settings: CompareSettings, criterion: str | None, index: ItemIndex) -> ValuesByPair:
    values = chosen_values(study, criterion, index, settings.metrics, settings.judges)
    return automatic_outcomes(study, values, index, settings.metric_tie_threshold)


def _automatic_values(study: Study, evidence: StudyEvidence, settings: CompareSettings) -> list[AutomaticValues]:
    """Automatic values of every criterion, or nothing where no metric or judge was asked for beside the labels."""
    if not settings.human or not (settings.metrics or settings.judges):
        return []
    asked, judged = (settings.metrics, settings.judges), study.judge_preferences
    if settings.baseline is not None and judged is not None:  # what a judge says of other pairs is not asked for
        of_baseline = (pl.col("system_a") == settings.baseline) | (pl.col("system_b") == settings.baseline)
        study = replace(study, judge_preferences=judged.filter(of_baseline))
    return [chosen_values(study, criterion.criterion, evidence.index, *asked) for criterion in evidence.criteria]


def _one_label(
    study: Study, evidence: StudyEvidence, settings: CompareSettings
) -> Literal["label", "comparison"] | None:
    """What every item of every pair has one of, if so; a comparison takes two ratings."""
    ratings = [found.from_ratings > 0 for found in evidence.criteria]
    if settings.several == "first" and any(labels_passed_over(study, found.criterion) for found in evidence.criteria):
        return None
    if len(set(ratings)) > 1 or any(pair.most_labels > 1 + ratings[0] for pair in evidence.summaries):
        return None
    return "comparison" if ratings[0] else "label"


def _judge_orders(values: AutomaticValues) -> tuple[JudgeOrders, ...]:
    """For each judge that was asked in both orders: how often, and how often its answer changed with the order."""
    names = values.names[len(values.names) - len(values.disagreements) :]
    found = zip(names, values.disagreements, strict=True)
    return tuple(JudgeOrders(name, both, differ) for name, (both, differ) in found if both)


def default_criteria(study: Study) -> tuple[str | None, ...]:
    """Those that study.toml lists, as far as they have labels; all that have labels if it lists none."""
    listed = study.settings.criteria
    return study.criteria if listed is None else tuple(name for name in study.criteria if name in listed)


def selected(study: Study, settings: CompareSettings) -> Study:
    """The study restricted to the systems and annotators asked for, without those left out, with derived criteria."""
    if settings.baseline is not None:
        check_known("system", [settings.baseline], study.systems)
        if settings.systems is not None and settings.baseline not in settings.systems:
            raise UsageError(f"the baseline {settings.baseline!r} is not among the systems asked for")
    if settings.systems is not None and len(set(settings.systems)) < 2:
        raise UsageError("name at least two systems to compare, separated by commas")
    study = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    return with_derived(study, settings.criteria, beside=False)


def _check_margin(pairs: Sequence[PairSummary], settings: CompareSettings) -> None:
    """Refuse a margin that no two means of ratings could be apart."""
    for pair in pairs:
        if settings.margin is not None and pair.points is not None and settings.margin >= pair.points:
            raise UsageError(
                f"margin is {plain(settings.margin)}, but no two mean ratings of {pair.criterion} can be farther apart "
                f"than {plain(pair.points)} points"
            )


def _check_drawing(evidence: StudyEvidence, settings: CompareSettings) -> None:
    """Refuse whole clusters for a rule that takes items one by one: it would err more often than it says."""
    if evidence.order == "random" and any(pair.drawn is not None for pair in evidence.summaries):
        raise UsageError(
            f"--target items with --rule {settings.rule} needs items that were drawn one by one, and here whole "
            "clusters are labelled: use --rule fixed, which takes clusters as they are"
        )


def _nothing_to_compare(study: Study, chosen: Study, evidence: StudyEvidence, settings: CompareSettings) -> Problem:
    labelled = study.preferences is not None or study.ratings is not None
    listed = study.settings.criteria
    if listed is not None and settings.criteria is None and labelled and not default_criteria(study):
        known = some_names([name for name in study.criteria if name is not None]) or "no named criterion"
        message = (
            f"study.toml lists the criteria {some_names(listed)}, which have no labels; there are labels on {known}"
        )
        return Problem(study.name, message)
    if settings.compare == "means" and study.ratings is None and labelled:
        return Problem(study.name, "has no ratings, whose means --compare means compares: leave that option out")
    if chosen.preferences is None and chosen.ratings is None and labelled:
        whom = "" if settings.systems is None else f" that compares any two of {some_names(settings.systems)}"
        people = settings.annotators is not None or settings.exclude is not None
        message = f"has human labels, but none{whom}{' by the annotators asked for' if people else ''}: "
        message += "choose other systems or annotators, or leave that choice out; tiebreak check lists what is there"
    elif chosen.preferences is None and chosen.ratings is None:
        message = (
            "holds no human labels for this selection: add preferences.csv (item, system_a, system_b, annotator, "
            "outcome) or ratings.csv (item, system, annotator, criterion, value), or collect labels with tiebreak "
            "campaign create"
        )
        if reason := why_not_derived(chosen):
            message = f"holds nothing to compare: {reason}"
    elif any(found.raters.apart for found in evidence.criteria):
        message = (
            "has ratings, but nobody rated two outputs of the same item, and one person may be stricter than another: "
            "have the outputs of an item rated by the same person, or, if chance decided who rated which output, "
            "compare with --raters any"
        )
    else:
        message = "has human labels, but no item on which two of the systems were both judged"
    return Problem(file=study.name, message=message)


def _criterion_result(
    study: Study,
    evidence: CriterionEvidence,
    index: ItemIndex,
    pairs: Sequence[PairResult],
    settings: CompareSettings,
    terms: Terms,
    judges: tuple[JudgeOrders, ...],
) -> CriterionResult:
    people = annotator_labels(study, evidence, index, settings.several) if settings.human else NOBODY
    labels = sum(pair.labels for pair in evidence.summaries)
    if evidence.from_ratings:
        labels = people.total
    if RULES[settings.rule].looks == "one":
        advise = people_advice if settings.people == "random" else partial(finished_advice, evidence)
        advice = advise(pairs, settings, terms.family)
    else:
        advice = planned_advice(evidence.pairs, pairs, settings, terms.family)
    found = criterion_result(
        study, evidence, pairs, terms, people, labels=labels, advice=advice, judges=judges, seed=settings.seed
    )
    if settings.compare == "means":
        return replace(found, ratings=mean_ratings(study, found, index, settings))
    if settings.people == "random":
        return replace(found, win_rates=win_rates_of(pairs))
    if RULES[settings.rule].looks == "one":
        return replace(found, win_rates=finished_win_rates(evidence.pairs, evidence.summaries, pairs, settings.alpha))
    return replace(found, win_rates=win_rates_of(pairs))
