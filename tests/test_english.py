"""Sentences stand in `messages`, and in `checks` beside what they find; below and beside them only errors do.

A sentence is a text of at least four words with a full stop. An error has none at its end, and may have one inside;
it is told by what it is made for: a `raise`, or a `Problem` that a file is refused with.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "tiebreak"

WITH_ENGLISH = {
    "messages": "all English about results",
    "checks": "what looks wrong in data, beside the function that finds it",
    "cli": "places messages, and has headings and help of its own",
    "report": "places messages, and has headings of its own",
    "sheets": "what annotators read in a workbook",
    "web": "what annotators and owners read in a browser",
    "demo": "the texts that made-up systems wrote",
    "importers": "what was taken for what in a file",
    "tabular": "what was taken for what in a file",
    "scoring": "what a training, a judge or a metric says of itself",
    "campaign/kinds": "what annotators read, and fill in",
    "live/folder.py": "errors that a function of their own makes",
}
"""Where sentences may stand, and which; everywhere else none may."""

_SENTENCE = re.compile(r"[A-Za-z)]{2}\.($| [A-Z{])")
_ERRORS = {"Problem", "InputError", "UsageError", "PlanError", "ProtocolError", "ValueError"}


def _text(node: ast.AST) -> str | None:
    """The text of a string or an f-string, with {} for each value in it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_error(function: ast.AST) -> bool:
    """Whether a function or statement raises, or names what is wrong in a file."""
    names = (
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    return any(isinstance(node, ast.Raise) for node in ast.walk(function)) or not _ERRORS.isdisjoint(names)


def sentences(source: str) -> Iterator[tuple[int, str]]:
    """(line, text) of every sentence that is neither a docstring nor in a function that refuses something."""
    tree = ast.parse(source)
    passed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _text(node.value) is not None:
            passed.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in ast.walk(node) if part is not node}
        elif isinstance(node, ast.FunctionDef) and _is_error(node):
            passed |= {id(part) for part in ast.walk(node)}
    for node in ast.walk(tree):
        text = None if id(node) in passed else _text(node)
        if text is not None and len(text.split()) >= 4 and _SENTENCE.search(text):
            yield node.lineno, text  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('def say(n):\n    return f"There are {n} pairs."\n', 1),
        ('def say(n):\n    """There are so many pairs here."""\n    return f"{n} pairs"\n', 0),
        ('TEXT = "Nothing is decided here. Go on"\n', 1),
        ('TEXT = "one label of each item"\n', 0),
        ('def check(n):\n    raise ValueError("There are no pairs here. Add some")\n', 0),
    ],
)
def test_a_sentence_is_found(source: str, found: int) -> None:
    assert len([*sentences(source)]) == found


def test_sentences_stand_where_sentences_belong() -> None:
    wrong = []
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE)
        if WITH_ENGLISH.keys().isdisjoint(map(str, (place, *place.parents))):
            wrong += [f"{place}:{line}: {text}" for line, text in sentences(file.read_text(encoding="utf-8"))]
    assert wrong == []
