"""Pictures of results as matplotlib figures: `tiebreak.plots.matrix(result)` and the like; see `tiebreak.report`."""

from tiebreak.report.figures import curves as evidence
from tiebreak.report.figures import intervals, order, save
from tiebreak.report.figures import intervals as matrix
from tiebreak.report.figures import labels as annotators
from tiebreak.report.figures import labels as preferences
from tiebreak.report.figures import labels as win_rates
from tiebreak.report.figures import metrics as metric
from tiebreak.report.figures import order as leaderboard

__all__ = [
    "annotators",
    "evidence",
    "intervals",
    "leaderboard",
    "matrix",
    "metric",
    "order",
    "preferences",
    "save",
    "win_rates",
]
