"""Help as running text."""

from __future__ import annotations

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
