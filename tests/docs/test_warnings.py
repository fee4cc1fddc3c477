"""The page of warnings is made from the catalogue, and the catalogue has every notice that the source raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.warning_page import PAGE, warnings_page
from tests.docs.documents import REPOSITORY

from tiebreak.checks.catalogue import CATALOGUE

SOURCE = REPOSITORY / "src" / "tiebreak"
LISTED = [kind.code for theme in CATALOGUE for kind in theme.kinds]


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == warnings_page(), "run: python benchmarks/warning_page.py --write"


def notices_of(tree: ast.Module) -> Iterator[ast.expr]:
    """The first argument of every `Notice(...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Notice" and node.args:
            yield node.args[0]


def raised_codes() -> set[str]:
    """Every code of a notice. Where a file gives it a variable, all its words-with-dashes are codes."""
    codes: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        given = list(notices_of(tree))
        codes |= {str(code.value) for code in given if isinstance(code, ast.Constant)}
        if not all(isinstance(code, ast.Constant) for code in given):
            words = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            codes |= {word for word in words if re.fullmatch("[a-z]+(-[a-z]+)+", word)}
    return codes


def test_every_notice_has_a_row_and_every_row_a_notice() -> None:
    codes = raised_codes()
    assert len(codes) > 60  # the search still finds them
    assert sorted(LISTED) == sorted(codes)
