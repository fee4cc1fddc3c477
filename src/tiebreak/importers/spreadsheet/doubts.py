"""What speaks against a plan before anything is written: nonsense that is refused, and doubts that lower confidence."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Final

from tiebreak.errors import did_you_mean
from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import is_metric_name, key_of, words
from tiebreak.importers.spreadsheet.header_words import SYNONYMS
from tiebreak.importers.spreadsheet.judging import names_of_unclear_kind
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.model_names import are_models
from tiebreak.importers.spreadsheet.names import HEADERS, why_no_item, why_no_person, why_no_system
from tiebreak.importers.spreadsheet.numbers import is_measure_name
from tiebreak.importers.spreadsheet.path_doubts import names_of_lists, systems_by_place
from tiebreak.importers.spreadsheet.profile import SHORT_ANSWER, Profile
from tiebreak.importers.spreadsheet.wide import says_system

EXAMPLES: Final = 3
FEW_ROWS: Final = 5


def doubts_of(draft: Draft, mapping: Mapping) -> tuple[Doubt, ...]:
    """All doubts about one file's plan; what the user said is not doubted."""
    return tuple(doubt for check in _CHECKS for doubt in check(draft, mapping))


def _guessed(mapping: Mapping, target: str) -> bool:
    binding = mapping.get(target)
    return binding is not None and binding.origin != "option"


