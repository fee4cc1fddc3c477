"""Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.failures import count, failure_of, part, read_object, without_key
from tiebreak.scoring.judges.providers.provider import Request
from tiebreak.scoring.judges.replies import Answer, Stop, Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_STOPS: Final[dict[str, Stop]] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}


class AnthropicProvider:
    """The client of a judge's server."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @cached_property
    def client(self) -> AsyncAnthropic:
        """Made when something is sent first: what is planned needs no key."""
        from anthropic import AsyncAnthropic

        settings = self._judge.settings
        return AsyncAnthropic(api_key=self.key, base_url=self._judge.base_url, max_retries=0, timeout=settings.timeout)

    @cached_property
    def key(self) -> str:
        """The API key."""
        return self._judge.key()

    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
        """The request for a reply to a message, without the parameters that were dropped."""
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
        return Request(fixed, kept, "max_tokens")

    async def send(self, request: Request, tokens: int) -> Answer:
        """The reply, of at most so many tokens.

        Raises:
            Failed: there is none, and why.
        """
        import anthropic

        fixed: dict[str, Any] = dict(request.fixed)
        rejectable = dict(request.parameters)  # a limit of tokens there must be
        try:
            raw = await self.client.messages.with_raw_response.create(**fixed, max_tokens=tokens, extra_body=rejectable)
        except Exception as error:  # whatever a package lets through is no reason to lose the other replies
            raise failure_of(error, anthropic, rejectable, self.key) from None
        return read_reply(read_object(raw.http_response.content), self.key)

    async def close(self) -> None:
        """Give all connections back."""
        if "client" in self.__dict__:
            await self.client.close()
            del self.__dict__["client"]  # its connections belong to this event loop


def read_reply(reply: Mapping[str, Any], key: str) -> Answer:
    """What a message of the model says, without the key and without its reasoning.

    Raises:
        Failed: it is none.
    """
    blocks = [block for block in part(reply, "content", list) if isinstance(block, dict)]
    text = "".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    stop: Stop = _STOPS.get(str(reply.get("stop_reason")), "done")
    model = without_key(str(reply.get("model") or ""), key)
    return Answer(without_key(text, key), stop, model, _usage(reply.get("usage")))


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    read = count(usage, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    written = count(usage, "output_tokens")
    return None if read is None or written is None else Usage(read, written)
