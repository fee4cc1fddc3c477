"""Chatbot Arena: votes on pairs of conversations (JSON, JSON Lines, Parquet)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, have, is_there, of_records, says, text, two_conversations
from tiebreak.tabular.documents import Record
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_OWN: Final = ("conversation_a", "full_conversation", "anony", "evaluation_session_id", "conv_metadata")


def _fits(source: Source) -> bool:
    return have(source, "model_a", "model_b", "winner") and any(is_there(source.first[0], key) for key in _OWN)


def _vote(record: Record, place: Place) -> Iterable[Entry]:
    session = text(record, "evaluation_session_id") or None
    yield says(
        place, item=text(record, "question_id") or text(record, "id") or text(record, "tstamp"), cluster=session,
        system_a=text(record, "model_a"), system_b=text(record, "model_b"), left=text(record, "model_a"),
        **two_conversations(record), annotator=text(record, "judge") or session, outcome=text(record, "winner"),
        decided_at=text(record, "timestamp") or text(record, "tstamp") or None,
    )  # fmt: skip


FORMAT: Final = Format("arena", "Chatbot Arena votes", _fits, of_records(_vote))
