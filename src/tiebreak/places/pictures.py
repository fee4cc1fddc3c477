"""Pictures of the ratings that lie at a path."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tiebreak.errors import UsageError
from tiebreak.places.estimates import estimate_at
from tiebreak.places.place import study_at
from tiebreak.results.estimates.settings import EstimateSettings
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.command_words import command_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHARED = ("target", "criteria", "raters", "annotators", "exclude", "systems", "metrics")


def draw_estimates(kind: str, path: Path, settings: CompareSettings, *, own_analysis: bool = False) -> Figure:
    """The picture "widths" or "efficiency". Of the settings those count that `estimate` has.

    Raises:
        UsageError: settings of comparisons only, several criteria where the picture has one, or nothing to draw.
        InputError: nothing lies there, it is damaged, or has no ratings.
    """
    from tiebreak.estimation.widths import system_widths
    from tiebreak.report.figures.efficiency import efficiency
    from tiebreak.report.figures.widths import widths

    shared = {name: getattr(settings, name) for name in _SHARED}
    if CompareSettings(**shared) != settings:
        given = " ".join(command_words(settings))
        raise UsageError(f"a picture of kind {kind} takes the options of estimate, and {given} has others")
    asked = EstimateSettings(**shared)
    found = estimate_at(path, asked, own_analysis=own_analysis)
    if kind == "efficiency":
        return efficiency(found)
    if len(found.results) > 1:
        names = ", ".join(of.criterion for of in found.results)
        raise UsageError(f"a picture of widths has one criterion: name it with --criterion ({names})")
    return widths(system_widths(study_at(path), found.results[0].criterion, asked))
