"""AlpacaEval: annotations of pairs (`annotations.json`), and outputs beside them (`model_outputs.json`)."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, have, number, says, text
from tiebreak.tabular.source import Sources

_HARD: Final = (0.0, 1.0, 1.5, 2.0)
"""1: the first is better; 2: the second; 1.5, and once 0: a tie."""


def _read(sources: Sources) -> Entries:
    for source in sources:
        soft = any(number(record.get("preference")) not in (None, *_HARD) for _, record in source.records())
        for place, record in source.placed():
            # The instruction is the item, with the input that older sets have: there is no other name.
            about = {"input": text(record, "instruction"), "context": text(record, "input") or None}
            if "output" in record:
                yield says(place, **about, system=text(record, "generator"), text=at(record, "output"))
                continue
            preference = number(record.get("preference"))
            share = None if preference is None else 0.5 if preference == 0 else preference - 1
            side = None if share is None else "tie" if share == 0.5 else "a" if share < 0.5 else "b"
            shares = {"p_a": 1 - share, "p_tie": 0.0, "p_b": share} if soft and share is not None else {}
            yield says(
                place, side, **about, system_a=text(record, "generator_1"), system_b=text(record, "generator_2"),
                text_a=at(record, "output_1"), text_b=at(record, "output_2"),
                judge=text(record, "annotator") or "alpaca_eval",
                unscored="no preference" if side is None else None, **shares,
            )  # fmt: skip


FORMAT: Final = Format(
    "alpaca-eval",
    "AlpacaEval annotations",
    lambda source: have(source, "instruction", "output_1", "output_2", "generator_1", "generator_2", "preference"),
    _read,
    lambda source: have(source, "instruction", "output", "generator"),
)
