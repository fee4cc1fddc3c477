"""Guesses what the columns of a file are, from their names and their cells.

A guess is shown before anything is written, and `--map` overrides it; so it may be bold about names, but never about
the meaning of an outcome (see `winners`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tiebreak.importers.spreadsheet.conclusion import conclude, name_without_number
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import (
    CRITERION_NAMES,
    DETAIL_NAMES,
    SYNONYMS,
    WEAK_ITEM_NAMES,
    WEAK_OUTCOME_NAMES,
    folded,
    is_metric_name,
    side_of,
    sided_target,
    words,
)
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping
from tiebreak.importers.spreadsheet.profile import profile
from tiebreak.importers.spreadsheet.winners import looks_like_outcomes
from tiebreak.tabular.spreadsheet import Sheet

LONG_TEXT: Final = 40
LONGEST_ID: Final = 80
RATING_LEVELS: Final = 11
"""Whole numbers with at most so many levels are people's ratings; other numbers are metrics' scores."""


def guess_mapping(sheet: Sheet, given: Iterable[Binding], *, one_of_several: bool = False) -> Mapping:
    """Complete the `given` bindings of one file. `one_of_several`: other files are imported with it.

    Raises UsageError if the file fits none of the shapes, naming its columns and what is missing.
    """
    given = tuple(given)
    draft = Draft(
        sheet,
        {binding.target: binding for binding in given},
        {column: profile(sheet, column) for column in sheet.columns},
        one_of_several,
    )
    taken = {column for binding in given for column in binding.columns}
    draft.free = [column for column in sheet.columns if column not in taken and draft.profiles[column].filled]
    _guess_sides(draft)
    _guess_names(draft)
    _settle_texts(draft)
    _settle_outcomes(draft)
    _guess_unnamed_text(draft)
    if "system_a" not in draft.bound:
        draft.bound.setdefault("system", _system_of_file(sheet))
    _settle_numbers(draft)
    _doubt_item(draft)
    _doubt_reference(draft)
    return conclude(draft)


def _system_of_file(sheet: Sheet) -> Binding:
    return Binding("system", constant=sheet.stem, origin="file name")


def _guess_sides(draft: Draft) -> None:
    """`model_a` with `model_b`, `response_a` with `response_b`; bare `A` and `B` if their cells name systems."""
    sided: dict[str, str] = {}
    for column in draft.free:
        target = sided_target(column)
        if target is not None:
            sided.setdefault(target, column)
    for kind in ("system", "text"):
        first, second = f"{kind}_a", f"{kind}_b"
        if all(target in sided or target in draft.bound for target in (first, second)):
            for target in (first, second):
                if target not in draft.bound:
                    draft.bind(target, [sided[target]], "name")
    bare = {side: column for column in draft.free for side, rest in (side_of(column),) if side and not rest}
    if len(bare) == 2 and not draft.bound.keys() & {"system_a", "system_b"} and _name_systems(draft, *bare.values()):
        draft.bind("system_a", [bare["a"]], "content")
        draft.bind("system_b", [bare["b"]], "content")


def _name_systems(draft: Draft, first: str, second: str) -> bool:
    """Whether the cells of two columns are names of systems (few and short) rather than texts or the like."""
    one, two = draft.profiles[first], draft.profiles[second]
    few = len(one.distinct | two.distinct) <= max(one.filled, two.filled) / 2
    return few and max(one.mean_length, two.mean_length) < LONG_TEXT


def _fits(draft: Draft) -> dict[str, Callable[[str], bool]]:
    """What the cells must look like for a name to be believed."""

    def number(column: str) -> bool:
        return draft.profiles[column].is_number

    def short_name(column: str) -> bool:
        return not number(column) and draft.profiles[column].mean_length <= LONGEST_ID

    def identifier(column: str) -> bool:
        return draft.profiles[column].mean_length <= LONGEST_ID

    def wordy(column: str) -> bool:
        return not number(column) and not _is_winnerlike(draft, column)

    return {
        "item": identifier,
        "cluster": identifier,
        "system": identifier,
        "annotator": lambda column: identifier(column) and not _is_winnerlike(draft, column),
        "input": wordy,
        "context": wordy,
        "criterion": short_name,
        "metric": short_name,
        "value": number,
        "seconds": number,
        "decided_at": lambda column: draft.profiles[column].timelike == 1.0,
        "outcome": lambda column: folded(column) not in WEAK_OUTCOME_NAMES or _is_winnerlike(draft, column),
        "left": lambda column: draft.profiles[column].distinct <= draft.values_of("system_a", "system_b"),
    }


def _is_winnerlike(draft: Draft, column: str) -> bool:
    return looks_like_outcomes(draft.profiles[column].distinct, draft.values_of("system_a", "system_b"))


def _guess_names(draft: Draft) -> None:
    fits = _fits(draft)
    by_name = {folded(column): column for column in reversed(draft.free)}
    if {"instruction", "input"} <= by_name.keys() and not draft.bound.keys() & {"input", "context"}:
        # Instruction-following data: the input is what the instruction is about, and often blank.
        draft.bind("input", [by_name["instruction"]], "name")
        draft.bind("context", [by_name["input"]], "name")
    has_pair = draft.bound.keys() >= {"system_a", "system_b"}
    has_sides = has_pair or draft.bound.keys() >= {"text_a", "text_b"}
    for target, synonyms in SYNONYMS.items():
        if target in draft.bound or (target in ("system", "text") and has_sides):
            continue
        if target == "left" and not has_pair:
            continue
        by_name = {folded(column): column for column in reversed(draft.free)}
        for synonym in synonyms:
            column = by_name.get(synonym)
            if column is not None and (target not in fits or fits[target](column)):
                draft.bind(target, [column], "name")
                break
    if "metric" in draft.bound and draft.guessed("value") and "score" not in draft.bound:
        columns = draft.columns("value")
        draft.release("value")
        draft.bind("score", columns, "name")


def _settle_texts(draft: Draft) -> None:
    """Decide between one text column and one column per system."""
    if draft.bound.keys() >= {"system_a", "system_b"}:
        return
    if draft.bound.keys() >= {"text_a", "text_b"}:
        columns = [*draft.columns("text_a"), *draft.columns("text_b")]
        origin = draft.bound["text_a"].origin
        if len(columns) == 2:
            del draft.bound["text_a"], draft.bound["text_b"]
            draft.bind("text", columns, origin)
        return
    stated = draft.bound.get("text")
    if "system" in draft.bound or (stated is not None and stated.origin == "option"):
        return
    if draft.one_of_several and stated is not None:
        return
    candidates = [*draft.columns("text"), *_possible_texts(draft)]
    candidates.sort(key=draft.sheet.columns.index)
    if len(candidates) >= 2:
        draft.bind("text", candidates, "content")


def _possible_texts(draft: Draft) -> list[str]:
    """Free columns that may hold a system's texts: words, not numbers, outcomes or details."""
    open_columns = [c for c in draft.free if folded(c) not in DETAIL_NAMES and not c.startswith("column ")]
    names = set(open_columns) | set(draft.columns("text"))
    return [
        column
        for column in open_columns
        if not draft.profiles[column].is_number
        and draft.profiles[column].timelike < 1
        and folded(column) not in CRITERION_NAMES
        and not looks_like_outcomes(draft.profiles[column].distinct, names)
        and not {"annotator", "rater", "worker", "judge"} & set(words(column))
    ]


