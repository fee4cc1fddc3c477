"""Anthropic: its Messages API, and batches of it.

Batches have no marks of one's own. Which one is whose can be told by the names of its calls, and those are only shown
once it has ended.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Any, Final

from tiebreak.scoring.judges.judge import PromptMessage
from tiebreak.scoring.judges.provider import BatchResult, BatchStanding, Listed, Provider, Request
from tiebreak.scoring.judges.replies import Stop
from tiebreak.scoring.judges.store import Intent

_STOPS: Final[dict[str | None, Stop]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_CLOCKS_DIFFER: Final = 900.0
_HANDED_IN_WITHIN: Final = 3600.0


class AnthropicProvider(Provider):
    """The Messages API at a judge's address, and the batches of a workspace."""

    most_calls = 100_000
    most_bytes = 250_000_000

    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
        settings = self._judge.settings
        fixed: dict[str, object] = {
            "model": self._judge.model,
            "messages": [{"role": "user", "content": message.user}],
            "system": message.system,
        }
        parameters: dict[str, object] = {"temperature": settings.temperature}
        if settings.structured:
            parameters["output_config"] = {"format": {"type": "json_schema", "schema": self._judge.menu.schema()}}
        parameters |= settings.parameters
        kept = {name: value for name, value in parameters.items() if name not in dropped}
        return Request(fixed, kept, "max_tokens")  # a limit of tokens there must be

    async def _create(self, request: Request, tokens: int) -> Any:
        fixed: dict[str, Any] = dict(request.fixed)
        create = self.client.messages.create
        return await create(**fixed, max_tokens=tokens, extra_body=dict(request.parameters))

    def _told(self, reply: Any) -> dict[str, object]:
        """Without the model's reasoning."""
        used = reply.usage
        cached = (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0)
        return {
            "text": "".join(block.text for block in reply.content if block.type == "text"),
            "stop": _STOPS.get(reply.stop_reason, "done"),
            "model": reply.model,
            "usage": {"read": used.input_tokens + cached, "written": used.output_tokens},
        }

    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
        requests: Any = [
            {"custom_id": intent.call_name(place), "params": dict(body)} for place, body in enumerate(bodies)
        ]
        with self.failures(handing_in=True):
            batch = await self.client.with_options(max_retries=0).messages.batches.create(requests=requests)
        return str(batch.id)

    async def find(self, intent: Intent, others: Collection[str]) -> Listed:
        """Of those made at that time with as many calls, one that has ended shows its calls; any other may be it."""
        perhaps = []
        with self.failures():
            async for batch in self.client.messages.batches.list(limit=100):
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
                    return Listed(batch.id)
        return Listed(perhaps=tuple(perhaps))

    async def standing(self, batch: str) -> BatchStanding:
        with self.failures():
            now = await self.client.messages.batches.retrieve(batch)
        return BatchStanding(now.processing_status == "ended", now.request_counts.succeeded)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        with self.failures():
            async for line in await self.client.messages.batches.results(batch):
                yield self._result(line.custom_id, line.result)

    async def _first_call_is_of(self, intent: Intent, batch: str) -> bool:
        async for result in self.results(batch):
            return intent.call_named(result.name) is not None
        return False

    def _result(self, name: str, result: Any) -> BatchResult:
        if result.type == "succeeded":
            return self.result(name, result.message)
        if result.type == "errored":
            return self.refused(name, 400, result.error.to_dict())
        return BatchResult(name)  # expired or cancelled before it was its turn
