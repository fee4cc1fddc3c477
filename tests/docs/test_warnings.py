"""The page of warnings is made from the catalogue, and the catalogue has every notice that the source raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.warning_page import PAGE, warnings_page
from tests.docs.documents import REPOSITORY

from tiebreak.checks.catalogue import CATALOGUE

SOURCE = REPOSITORY / "src" / "tiebreak"
LISTED = [kind.code for theme in CATALOGUE for kind in theme.kinds]


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == warnings_page(), "run: python benchmarks/warning_page.py --write"


def calls_of(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Every call, by the name of what is called: a function, or an attribute of something."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name):
                yield node.func.id, node
            elif isinstance(node.func, ast.Attribute):
                yield node.func.attr, node


def raised_codes() -> set[str]:
    """The code of every notice that is made: by a check beside its function, or by a kind of `messages`."""
    codes: set[str] = set()
    for file in SOURCE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        folder = file.relative_to(SOURCE).parts[0]
        kinds = {
            node.target.id: node.value.args[0].value
            for node in tree.body
            if isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and isinstance(node.value, ast.Call)
            and node.value.args
            and isinstance(node.value.args[0], ast.Constant)
        }
        for name, call in calls_of(tree):
            if name == "Notice" and file.name != "kinds.py":
                assert folder == "checks", f"{file}: make it by a kind of messages/"
                assert isinstance(call.args[0], ast.Constant)
                codes.add(str(call.args[0].value))
            elif name == "notice" and folder == "messages":
                assert isinstance(call.func, ast.Attribute)
                assert isinstance(call.func.value, ast.Name)
                codes.add(str(kinds[call.func.value.id]))
    return codes


def test_every_notice_has_a_row_and_every_row_a_notice() -> None:
    codes = raised_codes()
    assert len(codes) > 50  # the search still finds them
    assert sorted(LISTED) == sorted({*codes, "extra-missing"})  # the one whose text is that of an error
