"""Fixed-sample confidence interval for P(a preferred) - P(b preferred)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from tiebreak.kernels import _checks


def adjusted_wald(
    wins: ArrayLike, ties: ArrayLike, losses: ArrayLike, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Estimate, low and high of P(a preferred) - P(b preferred), each of the counts' broadcast shape.

    Agresti & Min (2005), "Simple improved confidence intervals for comparing matched proportions": the Wald
    interval after adding 1/2 to each of the four cells of the matched table, i.e. 1/2 to wins and losses
    and 1 to the ties. The estimate is the raw (wins - losses) / n. Clipped to [-1, 1] and widened, where a
    low confidence would exclude it, to contain the estimate.

    Valid for **one** look at a sample of independent items whose size was fixed beforehand; it undercovers
    when labelling stopped because of what was seen.

    wins, ties, losses: whole numbers >= 0; confidence in (0, 1). Without labels: (nan, -1, 1). Raises
    `UsageError` for anything else.
    """
    level = _checks.open_unit("confidence", confidence)
    won, tied, lost = np.broadcast_arrays(
        _checks.counts("wins", wins), _checks.counts("ties", ties), _checks.counts("losses", losses)
    )
    n = won + tied + lost
    centre = (won - lost) / (n + 2.0)
    variance = ((won + lost + 1.0) / (n + 2.0) - centre**2) / (n + 2.0)
    half_width = ndtri((1.0 + level) / 2.0) * np.sqrt(variance)
    raw = (won - lost) / np.maximum(n, 1.0)
    low = np.maximum(np.minimum(centre - half_width, raw), -1.0)
    high = np.minimum(np.maximum(centre + half_width, raw), 1.0)
    empty = n == 0.0
    return np.where(empty, np.nan, raw), np.where(empty, -1.0, low), np.where(empty, 1.0, high)
