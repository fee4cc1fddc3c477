"""Finds rows that say the same thing twice, and makes one of them where that is safe.

Exact copies of a row are dropped: they come from files that were merged twice. The same person (or judge) asked the
same question again is another matter: that judgement counts once. Two different rows about anything else, such as two
texts for one output, cannot both be true and are an error.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

import polars as pl

from tiebreak.data.columns import one_way_round, parse_times
from tiebreak.data.problems import MAX_PROBLEMS, ProblemLog, RawTable
from tiebreak.data.schema import PROBABILITIES, TableSpec
from tiebreak.data.tables import FEW_ROWS, row_texts
from tiebreak.errors import Problem
from tiebreak.messages.tables import repeated_rows
from tiebreak.records import Notice

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
    if _few_without_repeats(frame, spec):
        return frame, None
    keyed = _with_keys(frame, spec)
    if keyed is None:
        return frame, None
    names = [name for name in keyed.columns if name != "row"]
    # Equal rows have equal hashes, so as many hashes as rows proves that nothing repeats.
    hashes = keyed.select(pl.struct(names).hash(seed=0).alias("hash")).to_series()
    if hashes.n_unique() == len(hashes):
        return frame, None
    suspects = keyed.filter(hashes.is_duplicated())
    suspects = suspects.filter(pl.struct(names).is_duplicated())
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
    found = pl.concat([kept, resolved.select(kept.columns)]).sort("row").drop("row")
    found = found.rename({own: name for name, own in others.items()})
    return found, Repeats(copies.height, _untold(frame[copies["row"]], spec), *counts)


def _untold(copies: pl.DataFrame, spec: TableSpec) -> int:
    """Copies without a time and without a duration, which no two judgements share but by chance."""
    if spec.judged is None:
        return 0
    telling = [pl.col(name).is_not_null() for name in _TELLING if name in copies.columns]
    return copies.height - (copies.filter(pl.any_horizontal(telling)).height if telling else 0)


def repeats_notice(repeats: Repeats, spec: TableSpec, rows: int) -> Notice:
    """What was made of the repeats of a table of so many rows."""
    judged_by = "judge" if "judge" in spec.known else "annotator"
    return repeated_rows(spec.name, rows, judged_by=judged_by, **asdict(repeats))


def _few_without_repeats(frame: pl.DataFrame, spec: TableSpec) -> bool:
    """Whether a short table is known to hold every key once, for which no query is needed."""
    if frame.height > FEW_ROWS or not set(spec.key) <= set(frame.columns):
        return False
    keys: list[tuple[object, ...]] = [*zip(*(frame[name].to_list() for name in spec.key), strict=True)]
    if spec.pair_key:
        if not set(_PAIR) <= set(frame.columns):
            return False
        a, b, of_a, of_b = (frame[name].to_list() for name in _PAIR)
        outputs = zip(zip(a, of_a, strict=True), zip(b, of_b, strict=True), strict=True)
        keys = [(*key, frozenset(pair)) for key, pair in zip(keys, outputs, strict=True)]
    return len(set(keys)) == len(keys)


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
