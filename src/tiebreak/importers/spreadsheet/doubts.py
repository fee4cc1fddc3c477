"""What speaks against a plan before anything is written: nonsense that is refused, and doubts that lower confidence."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tiebreak.errors import did_you_mean
from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.chosen import names_that_may_be_texts
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import is_metric_name, key_of, words
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, RUN_NAMES, SYNONYMS
from tiebreak.importers.spreadsheet.judge_doubts import (
    anybodys_name,
    evaluators_as_people,
    models_beside_people,
    models_in_cells,
    models_in_headers,
)
from tiebreak.importers.spreadsheet.layouts.ticks import groups
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.names import (
    HEADERS,
    shown_name,
    some_with_reasons,
    why_no_checkpoint,
    why_no_item,
    why_no_person,
    why_no_system,
)
from tiebreak.importers.spreadsheet.numbers import is_measure_name
from tiebreak.importers.spreadsheet.path_doubts import names_of_parts, places_not_used, systems_by_place
from tiebreak.importers.spreadsheet.rankings import share_of_rankings
from tiebreak.importers.spreadsheet.sides import names_and_places
from tiebreak.importers.spreadsheet.text_doubts import (
    columns_of_texts,
    outputs_of_a_file,
    texts_of_others,
    texts_of_what,
)
from tiebreak.importers.spreadsheet.unused_doubts import (
    answers_not_used,
    edits_not_used,
    measures_not_used,
    more_answers_not_used,
    numbers_not_used,
    people_not_used,
    systems_not_used,
    texts_not_used,
    turned_sides_not_used,
    words_not_used,
)

FEW_ROWS: Final = 5
FEW_RATED: Final = 4
AGAIN_AT_LEAST: Final = 2
"""Columns with their own name among their cells."""

MOSTLY_NEW: Final = 0.75
"""More of a pair's names than this are new ones where columns do not name systems."""


def doubts_of(draft: Draft, mapping: Mapping) -> tuple[Doubt, ...]:
    """All doubts about one file's plan; what the user said is not doubted."""
    return tuple(doubt for check in _CHECKS for doubt in check(draft, mapping))


_COUNTS: Final = frozenset({"votes", "wins"})


def _guessed(mapping: Mapping, target: str) -> bool:
    binding = mapping.get(target)
    return binding is not None and binding.origin != "option"


