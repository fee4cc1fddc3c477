"""What the cells of an outcome column mean.

A cell may name a system of its row (`gpt-4`), a position (`A`, `1`, `model_a`, `left`), a tie (`tie (bothbad)`, `0`,
`both`), or nothing (not labelled). A cell that can be read in two ways is never guessed: it is reported with both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.fields import folded

Outcome = Literal["a", "tie", "b"]
Reading = Literal["a", "tie", "b", "skip"]

READINGS: Final[tuple[Reading, ...]] = ("a", "tie", "b", "skip")

_TIE: Final = frozenset(
    {
        "tie", "tied", "tiebothbad", "bothbad", "bothgood", "tiebothgood", "both", "neither", "equal", "equallygood",
        "equallybad", "equivalent", "same", "thesame", "aboutthesame", "draw", "nopreference", "nodifference",
        "either", "similar", "tieneither", "botharegood", "botharebad",
    }
)  # fmt: skip
_POSITION: Final = re.compile(
    r"(?:model|system|response|output|answer|assistant|option|text|candidate|completion|summary|translation)?"
    r"(?P<side>a|b|1|2)(?:wins|isbetter|better)?"
)
_SCREEN: Final[dict[str, Outcome]] = {"left": "a", "right": "b", "leftisbetter": "a", "rightisbetter": "b"}
_NUMBERS: Final = frozenset({"0", "1", "2"})

ALLOWED: Final = "a system of the row, a / b / tie, 1 / 2 / 0, model_a / model_b, or blank"


@dataclass(frozen=True, slots=True)
class WinnerRule:
    """How `--winner` says to read the cells: values spelt out, or names / positions where both would fit."""

    values: dict[str, Reading]
    prefer: Literal["names", "positions"] | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """One outcome cell in its row: the pair, the cell, and which of the pair was on the left (if known)."""

    system_a: str
    system_b: str
    cell: str
    left: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a cell was not read."""

    reason: str


def parse_winner(option: str | None) -> WinnerRule:
    """`1=a,2=b,3=tie`, `names` or `positions` (or several, by commas); raises UsageError for anything else."""
    values: dict[str, Reading] = {}
    prefer: Literal["names", "positions"] | None = None
    for part in (option or "").split(","):
        cell, equals, meaning = part.rpartition("=")
        plain = meaning.strip().lower()
        if not part.strip():
            continue
        if not equals and plain in ("names", "positions"):
            prefer = "names" if plain == "names" else "positions"
        elif equals and plain in READINGS:
            values[_key(cell)] = plain
        else:
            raise UsageError(
                f"--winner {part.strip()!r}: write VALUE=a, VALUE=b, VALUE=tie or VALUE=skip "
                "(separated by commas), or names, or positions"
            )
    return WinnerRule(values, prefer)


def looks_like_outcomes(cells: Iterable[str], systems: Iterable[str]) -> bool:
    """Whether every filled cell could be an outcome, and they do not all say the same by chance of being numbers.

    Numbers count only if a 2 is among them: a column of 0 and 1 is too often something else.
    """
    names = {folded(system) for system in systems}
    distinct = {folded(_key(cell)) for cell in cells if cell.strip()}
    if not distinct or len(distinct) > len(names) + 8:
        return False
    if any(value.isdigit() for value in distinct):
        return distinct <= _NUMBERS | _TIE | names and ("2" in distinct or distinct <= names | _TIE)
    return all(value in names or value in _TIE or _by_position(value) or value in _SCREEN for value in distinct)


def read_outcomes(contests: Sequence[Contest], rule: WinnerRule) -> list[Outcome | Unread | None]:
    """The outcome of every cell of one column; None where it is blank or to be skipped, Unread with the reason.

    The column is looked at as a whole: whether 1 can be read depends on whether a 2 occurs, and whether `A` is a
    name or a position on whether some system is called that.
    """
    keys = {folded(_key(contest.cell)) for contest in contests if contest.cell.strip()}
    numbers_clear = "2" in keys and "-1" not in {_key(contest.cell) for contest in contests}
    everyone = {folded(name) for contest in contests for name in (contest.system_a, contest.system_b)}
    return [_read(contest, rule, everyone=everyone, numbers_clear=numbers_clear) for contest in contests]


def _read(contest: Contest, rule: WinnerRule, *, everyone: set[str], numbers_clear: bool) -> Outcome | Unread | None:
    key = _key(contest.cell)
    if not key:
        return None
    if key in rule.values:
        said = rule.values[key]
        return None if said == "skip" else said
    plain = folded(key)
    by_name = _by_name(contest)
    by_place = _by_place(contest, plain)
    if isinstance(by_name, str) and isinstance(by_place, str) and by_name != by_place:
        return _either(contest, by_name, by_place, rule)
    if isinstance(by_name, str):
        return by_name
    if plain in everyone and plain not in _TIE and rule.prefer != "positions":
        return Unread(f"this system is not one of the row's pair ({contest.system_a}, {contest.system_b})")
    if key.lstrip("+-").isdigit() and not numbers_clear:
        return Unread(_number_reason(key))
    if plain == "0" or plain in _TIE:
        return "tie"
    if by_place is not None:
        return by_place
    return Unread(
        f"not an outcome; allowed: {ALLOWED}. If you know what it means: --winner '{key}=a' (or b, tie, skip)"
    )


def _key(cell: str) -> str:
    """The cell as compared: without case, outer spaces and brackets; 1.0 is 1."""
    plain = cell.strip().casefold().strip("[]() ")
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", plain).removeprefix("+")


def _by_name(contest: Contest) -> Outcome | None:
    cell = contest.cell.strip()
    if cell in (contest.system_a, contest.system_b):
        return "a" if cell == contest.system_a else "b"
    plain = folded(cell)
    same_a, same_b = plain == folded(contest.system_a), plain == folded(contest.system_b)
    if not plain or same_a == same_b:
        return None
    return "a" if same_a else "b"


def _by_position(plain: str) -> Outcome | None:
    match = _POSITION.fullmatch(plain)
    if match is None:
        return None
    return "a" if match["side"] in "a1" else "b"


def _by_place(contest: Contest, plain: str) -> Outcome | Unread | None:
    if plain not in _SCREEN:
        return _by_position(plain)
    if contest.left is None:
        return Unread(
            "nothing says which system was on the left; map a column with --map left=COLUMN, "
            "or say it for all rows: --winner left=a,right=b"
        )
    if plain.startswith("left"):
        return contest.left
    return "b" if contest.left == "a" else "a"


def _either(contest: Contest, by_name: Outcome, by_place: Outcome, rule: WinnerRule) -> Outcome | Unread:
    if rule.prefer is not None:
        return by_name if rule.prefer == "names" else by_place
    return Unread(
        f"this names {contest.system_a if by_name == 'a' else contest.system_b} and also the other position "
        f"of the pair ({contest.system_a}, {contest.system_b}); pass --winner names or --winner positions"
    )


def _number_reason(key: str) -> str:
    if key in ("-1", "0", "1"):
        return (
            "ambiguous: without a 2 in the column, numbers may be 1 / 2 / 0, 0 / 1 or -1 / 0 / 1; say what they mean, "
            "for example --winner 1=a,0=tie,-1=b"
        )
    return f"not an outcome; allowed: {ALLOWED}. If you know what it means: --winner {key}=a (or b, tie, skip)"
