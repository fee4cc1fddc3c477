"""Which lists within JSON records are rows of their own: votes, outputs, and lists side by side.

`votes: [{"annotator": ..., "winner": ...}, ...]` are rows, each with what stands beside the list; so are the outputs of
several systems, unless they are the two of a pair, about which something beside them says who won. A list of plain
values stays in its row (`references.0`), but for the systems' names and what stands side by side with these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from tiebreak.importers.spreadsheet.fields import TEXT_WORDS, key_of
from tiebreak.importers.spreadsheet.header_words import (
    BESIDE_NAMES,
    SURE_CHECKPOINT_NAMES,
    SYNONYMS,
    WEAK_OUTCOME_NAMES,
)
from tiebreak.importers.spreadsheet.paths import singular
from tiebreak.tabular.json_lists import Keys, ListShape, Nested, SeveralTablesError

_SYSTEMS: Final = frozenset(SYNONYMS["system"]) | SURE_CHECKPOINT_NAMES
_TEXTS: Final = frozenset({*SYNONYMS["text"], *TEXT_WORDS})
_OUTCOMES: Final = frozenset(SYNONYMS["outcome"])
_PEOPLE: Final = frozenset({*SYNONYMS["annotator"], *SYNONYMS["judge"]})
_ANSWERS: Final = frozenset({*SYNONYMS["value"], *_OUTCOMES})
LISTS_OF_LABELS: Final = frozenset(
    {"annotation", "vote", "label", "judgment", "judgement", "evaluation", "preference", "rating", "comparison"}
)
_SUPPORTS: Final = frozenset(BESIDE_NAMES["support"])
PASSAGE_TEXT: Final = "passagetext"
_ORDERS: Final = frozenset({"ranking", "order"})
_NUMBERS: Final = frozenset({*SYNONYMS["value"], "rank", "ranking", "reward"})


def choose_lists(nested: Nested) -> Sequence[Keys]:
    """The lists whose elements are rows, side by side; none where rows are the records.

    Raises:
        SeveralTablesError: several lists would be rows, and not of one table.
    """
    labels = [found for found in nested.lists if _are_labels(found)]
    outputs = [found for found in nested.lists if found not in labels and _are_outputs(found)]
    judged = bool(labels) or any(key_of(name) in _OUTCOMES for name in nested.beside)
    outputs = [found for found in outputs if not (found.is_pair and judged)]
    rows = [*labels, *outputs]
    if len(rows) > 1:
        raise SeveralTablesError([found.path for found in rows], "the elements of several lists may be rows")
    if labels:
        return [labels[0].keys]
    if outputs:
        return [outputs[0].keys, *_side_by_side(nested, outputs[0])]
    names = next((found for found in nested.lists if _is_plain(found, _SYSTEMS)), None)
    if names is None or (names.is_pair and judged):
        return []
    texts = [found.keys for found in nested.lists if _is_plain(found, _TEXTS) and found.keys != names.keys]
    return [names.keys, *texts, *_side_by_side(nested, names)] if texts else []


def _are_labels(found: ListShape) -> bool:
    """Whether each element says who answered, who won, or whether a passage supports something."""
    words = set(map(key_of, found.names))
    if words & (_PEOPLE | (_OUTCOMES - WEAK_OUTCOME_NAMES)):
        return True
    if words & _SUPPORTS and key_of(f"{found.path}.text") == PASSAGE_TEXT:
        return True
    return bool(words & _OUTCOMES) and _singular(found) in LISTS_OF_LABELS


def _are_outputs(found: ListShape) -> bool:
    """Whether each element has a system and its text, or what is thought of it."""
    words = set(map(key_of, found.names))
    return bool(words & _SYSTEMS) and bool(words & (_TEXTS | _ANSWERS))


def _is_plain(found: ListShape, words: Iterable[str]) -> bool:
    """A list of values, no objects, that is called by one of these words in the plural."""
    return not found.names and _singular(found) in words


def _side_by_side(nested: Nested, outputs: ListShape) -> list[Keys]:
    """Lists of numbers, one for each output.

    Raises:
        SeveralTablesError: one may be the outputs' ranks as well as their order.
    """
    found = [one for one in nested.lists if _is_plain(one, _NUMBERS | _ORDERS) and one.lengths == outputs.lengths]
    orders = [one for one in found if _singular(one) in _ORDERS]
    if orders and outputs.most > 2:
        raise SeveralTablesError(
            (),
            f"the numbers in {orders[0].path} may be ranks of {outputs.path} or their order; write ranks beside texts",
        )
    return [one.keys for one in found]


def _singular(found: ListShape) -> str:
    return singular(found.keys[-1])
