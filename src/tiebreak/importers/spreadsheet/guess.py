"""Guesses what the columns of a file are, from their names and their cells.

A guess is shown before anything is written, and `--map` overrides it; so it may be bold about names, but never about
the meaning of an outcome (see `winners`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from tiebreak.importers.spreadsheet.checkpoints import guess_checkpoints
from tiebreak.importers.spreadsheet.chosen import guess_chosen, texts_left_aside
from tiebreak.importers.spreadsheet.conclusion import conclude
from tiebreak.importers.spreadsheet.draft import Beside, Draft
from tiebreak.importers.spreadsheet.edits import guess_edit, settle_edit
from tiebreak.importers.spreadsheet.error_marks import settle_severity
from tiebreak.importers.spreadsheet.fields import key_of, words
from tiebreak.importers.spreadsheet.header_notes import bare_name
from tiebreak.importers.spreadsheet.header_words import (
    BESIDE_NAMES,
    DETAIL_NAMES,
    PEOPLES_NAMES,
    RUN_NAMES,
    SYNONYMS,
    WEAK_OUTCOME_NAMES,
    header_key,
)
from tiebreak.importers.spreadsheet.item_choice import guess_item_by_document, one_each, settle_item
from tiebreak.importers.spreadsheet.judging import make_scores_of_judges_ratings, settle_judge
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping
from tiebreak.importers.spreadsheet.model_names import are_models
from tiebreak.importers.spreadsheet.names import HEADERS, why_no_person
from tiebreak.importers.spreadsheet.numbers import settle_numbers
from tiebreak.importers.spreadsheet.outcome_columns import settle_outcomes
from tiebreak.importers.spreadsheet.passages import settle_passages
from tiebreak.importers.spreadsheet.paths import (
    guess_by_path,
    guess_listed_sides,
    guess_turns,
    is_first_message,
    set_aside,
)
from tiebreak.importers.spreadsheet.people_by_part import guess_people_by_sheet
from tiebreak.importers.spreadsheet.people_in_columns import settle_columns_of_people
from tiebreak.importers.spreadsheet.profile import profile
from tiebreak.importers.spreadsheet.rankings import settle_ranking
from tiebreak.importers.spreadsheet.references import gather_references, guess_label
from tiebreak.importers.spreadsheet.samples import settle_samples
from tiebreak.importers.spreadsheet.sides import (
    doubt_names,
    guess_pair_in_a_cell,
    guess_sides,
    settle_stated_texts,
    sided_texts,
)
from tiebreak.importers.spreadsheet.signatures import guess_signature
from tiebreak.importers.spreadsheet.support_words import are_yes_or_no
from tiebreak.importers.spreadsheet.trainings import guess_training
from tiebreak.importers.spreadsheet.wide import alike, owner_of, owners_of
from tiebreak.importers.spreadsheet.winners import Names, is_key_of_a_test, is_preference_scale, looks_like_outcomes
from tiebreak.tabular.json_lists import FIRST_MESSAGE
from tiebreak.tabular.spreadsheet import Sheet

LONGEST_ID: Final = 80

_ALONE: Final = Beside()


def guess_mapping(sheet: Sheet, given: Iterable[Binding], beside: Beside = _ALONE) -> Mapping:
    """Complete the `given` bindings of one file.

    Raises UsageError if the file fits none of the shapes, naming its columns and what is missing.
    """
    given = tuple(given)
    draft = Draft(
        sheet,
        {binding.target: binding for binding in given},
        {column: profile(sheet, column) for column in sheet.columns},
        beside,
    )
    taken = {column for binding in given for column in binding.columns}
    draft.free = [column for column in sheet.columns if column not in taken and draft.profiles[column].filled]
    set_aside(draft)
    guess_signature(draft)
    guess_sides(draft)
    guess_listed_sides(draft)
    guess_chosen(draft)
    guess_pair_in_a_cell(draft)
    _guess_names(draft)
    guess_item_by_document(draft)
    guess_by_path(draft)
    gather_references(draft)
    guess_turns(draft)
    guess_checkpoints(draft)
    guess_training(draft)
    doubt_names(draft)
    settle_stated_texts(draft)
    settle_passages(draft)
    guess_edit(draft)
    _settle_texts(draft)
    settle_columns_of_people(draft)
    settle_samples(draft)  # before 0, 1 and 2 are looked at as outcomes
    settle_outcomes(draft)
    settle_edit(draft)
    settle_ranking(draft)
    settle_severity(draft)
    _doubt_reference(draft)
    guess_label(draft)
    _guess_unnamed_text(draft)
    guess_checkpoints(draft)  # where texts were found by their cells
    guess_training(draft)
    if not draft.bound.keys() & {"system_a", "pair", "ranking"}:
        draft.bound.setdefault("system", _system_by_name(draft))
    _guess_people_beside_outcomes(draft)
    guess_people_by_sheet(draft)
    _guess_first_message(draft)
    settle_judge(draft)
    settle_samples(draft)  # where texts were found by their cells
    settle_numbers(draft)
    make_scores_of_judges_ratings(draft)
    settle_item(draft)
    return conclude(draft)


def _system_by_name(draft: Draft) -> Binding:
    """The only system: what its column of texts is called, if that is a system's name (`mistral`), else its file."""
    texts = draft.columns("text")
    owner = owner_of(texts[0]) if len(texts) == 1 and draft.guessed("text") else None
    if owner is not None:
        return Binding("system", constant=owner, origin="name")
    return Binding("system", constant=draft.sheet.stem, origin="file name")


