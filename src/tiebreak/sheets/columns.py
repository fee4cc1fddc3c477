"""The columns of a sheet, in the order in which they stand.

How much work a sheet holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting
from tiebreak.tabular.cells import pieces

if TYPE_CHECKING:
    from tiebreak.live.task_view import Assignment

TASK = "task"
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
    for place, shown in enumerate(content.tasks[0].texts if content.tasks else ()):
        columns += _split(shown.name, [task.texts[place].text for task in content.tasks], compared=shown.compared)
    for number in range(content.passages):
        texts = [task.passages[number] if number < len(task.passages) else "" for task in content.tasks]
        columns += _split(f"passage {number + 1}", texts, compared=False)
    return columns


def told_columns(content: Assignment) -> list[str]:
    """What to write into which column, a sentence for each that needs one."""
    return [f"Column “{field.name}”: {field.told_in_full}" for field in content.fields if field.told]


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


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """`number` of tasks, at most; None: as many as keep most labels evidence (`campaign.in_flight`).

    Raises `UsageError` for impossible values.
    """

    number: int | None = setting(
        None,
        Setting(
            "Number of tasks, at most",
            short="-n",
            at_least=1,
            at_most=shared.MOST_LABELS_IN_ALL,
            default_words="few while few labels are evidence, up to 50",
        ),
    )

    def __post_init__(self) -> None:
        check_settings(self)
