"""Doubts about texts: whether their columns are systems, and whether they are outputs of systems at all."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from tiebreak.importers.importer import Doubt
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.mapping import Mapping, map_option
from tiebreak.importers.spreadsheet.names import shown_name, some_with_reasons, why_no_system
from tiebreak.importers.spreadsheet.profile import SHORT_ANSWER, Profile
from tiebreak.importers.spreadsheet.wide import says_system


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


def texts_of_what(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """Columns of texts whose names do not say that they are about systems."""
    text = mapping.get("text")
    if text is None or text.origin == "option" or text.origin != "content":
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
        f"{', '.join(map(shown_name, anonymous[:4]))} would be systems, though the names do not say so",
        f"{map_option('text', text.columns)} if they are",
        chance,
    )


def outputs_of_a_file(draft: Draft, mapping: Mapping) -> Iterator[Doubt]:
    """The file's name as the system's, where the file is about more."""
    system = mapping.get("system")
    if system is None or system.origin != "file name":
        return
    if why := why_no_system(system.constant or ""):
        yield Doubt(
            f"the system would be called {shown_name(system.constant or '')!r} after the file, and that {why}",
            f"--system {shlex.quote(f'NAME={draft.sheet.source}')}",
        )
    elif not mapping.has("text") and mapping.tables:
        yield Doubt(
            f"the numbers would be about a system called {system.constant}, after the file",
            "--map system=COLUMN, or --system NAME=FILE",
            0.4,
        )
