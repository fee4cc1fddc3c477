"""Which model gave an answer or score, and from which items it learned: there its answers prove nothing.

An answer or score names the model that gave it by its signature, and `signatures.jsonl` names the items that a model
learned from by hashes: of the input of each item, or of its outputs where it has no input. An item is left out for a
model that learned from it, or from another item of its cluster; all other answers of the model count.

Metrics and judges that say something in a study, but nothing of the systems chosen from it.

What the signatures of scores and judgements stand for: `signatures.jsonl`, one JSON object a line.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.schema import TABLES, TableName
from tiebreak.data.tables import distinct
from tiebreak.errors import InputError, Problem
from tiebreak.files import one_writer, write_bytes
from tiebreak.messages.tables import learned_from
from tiebreak.numbers import listed_names
from tiebreak.parsing import ParsingError, json_reader
from tiebreak.records import Kind, Notice

SPEAKERS: Final[Mapping[TableName, Kind]] = {"scores": "metric", "judge_preferences": "judge"}
"""By table of what programs say, the column that names them."""

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A metric or judge none of whose rows is about the systems chosen. `about`: the systems that it scored, or the
    pairs that it judged, sorted.
    """

    kind: Kind
    name: str
    about: tuple[tuple[str, ...], ...]

    @property
    def words(self) -> str:
        """That it cannot help here, what it can help with, and what to do."""
        shown = [" and ".join(listed_names([name]) for name in systems) for systems in self.about[:_SHOWN]]
        more = f" and {len(self.about) - _SHOWN:,} more" if len(self.about) > _SHOWN else ""
        listed = ", ".join(shown) + more
        what, cure = "scored none of these systems", "systems that it scored, or have it score these"
        if self.kind == "judge":
            what, cure = "judged none of these pairs", "systems of pairs that it judged, or have it judge these"
        return f"the {self.kind} {self.name!r} {what}, but only {listed}: choose {cure}"


def passed_over(
    before: Mapping[TableName, pl.DataFrame], after: Mapping[TableName, pl.DataFrame]
) -> dict[tuple[Kind, str], PassedOver]:
    """By kind and name, those that the tables lost when systems were chosen."""
    lost: dict[tuple[Kind, str], PassedOver] = {}
    for table, kind in SPEAKERS.items():
        if table not in before:
            continue
        left = distinct(after[table][kind]) if table in after else set()
        for name in sorted(distinct(before[table][kind]) - left):
            rows = before[table].filter(pl.col(kind) == name).select(TABLES[table].system_columns).unique().rows()
            about = tuple(sorted({tuple(sorted(row)) for row in rows}))
            lost[kind, name] = PassedOver(kind, name, about)
    return lost


SIGNATURES_FILE: Final = "signatures.jsonl"

Meaning = Mapping[str, object]
"""JSON-ready; what it takes to make the values again: the kind (`metric`, `judge`, `evaluator`), its name, settings."""


def read_signatures(study: Path) -> dict[str, Meaning]:
    """Of a study folder, by signature; empty where it has no such file.

    Raises:
        InputError: a line is no JSON object, has no signature, or repeats one with another meaning.
    """
    path = study / SIGNATURES_FILE
    if not path.is_file():
        return {}
    read, meanings = json_reader(), dict[str, Meaning]()
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), f"byte {error.start} is no UTF-8")]) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                signature, meaning = _entry(read(line))
                if meanings.setdefault(signature, meaning) != meaning:
                    raise ParsingError(f"the signature {signature} stands in the file with another meaning")
            except ParsingError as error:
                raise InputError([Problem(str(path), error.message, number)]) from error
    return meanings


def _entry(read: object) -> tuple[str, Meaning]:
    if not isinstance(read, dict) or not isinstance(signature := read.pop("signature", None), str) or not signature:
        raise ParsingError('not an object with a "signature"')
    return signature, read


