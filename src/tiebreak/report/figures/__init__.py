"""The report's pictures as matplotlib figures, for papers: each function returns a figure or draws on given axes."""

from tiebreak.report.figures.canvas import save
from tiebreak.report.figures.curves import evidence, learning
from tiebreak.report.figures.intervals import intervals, matrix
from tiebreak.report.figures.labels import agreement, annotators, preferences, win_rates
from tiebreak.report.figures.metrics import metric
from tiebreak.report.figures.systems import leaderboard, systems

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
