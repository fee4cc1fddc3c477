"""Which columns hold passages, their ids, and what people found in them about an output."""

from __future__ import annotations

import re
from typing import Final

from tiebreak.data.schema import YES_OR_NO
from tiebreak.importers.importer import Origin
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import PASSAGES, key_of
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, header_key
from tiebreak.importers.spreadsheet.paths import is_place_in_list
from tiebreak.importers.spreadsheet.support_words import are_supports, are_yes_or_no, support_in

LONG_TEXT: Final = 40  # characters
SENTENCE: Final = 4  # words

_PEOPLE: Final = frozenset({"annotator", "judge", "value", "score", "outcome", "criterion"})


def settle_passages(draft: Draft) -> None:
    """A column of supports beside one of passages, or passages with their texts and nothing else."""
    if draft.bound.keys() & {"system_a", "pair"}:
        return
    column = _supports(draft)
    beside = _named(draft, "passage") or _named(draft, "passage_text")
    if column is not None and (beside or draft.bound.keys() & {"passage", "passage_text"}):
        _take(draft, "support", column, "name" if column in _named(draft, "support") else "content")
    if "support" in draft.bound:
        _settle_passage(draft)
        for target in ("start", "end", *YES_OR_NO):
            found = [c for c in _named(draft, target) if target not in YES_OR_NO or _answers(draft, c)]
            if target not in draft.bound and found:
                _take(draft, target, found[0])
    elif "passage_text" not in draft.bound and (several := _several_passages(draft)):
        draft.bind("passage_text", several, "name")
    elif not draft.bound.keys() & _PEOPLE and "system" not in draft.bound:
        _settle_passages_alone(draft)


def _several_passages(draft: Draft) -> list[str]:
    """Columns with the texts of an item's passages, one each: `passages.0.passage_text` (MS MARCO), `passage 1`."""
    names = {*BESIDE_NAMES["passage_text"], *PASSAGES}
    by_list: dict[str, list[str]] = {}
    for column in draft.free:
        numbers = re.sub(r"\d+", "", column)
        called = {header_key(part) for part in (numbers.rstrip(".").rpartition(".")[2], key_of(column))}
        if numbers != column and called & names and draft.profiles[column].mean_length > LONG_TEXT / 2:
            by_list.setdefault(numbers, []).append(column)
    long = [columns for columns in by_list.values() if not all(draft.profiles[c].is_number for c in columns)]
    found = max(long, key=lambda columns: sum(draft.profiles[c].mean_length for c in columns), default=[])
    return found if len(found) > 1 or any(map(is_place_in_list, found)) else []


def _supports(draft: Draft) -> str | None:
    """The column that says support: by its cells, or by its name, and then what cells do not say is a problem."""
    if "support" in draft.bound:
        return None
    cells = {column: draft.profiles[column].distinct for column in draft.sheet.columns}
    clear = [c for c in draft.sheet.columns if are_supports(cells[c]) and _takeable(draft, c)]
    named = [c for c in _named(draft, "support") if any(map(support_in, cells[c]))]
    return next(iter((*clear, *named)), None)


def _answers(draft: Draft, column: str) -> bool:
    return are_yes_or_no(draft.profiles[column].distinct)


def _takeable(draft: Draft, column: str) -> bool:
    """Whether nobody said what the column is."""
    said = (binding for binding in draft.bound.values() if binding.origin == "option")
    return not any(column in binding.columns for binding in said)


def _named(draft: Draft, target: str) -> list[str]:
    """Columns with a name for the target that are free or only guessed, in the order of the names."""
    names = BESIDE_NAMES[target]
    found = [c for c in draft.sheet.columns if key_of(c) in names and draft.profiles[c].filled and _takeable(draft, c)]
    return sorted(found, key=lambda column: names.index(key_of(column)))


def _take(draft: Draft, target: str, column: str, origin: Origin = "name") -> None:
    """Bind a column, whatever it was guessed to be."""
    for other in [name for name, binding in draft.bound.items() if column in binding.columns]:
        draft.release(other)
    draft.bind(target, [column], origin)


def _settle_passage(draft: Draft) -> None:
    ids, texts = _ids_and_texts(draft)
    if ids and "passage" not in draft.bound:
        _take(draft, "passage", ids[0])
    if texts and "passage_text" not in draft.bound:
        _take(draft, "passage_text", texts[0])


def _settle_passages_alone(draft: Draft) -> None:
    """A table of passages: their ids, and one column of texts, beside which nothing may be an output."""
    ids, texts = _ids_and_texts(draft)
    texts = texts or [c for c in draft.columns("text") if draft.guessed("text")]
    words = [c for c in draft.free if not draft.profiles[c].is_number and draft.profiles[c].mean_length > LONG_TEXT / 2]
    if ids and texts and not [c for c in (*draft.columns("text"), *words) if c not in (*ids, *texts)]:
        _take(draft, "passage", ids[0])
        _take(draft, "passage_text", texts[0])


def _ids_and_texts(draft: Draft) -> tuple[list[str], list[str]]:
    """Columns called as passages are: the first of short cells names them, others hold their texts."""
    ids = [c for c in _named(draft, "passage") if _holds_names(draft, c)][:1]
    return ids, [c for c in _named(draft, "passage_text") if c not in ids]


def _holds_names(draft: Draft, column: str) -> bool:
    looks = draft.profiles[column]
    words = sum(len(cell.split()) for cell in looks.distinct) / max(len(looks.distinct), 1)
    return looks.mean_length <= LONG_TEXT and words < SENTENCE
