"""Pairs whose columns say which of the two won: `chosen` beside `rejected`, `winner` beside `loser`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import TEXT_WORDS, words
from tiebreak.importers.spreadsheet.header_words import SYNONYMS, header_key
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import kinds_of
from tiebreak.importers.spreadsheet.names import shown_name, why_no_system
from tiebreak.importers.spreadsheet.sides import LONG_TEXT
from tiebreak.importers.spreadsheet.winner_cells import as_position

_WORDS: Final = (("chosen", "rejected"), ("preferred", "dispreferred"), ("winner", "loser"), ("winning", "losing"))
_OF_TEXTS: Final = frozenset({"chosen", "rejected"})
"""What bare columns of texts are called; a winner and a loser are as often systems."""

_SENTENCE_ENDS: Final = (".", "!", "?", "。", "！", "？", "…")
_SYSTEMS: Final = frozenset({*SYNONYMS["system"], "name"})

Pair = tuple[str, str]
"""The columns of what won and of what lost."""


def guess_chosen(draft: Draft) -> None:
    """The first of the pair is the one that won, and its name says so; texts without systems are left aside."""
    if draft.bound.keys() & {"system_a", "system_b", "pair", "text", "outcome"}:
        return
    pairs = {rest: pair for rest, pair in _pairs(draft.sheet.columns).items() if {*pair} <= {*draft.free}}
    bare = pairs.pop("", None)
    if bare is not None and _answer_about_columns(draft, bare):
        return
    systems = next((pairs[rest] for rest in pairs if rest in _SYSTEMS), None)
    texts = next((pairs[rest] for rest in pairs if rest in TEXT_WORDS), None)
    if bare is not None and _are_names(draft, bare):
        systems = systems or bare
    elif bare is not None:
        texts = texts or bare
    if systems is None:
        draft.free = [column for column in draft.free if column not in (texts or ())]
        return
    for side, system in zip("ab", systems, strict=True):
        draft.bind(f"system_{side}", [system], "name")
    draft.bind("outcome", systems[:1], "name")
    for side, text in zip("ab", texts or (), strict=False):
        draft.bind(f"text_{side}", [text], "name")


def chosen_texts(columns: Sequence[str]) -> Pair | None:
    """The two columns of texts, by their names, where the names of their systems are missing."""
    return next((pair for rest, pair in _pairs(columns).items() if not rest or rest in TEXT_WORDS), None)


def texts_left_aside(draft: Draft) -> Pair | None:
    """The two columns of texts where nothing reads them, as nobody knows whose they are."""
    texts = chosen_texts(draft.sheet.columns)
    read = {column for binding in draft.bound.values() for column in binding.columns}
    return None if texts is None or read & {*texts} else texts


def names_that_may_be_texts(draft: Draft, _mapping: Mapping) -> Iterator[Doubt]:
    """`chosen` and `rejected` with short cells that come again: answers do so, too, where they are short."""
    pair = [*draft.columns("system_a"), *draft.columns("system_b")]
    if not all(map(draft.guessed, ("system_a", "system_b"))) or not {c.casefold() for c in pair} <= _OF_TEXTS:
        return
    names = frozenset[str]().union(*(draft.profiles[column].distinct for column in pair))
    if not _are_models(names):
        said = f"system_a={pair[0]},system_b={pair[1]},outcome={pair[0]}"
        yield Doubt(
            f"{pair[0]} and {pair[1]} would name systems such as {shown_name(min(names))}, and may be texts",
            f"--map {said} if they name systems; if they are texts, add two columns with their systems",
            0.5,
        )


def chosen_without_systems(mapping: Mapping) -> str | None:
    """That it is not used who won, where `--map` makes systems of the two columns; None where it does not."""
    text, texts = mapping.get("text"), chosen_texts(mapping.sheet.columns)
    if text is None or texts is None or {*text.columns} != {*texts} or mapping.has("outcome"):
        return None
    return (
        f"Each of {texts[0]} and {texts[1]} is one system. That the text in {texts[0]} won in its row is not used: it "
        "would be the same for every row."
    )


def way_around(texts: Pair) -> str:
    """How two columns of texts without systems are imported all the same, and what is lost."""
    won, lost = texts
    pair = shlex.quote(f"system_a=:{won},system_b=:{lost},text_a={won},text_b={lost},outcome=:a")
    return (
        f"{map_option('text', texts)} takes the texts alone, as those of two systems of these names, and not who won.\n"
        "An evaluator can learn from them, though no verdict between the two is news:\n"
        f"  --map {pair}"
    )


def _pairs(columns: Iterable[str]) -> dict[str, Pair]:
    """By what is left of the two names without the words."""
    found: dict[str, Pair] = {}
    named = {tuple(words(column)): column for column in reversed([*columns])}
    for parts, column in named.items():
        for won, lost in _WORDS:
            other = named.get(tuple(lost if part == won else part for part in parts))
            if won in parts and other is not None and other != column:
                found.setdefault(header_key("".join(part for part in parts if part != won)), (column, other))
    return found


def _answer_about_columns(draft: Draft, pair: Pair) -> bool:
    """Whether most cells are answers (`A`, `tie`) about two systems that are named elsewhere, or name columns; a text
    may chance to be one.
    """
    cells = {cell for column in pair for cell in draft.profiles[column].distinct}
    answers = [cell for cell in cells if cell in draft.sheet.columns or as_position(cell) is not None]
    return 2 * len(answers) > len(cells)


def _are_names(draft: Draft, pair: Pair) -> bool:
    """Whether short names come again, rather than texts: these may be the same in both columns, or end a sentence."""
    one, two = (draft.profiles[column] for column in pair)
    cells = one.distinct | two.distinct
    if max(one.mean_length, two.mean_length) >= LONG_TEXT or _are_sentences(cells):
        return False
    of_texts = bool(_OF_TEXTS & {word for column in pair for word in words(column)})
    if of_texts and any(map(why_no_system, cells)):
        return False
    if 2 * len(cells) <= max(one.filled, two.filled):
        return True
    return bool(one.distinct & two.distinct) and (not of_texts or _are_models(cells))


def _are_models(cells: frozenset[str]) -> bool:
    """Whether at least half are called as models, perhaps beside a `baseline`: no answers are."""
    return 2 * sum(kind == "model" for kind in kinds_of(cells).values()) >= len(cells)


def _are_sentences(cells: frozenset[str]) -> bool:
    """Whether at least half of the cells end as sentences do, and names do not."""
    return 2 * sum(cell.endswith(_SENTENCE_ENDS) for cell in cells) >= len(cells)
