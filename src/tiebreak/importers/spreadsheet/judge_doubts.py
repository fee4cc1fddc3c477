"""Doubts about who answered: models among people, in the cells of a column or in the names of columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import folded, key_of
from tiebreak.importers.spreadsheet.header_words import ANYTHINGS_NAMES, SYNONYMS
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import Kind, are_models, judge_of_column, kind_of_name, kinds_of
from tiebreak.importers.spreadsheet.names import is_time
from tiebreak.importers.spreadsheet.signatures import is_of_evaluators

_NO_LABELS: Final = "answers of models are no labels of people"
_IS: Final = {True: "is", False: "may be"}
_APART: Final = "put the rows of models into a file of their own, for --judge-file"


def models_in_cells(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A column of people, some of whom are models or may be."""
    people = mapping.get("annotator")
    if people is None or people.origin == "option" or not people.columns:
        return
    column = people.columns[0]
    kinds = kinds_of(sorted(draft.profiles[column].distinct))
    found: dict[Kind, list[str]] = {kind: [n for n in kinds if kinds[n] == kind] for kind in kinds.values()}
    called_judge = key_of(column) in SYNONYMS["judge"]
    models, sure = found.get("model", []), [*found.get("person", []), *(found.get("unclear", []) * (not called_judge))]
    as_people, as_judges = map_option("annotator", [column]), map_option("judge", [column])
    if are_models(kinds):
        yield Doubt(f"{column} names models ({models[0]}); {_NO_LABELS}", f"{as_judges}, or {as_people} if not")
    elif models and sure:
        yield Doubt(
            f"{column} names models ({_some(models)}) beside people ({_some(sure)}); {_NO_LABELS}",
            f"to {_APART}, or {as_people} if all of them are people",
        )
    elif unsure := [name for name in kinds if name not in sure]:
        other = f"{as_judges} if they are models" if not sure else f"else {_APART}"
        yield Doubt(
            f"{column} may name people or models ({_some(unsure)})", f"{as_people} if they are people, {other}", 0.5
        )


def evaluators_as_people(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """What evaluators signed, as labels of people."""
    if mapping.has_labels and not mapping.has("signature") and is_of_evaluators(draft):
        column = draft.columns("signature")[0]
        yield Doubt(f"{column} says that an evaluator made these answers; {_NO_LABELS}", "--map judge=COLUMN")


def anybodys_name(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`name` for who answered, outside of forms, which say when somebody did."""
    people = mapping.get("annotator")
    if people is None or people.origin != "content" or not {*map(key_of, people.columns)} & ANYTHINGS_NAMES:
        return
    if not any(looks.distinct and all(map(is_time, looks.distinct)) for looks in draft.profiles.values()):
        column, told = people.columns[0], map_option("annotator", people.columns)
        cure = f"{told} if so, {map_option('ignore', people.columns)} if not"
        yield Doubt(f"{column} would say who labelled, and may be the name of anything", cure, 0.5)


def models_in_headers(_draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of answers that are called after a model: `gpt-4 vote` beside `ann vote`."""
    outcome = mapping.get("outcome")
    if outcome is None or outcome.origin == "option" or mapping.has("judge"):
        return
    judges = {column: judge for column in outcome.columns if (judge := judge_of_column(column))}
    systems = {folded(name) for name in mapping.systems}
    # `gpt-4 vs llama` names the pair.
    judges = {c: judge for c, judge in judges.items() if sum(name in folded(c) for name in systems) < 2}
    if not judges:
        return
    others = [column for column in outcome.columns if column not in judges]
    column, judge = next(iter(judges.items()))
    its = f"{map_option('outcome', [column])} {map_option('judge', [':' + judge])}"
    cure = f"{map_option('outcome', others)}, and the others by tiebreak add with {its}" if others else its
    sure = any(kind_of_name(name) == "model" and folded(name) not in systems for name in judges.values())
    yield Doubt(
        f"{_some(list(judges))} would be what people said, but {judge} {_IS[sure]} a model; {_NO_LABELS}",
        f"{cure}, or {map_option('outcome', outcome.columns)} if it is not",
        0.0 if sure else 0.5,
    )


def models_beside_people(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A column of people, and another that names models: who of them answered?"""
    people = mapping.get("annotator")
    if people is None or people.origin == "option":
        return
    who = ", ".join(people.columns)
    for column in (c for c in mapping.unused if key_of(c) in _WHO and c not in draft.columns("ignore")):
        names = draft.profiles[column].distinct
        if are_models(names) and not names <= set(mapping.systems):
            yield Doubt(
                f"{column} names models ({min(names)}), and {who} people: whose answers are these?",
                f"{map_option('annotator', people.columns)} if people's, {map_option('judge', [column])} if models'",
                0.3,
            )


_WHO: Final = frozenset({*SYNONYMS["annotator"], *SYNONYMS["judge"]})


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
