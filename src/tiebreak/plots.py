"""Pictures of results as matplotlib figures: `tiebreak.plots.matrix(result)` and the like; see `tiebreak.report`."""

from tiebreak.report.figures import (
    agreement,
    annotators,
    evidence,
    intervals,
    leaderboard,
    learning,
    matrix,
    metric,
    preferences,
    save,
    systems,
    win_rates,
)

__all__ = [
    "agreement",
    "annotators",
    "evidence",
    "intervals",
    "leaderboard",
    "learning",
    "matrix",
    "metric",
    "preferences",
    "save",
    "systems",
    "win_rates",
]
