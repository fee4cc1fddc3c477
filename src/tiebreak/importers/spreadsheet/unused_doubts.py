"""Doubts about columns that a plan does not read: they may say who won, who answered, or what was written."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.edits import edited_columns
from tiebreak.importers.spreadsheet.fields import key_of, other_choice, side_of, words
from tiebreak.importers.spreadsheet.header_notes import scale_in
from tiebreak.importers.spreadsheet.header_words import (
    BETTER_WORDS,
    SYNONYMS,
    header_key,
)
from tiebreak.importers.spreadsheet.item_choice import names_inputs
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import are_models, is_called_as_a_model
from tiebreak.importers.spreadsheet.names import HEADERS, shown_name, why_no_person
from tiebreak.importers.spreadsheet.numbers import is_measure_name, says_something_else
from tiebreak.importers.spreadsheet.paths import is_first_message
from tiebreak.importers.spreadsheet.profile import SHORT_ANSWER, may_be_two_numbers, parse_number
from tiebreak.importers.spreadsheet.support_words import are_yes_or_no
from tiebreak.importers.spreadsheet.wide import about
from tiebreak.importers.spreadsheet.winner_cells import as_position
from tiebreak.importers.spreadsheet.winner_numbers import number_in
from tiebreak.importers.spreadsheet.winners import Names, is_key_of_a_test, looks_like_outcomes

MOST_ANSWERS: Final = 6
"""Different cells of a column that says who won."""
MOST_GRADES: Final = 101
"""Different ratings in words or signs: up to 100%."""
MOST_NEW_PEOPLE: Final = 0.75
"""More names than this per row are of no people, who label more than once."""


def answers_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A pair, and no outcome: some other column may say who won, or says who lost."""
    if mapping.has("outcome") or not mapping.names_a_pair or mapping.has("value") or mapping.has("score"):
        return
    names = Names.of([*mapping.systems, *draft.columns("text")])
    for column in _unused(draft, mapping):
        cells, said = draft.profiles[column].distinct, other_choice(column)
        lost = said == "lost" and looks_like_outcomes(cells, names)
        if lost or (said == "correct" and is_key_of_a_test(cells, names)):
            cure = f"{map_option('ignore', [column])} to leave it out, or a column that says who won"
            yield Doubt(f"{shown_name(column)} {_OTHER_CHOICES[said or '']}", cure)
            return
    unknown = [c for c in unknown_columns(draft, mapping) if other_choice(c) in (None, "property")]
    unknown = [c for c in unknown if not _MEASURED & set(words(c))]
    if found := [column for column in unknown if 2 <= len(draft.profiles[column].distinct) <= MOST_ANSWERS]:
        yield Doubt(f"{shown_name(found[0])} may say who won", map_option("outcome", found[:1]), 0.3)


def more_answers_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Further columns that say who won: on another criterion, or of a judge in the other order."""
    outcome = mapping.get("outcome")
    if outcome is None or outcome.origin == "option":
        return
    names = Names.of([*mapping.systems, *draft.columns("text")])
    found = [
        c for c in _unused(draft, mapping)
        if (c in draft.sheet.elements or not draft.sheet.elements)  # an answer beside a list of answers sums these up
        and {*map(header_key, words(c))} & _ANSWERS and other_choice(c) in (None, "shown")
        and looks_like_outcomes(draft.profiles[c].distinct, names)
        and not all(number_in(cell) for cell in draft.profiles[c].distinct)
    ]  # fmt: skip
    if found:
        swapped = [column for column in found if other_choice(column) == "shown"]
        cure = f"{map_option('outcome', [*outcome.columns, *found])} if each is a criterion"
        if swapped:
            cure = "a file of its own with the two systems the other way round, if it was asked in the other order"
        reason = f"{', '.join(map(shown_name, found[:4]))} may say who won, too"
        yield Doubt(reason, f"{cure}; {map_option('ignore', found)} leaves it out", 0.5)


_MEASURED: Final = frozenset({"rating", "ratings", "score", "scores", "stars", "grade", "grades"})
_TURNED: Final = frozenset({"swapped", "swap", "flipped", "flip", "reversed", "reverse", "inverted", "vertauscht"})
_ANSWERS: Final = frozenset({*SYNONYMS["outcome"], *BETTER_WORDS})
_OTHER_CHOICES: Final = {
    "lost": "says who lost, and no column who won",
    "correct": "says which text is correct: this is a test with its key, and no judgement of what systems wrote",
}


def texts_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Labels without texts, and columns of texts that are not read."""
    if "outputs" in mapping.tables:
        return
    if (mapping.has("system_a", "system_b") or mapping.has("pair")) and not mapping.has("judge"):
        yield from _texts_of_pairs(draft, mapping)
    if not mapping.has("value") or mapping.owned("value"):
        return
    found = [c for c in unknown_columns(draft, mapping) if draft.profiles[c].mean_length > 20]
    if found:
        yield Doubt(f"{shown_name(found[0])} may be the outputs", map_option("text", found[:1]), 0.4)


