"""Which items and systems of a study the rows of a file are about, and which they are not about, with hints.

One table of a study and rows that a file has for it: what is new, what is known, and what contradicts.

Rows about a system's output, where the study has several of it for the item and none of this name.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

import polars as pl

from tiebreak.adding.account import NewName, TableAccount
from tiebreak.data.columns import one_way_round
from tiebreak.data.notices import of_other_samples
from tiebreak.data.problems import MAX_PROBLEMS
from tiebreak.data.schema import LABEL_TABLES, TABLES, TableName, TableSpec
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, nearest, shorten
from tiebreak.importers.reading import ImportedRows
from tiebreak.numbers import counted, quoted, some_names

Frames = dict[TableName, pl.DataFrame]

_LABELS: Final[tuple[TableName, ...]] = (*LABEL_TABLES, "passages", "scores", "judge_preferences")
_ASKED: Final[tuple[TableName, ...]] = ("preferences", "judge_preferences")
_HINTS: Final = 200  # names that get one: each is compared with all


def with_names_of(study: Study, rows: ImportedRows) -> Frames:
    """The tables of a file with the items as the study calls them: by their own names, or by their inputs.

    An input that the study does not have is a new item, with the next free name.

    Raises:
        InputError: an input is that of several items.
    """
    if rows.items_by == "column":
        return dict(rows.tables)
    made = _items_of(rows.tables)
    names = _by_input(study, rows, made)
    renamed = {table: frame.with_columns(pl.col("item").replace(names)) for table, frame in rows.tables.items()}
    # What they were known by is no news, and may be written with other blanks.
    known = pl.col("item").is_in(_items_of(study.tables))
    parts = [name for name in ("input", "context") if name in renamed["items"].columns]
    renamed["items"] = renamed["items"].with_columns(pl.when(~known).then(pl.col(part)).alias(part) for part in parts)
    return renamed


def _items_of(tables: Mapping[TableName, pl.DataFrame]) -> list[str]:
    """All items in the order of their first row."""
    return list(dict.fromkeys(item for frame in tables.values() for item in frame["item"].to_list()))


def _by_input(study: Study, rows: ImportedRows, made: list[str]) -> dict[str, str]:
    stated = rows.tables["items"]
    with_context = "context" in stated.columns and study.items is not None and study.items["context"].null_count() == 0
    columns = ["input", "context"] if with_context else ["input"]
    of_input: dict[tuple[str, ...], list[str]] = {}
    if study.items is not None:
        for item, *parts in study.items.select("item", *columns).iter_rows():
            of_input.setdefault(tuple(map(_folded, parts)), []).append(item)
    taken, names, problems = set(_items_of(study.tables)), dict[str, str](), []
    numbers = iter(range(len(taken) + 1, len(taken) * 2 + len(made) + 2))
    for item, *parts in stated.select("item", *columns).iter_rows():
        items = of_input.get(tuple(map(_folded, parts)), [])
        if len(items) > 1:
            listed = " and ".join(items[:3])
            message = f"the study has this input in {len(items):,} items ({listed}): add an item column that says which"
            problems.append(rows.place("input", str(parts[0]), message))
        elif items:
            names[item] = items[0]
        else:
            names[item] = next(name for number in numbers if (name := f"item{number:04d}") not in taken)
    if problems:
        raise InputError(problems)
    return names


def _folded(text: str | None) -> str:
    """An input without what changes when it is copied: spaces at its ends, and how its characters are composed."""
    return unicodedata.normalize("NFC", " ".join((text or "").split()))


def unmatched(study: Study, tables: Frames, rows: ImportedRows) -> tuple[dict[TableName, pl.Series], list[Problem]]:
    """Which rows of each table (True) judge items, systems and samples that the study does not have, and why. Where it
    holds labels only, an item that it does not know is a further one.
    """
    outputs = _outputs(study, tables)
    known = {"item": {*_items_of(study.tables), *outputs["item"]}, "system": {*study.systems, *outputs["system"]}}
    if study.items is None and study.outputs is None:
        del known["item"]
    wrong: dict[TableName, pl.Series] = {}
    unknown: dict[str, Counter[str]] = {"item": Counter(), "system": Counter()}
    for table in (name for name in _LABELS if name in tables):
        for column in ("item", *TABLES[table].system_columns):
            kind, names = column.partition("_")[0], tables[table][column]
            here = ~names.is_in(list(known[kind])) if kind in known else pl.repeat(False, len(names), eager=True)
            unknown[kind].update(names.filter(here).to_list())
            wrong[table] = wrong.get(table, here) | here
    if "items" in tables and unknown["item"]:  # what is said of an item goes with its labels
        wrong["items"] = tables["items"]["item"].is_in(list(unknown["item"]))
    problems = [
        *_unknown_items(study, tables, unknown["item"], known.get("item", ()), rows),
        *_unknown(unknown["system"], "system", known["system"], rows),
    ]
    named = outputs.filter(pl.col("sample").is_not_null()).select("item", "system").unique()
    for table in (name for name in tables if name != "outputs" and named.height):
        for sample, lost in of_other_samples(tables[table], table, outputs, named):
            here = pl.int_range(tables[table].height, eager=True).is_in(lost["row"].implode())
            wrong[table] = wrong.get(table, here) | here
            problems.append(_problem(lost, outputs, sample, rows))
    return {table: here for table, here in wrong.items() if here.any()}, problems


def _unknown_items(
    study: Study, tables: Frames, names: Counter[str], known: Collection[str], rows: ImportedRows
) -> Iterable[Problem]:
    """By their inputs where the file knows them by these alone: their names were made up."""
    if rows.items_by != "input" or "items" not in tables:
        return _unknown(names, "item", known, rows)
    of_item = dict(tables["items"].select("item", "input").iter_rows())
    inputs = Counter({of_item[name] or "": count for name, count in names.items()})
    had = study.items["input"].drop_nulls().to_list() if study.items is not None else []
    return _unknown(inputs, "input", had, rows)


def _unknown(names: Counter[str], what: str, known: Collection[str], rows: ImportedRows) -> Iterable[Problem]:
    """One problem for each name, as each may be another misspelling; many without a hint are one."""
    hints = {name: _near(name, known) for name in list(names)[:_HINTS]}
    without = [name for name in names if not hints.get(name)]
    for name, hint in hints.items():
        if hint:
            meant = f"{hint}? Then --value {quoted(f'system:{name}={hint}')}"
            if what != "system":
                meant = f"{_shown(hint)}? Then mend the file; else --unmatched leave, or --unmatched add"
            message = f"the study has no such {what} ({counted(names[name], 'row')}): did you mean {meant}"
            yield _placed(rows, what, name, message)
    if without:
        others = f", and {len(without) - 1:,} more" if len(without) > 1 else ""
        total = counted(sum(names[name] for name in without), "row")
        message = (
            f"the study has no such {what}{others} ({total}): add outputs first, or say what to do with such rows: "
            "--unmatched leave, or --unmatched add"
        )
        yield _placed(rows, what, without[0], message)


def _shown(name: str) -> str:
    """An item's name as it is, an input in quotes and not too long."""
    plain = " ".join(name.split())
    return name if " " not in plain else repr(shorten(plain))


