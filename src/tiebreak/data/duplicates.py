"""Finds rows that say the same thing twice."""

from __future__ import annotations

import polars as pl

from tiebreak.data.problems import MAX_PROBLEMS, ProblemLog, RawTable
from tiebreak.data.schema import TableSpec
from tiebreak.errors import Problem


def check_duplicates(raw: RawTable, frame: pl.DataFrame, spec: TableSpec, log: ProblemLog) -> None:
    """Reports every row whose key is on an earlier row; rows without a full key are wrong already, and left out."""
    names = list(spec.key)
    needed = [name for name in (*spec.key, *spec.system_columns) if name in spec.required]
    if not set(needed) <= set(frame.columns):
        return
    keys = frame.select(names)
    if spec.pair_key:
        first = pl.min_horizontal("system_a", "system_b").alias("pair_first")
        second = pl.max_horizontal("system_a", "system_b").alias("pair_second")
        keys = keys.with_columns(frame.select(first, second))
        names += ["pair_first", "pair_second"]
    keys = keys.with_row_index("row")
    if any(frame[name].null_count() for name in needed):
        keys = keys.filter(frame.select(pl.all_horizontal(pl.col(needed).is_not_null())).to_series())
    # Equal rows have equal hashes, so as many hashes as rows proves that there are no duplicates.
    hashes = keys.select(pl.struct(names).hash(seed=0).alias("hash")).to_series()
    if hashes.n_unique() == len(hashes):
        return
    suspects = keys.filter(hashes.is_duplicated())
    repeated = (
        suspects.with_columns(pl.col("row").min().over(names).alias("first"))
        .filter(pl.col("row") > pl.col("first"))
        .sort("row")
    )
    log.total += max(repeated.height - MAX_PROBLEMS, 0)
    kept = repeated.head(MAX_PROBLEMS)
    lines = raw.lines(kept["row"].to_list())
    firsts = sorted(set(kept["first"].to_list()))
    first_lines = dict(zip(firsts, raw.lines(firsts), strict=True))
    for line, record in zip(lines, kept.iter_rows(named=True), strict=True):
        value = ", ".join(str(record[name]) for name in _shown(spec) if record[name] is not None)
        earlier = first_lines[record["first"]]
        message = f"duplicate: the same {spec.key_text} as on line {earlier}; remove one of the two"
        log.add(Problem(raw.file, message, line, value=value))


def _shown(spec: TableSpec) -> list[str]:
    if not spec.pair_key:
        return list(spec.key)
    return [spec.key[0], "pair_first", "pair_second", *spec.key[1:]]
