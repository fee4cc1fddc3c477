"""What every format and every recipe makes of a file: entries, each a few fields with the place where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from tiebreak.errors import InputError, Problem
from tiebreak.tabular.source import Place

OTHERS_SHOWN: Final = 4

ItemSource = Literal["column", "input"]
"""Where the items of files come from: a column, or their distinct inputs."""

FIELDS: Final[Mapping[str, str]] = MappingProxyType({
    "item": "what a row is about: a question, a document",
    "input": "the text that systems were given",
    "context": "what stands before the input, such as a conversation",
    "reference": "what a person wrote, to compare with",
    "cluster": "items that belong together, such as the turns of a conversation",
    "passage": "the name of a passage",
    "passage_text": "the text of a passage",
    "system": "who wrote the output",
    "sample": "which of several outputs of a system for an item",
    "text": "the output",
    "system_a": "the first system of a pair",
    "system_b": "the second system of a pair",
    "sample_a": "which output of the first system",
    "sample_b": "which output of the second system",
    "text_a": "the output of the first system",
    "text_b": "the output of the second system",
    "outcome": "who won: a system, a side, or a tie",
    "left": "the system that was shown on the left",
    "rank": "the rank of a system",
    "ranking": "a whole ranking, such as x > y = z",
    "wins_a": "how often the first system won",
    "ties": "how often there was a tie",
    "wins_b": "how often the second system won",
    "annotator": "the person who labelled",
    "judge": "the model that judged",
    "reply": "what the judge wrote",
    "p_a": "how likely the judge thinks that the first is better",
    "p_tie": "how likely the judge thinks that there is a tie",
    "p_b": "how likely the judge thinks that the second is better",
    "unscored": "why the judge gave no answer",
    "criterion": "what was asked for, such as fluency",
    "value": "a person's rating, or a judge's grade",
    "metric": "the name of a metric",
    "score": "a metric's score",
    "edit": "the output as a person corrected it",
    "support": "whether a passage supports the output",
    "start": "where the words in the passage begin",
    "end": "where the words in the passage end",
    "sensible": "whether the question makes sense",
    "plausible": "whether the answer is plausible",
    "seconds": "how long the label took",
    "decided_at": "when the label was given (ISO 8601)",
    "run": "the training of which a system is a checkpoint",
    "step": "the step of that training",
    "total_steps": "how many steps the training has",
    "dev_loss": "the loss of the checkpoint on held-out data",
    "setting": "hyper-parameters of the training",
    "signature": "what made a score or judgement, as tiebreak writes it",
    "judged_texts": "which texts were judged, as tiebreak writes it",
})  # fmt: skip
"""All fields that an entry can have, and what each is."""

OF_A_PAIR: Final = frozenset({
    "system_a", "system_b", "sample_a", "sample_b", "text_a", "text_b", "outcome", "left", "reply", "p_a", "p_tie",
    "p_b", "unscored", "wins_a", "ties", "wins_b", "ranking",
})  # fmt: skip
LABELS: Final = frozenset({
    "outcome", "rank", "ranking", "value", "edit", "support", "sensible", "plausible", "wins_a", "wins_b",
})  # fmt: skip
"""Fields that hold what somebody said, who has to be named."""


@dataclass(slots=True)
class Entry:
    """Something that a file says: `fields` by name, texts (a reference may be several) or numbers; a blank or None says
    nothing. `side`: who won (a, tie, b or skip), where that need not be read from an outcome. `columns`: where fields
    stand.
    """

    place: Place
    fields: dict[str, object]
    side: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A field without blanks around it; "" where it says nothing."""
        value = self.fields.get(name)
        return "" if value is None else str(value).strip()

    def column(self, name: str) -> str:
        """The column of a field, or what else it is called."""
        return self.columns.get(name, name)


@dataclass(frozen=True, slots=True)
class Reading:
    """How often a cell of a column occurs and what it was read as."""

    file: str
    column: str
    cell: str
    meaning: str
    count: int


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was left out of a file, why, and how often."""

    file: str
    reason: str
    count: int


@dataclass(slots=True)
class _Cause:
    """What is wrong in the same way with one or more cells of a column: the first place, the cells, the rows."""

    place: Place
    column: str | None
    message: str
    cells: dict[str | None, None] = field(default_factory=dict)
    rows: set[int | None] = field(default_factory=set)

    def problem(self) -> Problem:
        """The first of them, and how many there are."""
        first, *others = self.cells
        count = len(self.rows)
        also = [f"{_shortened(cell)!r}" for cell in others if cell][:OTHERS_SHOWN]
        more = f", also {', '.join(also)}" + (", ..." if len(others) > len(also) else "") if also else ""
        counted = f" ({count:,} rows{more})" if count > 1 else ""
        return self.place.problem(self.message + counted, self.column, first)


def _shortened(cell: str) -> str:
    return cell if len(cell) <= 20 else cell[:19] + "…"


class Problems:
    """Problems of files, one for each cause."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str | None, str], _Cause] = {}

    def add(self, place: Place, column: str | None, cell: str | None, message: str, cause: str = "") -> None:
        """One cell that is wrong; those of one `cause` (else of one message) in one column are told together."""
        key = (place.file, column, cause or message)
        found = self._causes.setdefault(key, _Cause(place, column, message))
        found.cells[cell] = None
        found.rows.add(place.line)

    def raise_any(self, beside: Iterable[Problem] = ()) -> None:
        """InputError with all problems, in the order of the files."""
        found = [*beside, *(cause.problem() for cause in self._causes.values())]
        if found:
            raise InputError(found)


def texts_of(value: object) -> Sequence[str]:
    """One text or several as several; blank ones are left out."""
    found = value if isinstance(value, list | tuple) else [value]
    return [str(text) for text in found if text is not None and str(text).strip()]
