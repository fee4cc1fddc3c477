"""Doubts about texts: whether their columns are systems, and whether they are outputs of systems at all."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import ABOUT_ONE, NEUTRAL_TEXTS, key_of, side_of, words
from tiebreak.importers.spreadsheet.header_words import (
    BETTER_WORDS,
    GENERIC_FILES,
    OUTPUT_NAMES,
    PARTS_OF_TASKS,
    STRONG_OUTCOME_NAMES,
)
from tiebreak.importers.spreadsheet.mapping import Binding, Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import is_called_as_a_model
from tiebreak.importers.spreadsheet.names import shown_name, some_with_reasons, why_no_system
from tiebreak.importers.spreadsheet.profile import SHORT_ANSWER, Profile
from tiebreak.importers.spreadsheet.sides import named_in_pairs
from tiebreak.importers.spreadsheet.wide import says_system
from tiebreak.importers.spreadsheet.winner_numbers import number_in

MUCH_SHORTER: Final = 4
MORE_OFTEN: Final = 0.6
HALF: Final = 0.5
_ABOUT_SYSTEMS: Final = ("value", "score", "edit")
"""Columns of these that are called after a column of texts say that it is a system's."""


def columns_of_texts(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """One column per system, one of which is none."""
    text = mapping.get("text")
    if text is None or len(text.columns) < 2 or text.origin == "option":
        return
    reasons = {column: why for column in text.columns if (why := _why_no_text(draft.profiles[column], column))}
    if reasons:
        good = [column for column in text.columns if column not in reasons]
        cure = map_option("text", good) if len(good) > 1 else "--map 'text=COLUMN|COLUMN'"
        yield Doubt(f"the columns {some_with_reasons(reasons)} would be systems", cure)
        return
    lengths = sorted(draft.profiles[column].mean_length for column in text.columns)
    if lengths[0] < lengths[-1] / 6 and lengths[-1] > 40:
        short = min(text.columns, key=lambda column: draft.profiles[column].mean_length)
        yield Doubt(
            f"{short} would be a system, but its cells are much shorter than the other texts",
            map_option("ignore", [short]),
            0.3,
        )


def _why_no_text(profile: Profile, column: str) -> str | None:
    if why := why_no_system(column, from_header=True):
        return why
    if profile.is_number:
        return "holds numbers"
    if profile.timelike > 0.5:
        return "holds times"
    if profile.repeats_answers:
        return "holds a few answers again and again"
    return None


def texts_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of texts whose names do not say that they are about systems."""
    text = mapping.get("text")
    if text is None or text.origin == "option":
        return
    if len(text.columns) == 1:
        yield from _longest_text(draft, mapping, text)
        return
    owners = {owner for target in _ABOUT_SYSTEMS if (found := mapping.get(target)) for owner in found.owners}
    unnamed = [column for column in text.columns if not says_system(column) and text.name_of(column) not in owners]
    if len(unnamed) == len(text.columns) == 2 and {side_of(column)[0] for column in unnamed} == {"a", "b"}:
        yield from _texts_of_sides(draft, mapping, unnamed)
        return
    odd = _unlike_the_others(draft, unnamed, text.columns)
    if unnamed:
        named = odd or unnamed
        others = [column for column in text.columns if column not in named]
        would_be = "systems, though the names do" if len(named) > 1 else "a system, though the name does"
        cure = f"{map_option('text', text.columns)} if {'they are' if len(named) > 1 else 'it is'}"
        yield Doubt(
            f"{', '.join(map(shown_name, named[:4]))} would be {would_be} not say so",
            f"{cure}, {map_option('text', others)} if not" if len(others) > 1 else cure,
            0.1 if odd else _chance_of_unnamed(draft, mapping, unnamed, beside=len(others)),
        )


def texts_of_others(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A column of texts per system, and pairs of systems of which none has such a column."""
    text, named = mapping.get("text"), named_in_pairs(draft)
    columns = [column for target in ("system_a", "system_b", "pair") for column in draft.columns(target)]
    if text is None or len(text.columns) < 2 or not any(map(draft.guessed, ("text", "system_a", "system_b", "pair"))):
        return
    if named and not named & {*map(text.name_of, text.columns), *draft.beside.known}:
        yield Doubt(
            f"{' and '.join(columns)} would name systems such as {shown_name(min(named))}, and each of "
            f"{', '.join(map(shown_name, text.columns[:4]))} would have the texts of another one",
            f"{map_option('ignore', columns)} if each column has the texts of one system, or --map "
            "text_a=COLUMN,text_b=COLUMN for the texts of the two",
        )


def _unlike_the_others(draft: Draft, unnamed: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Columns whose cells are much shorter than those of all other texts, or come again more often, as names do."""
    lengths = {column: draft.profiles[column].mean_length for column in texts}
    new = {c: len(draft.profiles[c].distinct) / max(draft.profiles[c].filled, 1) for c in texts}
    shortest, oftenest = sorted(lengths.values())[:2], sorted(new.values())[:2]
    odd = []
    for column in unnamed:
        length_of_others = shortest[lengths[column] == shortest[0]]
        new_in_others = oftenest[new[column] == oftenest[0]]
        again = new[column] < MORE_OFTEN * new_in_others or (new[column] <= HALF and lengths[column] < SHORT_ANSWER)
        if again or lengths[column] < length_of_others / MUCH_SHORTER:
            odd.append(column)
    return odd


def _longest_text(draft: Draft, mapping: Mapping, text: Binding) -> Iterator[Doubt]:
    if text.origin != "content" or says_system(text.columns[0]) or mapping.has("edit"):  # what was edited is an output
        return
    column, asked = text.columns[0], _names_items(mapping)
    chance, what = (0.6, "the file names its items") if asked else (0.05, "nothing else in the file is known")
    if not asked and draft.profiles[column].mean_length < SHORT_ANSWER:
        chance = 0
    reason = f"{column} is taken for the outputs, because it has the longest texts ({what})"
    yield Doubt(reason, f"{map_option('text', [column])} if it is", chance)


def _names_items(mapping: Mapping) -> bool:
    return any(b.target in ("item", "input") and b.origin in ("name", "option") for b in mapping.bindings)


def _chance_of_unnamed(draft: Draft, mapping: Mapping, columns: list[str], *, beside: int) -> float:
    """Texts without a known name are systems' if somebody judged them, or if all answer a question; one that stands
    `beside` systems may be the question, unless it is called `v2` or `prompt-b`.
    """
    if any(PARTS_OF_TASKS & set(words(column)) for column in columns):
        return 0.1
    if mapping.has("outcome"):
        return 0.97
    if _has_questions(draft, mapping) or (beside and all(side_of(column)[0] for column in columns)):
        return 0.93
    return 0.4 if _names_items(mapping) else 0.05


def _has_questions(draft: Draft, mapping: Mapping) -> bool:
    """Whether there are inputs, and not a few that come again and again."""
    asked = mapping.get("input")
    return asked is not None and not any(draft.profiles[column].repeats_answers for column in asked.columns)


def _texts_of_sides(draft: Draft, mapping: Mapping, pair: list[str]) -> Iterator[Doubt]:
    """`sentence1` beside `sentence2` are as often two parts of one task as what two systems wrote."""
    known = all(side_of(column)[1] in ("", *NEUTRAL_TEXTS) for column in pair)
    outcome = mapping.get("outcome")
    if outcome is not None:
        named = any(key_of(c) in STRONG_OUTCOME_NAMES or BETTER_WORDS & set(words(c)) for c in outcome.columns)
        told = known and any(number_in(cell) is None for c in outcome.columns for cell in draft.profiles[c].distinct)
        chance = 1.0 if named else 0.97 if told else 0.1
    elif _has_questions(draft, mapping):
        chance = 0.93 if known else 0.5
    else:
        chance = 0.1
    if chance < 1:
        reason = f"{pair[0]} and {pair[1]} may be two parts of one task, and not what two systems wrote"
        yield Doubt(reason, f"{map_option('text', pair)} if two systems wrote them", chance)


def outputs_of_a_file(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """The file's name as the system's, where the file is about more, or about something else."""
    system, text = mapping.get("system"), mapping.get("text")
    if system is None or system.origin != "file name":
        return
    name = system.constant or ""
    if why := why_no_system(name):
        yield Doubt(
            f"the system would be called {shown_name(name)!r} after the file, and that {why}",
            f"--system {shlex.quote(f'NAME={draft.sheet.source}')}",
        )
    elif text is None and mapping.tables:
        yield Doubt(
            f"the numbers would be about a system called {name}, after the file",
            "--map system=COLUMN, or --system NAME=FILE",
            0.4,
        )
    elif text is not None and len(text.columns) > 1:
        about = [column for target in ABOUT_ONE for column in draft.columns(target)]
        reason = f"{shown_name(about[0])} would be about a system called {name}, after the file; the texts are not"
        yield Doubt(reason, f"--map system=COLUMN if a column names the systems, or {map_option('ignore', about)}")
    elif text is not None and text.origin == "name" and not draft.beside.one_of_several:
        yield from _texts_of_a_file(draft, name, text.columns[0])


def _texts_of_a_file(draft: Draft, name: str, column: str) -> Iterator[Doubt]:
    """A file alone with questions and answers: a corpus has them too."""
    if is_called_as_a_model(name):
        return
    chance = 0.4
    if draft.profiles[column].repeats_answers:
        chance = 0.1
    elif key_of(column) in OUTPUT_NAMES and not {word for word in words(name) if not word.isdigit()} <= GENERIC_FILES:
        chance = 0.97
    yield Doubt(
        f"{column} would be what one system wrote, called {name} after the file",
        f"--system {shlex.quote(f'NAME={draft.sheet.source}')}",
        chance,
    )
