"""Pictures and pages of the means, and pictures of the leaderboards, of what lies at a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import UsageError
from tiebreak.places.estimates import estimate_at, rank_at
from tiebreak.places.place import study_at
from tiebreak.places.result import labels_that_count
from tiebreak.results.estimates import CriterionEstimates, EstimateResult, MetricPoints
from tiebreak.results.settings import CompareSettings, EstimateSettings, RankSettings
from tiebreak.settings.checks import command_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_OF_RANK = (
    "criteria", "systems", "alpha", "multiplicity", "several", "raters", "annotators", "exclude", "tie_threshold",
)  # fmt: skip
_OF_ESTIMATE = ("target", "criteria", "raters", "annotators", "exclude", "systems", "metrics")


def draw_estimates(kind: str, path: Path, settings: CompareSettings, *, own_analysis: bool = False) -> Figure:
    """The picture of one of `report.kinds.ESTIMATE_KINDS`. Of the settings those count that `estimate` has.

    Raises:
        UsageError: settings of comparisons only, several criteria where the picture has one, or nothing to draw.
        InputError: nothing lies there, it is damaged, or has no ratings.
    """
    from tiebreak.estimation.efficiency import system_widths
    from tiebreak.estimation.estimate import metric_points
    from tiebreak.report.figures.labels import ratings
    from tiebreak.report.figures.metrics import correlations, efficiency, widths
    from tiebreak.report.figures.systems import systems

    asked = EstimateSettings(**_shared(kind, settings, _OF_ESTIMATE, "estimate"))
    result = estimate_at(path, asked, own_analysis=own_analysis)
    if kind in ("efficiency", "means"):
        return efficiency(result) if kind == "efficiency" else systems(result)
    if len(result.results) > 1:
        names = ", ".join(criterion_.criterion for criterion_ in result.results)
        raise UsageError(f"a picture of {kind} has one criterion: name it with --criterion ({names})")
    (criterion,) = result.results
    study = study_at(path)
    if kind == "widths":
        return widths(system_widths(study, criterion.criterion, asked))
    points = metric_points(study, criterion.criterion, asked)
    return correlations(criterion, points) if kind == "correlations" else ratings(_one_metric(points))


def _one_metric(points: tuple[MetricPoints, ...]) -> MetricPoints:
    if not points:
        raise UsageError("no rated output has a score: add scores.csv")
    if len(points) > 1:
        names = ", ".join(metric.metric for metric in points)
        raise UsageError(f"a picture of ratings has one metric: name it with --metric ({names})")
    return points[0]


def draw_panel(path: Path, settings: CompareSettings) -> Figure:
    """The picture "agreement". Of the settings only the criteria count.

    Raises:
        UsageError: other settings, or nothing to draw.
        InputError: nothing lies there, or it is damaged.
    """
    from tiebreak.panel.annotators import annotators
    from tiebreak.report.figures.labels import agreement

    criteria = _shared("agreement", settings, ("criteria",), "annotators")["criteria"]
    chosen, _ = labels_that_count(study_at(path))
    return agreement(annotators(chosen, criteria=criteria))


def draw_ranks(
    kind: str, path: Path, settings: CompareSettings, *, ranks: Mapping[str, Any], own_analysis: bool = False
) -> Figure:
    """The picture "leaderboard" or "win-rates". Of the settings those count that `rank` has; `ranks`: those of its own.

    Raises:
        UsageError: settings of comparisons only, several criteria, or what `rank_at` refuses.
        InputError: nothing lies there, it is damaged, or nothing in it was compared.
    """
    from tiebreak.report.figures.labels import win_rates
    from tiebreak.report.figures.systems import leaderboard

    asked = RankSettings(**_shared(kind, settings, _OF_RANK, "rank"), **ranks)
    result = rank_at(path, asked, own_analysis=own_analysis)
    figure = leaderboard(result) if kind == "leaderboard" else win_rates(result)
    if result.own_analysis is not None:
        figure.suptitle("Own analysis: the number of labels was chosen by looking", fontsize="small")
    return figure


def _shared(kind: str, settings: CompareSettings, names: Sequence[str], command: str) -> dict[str, Any]:
    """The settings of these names, which are all that may be given."""
    shared = {name: getattr(settings, name) for name in names}
    if CompareSettings(**shared) != settings:
        given = " ".join(command_words(settings))
        raise UsageError(f"a picture of kind {kind} takes the options of {command}, and {given} has others")
    return shared


def page_of_estimates(path: Path, result: EstimateResult) -> str:
    """The page of the estimates at a path, which `result` are: tables, pictures, and outputs to read."""
    from tiebreak.estimation.estimate import metric_points
    from tiebreak.report.estimate_page import estimate_page

    study, settings = study_at(path), replace(result.settings, metrics=("all",))
    every = [of for found in result.results for of in metric_points(study, found.criterion, settings)]
    return estimate_page(result, points_of(path, result), every)


def points_of(path: Path, result: EstimateResult) -> list[MetricPoints]:
    """What people and metrics say of every output: of the metrics that were named, else of the one that says most."""
    from tiebreak.estimation.estimate import metric_points

    study = study_at(path)
    points: list[MetricPoints] = []
    for criterion in result.results:
        settings = replace(result.settings, metrics=_shown_metrics(criterion, result.settings.metrics))
        points += metric_points(study, criterion.criterion, settings) if settings.metrics else ()
    return points


def _shown_metrics(criterion: CriterionEstimates, asked: Sequence[str]) -> tuple[str, ...]:
    if asked and tuple(asked) != ("all",):
        return tuple(asked)
    return tuple(criterion.metrics_by_use()[:1])
