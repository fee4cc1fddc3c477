"""Several outputs of one system for an item: which column tells them apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, side_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, SYNONYMS, header_key
from tiebreak.importers.spreadsheet.item_choice import one_each

_SURE_NAMES: Final = frozenset({"sample", "sampleid", "sampleno", "samplenumber", "sampleindex"})
"""Names that say it without texts that differ; a run or a seed may be anything's."""


def settle_samples(draft: Draft) -> None:
    """`sample`, `seed` or `run`, where rows of one item and system have other texts and it tells them apart."""
    if draft.bound.keys() & {"system_a", "pair"}:
        _settle_pair(draft)
        return
    if "sample" in draft.bound:
        return
    names = BESIDE_NAMES["sample"]
    found = [*draft.free, *(draft.columns("item") if draft.guessed("item") else ())]
    for column in sorted((c for c in found if key_of(c) in names), key=lambda name: names.index(key_of(name))):
        items = _items(draft, column)
        if not items or not _tells_apart(draft, column, items):
            continue
        if column in draft.columns("item"):
            draft.release("item")
            if items != draft.columns("input"):
                draft.bind("item", items, "name")
        draft.bind("sample", [column], "name")
        return


def _settle_pair(draft: Draft) -> None:
    sides = {f"sample_{side}": c for c in draft.free for side, rest in (side_of(c),) if side and rest in _SURE_NAMES}
    if len(sides) == 2 and not draft.bound.keys() & sides.keys():
        for target, column in sides.items():
            draft.bind(target, [column], "name")


def _items(draft: Draft, column: str) -> tuple[str, ...]:
    """What names the items if this column does not: the item column, another with such a name, or the input."""
    if column not in draft.columns("item"):
        return draft.columns("item") or draft.columns("input")
    names = [c for c in draft.free if key_of(c) in SYNONYMS["item"] and key_of(c) not in BESIDE_NAMES["sample"]]
    names = [c for c in names if len(draft.profiles[c].distinct) > 1]
    return tuple(names[:1]) or draft.columns("input")


def _tells_apart(draft: Draft, column: str, items: Sequence[str]) -> bool:
    """Whether rows of one item and system differ in their texts, and no longer with the column beside them.

    Without texts: whether they differ in it, by a sure name, and it is no number of the row, or one person's answers
    need it.
    """
    outputs = draft.keys([*items, *draft.columns("system")])
    samples = draft.keys([*items, *draft.columns("system"), column])
    texts = draft.keys(draft.columns("text"))
    if draft.columns("text"):
        return not one_each(outputs, texts) and one_each(samples, texts)
    of_output = defaultdict(set)
    for output, sample in zip(outputs, samples, strict=True):
        of_output[output].add(sample)
    several = any(len(found) > 1 for found in of_output.values())
    if not several or header_key(column) not in _SURE_NAMES:
        return False
    asked = [c for target in ("system", "annotator", "judge", "criterion", "passage") for c in draft.columns(target)]
    again = len(set(draft.keys([*items, *asked]))) < len(outputs) and bool(draft.columns("annotator"))
    return again or not draft.profiles[column].is_unique
