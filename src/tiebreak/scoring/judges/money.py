"""What calls cost: an estimate before them, a purse that is never overdrawn during them, the bill afterwards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.provider import Request
from tiebreak.scoring.judges.replies import NO_USAGE, Usage

_MILLION: Final = 1_000_000
_BYTES_PER_TOKEN: Final = 4
_TOKENS_AROUND: Final = 200
"""More than any server adds to what it is sent."""
_USUALLY_WRITTEN: Final = 30
_ROUNDING: Final = 1e-12

CALLS_BEFORE_CORRECTING: Final = 20


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens `read` and `written`."""

    read: float
    written: float

    def of(self, usage: Usage) -> float:
        """What these tokens cost."""
        return (usage.read * self.read + usage.written * self.written) / _MILLION

    def times(self, share: float) -> Prices:
        """The same for calls that cost this share, as those of a batch do."""
        return Prices(self.read * share, self.written * share)


def usually(message: PromptMessage) -> Usage:
    """What a message and its reply take, by its size and without a tokenizer."""
    return Usage(math.ceil(message.size / _BYTES_PER_TOKEN), _USUALLY_WRITTEN)


def at_most(request: Request, tokens: int) -> Usage:
    """What a request and its reply cannot take more than: no token is less than a byte."""
    return Usage(request.size + _TOKENS_AROUND, tokens)


@dataclass(slots=True)
class Purse:
    """Money for calls. `limit` None: any amount. `paid` for replies that came; `doubtful`: what calls may have cost
    whose replies were lost; `reserved`: what those on their way may cost at most.
    """

    limit: float | None = None
    paid: float = 0.0
    doubtful: float = 0.0
    reserved: float = 0.0

    def reserve(self, amount: float) -> bool:
        """Set money aside for a call, if there is enough."""
        if self.limit is not None and self.paid + self.doubtful + self.reserved + amount > self.limit + _ROUNDING:
            return False
        self.reserved += amount
        return True

    def release(self, amount: float) -> None:
        """A call that was set aside for costs nothing."""
        self.reserved = max(self.reserved - amount, 0.0)

    def pay(self, reserved: float, cost: float) -> None:
        """A call that was set aside for has cost this much."""
        self.release(reserved)
        self.paid += cost

    def doubt(self, reserved: float) -> None:
        """A call that was set aside for may have cost as much, and nobody will say."""
        self.release(reserved)
        self.doubtful += reserved


@dataclass(slots=True)
class Meter:
    """Calls and tokens as they come in, beside what was expected of the same calls."""

    calls: int = 0
    usage: Usage = NO_USAGE
    expected: Usage = NO_USAGE
    lost: int = 0
    uncounted: int = 0

    def add(self, expected: Usage, used: Usage | None) -> Usage:
        """A reply; where the server does not count, it took what was expected. What it took."""
        self.calls += 1
        self.uncounted += used is None
        taken = used or expected
        self.usage, self.expected = self.usage + taken, self.expected + expected
        return taken

    def corrected(self, estimate: Usage) -> Usage | None:
        """An estimate by what the first calls took; None before there were enough of them."""
        if self.calls < CALLS_BEFORE_CORRECTING:
            return None
        return Usage(
            math.ceil(estimate.read * self.usage.read / max(self.expected.read, 1)),
            math.ceil(estimate.written * self.usage.written / max(self.expected.written, 1)),
        )
