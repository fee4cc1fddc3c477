"""What docstrings and pages refer to exists: merging a module must not leave its name behind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.docs.documents import PAGES, REPOSITORY

import tiebreak

SOURCES = REPOSITORY / "src" / "tiebreak"
EXAMPLES_OF_COLUMNS = ("importers", "tabular")
"""Folders whose docstrings also quote names from people's files."""


@cache
def trees() -> Mapping[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCES.rglob("*.py"))}


def docstrings() -> Iterator[tuple[Path, str]]:
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield path, text


@cache
def known() -> frozenset[str]:
    """Modules, folders, every name in code, and the words of short strings (keys, columns, values)."""
    names = {"tiebreak", *dir(tiebreak)}
    for path, tree in trees().items():
        names |= {*path.relative_to(SOURCES).parts, path.stem}
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                    names.add(name)
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                    names |= {*name.split(".")}
                case ast.Constant(value=str(text)) if len(text) < 60:
                    names |= {*re.findall(r"\w+", text)}
    return frozenset(names)


def unknown(text: str) -> list[str]:
    """Names of code in backticks, alone or after a path of modules, that nothing has."""
    quoted = re.findall(r"`([A-Za-z]\w*_\w+|kernels(?:\.\w+)+)`", text)
    return [name for name in quoted if not {*name.split(".")} <= known()]


def missing(text: str) -> list[str]:
    """Files of this repository that are named, but are not there; NAME in capitals stands for any."""
    named = re.findall(r"\b(?:src|tests|benchmarks|docs)/[\w/]+\.(?:py|md|csv|svg|txt)\b", text)
    return [name for name in named if "NAME" not in name and not (REPOSITORY / name).is_file()]


def test_names_in_docstrings_exist() -> None:
    checked = [(p, t) for p, t in docstrings() if p.relative_to(SOURCES).parts[0] not in EXAMPLES_OF_COLUMNS]
    assert [(path.name, name) for path, text in checked for name in unknown(text)] == []


def test_files_that_are_named_exist() -> None:
    texts = [*docstrings(), *((page, page.read_text(encoding="utf-8")) for page in PAGES)]
    assert [(path.name, name) for path, text in texts for name in missing(text)] == []


def test_the_search_finds_what_is_gone() -> None:
    assert unknown("see `kernels.no_such_module.davidson` and `no_such_name`, not `rating_mean`") == [
        "kernels.no_such_module.davidson",
        "no_such_name",
    ]
    assert missing("run tests/no_such_file.py, not tests/docs/test_docs.py") == ["tests/no_such_file.py"]
