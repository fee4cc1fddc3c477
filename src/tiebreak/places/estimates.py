"""The estimates of the ratings that lie at a path: a study is analysed, a campaign of ratings has its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate_with
from tiebreak.live import open_campaign
from tiebreak.live.export import exported
from tiebreak.live.measured import measured_of
from tiebreak.places.place import place_at, study_at
from tiebreak.places.result import campaign_at, labels_that_count
from tiebreak.results.estimates.records import EstimateResult
from tiebreak.results.estimates.settings import EstimateSettings
from tiebreak.results.measured.records import MeasuredResult

_LOOKING = "the number of labels was chosen by looking at them, which these intervals do not cover"


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
    place = place_at(path)
    if place.kind == "study":
        if own_analysis:
            raise UsageError(f"--own-analysis is for the export of a campaign or a watched study; {path} is a study")
        return estimate_with(study_at(path, strict=strict), settings or EstimateSettings())
    if not own_analysis:
        study_at(path, strict=strict)
        what = "a watched study" if place.kind == "watched" else "the export of a campaign"
        raise UsageError(
            f"{path} is {what}: {_LOOKING}. Add --own-analysis to estimate all the same; the result says so"
        )
    campaign = open_campaign(path) if place.kind == "campaign" else None
    rates = campaign is not None and campaign.protocol.rates
    study = exported(campaign) if campaign is not None and rates else study_at(path, strict=strict)
    counting, notices = labels_that_count(study)
    found = estimate_with(counting, settings or EstimateSettings())
    return replace(found, own_analysis=_LOOKING, warnings=(*notices, *found.warnings))
