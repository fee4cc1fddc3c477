"""Help of every command in terminals of any width: nothing is cropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import typer
from rich.cells import cell_len
from typer.testing import CliRunner

from tiebreak.cli.commands import app, help_of


def every_command() -> Iterator[tuple[str, ...]]:
    """The words of each command and group."""

    def below(group: Any, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield words
        for name, found in group.commands.items():
            if isinstance(found, typer.core.TyperGroup):
                yield from below(found, (*words, name))
            else:
                yield (*words, name)

    return below(typer.main.get_command(app), ())


COMMANDS = tuple(every_command())


@cache
def help_at(words: tuple[str, ...], width: int) -> str:
    arguments, columns = [*words, "-h"], {"COLUMNS": str(width)}
    found = CliRunner().invoke(app, arguments, prog_name="tiebreak", env=columns, catch_exceptions=False)
    assert found.exit_code == 0
    return found.output


def command_of(words: tuple[str, ...]) -> Any:
    command = typer.main.get_command(app)
    for word in words:
        command = command.commands[word]
    return command


def test_every_command_is_here() -> None:
    assert {("simulate",), ("campaign", "create"), ("import",), ("campaign",), ()} < set(COMMANDS)


@pytest.mark.parametrize("width", [42, 60, 80, 120])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_help_is_never_cropped(words: tuple[str, ...], width: int) -> None:
    text, endless = help_at(words, width), help_at(words, 5000)
    assert all(cell_len(line) <= width and line == line.rstrip() for line in text.splitlines())
    assert "…" not in text
    # The same characters in the same order, broken into lines at other places.
    assert "".join(text.split()) == "".join(endless.split())
    assert {word for word in endless.split() if word.startswith("-")} <= set(text.split())


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example_of_itself(words: tuple[str, ...]) -> None:
    command = command_of(words)
    assert command.help
    if not isinstance(command, typer.core.TyperGroup):
        assert re.search(rf"Examples?: tiebreak {' '.join(words)}\b", " ".join(command.help.split()))
    for parameter in command.params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), f"{parameter.name} has no help"
    long = CliRunner().invoke(app, [*words, "--help"], prog_name="tiebreak", env={"COLUMNS": "80"})
    assert (long.exit_code, long.stderr, long.output) == (0, "", help_at(words, 80))


def test_defaults_stand_in_single_brackets() -> None:
    for words in COMMANDS:
        text = help_at(words, 200)
        assert "[default: (" not in text, words
        assert "<" not in text, words


# ---- Help as running text. -----------------------------------------------------------------------------------------


def command() -> None:
    """Does something.

    A sentence that the source breaks
    in two lines.

    Example: tiebreak something
    """


def test_paragraphs_are_one_line_each() -> None:
    text = "Does something.\n\nA sentence that the source breaks in two lines.\n\nExample: tiebreak something"
    assert help_of(command) == text
    assert help_of(lambda: None) == ""
