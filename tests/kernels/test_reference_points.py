from __future__ import annotations

import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.davidson_limits import reference_points


def test_three_for_a_win_one_for_a_draw() -> None:
    assert reference_points([[1, 1, 0, -1], [0, 0, 0, 0], [-1, -1, -1, -1]]).tolist() == [7, 4, 0]


def test_bad_input_is_refused() -> None:
    with pytest.raises(UsageError, match="a row per sample and a column per reference"):
        reference_points([1, 0])
    with pytest.raises(UsageError, match="a row per sample and a column per reference"):
        reference_points([[], []])
    with pytest.raises(UsageError, match="an outcome is 1, 0 or -1, but one is 2"):
        reference_points([[1, 2]])
