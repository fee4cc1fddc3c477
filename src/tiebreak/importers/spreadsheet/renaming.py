"""`--rename OLD=NEW` for systems, `--same OTHER=NAME` for people and criteria: other spellings made one name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.importers.spreadsheet.collected import Collected, Row

_SYSTEM_FIELDS: Final = ("system", "system_a", "system_b", "left")
_OTHER_FIELDS: Final = ("annotator", "judge", "criterion")


@dataclass(frozen=True, slots=True)
class Renaming:
    """New names by old ones, of systems, and of people and criteria (`others`)."""

    systems: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)


def parse_renaming(systems: Sequence[str], others: Sequence[str]) -> Renaming:
    """`gpt4=gpt-4` as old and new name; raises UsageError for anything else and for a name that is given twice."""
    return Renaming(_parse("--rename", "OLD=NEW", systems), _parse("--same", "OTHER=NAME", others))


def _parse(option: str, form: str, stated: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in stated:
        old, equals, new = (piece.strip() for piece in part.rpartition("="))
        if not equals or not old or not new:
            raise UsageError(f"{option} {part!r}: write {form}, for example {option} 'GPT 4=gpt-4'")
        if found.setdefault(old, new) != new:
            raise UsageError(f"{option} names {old} twice")
    return found


def rename(collected: Collected, renaming: Renaming) -> None:
    """Give everything collected its new names; two outputs that become one system's on one item are a problem.

    Raises UsageError for an old name that no file has.
    """
    labels = (collected.preferences, collected.ratings, collected.edits, collected.spans)
    rows = [row for some in (*labels, collected.scores, collected.judged) for row in some]
    _check(rows, collected, renaming)
    for row in rows:
        _rename_in(row, _SYSTEM_FIELDS, renaming.systems)
        _rename_in(row, _OTHER_FIELDS, renaming.others)
    collected.scales = {renaming.others.get(name, name): scale for name, scale in collected.scales.items()}
    if renaming.systems:
        trainings = dict(collected.trainings)
        collected.trainings.clear()
        for system, said in trainings.items():
            for name, told in said.items():
                collected.tell(renaming.systems.get(system, system), name, told)
        outputs = dict(collected.outputs)
        collected.outputs.clear()
        for (item, system, sample), (text, place) in outputs.items():
            collected.add_output(item, renaming.systems.get(system, system), text, None, place, sample)


def _check(rows: list[Row], collected: Collected, renaming: Renaming) -> None:
    systems = {system for _, system, _ in collected.outputs} | _values(rows, _SYSTEM_FIELDS)
    for option, what, names, known in (
        ("--rename", "system", renaming.systems, systems),
        ("--same", "person or criterion", renaming.others, _values(rows, _OTHER_FIELDS)),
    ):
        for old in names:
            if old not in known:
                raise UsageError(
                    f"{option} {old}={names[old]}: the files name no {what} {old}{did_you_mean(old, known)}"
                )


def _values(rows: list[Row], fields: Sequence[str]) -> set[str]:
    return {str(row[field]) for row in rows for field in fields if row.get(field) is not None}


def _rename_in(row: Row, fields: Sequence[str], names: dict[str, str]) -> None:
    for field_name in fields:
        stated = row.get(field_name)
        if isinstance(stated, str) and stated in names:
            row[field_name] = names[stated]