def _fits(draft: Draft) -> dict[str, Callable[[str], bool]]:
    """What the cells must look like for a name to be believed."""

    def number(column: str) -> bool:
        return draft.profiles[column].is_number

    def short_name(column: str) -> bool:
        return not number(column) and draft.profiles[column].mean_length <= LONGEST_ID

    def identifier(column: str) -> bool:
        return draft.profiles[column].mean_length <= LONGEST_ID

    def wordy(column: str) -> bool:
        return not number(column)

    return {
        "item": identifier,
        "cluster": identifier,
        "system": identifier,
        "annotator": lambda column: (
            identifier(column)
            and not _is_winnerlike(draft, column)
            and (key_of(column) != "translator" or "system" in draft.bound)  # else it is what translated
        ),
        "judge": lambda column: short_name(column) and not _is_winnerlike(draft, column),
        "reply": wordy,
        "p_a": number,
        "p_tie": number,
        "p_b": number,
        "input": wordy,
        "context": wordy,
        "reference": lambda column: (
            not is_key_of_a_test(cells := draft.profiles[column].distinct)
            and not (key_of(column) == "groundtruth" and are_yes_or_no(cells))
        ),  # Label Studio's flag
        "criterion": short_name,
        "metric": short_name,
        "value": number,
        "seconds": lambda column: number(column) or draft.profiles[column].clocklike,
        "decided_at": lambda column: draft.profiles[column].timelike == 1.0,
        "outcome": lambda column: key_of(column) not in WEAK_OUTCOME_NAMES or _is_winnerlike(draft, column),
        "left": lambda column: draft.profiles[column].distinct <= draft.values_of("system_a", "system_b"),
    }


def _is_winnerlike(draft: Draft, column: str) -> bool:
    cells = draft.profiles[column].distinct
    texts = draft.bound.get("text")
    owners = (*texts.owners, *texts.columns) if texts is not None and len(texts.columns) == 2 else ()
    names = Names.of({*draft.values_of("system_a", "system_b"), *sided_texts(draft), *owners})
    if looks_like_outcomes(cells, names):
        return True
    return key_of(column) in SYNONYMS["outcome"] and is_preference_scale(cells)


