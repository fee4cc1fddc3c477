"""Batches as Anthropic has them: requests in one call, without marks of one's own.

Which batch is whose can be told by the names of its calls, and those are only shown once it has ended.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final

from tiebreak.scoring.judges.batches.intent import Intent
from tiebreak.scoring.judges.batches.service import BatchResult, BatchStanding, Found
from tiebreak.scoring.judges.providers.anthropic import AnthropicProvider, read_reply
from tiebreak.scoring.judges.providers.failures import Failed, failure_of, failure_of_status, part

_CLOCKS_DIFFER: Final = 900.0
_HANDED_IN_WITHIN: Final = 3600.0


class AnthropicBatches:
    """The batches of a workspace."""

    most_calls = 100_000
    most_bytes = 250_000_000

    def __init__(self, provider: AnthropicProvider) -> None:
        self._provider, self._client = provider, provider.client

    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
        """Hand in the requests of an intent; the provider's name of the batch.

        Raises:
            Failed: it was not taken, or (`maybe_paid`) nobody knows.
        """
        requests: Any = [
            {"custom_id": intent.call_name(place), "params": dict(body)} for place, body in enumerate(bodies)
        ]
        try:
            batch = await self._client.messages.batches.create(requests=requests)
        except Exception as error:
            raise self._failed(error, handing_in=True) from None
        return batch.id

    async def find(self, intent: Intent, others: Collection[str]) -> Found:
        """Search the provider's list for an intent; `others`: batches that are known to be something else.

        Of those made at that time with as many calls, one that has ended shows its calls; any other may be it.

        Raises:
            Failed: the list cannot be read.
        """
        perhaps = []
        try:
            async for batch in self._client.messages.batches.list(limit=100):
                made, counts = batch.created_at.timestamp(), batch.request_counts
                if made < intent.created - _CLOCKS_DIFFER:
                    break  # the newest come first
                calls = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                late = made > intent.created + _HANDED_IN_WITHIN
                if batch.id in others or late or calls != len(intent.calls):
                    continue
                if batch.processing_status != "ended":
                    perhaps.append(batch.id)
                elif await self._first_call_is_of(intent, batch.id):
                    return Found(batch.id)
        except Failed:
            raise
        except Exception as error:
            raise self._failed(error) from None
        return Found(perhaps=tuple(perhaps))

    async def standing(self, batch: str) -> BatchStanding:
        """How far it is.

        Raises:
            Failed: the provider does not say.
        """
        try:
            found = await self._client.messages.batches.retrieve(batch)
        except Exception as error:
            raise self._failed(error) from None
        return BatchStanding(found.processing_status == "ended", found.request_counts.succeeded)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """What became of its calls, in any order.

        Raises:
            Failed: they cannot be read.
        """
        try:
            async for found in await self._client.messages.batches.results(batch):
                yield self._result(found.to_dict())
        except Failed:
            raise
        except Exception as error:
            raise self._failed(error) from None

    async def _first_call_is_of(self, intent: Intent, batch: str) -> bool:
        async for result in self.results(batch):
            return intent.call_named(result.name) is not None
        return False

    def _result(self, line: Mapping[str, Any]) -> BatchResult:
        name, result = part(line, "custom_id", str), part(line, "result", dict)
        kind, key = result.get("type"), self._provider.key
        if kind == "succeeded":
            try:
                return BatchResult(name, read_reply(part(result, "message", dict), key))
            except Failed as failed:
                return BatchResult(name, failed=failed)
        if kind == "errored":
            return BatchResult(name, failed=failure_of_status(400, {}, result.get("error"), {}, key))
        return BatchResult(name)  # expired or cancelled before it was its turn

    def _failed(self, error: Exception, *, handing_in: bool = False) -> Failed:
        """Why a call to the provider failed; `handing_in`: a server that breaks may have taken the batch."""
        import anthropic

        failed = failure_of(error, anthropic, {}, self._provider.key)
        failed.maybe_paid |= handing_in and isinstance(error, anthropic.APIStatusError) and failed.why == "broken"
        return failed
