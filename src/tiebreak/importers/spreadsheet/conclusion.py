"""Closes a guess: which tables the bindings lead to, and what to say of a file that leads to none."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.chosen import chosen_texts, way_around
from tiebreak.importers.spreadsheet.doubts import doubts_of
from tiebreak.importers.spreadsheet.draft import Beside, Draft
from tiebreak.importers.spreadsheet.fields import ABOUT_ONE, OF_TRAININGS, key_of, name_without_number
from tiebreak.importers.spreadsheet.header_words import CRITERION_NAMES, SYNONYMS
from tiebreak.importers.spreadsheet.mapping import Mapping
from tiebreak.importers.spreadsheet.pair_cells import separator_of
from tiebreak.importers.spreadsheet.paths import with_inner_names
from tiebreak.importers.spreadsheet.signatures import KEPT

_SAMPLES: Final = ("sample", "sample_a", "sample_b")


def conclude(draft: Draft) -> Mapping:
    """Keep the bindings that lead to a table; refuse a file without any."""
    bound = draft.bound
    mapping = Mapping(draft.sheet, "", tuple(bound.values()))
    tables = mapping.tables
    if tables == ("items",) and _completes_items(draft) and _is_alone(draft.beside):
        raise UsageError(_for_nothing(draft))
    if not tables or (tables == ("items",) and not _completes_items(draft)):
        raise UsageError(_nothing_recognised(draft))
    needed = {"item", "ignore"}
    if "items" in tables:
        needed |= {"input", "context", "reference", "cluster"}
    if "outputs" in tables:
        needed |= {"text", "text_a", "text_b", *_SAMPLES} | (set() if mapping.one_column_per_system else {"system"})
    if "preferences" in tables:
        needed |= {"outcome", "rank", "ranking", "left", "annotator", "criterion", "seconds", "decided_at", *_SAMPLES}
        if mapping.has("rank"):
            needed.add("system")
    if "ratings" in tables:
        needed |= {"value", "severity", "system", "sample", "annotator", "criterion", "seconds", "decided_at"}
    if "scores" in tables:
        needed |= {"score", "system", "sample", "metric", "criterion", "judge", *KEPT["scores"]}
    if "judge_preferences" in tables:
        needed |= {"outcome", "left", "judge", "criterion", "reply", "p_a", "p_tie", "p_b", *_SAMPLES}
        needed |= {*KEPT["judge_preferences"]}
    if "edits" in tables:
        needed |= {"edit", "system", "sample", "annotator", "seconds", "decided_at"}
    if "passages" in tables:
        needed |= {"passage", "passage_text"}
    if "spans" in tables:
        needed |= {"support", "passage", "start", "end", "sensible", "plausible"}
        needed |= {"system", "sample", "annotator", "seconds", "decided_at"}
    if tables != ("items",):
        needed |= {"system_a", "system_b", "pair"}
    if not any(mapping.has(target) and not mapping.owned(target) for target in ABOUT_ONE) and (
        "outputs" not in tables or mapping.one_column_per_system or mapping.has("system_a") or mapping.has("pair")
    ):
        needed.discard("system")
    if "system" in needed and mapping.has("system") and not mapping.one_column_per_system:
        needed |= {*OF_TRAININGS}
    for target, binding in bound.items():
        if target not in needed and binding.origin == "option":
            raise UsageError(_useless(draft, target))
    kept = tuple(binding for target, binding in bound.items() if target in needed)
    used = {column for binding in kept if binding.target != "ignore" for column in binding.columns}
    plan = Mapping(
        draft.sheet,
        _shape(mapping),
        kept,
        tuple(column for column in draft.sheet.columns if column not in used),
        _several_are(mapping),
        pair_separator=_pair_separator(draft),
    )
    plan = with_inner_names(plan)
    return replace(plan, doubts=doubts_of(draft, plan))


def _completes_items(draft: Draft) -> bool:
    """Whether rows say something of items that other files or a study name: by their ids, or references by inputs."""
    return "item" in draft.bound or draft.bound.keys() >= {"input", "reference"}


def _is_alone(beside: Beside) -> bool:
    """Whether no other file and no study has what the items of this one are for."""
    return beside.role == "plain" and not beside.one_of_several and not beside.known


def _pair_separator(draft: Draft) -> str:
    cells = {cell for column in draft.columns("pair") for cell in draft.profiles[column].distinct}
    return separator_of(cells) or " vs "


def _shape(mapping: Mapping) -> str:
    tables = [table.replace("_", " ") for table in mapping.tables if table != "items"]
    if mapping.one_column_per_system:
        others = [table for table in tables if table != "outputs"]
        return "one column per system" + (f", with {' and '.join(others)}" if others else "")
    system = mapping.get("system")
    about_systems = {"outputs", "ratings", "edits", "spans", "scores"} & set(mapping.tables)
    if any(mapping.owned(target) for target in ("score", "value")):
        return " and ".join(tables) + ", one column per system"
    if about_systems and system is not None and system.constant is not None and not mapping.has("system_a"):
        return "one system's " + " and ".join(tables)
    return " and ".join(tables or ["items"])


def _several_are(mapping: Mapping) -> Literal["annotator", "criterion"]:
    outcome = mapping.get("outcome") or mapping.get("value")
    if outcome is None or len(outcome.columns) < 2 or mapping.has("annotator"):
        return "criterion"
    if outcome.people and not outcome.measures:
        return "annotator"
    people = all(name_without_number(column) in SYNONYMS["annotator"] for column in outcome.columns)
    if mapping.has("value") and not mapping.has("outcome"):
        return "annotator" if people else "criterion"
    return "criterion" if all(key_of(c) in CRITERION_NAMES for c in outcome.columns) else "annotator"


def _useless(draft: Draft, target: str) -> str:
    reasons = {
        "text": "one text needs the system that wrote it (map system), and the two of a pair are text_a and text_b",
        "outcome": "an outcome needs a pair: map system_a and system_b, or two text columns (text=COLUMN|COLUMN)",
        "annotator": "an annotator needs an outcome, a rating, an edit or a span: map outcome, value, edit or support",
        "system": "a system needs its text, rating, edit or score: map text, value, edit or score",
        "sample": "a sample needs an output, or labels of one",
        "sample_a": "it needs a pair of systems: map system_a and system_b",
        "sample_b": "it needs a pair of systems: map system_a and system_b",
        "edit": "an edit needs the system whose output it corrects: map system",
        "support": "it needs a passage and a system: map passage (or passage_text) and system",
        "sensible": "it needs what passages say of an answer: map passage and support",
        "plausible": "it needs what passages say of an answer: map passage and support",
        "passage": "a passage needs its text, or what it says of an output: map passage_text or support",
        "start": "a place needs what the passage says of an output: map support",
        "end": "a place needs what the passage says of an output: map support",
        "metric": "a metric needs its scores: map score",
        "signature": "a signature needs what it made: map score, or judge and the outcome of a pair",
        "judge": "a judge needs an outcome of a pair, or scores: map outcome or score",
    }
    reasons |= dict.fromkeys(OF_TRAININGS, "it is said of the system that a row is about: map system")
    reason = reasons.get(target, f"nothing in the file needs {target}; see --help for what goes together")
    return f"{draft.sheet.source}: --map {target}=...: {reason}"


def _for_nothing(draft: Draft) -> str:
    said = [target for target in ("input", "context", "reference", "cluster") if target in draft.bound]
    if "reference" not in said:
        return _nothing_recognised(draft)
    return (
        f"{draft.sheet.source}: {' and '.join(f'{target}s' for target in said)} make no study "
        "alone; name it beside a file of outputs or labels, or bring it into a study with tiebreak add."
    )


def _nothing_recognised(draft: Draft) -> str:
    if (texts := chosen_texts(draft.sheet.columns)) is not None and not draft.bound.keys() & {"system_a", "pair"}:
        return (
            f"{draft.sheet.source}: {texts[0]} and {texts[1]} are texts of which the first is better, and no column "
            f"says which systems wrote them; add two, such as {texts[0]}_model and {texts[1]}_model.\n"
            f"{way_around(texts)}"
        )
    said = [column for column in draft.sheet.columns if key_of(column) in SYNONYMS["outcome"]]
    if said and not draft.bound.keys() & {"system_a", "pair", "text"}:
        item = next(iter((*draft.columns("item"), *draft.columns("input"))), "item")
        return (
            f"{draft.sheet.source}: {said[0]} may say who won, and no column says which two systems were compared.\n"
            "If the first was one system's throughout:  --map system_a=:NAME,system_b=:NAME\n"
            f"Else name a file beside this one with the columns {item}, system_a and system_b, a row for each item."
        )
    return (
        f"{draft.sheet.source}: cannot tell what this file holds (columns: {', '.join(draft.sheet.columns)}).\n"
        "Say what the columns are, for example:\n"
        "  outputs:      --map item=COLUMN,system=COLUMN,text=COLUMN\n"
        "  one column per system:  --map 'item=COLUMN,text=COLUMN|COLUMN'\n"
        "  preferences:  --map item=COLUMN,system_a=COLUMN,system_b=COLUMN,outcome=COLUMN\n"
        "  ratings:      --map item=COLUMN,system=COLUMN,value=COLUMN\n"
        "  scores, a column per system:  --scores-file FILE, beside a file of outputs or labels\n"
        "  edits:        --map item=COLUMN,system=COLUMN,edit=COLUMN\n"
        "  references:   --map input=COLUMN,reference=COLUMN, beside a file of outputs, or with tiebreak add\n"
        "  passages that support an output:  --map item=COLUMN,system=COLUMN,passage=COLUMN,support=COLUMN"
    )
