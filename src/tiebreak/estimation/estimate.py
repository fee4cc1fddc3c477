"""`estimate`: a study with ratings in, a mean with an interval for every system out, and what metrics save.

Every rated output with what people and a metric say of it, and the outputs that show best where these differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.checks import data_warnings
from tiebreak.checks.annotators import people_left_out
from tiebreak.data.schema import DERIVED, derivable
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.estimation.efficiency import correlations, efficiencies, overall_efficiencies, together, unvalidated
from tiebreak.evidence.automatic import AutomaticValues, automatic_values, known_metrics, refuse_all
from tiebreak.evidence.derived import check_criteria, why_not_derived, with_derived
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.rated_systems import OutputScores, RatedItems, RatedSystem, RatedSystems, metric_scores
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.kernels.data_efficiency import perfect_metric
from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.kernels.metric_means import RatingMetricMean, rating_metric_mean
from tiebreak.kernels.rating_mean import rating_mean, rating_variance
from tiebreak.numbers import listed_names
from tiebreak.results.estimates import (
    CriterionEstimates,
    DifferenceEstimate,
    EstimateResult,
    Example,
    MetricGain,
    MetricPoints,
    Quadrant,
    SystemEstimate,
)
from tiebreak.results.settings import EstimateSettings
from tiebreak.settings.setting import takes_fields_of

__all__ = ["EstimateResult", "estimate", "estimate_with"]


def estimate_with(study: Study, settings: EstimateSettings) -> EstimateResult:
    """`estimate` with its settings as one record."""
    chosen = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    chosen = with_derived(chosen, settings.criteria)
    criteria = _criteria(study, chosen, settings)
    index = ItemIndex.of(chosen)
    evidence = study_evidence(chosen, criteria, EvidenceSettings(ordered=False, raters=settings.raters))
    return EstimateResult(
        study=study.name,
        results=tuple(_criterion(chosen, name, index, settings) for name in criteria),
        # Without a name all metrics are shown beside the means; no judge ever is.
        warnings=(
            *(people_left_out(study.select(systems=settings.systems), chosen, criteria) if settings.exclude else ()),
            *chosen.notices_for(settings.metrics or ("all",), ()),
            *data_warnings(chosen, evidence, of="means", metrics=settings.metrics),
        ),
        settings=settings,
    )


@takes_fields_of(EstimateSettings)
def estimate(study: StudySource, settings: EstimateSettings) -> EstimateResult:
    """Estimate the mean rating of every system, and the differences between systems, with intervals.

    The settings are the fields of `EstimateSettings`, by name; they have the names of the options of
    `tiebreak estimate`. Each interval holds by itself, for one look at a number of ratings fixed beforehand.

    Raises:
        UsageError: an impossible setting, or a system, criterion, metric or annotator that the study does not have.
        InputError: the study has no ratings.
    """
    return estimate_with(study_of(study), settings)


def _criteria(study: Study, chosen: Study, settings: EstimateSettings) -> tuple[str, ...]:
    """Those asked for, else those that have ratings, in the order of study.toml."""
    rated = set() if chosen.ratings is None else set(chosen.ratings["criterion"])
    found = tuple(name for name in chosen.criteria if name in rated and name is not None)
    if settings.criteria is not None and (found or derivable(study.tables)):
        check_criteria(chosen, settings.criteria, found, "criterion with ratings")
        return tuple(dict.fromkeys(settings.criteria))
    if not found:
        kind = "only preferences, which compare reads" if chosen.preferences is not None else "no human labels"
        why = why_not_derived(chosen) or f"the study has no ratings (table ratings), {_instead(study) or kind}"
        message = f"there is nothing to estimate: {why}"
        raise InputError([Problem(str(study.path or study.name), message)])
    listed = chosen.settings.criteria
    return tuple(name for name in found if listed is None or name in listed) or found


def _instead(study: Study) -> str:
    """Which criteria the study's other labels would give."""
    names = [found.name for found in derivable(study.tables)]
    return f"but its other labels give {listed_names(names)}: name one with --criterion" if names else ""