def _guess_names(draft: Draft) -> None:
    fits = _fits(draft)
    by_name = {key_of(column): column for column in reversed(draft.free)}
    if {"instruction", "input"} <= by_name.keys() and not draft.bound.keys() & {"input", "context"}:
        # Instruction-following data: the input is what the instruction is about, and often blank.
        draft.bind("input", [by_name["instruction"]], "name")
        draft.bind("context", [by_name["input"]], "name")
    has_pair = draft.bound.keys() >= {"system_a", "system_b"} or "pair" in draft.bound
    has_sides = has_pair or draft.bound.keys() >= {"text_a", "text_b"}
    for target, synonyms in SYNONYMS.items():
        if target in draft.bound or (target in ("system", "text") and has_sides):
            continue
        if target == "left" and not has_pair:
            continue
        by_name = {key_of(column): column for column in reversed(draft.free)}
        named = [c for name in synonyms if (c := by_name.get(name)) and (target not in fits or fits[target](c))]
        if target == "input":  # `source` may say where an instruction is from
            named.sort(key=lambda column: len(draft.profiles[column].distinct) == 1)
        if named:
            draft.bind(target, named[:1], "name")
    if "metric" in draft.bound and draft.guessed("value") and "score" not in draft.bound:
        columns = draft.columns("value")
        draft.release("value")
        draft.bind("score", columns, "name")


def _settle_texts(draft: Draft) -> None:
    """Decide between one text column and one column per system."""
    if draft.bound.keys() >= {"system_a", "system_b"} or "pair" in draft.bound or draft.beside.role == "scores":
        return
    if draft.bound.keys() >= {"text_a", "text_b"}:
        columns = [*draft.columns("text_a"), *draft.columns("text_b")]
        origin = draft.bound["text_a"].origin
        if len(columns) == 2:
            del draft.bound["text_a"], draft.bound["text_b"]
            draft.bind("text", columns, origin)
        return
    stated = draft.bound.get("text")
    if stated is not None and stated.origin == "option":
        _name_owners(draft)
        return
    if "system" in draft.bound:
        return
    if (draft.beside.one_of_several and stated is not None) or texts_left_aside(draft) is not None:
        return
    candidates = [*draft.columns("text"), *_possible_texts(draft)]
    candidates.sort(key=draft.sheet.columns.index)
    texts = [column for column in candidates if not draft.profiles[column].repeats_answers]
    if len(texts) > 1 or set(texts) & set(draft.columns("text")):
        candidates = texts
    candidates = alike(candidates)
    if len(candidates) == 1 and _reference_competes(draft, candidates[0]):
        candidates += draft.columns("reference")
        candidates.sort(key=draft.sheet.columns.index)
        draft.release("reference")
    if len(candidates) >= 2:
        draft.bind("text", candidates, "content")
    _name_owners(draft)


def _reference_competes(draft: Draft, text: str) -> bool:
    """Whether somebody judged between the only text and the reference: `Human` beside `GPT`, with a winner."""
    if not draft.guessed("reference"):
        return False
    reference = draft.columns("reference")[0]
    answers = [draft.profiles[column].distinct for column in (*draft.columns("outcome"), *draft.free)]
    names = Names.of([reference, text])
    named = any(reference in cells and looks_like_outcomes(cells, names) for cells in answers)
    return named or (key_of(reference) == "human" and bool(draft.columns("outcome")))


def _name_owners(draft: Draft) -> None:
    """`gpt-4o answer` and `llama answer` are the systems gpt-4o and llama."""
    columns = draft.columns("text")
    owners = owners_of(columns)
    if len(columns) > 1 and owners != columns:
        draft.bound["text"] = replace(draft.bound["text"], owners=owners)


