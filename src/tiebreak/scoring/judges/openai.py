"""OpenAI, and all servers that have its chat completions: calls, and batches of them.

A batch is a file of requests, has the name of its intent among its metadata, and ends as files of results.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta

from tiebreak.scoring.judges.judge import PromptMessage
from tiebreak.scoring.judges.provider import (
    BatchResult,
    BatchStanding,
    Failed,
    Listed,
    Provider,
    Request,
    read_object,
    typed_reply,
)
from tiebreak.scoring.judges.replies import TOKENS_KEPT, Answer, Stop, Token, Usage
from tiebreak.scoring.judges.store import Intent

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CAPS: Final = ("max_completion_tokens", "max_tokens")
"""The new name of the limit first, which models that reason insist on; older servers know the other one only."""

_MOST_ALTERNATIVES: Final = 20
_STOPS: Final[dict[str | None, Stop]] = {"length": "length", "content_filter": "filtered"}
_MARK: Final = "tiebreak"
_ENDPOINT: Final = "/v1/chat/completions"
_ENDED: Final = ("completed", "failed", "expired", "cancelled")
_CLOCKS_DIFFER: Final = timedelta(days=1).total_seconds()


@dataclass(frozen=True, slots=True)
class _Alternative:
    token: str
    logprob: float


@dataclass(frozen=True, slots=True)
class _Token:
    token: str
    logprob: float
    top_logprobs: list[_Alternative]


@dataclass(frozen=True, slots=True)
class _Logprobs:
    content: list[_Token] | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    content: str | None = None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class _Choice:
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class _Completion:
    choices: Annotated[list[_Choice], Meta(min_length=1)]
    model: str | None = None
    usage: _Usage | None = None


@dataclass(frozen=True, slots=True)
class _Response:
    status_code: int
    body: Any = None


@dataclass(frozen=True, slots=True)
class _Line:
    custom_id: str
    response: _Response | None = None


class OpenAIProvider(Provider):
    """Chat completions at a judge's address."""

    most_calls = 50_000
    most_bytes = 190_000_000

    @cached_property
    def client(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        return AsyncOpenAI(**self.connection())

    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
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
        rejectable = {name: value for name, value in request.body(tokens).items() if name not in fixed}
        return await self.client.chat.completions.with_raw_response.create(**fixed, extra_body=rejectable)

    def _answer(self, document: object) -> Answer:
        completion = typed_reply(document, _Completion)
        choice = completion.choices[0]
        text, stop = choice.message.content, _STOPS.get(choice.finish_reason, "done")
        if choice.message.refusal and not text:
            text, stop = choice.message.refusal, "refused"
        content = (choice.logprobs.content if choice.logprobs is not None else None) or []
        tokens = tuple(map(_token, content[-TOKENS_KEPT:]))
        usage = _usage(completion.usage)
        return Answer(self.without_key(text or ""), stop, self.without_key(completion.model or ""), usage, tokens)

    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
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
        return batch.id

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
        for content in contents:
            for line in filter(bytes.strip, content.splitlines()):
                yield self._result(typed_reply(read_object(line), _Line))

    def _result(self, line: _Line) -> BatchResult:
        if line.response is None:
            return BatchResult(line.custom_id)  # the batch ended before it was its turn
        if line.response.status_code != 200:
            return self.refused(line.custom_id, line.response.status_code, line.response.body)
        return self.result(line.custom_id, line.response.body)


def _token(token: _Token) -> Token:
    alternatives = {other.token: other.logprob for other in token.top_logprobs}
    return Token(token.token, tuple(({token.token: token.logprob} | alternatives).items()))


def _usage(usage: _Usage | None) -> Usage | None:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    return Usage(usage.prompt_tokens, usage.completion_tokens)
