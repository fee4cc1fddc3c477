"""Columns that say a side: the names of two systems, or their texts, and both names in one cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of, own_name, side_of, sided_target, texts_whose_system, words
from tiebreak.importers.spreadsheet.mapping import Binding
from tiebreak.importers.spreadsheet.names import HEADERS
from tiebreak.importers.spreadsheet.pair_cells import separator_of, split_pair
from tiebreak.importers.spreadsheet.wide import owners_of

LONG_TEXT: Final = 40
"""Characters that are too many for the mean name of a system."""

SENTENCE: Final = 4
"""Words on the mean that are too many for names, unless they come again and again."""

FEW_NAMES: Final = 12
"""So many systems may be compared in a file that names each of them hardly ever again."""


def guess_sides(draft: Draft) -> None:
    """`model_a` with `model_b`, `response_a` with `response_b`; bare `A` and `B` if their cells name systems."""
    _guess_systems_of_texts(draft)
    sided: dict[str, str] = {}
    for column in draft.free:
        target = sided_target(column)
        if target is not None:
            sided.setdefault(target, column)
    for kind in ("system", "text"):
        first, second = f"{kind}_a", f"{kind}_b"
        if kind not in draft.bound and all(target in sided or target in draft.bound for target in (first, second)):
            for target in (first, second):
                if target not in draft.bound:
                    draft.bind(target, [sided[target]], "name")
    bare = {side: column for column in draft.free for side, rest in (side_of(column),) if side and not rest}
    if len(bare) == 2 and all(draft.profiles[c].is_number for t in ("system_a", "system_b") for c in draft.columns(t)):
        # Numbers of models beside their names.
        for target in ("system_a", "system_b"):
            draft.release(target)
    if len(bare) == 2 and not draft.bound.keys() & {"system_a", "system_b"} and _name_systems(draft, *bare.values()):
        draft.bind("system_a", [bare["a"]], "content")
        draft.bind("system_b", [bare["b"]], "content")


def _guess_systems_of_texts(draft: Draft) -> None:
    """`Answer 1 model`, beside `Answer 1`, names the system whose text that is, if side 2 has both columns, too."""
    if draft.bound.keys() & {"system", "pair"}:
        return
    may_name = (*draft.columns("system_a"), *draft.columns("system_b"), *draft.free)
    systems = {text: column for column in reversed(may_name) for text in texts_whose_system(column)}
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for text in (*draft.columns("text"), *sided_texts(draft), *draft.free):
        side, rest = side_of(text)
        system = systems.get(tuple(words(own_name(text))))
        if side is not None and system is not None:
            found.setdefault(rest, {}).setdefault(side, (system, text))
    for of_sides in found.values():
        if len(of_sides) == 2 and _are_systems_and_texts(draft, of_sides["a"], of_sides["b"]):
            for letter, (system, text) in of_sides.items():
                if system in draft.free:
                    draft.bind(f"system_{letter}", [system], "name")
                if text in draft.free and "text" not in draft.bound:
                    draft.bind(f"text_{letter}", [text], "name")
            return


def _are_systems_and_texts(draft: Draft, *of_sides: tuple[str, str]) -> bool:
    """Whether the cells of columns that may be the system and the text of a side can be a name and a text."""
    systems, texts = zip(*of_sides, strict=True)
    if any(draft.profiles[column].mean_length >= LONG_TEXT for column in systems):
        return False
    if any(draft.profiles[column].is_number or key_of(column) in HEADERS for column in texts):
        return False
    targets = {sided_target(column) for column in texts}
    return targets == {"text_a", "text_b"} or (targets == {None} and not _name_systems(draft, *texts))


def settle_stated_texts(draft: Draft) -> None:
    """`--map text=A|B` beside columns that name the systems of each row says the texts of these; where the names are
    those of the two columns, each is one system's.
    """
    text = draft.bound.get("text")
    if text is None or not draft.stated("text") or len(text.columns) != 2:
        return
    pairs = draft.bound.keys() >= {"system_a", "system_b"} or "pair" in draft.bound
    if not pairs or named_in_pairs(draft) & {*text.columns, *owners_of(text.columns)}:
        return
    del draft.bound["text"]
    turned = [side_of(column)[0] for column in text.columns] == ["b", "a"]
    columns = text.columns[::-1] if turned else text.columns
    for side, column in zip("ab", columns, strict=True):
        draft.bound[f"text_{side}"] = Binding(f"text_{side}", (column,), origin="option")


def sided_texts(draft: Draft) -> tuple[str, ...]:
    """What the columns of the texts of a pair are called, as an answer may name them."""
    return (*draft.columns("text_a"), *draft.columns("text_b"))


def named_in_pairs(draft: Draft) -> set[str]:
    """The systems that a table of pairs names row by row."""
    cells = {cell for column in draft.columns("pair") for cell in draft.profiles[column].distinct}
    separator = separator_of(cells) or ""
    in_a_cell = {name for cell in cells if separator for name in split_pair(cell, separator) or ()}
    return draft.values_of("system_a", "system_b") | in_a_cell


def guess_pair_in_a_cell(draft: Draft) -> None:
    """`x_y` or `x vs y` beside the texts of two sides names the systems of each row."""
    if draft.bound.keys() & {"system_a", "system_b", "pair"} or not draft.bound.keys() >= {"text_a", "text_b"}:
        return
    for column in draft.free:
        looks = draft.profiles[column]
        if key_of(column) in HEADERS:
            continue
        few = len(looks.distinct) <= max(looks.filled / 2, 1)
        if few and looks.mean_length < LONG_TEXT * 2 and separator_of(looks.distinct) is not None:
            draft.bind("pair", [column], "content")
            return


def _name_systems(draft: Draft, first: str, second: str) -> bool:
    """Whether the cells of two columns are names of systems (few and short) rather than texts or the like."""
    one, two = draft.profiles[first], draft.profiles[second]
    few = len(one.distinct | two.distinct) <= max(one.filled, two.filled) / 2 or "text_a" in draft.bound
    return few and max(one.mean_length, two.mean_length) < LONG_TEXT


def doubt_names(draft: Draft) -> None:
    """`Model A` beside `Model B` may hold what the two wrote instead of their names."""
    if not (draft.guessed("system_a") and draft.guessed("system_b")) or draft.bound.keys() & {"text_a", "text_b"}:
        return
    pair = [*draft.columns("system_a"), *draft.columns("system_b")]
    if not _hold_texts(draft, pair):
        return
    for side, column in zip("ab", pair, strict=True):
        draft.release(f"system_{side}")
        draft.bind(f"text_{side}", [column], "content")


def _hold_texts(draft: Draft, pair: list[str]) -> bool:
    """Whether cells are long, or of several words, and hardly ever those of another item."""
    looks = [draft.profiles[column] for column in pair]
    distinct = looks[0].distinct | looks[1].distinct
    names, places = names_and_places(draft, pair)
    if any(found.is_number for found in looks) or 2 * names <= places:
        return False
    words = sum(len(cell.split()) for cell in distinct) / max(len(distinct), 1)
    many = len(distinct) > FEW_NAMES and words > 1
    return many or words >= SENTENCE or max(found.mean_length for found in looks) >= LONG_TEXT


def names_and_places(draft: Draft, pair: Sequence[str]) -> tuple[int, int]:
    """How many different names a pair's columns hold, and how many they want: two for each pair on an item, whoever
    answered.
    """
    columns = [*(draft.columns("item") or draft.columns("input")), *pair]
    rows = list(zip(*map(draft.sheet.values, columns), strict=True))
    distinct = frozenset[str]().union(*(draft.profiles[column].distinct for column in pair))
    return len(distinct), len(pair) * len(set(rows) if len(columns) > len(pair) else rows)
