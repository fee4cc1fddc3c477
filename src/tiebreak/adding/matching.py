"""Which items and systems of a study the rows of a file are about, and which they are not about, with hints."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.adding.account import NewName
from tiebreak.adding.merging import other_samples
from tiebreak.data.schema import LABEL_TABLES, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, nearest
from tiebreak.importers.reading import ImportedRows
from tiebreak.numbers import counted, quoted, some_names

Frames = dict[TableName, pl.DataFrame]

_LABELS: Final[tuple[TableName, ...]] = (*LABEL_TABLES, "passages", "scores", "judge_preferences")
_ASKED: Final[tuple[TableName, ...]] = ("preferences", "judge_preferences")
_LONGEST: Final = 60  # characters of an input in a hint
_HINTS: Final = 200  # names that get one: each is compared with all


@dataclass(frozen=True, slots=True)
class Unmatched:
    """Rows of labels, passages, scores or judgements about what the study does not have. `rows`: which of each table
    (True).
    """

    rows: Mapping[TableName, pl.Series]
    problems: tuple[Problem, ...]


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
        found = of_input.get(tuple(map(_folded, parts)), [])
        if len(found) > 1:
            listed = " and ".join(found[:3])
            message = f"the study has this input in {len(found):,} items ({listed}): add an item column that says which"
            problems.append(rows.place("input", str(parts[0]), message))
        elif found:
            names[item] = found[0]
        else:
            names[item] = next(name for number in numbers if (name := f"item{number:04d}") not in taken)
    if problems:
        raise InputError(problems)
    return names


def _folded(text: str | None) -> str:
    """An input without what changes when it is copied: spaces at its ends, and how its characters are composed."""
    return unicodedata.normalize("NFC", " ".join((text or "").split()))


def unmatched(study: Study, tables: Frames, rows: ImportedRows) -> Unmatched:
    """Rows that judge what the study does not have. Where it holds labels only, an item that it does not know is a
    further one.
    """
    outputs = tables.get("outputs")
    stated = outputs if outputs is not None else pl.DataFrame(schema={"item": pl.String, "system": pl.String})
    systems = {*study.systems, *stated["system"].to_list()}
    items = None
    if study.items is not None or study.outputs is not None:
        items = {*_items_of(study.tables), *stated["item"].to_list()}
    found: dict[TableName, pl.Series] = {}
    unknown: dict[str, Counter[str]] = {"item": Counter(), "system": Counter()}
    for table in (name for name in _LABELS if name in tables):
        frame = tables[table]
        wrong = pl.Series([False] * frame.height, dtype=pl.Boolean)
        for column in ("item", *TABLES[table].system_columns):
            known = items if column == "item" else systems
            if known is None:
                continue
            here = ~frame[column].is_in(list(known))
            wrong |= here
            kind = "item" if column == "item" else "system"
            unknown[kind].update(frame[column].filter(here).to_list())
        if wrong.any():
            found[table] = wrong
    if "items" in tables and unknown["item"]:  # what is said of an item goes with its labels
        found["items"] = tables["items"]["item"].is_in(list(unknown["item"]))
    of_samples, about_samples = other_samples(study, tables, rows)
    problems = [
        *_unknown_items(study, tables, unknown["item"], items or (), rows),
        *_unknown(unknown["system"], "system", systems, rows),
        *about_samples,
    ]
    found |= {table: found.get(table, wrong) | wrong for table, wrong in of_samples.items()}
    return Unmatched(found, tuple(problems))


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
    return name if " " not in plain else repr(plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…")


def _placed(rows: ImportedRows, what: str, name: str, message: str) -> Problem:
    if what != "system":
        return rows.place(what, name, message)
    found = [rows.place(target, name, message) for target in ("system", "system_a", "system_b")]
    return next((problem for problem in found if problem.line is not None), found[0])


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


def new_systems(study: Study, tables: Frames) -> tuple[NewName, ...]:
    """Systems that the study did not have."""
    return _new_names(tables, ("system", "system_a", "system_b"), study.systems)


def new_people(study: Study, tables: Frames) -> tuple[NewName, ...]:
    """People who had given no label yet."""
    return _new_names(tables, ("annotator",), study.annotators)


def _new_names(tables: Frames, columns: tuple[str, ...], known: Collection[str]) -> tuple[NewName, ...]:
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
