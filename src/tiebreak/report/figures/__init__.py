"""The report's pictures as matplotlib figures, for papers: each function returns a figure or draws on given axes."""

from tiebreak.report.figures.annotators import annotators
from tiebreak.report.figures.canvas import save
from tiebreak.report.figures.evidence import evidence
from tiebreak.report.figures.intervals import intervals
from tiebreak.report.figures.leaderboard import leaderboard
from tiebreak.report.figures.matrix import matrix
from tiebreak.report.figures.metric import metric
from tiebreak.report.figures.order import order
from tiebreak.report.figures.preferences import preferences
from tiebreak.report.figures.win_rates import win_rates

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
