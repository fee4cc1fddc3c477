"""One hash for the content of tables, whatever the order of their rows and columns and whatever their format."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import polars as pl

from tiebreak.data.columns import one_way_round
from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.tables import row_texts


def fingerprint_of(tables: Mapping[TableName, pl.DataFrame]) -> str:
    """SHA-256 (hex) over the known columns of the tables; a missing text counts as an empty one, -0 as 0.

    Columns that the schema does not know are left out, and so are settings: what is asked of the data must not
    change what is drawn from them.
    """
    total = hashlib.sha256()
    for name in sorted(tables):
        total.update(f"{name}:{_hash_table(tables[name], name)}\n".encode())
    return total.hexdigest()


def fingerprint_of_labels(
    preferences: pl.DataFrame | None,
    ratings: pl.DataFrame | None,
    edits: pl.DataFrame | None = None,
    spans: pl.DataFrame | None = None,
) -> str:
    """SHA-256 (hex) over what human labels say: item, systems, criterion and outcome or value of each, texts of edits,
    and what passages support.

    Who gave them, when, and which system is named first make no difference: the labels of a campaign, of its export
    with people renamed, and of a study made of it have one fingerprint.
    """
    tables: dict[TableName, pl.DataFrame] = {}
    if preferences is not None:
        told = preferences.select("item", "system_a", "system_b", "criterion", "outcome", "sample_a", "sample_b")
        tables["preferences"] = one_way_round(told)
    if ratings is not None:
        tables["ratings"] = ratings.select("item", "system", "criterion", "value", "sample")
    if edits is not None:
        tables["edits"] = edits.select("item", "system", "text", "sample")
    if spans is not None:
        tables["spans"] = spans.select("item", "system", "passage", "support", "sample")
    return fingerprint_of(tables)


def _hash_table(frame: pl.DataFrame, name: TableName) -> str:
    spec = TABLES[name]
    present = [column for column in spec.columns if column.name in frame.columns]
    used = [column for column in present if not column.later or frame[column.name].null_count() < frame.height]
    # Within a table the columns come in a fixed order.
    rows = row_texts(frame.select(column.name for column in used)).sort()
    digest = hashlib.sha256("\x1f".join(column.name for column in used).encode())
    for start in range(0, len(rows), 100_000):
        digest.update(("\x1e" + "\x1e".join(rows.slice(start, 100_000).to_list())).encode())
    return digest.hexdigest()
