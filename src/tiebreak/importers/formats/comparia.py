"""compar:IA: votes of the French public on pairs of conversations."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, have, of_records, says, text, two_conversations
from tiebreak.tabular.source import Place, Record


def _vote(record: Record, place: Place) -> Entries:
    texts = two_conversations(record)
    tie = text(record, "both_equal").casefold() in ("true", "1")
    yield says(
        place, item=text(record, "conversation_pair_id", "id"),
        **texts | {"input": texts["input"] or text(record, "opening_msg") or None},
        system_a=text(record, "model_a_name"), system_b=text(record, "model_b_name"), left=text(record, "model_a_name"),
        annotator=text(record, "visitor_id", "session_hash") or None,
        outcome="tie" if tie else text(record, "chosen_model_name"), decided_at=text(record, "timestamp") or None,
    )  # fmt: skip


FORMAT: Final = Format(
    "comparia",
    "compar:IA votes",
    lambda source: have(source, "model_a_name", "model_b_name", "chosen_model_name"),
    of_records(_vote),
)