def _settle_outcomes(draft: Draft) -> None:
    """Without a column called winner: every free column whose cells are all outcomes of the pair."""
    texts = draft.columns("text")
    if "outcome" in draft.bound:
        return
    if draft.bound.keys() >= {"system_a", "system_b"}:
        systems = draft.values_of("system_a", "system_b")
    elif len(texts) == 2:
        systems = set(texts)
    else:
        return
    found = [
        column
        for column in draft.free
        if folded(column) not in DETAIL_NAMES and looks_like_outcomes(draft.profiles[column].distinct, systems)
    ]
    if found:
        draft.bind("outcome", _with_siblings(draft, found), "content")


def _with_siblings(draft: Draft, found: Sequence[str]) -> list[str]:
    """`annotator1` that only ever says 1 is an outcome too, if `annotator2` beside it says 1, 2 and 0."""
    values = {value for column in found for value in draft.profiles[column].distinct}
    stems = {name_without_number(column) for column in found}
    siblings = [
        c
        for c in draft.free
        if name_without_number(c) in stems and draft.profiles[c].distinct <= values | {"0", "1", "2"}
    ]
    return [column for column in draft.sheet.columns if column in found or column in siblings]


def _guess_unnamed_text(draft: Draft) -> None:
    """A file of one system may call its texts anything: take the longest of the wordy columns."""
    if draft.bound.keys() & {"text", "system_a", "value", "score", "outcome"}:
        return
    numeric = [column for column in draft.free if draft.profiles[column].is_number]
    if "system" in draft.bound and numeric:
        return
    candidates = _possible_texts(draft)
    if candidates:
        draft.bind("text", [max(candidates, key=lambda c: draft.profiles[c].mean_length)], "content")


