"""What tests of many kernels check alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tiebreak.errors import UsageError
from tiebreak.kernels.one_look import OneLook


def refused(
    words: str, call: Callable[..., object], /, *arguments: object, error: type[Exception] = UsageError, **rest: object
) -> None:
    """The call raises an error with these words."""
    with pytest.raises(error, match=words):
        call(*arguments, **rest)


def check_agreement(test: OneLook, levels: Iterable[float]) -> None:
    """An interval excludes 0 exactly where the p-value of that side is at most the level."""
    for level in levels:
        if 0 < level < 0.5:
            low, high = test.interval(level)
            assert (low > 0) == (test.p_a <= level)
            assert (high < 0) == (test.p_b <= level)
            assert low <= test.estimate <= high
