"""Doubts about columns that a plan does not read: they may say who won, who answered, or what was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.edits import edited_columns
from tiebreak.importers.spreadsheet.fields import is_metric_name, key_of, other_choice
from tiebreak.importers.spreadsheet.header_notes import scale_in
from tiebreak.importers.spreadsheet.header_words import CRITERION_NAMES, SYNONYMS
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import are_models, is_called_as_a_model
from tiebreak.importers.spreadsheet.names import HEADERS, shown_name, why_no_person
from tiebreak.importers.spreadsheet.numbers import is_measure_name
from tiebreak.importers.spreadsheet.profile import may_be_two_numbers, parse_number
from tiebreak.importers.spreadsheet.wide import about
from tiebreak.importers.spreadsheet.winners import Names, is_key_of_a_test, looks_like_outcomes

MOST_ANSWERS: Final = 6
"""Different cells of a column that says who won."""
MOST_GRADES: Final = 101
"""Different ratings in words or signs: up to 100%."""


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
    if found := [column for column in unknown if 2 <= len(draft.profiles[column].distinct) <= MOST_ANSWERS]:
        yield Doubt(f"{shown_name(found[0])} may say who won", map_option("outcome", found[:1]), 0.3)


_OTHER_CHOICES: Final = {
    "lost": "says who lost, and no column who won",
    "correct": "says which text is correct: this is a test with its key, and no judgement of what systems wrote",
}


def texts_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Labels without texts, and a column of texts that is not read."""
    if "outputs" in mapping.tables or not mapping.has("value") or mapping.owned("value"):
        return
    found = [c for c in unknown_columns(draft, mapping) if draft.profiles[c].mean_length > 20]
    if found:
        yield Doubt(f"{shown_name(found[0])} may be the outputs", map_option("text", found[:1]), 0.4)


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
    words = [column for column in unknown_columns(draft, mapping) if not draft.profiles[column].is_number]
    if found := [column for column in words if is_called_as_a_model(column)]:
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


def words_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A criterion that people rated in words or signs, which are no numbers yet."""
    if not (mapping.has("system") or mapping.one_column_per_system) or mapping.has("outcome"):
        return
    for column in _unused(draft, mapping):
        looks, measure = draft.profiles[column], about(column, mapping.systems).measure
        named = scale_in(column) is not None or key_of(measure) in CRITERION_NAMES or is_metric_name(measure)
        words = sorted(cell for cell in looks.distinct if not may_be_two_numbers(cell))
        if named and not looks.is_number and len(words) == len(looks.distinct) and 2 <= len(words) <= MOST_GRADES:
            said = words[0]
            yield Doubt(
                f"{shown_name(column)} is not read, as cells such as {shown_name(said)!r} are no numbers",
                f"numbers in their place (or '4 - good'), or {map_option('ignore', [column])}",
                0.3,
            )


def people_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Labels by nobody, and a column of names that come again and again."""
    ratings = mapping.get("value")
    named = mapping.has("annotator") or mapping.has("judge") or (ratings is not None and bool(ratings.people))
    if not mapping.has_labels or named or mapping.several_are == "annotator":
        return
    systems = Names.of(mapping.systems)
    found = [
        c for c in unknown_columns(draft, mapping)
        if 1 <= len(draft.profiles[c].distinct) <= draft.profiles[c].filled / 2 and not draft.profiles[c].is_number
        and not any(why_no_person(cell) for cell in draft.profiles[c].distinct)
        and not looks_like_outcomes(draft.profiles[c].distinct, systems)
    ]  # fmt: skip
    judges = [column for column in found if are_models(draft.profiles[column].distinct)]
    if judges:
        yield Doubt(f"{shown_name(judges[0])} may name the models that judged", map_option("judge", judges[:1]), 0.1)
    elif found:
        yield Doubt(f"{shown_name(found[0])} may name who labelled", map_option("annotator", found[:1]), 0.5)


def unknown_columns(draft: Draft, mapping: Mapping) -> list[str]:
    """Columns that are not read, and whose names are in no list."""
    known = HEADERS | set(SYNONYMS["reference"])
    return [column for column in _unused(draft, mapping) if key_of(column) not in known]


def _unused(draft: Draft, mapping: Mapping) -> list[str]:
    """Columns that are not read, though nobody said to leave them out."""
    left_out = draft.columns("ignore")
    return [column for column in mapping.unused if column not in left_out and draft.profiles[column].filled]
