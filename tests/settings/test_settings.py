"""Settings out of range, records of settings, options as one would type them, lists of names, numbers as people write
them, the ends of every number, and what protocol files offer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
import pytest
from benchmarks.reference import commands, options_of

from tiebreak.campaign import Protocol
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.policies import PAIR_POLICIES
from tiebreak.errors import UsageError
from tiebreak.numbers import listed_names
from tiebreak.settings.checks import (
    check_settings,
    command_words,
    is_within,
    range_words,
    read_names,
    written_names,
    wrong_settings,
)
from tiebreak.settings.protocol import LABELLING_NAMES, PAIR_POLICY_NAMES, PROTOCOL_TABLES
from tiebreak.settings.setting import NamedSetting, Setting, kind_of, setting, settings_of
from tiebreak.settings.shared import MARGIN, MOST_LABELS_IN_ALL, labels_for
from tiebreak.settings.written import number, whole

# ---- checks ------------------------------------------------------------------------------------------------------


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


# ---- records ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    share: float = setting(0.1, Setting("A share", below=1))
    most_items: int | None = setting(None, Setting("Most items", at_least=1))
    names: tuple[str, ...] = setting((), Setting("A name", option="name"), against=False)
    ties: bool = setting(True, Setting("Ties allowed", flags="--ties/--no-ties"), panel="People")
    inner: str = "no setting"


def test_a_record_names_its_settings_in_the_order_of_its_fields() -> None:
    found = settings_of(Named)
    assert [(named.name, named.option, named.kind, named.default) for named in found] == [
        ("share", "--share", "number", 0.1),
        ("most_items", "--most-items", "whole", None),
        ("names", "--name", "names", ()),
        ("ties", "--no-ties", "flag", True),
    ]
    assert [named.setting.against for named in found] == [True, True, False, True]
    assert found[3].setting.panel == "People"
    assert Named() == Named(0.1, None, (), True)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (bool, "flag"),
        (int | None, "whole"),
        (float, "number"),
        (Literal["a", "b"], "text"),
        (str | None, "text"),
        (tuple[str, ...] | None, "names"),
        (Sequence[str], "names"),
        (tuple[float, ...], "numbers"),
        (tuple[float, float], "numbers"),
    ],
)
def test_what_a_type_gives(annotation: Any, kind: str) -> None:
    assert kind_of(annotation) == kind


@pytest.mark.parametrize("annotation", [dict[str, int], int | str, bytes, tuple[int, ...]])
def test_a_type_that_no_option_gives_is_refused(annotation: Any) -> None:
    with pytest.raises(TypeError, match="no type of a setting"):
        kind_of(annotation)


# ---- words -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WordsExample:
    margin: float | None = setting(None, Setting("A"))
    human: bool = setting(True, Setting("A", flags="--human/--no-human"))
    metrics: tuple[str, ...] = setting((), Setting("A", option="metric"))
    systems: tuple[str, ...] | None = setting(None, Setting("A", listed=True))
    qualities: tuple[float, ...] = setting((0.2, 0.0), Setting("A"))
    hidden: int = setting(1, Setting("A", file_only=True))


def test_defaults_need_no_words() -> None:
    assert command_words(WordsExample()) == []


def test_what_differs_is_given_by_its_options() -> None:
    changed = WordsExample(0.1, False, ("bleu", "chrf"), ("a,b", "c"), (1.0, 0.5), 7)
    assert command_words(changed) == [
        *("--margin", "0.1", "--no-human", "--metric", "bleu", "--metric", "chrf"),
        *("--systems", '"a,b",c', "--qualities", "1.0,0.5"),
    ]


# ---- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("A, B", ["A", "B"]),
        ("", []),
        (" ,A,,", ["A"]),
        ("a\\, b,c", ["a, b", "c"]),
        ('"GPT 4 (large, temp=0.7)",our model', ["GPT 4 (large, temp=0.7)", "our model"]),
        ('our model , "GPT 4, large" ', ["our model", "GPT 4, large"]),
        ('"the ""best"", of all",b', ['the "best", of all', "b"]),
        ('"best" model,b', ['"best" model', "b"]),
        ('"open,b', ['"open', "b"]),
        ("C:\\runs,b", ["C:\\runs", "b"]),
        ("two\nlines,b", ["two\nlines", "b"]),
    ],
)
def test_names_are_read_as_in_csv(listed: str, names: list[str]) -> None:
    assert read_names(listed) == names


@pytest.mark.parametrize("name", ["plain", "a, b", '"best"', 'the "best", of all', "end\\", " space ", "a\nb", "x=1"])
def test_what_is_written_is_read_again(name: str) -> None:
    assert read_names(written_names([name, "b", name])) == [name, "b", name]
    assert written_names(["plain", 'a "b"']) == 'plain,a "b"'


def test_a_name_with_a_comma_is_one_name_in_a_list() -> None:
    assert listed_names(["GPT 4 (large, temp=0.7)", "b"]) == '"GPT 4 (large, temp=0.7)", b'
    assert listed_names([]) == ""


# ---- written ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "texts", "said"),
    [
        (number("--side", MARGIN), "5%|,1|0,05|five||.", "write a share between 0 and 1 with a point, such as 0.05"),
        (number("--side"), "5%|1,5|1,000|1_0|１", "write a number with a point, such as 1.5"),
        (whole("--side"), "1,000|1.5|5%|ten", "write a whole number, such as 20"),
        (whole("--side", Setting("", at_least=50)), "many", "write a whole number, such as 100"),
    ],
)
def test_numbers_written_in_another_way_get_a_plain_answer(read: Callable[[str], float], texts: str, said: str) -> None:
    for text in texts.split("|"):
        with pytest.raises(UsageError) as caught:
            read(text)
        assert str(caught.value) == f"--side {text}: {said}"


def test_an_example_lies_in_the_range() -> None:
    with pytest.raises(UsageError, match=r"such as 0\.5$"):
        number("--side", Setting("", at_least=-1, at_most=1))("-1,5")


def test_numbers_are_read() -> None:
    assert number("--margin", MARGIN)("0.1") == number("--margin")(0.1) == 0.1
    assert number("--margin")("1e-3") == 0.001
    assert whole("--seed")("-3") == whole("--seed")(-3) == -3


# ---- ranges ------------------------------------------------------------------------------------------------------

NUMBERS = ("whole", "number", "numbers")


def numbers_of_commands() -> list[tuple[str, NamedSetting]]:
    """The options with a number, by what one would type."""
    return [
        (f"{name} {option.named.option}", option.named)
        for name, command in commands()
        for option in options_of(command)
        if option.named is not None and option.named.kind in NUMBERS
    ]


def numbers_of_protocols() -> list[tuple[str, NamedSetting]]:
    """The keys of protocol files with a number."""
    return [
        (f"{table}.{named.name}", named)
        for table, record in PROTOCOL_TABLES.items()
        for named in settings_of(record)
        if named.kind in NUMBERS
    ]


def test_no_option_with_a_number_is_declared_without_its_range() -> None:
    for name, command in commands():
        for option in options_of(command):
            assert option.named is not None or option.type not in (int, float), f"{name} {option.names}"


@pytest.mark.parametrize(("name", "named"), numbers_of_commands() + numbers_of_protocols())
def test_every_number_has_two_ends(name: str, named: NamedSetting) -> None:
    what = named.setting
    for value in (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 10**5000, -(10**5000)):
        assert not is_within(what, value), (name, value)
    if named.kind == "whole":
        assert what.at_least is not None, name
        assert what.at_most is not None, name
        assert what.at_most <= sys.maxsize  # fits 64 bits: arrays, TOML and JSON of other programs
        assert is_within(what, int(what.at_least))
        assert is_within(what, int(what.at_most))


@pytest.mark.parametrize(("name", "named"), numbers_of_protocols())
def test_defaults_are_in_their_ranges(name: str, named: NamedSetting) -> None:
    assert named.default is None or is_within(named.setting, named.default), name


def test_a_budget_pays_for_no_more_labels_than_there_can_be() -> None:
    assert labels_for(10.0, 0.1) == 100
    assert labels_for(1e15, 5e-324) == MOST_LABELS_IN_ALL


def test_a_number_with_thousands_of_digits_is_refused_in_words() -> None:
    from tiebreak.planning.assumptions import PlanSettings

    with pytest.raises(UsageError, match=r"number-of-items is 10+, but must be a whole number from 1 to 10,000,000"):
        PlanSettings(number_of_items=10**400)


# ---- protocols -------------------------------------------------------------------------------------------------------


def test_names_are_those_of_the_registries() -> None:
    assert tuple(LABELLING_POLICIES) == LABELLING_NAMES
    assert tuple(PAIR_POLICIES) == PAIR_POLICY_NAMES


def test_every_key_of_a_protocol_is_a_setting() -> None:
    outside = {field.name for field in fields(Protocol)} - set(PROTOCOL_TABLES)
    assert outside == {named.name for named in settings_of(Protocol)}
    for record in PROTOCOL_TABLES.values():
        described = {named.name for named in settings_of(record)}
        assert {field.name for field in fields(record)} - described <= {"gold", "criteria"}
