"""Help as running text."""

from __future__ import annotations

import typer

from tiebreak.cli.commands import app
from tiebreak.cli.help_page import help_of


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


def test_every_command_has_such_help() -> None:
    def check(group: typer.core.TyperGroup) -> int:
        count = 0
        for name, found in group.commands.items():
            if isinstance(found, typer.core.TyperGroup):
                count += check(found)
                continue
            assert found.help, name
            assert all("\n" not in paragraph for paragraph in found.help.split("\n\n")), name
            assert "Example" in found.help, name
            count += 1
        return count

    group = typer.main.get_command(app)
    assert isinstance(group, typer.core.TyperGroup)
    assert check(group) >= 16
