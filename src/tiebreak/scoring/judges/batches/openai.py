"""Batches as OpenAI has them: a file of requests, a batch with marks of one's own, a file of results."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from tiebreak.scoring.judges.batches.intent import Intent
from tiebreak.scoring.judges.batches.service import BatchResult, BatchStanding, Found
from tiebreak.scoring.judges.providers.failures import Failed, failure_of, failure_of_status, part, read_object
from tiebreak.scoring.judges.providers.openai import OpenAIProvider, read_completion

_MARK: Final = "tiebreak"
_ENDPOINT: Final = "/v1/chat/completions"
_ENDED: Final = ("completed", "failed", "expired", "cancelled")
_CLOCKS_DIFFER: Final = timedelta(days=1).total_seconds()


class OpenAIBatches:
    """The batches of an account; each has the name of its intent among its metadata."""

    most_calls = 50_000
    most_bytes = 190_000_000

    def __init__(self, provider: OpenAIProvider) -> None:
        self._provider, self._client = provider, provider.client

    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
        """Hand in the requests of an intent; the provider's name of the batch.

        Raises:
            Failed: it was not taken, or (`maybe_paid`) nobody knows.
        """
        lines = (
            {"custom_id": intent.call_name(place), "method": "POST", "url": _ENDPOINT, "body": body}
            for place, body in enumerate(bodies)
        )
        content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode("utf-8", "replace")
        try:
            file = await self._client.files.create(file=(f"{_MARK}-{intent.name}.jsonl", content), purpose="batch")
        except Exception as error:
            failed = self._failed(error)
            failed.maybe_paid = False  # a file alone costs nothing
            raise failed from None
        try:
            batch = await self._client.batches.create(
                input_file_id=file.id,
                endpoint=_ENDPOINT,
                completion_window="24h",
                metadata={_MARK: intent.name},
            )
        except Exception as error:
            raise self._failed(error, handing_in=True) from None
        return batch.id

    async def find(self, intent: Intent, others: Collection[str]) -> Found:
        """Search the provider's list for an intent; `others`: batches that are known to be something else.

        Raises:
            Failed: the list cannot be read.
        """
        try:
            async for batch in self._client.batches.list(limit=100):
                if batch.id not in others and (batch.metadata or {}).get(_MARK) == intent.name:
                    return Found(batch.id)
                if batch.created_at < intent.created - _CLOCKS_DIFFER:
                    break  # the newest come first
        except Exception as error:
            raise self._failed(error) from None
        return Found()

    async def standing(self, batch: str) -> BatchStanding:
        """How far it is.

        Raises:
            Failed: the provider does not say.
        """
        try:
            found = await self._client.batches.retrieve(batch)
        except Exception as error:
            raise self._failed(error) from None
        errors = (found.errors.data if found.errors is not None else None) or []
        problem = "; ".join(str(error.message) for error in errors[:3]) if found.status == "failed" else ""
        done = 0 if found.request_counts is None else found.request_counts.completed
        return BatchStanding(found.status in _ENDED, done, problem)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """What became of its calls, in any order.

        Raises:
            Failed: they cannot be read.
        """
        try:
            found = await self._client.batches.retrieve(batch)
            files = [file for file in (found.output_file_id, found.error_file_id) if file]
            contents = [(await self._client.files.content(file)).content for file in files]
        except Exception as error:
            raise self._failed(error) from None
        for content in contents:
            for line in content.splitlines():
                if line.strip():
                    yield self._result(read_object(line))

    def _result(self, line: Mapping[str, Any]) -> BatchResult:
        name, response = part(line, "custom_id", str), line.get("response")
        if not isinstance(response, Mapping):
            return BatchResult(name)  # the batch ended before it was its turn
        status, body = response.get("status_code"), response.get("body")
        if status != 200:
            failed = failure_of_status(int(status or 500), {}, body, {}, self._provider.key)
            return BatchResult(name, failed=failed)
        try:
            return BatchResult(name, read_completion(part(response, "body", dict), self._provider.key))
        except Failed as failed:
            return BatchResult(name, failed=failed)

    def _failed(self, error: Exception, *, handing_in: bool = False) -> Failed:
        """Why a call to the provider failed; `handing_in`: a server that breaks may have taken the batch."""
        import openai

        failed = failure_of(error, openai, {}, self._provider.key)
        failed.maybe_paid |= handing_in and isinstance(error, openai.APIStatusError) and failed.why == "broken"
        return failed
