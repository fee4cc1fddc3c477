"""Numbers that people write in another way get a plain answer."""

from __future__ import annotations

import pytest

from tiebreak.errors import UsageError
from tiebreak.settings.setting import Setting
from tiebreak.settings.shared import MARGIN
from tiebreak.settings.written import number, whole


@pytest.mark.parametrize("text", ["5%", ",1", "0,05", "five", "", "."])
def test_shares(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        number("--margin", MARGIN)(text)
    assert str(caught.value) == f"--margin {text}: write a share between 0 and 1 with a point, such as 0.05"


@pytest.mark.parametrize("text", ["5%", "1,5", "1,000", "1_0", "１"])
def test_numbers(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        number("--price")(text)
    assert str(caught.value) == f"--price {text}: write a number with a point, such as 1.5"


@pytest.mark.parametrize("text", ["1,000", "1.5", "5%", "ten"])
def test_whole_numbers(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        whole("--seed")(text)
    assert str(caught.value) == f"--seed {text}: write a whole number, such as 20"


def test_examples_lie_in_the_range() -> None:
    with pytest.raises(UsageError, match=r"write a whole number, such as 100$"):
        whole("--repetitions", Setting("", at_least=50))("many")
    with pytest.raises(UsageError, match=r"such as 0\.5$"):
        number("--side", Setting("", at_least=-1, at_most=1))("-1,5")


def test_numbers_are_read() -> None:
    assert number("--margin", MARGIN)("0.1") == number("--margin")(0.1) == 0.1
    assert number("--margin")("1e-3") == 0.001
    assert whole("--seed")("-3") == whole("--seed")(-3) == -3
