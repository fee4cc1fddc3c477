"""What every provider does, whatever its requests look like."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.replies import Answer


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent for a message: `fixed`, which every call has, and `parameters`, each of which a model may reject.

    `cap`: the parameter that limits the tokens of the reply, None where the model has rejected all that do.
    """

    fixed: Mapping[str, object]
    parameters: Mapping[str, object]
    cap: str | None

    @property
    def size(self) -> int:
        """Bytes of all that a model may read of it."""
        return len(
            json.dumps([self.fixed, self.parameters], ensure_ascii=False, default=dict).encode("utf-8", "replace")
        )

    def body(self, tokens: int) -> dict[str, object]:
        """The request for a reply of at most so many tokens."""
        return {**self.fixed, **self.parameters, **({} if self.cap is None else {self.cap: tokens})}


class Provider(Protocol):
    """A server, and a key for it."""

    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
        """The request for a reply to a message, without the parameters that were dropped."""
        ...

    async def send(self, request: Request, tokens: int) -> Answer:
        """The reply, of at most so many tokens.

        Raises:
            Failed: there is none, and why.
        """
        ...

    async def close(self) -> None:
        """Give all connections back."""
        ...
