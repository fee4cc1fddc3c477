"""One table of a study and rows that a file has for it: what is new, what is known, and what contradicts.

Rows about a system's output, where the study has several of it for the item and none of this name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.adding.account import TableAccount
from tiebreak.data.columns import one_way_round
from tiebreak.data.problems import MAX_PROBLEMS
from tiebreak.data.schema import TABLES, TableName, TableSpec
from tiebreak.data.study import Study
from tiebreak.errors import Problem
from tiebreak.importers.reading import ImportedRows
from tiebreak.numbers import counted, some_names

_SHOWN: Final = 40  # characters of a text in an error
_ORIGINS: Final = ("signature", "texts")
"""What made a score: the same score may have been made twice."""

PlaceOf = Callable[[str, str, str], Problem]
"""The problem with a message that a name of a target (such as an item) is, where it stands."""


@dataclass(frozen=True, slots=True)
class MergedTable:
    """The table afterwards, its account, and what contradicts the study (then the table is not to be used)."""

    frame: pl.DataFrame
    account: TableAccount
    problems: tuple[Problem, ...] = ()


def merge(old: pl.DataFrame | None, new: pl.DataFrame, table: TableName, place: PlaceOf) -> MergedTable:
    """The rows of `old`, untouched and first, and those of `new` that are not among them.

    Rows of `new` without a value in an optional column say nothing of it. People and judges may have judged the same
    question before: a judgement with another answer, or at another time, is a further one. Another text of an output,
    another score of the same metric, and another detail of an item contradict the study. A detail of an item, and what
    made a score, that the study lacks complete it.
    """
    spec = TABLES[table]
    stated = [name for name in new.columns if name in spec.required or new[name].null_count() < new.height]
    new = new.select(stated).unique(maintain_order=True)
    if "criterion" in spec.key and "criterion" not in stated and old is not None:
        new = new.with_columns(pl.lit(None, pl.String).alias("criterion"))  # to say none is to ask another question
    if old is None:
        return MergedTable(new, TableAccount(table, new=new.height))
    if spec.judged is not None:
        return _judgements(old, new, spec, spec.judged)
    return _facts(old, new, spec, place)


def _judgements(old: pl.DataFrame, new: pl.DataFrame, spec: TableSpec, answer: str) -> MergedTable:
    """Judgements that somebody has made before, on the same question, are known, made again, or differ."""
    stated = [name for name in spec.known if name in new.columns]
    question = [name for name in spec.question if name in (*stated, *spec.required)]
    rows, before = (one_way_round(of) if spec.pair_key else of for of in (new, _with(old, stated)))
    rows = rows.with_row_index("row")
    known = _among(rows, before, stated)
    asked = _among(rows, before, question)
    same = _among(rows, before, [*question, answer])
    added = new.filter(~known)
    account = TableAccount(
        spec.name,
        new=int((~asked).sum()),
        known=int(known.sum()),
        again=int((same & ~known).sum()),
        differ=int((asked & ~same).sum()),
    )
    return MergedTable(_together(old, added), account)


def _facts(old: pl.DataFrame, new: pl.DataFrame, spec: TableSpec, place: PlaceOf) -> MergedTable:
    """Items, outputs, passages and scores: of one key there is one value of each detail. What the study lacks of an
    item, and what made a score, completes it.
    """
    key = [name for name in spec.key if name in (*new.columns, *spec.required)]
    details = [name for name in new.columns if name not in key]
    empty = [name for name in details if name in old.columns and old[name].null_count() == old.height]
    old = old.with_columns(pl.lit(None, new.schema[name]).alias(name) for name in empty)  # of whatever form the new has
    if other := [name for name in details if old.schema.get(name, new.schema[name]) != new.schema[name]]:
        message = f"the study has {other[0]} in another form, such as texts by name; write these into its table by hand"
        return MergedTable(old, TableAccount(spec.name), (place("reference", "", message),))
    whole = _with(old, [*key, *details])
    earlier = {name: f"{name} before" for name in details}
    before = whole.select(*key, *details).rename(earlier).with_columns(there=True).unique(key)
    both = new.join(before, on=key, how="left", nulls_equal=True, maintain_order="left")
    there, contradicts, problems = both["there"].fill_null(False), pl.repeat(False, new.height, eager=True), []
    for name in (name for name in details if name not in _ORIGINS):
        differs = (both[name] != both[earlier[name]]).fill_null(False)
        contradicts |= differs
        rows = both.filter(differs).head(MAX_PROBLEMS).rename({earlier[name]: "before"})
        problems += [_contradiction(row, name, place) for row in rows.iter_rows(named=True)]
    lacks = [pl.lit(False), *(pl.col(name).is_not_null() & pl.col(earlier[name]).is_null() for name in details)]
    completing = both.filter(there & ~contradicts, pl.any_horizontal(lacks)).select(*key, *details)
    if completing.height:
        later = {name: f"{name} after" for name in details}
        filled = completing.rename(later).unique(key)
        old = whole.join(filled, on=key, how="left", nulls_equal=True, maintain_order="left")
        old = old.with_columns(pl.coalesce(name, after).alias(name) for name, after in later.items())
        old = old.drop(later.values())
    known = int((there & ~contradicts).sum()) - completing.height
    account = TableAccount(spec.name, new=int((~there).sum()), known=known, completed=completing.height)
    return MergedTable(_together(old, new.filter(~there)), account, tuple(problems))


def _contradiction(row: dict[str, object], value: str, place: PlaceOf) -> Problem:
    if "passage" in row:
        what, cure = f"text of passage {row['passage']}", "another passage needs another name"
    elif value == "text":
        what = f"text of {row['system']}"
        cure = "a system with another text is another system (--value system:OLD=NEW), or another sample"
    elif value == "value":
        what = f"score by {row['metric']} of {row['system']}"
        cure = "a metric that was changed is another metric (--map metric=:NAME)"
    else:
        another = "other references" if value == "references" else f"another {value}"
        message = (
            f"the study has {another} of this item ({_short(row['before'])}, and not {_short(row[value])}); if it is "
            "another item, give it another name"
        )
        return place("item", str(row["item"]), message)
    message = (
        f"the study has another {what} for this item ({_short(row['before'])}, and not "
        f"{_short(row[value])}); {cure}, or remove what is wrong"
    )
    return place("item", str(row["item"]), message)


def _among(rows: pl.DataFrame, before: pl.DataFrame, columns: list[str]) -> pl.Series:
    """Which rows agree with any row before in all of the columns."""
    found = rows.join(before.select(columns).unique(), on=columns, how="semi", nulls_equal=True)
    return rows["row"].is_in(found["row"].implode())


def _with(frame: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """The frame, with columns that it lacks empty."""
    return frame.with_columns(pl.lit(None).alias(name) for name in columns if name not in frame.columns)


def _together(old: pl.DataFrame, added: pl.DataFrame) -> pl.DataFrame:
    """The old rows, then the added ones; a column that only one of them has is empty in the other."""
    if not added.height:
        return old
    alike = added.cast({name: old.schema[name] for name in added.columns if name in old.columns})
    return pl.concat([old, alike], how="diagonal_relaxed")


def _short(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else repr(" ".join(str(value).split()))
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 2]}…'"


_OUTPUT = ("item", "system", "sample")
_SHOWN_SAMPLES = 5


def other_samples(
    study: Study, tables: Mapping[TableName, pl.DataFrame], rows: ImportedRows
) -> tuple[dict[TableName, pl.Series], list[Problem]]:
    """Which rows of each table (True) name none of the samples that there are of their output, or no sample; only
    tables that have such rows, and one problem for each.
    """
    outputs = _outputs(study, tables)
    named = outputs.filter(pl.col("sample").is_not_null()).select("item", "system").unique()
    found: dict[TableName, pl.Series] = {}
    problems = []
    for table in (name for name in tables if name != "outputs" and named.height):
        frame = tables[table].with_row_index("row")
        for system, sample in TABLES[table].samples:
            asked = _asked(frame, system, sample).join(named, on=("item", "system"), how="semi", maintain_order="left")
            lost = asked.join(outputs, on=_OUTPUT, how="anti", nulls_equal=True, maintain_order="left")
            if lost.height:
                wrong = frame["row"].is_in(lost["row"].implode())
                found[table] = found.get(table, wrong) | wrong
                problems.append(_problem(lost, outputs, sample, rows))
    return found, problems


def unnamed_outputs(study: Study, tables: Mapping[TableName, pl.DataFrame], rows: ImportedRows) -> list[Problem]:
    """New outputs without a sample, of items and systems of which the study has named ones."""
    new = tables.get("outputs")
    if new is None or study.outputs is None:
        return []
    named = study.outputs.filter(pl.col("sample").is_not_null())
    bare = new if "sample" not in new.columns else new.filter(pl.col("sample").is_null())
    lost = bare.join(named, on=("item", "system"), how="semi", maintain_order="left")
    return [] if not lost.height else [_problem(lost.with_columns(sample=None), named, "sample", rows)]


def _outputs(study: Study, tables: Mapping[TableName, pl.DataFrame]) -> pl.DataFrame:
    """Item, system and sample of all outputs, the study's and the new ones."""
    empty = pl.DataFrame(schema=dict.fromkeys(_OUTPUT, pl.String))
    new = tables.get("outputs")
    parts = [empty, *(part for part in (study.outputs, new) if part is not None)]
    return pl.concat(parts, how="diagonal_relaxed").select(_OUTPUT).unique(maintain_order=True)


def _asked(rows: pl.DataFrame, system: str, sample: str) -> pl.DataFrame:
    named = pl.col(sample) if sample in rows.columns else pl.lit(None, pl.String)
    return rows.select("row", "item", system=pl.col(system), sample=named.cast(pl.String))


def _problem(lost: pl.DataFrame, outputs: pl.DataFrame, column: str, rows: ImportedRows) -> Problem:
    item, system, sample = lost.select(_OUTPUT).row(0)
    of = outputs.filter((pl.col("item") == item) & (pl.col("system") == system))["sample"].drop_nulls().to_list()
    which = "names none of them" if sample is None else f"names {sample}"
    cure = f"--map {column}=COLUMN names them" if sample is None else "mend the file, or add that output first"
    message = (
        f"the study has several outputs of {system} for this item (samples {some_names(of, _SHOWN)}), and the file "
        f"{which} ({counted(lost.height, 'row')}): {cure}"
    )
    return rows.place("item", str(item), message)
