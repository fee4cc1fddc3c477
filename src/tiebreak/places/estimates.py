"""The estimates of the ratings that lie at a path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate_with
from tiebreak.places.place import place_at, study_at
from tiebreak.results.estimates.records import EstimateResult
from tiebreak.results.estimates.settings import EstimateSettings

_LOOKING = "the number of labels was chosen by looking at them, which these intervals do not cover"


def estimate_at(
    path: Path, settings: EstimateSettings | None = None, *, own_analysis: bool = False, strict: bool = False
) -> EstimateResult:
    """The estimates of the study at a path. What is watched, or was a campaign, needs `own_analysis`.

    Raises:
        UsageError: a watched study or the export of a campaign without `own_analysis`, or that of a plain study.
        InputError: nothing lies there, or it is damaged; a campaign, whose labels are no table yet; no ratings.
    """
    kind = place_at(path).kind
    study = study_at(path, strict=strict)
    if kind == "study":
        if own_analysis:
            raise UsageError(f"--own-analysis is for the export of a campaign or a watched study; {path} is a study")
        return estimate_with(study, settings or EstimateSettings())
    if not own_analysis:
        what = "a watched study" if kind == "watched" else "the export of a campaign"
        raise UsageError(
            f"{path} is {what}: {_LOOKING}. Add --own-analysis to estimate all the same; the result says so"
        )
    return replace(estimate_with(study, settings or EstimateSettings()), own_analysis=_LOOKING)
