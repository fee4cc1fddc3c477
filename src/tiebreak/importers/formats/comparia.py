"""compar:IA: votes of the French public on pairs of conversations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.arena import conversation
from tiebreak.importers.formats.format import Format, have, of_records, says, text
from tiebreak.tabular.nested import Record
from tiebreak.tabular.source import Source


def _say(_: Source, record: Record) -> Iterable[Entry]:
    a, b, chosen = text(record, "model_a_name"), text(record, "model_b_name"), text(record, "chosen_model_name")
    tie = text(record, "both_equal").casefold() in ("true", "1")
    question, first = conversation(record, "conversation_a")
    second = conversation(record, "conversation_b")[1]
    yield says(
        None, None, item=text(record, "conversation_pair_id") or text(record, "id"),
        input=question or text(record, "opening_msg") or None, system_a=a, system_b=b, left=a, text_a=first,
        text_b=second, annotator=text(record, "visitor_id") or text(record, "session_hash") or None,
        outcome="tie" if tie else chosen, decided_at=text(record, "timestamp") or None,
    )  # fmt: skip


FORMAT: Final = Format(
    "comparia",
    "compar:IA votes",
    lambda source: have(source, "model_a_name", "model_b_name", "chosen_model_name"),
    of_records(_say),
)
