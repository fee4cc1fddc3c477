"""The leaderboard of the labels that lie at a path."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.live import open_campaign
from tiebreak.live.export import exported
from tiebreak.places.place import place_at, study_at
from tiebreak.places.result import labels_that_count
from tiebreak.ranking.rank import rank_with
from tiebreak.results.ranking.records import RankResult
from tiebreak.results.ranking.settings import RankSettings

_LOOKING: Final = "the number of labels was chosen by looking at them, which intervals and places do not cover"
_WHAT: Final = {"campaign": "a campaign", "export": "the export of a campaign", "watched": "a watched study"}


def rank_at(
    path: Path, settings: RankSettings | None = None, *, own_analysis: bool = False, strict: bool = False
) -> RankResult:
    """The leaderboard of the study at a path. What is watched, or is or was a campaign, needs `own_analysis`.

    Raises:
        UsageError: a campaign, its export or a watched study without `own_analysis`, or that of a plain study.
        InputError: nothing lies there, it is damaged, or nothing in it was compared.
    """
    place = place_at(path)
    asked = settings or RankSettings()
    if place.kind == "study":
        if own_analysis:
            raise UsageError(
                f"--own-analysis is for a campaign, its export or a watched study; {path} is a study: leave it out"
            )
        return rank_with(study_at(path, strict=strict), asked)
    if not own_analysis:
        raise UsageError(
            f"{path} is {_WHAT[place.kind]}: {_LOOKING}. Add --own-analysis to rank all the same; the result says so"
        )
    study = exported(open_campaign(path)) if place.kind == "campaign" else study_at(path, strict=strict)
    counting, notices = labels_that_count(study)
    found = rank_with(counting, asked)
    return replace(found, own_analysis=_LOOKING, warnings=(*notices, *found.warnings))