def not_known(known: Mapping[str, Meaning], new: Mapping[str, Meaning], where: str) -> dict[str, Meaning]:
    """Those of `new` that are not `known`; `where`: the file that an error names.

    Raises:
        InputError: a signature has another meaning there.
    """
    for signature, meaning in new.items():
        if known.get(signature, meaning) != meaning:
            raise InputError([Problem(where, f"{signature} stands there with another meaning")])
    return {name: meaning for name, meaning in new.items() if name not in known}


def add_signatures(study: Path, new: Mapping[str, Meaning]) -> None:
    """Put signatures into a study folder beside those that it has, in the order in which they came; all or nothing.

    Raises:
        InputError: the file that is there is damaged, or a signature stands there with another meaning.
        TiebreakError: the file cannot be written.
    """
    with one_writer(study):
        known = read_signatures(study)
        fresh = not_known(known, new, str(study / SIGNATURES_FILE))
        if fresh:
            write_bytes(study / SIGNATURES_FILE, signatures_to_lines(known | fresh))


def signatures_to_lines(signatures: Mapping[str, Meaning]) -> bytes:
    """The content of the file."""
    lines = [json.dumps({"signature": name, **meaning}, ensure_ascii=False) for name, meaning in signatures.items()]
    return ("\n".join(lines) + "\n").encode()


EVALUATOR: Final = "evaluator|"
"""How the signature of a model begins that was trained on texts."""
LABELLED_ITEMS: Final = "items_with_labels"
"""In what a signature stands for: hashes of the items whose human labels the model learned from."""
SEEN_ITEMS: Final = "items_seen"
"""The same of items that it learned anything from."""

_DIGITS: Final = 16

Keys = frozenset[str]


def contexts_of(items: pl.DataFrame | None) -> dict[str, str]:
    """By item: its context and its input, in the order in which people read them."""
    if items is None:
        return {}
    rows = items.select("item", pl.col("context", "input").fill_null("")).iter_rows()
    return {item: "\n".join(part for part in (context.strip(), text.strip()) if part) for item, context, text in rows}


def reference_texts(cell: object) -> list[str]:
    """The texts of a cell of references that are not blank: one text, a list of texts, or texts by name. Names are left
    out, as they may be those of systems.
    """
    if cell is None or isinstance(cell, str):
        texts: Iterable[object] = (cell,)
    else:
        texts = cell.values() if isinstance(cell, Mapping) else cell if isinstance(cell, Iterable) else ()
    return [text for text in texts if isinstance(text, str) and text.strip()]


def texts_read(context: str, texts: Sequence[str]) -> str:
    """What a column `texts` has of texts that were read in a context: 16 hex digits, which tell a change of any
    character but blanks, and which text came first.
    """
    return _hash_of([" ".join(text.split()) for text in (context, *texts)])


def item_keys(context: str, texts: Iterable[str]) -> Keys:
    """Hashes that tell an item: of its context and input, or of each of its outputs where it has none of its own.

    Equal up to forms of Unicode characters, blanks and characters that nobody sees.
    """
    if context:
        return frozenset({_hash_of(["input", _plain(context)])})
    return frozenset(_hash_of(["output", _plain(text)]) for text in texts)


def telling(contexts: Iterable[tuple[int, str]]) -> list[str]:
    """Contexts, with the number of the study that each is from; empty where several items of the study share it: a
    template such as "Summarise:" tells no item.
    """
    given = list(contexts)
    counts = Counter(given)
    return [context if counts[study, context] == 1 else "" for study, context in given]


def keys_of_items(outputs: pl.DataFrame | None, items: pl.DataFrame | None) -> dict[str, Keys]:
    """`item_keys` of every item of a study, with those of the other items of its cluster."""
    contexts, texts = contexts_of(items), defaultdict[str, list[str]](list)
    contexts = dict(zip(contexts, telling((0, context) for context in contexts.values()), strict=True))
    for item, text in () if outputs is None else outputs.select("item", "text").iter_rows():
        texts[item].append(text or "")
    keys = {item: item_keys(contexts.get(item, ""), texts.get(item, ())) for item in {*contexts, *texts}}
    if items is None:
        return keys
    clusters = defaultdict[str, set[str]](set)
    rows = list(items.select("item", "cluster").drop_nulls().iter_rows())
    for item, cluster in rows:
        clusters[cluster] |= keys[item]
    return keys | {item: frozenset(clusters[cluster]) for item, cluster in rows}