def _criterion(study: Study, criterion: str, index: ItemIndex, settings: EstimateSettings) -> CriterionEstimates:
    rated = RatedSystems.of(study, criterion, index, settings.target)
    if rated is None:
        raise UsageError(f"nobody rated anything on {criterion}")
    known = known_metrics(study, criterion)
    asked = known if settings.metrics == ("all",) else settings.metrics
    if settings.metrics and not asked:
        refuse_all(study, ("metric",), criterion, "add scores.csv")
    named = tuple(dict.fromkeys((*asked, *known)))
    automatic = automatic_values(study, criterion, index, named, ())
    scores = OutputScores.of(study, criterion, rated, automatic)
    (own, items), (pooled, all_items) = (together(rated, within=within) for within in (True, False))
    return CriterionEstimates(
        criterion=criterion,
        scale=rated.scale,
        systems=tuple(_system(one, automatic, scores, len(asked), settings) for one in rated.systems),
        differences=tuple(
            made
            for first, second in combinations(range(len(rated.systems)), 2)
            if (made := _difference(rated, first, second, automatic, asked, settings)) is not None
        ),
        variance=rating_variance(own, items),
        pooled=rating_variance(pooled, all_items),
        perfect=perfect_metric(own),
        efficiencies=overall_efficiencies(rated, scores),
        correlations=correlations(rated, scores),
        derived_from=DERIVED[criterion].source if criterion in study.derived else None,
        unvalidated=unvalidated(rated, scores),
    )


def _system(
    one: RatedSystem,
    automatic: AutomaticValues,
    of_outputs: OutputScores,
    asked: int,
    settings: EstimateSettings,
) -> SystemEstimate:
    rated = one.rated
    units = rated.mean.clusters
    by_item = None if one.output_items.size == rated.items.size and units is None else one.output_items
    each = efficiencies(one, of_outputs)
    return SystemEstimate(
        system=one.name,
        items=int(rated.items.size),
        outputs=int(one.outputs.counts.size),
        ratings=rated.ratings,
        pool=int(rated.pool.size),
        clusters=None if units is None else int(np.unique(units).size),
        mean=rating_mean(rated.mean, settings.level),
        help=_helped(rated, automatic, metric_scores(automatic, one.name), asked, settings),
        rho=each[0].efficiency.rho.estimate if asked == 1 else None,
        variance=rating_variance(one.outputs, by_item),
        perfect=perfect_metric(one.outputs),
        efficiencies=each,
    )


def _difference(
    rated: RatedSystems,
    first: int,
    second: int,
    automatic: AutomaticValues,
    asked: Sequence[str],
    settings: EstimateSettings,
) -> DifferenceEstimate | None:
    found = rated.difference(first, second, settings.raters)
    if found is None:
        return None
    a, b = rated.systems[first].name, rated.systems[second].name
    scores = metric_scores(automatic, a) - metric_scores(automatic, b)
    return DifferenceEstimate(
        system_a=a,
        system_b=b,
        items=int(found.items.size),
        ratings=found.ratings,
        mean=rating_mean(found.mean, settings.level),
        help=_helped(found, automatic, scores, len(asked), settings),
    )


def _helped(
    rated: RatedItems,
    automatic: AutomaticValues,
    scores: NDArray[np.float64],
    asked: int,
    settings: EstimateSettings,
) -> MetricGain | None:
    """The mean with the first `asked` metrics; None where none was asked for."""
    if not asked:
        return None
    metrics, of_pool = rated.metrics(scores[:, :asked])
    found: RatingMetricMean = rating_metric_mean(rated.mean, metrics, of_pool, settings.level)
    names = tuple(name for name, used in zip(automatic.names, found.help.used.tolist(), strict=False) if used)
    ratios = (found.help.width_ratio, found.help.ratio_high, found.help.ratio_low)
    nothing = found.help.unused == "all-labelled"
    saved = IntervalEstimate() if nothing else IntervalEstimate(*(1 - of**2 for of in ratios))
    return MetricGain(found.mean, names, saved, found.help.unused)


Floats = NDArray[np.float64]

EXAMPLES: Final = 3
"""Of each quadrant: those farthest from both medians, by rank, at most one of an item."""