def _placed(rows: ImportedRows, what: str, name: str, message: str) -> Problem:
    if what != "system":
        return rows.place(what, name, message)
    problems = [rows.place(target, name, message) for target in ("system", "system_a", "system_b")]
    return next((problem for problem in problems if problem.line is not None), problems[0])


def without_criterion(study: Study, tables: Frames, rows: ImportedRows) -> list[Problem]:
    """Judgements that name no criterion, where all that the study has name one: nobody can tell which they are of."""
    problems = []
    for table in (name for name in _ASKED if name in tables and name in study.tables):
        known = study.tables[table]["criterion"]
        frame = tables[table]
        blank = frame["criterion"].null_count() if "criterion" in frame.columns else frame.height
        if not blank or known.null_count():
            continue
        names = sorted(set(known.to_list()))
        cure = "fill in the blank cells"
        if blank == frame.height:
            cure = f"--map {quoted(f'criterion=:{names[0]}')}, for one (a new name is a further criterion)"
        message = (
            f"{counted(blank, 'row')} without a criterion, and the study's {table.replace('_', ' ')} are of "
            f"{some_names(names)}: say of which these are: {cure}"
        )
        problems.append(rows.place("criterion", "", message))
    return problems


def misspelt_systems(study: Study, tables: Frames, rows: ImportedRows) -> list[Problem]:
    """Systems of new outputs that differ from a known one only by case, spaces or how characters are written."""
    outputs = tables.get("outputs")
    if outputs is None:
        return []
    known = {_plain(name): name for name in study.systems}
    problems = []
    for name in sorted(set(outputs["system"].to_list()) - set(study.systems)):
        near = known.get(_plain(name))
        if near is not None:
            message = f"the study calls this system {near}: --value {quoted(f'system:{name}={near}')}"
            problems.append(_placed(rows, "system", name, message))
    return problems