def learned_keys(meaning: Meaning, name: str) -> Keys:
    """The hashes that a model's meaning lists under `name` (`LABELLED_ITEMS` or `SEEN_ITEMS`)."""
    listed = meaning.get(name)
    return frozenset(key for key in listed if isinstance(key, str)) if isinstance(listed, list) else frozenset()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A metric or judge of which answers on `items` (at least 1) are left out, and answers on `others` count.

    `is_unknown`: signatures.jsonl does not know the model that gave some of them.
    """

    kind: Kind
    name: str
    items: int
    others: int
    is_unknown: bool

    @property
    def words(self) -> str:
        """What is left out, why, and what to do about it."""
        all_of = f"all {self.items:,}" if not self.others else f"{self.items:,} of {self.items + self.others:,}"
        why = (
            "signatures.jsonl does not say which items its model learned from; bring that file along"
            if self.is_unknown
            else "its model learned from labels of these items; train it with --folds to use them"
        )
        return f"the {self.kind} {self.name!r} is left out on {all_of} items that it covers: {why}"

    @property
    def notice(self) -> Notice:
        """The notice about it."""
        return learned_from(self.words, self.name, self.items, self.others)


def without_learned(
    tables: Mapping[TableName, pl.DataFrame],
    as_read: Mapping[TableName, pl.DataFrame],
    signatures: Mapping[str, Meaning],
) -> tuple[dict[TableName, pl.DataFrame], tuple[LeftOut, ...]]:
    """The tables of scores and judgements that lose rows, without rows on items that the answering model learned from;
    and for each metric and judge how many items those are.

    `as_read`: with rows that repeat others, since the one that stays need not be the one with the signature.
    """
    spoken = {table: as_read[table] for table in SPEAKERS if table in as_read}
    trained = {
        name
        for frame in spoken.values()
        for name in frame["signature"].drop_nulls().unique()
        if name.startswith(EVALUATOR)
    }
    if not trained:
        return {}, ()
    keys = keys_of_items(as_read.get("outputs"), as_read.get("items"))
    learned = {name: learned_keys(signatures.get(name, {}), LABELLED_ITEMS) for name in trained}
    unknown = {name for name in trained if LABELLED_ITEMS not in signatures.get(name, {})}
    left: dict[TableName, pl.DataFrame] = {}
    left_out: list[LeftOut] = []
    for table, frame in spoken.items():
        kind = SPEAKERS[table]
        asked = frame.select(kind, "item", "signature").unique().filter(pl.col("signature").is_in(list(trained)))
        rows = [
            (name, item, model)
            for name, item, model in asked.iter_rows()
            if model in unknown or not learned[model].isdisjoint(keys.get(item, ()))
        ]
        if rows:
            out = pl.DataFrame(rows, schema=asked.schema, orient="row")
            left[table] = tables[table].join(out, on=[kind, "item"], how="anti", maintain_order="left")
            left_out += _counts(kind, frame, out, unknown)
    return left, tuple(left_out)


def _counts(kind: Kind, frame: pl.DataFrame, out: pl.DataFrame, unknown: set[str]) -> list[LeftOut]:
    left_out = []
    for (name,), rows in out.sort(kind).group_by(kind, maintain_order=True):
        items = set(rows["item"].unique())
        others = set(frame.filter(pl.col(kind) == name)["item"].unique()) - items
        left_out.append(LeftOut(kind, str(name), len(items), len(others), rows["signature"].is_in(list(unknown)).any()))
    return left_out


def _hash_of(texts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()[:_DIGITS]


def _plain(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(character for character in text if unicodedata.category(character) != "Cf")
    return " ".join(text.split())
