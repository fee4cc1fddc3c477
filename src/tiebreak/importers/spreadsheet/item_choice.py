"""Which column, or two together, is the item: its rows agree about the input, and nobody answers it twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, words
from tiebreak.importers.spreadsheet.header_words import SYNONYMS, WEAK_ITEM_NAMES
from tiebreak.importers.spreadsheet.mapping import JOINT

FEW_REPEATS: Final = 0.05
"""Share of rows that may be answers of the same person to the same question."""

LONGEST_PART: Final = 60
"""Characters of names on the mean."""

_NO_DOCUMENT: Final = frozenset({"-1"})

_DOCUMENTS: Final = frozenset({"doc", "document", "docname", "documentname"})
"""What names a document by itself: beside it, `doc_id` may be the place of a segment in its document, as in MQM."""

_PART_WORDS: Final = frozenset({"doc", "document", "seg", "segment", "turn", "line", "sentence", "topic", "dialogue"})

_ONLY_PARTS: Final = frozenset({"turn", "line"})
"""What counts within something else, and names no item alone."""


def guess_item_by_document(draft: Draft) -> None:
    """`doc` names the items where each input is a document of its own, and no part of one."""
    named = [c for c in draft.free if key_of(c) in _DOCUMENTS and _tells_parts_apart(draft, c)]
    named = [column for column in named if names_inputs(draft, column)]
    if named and "item" not in draft.bound:
        draft.bind("item", named[:1], "name")


def names_inputs(draft: Draft, column: str) -> bool:
    """Whether each input goes with one cell of a column, and each cell with one input."""
    if not draft.columns("input"):
        return False
    cells, inputs = draft.sheet.values(column), draft.sheet.values(draft.columns("input")[0])
    return one_each(cells, inputs) and one_each(inputs, cells)


def settle_item(draft: Draft) -> None:
    """Keep the guessed item, choose another column, two columns together, or the inputs."""
    if not draft.guessed("item") or len(draft.columns("text")) > 1:
        return
    _choose(draft)
    _doubt_row_numbers(draft)


def _choose(draft: Draft) -> None:
    chosen = draft.columns("item")
    faults = {columns: _faults(draft, columns) for columns in _candidates(draft, chosen)}
    best = min(faults, key=lambda columns: (max(faults[columns], FEW_REPEATS), len(columns)))
    if best == chosen or faults[chosen] <= FEW_REPEATS:
        return
    draft.release("item")
    draft.bind("item", best, "content")
    if len(best) > 1:
        draft.bound["item"] = replace(draft.bound["item"], joined=True)
    documents = [c for c in draft.free if key_of(c) in _DOCUMENTS and _tells_parts_apart(draft, c)]
    for column in (*documents, chosen[0]):
        if "cluster" not in draft.bound and column not in best and draft.profiles[column].distinct != _NO_DOCUMENT:
            draft.bind("cluster", [column], "content")


def _tells_parts_apart(draft: Draft, column: str) -> bool:
    """Whether it is short names of several documents; one `news` for all rows would make all items one cluster."""
    return draft.profiles[column].mean_length < LONGEST_PART and len(draft.profiles[column].distinct) > 1


def _candidates(draft: Draft, chosen: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The chosen column, others that may name items, and pairs of them."""
    yield chosen
    names = [c for c in draft.free if key_of(c) in SYNONYMS["item"] or _PART_WORDS & set(words(c))]
    names = [c for c in names if draft.profiles[c].mean_length < LONGEST_PART]
    for column in names:
        if not _ONLY_PARTS & set(words(column)):
            yield (column,)
    parts = [c for c in draft.sheet.columns if c in names or c in chosen]
    for i, first in enumerate(parts):
        for second in parts[i + 1 :]:
            yield first, second


def _faults(draft: Draft, columns: tuple[str, ...]) -> float:
    """The share of rows, 0 to 1, that contradict another about the input, or repeat its question to the same person."""
    keys = [JOINT.join(parts) for parts in zip(*(draft.sheet.values(c) for c in columns), strict=True)]
    if draft.columns("input") and not one_each(keys, draft.sheet.values(draft.columns("input")[0])):
        return 1.0
    asked = [c for t in ("system", "sample", "system_a", "sample_a", "system_b", "sample_b", "annotator", "judge",
                         "criterion", "metric", "passage", "passage_text")
             for c in draft.columns(t)]  # fmt: skip
    if "severity" in draft.bound or not (draft.columns("annotator") or draft.columns("judge")):
        return 0.0  # many errors of one text are no repeats; without names nothing is one
    rows = Counter(zip(keys, *(draft.sheet.values(c) for c in asked), strict=True))
    distinct = len(set(draft.sheet.rows))
    return max(distinct - len(rows), 0) / max(distinct, 1)


def _doubt_row_numbers(draft: Draft) -> None:
    """`id` that differs in every row, beside inputs that repeat, numbers the rows and not the items."""
    if not draft.columns("input") or len(draft.columns("item")) > 1:
        return
    item, text = draft.profiles[draft.columns("item")[0]], draft.profiles[draft.columns("input")[0]]
    weak = key_of(draft.columns("item")[0]) in WEAK_ITEM_NAMES
    if weak and item.is_unique and not text.is_unique:
        draft.release("item")


def one_each(keys: Sequence[str], values: Sequence[str]) -> bool:
    """Whether each key always comes with the same value."""
    first: dict[str, str] = {}
    return all(first.setdefault(key, value) == value for key, value in zip(keys, values, strict=True))