def _plain(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def new_names(tables: Frames, known: Collection[str], *columns: str) -> tuple[NewName, ...]:
    """Names in these columns that the study did not have."""
    counts: Counter[str] = Counter()
    for frame in tables.values():
        for column in (name for name in columns if name in frame.columns):
            counts.update(dict(frame.group_by(column).len().iter_rows()))
    names = sorted(name for name in counts if name not in set(known))
    return tuple(NewName(name, counts[name], _near(name, known) if k < _HINTS else "") for k, name in enumerate(names))


def new_items(study: Study, tables: Frames) -> int:
    """How many items no table of the study had named."""
    return len(set(_items_of(tables)) - set(_items_of(study.tables)))


def _near(name: str, known: Collection[str]) -> str:
    """The known name that this one may be a misspelling of, or "". Names that differ in a number are different ones."""
    plain = {_plain(other): other for other in known}
    if _plain(name) in plain:
        return plain[_plain(name)]
    digits = "".join(filter(str.isdigit, name))
    alike = [other for other in known if "".join(filter(str.isdigit, other)) == digits]
    return nearest(name, alike)


_SHOWN: Final = 40  # characters of a text in an error
_ORIGINS: Final = ("signature", "texts")
"""What made a score: the same score may have been made twice."""

PlaceOf = Callable[[str, str, str], Problem]
"""The problem with a message that a name of a target (such as an item) is, where it stands."""


MergedTable = tuple[pl.DataFrame, TableAccount, list[Problem]]
"""The table afterwards, its account, and what contradicts the study (then the table is not to be used)."""


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
        return new, TableAccount(table, new=new.height), []
    if spec.judged is not None:
        return _judgements(old, new, spec, spec.judged)
    return _facts(old, new, spec, place)


def _judgements(old: pl.DataFrame, new: pl.DataFrame, spec: TableSpec, answer: str) -> MergedTable:
    """Judgements that somebody has made before, on the same question, are known, made again, or differ."""
    stated = [name for name in spec.known if name in new.columns]
    question = [name for name in spec.question if name in (*stated, *spec.required)]
    rows, before = (one_way_round(frame) if spec.pair_key else frame for frame in (new, _with(old, stated)))
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
    return _together(old, added), account, []


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
        return old, TableAccount(spec.name), [place("reference", "", message)]
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
    return _together(old, new.filter(~there)), account, problems


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
    matches = rows.join(before.select(columns).unique(), on=columns, how="semi", nulls_equal=True)
    return rows["row"].is_in(matches["row"].implode())


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


def _problem(lost: pl.DataFrame, outputs: pl.DataFrame, column: str, rows: ImportedRows) -> Problem:
    item, system, sample = lost.select(_OUTPUT).row(0)
    known = outputs.filter((pl.col("item") == item) & (pl.col("system") == system))["sample"].drop_nulls().to_list()
    which = "names none of them" if sample is None else f"names {sample}"
    cure = f"--map {column}=COLUMN names them" if sample is None else "mend the file, or add that output first"
    message = (
        f"the study has several outputs of {system} for this item (samples {some_names(known, _SHOWN)}), and the file "
        f"{which} ({counted(lost.height, 'row')}): {cure}"
    )
    return rows.place("item", str(item), message)
