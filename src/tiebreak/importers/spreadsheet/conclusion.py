"""Closes a guess: which tables the bindings lead to, and what to say of a file that leads to none."""

from __future__ import annotations

from typing import Literal

from tiebreak.errors import UsageError
from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import CRITERION_NAMES, SYNONYMS, folded, words
from tiebreak.importers.spreadsheet.mapping import Mapping


def conclude(draft: Draft) -> Mapping:
    """Keep the bindings that lead to a table; refuse a file without any."""
    bound = draft.bound
    mapping = Mapping(draft.sheet, "", tuple(bound.values()))
    tables = mapping.tables
    if not tables or (tables == ("items",) and "item" not in bound):
        raise UsageError(_nothing_recognised(draft))
    needed = {"item", "ignore"}
    if "items" in tables:
        needed |= {"input", "context", "reference", "cluster"}
    if "outputs" in tables:
        needed |= {"text", "text_a", "text_b"} | ({"system"} if not mapping.one_column_per_system else set())
    if "preferences" in tables:
        needed |= {"outcome", "left", "annotator", "criterion", "seconds", "decided_at"}
    if "ratings" in tables:
        needed |= {"value", "system", "annotator", "criterion", "seconds", "decided_at"}
    if "scores" in tables:
        needed |= {"score", "system", "metric", "criterion"}
    if tables != ("items",):
        needed |= {"system_a", "system_b"}
    for target, binding in bound.items():
        if target not in needed and binding.origin == "option":
            raise UsageError(_useless(draft, target))
    kept = tuple(binding for target, binding in bound.items() if target in needed)
    used = {column for binding in kept if binding.target != "ignore" for column in binding.columns}
    return Mapping(
        draft.sheet,
        _shape(mapping),
        kept,
        tuple(column for column in draft.sheet.columns if column not in used),
        _several_are(mapping),
    )


def _shape(mapping: Mapping) -> str:
    tables = [table for table in mapping.tables if table != "items"]
    if mapping.one_column_per_system:
        return "one column per system" + (", with preferences" if "preferences" in tables else "")
    system = mapping.get("system")
    if tables and system is not None and system.constant is not None and not mapping.has("system_a"):
        return "one system's " + " and ".join(tables)
    return " and ".join(tables or ["items"])


def _several_are(mapping: Mapping) -> Literal["annotator", "criterion"]:
    outcome = mapping.get("outcome") or mapping.get("value")
    if outcome is None or len(outcome.columns) < 2 or mapping.has("annotator"):
        return "criterion"
    people = all(name_without_number(column) in SYNONYMS["annotator"] for column in outcome.columns)
    if mapping.has("value") and not mapping.has("outcome"):
        return "annotator" if people else "criterion"
    return "criterion" if all(folded(c) in CRITERION_NAMES for c in outcome.columns) else "annotator"


def _useless(draft: Draft, target: str) -> str:
    reasons = {
        "outcome": "an outcome needs a pair: map system_a and system_b, or two text columns (text=COLUMN|COLUMN)",
        "annotator": "an annotator needs an outcome or a rating: map outcome or value",
        "system": "a system needs its text, rating or score: map text, value or score",
        "metric": "a metric needs its scores: map score",
    }
    reason = reasons.get(target, f"nothing in the file needs {target}; see --help for what goes together")
    return f"{draft.sheet.source}: --map {target}=...: {reason}"


def _nothing_recognised(draft: Draft) -> str:
    return (
        f"{draft.sheet.source}: cannot tell what this file holds (columns: {', '.join(draft.sheet.columns)}).\n"
        "Say what the columns are, for example:\n"
        "  outputs:      --map item=COLUMN,system=COLUMN,text=COLUMN\n"
        "  one column per system:  --map 'item=COLUMN,text=COLUMN|COLUMN'\n"
        "  preferences:  --map item=COLUMN,system_a=COLUMN,system_b=COLUMN,outcome=COLUMN\n"
        "  ratings:      --map item=COLUMN,system=COLUMN,value=COLUMN"
    )


def name_without_number(column: str) -> str:
    """The name without its number."""
    return folded("".join(word for word in words(column) if not word.isdigit()))
