"""Checks the content of one table, column by column and all rows at once.

Ratings beyond the scale that study.toml declares: the scale, or they, must be wrong.

Finds rows that say the same thing twice, and makes one of them where that is safe.

Exact copies of a row are dropped: they come from files that were merged twice. The same person (or judge) asked the
same question again is another matter: that judgement counts once. Two different rows about anything else, such as two
texts for one output, cannot both be true and are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final

import polars as pl

from tiebreak.data.columns import completed, one_way_round, parse_times
from tiebreak.data.problems import MAX_PROBLEMS, ProblemLog, RawTable
from tiebreak.data.schema import NUMBERS, OUTCOMES, PROBABILITIES, SUPPORTS, Column, Kind, TableSpec
from tiebreak.data.tables import row_texts
from tiebreak.errors import Problem, did_you_mean
from tiebreak.messages.tables import repeated_rows
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


def check_table(
    read: Callable[[ProblemLog], RawTable | None], spec: TableSpec, log: ProblemLog, *, strict: bool = False
) -> CheckedTable | None:
    """The table that `read` reads, with known columns first and in their types; None, and in the log what is wrong, if
    anything is.

    Optional columns that are absent are added, empty. Missing text is empty text. Rows that repeat others are made one,
    with a notice in the log; `strict` makes them problems.
    """
    own = ProblemLog()
    raw = read(own)
    table = None if raw is None else _checked(raw, spec, own, strict=strict)
    log.merge(own)
    return table


def _checked(raw: RawTable, spec: TableSpec, log: ProblemLog, *, strict: bool) -> CheckedTable | None:
    checker = _Checker(raw, spec, log)
    present = checker.columns()
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
    judged_by = "judge" if "judge" in spec.known else "annotator"
    log.notices.append(repeated_rows(spec.name, checker.frame.height, judged_by=judged_by, **asdict(repeats)))
    return CheckedTable(frame, checker.frame)


class _Checker:
    """The frame while its columns are checked and brought to their types."""

    def __init__(self, raw: RawTable, spec: TableSpec, log: ProblemLog) -> None:
        self.raw, self.spec, self.log = raw, spec, log
        self.frame = raw.frame

    def columns(self) -> set[str]:
        """Reports missing columns, adds absent optional ones, and returns the known ones that can be checked."""
        names = self.frame.columns
        missing = [name for name in self.spec.required if name not in names]
        unknown = [name for name in names if name not in self.spec.known]
        for name in missing:
            near = next((other for other in unknown if did_you_mean(other.strip(), [name])), None)
            hint = "" if near is None else f": did you mean this by {near!r}?"
            message = f"the column is missing (needed: {', '.join(self.spec.required)}){hint}"
            self.log.add(Problem(self.raw.file, message, self.raw.header_line, name))
        present = {name for name in self.spec.known if name in names}
        self.frame = completed(self.frame, self.spec.name)
        return present

    def check_column(self, column: Column) -> None:
        """Report the cells that the column may not hold, each with its line, and make them null for the checks that
        follow.
        """
        series = self.frame[column.name]
        if column.kind == "name":
            self._name(series)
        elif column.kind == "label":
            self._without_blanks(series)
        elif column.kind == "outcome":
            self._outcome(series)
        elif column.kind == "support":
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
        blank, nul = self._matches(series, BLANK), self._matches(series, "\0")
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
        blank = self._matches(series, BLANK)
        if blank is None:
            return series
        self._set(series.set(blank, None))
        return self.frame[series.name]

    def _matches(self, series: pl.Series, pattern: str) -> pl.Series | None:
        """Rows that a pattern finds something in; None where there is none."""
        matches = series.str.contains(pattern).fill_null(False)
        return matches if matches.any() else None

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


_TELLING: Final = ("decided_at", "seconds")
_OTHER: Final = "other: "
_UNDECIDED: Final = {
    "outcome": pl.lit("tie"),
    "value": pl.col("value").mean(),
    "support": pl.lit("neither"),
    "text": pl.col("text").first(),  # rows are sorted by what they hold
}
"""What several different answers without an order are worth together, by the column that holds them."""
_PAIR: Final = ("system_a", "system_b", "sample_a", "sample_b")
_PAIR_KEY: Final = ("pair_first", "pair_second", "sample_first", "sample_second")


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often rows repeat others: `copies` in every column; judgements asked again `same` or `different`.

    `untold`: of the copies, those that could as well be the same question asked again and answered alike, because
    nothing beside the answer is known of them. `by_time`: of the different ones, those that count by the first time;
    the others count as ties or means.
    """

    copies: int
    untold: int
    same: int
    different: int
    by_time: int


def without_repeats(
    raw: RawTable, frame: pl.DataFrame, spec: TableSpec, log: ProblemLog, *, strict: bool
) -> tuple[pl.DataFrame, Repeats | None]:
    """The frame with one row per key, whatever the order of its rows; the second is None if nothing repeats.

    What cannot be made one is reported in `log`: rows of one key that differ in a table of facts, and
    with `strict` every repeat. Rows without a full key are wrong already, and left alone.
    """
    keyed = _with_keys(frame, spec)
    if keyed is None:
        return frame, None
    names = [name for name in keyed.columns if name != "row"]
    suspects = keyed.filter(pl.len().over(names) > 1)
    if suspects.height == 0:
        return frame, None
    suspects = suspects.with_columns(group=pl.col("row").min().over(names))
    given, others = frame, {name: _OTHER + name for name in frame.columns if name not in spec.known}
    frame = frame.rename(others)  # a table may well have a column of its own called group, time or text
    full = frame[suspects["row"]]
    suspects = suspects.with_columns(told=row_texts(one_way_round(full) if spec.pair_key else full))
    first = pl.col("row").min()
    copies = suspects.filter(pl.col("row") > first.over("group", "told"))
    wrong = suspects.filter(pl.col("row") > pl.col("group")) if strict else _contradictions(suspects, spec)
    if wrong.height:
        _report(raw, wrong, spec, log)
        return given, None
    left = suspects.join(copies, on="row", how="anti")
    kept = frame.with_row_index("row").join(suspects.select("row"), on="row", how="anti")
    if spec.judged is None:
        resolved, counts = frame.with_row_index("row").join(left.select("row"), on="row", how="semi"), (0, 0, 0)
    else:
        resolved, counts = _one_judgement_each(frame, left, spec, spec.judged)
    distinct_rows = pl.concat([kept, resolved.select(kept.columns)]).sort("row").drop("row")
    distinct_rows = distinct_rows.rename({own: name for name, own in others.items()})
    return distinct_rows, Repeats(copies.height, _untold(frame[copies["row"]], spec), *counts)