def _texts_of_pairs(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`x1` beside `x2` that are not read, in a table of pairs."""
    texts = [c for c in unknown_columns(draft, mapping) if draft.profiles[c].mean_length > SHORT_ANSWER / 3]
    sides = {side_of(c): c for c in texts if not draft.profiles[c].is_number and draft.profiles[c].timelike < 1}
    for (side, rest), first in sides.items():
        second = sides.get(("b", rest))
        if side == "a" and second is not None and not {first, second} & set(draft.sheet.renamed):
            cure = shlex.quote(f"text_a={first},text_b={second}")
            yield Doubt(f"{first} and {second} may be what the two systems wrote", f"--map {cure} if so", 0.4)
            return


def edits_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Edited texts beside outputs of several systems, of any of which they may be."""
    if mapping.one_column_per_system and not mapping.has("outcome"):
        found = [column for column in edited_columns(draft, mapping.unused) if not mapping.has("edit")]
        if found:
            cure = "put the outputs of each system into rows of their own, with a column of systems"
            yield Doubt(f"{shown_name(found[0])} seems to hold edits, and not to say of which system", cure, 0.5)


def systems_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """The texts of one system, and a column beside them that is called as a model."""
    text = mapping.get("text")
    if text is None or len(text.columns) > 1 or text.origin == "option" or "system" not in draft.bound:
        return
    if draft.columns("system") or mapping.has("value") or mapping.has("score"):
        return
    texts = [column for column in unknown_columns(draft, mapping) if not draft.profiles[column].is_number]
    if found := [column for column in texts if is_called_as_a_model(column)]:
        both = [column for column in draft.sheet.columns if column in (*text.columns, *found)]
        yield Doubt(f"{shown_name(found[0])} may be the outputs of another system", map_option("text", both), 0.3)


def numbers_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Ratings or scores by their name, with commas that may part thousands or be decimal commas."""
    for column in _unused(draft, mapping):
        cells = draft.profiles[column].distinct
        unclear = sorted(filter(may_be_two_numbers, cells))
        others = [cell for cell in cells if not may_be_two_numbers(cell)]
        if not unclear or any(parse_number(cell) is None for cell in others):
            continue
        if is_measure_name(about(column, mapping.systems).measure):
            yield Doubt(
                f"{shown_name(column)} is not read: the comma in {unclear[0]} may part thousands or be a decimal comma",
                f"1500 or 1.5 where it says 1,500, or {map_option('ignore', [column])}",
                0.3,
            )


def measures_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`gpt-4 rating` beside `human rating`, `score 1` to `score 3`: numbers about outputs that would be left out."""
    if not (mapping.has("system") or mapping.one_column_per_system) or mapping.has("outcome"):
        return
    found = [c for c in _unused(draft, mapping) if _MEASURED & set(words(c)) and not says_something_else(c)]
    found = [c for c in found if draft.profiles[c].is_number and len(draft.profiles[c].distinct) > 1]
    if found:
        options = f"{map_option('value', found)}, of a metric or judge {map_option('score', found)}"
        yield Doubt(
            f"{', '.join(map(shown_name, found[:4]))} may be ratings or scores of the outputs",
            f"for ratings of people {options}; else {map_option('ignore', found)}",
            0.3,
        )


def words_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Ratings by their name, in words or signs, which are no numbers yet: `gut`, `+++`."""
    if not (mapping.has("system") or mapping.one_column_per_system) or mapping.has("outcome"):
        return
    for column in _unused(draft, mapping):
        looks, measure = draft.profiles[column], about(column, mapping.systems).measure
        named = scale_in(column) is not None or is_measure_name(measure)
        if key_of(measure) in {*SYNONYMS["value"], *SYNONYMS["outcome"]}:
            named = looks.repeats_answers  # `raw`, `label`: may be anything, until few answers come again and again
        grades = sorted(cell for cell in looks.distinct if not may_be_two_numbers(cell))
        if named and not looks.is_number and len(grades) == len(looks.distinct) and 2 <= len(grades) <= MOST_GRADES:
            yield Doubt(
                f"{shown_name(column)} is not read, as cells such as {shown_name(grades[0])!r} are no numbers",
                f"numbers in their place (or '4 - good'), or {map_option('ignore', [column])}",
                0.3,
            )


def turned_sides_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`swapped` beside answers by side: A may be what was shown first, and not the first of the row."""
    outcome = mapping.get("outcome")
    if outcome is None or outcome.origin == "option" or mapping.has("left"):
        return
    cells = {cell for column in outcome.columns for cell in draft.profiles[column].distinct}
    if not any(as_position(cell) in ("a", "b") for cell in cells):
        return
    for column in _unused(draft, mapping):
        if {*words(column)} & _TURNED and are_yes_or_no(draft.profiles[column].distinct):
            reason = (
                f"{shown_name(column)} may say where the two were shown the other way round, so that A is the second"
            )
            cure = f"{map_option('ignore', [column])} if A is always the first of its row; else write who won by name"
            yield Doubt(reason, cure, 0.3)


def people_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Labels by nobody, and a column of names that come again and again."""
    ratings = mapping.get("value")
    named = mapping.has("annotator") or mapping.has("judge") or (ratings is not None and bool(ratings.people))
    if not mapping.has_labels or named or mapping.several_are == "annotator":
        return
    systems = Names.of(mapping.systems)
    found = [
        c for c in _unused(draft, mapping)
        if (key_of(c) not in HEADERS or key_of(c) in SYNONYMS["annotator"])
        and 1 <= len(draft.profiles[c].distinct) <= MOST_NEW_PEOPLE * draft.profiles[c].filled
        and not draft.profiles[c].is_number
        and not any(why_no_person(cell) for cell in draft.profiles[c].distinct)
        and not looks_like_outcomes(draft.profiles[c].distinct, systems)
    ]  # fmt: skip
    judges = [column for column in found if are_models(draft.profiles[column].distinct)]
    if judges:
        yield Doubt(f"{shown_name(judges[0])} may name the models that judged", map_option("judge", judges[:1]), 0.1)
    elif found:
        cure = f"{map_option('annotator', found[:1])} if so, {map_option('ignore', found)} if not"
        if "item" not in draft.bound and names_inputs(draft, found[0]):
            cure = f"{map_option('item', found[:1])} if it names the items, {cure}"
        yield Doubt(f"{' or '.join(map(shown_name, found[:3]))} may name who labelled", cure, 0.5)


def unknown_columns(draft: Draft, mapping: Mapping) -> list[str]:
    """Columns that are not read, and whose names are in no list."""
    known = HEADERS | set(SYNONYMS["reference"])
    return [column for column in _unused(draft, mapping) if key_of(column) not in known]


def _unused(draft: Draft, mapping: Mapping) -> list[str]:
    """Columns that are not read, though nobody said to leave them out."""
    left_out = draft.columns("ignore")
    unused = [column for column in mapping.unused if column not in left_out and draft.profiles[column].filled]
    return [column for column in unused if not is_first_message(column, draft.sheet.columns)]