def _possible_texts(draft: Draft) -> list[str]:
    """Free columns that may hold a system's texts: words, not numbers, outcomes or details."""
    open_columns = [c for c in draft.free if key_of(c) not in DETAIL_NAMES and not c.startswith("column ")]
    names = Names.of([*open_columns, *draft.columns("text"), *draft.columns("reference")])
    return [
        column
        for column in open_columns
        if not draft.profiles[column].is_number
        and draft.profiles[column].timelike < 1
        and not is_first_message(column, draft.sheet.columns)
        and key_of(column) not in HEADERS
        and key_of(column) not in (*BESIDE_NAMES["system"], *RUN_NAMES)
        and not looks_like_outcomes(draft.profiles[column].distinct, names)
        and not {"annotator", "rater", "worker", "judge"} & set(words(column))
    ]


def _guess_people_beside_outcomes(draft: Draft) -> None:
    """People numbered 1 and 2 look like outcomes until the outcome is known."""
    if draft.bound.keys() & {"annotator", "judge"} or not draft.bound.keys() & {"outcome", "value", "rank", "ranking"}:
        return
    for column in draft.free:
        if key_of(column) in SYNONYMS["annotator"] and draft.profiles[column].mean_length <= LONGEST_ID:
            draft.bind("annotator", [column], "name")
            return
    whole = {column: header_key(bare_name(column)) for column in draft.free}  # `meta.name` is the name of the file
    named = [column for column in draft.free if whole[column] in PEOPLES_NAMES and _names_people(draft, column)]
    if named:
        draft.bind("annotator", [min(named, key=lambda column: PEOPLES_NAMES.index(whole[column]))], "content")


def _names_people(draft: Draft, column: str) -> bool:
    """Names that come again, and are neither systems nor models."""
    cells = draft.profiles[column].distinct
    if draft.profiles[column].is_unique or cells & draft.values_of("system", "system_a", "system_b"):
        return False
    return not any(map(why_no_person, cells)) and not are_models(cells)


def _guess_first_message(draft: Draft) -> None:
    """The first message of a conversation is what both systems were asked; that of a prompt is the prompt."""
    if "input" in draft.bound:
        return
    firsts = [column for column in draft.free if column.endswith(FIRST_MESSAGE)]
    prompts = [column for column in firsts if key_of(column.removesuffix(FIRST_MESSAGE)) in SYNONYMS["input"]]
    if prompts:
        draft.bind("input", prompts[:1], "name")
    elif firsts and all(draft.sheet.values(column) == draft.sheet.values(firsts[0]) for column in firsts):
        draft.bind("input", [firsts[0]], "content")


def _guess_unnamed_text(draft: Draft) -> None:
    """A file of one system may call its texts anything: take the longest of the wordy columns."""
    if draft.bound.keys() & {"text", "system_a", "value", "score", "outcome", "rank", "ranking"}:
        return
    if draft.beside.role == "scores" or any(_says_who_won(draft, column) for column in draft.free):
        return
    if texts_left_aside(draft) is not None:  # the others are about these
        return
    numeric = [column for column in draft.free if draft.profiles[column].is_number]
    if "system" in draft.bound and numeric:
        return
    candidates = _possible_texts(draft)
    conversations = [column for column in candidates if column + FIRST_MESSAGE in draft.sheet.columns]
    if len(conversations) == 1:
        draft.bind("text", conversations, "name")
    elif candidates:
        draft.bind("text", [max(candidates, key=lambda c: draft.profiles[c].mean_length)], "content")


def _says_who_won(draft: Draft, column: str) -> bool:
    """Answers about two systems that nothing names; what stands beside them is no output of one."""
    return key_of(column) in SYNONYMS["outcome"] and looks_like_outcomes(draft.profiles[column].distinct, Names())


def _doubt_reference(draft: Draft) -> None:
    """A `target` that differs between the systems of one item is their text."""
    keys = draft.columns("item") or draft.columns("input")
    if not keys or not draft.columns("system") or not draft.guessed("reference") or "text" in draft.bound:
        return
    column = draft.columns("reference")[0]
    if not one_each(draft.sheet.values(keys[0]), draft.sheet.values(column)):
        draft.release("reference")
        draft.bind("text", [column], "name")
