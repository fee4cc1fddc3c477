"""Answers of judges as rows of a study's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import polars as pl

from tiebreak.data.columns import completed
from tiebreak.data.provenance import Meaning
from tiebreak.data.schema import TableName
from tiebreak.scoring.judges.chances import ReplyChances
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.reply import Reply
from tiebreak.scoring.judges.signature import meaning_of, signature_of
from tiebreak.scoring.judges.work.question import Row

_TYPES: Final[Mapping[str, pl.DataType]] = {
    **dict.fromkeys(
        ("item", "system_a", "system_b", "judge", "outcome", "criterion", "left", "reply", "sample_a", "sample_b",
         "signature", "unscored", "system", "metric", "sample"),
        pl.String(),
    ),
    **dict.fromkeys(("p_a", "p_tie", "p_b", "value"), pl.Float64()),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows of one judge for one `table`, and what their signatures stand for."""

    judge: Judge
    table: TableName
    frame: pl.DataFrame
    meanings: Mapping[str, Meaning]


def table_of(judge: Judge) -> TableName:
    """The table that a judge writes: scores where it grades."""
    return "scores" if judge.settings.grades else "judge_preferences"


def rows_of(
    judge: Judge, answered: Iterable[tuple[Row, Reply]], identical: Iterable[Row], dropped: frozenset[str]
) -> NewRows:
    """The rows of replies, and of comparisons of `identical` texts, which are ties; `dropped`: parameters that the
    model has rejected by now.
    """
    names, meanings = dict[frozenset[str], str](), dict[str, Meaning]()

    def signed(without: frozenset[str]) -> str:
        if without not in names:
            meaning = meaning_of(judge, without)
            names[without] = signature_of(meaning)
            meanings[names[without]] = meaning
        return names[without]

    rows: list[dict[str, object]] = []
    for row, reply in answered:
        told = _grade(reply) if judge.settings.grades else _preference(judge, row, reply)
        if told is not None:
            rows.append({**row, **told, "signature": signed(reply.dropped)})
    rows += [{**row, "outcome": "tie", "signature": signed(dropped)} for row in identical]
    table = table_of(judge)
    schema = {name: kind for name, kind in _TYPES.items() if any(name in row for row in rows)}
    frame = pl.DataFrame(rows, schema=schema)
    return NewRows(judge, table, completed(frame, table) if rows else frame, meanings)


def _grade(reply: Reply) -> dict[str, object] | None:
    """A score; none where the reply has none, since a table of scores has no place for it."""
    return None if reply.reading.label is None else {"value": float(reply.reading.label)}


def _preference(judge: Judge, row: Row, reply: Reply) -> dict[str, object]:
    """What is said of systems a and b by an answer about the texts shown first and second."""
    labels = judge.menu.labels
    first_is_a = row["left"] == row["system_a"]
    sides = ("a", "b", "tie") if first_is_a else ("b", "a", "tie")
    named = dict(zip(labels, sides, strict=False))
    reading = reply.reading
    outcome = None if reading.label is None else named[reading.label]
    told: dict[str, object] = {"outcome": outcome, "reply": reply.text, "unscored": reading.unscored}
    return told | _probabilities(reading.chances, named)


def _probabilities(chances: ReplyChances | None, named: Mapping[str, str]) -> dict[str, object]:
    if chances is None:
        return {}
    found = {f"p_{named[label]}": share for label, share in chances.of.items()}
    return {"p_tie": 0.0, **found}
