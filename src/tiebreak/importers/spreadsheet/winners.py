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
from tiebreak.importers.spreadsheet.header_words import header_key
from tiebreak.importers.spreadsheet.winner_words import SCREEN, SIDES, THINGS, TIES, WINS

Outcome = Literal["a", "tie", "b"]
Reading = Literal["a", "tie", "b", "skip"]

READINGS: Final[tuple[Reading, ...]] = ("a", "tie", "b", "skip")

_NUMBERS: Final = frozenset({"0", "1", "2"})
_WORD: Final = re.compile(r"\d+|[\u3040-\u30ff\u4e00-\u9fff]+|[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+")
_SIGNS: Final = re.compile(r"(?P<first>[ab12])\s*(?P<sign>>+|<+|=+|≻|≺|~|≈)\s*(?P<second>[ab12])")

ALLOWED: Final = "a system of the row, a / b / tie, 1 / 2 / 0, model_a / model_b, or blank"


@dataclass(frozen=True, slots=True)
class WinnerRule:
    """How `--winner` says to read the cells: values spelt out, or names / positions where both would fit."""

    values: dict[str, Reading]
    prefer: Literal["names", "positions"] | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """One outcome cell in its row: the pair, the cell, and which of the pair was on the left (if known).

    `columns`: what the two systems' columns are called, where that is more than the system's name.
    """

    system_a: str
    system_b: str
    cell: str
    left: Outcome | None = None
    columns: tuple[str, str] = ("", "")


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
    keys = {_key(cell) for cell in cells if cell.strip()}
    distinct = {folded(key) for key in keys}
    if not distinct or len(distinct) > len(names) + 12:
        return False
    if any(value.isdigit() for value in distinct):
        return distinct <= _NUMBERS | TIES | names and ("2" in distinct or distinct <= names | TIES)
    return all(_says_something(key, names) for key in keys)


def _says_something(key: str, names: set[str]) -> bool:
    plain = folded(key)
    return plain in names or _is_tie(key) or _side_in(key) is not None or _named_winner(key, names) is not None


def is_preference_scale(cells: Iterable[str]) -> bool:
    """Numbers from 1 (the first is better) to 2 (the second), some between them, as automatic evaluations write."""
    try:
        numbers = {float(cell) for cell in cells if cell.strip()}
    except ValueError:
        return False
    return bool(numbers) and all(1 <= number <= 2 for number in numbers) and any(n % 1 for n in numbers)


def as_position(cell: str) -> Outcome | None:
    """What a cell says of two things of which the first is a and the second b, also by `left` and `right`; None where
    it says neither.
    """
    key = _key(cell)
    if key == "0" or _is_tie(key):
        return "tie"
    found = _side_in(key)
    return None if found is None else found[0]


def read_outcomes(contests: Sequence[Contest], rule: WinnerRule) -> list[Outcome | Unread | None]:
    """The outcome of every cell of one column; None where it is blank or to be skipped, Unread with the reason.

    The column is looked at as a whole: whether 1 can be read depends on whether a 2 occurs, and whether `A` is a
    name or a position on whether some system is called that.
    """
    cells = {contest.cell for contest in contests}
    keys = {folded(_key(cell)) for cell in cells if cell.strip()}
    column = _Column(
        everyone={folded(name) for contest in contests for name in (contest.system_a, contest.system_b)},
        numbers_clear="2" in keys and "-1" not in {_key(cell) for cell in cells},
        scale=is_preference_scale(cells),
    )
    return [_read(contest, rule, column) for contest in contests]


@dataclass(frozen=True, slots=True)
class _Column:
    """What all cells together say of each."""

    everyone: set[str]
    numbers_clear: bool
    scale: bool


