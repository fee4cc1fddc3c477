"""Intervals on a grid: by hand, and against the search of `confidence_sequence` where that may be used."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tiebreak.kernels.hedge import lower_limit, upper_limit


def test_by_hand() -> None:
    # Grid -1, -.5, 0, .5, 1 with -.5 and .5 rejected but not 0: the first that is kept is 0, and differences
    # above -.5 count as tested by 0, so that the limit is -.5.
    evidence = {-0.5: 5.0, 0.0: 1.0, 0.5: 5.0}
    sup = lambda nulls: np.array([evidence[float(m)] for m in nulls])  # noqa: E731
    assert lower_limit(sup, 3.0, steps=4) == -0.5
    assert upper_limit(sup, 3.0, steps=4) == 0.5


def test_nothing_and_everything_rejected() -> None:
    assert lower_limit(lambda nulls: np.zeros(nulls.size), 3.0) == -1.0
    assert_allclose(lower_limit(lambda nulls: np.full(nulls.size, np.inf), 3.0), 0.99)
    with pytest.raises(ValueError, match="at least two steps"):
        lower_limit(lambda nulls: nulls, 3.0, steps=1)
