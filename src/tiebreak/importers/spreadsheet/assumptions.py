"""Sentences about what the files do not say, and what was taken to be so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tiebreak.data.schema import YES_OR_NO
from tiebreak.data.study_toml import checkpoints_by_name
from tiebreak.importers.importer import ItemSource
from tiebreak.importers.spreadsheet.chosen import chosen_without_systems
from tiebreak.importers.spreadsheet.collected import Collected
from tiebreak.importers.spreadsheet.fields import OF_TRAININGS, key_of, side_of
from tiebreak.importers.spreadsheet.header_notes import SECONDS, time_unit
from tiebreak.importers.spreadsheet.header_words import BESIDE_NAMES, RUN_NAMES, SYNONYMS
from tiebreak.importers.spreadsheet.layouts.said_outcome import COLUMN as SAID
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.measures import DEFAULT_CRITERION
from tiebreak.importers.spreadsheet.trainings import systems_called, systems_told

_SHOWN: Final = 6
"""Names of checkpoints in a sentence."""


@dataclass(frozen=True, slots=True)
class AssumedRecords:
    """What files say, as rows of the study's tables, and where their items come from (`made`: how many were named)."""

    collected: Collected
    source: ItemSource
    made: int
    in_both_orders: bool


def assumptions(mappings: Sequence[Mapping], records: AssumedRecords) -> list[str]:
    """A sentence for each thing that files do not say and the import takes for granted; `mappings`: one per file."""
    found = []
    collected, source, made = records.collected, records.source, records.made
    if source == "input":
        what = "input and context" if any(mapping.has("context") for mapping in mappings) else "input"
        found.append(f"No item column: each distinct {what} is one item ({made:,}: item0001, item0002, ...).")
    elif source == "position" and len(mappings) > 1:
        found.append(f"No item column: row n of every file is the same item, by position ({made:,} rows in each file).")
    elif source == "position":
        found.append(f"No item column: each row is one item ({made:,}: item0001, item0002, ...).")
    by_file = [m for m in mappings if (s := m.get("system")) and s.origin == "file name"]
    if by_file:
        found.append("No system column: the name of the file is the system (--system NAME=FILE says another).")
    if any(b.target == "annotator" and b.origin == "file name" for m in mappings for b in m.bindings):
        found.append("No annotator column: the name of each file is who labelled, as the files ask the same questions.")
    if collected.unnamed_labels:
        labels = (*collected.preferences, *collected.ratings, *collected.edits, *collected.spans)
        numbers = {str(row["annotator"]) for row in labels}
        found.append(
            "No annotator column: every label is by annotator1."
            if len(numbers) == 1
            else "No annotator column: repeated labels of one output or pair are by annotator1, annotator2, ... "
            "in order of the rows."
        )
        if collected.ratings:
            found.append(
                "Ratings by one name count as one person's, who is as strict with every output: if different people "
                "rated, name them in a column."
            )
    if records.in_both_orders:
        found.append("The judge answers about pairs in both orders: system_a is taken to be the one shown first.")
    stated = {name: scale for name, scale in collected.scales.items() if name not in YES_OR_NO}
    for scale in dict.fromkeys(stated.values()):
        criteria = [criterion for criterion, known in stated.items() if known == scale]
        ends = f"{scale[0]:g} to {scale[1]:g}"
        found.append(f"{', '.join(criteria)}: {ends} in a column's name is taken for the scale, and is in study.toml.")
    for mapping in mappings:
        found += _column_assumptions(mapping)
    told = systems_told(collected)
    often = Counter(one.run for one in told.values())
    if unsaid := [name for name, one in told.items() if one.step is None and often[one.run] > 1]:
        more = f" and {len(unsaid) - _SHOWN:,} more" if len(unsaid) > _SHOWN else ""
        found.append(f"No step is said of {', '.join(unsaid[:_SHOWN])}{more}.")
    if called := systems_called(collected):
        found.append(f"study.toml has the steps that names of checkpoints say, such as {next(iter(called))}.")
    return list(dict.fromkeys(found))