def _header(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A first row that is no header: its cells are sentences or numbers, or hold several names at once."""
    columns = draft.sheet.columns
    sentences = [column for column in columns if len(column) > 60 or len(column.split()) > 9]
    if sentences and any(column in _used(mapping) for column in sentences):
        yield Doubt(
            f"the first row seems to be data and not a header ({_short(sentences[0])!r})",
            "add a header line, or a row above with the names of the columns",
        )
    crowded = [column for column in columns if sum(_is_header(word) for word in column.split()) >= 2]
    if len(columns) == 1 and crowded:
        yield Doubt(
            f"the file has one column, called {_short(crowded[0])!r}: its cells were not told apart",
            "save it with commas or tabs between the cells",
        )


def _is_header(word: str) -> bool:
    return key_of(word) in HEADERS or key_of(word) in SYNONYMS["system"] or is_metric_name(word)


def _used(mapping: Mapping) -> set[str]:
    return {column for binding in mapping.bindings if binding.target != "ignore" for column in binding.columns}


def _columns_of_texts(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """One column per system, one of which is none."""
    text = mapping.get("text")
    if text is None or len(text.columns) < 2 or not _guessed(mapping, "text"):
        return
    reasons = {column: why for column in text.columns if (why := _why_no_text(draft.profiles[column], column))}
    if reasons:
        good = [column for column in text.columns if column not in reasons]
        cure = map_option("text", good) if len(good) > 1 else "--map 'text=COLUMN|COLUMN'"
        yield Doubt(f"the columns {_listed(reasons)} would be systems", cure)
        return
    lengths = sorted(draft.profiles[column].mean_length for column in text.columns)
    if lengths[0] < lengths[-1] / 6 and lengths[-1] > 40:
        short = min(text.columns, key=lambda column: draft.profiles[column].mean_length)
        yield Doubt(
            f"{short} would be a system, but its cells are much shorter than the other texts",
            map_option("ignore", [short]),
            0.5,
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


def _listed(reasons: dict[str, str]) -> str:
    shown = [f"{_short(column)} (it {why})" for column, why in list(reasons.items())[:EXAMPLES]]
    more = len(reasons) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 40 else plain[:39] + "…"


def _names_in_cells(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Cells of a column that should name systems, people or items, and do not."""
    rules: dict[str, Callable[[str], str | None]] = {
        "system": why_no_system, "system_a": why_no_system, "system_b": why_no_system,
        "annotator": why_no_person, "item": why_no_item,
    }  # fmt: skip
    for target, why_not in rules.items():
        binding = mapping.get(target)
        if binding is None or binding.origin == "option" or not binding.columns:
            continue
        column = binding.columns[0]
        cells = sorted(draft.profiles[column].distinct)
        bad = {cell: why for cell in cells if (why := why_not(cell))}
        if bad:
            yield Doubt(
                f"{column} would name the {_PLURALS[target]}, but a cell says {_named(bad)}",
                f"--map {target}=COLUMN names another column, {map_option(target, [column])} keeps this one",
            )
            continue
        if target == "system" and len(cells) > 5 and len(cells) == draft.profiles[column].filled:
            yield Doubt(f"{column} names another system in every row", f"--map {target}=COLUMN", 0.1)


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
                f"the columns {_listed(bad)} would be people", f"--map {target}=COLUMN, or {target}=COLUMN|COLUMN"
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
    return f"{_short(cell)!r}, which {why}" + (f" ({more:,} more such cells)" if more else "")


def _file_name(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """The file's name as the system's, where the file is about more."""
    system = mapping.get("system")
    if system is None or system.origin != "file name":
        return
    if why := why_no_system(system.constant or ""):
        yield Doubt(
            f"the system would be called {_short(system.constant or '')!r} after the file, and that {why}",
            f"--system {shlex.quote(f'NAME={draft.sheet.source}')}",
        )
    elif not mapping.has("text") and mapping.tables:
        yield Doubt(
            f"the numbers would be about a system called {system.constant}, after the file",
            "--map system=COLUMN, or --system NAME=FILE",
            0.4,
        )


def _judges(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """People who may be models."""
    people = mapping.get("annotator")
    if people is None or people.origin == "option" or not people.columns:
        return
    column = people.columns[0]
    names = draft.profiles[column].distinct
    if are_models(names):
        yield Doubt(
            f"{column} names models ({_short(min(names))}); answers of models are no labels of people",
            f"{map_option('judge', [column])}, or {map_option('annotator', [column])} if these are people",
        )
    elif unclear := names_of_unclear_kind(draft, column):
        yield Doubt(
            f"{column} may name people or models ({_short(unclear[0])})",
            f"{map_option('annotator', [column])} if they are people, "
            f"{map_option('judge', [column])} if they are models",
            0.5,
        )


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


def _texts_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of texts whose names do not say that they are about systems."""
    text = mapping.get("text")
    if text is None or not _guessed(mapping, "text") or text.origin != "content":
        return
    anonymous = [column for column in text.columns if not says_system(column)]
    asked = any(b.target in ("item", "input") and b.origin in ("name", "option") for b in mapping.bindings)
    if not anonymous:
        return
    if len(text.columns) == 1:
        chance, what = (0.6, "the file names its items") if asked else (0.05, "nothing else in the file is known")
        if not asked and draft.profiles[anonymous[0]].mean_length < SHORT_ANSWER:
            chance = 0
        reason = f"{anonymous[0]} is taken for the outputs, because it has the longest texts ({what})"
        yield Doubt(reason, f"{map_option('text', anonymous)} if it is", chance)
        return
    chance = 0.97 if mapping.has("outcome") else 0.93 if mapping.has("input") else 0.4 if asked else 0.05
    others = [column for column in text.columns if column not in anonymous]
    if others:
        chance = min(chance, 0.5)
    yield Doubt(
        f"{', '.join(map(_short, anonymous[:4]))} would be systems, though the names do not say so",
        f"{map_option('text', text.columns)} if they are",
        chance,
    )


def _answers_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """A pair, and no outcome: some other column may say who won."""
    if mapping.has("outcome") or not mapping.names_a_pair or mapping.has("value") or mapping.has("score"):
        return
    found = [c for c in _unknown_columns(draft, mapping) if 2 <= len(draft.profiles[c].distinct) <= 6]
    if found:
        yield Doubt(f"{_short(found[0])} may say who won", map_option("outcome", found[:1]), 0.3)


def _texts_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Labels without texts, and a column of texts that is not read."""
    if "outputs" in mapping.tables or not mapping.has("value") or mapping.owned("value"):
        return
    found = [c for c in _unknown_columns(draft, mapping) if draft.profiles[c].mean_length > 20]
    if found:
        yield Doubt(f"{_short(found[0])} may be the outputs", map_option("text", found[:1]), 0.4)


def _people_not_used(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Labels by nobody, and a column of names that come again and again."""
    ratings = mapping.get("value")
    named = mapping.has("annotator") or mapping.has("judge") or (ratings is not None and bool(ratings.people))
    if not mapping.has_labels or named or mapping.several_are == "annotator":
        return
    found = [
        c for c in _unknown_columns(draft, mapping)
        if 1 <= len(draft.profiles[c].distinct) <= draft.profiles[c].filled / 2 and not draft.profiles[c].is_number
        and not any(why_no_person(cell) for cell in draft.profiles[c].distinct)
    ]  # fmt: skip
    if found:
        yield Doubt(f"{_short(found[0])} may name who labelled", map_option("annotator", found[:1]), 0.5)


def _numbers_of_what(_draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Numbers whose names say neither criterion nor metric."""
    for target in ("value", "score"):
        binding = mapping.get(target)
        if binding is None or binding.origin != "content" or binding.owners:
            continue
        anonymous = [column for column in binding.columns if not is_measure_name(column)]
        if anonymous:
            what = "ratings" if target == "value" else "scores of a metric"
            yield Doubt(
                f"{', '.join(map(_short, anonymous[:4]))} would be {what}, though the names do not say so",
                f"{map_option(target, binding.columns)} if they are",
                0.5,
            )


def _ranks_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of numbers that few rows rank by chance."""
    rank = mapping.get("rank")
    if rank is not None and rank.origin == "content" and len(draft.sheet.rows) < FEW_ROWS:
        yield Doubt(
            f"{', '.join(map(_short, rank.columns[:4]))} would be ranks of systems of these names",
            f"{map_option('rank', rank.columns)} if they are",
            0.6,
        )


def _unknown_columns(draft: Draft, mapping: Mapping) -> list[str]:
    """Columns that are not read and whose names are in no list."""
    known = HEADERS | set(SYNONYMS["reference"])
    return [column for column in mapping.unused if key_of(column) not in known and draft.profiles[column].filled]


_CHECKS: Final = (
    _people_in_headers,
    _header,
    _columns_of_texts,
    _names_in_cells,
    _file_name,
    _judges,
    _strangers,
    _texts_of_what,
    _answers_not_used,
    _people_not_used,
    _numbers_of_what,
    _ranks_of_what,
    systems_by_place,
    names_of_lists,
)
