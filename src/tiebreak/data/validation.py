"""Checks the content of one table, column by column and all rows at once.

Ratings beyond the scale that study.toml declares: the scale, or they, must be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from tiebreak.data.columns import completed, parse_times
from tiebreak.data.problems import ProblemLog, RawTable
from tiebreak.data.repeats import repeats_notice, without_repeats
from tiebreak.data.schema import NUMBERS, OUTCOMES, SUPPORTS, Column, Kind, TableSpec
from tiebreak.errors import Problem, did_you_mean
from tiebreak.settings.checks import end_words
from tiebreak.settings.shared import LARGEST_NUMBER, LARGEST_RATING, MOST_SECONDS

# White space and the characters that show nothing at all.
BLANK: Final = r"^[\s\p{Z}\u{200B}-\u{200F}\u{2060}\u{FEFF}]*$"

_SYNONYMS: Final = {
    "draw": "tie",
    "equal": "tie",
    "same": "tie",
    "both": "tie",
    "1": "a",
    "2": "b",
    "0": "tie",
}

_LAST_PLACE: Final = 1_000_000_000

Words = Callable[[object], str]


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """A table with one row per key; `as_read` also has the rows that repeat others, and is None where none does."""

    frame: pl.DataFrame
    as_read: pl.DataFrame | None = None


def check_table(raw: RawTable, spec: TableSpec, log: ProblemLog, *, strict: bool = False) -> CheckedTable | None:
    """The table with known columns first and in their types; None if the log of this table holds any problem.

    Optional columns that are absent are added, empty. Missing text is empty text. Rows that repeat others are made one,
    with a notice in the log; `strict` makes them problems.
    """
    checker = _Checker(raw, spec, log)
    present = checker.columns()
    checker.look_over(present)
    for column in spec.columns:
        if column.name in present:
            checker.check_column(column)
    checker.check_pair()
    checker.check_span()
    frame, repeats = without_repeats(raw, checker.frame, spec, log, strict=strict)
    if log.total:
        return None
    if repeats is None:
        return CheckedTable(frame)
    log.notices.append(repeats_notice(repeats, spec, checker.frame.height))
    return CheckedTable(frame, checker.frame)


class _Checker:
    """The frame while its columns are checked and brought to their types."""

    def __init__(self, raw: RawTable, spec: TableSpec, log: ProblemLog) -> None:
        self.raw, self.spec, self.log = raw, spec, log
        self.frame = raw.frame
        self._odd: set[tuple[str, str]] = set()

    def columns(self) -> set[str]:
        """Reports missing columns, adds absent optional ones, and returns the known ones that can be checked."""
        found = self.frame.columns
        missing = [name for name in self.spec.required if name not in found]
        unknown = [name for name in found if name not in self.spec.known]
        for name in missing:
            near = next((other for other in unknown if did_you_mean(other.strip(), [name])), None)
            hint = "" if near is None else f": did you mean this by {near!r}?"
            message = f"the column is missing (needed: {', '.join(self.spec.required)}){hint}"
            self.log.add(Problem(self.raw.file, message, self.raw.header_line, name))
        present = {name for name in self.spec.known if name in found}
        self.frame = completed(self.frame, self.spec.name)
        return present

    def look_over(self, present: AbstractSet[str]) -> None:
        """Find out in one query which columns hold odd cells: most hold none, and many queries take their time."""
        named = [column for column in self.spec.columns if column.name in present]
        looked_for = {
            (column.name, what): expression for column in named for what, expression in _odd_cells(column).items()
        }
        if looked_for:
            flags = self.frame.select(
                expression.any().alias(str(place)) for place, expression in enumerate(looked_for.values())
            )
            self._odd = {key for key, is_there in zip(looked_for, flags.row(0), strict=True) if is_there}

    def check_column(self, column: Column) -> None:
        """Report the cells that the column may not hold, each with its line, and make them null for the checks that
        follow.
        """
        series = self.frame[column.name]
        if column.kind == "name":
            self._name(series)
        elif column.kind == "label":
            self._without_blanks(series)
        elif column.kind == "outcome" and (column.name, "choice") in self._odd:
            self._outcome(series)
        elif column.kind == "support" and (column.name, "choice") in self._odd:
            self._report(~series.is_in(SUPPORTS).fill_null(False), series.name, _support_words)
        elif column.kind in NUMBERS:
            self._number(series, column)
        elif column.kind == "time":
            self._time(series)
        elif column.kind == "text" and column.required and series.has_nulls():
            self._set(series.fill_null(""))

    def check_pair(self) -> None:
        """A system is never compared with itself, and `left` is one of the two."""
        if not {"system_a", "system_b", "left"} <= {column.name for column in self.spec.columns}:
            return
        if not {"system_a", "system_b"} <= set(self.frame.columns):
            return
        first, second = self.frame["system_a"], self.frame["system_b"]
        same = (first == second).fill_null(False)
        self._report(same, "system_b", lambda _: "the same system as system_a; a pair needs two systems")
        left = self.frame["left"]
        wrong = ((left != first) & (left != second)).fill_null(False)
        pairs = iter(zip(first.filter(wrong), second.filter(wrong), strict=True))
        self._report(wrong, "left", lambda value: _left_words(str(value), next(pairs)))

    def check_span(self) -> None:
        """A span ends behind its start, and has both ends or none."""
        if not {"start", "end"} <= {column.name for column in self.spec.columns}:
            return
        start, end = self.frame["start"], self.frame["end"]
        half = start.is_null() != end.is_null()
        if half.any():
            self._report(half, "start", lambda _: "a span needs both start and end, or neither")
        behind = (end < start).fill_null(False)
        self._report(behind, "end", lambda _: "a span ends before its start; both count characters of the passage")

    def _name(self, series: pl.Series) -> None:
        blank, nul = self._matches(series, "blank"), self._matches(series, "nul")
        if series.has_nulls():
            blank = series.is_null() if blank is None else series.is_null() | blank
        if blank is not None:
            self._report(blank, series.name, lambda _: "blank; a name is needed")
            self._set(series.set(blank, None))
        if nul is not None:
            self._report(nul, series.name, lambda _: "holds a NUL character")

    def _outcome(self, series: pl.Series) -> None:
        if self.spec.blank_outcome:
            wrong = ~self._without_blanks(series).is_in(OUTCOMES).fill_null(True)
        else:
            wrong = ~series.is_in(OUTCOMES).fill_null(False)
        self._report(wrong, series.name, _outcome_words)

    def _number(self, series: pl.Series, column: Column) -> None:
        numbers = series.cast(pl.Float64, strict=False) if series.dtype == pl.String else series
        if _are_plain(numbers, series, column):
            self._set(numbers)
            return
        absent = series.is_null()
        if series.dtype == pl.String:
            absent = absent | (series == "").fill_null(False)
        if column.kind in _NEEDED:
            self._report(absent, column.name, lambda _: "empty; a number is needed")
        unread = numbers.is_null() & ~absent
        self._report(unread, column.name, lambda _: "not a number; write digits with a point, such as 3 or -0.5")
        infinite = ~(numbers.is_finite().fill_null(True))
        self._report(infinite, column.name, lambda _: "not a finite number; leave the row out if there is none")
        low, high = RANGES[column.kind]
        beyond = ((numbers < low) | (numbers > high)).fill_null(False) & ~infinite
        what = _WHAT.get(column.kind, "numbers")
        words = f"out of range; {what} must be from {end_words(low)} to {end_words(high)}"
        self._report(beyond, column.name, lambda _: words)
        if column.kind == "place":
            broken = (numbers != numbers.round()).fill_null(False) & ~infinite & ~beyond
            self._report(broken, column.name, lambda _: "a place counts characters and is a whole number")
        self._set(numbers)

    def _time(self, series: pl.Series) -> None:
        series = self._without_blanks(series)
        if series.null_count() == len(series):
            return
        times = parse_times(series)
        unread = series.is_not_null() & times["utc"].is_null()
        words = "not an ISO 8601 time such as 2024-05-31T14:05:00+02:00"
        self._report(unread, series.name, lambda _: words)
        aware = times["aware"] & times["utc"].is_not_null()
        naive = ~times["aware"] & times["utc"].is_not_null()
        if aware.any() and naive.any():
            rows = sorted((int(aware.arg_true()[0]), int(naive.arg_true()[0])))
            lines = self.raw.lines(rows)
            zone = "with" if aware[rows[0]] else "without"
            message = f"times with and without a zone are mixed (line {lines[0]}: {zone}); write all the same way"
            self.log.add(Problem(self.raw.file, message, lines[1], series.name, series[rows[1]]))

    def _without_blanks(self, series: pl.Series) -> pl.Series:
        """The column with its blank cells null, in the frame too."""
        blank = self._matches(series, "blank")
        if blank is None:
            return series
        self._set(series.set(blank, None))
        return self.frame[series.name]

    def _matches(self, series: pl.Series, what: str) -> pl.Series | None:
        """Rows that are blank or hold a NUL; None where none does. (Looking at distinct values only costs more than it
        saves.)
        """
        if (series.name, what) not in self._odd:
            return None
        return series.to_frame().select(_PATTERNS[what](pl.col(series.name)).fill_null(False)).to_series()

    def _report(self, wrong: pl.Series, column: str, words: Words) -> None:
        if not wrong.any():
            return
        reported = self.raw.misfits.get(column)
        if reported:
            wrong = wrong.scatter(reported, False)
        original = self.raw.frame[column] if column in self.raw.frame.columns else self.frame[column]

        def values(rows: Sequence[int]) -> list[object]:
            return original.gather(list(rows)).to_list()

        self.log.add_rows(self.raw, wrong.arg_true().to_list(), column, values, words)

    def _set(self, series: pl.Series) -> None:
        self.frame = self.frame.with_columns(series)


def _odd_cells(column: Column) -> dict[str, pl.Expr]:
    """What to look for in the cells of a column."""
    cell = pl.col(column.name)
    if column.kind == "name":
        return {what: matches(cell) for what, matches in _PATTERNS.items()}
    if column.kind == "outcome":
        return {"blank": _PATTERNS["blank"](cell), "choice": ~cell.is_in(OUTCOMES).fill_null(False)}
    if column.kind == "support":
        return {"choice": ~cell.is_in(SUPPORTS).fill_null(False)}
    return {"blank": _PATTERNS["blank"](cell)} if column.kind in ("label", "time") else {}


def _are_plain(numbers: pl.Series, written: pl.Series, column: Column) -> bool:
    """Whether nothing is wrong with any of them, which is found in one pass."""
    if numbers.null_count() != (0 if column.kind in _NEEDED else written.null_count()):
        return False
    values = (numbers.drop_nulls() if numbers.has_nulls() else numbers).to_numpy()
    low, high = RANGES[column.kind]
    within = (values >= low) & (values <= high)
    return bool((within & (values == np.round(values)) if column.kind == "place" else within).all())


RANGES: Final[Mapping[Kind, tuple[float, float]]] = {
    "number": (-LARGEST_NUMBER, LARGEST_NUMBER),
    "rating": (-LARGEST_RATING, LARGEST_RATING),
    "seconds": (0, MOST_SECONDS),
    "share": (0, 1),
    "place": (0, _LAST_PLACE),
}
"""The smallest and the largest number of a column of each kind of numbers."""

_NEEDED: Final[frozenset[Kind]] = frozenset(("number", "rating"))
_WHAT: Final[Mapping[Kind, str]] = {
    "rating": "ratings",
    "seconds": "seconds",
    "share": "probabilities",
    "place": "places in a text",
}


_PATTERNS: Final[dict[str, Callable[[pl.Expr], pl.Expr]]] = {
    "blank": lambda cell: cell.str.contains(BLANK),
    "nul": lambda cell: cell.str.contains("\0", literal=True),
}


def _support_words(value: object) -> str:
    allowed = f"must be {', '.join(SUPPORTS[:-1])} or {SUPPORTS[-1]}"
    if value is None or not str(value).strip():
        return f"{allowed}; this one is empty"
    return allowed + did_you_mean(str(value).strip().casefold(), SUPPORTS)


def _outcome_words(value: object) -> str:
    allowed = "an outcome must be a, tie or b"
    if value is None or not str(value).strip():
        return f"{allowed}; this one is empty"
    folded = str(value).strip().casefold()
    meant = folded if folded in OUTCOMES else _SYNONYMS.get(folded)
    if meant is not None:
        return f"{allowed}: did you mean {meant}?"
    return allowed + did_you_mean(folded, OUTCOMES)


def _left_words(value: str, pair: tuple[str, str]) -> str:
    hint = did_you_mean(value, pair)
    return f"the system on the left must be one of the pair, {pair[0]} or {pair[1]}{hint}"


def check_scales(ratings: pl.DataFrame, scales: Mapping[str, tuple[float, float]], file: str, log: ProblemLog) -> None:
    """One problem per criterion with ratings below or above its scale; it names the first of them."""
    for criterion, (low, high) in scales.items():
        of_criterion = ratings.filter(pl.col("criterion") == criterion)
        beyond = of_criterion.filter((pl.col("value") < low) | (pl.col("value") > high))
        if beyond.height:
            first = beyond.row(0, named=True)
            message = (
                f"{beyond.height:,} of {of_criterion.height:,} ratings of {criterion} are beyond the scale of "
                f"{low:g} to {high:g} that study.toml gives (the first: item {first['item']}, system "
                f"{first['system']}, annotator {first['annotator']}); correct them, or the scale"
            )
            log.add(Problem(file, message, column="value", value=f"{first['value']:g}"))
