"""The page of warnings is made from the catalogue, and the catalogue has every notice that the source raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.warning_page import PAGE, warnings_page
from tests.docs.documents import REPOSITORY

from tiebreak.checks.all_checks import CATALOGUE

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


def kinds_of(tree: ast.Module) -> dict[str, str]:
    """The codes of the kinds of notices that a file defines, by the names of these kinds."""
    return {
        node.target.id: str(node.value.args[0].value)
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, ast.Call)
        if isinstance(node.value.func, ast.Name) and node.value.func.id == "NoticeKind"
        if isinstance(node.value.args[0], ast.Constant)
    }


def raised_codes() -> set[str]:
    """The code of every notice that is made, each by its kind."""
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in SOURCE.rglob("*.py")}
    kinds = {name: code for tree in trees.values() for name, code in kinds_of(tree).items()}
    assert len(kinds) == len(set(kinds.values())), "two kinds have one code, or one name"
    codes: set[str] = set()
    for file, tree in trees.items():
        for name, call in calls_of(tree):
            assert name != "Notice" or file.name == "notices.py", f"{file}: make it by its kind"
            if name == "notice" and file.relative_to(SOURCE).parts[0] in ("checks", "messages"):
                assert isinstance(call.func, ast.Attribute)
                assert isinstance(call.func.value, ast.Name)
                codes.add(kinds[call.func.value.id])
    return codes


def test_every_notice_has_a_row_and_every_row_a_notice() -> None:
    assert sorted(LISTED) == sorted(raised_codes())