def _column_assumptions(mapping: Mapping) -> list[str]:
    found = list(mapping.sheet.remarks)
    people = mapping.get("annotator")
    if people is not None and people.columns == (mapping.sheet.part_column,) and people.origin != "option":
        found.append("No annotator column: each sheet is one person's, as the sheets ask the same questions.")
    if mapping.has("severity"):
        found.append(
            "Ratings on mqm are minus the sum of a person's marked errors: 25 critical or no translation, 5 major, "
            "1 minor, 0.1 minor punctuation."
        )
    seconds = mapping.get("seconds")
    unit = time_unit(seconds.columns[0]) if seconds is not None and seconds.columns else None
    if seconds is not None and unit is not None and unit is not SECONDS:
        found.append(f"{seconds.columns[0]} is in {unit.name}, and is kept in seconds.")
    system = mapping.get("system")
    if system is not None and system.columns and system.origin != "option":
        *models, checkpoint = system.columns
        if key_of(checkpoint) in BESIDE_NAMES["system"]:
            of_each = "".join(f" of each {owner}" for owner in reversed(models))
            steps = mapping.has("step") or bool(checkpoints_by_name(mapping.systems))
            what = ", a checkpoint of a training" if steps else "; no step is said of it, so that study.toml has none"
            found.append(f"Each {checkpoint}{of_each} is one system{what}.")
        elif key_of(checkpoint) in RUN_NAMES:
            found.append(f"Each {checkpoint} is one system, a training.")
    if mapping.has("step") or mapping.has("run"):
        found.append(_of_checkpoints(mapping))
    sample = mapping.get("sample")
    if sample is not None and sample.columns and sample.origin != "option":
        found.append(
            f"Rows of one item and system that differ in {sample.columns[0]} are several outputs of the system."
        )
    if mapping.has("passage_text") and not mapping.has("passage"):
        found.append("No column names the passages: each distinct text of an item is one (p1, p2, ...).")
    if mapping.ranks:
        order = "the smaller rank is the better (1 is the best), " if mapping.has("rank") else ""
        found.append(f"A ranking is a preference for every pair of its systems: {order}equal ranks are ties.")
    outcome, value, text = mapping.get("outcome"), mapping.get("value"), mapping.get("text")
    if outcome is not None and outcome.columns == (SAID,):
        found.append("Every row has the outcome that you said: labels to learn from, and no evidence which is better.")
    several = next((b for b in (outcome, value) if b is not None and len(b.columns) > 1), None)
    if several is not None and several.people:
        found.append(f"Each of {', '.join(dict.fromkeys(several.people))} is one person.")
    elif several is not None and not several.owners:
        found.append(f"Each of the columns {', '.join(several.columns)} is one {mapping.several_are}.")
    annotator = mapping.get("annotator")
    if annotator is not None and any(key_of(c) in SYNONYMS["judge"] for c in annotator.columns):
        found.append(f"The column {annotator.columns[0]} is taken to name people; answers of models are no labels.")
    judge = mapping.get("judge")
    if judge is not None:
        who = f"{judge.constant} is a model" if judge.constant else f"{judge.columns[0]} names models"
        found.append(f"{who}: the answers are judge preferences or scores, and no labels of people.")
    if unused := chosen_without_systems(mapping):
        found.append(unused)
    named_by_columns = text is not None and len(text.columns) == 2 and not mapping.has("system_a")
    if "preferences" in mapping.tables and text is not None and named_by_columns:
        first, second = map(text.name_of, text.columns)
        shuffled = all(side_of(name)[0] for name in (first, second))
        unless = f"; if several wrote in each, name them in columns such as {first}_model" if shuffled else ""
        found.append(f"system_a is {first}, system_b is {second}, as the columns stand{unless}.")
    if "ratings" in mapping.tables and value is not None and not mapping.has("criterion"):
        unnamed = len(value.columns) == 1 or mapping.several_are == "annotator"
        if unnamed and key_of(value.columns[0]) in SYNONYMS["value"]:
            found.append(f"No criterion column: the ratings are of {DEFAULT_CRITERION!r}.")
    if mapping.sheet.renamed:
        found.append(
            f"{mapping.sheet.source}: columns without a name of their own were called "
            f"{', '.join(mapping.sheet.renamed)}."
        )
    return found


def _of_checkpoints(mapping: Mapping) -> str:
    """What study.toml says of checkpoints."""
    said = [target for target in OF_TRAININGS if target != "setting" and mapping.has(target)]
    settings = mapping.get("setting")
    said += [f"settings ({', '.join(settings.columns)})"] if settings is not None else []
    named = mapping.has("run") or any(one.run is not None for one in checkpoints_by_name(mapping.systems).values())
    run = "" if named else "; no column names runs, so that all are of one training"
    return f"study.toml has what the file says of its checkpoints: {', '.join(said)}{run}."
