"""Numbers that people write in another way get a plain answer."""

from __future__ import annotations

import pytest

from tiebreak.cli.setting_options import number, whole
from tiebreak.errors import UsageError
from tiebreak.settings.setting import Setting
from tiebreak.settings.shared import MARGIN


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("5%", "write a share between 0 and 1, such as 0.05"),
        ("2.5%", "write a share between 0 and 1, such as 0.025"),
        ("2,5%", "write a share between 0 and 1, such as 0.025"),
        (",1", "write 0.1"),
        ("0,05", "write 0.05"),
        ("105%", "write a share between 0 and 1, such as 0.05"),
        ("100%", "write a share between 0 and 1, such as 0.05"),
        ("0%", "write a share between 0 and 1, such as 0.05"),
        ("-5%", "write a share between 0 and 1, such as 0.05"),
        ("-,1", "write a share between 0 and 1, such as 0.05"),
        ("1,5", "write a share between 0 and 1, such as 0.05"),
        ("five", "write a share between 0 and 1, such as 0.05"),
        ("", "write a share between 0 and 1, such as 0.05"),
        (".", "write a share between 0 and 1, such as 0.05"),
    ],
)
def test_shares(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        number("--margin", MARGIN)(text)
    assert str(caught.value) == f"--margin {text}: {advice}"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("5%", "write a number, such as 1.5"),
        ("1,5", "write 1.5"),
        ("1,000", "write 1000 or 1.000"),
        ("1,000.50", "write 1000.5"),
        ("1,000,000", "write 1000000"),
        ("1.000,50", "write a number, such as 1.5"),
    ],
)
def test_numbers(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        number("--price")(text)
    assert str(caught.value) == f"--price {text}: {advice}"


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("1,000", "write 1000"),
        ("1.5", "write a whole number, such as 2"),
        ("5%", "write a whole number, such as 20"),
        ("ten", "write a whole number, such as 20"),
        ("3.0", "write 3"),
    ],
)
def test_whole_numbers(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        whole("--seed")(text)
    assert str(caught.value) == f"--seed {text}: {advice}"


def test_examples_lie_in_the_range() -> None:
    with pytest.raises(UsageError, match=r"write a whole number, such as 100$"):
        whole("--repetitions", Setting("", at_least=50))("many")
    with pytest.raises(UsageError, match=r"write a number, such as 0\.5$"):
        number("--side", Setting("", at_least=-1, at_most=1))("-1,5")
    with pytest.raises(UsageError, match=r"write -0\.5$"):
        number("--side", Setting("", at_least=-1, at_most=1))("-,5")


def test_numbers_are_read() -> None:
    assert number("--margin", MARGIN)("0.1") == number("--margin")(0.1) == 0.1
    assert number("--margin")("1e-3") == 0.001
    assert whole("--seed")("-3") == whole("--seed")(-3) == -3
