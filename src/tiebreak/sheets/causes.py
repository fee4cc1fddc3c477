"""Problems of many rows as few lines: one for each cause, at the first row that has it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tiebreak.errors import Problem
from tiebreak.results.numbers import counted


def by_cause(problems: Iterable[Problem]) -> list[Problem]:
    """One problem for each message and column, with how many more rows have it; they keep their order."""
    groups: dict[tuple[str, str, str], list[Problem]] = {}
    for problem in problems:
        column = (problem.column or "").partition(" ")[0]
        groups.setdefault((problem.file, column, problem.message), []).append(problem)
    return [
        found[0]
        if len(found) == 1
        else replace(found[0], message=f"{found[0].message} ({counted(len(found) - 1, 'more row')} like this)")
        for found in groups.values()
    ]
