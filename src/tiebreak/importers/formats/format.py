"""What a format is: how its files are recognised, and what they say."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError
from tiebreak.importers.entries import Entries, Entry
from tiebreak.importers.recipe import Recipe
from tiebreak.tabular.documents import FIRST_MESSAGE, document_of, flat, messages_in, text_of
from tiebreak.tabular.source import Place, Record, Source, Sources

Row = dict[str, str]
Rows = Iterable[tuple[Place, Row]]
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Format:
    """The files of a tool. `fits`: whether a file is one of them, by its shape alone; `beside`: whether one that is
    named together with them belongs to them.

    `remark`: what its files do not say, "" where nothing is to be said.

    A format says all (`read`: the entries), or where a tool's owner chose names: `rows`, flat, and in `recipe` what is
    known of their columns; the others are drafted.
    """

    name: str
    title: str
    fits: Callable[[Source], bool]
    read: Callable[[Sources], Entries] | None = None
    beside: Callable[[Source], bool] = lambda _: False
    remark: Callable[[Sources], str] = lambda _: ""
    rows: Callable[[Sources], Rows] | None = None
    recipe: Recipe = field(default_factory=Recipe)


def placed(sources: Iterable[Source]) -> Iterator[tuple[Place, Record]]:
    """The records of all files."""
    return chain.from_iterable(source.placed() for source in sources)


def of_records(say: Callable[[Record, Place], Entries]) -> Callable[[Sources], Entries]:
    """A reader of files whose records speak for themselves."""
    return lambda sources: (entry for place, record in placed(sources) for entry in say(record, place))


def says(place: Place, side: str | None = None, **fields: object) -> Entry:
    """An entry with the fields that say something."""
    return Entry(place, {name: value for name, value in fields.items() if value is not None}, side)


def have(source: Source, *paths: str) -> bool:
    """Whether the first records of a file all have these keys (with points between those of nested objects)."""
    return bool(source.first) and all(is_there(record, path) for record in source.first for path in paths)


def is_there(record: object, path: str) -> bool:
    """Whether an object has a key, or one within others."""
    return at(record, path, _MISSING) is not _MISSING


def at(record: object, path: str, otherwise: object = None) -> object:
    """The value under a key, or under one within others."""
    if isinstance(record, Mapping) and path in record:
        return record[path]
    for key in path.split("."):
        if isinstance(record, Mapping) and key in record:
            record = record[key]
        elif isinstance(record, list) and key.isdigit() and int(key) < len(record):
            record = record[int(key)]
        else:
            return otherwise
    return record


def text(record: object, *paths: str) -> str:
    """The same as a text, of several the first that is not blank; "" where there is none."""
    return next((said for path in paths if (said := text_of(at(record, path)))), "")


def listed(value: object) -> str:
    """A value as text, the parts of a list with commas between them."""
    return ", ".join(map(text_of, value)) if isinstance(value, list) else text_of(value)


def objects(record: object, path: str = "") -> list[Record]:
    """The objects of a list under a key."""
    parts = at(record, path) if path else record
    return [part for part in parts if isinstance(part, Mapping)] if isinstance(parts, list) else []


def parsed(cell: object) -> object:
    """A text that is an object or a list of JSON as what it says; anything else as it is."""
    if isinstance(cell, str) and cell.startswith(("{", "[")):
        with suppress(InputError, ValueError):
            return document_of(cell.encode(), "")
    return cell


def number(value: object) -> float | None:
    """A value as a number, 1 for true; None for null, NaN, and what is none."""
    try:
        parsed = float(value) if isinstance(value, bool) else float(str(value))
    except ValueError:
        return None
    return parsed if parsed == parsed else None


def points(value: object) -> float | str:
    """The same as a score or a rating; blank where there is none, which is counted."""
    parsed = number(value)
    return "" if parsed is None else parsed


def name_of(record: Record, place: Place, *paths: str) -> str:
    """The first of its names that a record says; else one for its row."""
    return text(record, *paths) or f"{Path(place.file).stem}-{place.line}"


def names_of(files: Sequence[Path]) -> list[str]:
    """What files are called; or their folders, where several files are called alike."""
    stems = [file.stem for file in files]
    return stems if len(set(stems)) == len(stems) else [file.resolve().parent.name for file in files]


def systems_of(runs: Sequence[tuple[str, str]], files: Sequence[str]) -> list[str]:
    """The models of runs, each a task and a model; with the file, where a model did a task twice."""
    times = Counter(runs)
    return [
        f"{run[1]} ({Path(file).stem})" if times[run] > 1 else run[1] for run, file in zip(runs, files, strict=True)
    ]


def unpacked(value: object) -> object:
    """A list that a table holds as a text, in JSON or as Python prints it; one message as a list; all else as it is."""
    value = parsed(value)
    if isinstance(value, str) and value.startswith("["):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(value)
    return [value] if messages_in([value]) else value


def conversation(record: object, path: str) -> tuple[str | None, str | None]:
    """The first message of a conversation, and what was answered."""
    row = flat({"c": unpacked(at(record, path))})
    return row.get(f"c{FIRST_MESSAGE}"), row.get("c") or None


def two_conversations(record: Record) -> dict[str, str | None]:
    """What two systems were asked and answered, each in a conversation of its own."""
    (question, first), (_, second) = (conversation({"c": _talk(record, side)}, "c") for side in "ab")
    return {"input": question, "text_a": first, "text_b": second}


def _talk(record: Record, side: str) -> object:
    """The conversation of a side, by the columns of several releases; of a session, the part that was voted on."""
    asked, said = unpacked(record.get("prompt")), unpacked(record.get(f"response_{side}"))
    if isinstance(asked, list) and isinstance(said, list):  # texts, of which the last may be null
        parts = [part for turn in zip(asked, said, strict=False) for part in turn]
        return [{"role": ("user", "assistant")[k % 2], "content": part or ""} for k, part in enumerate(parts)]
    last = (objects(record, "full_conversation") or [{}])[-1]
    own = at(record, f"conversation_{side}") or at(record, f"messages_{side}")
    return own or [last.get("user"), last.get(f"model_side_{side}")]
