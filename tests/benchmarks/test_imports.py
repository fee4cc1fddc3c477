"""Benchmarks run from a checkout without tests: they import none."""

from __future__ import annotations

import ast
from pathlib import Path

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_no_benchmark_imports_tests() -> None:
    files = sorted(BENCHMARKS.rglob("*.py"))
    assert len(files) > 40  # the search still finds them
    found = {
        (str(file.relative_to(BENCHMARKS)), name)
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in _imported(node)
        if name.split(".")[0] in ("tests", "conftest", "pytest")
    }
    assert not found


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
