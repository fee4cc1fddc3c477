"""What every provider's batches can do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tiebreak.scoring.judges.batches.intent import Intent
from tiebreak.scoring.judges.providers.failures import Failed
from tiebreak.scoring.judges.replies import Answer


@dataclass(frozen=True, slots=True)
class Found:
    """What the provider's list says of an intent: the `batch` that it is, or those that it may be (`perhaps`), or
    neither: it was never handed in.
    """

    batch: str | None = None
    perhaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BatchStanding:
    """Whether a batch has `ended`, how many calls are `done`, and what went wrong with it as a whole."""

    ended: bool
    done: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of the call of this name: an answer; a failure; or neither: it was never made, and costs nothing."""

    name: str
    answer: Answer | None = None
    failed: Failed | None = None


class BatchService(Protocol):
    """The batches of a provider. `most_calls` and `most_bytes` fit into one."""

    most_calls: int
    most_bytes: int

    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
        """Hand in the requests of an intent; the provider's name of the batch.

        Raises:
            Failed: it was not taken, or (`maybe_paid`) nobody knows.
        """
        ...

    async def find(self, intent: Intent, others: Collection[str]) -> Found:
        """Search the provider's list for an intent; `others`: batches that are known to be something else.

        Raises:
            Failed: the list cannot be read.
        """
        ...

    async def standing(self, batch: str) -> BatchStanding:
        """How far it is.

        Raises:
            Failed: the provider does not say.
        """
        ...

    def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """What became of its calls, in any order.

        Raises:
            Failed: they cannot be read.
        """
        ...
