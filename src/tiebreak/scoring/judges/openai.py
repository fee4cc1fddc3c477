"""OpenAI, and all servers that have its chat completions: calls, and batches of them.

A batch is a file of requests, has the name of its intent among its metadata, and ends as files of results.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from tiebreak.scoring.judges.judge import PromptMessage
from tiebreak.scoring.judges.provider import BatchResult, BatchStanding, Failed, Listed, Provider, Request
from tiebreak.scoring.judges.replies import TOKENS_KEPT, Stop
from tiebreak.scoring.judges.store import Intent

_CAPS: Final = ("max_completion_tokens", "max_tokens")
"""The new name of the limit first, which models that reason insist on; older servers know the other one only."""

_MOST_ALTERNATIVES: Final = 20
_STOPS: Final[dict[str | None, Stop]] = {"length": "length", "content_filter": "filtered"}
_MARK: Final = "tiebreak"
_ENDPOINT: Final = "/v1/chat/completions"
_ENDED: Final = ("completed", "failed", "expired", "cancelled")
_CLOCKS_DIFFER: Final = timedelta(days=1).total_seconds()


class OpenAIProvider(Provider):
    """Chat completions at a judge's address."""

    most_calls = 50_000
    most_bytes = 190_000_000

    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
        """A chat completion, with structured answers and log-probabilities where the settings ask for them."""
        messages = [{"role": "user", "content": message.user}]
        if message.system:
            messages.insert(0, {"role": "system", "content": message.system})
        settings = self._judge.settings
        parameters: dict[str, object] = {"temperature": settings.temperature}
        if settings.structured:
            schema = {"name": "answer", "strict": True, "schema": self._judge.menu.schema()}
            parameters["response_format"] = {"type": "json_schema", "json_schema": schema}
        if settings.logprobs and "top_logprobs" not in dropped:
            parameters |= {"logprobs": True, "top_logprobs": _MOST_ALTERNATIVES}
        if "logprobs" in dropped:
            parameters.pop("top_logprobs", None)  # it needs the other one
        parameters |= settings.parameters
        kept = {name: value for name, value in parameters.items() if name not in dropped}
        cap = next((name for name in _CAPS if name not in dropped), None)
        return Request({"model": self._judge.model, "messages": messages}, kept, cap)

    async def _create(self, request: Request, tokens: int) -> Any:
        fixed: dict[str, Any] = dict(request.fixed)
        return await self.client.chat.completions.create(**fixed, extra_body=request.rejectable(tokens))

    def _told(self, reply: Any) -> dict[str, object]:
        choice, usage = reply.choices[0], reply.usage
        text, stop = choice.message.content, _STOPS.get(getattr(choice, "finish_reason", None), "done")
        if choice.message.refusal and not text:
            text, stop = choice.message.refusal, "refused"
        counts = None if usage is None else {"read": usage.prompt_tokens, "written": usage.completion_tokens}
        tokens = (choice.logprobs.content if choice.logprobs is not None else None) or []
        return {
            "text": text or "",
            "stop": stop,
            "model": getattr(reply, "model", None) or "",  # which some servers leave out
            "usage": counts if counts is None or None not in counts.values() else None,
            "tokens": [{"text": token.token, "alternatives": _alternatives(token)} for token in tokens[-TOKENS_KEPT:]],
        }

    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
        """Upload the requests as a file, and hand it in as a batch; its name."""
        lines = (
            {"custom_id": intent.call_name(place), "method": "POST", "url": _ENDPOINT, "body": body}
            for place, body in enumerate(bodies)
        )
        content = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode("utf-8", "replace")
        try:
            with self.failures():
                file = await self.client.files.create(file=(f"{_MARK}-{intent.name}.jsonl", content), purpose="batch")
        except Failed as failed:
            raise Failed("failed", failed.message) from None  # whether it is there or not, a file alone costs nothing
        with self.failures(handing_in=True):
            batch = await self.client.with_options(max_retries=0).batches.create(
                input_file_id=file.id,
                endpoint=_ENDPOINT,
                completion_window="24h",
                metadata={_MARK: intent.name},
            )
        return str(batch.id)

    async def find(self, intent: Intent, others: Collection[str]) -> Listed:
        with self.failures():
            async for batch in self.client.batches.list(limit=100):
                if batch.id not in others and (batch.metadata or {}).get(_MARK) == intent.name:
                    return Listed(batch.id)
                if batch.created_at < intent.created - _CLOCKS_DIFFER:
                    break  # the newest come first
        return Listed()

    async def standing(self, batch: str) -> BatchStanding:
        with self.failures():
            now = await self.client.batches.retrieve(batch)
        errors = (now.errors.data if now.errors is not None else None) or []
        problem = "; ".join(str(error.message) for error in errors[:3]) if now.status == "failed" else ""
        done = 0 if now.request_counts is None else now.request_counts.completed
        return BatchStanding(now.status in _ENDED, done, problem)

    async def results(self, batch: str) -> AsyncIterator[BatchResult]:
        with self.failures():
            now = await self.client.batches.retrieve(batch)
            files = [file for file in (now.output_file_id, now.error_file_id) if file]
            contents = [(await self.client.files.content(file)).content for file in files]
            for line in filter(bytes.strip, b"\n".join(contents).splitlines()):
                yield self._result(json.loads(line))

    def _result(self, line: Mapping[str, Any]) -> BatchResult:
        from openai.types.chat import ChatCompletion

        name, response = line["custom_id"], line["response"]
        if response is None:
            return BatchResult(name)  # the batch ended before it was its turn
        if response["status_code"] != 200:
            return self.refused(name, response["status_code"], response["body"])
        return self.result(name, ChatCompletion.construct(**response["body"]))


def _alternatives(token: Any) -> list[tuple[str, float]]:
    return list({other.token: other.logprob for other in (token, *(token.top_logprobs or ()))}.items())
