"""What came of one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.scoring.judges.answers import Answer
from tiebreak.scoring.judges.readings import ReplyReading

Source = Literal["call", "kept", "batch"]


@dataclass(frozen=True, slots=True)
class Reply:
    """A reading, with the answer where there was one; `dropped`: the parameters that it was asked without."""

    reading: ReplyReading
    text: str | None
    model: str
    source: Source
    dropped: frozenset[str]

    @classmethod
    def of(cls, answer: Answer, reading: ReplyReading, source: Source, dropped: frozenset[str]) -> Reply:
        """That of an answer."""
        return cls(reading, answer.text, answer.model, source, dropped)


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is none: `message` says why, as the server did."""

    message: str


PENDING: Final = NoReply("in a batch that has not ended")

Outcome = Reply | NoReply
