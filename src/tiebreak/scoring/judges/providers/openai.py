"""Chat completions, as OpenAI and many servers of one's own have them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.failures import count, failure_of, part, read_object, without_key
from tiebreak.scoring.judges.providers.provider import Request
from tiebreak.scoring.judges.replies import TOKENS_KEPT, Answer, Stop, Token, Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CAPS: Final = ("max_completion_tokens", "max_tokens")
"""The new name of the limit first, which models that reason insist on; older servers know the other one only."""

_MOST_ALTERNATIVES: Final = 20
_STOPS: Final[dict[str, Stop]] = {"length": "length", "content_filter": "filtered"}


class OpenAIProvider:
    """The client of a judge's server."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    @cached_property
    def client(self) -> AsyncOpenAI:
        """Made when something is sent first: what is planned needs no key."""
        from openai import AsyncOpenAI

        settings = self._judge.settings
        return AsyncOpenAI(api_key=self.key, base_url=self._judge.base_url, max_retries=0, timeout=settings.timeout)

    @cached_property
    def key(self) -> str:
        """The API key."""
        return self._judge.key()

    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
        """The request for a reply to a message, without the parameters that were dropped."""
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

    async def send(self, request: Request, tokens: int) -> Answer:
        """The reply, of at most so many tokens.

        Raises:
            Failed: there is none, and why.
        """
        import openai

        rejectable = {name: value for name, value in request.body(tokens).items() if name not in request.fixed}
        fixed: dict[str, Any] = dict(request.fixed)
        try:
            raw = await self.client.chat.completions.with_raw_response.create(**fixed, extra_body=rejectable)
        except Exception as error:  # whatever a package lets through is no reason to lose the other replies
            raise failure_of(error, openai, rejectable, self.key) from None
        return read_completion(read_object(raw.http_response.content), self.key)

    async def close(self) -> None:
        """Give all connections back."""
        if "client" in self.__dict__:
            await self.client.close()
            del self.__dict__["client"]  # its connections belong to this event loop


def read_completion(completion: Mapping[str, Any], key: str) -> Answer:
    """What a completion says, without the key.

    Raises:
        Failed: it is none.
    """
    choices = part(completion, "choices", list)
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    message = part(choice, "message", dict)
    refusal, content = message.get("refusal"), message.get("content")
    stop: Stop = _STOPS.get(str(choice.get("finish_reason")), "done")
    if refusal and not content:
        content, stop = refusal, "refused"
    usage = completion.get("usage")
    text = without_key(content if isinstance(content, str) else "", key)
    model = without_key(str(completion.get("model") or ""), key)
    return Answer(text, stop, model, _usage(usage), _tokens(choice.get("logprobs")))


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    read, written = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    return None if read is None or written is None else Usage(read, written)


def _tokens(logprobs: object) -> tuple[Token, ...]:
    """The last tokens with their alternatives; none where they are not as they should be."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    try:
        return tuple(
            Token(
                str(token["token"]),
                tuple({str(found["token"]): float(found["logprob"])
                       for found in (token, *token["top_logprobs"])}.items()),
            )
            for token in (content or ())[-TOKENS_KEPT:]
        )  # fmt: skip
    except (KeyError, TypeError, ValueError):
        return ()
