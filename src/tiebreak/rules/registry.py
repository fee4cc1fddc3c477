"""The list of decision rules: a new one is a file and a line here.

Options are made from this list, so that it loads a rule only when somebody asks for it: `tiebreak --help` computes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from tiebreak.rules.rule import Rule


class Line(NamedTuple):
    """What a rule is for, and the module that has it under the name `RULE`.

    `verdicts` on pairs of systems with a bounded error, the `reproduction` of a paper's verdicts, or `ratings`, until
    their means are known well enough.
    """

    kind: Literal["verdicts", "reproduction", "ratings"]
    module: str


LINES: Final[dict[str, Line]] = {
    "fixed": Line("verdicts", "tiebreak.rules.fixed"),
    "anytime": Line("verdicts", "tiebreak.rules.anytime"),
    "hoeffding": Line("reproduction", "tiebreak.rules.hoeffding"),
    "dirichlet": Line("reproduction", "tiebreak.rules.dirichlet"),
    "posterior": Line("reproduction", "tiebreak.rules.posterior"),
    "width": Line("ratings", "tiebreak.rules.width"),
    "bernstein": Line("ratings", "tiebreak.rules.bernstein"),
}


def pair_rules() -> tuple[str, ...]:
    """The names of those that compare two systems."""
    return tuple(name for name, line in LINES.items() if line.kind != "ratings")


def rating_rules() -> tuple[str, ...]:
    """The names of those that end the measures of ratings."""
    return tuple(name for name, line in LINES.items() if line.kind == "ratings")


class _Rules(Mapping[str, "Rule[Any, Any]"]):
    """Loaded when they are asked for."""

    def __getitem__(self, name: str) -> Rule[Any, Any]:
        return _loaded(LINES[name].module)

    def __iter__(self) -> Iterator[str]:
        return iter(LINES)

    def __len__(self) -> int:
        return len(LINES)


@cache
def _loaded(module: str) -> Rule[Any, Any]:
    rule: Rule[Any, Any] = import_module(module).RULE
    return rule


RULES: Final[Mapping[str, Rule[Any, Any]]] = _Rules()
"""All rules by name."""
