"""Chatbot Arena: votes on pairs of conversations (JSON, JSON Lines, Parquet)."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, have, name_of, number, of_records, says, text, two_conversations
from tiebreak.tabular.source import Place, Record, Source

_OWN: Final = ("conversation_a", "full_conversation", "anony", "evaluation_session_id", "conv_metadata")
_WON: Final = ("model_a", "model_b", "tie")
"""The columns of the release of 55,000 votes, after `winner_`."""


def _fits(source: Source) -> bool:
    wide = have(source, "prompt", "response_a", *(f"winner_{name}" for name in _WON))
    return wide or (have(source, "model_a", "model_b", "winner") and any(key in source.first[0] for key in _OWN))


def _vote(record: Record, place: Place) -> Entries:
    session = text(record, "evaluation_session_id") or None
    won = next((name for name in _WON if number(record.get(f"winner_{name}"))), "")
    yield says(
        place, item=name_of(record, place, "question_id", "id", "tstamp"), cluster=session,
        system_a=text(record, "model_a"), system_b=text(record, "model_b"), left=text(record, "model_a"),
        **two_conversations(record), annotator=text(record, "judge", "judge_hash") or session,
        outcome=text(record, "winner") or won, decided_at=text(record, "timestamp", "tstamp") or None,
    )  # fmt: skip


FORMAT: Final = Format("arena", "Chatbot Arena votes", _fits, of_records(_vote))