def metric_points(study: Study, criterion: str, settings: EstimateSettings) -> tuple[MetricPoints, ...]:
    """One for each metric that the settings name, or that the study has; none where nothing is rated or scored."""
    chosen = study.select(systems=settings.systems, annotators=settings.annotators, exclude=settings.exclude)
    chosen = with_derived(chosen, (criterion,))
    index = ItemIndex.of(chosen)
    rated = RatedSystems.of(chosen, criterion, index, settings.target)
    known = known_metrics(chosen, criterion)
    named = known if settings.metrics in ((), ("all",)) else tuple(dict.fromkeys(settings.metrics))
    if rated is None or not named:
        return ()
    automatic = automatic_values(chosen, criterion, index, named, ())
    system = np.repeat(np.arange(len(rated.systems)), [one.outputs.means.size for one in rated.systems])
    items = np.concatenate([one.output_items for one in rated.systems])
    human = np.concatenate([one.outputs.means for one in rated.systems])
    names = tuple(one.name for one in rated.systems)
    samples = np.concatenate([one.outputs.codes % len(rated.samples) for one in rated.systems])
    of_outputs = OutputScores.of(chosen, criterion, rated, automatic).by_system
    found = []
    for metric, name in enumerate(named):
        scores = np.concatenate([of_outputs[one.name][metric] for one in rated.systems])
        at = np.flatnonzero(~np.isnan(scores))
        if at.size:
            outputs = _Outputs(names, rated.samples, system[at], items[at], samples[at], human[at])
            found.append(_points(chosen, index, criterion, name, outputs, scores[at]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Outputs:
    """Rated outputs (n,): the numbers of their systems, items and samples, and their mean ratings."""

    systems: tuple[str, ...]
    samples: tuple[str | None, ...]
    system: NDArray[np.intp]
    items: NDArray[np.intp]
    sample: NDArray[np.int64]
    human: Floats


def _points(
    study: Study,
    index: ItemIndex,
    criterion: str,
    metric: str,
    of: _Outputs,
    scores: Floats,
) -> MetricPoints:
    """`scores`: higher is better. What is shown of them are the metric's own values."""
    lower_is_better = not study.settings.higher_is_better.get(metric, True)
    human, value = of.human, -scores if lower_is_better else scores
    middles = float(np.median(human)), float(np.median(value))
    high = human > middles[0], value > middles[1]
    far = np.minimum(*(np.abs(pl.Series(row).rank().to_numpy() / row.size - 0.5) for row in (human, value)))
    quadrants = []
    for human_high, metric_high in product((True, False), repeat=2):
        at = np.flatnonzero((high[0] == human_high) & (high[1] == metric_high))
        shown = _first_of_each_item(at[np.argsort(-far[at], kind="stable")], of.items)
        outputs = [(index.items[of.items[k]], of.systems[of.system[k]], of.samples[of.sample[k]]) for k in shown]
        texts = _texts_of(study, outputs)
        examples = tuple(
            Example(*output, float(human[k]), float(value[k]), texts.get(output, ""))
            for k, output in zip(shown, outputs, strict=True)
        )
        quadrants.append(Quadrant(human_high, metric_high, int(at.size), examples))
    return MetricPoints(
        criterion, metric, lower_is_better, of.systems, of.system, human, value, *middles, tuple(quadrants)
    )


def _first_of_each_item(ranked: NDArray[np.intp], items: NDArray[np.intp]) -> list[int]:
    chosen: dict[int, int] = {}
    for k in ranked.tolist():
        chosen.setdefault(int(items[k]), k)
        if len(chosen) == EXAMPLES:
            break
    return list(chosen.values())


_Output = tuple[str, str, str | None]
"""Item, system and sample."""


def _texts_of(study: Study, outputs: Sequence[_Output]) -> dict[_Output, str]:
    """Texts of all outputs for the items of these."""
    if study.outputs is None or not outputs:
        return {}
    wanted = study.outputs.filter(pl.col("item").is_in([item for item, *_ in outputs]))
    rows = wanted.select("item", "system", "sample", "text").iter_rows()
    return {(item, system, sample): text or "" for item, system, sample, text in rows}
