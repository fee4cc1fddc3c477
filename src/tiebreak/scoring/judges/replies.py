"""What a model answered, whichever provider it came through, and what becomes of it: an answer of the menu, or none.

Nothing is ever guessed. Log-probabilities of tokens become probabilities of answers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from tiebreak.scoring.judges.menu import Match, Menu

Stop = Literal["done", "length", "refused", "filtered"]
"""Why the reply ends: by itself, at the most tokens that it may have, because the model would not answer, or because a
filter of the provider took it away."""

TOKENS_KEPT: Final = 32
"""Of the end of a reply, where the verdict stands: log-probabilities of a long one would fill a disk."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply, and the log-probabilities of what could have stood in its place, itself among them."""

    text: str
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens `read` and `written`, reasoning included, as the provider bills them."""

    read: int
    written: int

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.read + other.read, self.written + other.written)


NO_USAGE: Final = Usage(0, 0)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply. `model`: the one that says that it answered; `usage`: None where the server does not count; `tokens`:
    the last ones, empty without log-probabilities.
    """

    text: str
    stop: Stop
    model: str
    usage: Usage | None
    tokens: tuple[Token, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "text": self.text,
            "stop": self.stop,
            "model": self.model,
            "usage": None if self.usage is None else [self.usage.read, self.usage.written],
            "tokens": [[token.text, [list(found) for found in token.alternatives]] for token in self.tokens],
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Answer:
        """What `to_dict` made.

        Raises:
            KeyError, TypeError, ValueError: it did not.
        """
        usage = kept["usage"]
        return cls(
            text=str(kept["text"]),
            stop=kept["stop"],
            model=str(kept["model"]),
            usage=None if usage is None else Usage(int(usage[0]), int(usage[1])),
            tokens=tuple(
                Token(str(text), tuple((str(other), float(logprob)) for other, logprob in alternatives))
                for text, alternatives in kept["tokens"]
            ),
        )


@dataclass(frozen=True, slots=True)
class ReplyChances:
    """Probabilities by answer, which sum to 1, and the probability `leaked` to what is on no menu before that."""

    of: dict[str, float]
    leaked: float


def chances(answer: Answer, match: Match, menu: Menu) -> ReplyChances | None:
    """The probabilities where the reply says its answer; an answer's are those of all its forms ("A", " A", '"A').

    None without log-probabilities, where these are not of the reply's text, or where one answer begins another, so that
    its first token does not tell which is meant.
    """
    if not answer.text.endswith("".join(token.text for token in answer.tokens)):
        return None
    token = _token_at(answer.tokens, len(answer.text) - match.place)
    if token is None or menu.known(token.text) != match.label or _ambiguous(menu.labels):
        return None
    found = dict.fromkeys(menu.labels, 0.0)
    for text, logprob in token.alternatives:
        label = menu.known(text)
        if label is not None:
            found[label] += math.exp(min(logprob, 0.0))
    total = sum(found.values())
    if not 0 < total <= 1 + 1e-3:  # rounded log-probabilities may sum to a little more than 1
        return None
    return ReplyChances({label: share / total for label, share in found.items()}, max(1 - total, 0.0))


def _token_at(tokens: Sequence[Token], from_end: int) -> Token | None:
    """The token that holds the character so many from the end of the reply, which the tokens end with."""
    left = 0
    for token in reversed(tokens):
        left += len(token.text)
        if left >= from_end:
            return token
    return None


def _ambiguous(labels: Sequence[str]) -> bool:
    folded = [label.casefold() for label in labels]
    return any(one != other and other.startswith(one) for one in folded for other in folded)


Unscored = Literal["unparsed", "truncated", "refused", "filtered"]
"""Why a reply is worth nothing: it says nothing of the menu; it was cut off; the model would not answer; a filter of
the provider took it away."""

_BY_STOP: Final[dict[Stop, Unscored]] = {"length": "truncated", "refused": "refused", "filtered": "filtered"}


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """A `label` of the menu, with probabilities where there are any, or the reason why there is none."""

    label: str | None
    unscored: Unscored | None = None
    chances: ReplyChances | None = None


def reading_of(answer: Answer, menu: Menu) -> ReplyReading:
    """What a reply says; one that was cut off says nothing, even where an answer stands in it."""
    if answer.stop != "done":
        return ReplyReading(None, _BY_STOP[answer.stop])
    match = menu.read(answer.text)
    if match is None:
        return ReplyReading(None, "unparsed")
    return ReplyReading(match.label, chances=chances(answer, match, menu))


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
