"""Points in time as people and tools write them: ISO 8601, with or without a zone."""

from __future__ import annotations

from typing import Final

import polars as pl

# Date; time of day; its seconds and their fraction; zone. The calendar itself is checked by parsing.
_ISO: Final = (
    r"^(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<minute>\d{2}:\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:(?P<zulu>[Zz])|(?P<sign>[+-])(?P<hours>[01]\d|2[0-3])(?::?(?P<minutes>[0-5]\d))?)?)?$"
)


def parse_times(written: pl.Series) -> pl.DataFrame:
    """Columns `utc` (Datetime[us, UTC]; null: missing or not ISO 8601) and `aware` (had a zone) for a text series.

    A time without a zone is taken to be UTC; a date alone is its midnight; digits beyond microseconds are cut.
    """
    if written.null_count() == len(written):  # many studies have no times, and ask for them several times
        nothing = pl.repeat(None, len(written), dtype=pl.Datetime("us", "UTC"), eager=True)
        return pl.DataFrame({"utc": nothing, "aware": pl.repeat(False, len(written), eager=True)})
    parts = written.str.extract_groups(_ISO).struct.unnest()
    naive = pl.concat_str(
        "day",
        pl.lit("T"),
        pl.col("minute").fill_null("00:00"),
        pl.lit(":"),
        pl.col("second").fill_null("00"),
        pl.lit("."),
        pl.col("fraction").fill_null("0").str.slice(0, 6).str.pad_end(6, "0"),
    ).str.to_datetime("%Y-%m-%dT%H:%M:%S%.6f", time_unit="us", strict=False)
    offset = pl.duration(
        hours=pl.col("hours").cast(pl.Int64).fill_null(0),
        minutes=pl.col("minutes").cast(pl.Int64).fill_null(0),
    ) * pl.when(pl.col("sign") == "-").then(-1).otherwise(1)
    return parts.select(
        (naive - offset).dt.replace_time_zone("UTC").alias("utc"),
        (pl.col("zulu").is_not_null() | pl.col("sign").is_not_null()).alias("aware"),
    )


def decision_times(frame: pl.DataFrame) -> pl.Series:
    """When each preference was given: series `decided_at_utc`, Datetime[us, UTC], null where it is missing.

    Times without a zone are taken to be UTC. A frame without the column `decided_at` gives nulls throughout.
    """
    if "decided_at" not in frame.columns:
        return pl.Series("decided_at_utc", [None] * frame.height, dtype=pl.Datetime("us", "UTC"))
    return parse_times(frame["decided_at"])["utc"].alias("decided_at_utc")