def _untold(copies: pl.DataFrame, spec: TableSpec) -> int:
    """Copies without a time and without a duration, which no two judgements share but by chance."""
    if spec.judged is None:
        return 0
    telling = [pl.col(name).is_not_null() for name in _TELLING if name in copies.columns]
    return copies.height - (copies.filter(pl.any_horizontal(telling)).height if telling else 0)


def _with_keys(frame: pl.DataFrame, spec: TableSpec) -> pl.DataFrame | None:
    """`row` and the columns of the key, of the rows that have a full one; None where one of them, or what was judged,
    is missing.
    """
    needed = [name for name in (*spec.key, *spec.system_columns) if name in spec.required]
    judged = set() if spec.judged is None else {spec.judged}
    if not {*needed, *judged} <= set(frame.columns):
        return None
    keys = frame.select(spec.key)
    if spec.pair_key:
        keys = keys.with_columns(one_way_round(frame.select(_PAIR)).rename(dict(zip(_PAIR, _PAIR_KEY, strict=True))))
    keys = keys.with_row_index("row")
    if any(frame[name].null_count() for name in needed):
        keys = keys.filter(frame.select(pl.all_horizontal(pl.col(needed).is_not_null())).to_series())
    return keys


def _contradictions(suspects: pl.DataFrame, spec: TableSpec) -> pl.DataFrame:
    if spec.judged is not None:
        return suspects.clear()
    return suspects.filter(pl.col("told") != pl.col("told").sort_by("row").first().over("group"))


def _one_judgement_each(
    frame: pl.DataFrame, left: pl.DataFrame, spec: TableSpec, judged: str
) -> tuple[pl.DataFrame, tuple[int, int, int]]:
    """One row per group of judgements; how many were made again with the same and another result, and by time.

    The row that stays is the earliest, where all have a time, else the first by its text: never the first in the file.
    """
    rows = frame.with_row_index("row").join(left.select("row", "group", "told"), on="row", how="inner")
    if spec.pair_key:
        rows = one_way_round(rows)
        # A reply without an outcome says nothing where another one does.
        rows = rows.filter(pl.col(judged).is_not_null() | pl.col(judged).is_null().all().over("group"))
    times = parse_times(rows["decided_at"])["utc"] if "decided_at" in rows.columns else pl.repeat(None, rows.height)
    rows = rows.with_columns(time=times.cast(pl.Int64)).sort("group", "time", "told", nulls_last=True)
    earliest = pl.col("time") == pl.col("time").min().over("group")
    ordered = pl.col("time").is_not_null().all().over("group") & (
        pl.col(judged).filter(earliest).n_unique().over("group") == 1
    )
    rows = rows.with_columns(
        agrees=pl.col(judged).eq_missing(pl.col(judged).first().over("group")),
        ordered=ordered,
        size=pl.len().over("group"),
    )
    same, total = int(rows["agrees"].sum()), rows.height
    groups = rows.group_by("group", maintain_order=True).agg(
        pl.exclude("agrees", "told", "time", "size").first(),
        differ=~pl.col("agrees").all(),
        together=_UNDECIDED[judged],
    )
    by_time = int(rows.filter(~pl.col("agrees") & pl.col("ordered")).height)
    unordered = pl.col("differ") & ~pl.col("ordered")
    probable = [name for name in PROBABILITIES if name in groups.columns]  # they are of one answer, not of a tie
    resolved = groups.with_columns(
        pl.when(unordered).then(pl.col("together")).otherwise(pl.col(judged)).alias(judged),
        *(pl.when(unordered).then(None).otherwise(pl.col(name)).alias(name) for name in probable),
    )
    return resolved, (same - groups.height, total - same, by_time)


def _report(raw: RawTable, wrong: pl.DataFrame, spec: TableSpec, log: ProblemLog) -> None:
    wrong = wrong.sort("row")
    log.total += max(wrong.height - MAX_PROBLEMS, 0)
    kept = wrong.head(MAX_PROBLEMS)
    lines = raw.lines(kept["row"].to_list())
    firsts = sorted(set(kept["group"].to_list()))
    first_lines = dict(zip(firsts, raw.lines(firsts), strict=True))
    for line, record in zip(lines, kept.iter_rows(named=True), strict=True):
        value = ", ".join(str(record[name]) for name in _shown(spec) if record[name] is not None)
        earlier = first_lines[record["group"]]
        message = f"duplicate: the same {spec.key_text} as on line {earlier}; remove one of the two"
        log.add(Problem(raw.file, message, line, value=value))


def _shown(spec: TableSpec) -> list[str]:
    if not spec.pair_key:
        return list(spec.key)
    return [spec.key[0], *_PAIR_KEY, *spec.key[1:]]
