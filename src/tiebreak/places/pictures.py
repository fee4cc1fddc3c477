"""Pictures of the means and of the leaderboards of what lies at a path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiebreak.errors import UsageError
from tiebreak.places.estimates import estimate_at
from tiebreak.places.place import study_at
from tiebreak.places.ranks import rank_at
from tiebreak.results.estimates.settings import EstimateSettings
from tiebreak.results.ranking.settings import RankSettings
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.command_words import command_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_OF_RANK = (
    "criteria", "systems", "alpha", "multiplicity", "several", "raters", "annotators", "exclude", "tie_threshold",
)  # fmt: skip
_OF_ESTIMATE = ("target", "criteria", "raters", "annotators", "exclude", "systems", "metrics")


def draw_estimates(kind: str, path: Path, settings: CompareSettings, *, own_analysis: bool = False) -> Figure:
    """The picture "widths" or "efficiency". Of the settings those count that `estimate` has.

    Raises:
        UsageError: settings of comparisons only, several criteria where the picture has one, or nothing to draw.
        InputError: nothing lies there, it is damaged, or has no ratings.
    """
    from tiebreak.estimation.widths import system_widths
    from tiebreak.report.figures.efficiency import efficiency
    from tiebreak.report.figures.widths import widths

    asked = EstimateSettings(**_shared(kind, settings, _OF_ESTIMATE, "estimate"))
    found = estimate_at(path, asked, own_analysis=own_analysis)
    if kind == "efficiency":
        return efficiency(found)
    if len(found.results) > 1:
        names = ", ".join(of.criterion for of in found.results)
        raise UsageError(f"a picture of widths has one criterion: name it with --criterion ({names})")
    return widths(system_widths(study_at(path), found.results[0].criterion, asked))


def draw_ranks(kind: str, path: Path, settings: CompareSettings, *, own_analysis: bool = False) -> Figure:
    """The picture "leaderboard" or "win-rates". Of the settings those count that `rank` has.

    Raises:
        UsageError: settings of comparisons only, several criteria, or what `rank_at` refuses.
        InputError: nothing lies there, it is damaged, or nothing in it was compared.
    """
    from tiebreak.report.figures.leaderboard import leaderboard
    from tiebreak.report.figures.win_rates import win_rates

    asked = RankSettings(**_shared(kind, settings, _OF_RANK, "rank"))
    found = rank_at(path, asked, own_analysis=own_analysis)
    return leaderboard(found) if kind == "leaderboard" else win_rates(found)


def _shared(kind: str, settings: CompareSettings, names: Sequence[str], command: str) -> dict[str, Any]:
    """The settings of these names, which are all that may be given."""
    shared = {name: getattr(settings, name) for name in names}
    if CompareSettings(**shared) != settings:
        given = " ".join(command_words(settings))
        raise UsageError(f"a picture of kind {kind} takes the options of {command}, and {given} has others")
    return shared
