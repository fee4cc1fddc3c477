"""The result of what lies at a path: a study is compared, a campaign or a watched study has verdicts of its own."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import polars as pl

from tiebreak.comparison.compare import compare_with
from tiebreak.data.readers import read_study
from tiebreak.data.schema import LABEL_TABLES
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.live import LiveCampaign, open_campaign, result_of
from tiebreak.live.export import exported, open_export, origin_of
from tiebreak.messages.own_analysis import NO_PROMISE, labels_left_out, own_analysis_notice, sentence_of
from tiebreak.numbers import command
from tiebreak.places.place import Place, left_out_of, place_at, refuse_own_analysis, study_at
from tiebreak.records import Notice
from tiebreak.results.progress import OwnAnalysis
from tiebreak.results.records import BEYOND_BUDGET, FEW_UNITS, NOT_PROJECTED, CompareResult, PairResult
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.checks import command_words
from tiebreak.watching.folder import is_watched, read_ledger
from tiebreak.watching.result import result_of as result_of_looks


def result_at(
    path: Path, settings: CompareSettings | None = None, *, own_analysis: bool = False, strict: bool = False
) -> CompareResult:
    """The result of the study, campaign or export at a path.

    A study is compared by `settings` (default: the defaults). A campaign has its own verdict, by its protocol, and so
    has its export, and a watched study that of its last look; `own_analysis` analyses their labels afresh instead,
    without those that came too late or were withdrawn. `strict` refuses a study in which rows repeat others (the log of
    a campaign cannot hold any).

    Raises:
        UsageError: settings for a campaign or a watched study without `own_analysis`, or that of a plain study.
        InputError: nothing lies there, or it is damaged; an export whose tables and events disagree.
    """
    asked, place = settings or CompareSettings(), place_at(path)
    if place.kind == "study":
        refuse_own_analysis(path, own_analysis)
        return _without_left_out(study_at(path, strict=strict), asked)
    if own_analysis:
        return _own_analysis(place, asked)
    _refuse_settings(place, asked)
    if place.kind == "watched":
        return watched_result(path, read_study(path, strict=strict))
    campaign = campaign_at(place)
    if campaign.protocol.rates:
        raise UsageError(f"{path} is a campaign of ratings, which compares nothing: {command('estimate', path)}")
    return result_of(campaign)


def watched_result(folder: Path, study: Study) -> CompareResult:
    """The verdicts of the last look at a study.

    Raises:
        InputError: its ledger is damaged, or there was no look yet.
    """
    ledger = read_ledger(folder).ledger if is_watched(folder) else None
    if ledger is None:
        raise InputError([Problem(str(folder), f"nobody has looked yet: {command('watch', folder)}")])
    return result_of_looks(ledger, study)


def _without_left_out(study: Study, settings: CompareSettings) -> CompareResult:
    """A campaign's tables without the campaign still say which labels are no evidence of it."""
    counting, notices = labels_that_count(study, of_export=True)
    result = compare_with(counting, settings)
    return replace(result, warnings=(*notices, *result.warnings))


def labels_that_count(study: Study, *, of_export: bool = False) -> tuple[Study, tuple[Notice, ...]]:
    """The study without labels that came after the end of the campaign that they are from, or were withdrawn or set
    aside in it, and what says so. `of_export`: the campaign's own verdict is missed.
    """
    counting, counts = _counting(study)
    return counting, labels_left_out(*counts, of_export=of_export)


def campaign_at(place: Place) -> LiveCampaign:
    """The campaign at a place, or in the export there."""
    return open_campaign(place.path) if place.kind == "campaign" else open_export(place.path)


def _refuse_settings(place: Place, settings: CompareSettings) -> None:
    """A campaign's verdict goes by its protocol, which was fixed before its first label."""
    words = command_words(settings)
    if words:
        what = {
            "campaign": "a campaign, whose verdict goes by its own protocol",
            "export": "the export of a campaign, whose verdict goes by its own protocol",
            "watched": "a watched study, whose verdict goes by what its first look fixed",
        }[place.kind]
        raise UsageError(
            f"{place.path} is {what}: leave out {shlex.join(words)}, or add --own-analysis to analyse its labels afresh"
        )


def _own_analysis(place: Place, settings: CompareSettings) -> CompareResult:
    if place.kind == "watched":
        study = read_study(place.path)
        return _marked(compare_with(study, settings), OwnAnalysis(study.name, "watch"))
    live, name = _replayed(place)
    if place.kind == "campaign" and live is not None:
        study = replace(exported(live), path=place.path)
    else:
        study = replace(read_study(place.path), name=name)
    counting, counts = _counting(study)
    return _marked(compare_with(counting, settings), OwnAnalysis(name, "campaign", *counts))


def _marked(result: CompareResult, own: OwnAnalysis) -> CompareResult:
    """The result with what it is, without promises that it cannot make and projections of what goes on elsewhere."""
    results = tuple(
        replace(
            criterion,
            pairs=tuple(_of_own_analysis(pair) for pair in criterion.pairs),
            for_paper=sentence_of(criterion.for_paper.under(NO_PROMISE), own),
        )
        for criterion in result.results
    )
    terms, warnings = replace(result.terms, guarantee=NO_PROMISE), (own_analysis_notice(own), *result.warnings)
    return replace(result, terms=terms, results=results, warnings=warnings, own_analysis=own)


def _replayed(place: Place) -> tuple[LiveCampaign | None, str]:
    """The campaign, None where the tables of an export are no longer its own, and its name."""
    if place.kind == "campaign":
        live = open_campaign(place.path)
        return live, live.study.name
    try:
        return open_export(place.path), origin_of(place.path).campaign
    except InputError:
        return None, origin_of(place.path).campaign


def _of_own_analysis(pair: PairResult) -> PairResult:
    meant = pair.difference.validity
    validity = replace(meant, says=f"{meant}, if the number of labels had been fixed beforehand")
    pair = replace(pair, difference=replace(pair.difference, validity=validity))
    if pair.verdict != "undecided":
        return pair
    flags = tuple(flag for flag in pair.flags if flag not in (BEYOND_BUDGET, FEW_UNITS))
    return replace(
        pair, items_to_decision=None, labels_to_decision=None, cost_to_decision=None, flags=(*flags, NOT_PROJECTED)
    )


def _counting(study: Study) -> tuple[Study, tuple[int, int, int]]:
    """The study with the labels that count, and how many came too late, were withdrawn, and were set aside."""
    left_out, kept = left_out_of(study), dict[str, pl.DataFrame | None]()
    for name in LABEL_TABLES:
        frame = study.tables.get(name)
        if left_out.all and frame is not None and "task" in frame.columns:
            rows = frame.filter(~pl.col("task").cast(pl.String).is_in(sorted(left_out.all)))
            kept[name] = rows if rows.height else None
    counts = len(left_out.late), len(left_out.withdrawn), len(left_out.set_aside)
    return replace(study, **kept), counts  # type: ignore[arg-type]
