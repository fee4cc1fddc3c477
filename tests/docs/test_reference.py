"""The reference page is what the code says, and one option has one meaning over all commands."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum

import pytest
from benchmarks.reference import PAGE, Option, commands, options_of, reference_page

from tiebreak.errors import UsageError

ANOTHER_IN_EVERY_COMMAND = {
    "--out": "what it writes",
    "--json": "what it prints",
    "--plot": "what it draws",
    "--report": "what it writes",
    "--overwrite": "what it replaces",
    "--metric": "what is done with it: score computes it, others use its scores",
    "--dry-run": "what it shows",
    "--format": "what of",
    "--seed": "what is drawn: the order of items, the simulation, the demo, partners, questions",
    "--judge": "what is done with it",
    "--map": "whose columns: those of any file, or of a sheet that was written here",
    "--yes": "what is not asked",
}
"""Options whose help may differ, as what they are about is another thing in every command."""


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page(), "run: python benchmarks/reference.py --write"


def options() -> dict[str, list[tuple[str, Option]]]:
    """Every long option, with the commands that have it."""
    found = defaultdict(list)
    for name, command in commands():
        for option in options_of(command):
            found[next(each for each in option.names if each.startswith("--"))].append((name, option))
    return dict(found)


OPTIONS = options()


def meaning(option: Option) -> str:
    """Its phrase, without the choices and whether it may be repeated, which differ."""
    text = str(option.info.help).removesuffix(".") if option.named is None else option.named.setting.help
    return text.removesuffix("; repeatable")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_means_the_same_in_every_command(name: str) -> None:
    uses = [option for _, option in OPTIONS[name]]
    meanings = {meaning(use) for use in uses}
    kinds = {str if issubclass(use.type, Enum) else use.type for use in uses if use.type != list[str]}
    assert len(kinds) <= 1, f"{name} takes several kinds of values"
    if name not in ANOTHER_IN_EVERY_COMMAND:
        assert len(meanings) == 1


def test_every_number_gets_a_plain_answer() -> None:
    numbers = [
        (command, name, option)
        for name, uses in OPTIONS.items()
        for command, option in uses
        if option.type in (int, float)
    ]
    assert len(numbers) > 50
    for command, name, option in numbers:
        assert option.info.parser is not None, f"{command} {name} needs a parser of cli/setting_options.py"
        with pytest.raises(UsageError, match=f"^{name} 5,5x: write "):
            option.info.parser("5,5x")


@pytest.mark.parametrize("name", OPTIONS)
def test_help_is_a_phrase_of_its_own(name: str) -> None:
    for command, option in OPTIONS[name]:
        text = str(option.info.help)
        assert text.endswith("."), f"{command} {name}: {text}"
        assert text[0].isupper(), f"{command} {name}: {text}"
        assert not text.startswith(("Of ", "That ", "Who label ", "Which ", "How many ")), f"{command} {name}: {text}"
