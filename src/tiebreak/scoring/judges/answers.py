"""What a model answered, whichever provider it came through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

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
