"""Pictures of results as matplotlib figures: `tiebreak.plots.matrix(result)` and the like; see `tiebreak.report`."""

from tiebreak.report.figures import annotators, evidence, intervals, matrix, metric, order, preferences, save

__all__ = ["annotators", "evidence", "intervals", "matrix", "metric", "order", "preferences", "save"]