def _read(contest: Contest, rule: WinnerRule, column: _Column) -> Outcome | Unread | None:
    key = _key(contest.cell)
    if not key:
        return None
    if key in rule.values:
        said = rule.values[key]
        return None if said == "skip" else said
    if column.scale:
        number = float(key)
        return "tie" if number == 1.5 else "a" if number < 1.5 else "b"
    plain = folded(key)
    by_name = _by_name(contest)
    by_place = _by_place(contest, key)
    if isinstance(by_name, str) and isinstance(by_place, str) and by_name != by_place:
        return _either(contest, by_name, by_place, rule)
    if isinstance(by_name, str):
        return by_name
    if plain in column.everyone and not _is_tie(key) and rule.prefer != "positions":
        return Unread(f"this system is not one of the row's pair ({contest.system_a}, {contest.system_b})")
    if key.lstrip("+-").isdigit() and not column.numbers_clear:
        return Unread(_number_reason(key))
    if plain == "0" or _is_tie(key):
        return "tie"
    if by_place is not None:
        return by_place
    return Unread(_unknown(key))


def _key(cell: str) -> str:
    """The cell as compared: without case, outer spaces and brackets; 1.0 is 1."""
    plain = cell.strip().casefold().strip("[]() ")
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", plain).removeprefix("+").strip(" .!")


def _by_name(contest: Contest) -> Outcome | None:
    cell = contest.cell.strip()
    if cell in (contest.system_a, contest.system_b):
        return "a" if cell == contest.system_a else "b"
    plain = folded(cell)
    firsts, seconds = (
        {folded(name), folded(column)} - {""}
        for name, column in zip((contest.system_a, contest.system_b), contest.columns, strict=True)
    )
    winner = plain if plain in firsts | seconds else _named_winner(_key(cell), firsts | seconds)
    if not winner or (winner in firsts) == (winner in seconds):
        return None
    return "a" if winner in firsts else "b"


def _named_winner(key: str, names: set[str]) -> str | None:
    """`gpt-4 is better`: the name (folded) before words that say that it won; None if this is not said."""
    found = _WORD.findall(key)
    for cut in range(len(found) - 1, 0, -1):
        if found[cut] not in WINS:
            return None
        name = "".join(found[:cut])
        if name in names:
            return name
    return None


def _is_tie(key: str) -> bool:
    """`tie`, `both are good`, `a tie`, `neither A nor B`, `A=B`."""
    plain = header_key(key)
    if plain in TIES or plain.removeprefix("a") in _TIES_AFTER_A:
        return True
    signs = _SIGNS.fullmatch(key)
    if signs is not None:
        return signs["sign"][0] in "=~≈"
    found = [header_key(word) for word in _WORD.findall(key)]
    others = [word for word in found if word not in TIES and word not in _NOISE and word not in ("nor", "or", "and")]
    return any(word in TIES for word in found) and set(others) <= {"a", "b", "1", "2", "bad", "good", "gut", "schlecht"}


def _side_in(key: str) -> tuple[Outcome, bool] | None:
    """The side that a cell says and whether that is a place on a screen; None if it says none, or something else."""
    signs = _SIGNS.fullmatch(key)
    if signs is not None:
        if signs["sign"][0] in "=~≈" or SIDES[signs["first"]] == SIDES[signs["second"]]:
            return None
        better = signs["first"] if signs["sign"][0] in ">≻" else signs["second"]
        return SIDES[better], False
    said = [header_key(word) for word in _WORD.findall(key)]
    left = [word for word in said if word in SIDES or word in SCREEN or word not in _NOISE]
    if len(left) > 1:
        left = [word for word in left if word != "one"]  # "the second one"
    if len(left) == 2 and left[0] == "a" and len(left[1]) > 2:
        left = left[1:]  # "a segunda": an article
    if len(left) != 1:
        return None
    word = left[0]
    if word in SCREEN:
        return SCREEN[word], True
    return (SIDES[word], False) if word in SIDES else None


_NOISE: Final = frozenset(map(header_key, WINS | THINGS))
_TIES_AFTER_A: Final = frozenset({"tie", "draw"})


def _by_place(contest: Contest, key: str) -> Outcome | Unread | None:
    found = _side_in(key)
    if found is None:
        return None
    side, on_screen = found
    if not on_screen:
        return side
    if contest.left is None:
        return Unread(
            "nothing says which system was on the left; map a column with --map left=COLUMN, "
            "or say it for all rows: --winner left=a,right=b"
        )
    if side == "a":
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
    return _unknown(key)


def _unknown(key: str) -> str:
    return f"not an outcome; allowed: {ALLOWED}. If you know what it means: --winner '{key}=tie' (or a, b, skip)"
