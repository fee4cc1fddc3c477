"""What is called by a path, as nested JSON is: `responses.gpt`, `models.0` and `models.1`, `votes.ann`.

The last part of a path says what a column is, or whose; a place in a list says which side of a pair, if it has two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import TEXT_WORDS, key_of
from tiebreak.importers.spreadsheet.header_notes import bare_name
from tiebreak.importers.spreadsheet.header_words import SYNONYMS, header_key
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping
from tiebreak.importers.spreadsheet.model_names import are_models
from tiebreak.tabular.json_lines import KEY
from tiebreak.tabular.json_lists import FIRST_MESSAGE

_PLACE: Final = re.compile(r"(?P<list>[^.]+(?:\.[^.]+)*?)\.(?P<place>\d+)(?P<rest>(?:\..+)?)")
_KINDS: Final = {"system": frozenset(SYNONYMS["system"]), "text": frozenset({*SYNONYMS["text"], *TEXT_WORDS})}
_ANSWERS: Final = frozenset({*SYNONYMS["outcome"], *SYNONYMS["value"], *SYNONYMS["annotator"]})
_LAST_WORD: Final = re.compile(r"(?P<rest>.+)[ _\-](?P<word>[^\W_]+)")
_FIRST_WORD: Final = re.compile(r"(?P<word>[^\W_]+)[ _\-](?P<rest>.+)")
_NAMES: Final = frozenset({*SYNONYMS["system"], *SYNONYMS["annotator"], *SYNONYMS["judge"], *SYNONYMS["item"]})
_PLURALS: Final = ("input", "system", "text")


def singular(word: str) -> str:
    """What an element of a list is called, by the list's name: `responses` are each a response."""
    key = header_key(word)
    for plural, one in (("ies", "y"), ("s", "")):
        if key.endswith(plural):
            return key.removesuffix(plural) + one
    return key


def is_place_in_list(column: str) -> bool:
    """Whether a name is a path that leads through a list: `responses.0`, `votes.1.winner`."""
    return _PLACE.fullmatch(column) is not None


def list_of(column: str, inner: Collection[str] = ()) -> str | None:
    """The list of which a column is an element, or what an element says by one of the `inner` names: `generations` of
    `generations.2` and `generations.2.text`.
    """
    match = _PLACE.fullmatch(column)
    if match is None or (match["rest"] and header_key(match["rest"]) not in inner):
        return None
    return match["list"]


def is_first_message(column: str, columns: Collection[str]) -> bool:
    """Whether it is what a conversation among the columns begins with: the user's words, and no system's."""
    return column.endswith(FIRST_MESSAGE) and column.removesuffix(FIRST_MESSAGE) in columns


def same_in_list(column: str, others: Iterable[str]) -> list[str]:
    """The same of other elements of one list: of `turns.0.text`, `turns.1.text`."""
    match = _PLACE.fullmatch(column)
    if match is None:
        return []
    found = [(other, _PLACE.fullmatch(other)) for other in others if other != column]
    return [other for other, its in found if its and (its["list"], its["rest"]) == (match["list"], match["rest"])]


def inner_names(columns: Sequence[str]) -> list[str]:
    """The columns' names without the path that all of them share; as they are where that leaves places in a list."""
    parts = [column.split(".") for column in columns]
    shared = 0
    while len({tuple(part[: shared + 1]) for part in parts}) == 1 and all(len(part) > shared + 1 for part in parts):
        shared += 1
    inner = [".".join(part[shared:]) for part in parts]
    return list(columns) if len(columns) < 2 or any(name[:1].isdigit() for name in inner) else inner


def _without_shared_end(names: Sequence[str]) -> list[str]:
    """`helpfulness.Rating` beside `honesty.Rating` are helpfulness and honesty."""
    starts = [name.rpartition(".")[0] for name in names]
    told_apart = len(names) > 1 and all(starts) and len(set(starts)) == len(names)
    return starts if told_apart and len({name.rpartition(".")[2] for name in names}) == 1 else list(names)


def _without_word_of_answers(names: Sequence[str]) -> list[str]:
    """`fluency_winner` beside `accuracy_winner` are fluency and accuracy."""
    for pattern in (_LAST_WORD, _FIRST_WORD):
        found = [pattern.fullmatch(name.strip()) for name in names]
        parts = [(match["word"], match["rest"]) for match in found if match is not None]
        said, rests = {header_key(word) for word, _ in parts}, [rest for _, rest in parts]
        told_apart = len(names) > 1 and len(set(rests)) == len(names) and not any(map(str.isdigit, rests))
        if told_apart and len(said) == 1 and said <= _ANSWERS:
            return rests
    return list(names)


