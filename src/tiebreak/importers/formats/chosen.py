"""Preference sets to learn from: what was chosen and what was rejected, with the models where the file names them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, at, conversation, have, of_records, says, text
from tiebreak.tabular.documents import Record
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_ASKED: Final = ("prompt", "question", "instruction", "input")
_LAST: Final = "\n\nAssistant:"
"""What stands before the last answer, where question and answer are one text, as in HH-RLHF."""


def _side(record: Record, key: str) -> tuple[str | None, str | None]:
    """What was asked and answered, of a conversation or a text."""
    value = at(record, key)
    if not isinstance(value, str):
        return conversation(record, key)
    asked, mark, answer = value.rpartition(_LAST)
    return (asked.strip(), answer.strip()) if mark else (None, value)


def _pair(record: Record, place: Place) -> Iterator[Entry]:
    question, chosen = _side(record, "chosen")
    asked = next(
        (prompt for name in _ASKED if (prompt := _side(record, name)[1] or _side(record, name)[0])),
        question,
    )
    models = [text(record, f"{side}_model") or text(record, f"{side}-model") for side in ("chosen", "rejected")]
    # A question may stand in several rows, each with other answers: without a name, each row is an item.
    own = text(record, "prompt_id") or text(record, "id") or f"{Path(place.file).stem}-{place.line}"
    yield says(
        place, "a", item=own, input=asked, system_a=models[0] or "chosen", system_b=models[1] or "rejected",
        text_a=chosen, text_b=_side(record, "rejected")[1], annotator=text(record, "annotator") or "dataset",
    )  # fmt: skip


def _fits(source: Source) -> bool:
    """Texts or conversations, and not the names of systems, which come again and again."""
    if not have(source, "chosen", "rejected"):
        return False
    answers = [text(record, side) for record in source.first for side in ("chosen", "rejected")]
    return any(" " in answer.strip() for answer in answers) or 2 * len(set(answers)) > len(answers)


def _remark(sources: Sequence[Source]) -> str:
    if all(have(source, "chosen_model", "rejected_model") for source in sources):
        return ""
    return "No column names models: these labels are to learn from, and no evidence which system is better."


FORMAT: Final = Format(
    "chosen-rejected",
    "preference sets (chosen, rejected)",
    _fits,
    of_records(_pair),
    remark=_remark,
)
