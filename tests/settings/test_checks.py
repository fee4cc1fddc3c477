from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings, range_words, wrong_settings
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True)
class Example:
    alpha: float = setting(0.1, Setting("A", above=0, below=1, at_least=1e-12, such_as="a chance such as 0.05"))
    tie_rate: float = setting(0.3, Setting("A", at_least=0, below=1))
    share: float = setting(0.3, Setting("A", at_least=0, at_most=1))
    price: float | None = setting(None, Setting("A", above=0))
    count: int = setting(3, Setting("A", at_least=1))
    order: str = setting("shuffled", Setting("A", choices=("shuffled", "listed")))
    side: str = setting("left", Setting("A", choices={"left": "the first", "right": ""}))
    ends: tuple[float, ...] = setting((0.0, 1.0), Setting("A", at_least=0, at_most=1))
    free: float = setting(0.0, Setting("A"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"alpha": 0}, "alpha is 0, but must be above 0 and below 1: a chance such as 0.05"),
        ({"alpha": 1.0}, "alpha is 1.0, but must be above 0 and below 1: a chance such as 0.05"),
        ({"alpha": 1e-13}, "alpha is 1e-13, but must be at least 1e-12"),
        ({"alpha": math.nan}, "alpha is nan, but must be above 0 and below 1: a chance such as 0.05"),
        ({"alpha": "0.1"}, "alpha is '0.1', but must be above 0 and below 1: a chance such as 0.05"),
        ({"alpha": None}, "alpha is None, but must be above 0 and below 1: a chance such as 0.05"),
        ({"tie_rate": 1.0}, "tie-rate is 1.0, but must be from 0 to below 1"),
        ({"share": 1.1}, "share is 1.1, but must be from 0 to 1"),
        ({"share": -0.1}, "share is -0.1, but must be from 0 to 1"),
        ({"price": 0}, "price is 0, but must be a number above 0"),
        ({"price": math.inf}, "price is inf, but must be a number above 0"),
        ({"count": 0}, "count is 0, but must be a whole number of at least 1"),
        ({"count": 2.0}, "count is 2.0, but must be a whole number of at least 1"),
        ({"count": True}, "count is True, but must be a whole number of at least 1"),
        ({"order": "lsted"}, "order is 'lsted', but must be one of shuffled, listed: did you mean listed?"),
        ({"side": "up"}, "side is 'up', but must be one of left, right"),
        ({"ends": (0.5, 2.0)}, "ends is (0.5, 2.0), but must be from 0 to 1"),
        ({"ends": None}, "ends is None, but must be given, or left out"),
        ({"free": math.inf}, "free is inf, but must be a number"),
    ],
)
def test_values_out_of_range_say_what_is_possible(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_settings(Example(**values))
    assert str(caught.value) == message


def test_all_problems_are_found_in_the_order_of_the_fields() -> None:
    found = list(wrong_settings(Example(alpha=2, count=0, side="up")))
    assert [wrong.setting.name for wrong in found] == ["alpha", "count", "side"]


def test_what_is_in_range_passes() -> None:
    check_settings(Example())
    check_settings(Example(1e-12, 0, 1, 0.001, np.int64(1), "listed", "right", (1.0,), -3))  # type: ignore[arg-type]
    check_settings(Example(price=None))


def test_ranges_in_words() -> None:
    assert range_words(Setting("A")) == ""
    assert range_words(Setting("A", at_least=2), whole=True) == "a whole number of at least 2"
    assert range_words(Setting("A", above=0, at_most=24)) == "above 0 and at most 24"
