"""The columns of a sheet, in the order in which they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.live.task_view import Assignment
from tiebreak.tabular.cells import pieces

TASK = "task"
ANSWER = "answer"
SECONDS = "seconds"
COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column with texts to read; `texts` has one per row of the sheet, "" where a row has none. `compared`: it holds
    one of the two texts that the question is about.
    """

    name: str
    texts: tuple[str, ...]
    compared: bool = False


def text_columns(content: Assignment) -> list[TextColumn]:
    """What there is to read, from left to right. A text that is too long for a cell goes on in a column beside it."""
    columns = []
    for name in content.given_columns:
        columns += _split(name, [task.given.get(name, "") for task in content.tasks], compared=False)
    columns += _split("first text", [task.first for task in content.tasks], compared=True)
    columns += _split("second text", [task.second for task in content.tasks], compared=True)
    return columns


def _split(name: str, texts: Sequence[str], *, compared: bool) -> list[TextColumn]:
    parts = [pieces(text) for text in texts]
    return [
        TextColumn(
            name if place == 0 else f"{name}, part {place + 1}",
            tuple(part[place] if place < len(part) else "" for part in parts),
            compared,
        )
        for place in range(max(map(len, parts), default=1))
    ]
