"""Numbers as outcomes: 1 and 2 alone are the two sides; others may belong to several codes and are asked about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d+)?")
_SIDES: Final[Mapping[str, str]] = {"1": "a", "2": "b"}
_CODES: Final = (
    ("1=a,0=b", "1=a,0=tie", "0=a,1=b"),
    ("1=a,2=b", "1=a,2=tie,3=b"),
    ("1=a,2=b,0=tie", "0=a,1=tie,2=b", "0=a,1=b,2=tie"),
    ("1=a,2=tie,3=b", "1=a,2=b,3=tie"),
    ("1=a,0=tie,-1=b", "-1=a,0=tie,1=b"),
)
"""What people write, by the numbers that occur: the first row whose first code has them all is shown."""

_MOST: Final = 11
"""Numbers that are spelt out in a cure."""


def number_in(cell: str) -> str | None:
    """A cell that is a bare number, with its sign; 1.0 is 1. None for any other."""
    plain = cell.strip().strip("[]() ").strip(" .!")
    return re.sub(r"\.0+$", "", plain) if _NUMBER.fullmatch(plain) else None


def numbers_are_clear(numbers: Collection[str], said: Mapping[str, str], *, counted: bool = False) -> bool:
    """Whether numbers nobody has explained mean one thing only. `said`: a, tie, b or skip by number, as an option says;
    `counted`: the two sides are called 1 and 2 in the table itself, so that 0 is neither.
    """
    if any(
        meaning != _SIDES.get(number, meaning if meaning in ("tie", "skip") else "") for number, meaning in said.items()
    ):
        return False
    allowed = {*_SIDES, "0"} if counted else set(_SIDES)
    return set(numbers) <= allowed and (bool(said) or "2" in numbers)


def codes_for(numbers: Iterable[str]) -> list[tuple[tuple[str, str], ...]]:
    """What numbers may mean, as pairs of a number and a, tie or b: the codes that people use with these."""
    found = sorted({number.removeprefix("+") for number in numbers}, key=float)
    for codes in _CODES:
        pairs = [tuple((n, m) for n, _, m in (part.partition("=") for part in code.split(","))) for code in codes]
        if set(found) <= {number for number, _ in pairs[0]}:
            return pairs
    if len(found) > _MOST:
        return [(("NUMBER", "a"), ("NUMBER", "b"))]
    rising = tuple((number, _by_rank(k, len(found))) for k, number in enumerate(found))
    falling = tuple((number, _by_rank(len(found) - 1 - k, len(found))) for k, number in enumerate(found))
    return [rising, falling]


def _by_rank(rank: int, count: int) -> str:
    """The lower half says the first, the upper the second, the one in the middle a tie."""
    return "tie" if 2 * rank == count - 1 else "a" if 2 * rank < count - 1 else "b"


def question_about(numbers: Iterable[str], option: str, words: Mapping[str, str]) -> str:
    """What to say of numbers that may mean several things. `words`: those of the option for a, tie and b."""
    codes = [",".join(f"{number}={words[meaning]}" for number, meaning in code) for code in codes_for(numbers)]
    examples = f", or {option} ".join(codes)
    return f"numbers may mean several things here; say what they mean, for example {option} {examples}"
