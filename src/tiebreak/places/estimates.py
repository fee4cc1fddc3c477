"""Scores, estimates, leaderboards and looks at what lies at a path: `tiebreak.estimate` and its siblings."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Concatenate, Final, Literal, ParamSpec, cast

from tiebreak.data.study import Study
from tiebreak.data.writers import stamps_of, until_unchanged
from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate_with
from tiebreak.files import remove_abandoned
from tiebreak.live import open_campaign
from tiebreak.live.export import exported, is_export
from tiebreak.live.result import measured_of
from tiebreak.places.place import check_free, place_at, refuse_own_analysis, study_at, study_to_watch
from tiebreak.places.result import campaign_at, labels_that_count, watched_result
from tiebreak.ranking.rank import rank_with
from tiebreak.records import Notice
from tiebreak.results.estimates import EstimateResult
from tiebreak.results.measured import MeasuredResult
from tiebreak.results.ranks import RankResult
from tiebreak.results.records import CompareResult
from tiebreak.results.settings import EstimateSettings, RankSettings
from tiebreak.scoring.metric import Metric
from tiebreak.scoring.metrics.function import metric_of
from tiebreak.scoring.registry import NamedMetric
from tiebreak.scoring.score import SILENT, MetricScores, ScoreResult, ScoringProgress, score_with, write_scores
from tiebreak.scoring.settings import ReferenceSource, ScoreSettings
from tiebreak.watching.folder import take_look
from tiebreak.watching.settings import WatchSettings


def score(
    study: Study | str | os.PathLike[str],
    metrics: Sequence[str | Metric | Callable[..., Any]],
    *,
    reference_from: ReferenceSource = "reference",
    prepare: Sequence[str] = (),
    overwrite: bool = False,
    workers: int | None = None,
    dask: str | None = None,
) -> ScoreResult:
    """Compute metrics over the outputs of a study; the arguments have the names of the options of `tiebreak score`.

    study: a study in memory, which stays as it is (the result's `study` has the scores), or the path of one, into which
    the scores are written, and where they survive an interruption.
    metrics: names as after `--metric`; metrics of your own; or functions that return the score of a text, which also
    get the `references` or the `input` if they have a parameter of that name.

    Raises:
        UsageError: an impossible argument, or a metric that needs what the study does not have.
        InputError: the study is damaged, or has no outputs.
        TiebreakError: a package or a model is missing, or a metric failed.
    """
    own = [one if isinstance(one, Metric) else metric_of(one) for one in metrics if not isinstance(one, str)]
    more = [NamedMetric(metric.name, metric) for metric in own]
    settings = ScoreSettings(
        metrics=[metric for metric in metrics if isinstance(metric, str)],
        reference_from=reference_from,
        prepare=prepare,
        overwrite=overwrite,
        workers=workers,
        dask=dask,
    )
    if isinstance(study, Study):
        return score_with(study, settings, more)
    return score_into(Path(study), settings, more)[0]


def score_into(
    path: Path, settings: ScoreSettings, more: Sequence[NamedMetric] = (), progress: ScoringProgress = SILENT
) -> tuple[ScoreResult, bool]:
    """Score the study at a path, and put the scores into it; and whether that changed it. Where somebody else writes
    into it meanwhile, what was scored is kept, and goes into what is there then.

    Raises:
        UsageError, InputError, TiebreakError: as `score_with` and `write_scores`; or other texts or scores where the
            verdict of an export rests on those that are there.
    """
    remove_abandoned(path)  # of a run that was killed just after it had written the scores
    if settings.prepare and is_export(path):
        raise UsageError(
            f"{path} is the export of a campaign, whose texts stay as people saw them: leave out --prepare, or prepare "
            "the texts of a study before a campaign begins"
        )
    made: list[Sequence[MetricScores]] = []

    def scored() -> tuple[ScoreResult, bool]:
        stamps = stamps_of(path)
        result = score_with(study_at(path, folder=True), settings, more, folder=path, progress=progress)
        made.append(result.metrics)
        if result.scores_changed:
            check_free(path, [metric.name for metric in result.metrics])
        return result, write_scores(result, path, stamps)

    result, written = until_unchanged(scored)
    metrics = tuple(
        replace(runs[-1], computed=sum(run.computed for run in runs), seconds=sum(run.seconds for run in runs))
        for runs in zip(*made, strict=True)
    )
    return replace(result, metrics=metrics), written


Command = Literal["estimate", "rank"]
_WHAT: Final = {"campaign": "a campaign", "export": "the export of a campaign", "watched": "a watched study"}
_LOOKING: Final[dict[Command, str]] = {
    "estimate": "the number of labels was chosen by looking at them, which these intervals do not cover",
    "rank": "the number of labels was chosen by looking at them, which intervals and places do not cover",
}


def campaign_estimates_at(path: Path) -> MeasuredResult | None:
    """What the campaign of ratings at a path, or in the export there, has found out; None where there is no such.

    Raises:
        InputError: nothing lies there, or it is damaged; an export whose tables and events disagree.
    """
    place = place_at(path)
    if place.kind not in ("campaign", "export"):
        return None
    campaign = campaign_at(place)
    return measured_of(campaign) if campaign.protocol.rates else None


def estimate_at(
    path: Path, settings: EstimateSettings | None = None, *, own_analysis: bool = False, strict: bool = False
) -> EstimateResult:
    """The estimates of the study at a path. What is watched, or was a campaign, needs `own_analysis`.

    Raises:
        UsageError: a watched study or the export of a campaign without `own_analysis`, or that of a plain study.
        InputError: nothing lies there, or it is damaged; a campaign of comparisons, whose labels are no table; no
            ratings.
    """
    study, notices, looking = _asked_of(path, "estimate", own_analysis=own_analysis, strict=strict)
    result = estimate_with(study, settings or EstimateSettings())
    return replace(result, own_analysis=looking, warnings=(*notices, *result.warnings))


def rank_at(
    path: Path, settings: RankSettings | None = None, *, own_analysis: bool = False, strict: bool = False
) -> RankResult:
    """The leaderboard of the study at a path. What is watched, or is or was a campaign, needs `own_analysis`.

    Raises:
        UsageError: a campaign, its export or a watched study without `own_analysis`, or that of a plain study.
        InputError: nothing lies there, it is damaged, or nothing in it was compared.
    """
    study, notices, looking = _asked_of(path, "rank", own_analysis=own_analysis, strict=strict)
    result = rank_with(study, settings or RankSettings())
    return replace(result, own_analysis=looking, warnings=(*notices, *result.warnings))


def _asked_of(
    path: Path, command: Command, *, own_analysis: bool, strict: bool
) -> tuple[Study, tuple[Notice, ...], str | None]:
    """The study at a path with the labels that count, what says so, and what its intervals do not cover. A campaign of
    comparisons has a leaderboard, and no ratings to estimate from.
    """
    place = place_at(path)
    if place.kind == "study":
        refuse_own_analysis(path, own_analysis)
        return study_at(path, strict=strict), (), None
    if not own_analysis:
        if command == "estimate":
            study_at(path, strict=strict)
        cure = f"Add --own-analysis to {command} all the same; the result says so"
        raise UsageError(f"{path} is {_WHAT[place.kind]}: {_LOOKING['estimate']}. {cure}")
    campaign = open_campaign(path) if place.kind == "campaign" else None
    fits = campaign is not None and (command == "rank" or campaign.protocol.rates)
    study = exported(campaign) if campaign is not None and fits else study_at(path, strict=strict)
    return *labels_that_count(study), _LOOKING[command]


P = ParamSpec("P")

_LISTS: Final = ("criteria", "systems", "metrics", "exclude", "close")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookSettings(WatchSettings):
    """What the first look fixes, and what any look may do: leave people out (globs), and close batches."""

    exclude: Sequence[str] = ()
    close: Sequence[str] = ()


def _watch_by(make: Callable[P, LookSettings]) -> Callable[Concatenate[str | Path, P], CompareResult]:
    """A function of a path that takes all that the settings take: their fields are listed once."""

    def watch(path: str | Path, /, *args: P.args, **settings: P.kwargs) -> CompareResult:
        """Look at a study whose labels keep coming, and give the verdicts of this look, as `tiebreak watch` does.

        The settings have the names of its options: the first look fixes them, later ones may repeat equal values.
        `exclude`: people left out (globs); `close`: batches whose answers are in.

        Raises:
            UsageError: impossible settings, or others than those of the first look; a name that the study does not
                have.
            InputError: nothing lies at the path, or it is damaged, or nothing in it can be compared.
        """
        signature(make).bind(*args, **settings)
        asked = {name: _as_tuple(name, value) for name, value in cast(dict[str, Any], settings).items()}
        exclude, closed = asked.pop("exclude", ()), asked.pop("close", ())
        folder = Path(path)
        study = study_to_watch(folder)
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        take_look(folder, study, asked, at=at, seed=secrets.token_hex(16), exclude=exclude, closed=closed)
        return watched_result(folder, study)

    wanted = signature(make)
    path = Parameter("path", Parameter.POSITIONAL_ONLY, annotation="str | Path")
    watch.__signature__ = wanted.replace(  # type: ignore[attr-defined]  # for help() and notebooks
        parameters=[path, *wanted.parameters.values()], return_annotation="CompareResult"
    )
    return watch


def _as_tuple(name: str, value: Any) -> Any:
    """Lists as settings keep them; one name is a list of one, not of its letters, and so is one pair."""
    if name == "only_pairs":
        return tuple(_pair(pair) for pair in ([value] if _is_pair(value) else value))
    if name in _LISTS and isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _is_pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(name, str) for name in value)


def _pair(value: Any) -> tuple[str, str]:
    if not _is_pair(value):
        raise UsageError(f"only_pairs has {value!r}, which is no pair of two systems, such as ('A', 'B')")
    first, second = value
    return first, second


watch = _watch_by(LookSettings)
