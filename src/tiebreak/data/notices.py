"""What looks odd in a study but need not be wrong: said once each, with figures, and never an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import polars as pl

from tiebreak.data.schema import TABLES, TableName, derivable
from tiebreak.data.settings import StudySettings
from tiebreak.data.tables import distinct
from tiebreak.errors import did_you_mean
from tiebreak.messages import tables as messages
from tiebreak.records import Notice

Tables = Mapping[TableName, pl.DataFrame]
NamesInTables = Mapping[str, Mapping[str, set[str]]]
"""The names in each column of names, by table."""

_INVISIBLE: Final = r"[\u{200B}-\u{200F}\u{2060}\u{FEFF}]"
_NAMED: Final = ("item", "system", "annotator", "criterion", "metric", "judge")


def content_notices(tables: Tables, settings: StudySettings) -> tuple[Notice, ...]:
    """All notices that the content gives rise to: the tables, and what study.toml says of them."""
    return (*table_notices(tables, settings), *_settings_without_data(tables, settings))


def table_notices(tables: Tables, settings: StudySettings) -> tuple[Notice, ...]:
    """The notices that the tables give rise to; their codes are `ABOUT_TABLES`."""
    references = frozenset(name for name, known in settings.systems.items() if known.reference)
    names = {column: names_in(tables, column) for column in _NAMED}
    return (
        *_labels_without_output(tables, names),
        *_labels_without_sample(tables),
        *_labels_without_passage(tables),
        *_systems_in_one_table(names["system"], references),
        *_similar_names(names),
        *_unparsed_replies(tables),
    )


def names_in(tables: Tables, column: str) -> dict[str, set[str]]:
    """The names in a column, by table; `system` also takes system_a and system_b."""
    names: dict[str, set[str]] = {}
    for name, frame in tables.items():
        columns = [c for c in frame.columns if c == column or (column == "system" and c in ("system_a", "system_b"))]
        if columns:
            names[name] = set().union(*(distinct(frame[c]) for c in columns)) - {None}
    return names


def _labels_without_output(tables: Tables, names: NamesInTables) -> Iterable[Notice]:
    if "outputs" not in tables:
        return
    # Cells as numbers: joining tables of millions of names takes several times the time and memory.
    items, systems = (pl.Enum(sorted(names[column]["outputs"])) for column in ("item", "system"))

    def cells(column: str) -> pl.Expr:
        item = pl.col("item").cast(items, strict=False).to_physical().cast(pl.UInt64)
        return item * len(systems.categories) + pl.col(column).cast(systems, strict=False).to_physical()

    known = pl.lit(tables["outputs"].select(cells("system").implode()).to_series())
    for name, frame in tables.items():
        columns = TABLES[name].system_columns
        if name == "outputs" or not columns:
            continue
        absent = frame.select((~cells(column).is_in(known).fill_null(False)).alias(column) for column in columns)
        rows = absent.to_series() if absent.width == 1 else absent.to_series(0) | absent.to_series(1)
        if not rows.any():
            continue
        count, first = int(rows.sum()), int(rows.arg_true()[0])
        item = frame["item"][first]
        system = next(frame[column][first] for column in columns if absent[column][first])
        yield messages.unmatched("output", name, count, frame.height, {"item": item, "system": system})


def _labels_without_sample(tables: Tables) -> Iterable[Notice]:
    """Rows about outputs that are there, but under the name of another sample, or of several without saying which."""
    outputs = tables.get("outputs")
    if outputs is None or not _has_samples(tables):
        return
    known = outputs.select("item", "system", "sample")
    listed = known.select("item", "system").unique()
    for name, frame in tables.items():
        if name == "outputs":
            continue
        for _, lost in of_other_samples(frame, name, known, listed):
            first = lost.select("item", "system", "sample").row(0, named=True)
            yield messages.unmatched("sample", name, lost.height, frame.height, first)


def of_other_samples(
    frame: pl.DataFrame, table: TableName, outputs: pl.DataFrame, listed: pl.DataFrame
) -> Iterable[tuple[str, pl.DataFrame]]:
    """By column of samples, the rows (row, item, system, sample) of a table about items and systems that are `listed`,
    of which `outputs` has no such sample.
    """
    rows = frame.with_row_index("row")
    for system, sample in TABLES[table].samples:
        named = pl.col(sample).cast(pl.String) if sample in rows.columns else pl.lit(None, pl.String)
        asked = rows.select("row", "item", system=pl.col(system), sample=named)
        there = asked.join(listed, on=["item", "system"], how="semi", maintain_order="left")
        columns = ["item", "system", "sample"]
        lost = there.join(outputs, on=columns, how="anti", nulls_equal=True, maintain_order="left")
        if lost.height:
            yield sample, lost


def _has_samples(tables: Tables) -> bool:
    return any(
        frame[sample].null_count() < frame.height
        for name, frame in tables.items()
        for _, sample in TABLES[name].samples
    )


def _labels_without_passage(tables: Tables) -> Iterable[Notice]:
    spans = tables.get("spans")
    if spans is None:
        return
    passages = tables.get("passages")
    known = pl.DataFrame(schema={"item": pl.String, "passage": pl.String})
    lost = spans.join(
        known if passages is None else passages, on=["item", "passage"], how="anti", maintain_order="left"
    )
    if lost.height:
        first = lost.select("item", "passage").row(0, named=True)
        yield messages.unmatched("passage", "spans", lost.height, spans.height, first)


def _systems_in_one_table(systems: Mapping[str, set[str]], references: frozenset[str]) -> Iterable[Notice]:
    """A reference is there to measure systems by: its texts need nothing else. Columns of these names in a table of
    something else name no systems.
    """
    naming = {name for name, spec in TABLES.items() if spec.system_columns}
    systems = {name: here for name, here in systems.items() if name in naming}
    if len(systems) < 2:
        return
    for name, here in systems.items():
        elsewhere = set().union(*(there for other, there in systems.items() if other != name))
        alone = sorted(here - elsewhere - (references if name == "outputs" else frozenset()))
        if not alone:
            continue
        candidates = sorted(elsewhere - here)
        hints = {system: did_you_mean(system, candidates).removeprefix(": ") for system in alone}
        yield messages.single_table(name, alone, [other for other in systems if other != name], hints)


def _similar_names(names_by_column: NamesInTables) -> Iterable[Notice]:
    for column in _NAMED:
        names = set().union(*names_by_column[column].values())
        together = "".join(names)
        if together.isascii() and together == together.lower() and len(together.split()) <= 1:
            continue  # nothing in them that could be left out or written otherwise
        frame = pl.DataFrame({"name": pl.Series(sorted(names), dtype=pl.String)})
        # é as one character and as e with an accent, ﬁ and fi, wide and narrow letters: equal to a reader's eye.
        alike = pl.col("name").str.normalize("NFKC").str.replace_all(_INVISIBLE, "").str.replace_all(r"[\s\p{Z}]+", " ")
        repeated = frame.with_columns(alike.str.strip_chars().str.to_lowercase().alias("alike")).filter(
            pl.col("alike").is_duplicated()
        )
        if repeated.height:
            groups = repeated.group_by("alike", maintain_order=True).agg("name")["name"].to_list()
            yield messages.similar_names(column, groups)


def _unparsed_replies(tables: Tables) -> Iterable[Notice]:
    frame = tables.get("judge_preferences")
    if frame is None or frame["outcome"].null_count() == 0:
        return
    unparsed = frame.filter(pl.col("outcome").is_null())
    by_judge = dict(unparsed.group_by("judge").len().sort("judge").iter_rows())
    yield messages.unparsed_replies(by_judge, frame.height)


def _settings_without_data(tables: Tables, settings: StudySettings) -> Iterable[Notice]:
    names = {column: names_in(tables, column) for column in ("system", "criterion", "metric")}
    systems = set().union(*names["system"].values())
    yield from (messages.unknown_setting("system", name, systems) for name in settings.systems if name not in systems)
    criteria = set().union(*(names["criterion"].get(table, set()) for table in ("preferences", "ratings")))
    follow = {criterion.name: criterion.source for criterion in derivable(tables) if criterion.name not in criteria}
    yield from (messages.needless_scale(name, follow[name]) for name in settings.scale if name in follow)
    criteria |= follow.keys()
    asked = dict.fromkeys((*settings.scale, *(settings.criteria or ())))
    yield from (messages.unknown_setting("criterion", name, criteria) for name in asked if name not in criteria)
    metrics = set().union(*names["metric"].values())
    directions = settings.higher_is_better if metrics else ()  # without scores there is none that it could miss
    yield from (messages.unknown_setting("metric", name, metrics) for name in directions if name not in metrics)