def _header(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A first row that is no header: its cells come again below, are sentences, or hold several names at once."""
    columns = draft.sheet.columns
    again = [column for column in columns if column in draft.profiles[column].distinct]
    if len(again) >= max(AGAIN_AT_LEAST, len(columns) / 4):
        yield Doubt(
            f"the first row seems to be data and not a header ({shown_name(again[0])!r} comes again below it)",
            "add a header line, or a row above with the names of the columns",
        )
        return
    sentences = [column for column in columns if len(column) > 60 or len(column.split()) > 9]
    if sentences and any(column in _used(mapping) for column in sentences):
        yield Doubt(
            f"the first row seems to be data and not a header ({shown_name(sentences[0])!r})",
            "add a header line, or a row above with the names of the columns",
        )
    crowded = [column for column in columns if sum(_is_header(word) for word in column.split()) >= 2]
    if len(columns) == 1 and crowded:
        yield Doubt(
            f"the file has one column, called {shown_name(crowded[0])!r}: its cells were not told apart",
            "save it with commas or tabs between the cells",
        )


def _is_header(word: str) -> bool:
    return key_of(word) in HEADERS or key_of(word) in SYNONYMS["system"] or is_metric_name(word)


def _used(mapping: Mapping) -> set[str]:
    return {column for binding in mapping.bindings if binding.target != "ignore" for column in binding.columns}


def _names_in_cells(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Cells of a column that should name systems, people or items, and do not; a run beside checkpoints may be called
    anything.
    """
    rules: dict[str, Callable[[str], str | None]] = {
        "system": why_no_system, "system_a": why_no_system, "system_b": why_no_system,
        "annotator": why_no_person, "item": why_no_item,
    }  # fmt: skip
    for target, why_not in rules.items():
        binding = mapping.get(target)
        if binding is None or binding.origin == "option" or not binding.columns:
            continue
        column = next((c for c in binding.columns if key_of(c) not in RUN_NAMES), binding.columns[0])
        if target == "system" and key_of(column) in BESIDE_NAMES["system"]:
            why_not = why_no_checkpoint
        cells = sorted(draft.profiles[column].distinct)
        bad = {cell: why for cell in cells if (why := why_not(cell))}
        if bad:
            yield Doubt(
                f"{column} would name the {_PLURALS[target]}, but a cell says {_named(bad)}",
                f"--map {target}=COLUMN names another column, {map_option(target, [column])} keeps this one",
            )


def _names_never_seen_again(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Systems that hardly ever come twice: ids, or what the systems wrote."""
    system = mapping.get("system")
    if system is not None and system.origin != "option" and system.columns:
        looks = draft.profiles[system.columns[0]]
        if looks.is_unique and looks.filled > FEW_ROWS:
            yield Doubt(f"{system.columns[0]} names another system in every row", "--map system=COLUMN", 0.1)
    pair = [c for t in ("system_a", "system_b") if _guessed(mapping, t) for c in draft.columns(t)]
    names, places = names_and_places(draft, pair) if len(pair) == 2 else (0, 0)
    if names > MOSTLY_NEW * places and places > FEW_ROWS:
        yield Doubt(
            f"{pair[0]} and {pair[1]} name other systems in nearly every row",
            f"{map_option('text', pair)} if they hold what two systems wrote",
            0.1,
        )


def _people_in_headers(_draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of answers, one for each person, whose names are no names of people."""
    for target in ("outcome", "value"):
        binding = mapping.get(target)
        if binding is None or len(binding.columns) < 2 or mapping.several_are != "annotator":
            continue
        bad = {c: why for c in binding.columns if (why := why_no_person(c) or why_no_system(c, from_header=True))}
        bad = {c: why for c, why in bad.items() if not _numbered_person(c)}
        if bad and binding.origin != "option":
            yield Doubt(
                f"the columns {some_with_reasons(bad)} would be people",
                f"--map {target}=COLUMN, or {target}=COLUMN|COLUMN",
            )


def _numbered_person(column: str) -> bool:
    """`annotator1`, `rater B`: no name of a person, and yet one person's column."""
    return bool({"annotator", "rater", "worker", "judge", "person", "expert"} & set(words(column)))


_PLURALS: Final = {
    "system": "systems", "system_a": "systems", "system_b": "systems", "annotator": "people", "item": "items",
}  # fmt: skip


def _named(bad: dict[str, str]) -> str:
    cell, why = next(iter(bad.items()))
    more = len(bad) - 1
    return f"{shown_name(cell)!r}, which {why}" + (f" ({more:,} more such cells)" if more else "")


def _strangers(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Systems of a file of judges or scores that the other files do not have."""
    known = draft.beside.systems
    named = mapping.systems or tuple(o for t in ("score", "value") if (b := mapping.get(t)) for o in b.owners)
    strangers = [name for name in named if name not in known]
    if not known or not strangers:
        return
    near = did_you_mean(strangers[0], known).removeprefix(": did you mean ").removesuffix("?")
    yield Doubt(
        f"the other files have no system {strangers[0]!r} (they have {', '.join(known[:4])})",
        f"--rename {shlex.quote(strangers[0] + '=' + (near or 'NAME'))} if it is one of them",
        0.0 if len(strangers) == len(named) else 0.5,
    )


def _numbers_of_what(_draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Numbers whose names say neither criterion nor metric."""
    for target in ("value", "score"):
        binding = mapping.get(target)
        by_name = binding is not None and mapping.several_are == "annotator"  # rater1, rater2
        if binding is None or binding.origin != "content" or binding.owners or by_name:
            continue
        anonymous = [column for column in binding.columns if not is_measure_name(column)]
        if anonymous:
            yield Doubt(*_what_numbers_may_be(target, binding.columns, anonymous), 0.5)


def _what_numbers_may_be(target: str, columns: Sequence[str], anonymous: Sequence[str]) -> tuple[str, str]:
    """What they would be, and how to say it: each column of ratings is a criterion, or has those of one person."""
    named, if_not = ", ".join(map(shown_name, anonymous[:4])), f"{map_option('ignore', anonymous)} if not"
    if target == "score" or len(columns) < 2 or [*columns] != [*anonymous] or any(map(why_no_person, anonymous)):
        what = "ratings" if target == "value" else "scores of a metric"
        return (
            f"{named} would be {what}, though the names do not say so",
            f"{map_option(target, columns)} if they are, {if_not}",
        )
    return (
        f"{named} would be criteria of ratings, though the names do not say so; they may be people who rated",
        f"{map_option('value', columns)} if each is a criterion, {map_option('annotator', columns)} if each has one "
        f"person's ratings, {if_not}",
    )


def _ratings_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Ratings of goods: every row is about another one."""
    system, item = mapping.get("system"), mapping.get("item")
    if {*mapping.tables, "items"} != {"ratings", "items"} or item is None or not _guessed(mapping, "system"):
        return
    rows = [dict(zip(draft.sheet.columns, row, strict=True)) for row in draft.sheet.rows]
    rated = {(item.cell(cells), system.cell(cells)) for cells in rows} if system is not None else set()
    if (
        len({name for _, name in rated}) > 1
        and len(rated) >= FEW_RATED
        and len({key for key, _ in rated}) == len(rated)
    ):
        yield Doubt(
            f"no item has ratings of two systems: {', '.join(draft.columns('system'))} may name something else",
            f"{map_option('system', draft.columns('system'))} if it names systems",
            0.3,
        )


def _pairs_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Things called first and second, and numbers under a name that does not say who won."""
    outcome, pair = mapping.get("outcome"), draft.columns("system_a") + draft.columns("system_b")
    if len(pair) < 2 or outcome is None or outcome.origin != "content" or "outputs" in mapping.tables:
        return
    if any(draft.bound[target].origin != "content" for target in ("system_a", "system_b")):
        return
    if not all(draft.profiles[column].is_number for column in outcome.columns):
        return
    yield Doubt(
        f"{pair[0]} and {pair[1]} would name systems, and {outcome.columns[0]} who won, by their cells alone",
        f"{map_option('outcome', outcome.columns)} if so",
        0.5,
    )


def _counted_votes(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """`votes_a`, `votes_b`, `votes_tie`: how many said so, where a row of a study is one answer."""
    outcome, of_systems = mapping.get("outcome"), [b for b in map(mapping.get, ("value", "score")) if b and b.owners]
    counts: list[str] = []
    if outcome is not None and outcome.origin != "option":
        counts = next((list(group) for _, group in groups(_numbers(draft)) if set(outcome.columns) & set(group)), [])
    counts += [c for b in of_systems if b.origin != "option" for c in b.columns if _COUNTS & set(words(c))]
    if counts:
        yield Doubt(f"{', '.join(counts)} seem to be counts of votes", "a row for each vote")


def _numbers(draft: Draft) -> dict[str, set[str]]:
    return {column: set(looks.distinct) for column, looks in draft.profiles.items() if looks.is_number and looks.whole}


def _ranks_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of numbers that may be ratings: few rows rank by chance, and so do two systems that never tie."""
    rank = mapping.get("rank")
    if rank is None or rank.origin != "content":
        return
    few = len(draft.sheet.rows) < FEW_ROWS
    if few or len(rank.columns) == 2 or share_of_rankings(draft.sheet, rank.columns) < 1:
        yield Doubt(
            f"{', '.join(map(shown_name, rank.columns[:4]))} may be ranks of systems of these names (1 is the best), "
            "or ratings",
            f"{map_option('rank', rank.columns)} if they are ranks",
            0.5,
        )


_CHECKS: Final = (
    _people_in_headers,
    _header,
    columns_of_texts,
    _names_in_cells,
    _names_never_seen_again,
    names_that_may_be_texts,
    outputs_of_a_file,
    models_in_cells,
    models_in_headers,
    models_beside_people,
    evaluators_as_people,
    anybodys_name,
    _strangers,
    texts_of_what,
    texts_of_others,
    answers_not_used,
    more_answers_not_used,
    texts_not_used,
    systems_not_used,
    people_not_used,
    edits_not_used,
    numbers_not_used,
    measures_not_used,
    words_not_used,
    turned_sides_not_used,
    _counted_votes,
    _numbers_of_what,
    _ratings_of_what,
    _pairs_of_what,
    _ranks_of_what,
    systems_by_place,
    places_not_used,
    names_of_parts,
)
