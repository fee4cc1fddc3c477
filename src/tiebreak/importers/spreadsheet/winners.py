"""What the cells of an outcome column mean.

A cell may name a system of its row (`gpt-4`), a position (`A`, `1`, `model_a`, `left`), a tie (`tie (bothbad)`, `0`,
`both`), or nothing (not labelled). A cell that can be read in two ways is never guessed: it is reported with both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.fields import folded
from tiebreak.importers.spreadsheet.winner_cells import (
    Outcome,
    are_called_crosswise,
    is_tie,
    key_of_cell,
    named_winner,
    side_in,
)
from tiebreak.importers.spreadsheet.winner_numbers import number_in, numbers_are_clear, question_about
from tiebreak.importers.spreadsheet.winner_options import meaning_of, meanings_in
from tiebreak.importers.spreadsheet.winner_words import NO_ANSWERS, TIES

Reading = Literal["a", "tie", "b", "skip"]

READINGS: Final[dict[str, Reading]] = {"a": "a", "tie": "tie", "b": "b", "skip": "skip"}
_OPTION_WORDS: Final = {reading: reading for reading in READINGS}
_ALONE: Final = ("names", "positions")
_NUMBERS: Final = frozenset({"0", "1", "2"})

ALLOWED: Final = "a system of the row, a / b / tie, 1 / 2, model_a / model_b, or blank"


@dataclass(frozen=True, slots=True)
class WinnerRule:
    """How `--winner` says to read the cells: values spelt out, or names / positions where both would fit. `beside`: by
    the name of a column, the cells that are numbers in all files that have it, as one code is used in all of them.
    """

    values: dict[str, Reading]
    prefer: Literal["names", "positions"] | None = None
    beside: Mapping[str, frozenset[str]] = field(default_factory=dict)


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


_Found = Outcome | Unread | None


def parse_winner(option: str | None) -> WinnerRule:
    """`1=a,2=b,3=tie`, `names` or `positions` (or several, by commas); raises UsageError for anything else."""
    values: dict[str, Reading] = {}
    prefer: Literal["names", "positions"] | None = None
    try:
        for cell, meaning in meanings_in(option or "", READINGS, _ALONE):
            if meaning in READINGS:
                values[key_of_cell(cell)] = READINGS[meaning]
            else:
                prefer = "names" if meaning == "names" else "positions"
    except ValueError as error:
        raise UsageError(
            f"--winner {str(error)!r}: write VALUE=a, VALUE=b, VALUE=tie or VALUE=skip "
            "(separated by commas), or names, or positions"
        ) from None
    return WinnerRule(values, prefer)


def with_numbers(rule: WinnerRule, columns: Iterable[tuple[str, Iterable[str]]]) -> WinnerRule:
    """The rule, with the numbers of these columns of all files (name and cells)."""
    found: dict[str, frozenset[str]] = {}
    for column, cells in columns:
        numbers = frozenset(cell for cell in set(cells) if number_in(cell) is not None)
        found[column] = found.get(column, frozenset()) | numbers
    return replace(rule, beside=found)


@dataclass(frozen=True, slots=True)
class Names:
    """What systems are called, folded once for all the columns whose cells may name them."""

    folded: frozenset[str] = frozenset()

    @classmethod
    def of(cls, systems: Iterable[str]) -> Names:
        """Those of these systems."""
        return cls(frozenset(map(folded, systems)))


_NO_NAMES: Final = Names()


def looks_like_outcomes(cells: Iterable[str], systems: Names) -> bool:
    """Whether every filled cell could be an outcome, and they do not all say the same by chance of being numbers.

    Numbers count only if a 2 is among them: a column of 0 and 1 is too often something else.
    """
    names = systems.folded
    keys = {key_of_cell(cell) for cell in cells if cell.strip()}
    distinct = {folded(key) for key in keys}
    if not distinct or len(distinct) > len(names) + 12:
        return False
    if any(value.isdigit() for value in distinct):
        said = distinct - names
        return said <= _NUMBERS | TIES and ("2" in distinct or said <= TIES)
    return all(_says_something(key, names) for key in keys)


def is_key_of_a_test(cells: Collection[str], names: Names = _NO_NAMES) -> bool:
    """Whether cells name one of two things, never both, be it only by 0 and 1."""
    return len(cells) <= 2 and (looks_like_outcomes(cells, names) or set(cells) == {"0", "1"})


def _says_something(key: str, names: frozenset[str]) -> bool:
    plain = folded(key)
    return plain in names or is_tie(key) or side_in(key) is not None or named_winner(key, names) is not None


def is_preference_scale(cells: Iterable[str]) -> bool:
    """Numbers from 1 (the first is better) to 2 (the second), some between them, as automatic evaluations write."""
    try:
        numbers = {float(cell) for cell in cells if cell.strip()}
    except ValueError:
        return False
    return bool(numbers) and all(1 <= number <= 2 for number in numbers) and any(n % 1 for n in numbers)


def read_outcomes(
    contests: Sequence[Contest], rule: WinnerRule, columns: Iterable[str] = (), *, counted: bool = False
) -> list[_Found]:
    """The outcome of every cell of these columns; None where it is blank or to be skipped, Unread with the reason.

    The columns are looked at as a whole: whether 1 can be read depends on which other numbers occur, and whether `A` is
    a name or a position on whether some system is called that. `counted`: the file calls the two sides 1 and 2.
    """
    cells = {contest.cell for contest in contests}
    beside = frozenset().union(*(rule.beside.get(column, ()) for column in columns))
    everyone = {folded(name) for contest in contests for name in (contest.system_a, contest.system_b)}
    column = _Column(everyone, _question(cells, beside, everyone, rule, counted=counted), is_preference_scale(cells))
    read = {contest: _read(contest, rule, column) for contest in dict.fromkeys(contests)}
    return [read[contest] for contest in contests]


def _question(
    cells: Collection[str], beside: frozenset[str], everyone: set[str], rule: WinnerRule, *, counted: bool
) -> str:
    """What to ask about the numbers of a column; "" if they are clear."""
    said = {number: meaning for key, meaning in rule.values.items() if (number := number_in(key)) is not None}
    open_cells = (
        cell for cell in {*cells, *beside} if key_of_cell(cell) not in rule.values and folded(cell) not in everyone
    )
    numbers = {number for cell in open_cells if (number := number_in(cell)) is not None}
    if not numbers or numbers_are_clear(numbers, said, counted=counted):
        return ""
    return question_about(numbers, "--winner", _OPTION_WORDS)


@dataclass(frozen=True, slots=True)
class _Column:
    """What all cells together say of each. `question`: what to ask about numbers, "" if they are clear."""

    everyone: set[str]
    question: str
    scale: bool


def _read(contest: Contest, rule: WinnerRule, column: _Column) -> _Found:
    key = key_of_cell(contest.cell)
    if not key:
        return None
    if key in rule.values:
        said = rule.values[key]
        return None if said == "skip" else said
    if column.scale:
        number = float(key)
        return "tie" if number == 1.5 else "a" if number < 1.5 else "b"
    by_name = _by_name(contest)
    if column.question and by_name is None and number_in(key) is not None:
        return Unread(column.question)
    by_place = _by_place(contest, key)
    if isinstance(by_place, str):
        by_name = by_name or _by_ending(contest, key, by_place)
        if by_name is not None and by_name != by_place:
            return _either(contest, by_name, by_place, rule)
    if by_name is not None:
        return by_name
    if folded(key) in column.everyone and not is_tie(key) and rule.prefer != "positions":
        return Unread(f"this system is not one of the row's pair ({contest.system_a}, {contest.system_b})")
    if number_in(key) == "0" or is_tie(key):
        return "tie"
    if by_place is not None:
        return by_place
    return Unread(f"not an outcome; allowed: {ALLOWED}. If you know what it means: {_cure(key)}")


def _cure(key: str) -> str:
    """The likeliest meaning first: `error` of a program is no tie."""
    meaning, others = ("skip", "a, b, tie") if key in NO_ANSWERS else ("tie", "a, b, skip")
    return f"{meaning_of('--winner', key, meaning, 'VALUE')} (or {others})"


def _by_name(contest: Contest) -> Outcome | None:
    cell = contest.cell.strip()
    if cell in (contest.system_a, contest.system_b):
        return "a" if cell == contest.system_a else "b"
    plain = folded(cell)
    firsts, seconds = (
        {folded(name), folded(column)} - {""}
        for name, column in zip((contest.system_a, contest.system_b), contest.columns, strict=True)
    )
    winner = plain if plain in firsts | seconds else named_winner(key_of_cell(cell), firsts | seconds)
    if not winner or (winner in firsts) == (winner in seconds):
        return None
    return "a" if winner in firsts else "b"


def _by_ending(contest: Contest, key: str, by_place: Outcome) -> Outcome | None:
    """`A`, where the second system is called Model A, or the first Model B: as part of a name it says the other."""
    pairs = ((contest.system_a, contest.system_b), contest.columns)
    if not any(are_called_crosswise(key, *names) for names in pairs):
        return None
    return "b" if by_place == "a" else "a"


def _by_place(contest: Contest, key: str) -> Outcome | Unread | None:
    found = side_in(key)
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