def set_aside(draft: Draft) -> None:
    """A number that is said of all rows at once is about the file, unless it names somebody or something. An answer
    beside a list of answers sums these up.
    """
    totals = {
        column
        for column in draft.sheet.beside & set(draft.free)
        if draft.profiles[column].is_number and key_of(column) not in _NAMES
    }
    inner = {key_of(column) for column in draft.sheet.elements}
    sums = {
        column for column in draft.free if column not in draft.sheet.elements and key_of(column) in _ANSWERS & inner
    }
    draft.free = [column for column in draft.free if column not in totals | sums]


def guess_listed_sides(draft: Draft) -> None:
    """`models.0` and `models.1`, or `responses.0.model` and `responses.1.model`, are the systems of a pair, and so are
    their texts, where a list has two elements in every row.
    """
    if any(key_of(column) in _KINDS["system"] for column in draft.sheet.elements):
        return  # each row is about one system; a list beside it only names them all
    places: dict[tuple[str, str], dict[str, str]] = {}
    for column in draft.free:
        match = _PLACE.fullmatch(column)
        if match is not None:
            places.setdefault((match["list"], match["rest"]), {})[match["place"]] = column
    for kind, known in _KINDS.items():
        for (name, rest), columns in places.items():
            called = key_of(rest.lstrip(".")) if rest else singular(name.rpartition(".")[2])
            if called in known and columns.keys() == {"0", "1"} and f"{kind}_a" not in draft.bound:
                if kind == "text" and "system_a" not in draft.bound:
                    continue  # which systems' texts these are is not said
                draft.bind(f"{kind}_a", [columns["0"]], "name")
                draft.bind(f"{kind}_b", [columns["1"]], "name")


def guess_by_path(draft: Draft) -> None:
    """What says from which sheet or list a row is: a system, or nothing. Columns of JSON that are called by the plural
    (`prompts`, `outputs`), and the names of its records as items.
    """
    part = draft.sheet.part_column
    if part in draft.free and "system" not in draft.bound and are_models(draft.profiles[part].distinct):
        draft.bind("system", [part], "content")
    draft.free = [column for column in draft.free if column != part]
    if draft.sheet.unit == "row":
        return
    if KEY in draft.free and "item" not in draft.bound and draft.profiles[KEY].is_unique:
        draft.bind("item", [KEY], "name")
    draft.free = [column for column in draft.free if column != KEY]
    for target in _PLURALS:
        if target in draft.bound or f"{target}_a" in draft.bound:
            continue
        whole = [
            c for c in draft.free if not is_place_in_list(c) and singular(c.rpartition(".")[2]) in SYNONYMS[target]
        ]
        if whole:
            draft.bind(target, whole[:1], "name")


def guess_turns(draft: Draft) -> None:
    """`turns` are what a system wrote where one is named, and else what all were asked."""
    if draft.sheet.unit == "row" or draft.bound.keys() & {"text", "text_a"}:
        return
    turns = [c for c in draft.free if key_of(c) == "turns" and not draft.profiles[c].is_number]
    target = "text" if draft.columns("system") else "input"
    if len(turns) == 1 and target not in draft.bound:
        draft.bind(target, turns, "name")


def with_inner_names(mapping: Mapping) -> Mapping:
    """`votes.ann` and `votes.bo` are answers of ann and bo; `winner.fluency`, `winner.accuracy` on these criteria, and
    `Style (1-5)` on Style.
    """
    return replace(mapping, bindings=tuple(_with_inner_names(found, mapping) for found in mapping.bindings))


def _with_inner_names(binding: Binding, mapping: Mapping) -> Binding:
    known = binding.owners or binding.people or binding.measures
    if binding.target not in ("outcome", "value", "score") or known:
        return binding
    inner = tuple(_without_shared_end(inner_names(binding.columns)))
    if inner == binding.columns and binding.target == "outcome":
        inner = tuple(_without_word_of_answers(binding.columns))
    inner = tuple(map(bare_name, inner))
    if inner == binding.columns:
        return binding
    if binding.target != "score" and mapping.several_are == "annotator":
        return replace(binding, people=inner)
    return replace(binding, measures=inner)
