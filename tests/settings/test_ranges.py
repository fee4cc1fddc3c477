"""Every number that a user can give has two ends: what is beyond them would block something later."""

from __future__ import annotations

import sys

import pytest
from benchmarks.reference import commands, options_of

from tiebreak.errors import UsageError
from tiebreak.settings.checks import is_within
from tiebreak.settings.protocol import PROTOCOL_TABLES
from tiebreak.settings.setting import NamedSetting, settings_of
from tiebreak.settings.shared import MOST_LABELS_IN_ALL, labels_for

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
    for number in (float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 10**5000, -(10**5000)):
        assert not is_within(what, number), (name, number)
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

    with pytest.raises(
        UsageError, match=r"seed is 10+, but must be a whole number from 0 to 9,223,372,036,854,775,807"
    ):
        PlanSettings(seed=10**400)