def _settle_numbers(draft: Draft) -> None:
    """Free columns of numbers beside a system: one criterion or one metric each."""
    if draft.bound.keys() & {"system_a", "metric", "criterion"} or len(draft.columns("text")) > 1:
        return
    if "system" not in draft.bound:
        return
    believed_by_name_only = draft.bound["system"].origin == "file name"
    ratings, scores = list(draft.columns("value")), list(draft.columns("score"))
    if draft.guessed("value") and not _is_rating(draft, ratings[0]):
        scores, ratings = [*scores, *ratings], []
    for column in draft.free:
        known = is_metric_name(column) or folded(column) in CRITERION_NAMES
        if not draft.profiles[column].is_number or _says_something_else(column):
            continue
        if column.startswith("column ") or (believed_by_name_only and not known):
            continue
        (ratings if _is_rating(draft, column) else scores).append(column)
    for target, columns in (("value", ratings), ("score", scores)):
        if target not in draft.bound or draft.guessed(target):
            draft.bound.pop(target, None)
            if columns:
                named = any(folded(column) in SYNONYMS["value"] for column in columns)
                draft.bind(target, columns, "name" if named else "content")


def _says_something_else(column: str) -> bool:
    """Numbers that the name says are no measurement: ids, times, ages."""
    plain = folded(column)
    return plain in DETAIL_NAMES or any(
        plain in names for target, names in SYNONYMS.items() if target not in ("value", "criterion", "outcome")
    )


def _is_rating(draft: Draft, column: str) -> bool:
    """A person's rating rather than a metric's score, by name, by the annotator beside it, or by its levels."""
    if is_metric_name(column):
        return False
    looks = draft.profiles[column]
    return (
        "annotator" in draft.bound
        or folded(column) in CRITERION_NAMES
        or folded(column) in ("rating", "stars", "likert", "grade", "humanscore", "humanrating")
        or (looks.whole and len(looks.distinct) <= RATING_LEVELS)
    )


def _doubt_item(draft: Draft) -> None:
    """`id` that differs in every row, beside inputs that repeat, numbers the rows and not the items."""
    if not draft.guessed("item") or not draft.columns("input") or len(draft.columns("text")) > 1:
        return
    _prefer_consistent_item(draft)
    item, text = draft.profiles[draft.columns("item")[0]], draft.profiles[draft.columns("input")[0]]
    weak = folded(draft.columns("item")[0]) in WEAK_ITEM_NAMES
    if weak and item.is_unique and not text.is_unique:
        draft.release("item")


def _doubt_reference(draft: Draft) -> None:
    """A `target` that differs between the systems of one item is their text."""
    keys = draft.columns("item") or draft.columns("input")
    if not keys or not draft.columns("system") or not draft.guessed("reference") or "text" in draft.bound:
        return
    column = draft.columns("reference")[0]
    if not _one_each(draft.sheet.values(keys[0]), draft.sheet.values(column)):
        draft.release("reference")
        draft.bind("text", [column], "content")


def _prefer_consistent_item(draft: Draft) -> None:
    """Of `doc_id` and `seg_id`, the item is the one whose rows all have one input; the other is the cluster."""
    inputs = draft.sheet.values(draft.columns("input")[0])
    chosen = draft.columns("item")[0]
    candidates = [chosen, *(c for c in draft.free if folded(c) in SYNONYMS["item"])]
    consistent = [c for c in candidates if _one_each(draft.sheet.values(c), inputs)]
    if not consistent or chosen in consistent:
        return
    draft.release("item")
    draft.bind("item", [consistent[0]], "content")
    if "cluster" not in draft.bound:
        draft.bind("cluster", [chosen], "content")


def _one_each(keys: Sequence[str], values: Sequence[str]) -> bool:
    """Whether each key always comes with the same value."""
    first: dict[str, str] = {}
    return all(first.setdefault(key, value) == value for key, value in zip(keys, values, strict=True))
