"""Chatbot Arena: votes on pairs of conversations (JSON, JSON Lines, Parquet)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, at, have, is_there, of_records, says, text
from tiebreak.tabular.nested import FIRST_MESSAGE, Record, flat
from tiebreak.tabular.source import Source

_OWN: Final = ("conversation_a", "full_conversation", "anony", "evaluation_session_id", "conv_metadata")


def _fits(source: Source) -> bool:
    return have(source, "model_a", "model_b", "winner") and any(is_there(source.first[0], key) for key in _OWN)


def conversation(record: Record, key: str) -> tuple[str | None, str | None]:
    """The first message of a conversation, and what was answered."""
    row = flat({"c": at(record, key)})
    return row.get(f"c{FIRST_MESSAGE}"), row.get("c") or None


def _vote(_: Source, record: Record) -> Iterable[Entry]:
    winner = text(record, "winner")
    question, first = conversation(record, "conversation_a")
    second = conversation(record, "conversation_b")[1]
    session = text(record, "evaluation_session_id")
    yield says(
        None, None, item=text(record, "question_id") or text(record, "id") or text(record, "tstamp"), input=question,
        cluster=session or None,
        system_a=text(record, "model_a"), system_b=text(record, "model_b"), left=text(record, "model_a"),
        text_a=first, text_b=second, annotator=text(record, "judge") or session or None, outcome=winner,
        decided_at=text(record, "timestamp") or text(record, "tstamp") or None,
    )  # fmt: skip


FORMAT: Final = Format("arena", "Chatbot Arena votes", _fits, of_records(_vote))
