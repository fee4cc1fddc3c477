from __future__ import annotations

import numpy as np
import pytest

from tiebreak.rules.sequence import ValueSequence

NAN = float("nan")


def test_complete_sequences_know_what_they_hold() -> None:
    assert ValueSequence.complete(np.array([1.0, 0.0, -1.0])).outcomes_only
    assert not ValueSequence.complete(np.array([1.0, 1 / 3])).outcomes_only
    assert ValueSequence.complete(np.array([1.0, 1.0]), pool_size=2).pool_size == 2
    empty = ValueSequence.complete(np.empty(0))
    assert len(empty) == 0
    assert np.isnan(empty.mean)


@pytest.mark.parametrize("bad", [1.5, -1.01, NAN])
def test_a_value_that_is_no_difference_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=rf"must be in \[-1, 1\], not {bad}"):
        ValueSequence.complete(np.array([0.0, bad]))


def test_more_values_than_the_pool_holds_are_refused() -> None:
    with pytest.raises(ValueError, match="3 values from a pool of 2"):
        ValueSequence.complete(np.zeros(3), pool_size=2)
