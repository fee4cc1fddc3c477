"""What every provider of models does, whatever its requests look like.

The packages of the providers send a call again that was rejected, that failed in the server, or that never got there:
after as long as the server says, or else after seconds that double. They would do the same with a call whose reply was
lost, which may have been billed: here such a call is over, and only the next run makes it again.

A key must not be seen: servers repeat it in errors, and what they say is shown and stored.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Final, Literal

import msgspec

from tiebreak.scoring.judges.judge import Judge, PromptMessage
from tiebreak.scoring.judges.pace import Pace
from tiebreak.scoring.judges.replies import Answer
from tiebreak.scoring.judges.store import Intent

_SHORTEST: Final = 16
"""Shorter ones, such as "none" and "EMPTY" for a server of one's own, are no secrets, and words of replies."""
_BUSY: Final = (429, 529)
_HOPELESS: Final = (401, 402, 403, 404, 405)
_REJECTED: Final = (400, 413, 422)
_OUT_OF_MONEY: Final = ("insufficient_quota", "billing_hard_limit_reached", "credit balance")
_NEVER_SENT: Final = ("ConnectError", "ConnectTimeout", "PoolTimeout")
_MOST_REJECTIONS: Final = 30
"""Of one call, by a server that takes no more of them right now."""
_LONGEST_WAIT: Final = 600
"""Seconds: a server that wants a call later than that is asked no more."""
_OTHER_NAMES: Final = {"max_tokens": "max_completion_tokens", "json_schema": "response_format"}
"""How servers call parameters that were sent by another name."""


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
        written = json.dumps([self.fixed, self.parameters], ensure_ascii=False, default=dict)
        return len(written.encode("utf-8", "replace"))

    def rejectable(self, tokens: int) -> dict[str, object]:
        """The parameters, with the limit of so many tokens."""
        return {**self.parameters, **({} if self.cap is None else {self.cap: tokens})}

    def body(self, tokens: int) -> dict[str, object]:
        """The request for a reply of at most so many tokens."""
        return {**self.fixed, **self.rejectable(tokens)}

    def key(self, endpoint: str) -> str:
        """SHA-256 (hex) of the model and all that it is sent; how long its reply may be does not count."""
        asked = {"endpoint": endpoint, "fixed": self.fixed, "parameters": self.parameters}
        canonical = json.dumps(asked, sort_keys=True, ensure_ascii=False, default=dict)
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


Why = Literal["failed", "lost", "parameter", "filtered", "hopeless"]
"""`failed`: the server broke, was busy for too long, or will not take these texts; `lost`: the reply did not come or
cannot be read, and may be billed all the same; `parameter`: the server rejects one; `filtered`: a filter of the
provider will not; `hopeless`: no call of this judge can succeed."""


class Failed(Exception):  # noqa: N818  (an outcome of a call, not an error that a user meets)
    """A call brought no answer. `message`: what the server said; `parameter`: the one that it rejects."""

    def __init__(self, why: Why, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.why, self.message, self.parameter = why, message, parameter


class _Over(BaseException):
    """A call that is not to be sent again, whatever a package would do: it takes every `Exception` for a reason."""


@dataclass(frozen=True, slots=True)
class Listed:
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
    """What became of the call of this name; None: it was never made, and costs nothing."""

    name: str
    outcome: Answer | Failed | None = None


class Provider(ABC):
    """A server and a key for it: calls, and batches of them. `most_calls` and `most_bytes` fit into one batch.

    Whatever talks to the server raises `Failed` where nothing comes of it.
    """

    most_calls: ClassVar[int]
    most_bytes: ClassVar[int]

    def __init__(self, judge: Judge, pace: Pace) -> None:
        self._judge, self._pace = judge, pace

    @cached_property
    def key(self) -> str:
        """The API key."""
        return self._judge.key()

    @cached_property
    def package(self) -> ModuleType:
        """The provider's package; those of all providers name their clients and errors alike."""
        return import_module(self._judge.settings.provider)

    @cached_property
    def client(self) -> Any:
        """Of the provider's package. Made when something is sent first: what is planned needs no key."""
        return self.package.AsyncClient(
            api_key=self.key,
            base_url=self._judge.base_url,
            timeout=self._judge.settings.timeout,
            max_retries=_MOST_REJECTIONS - 1,
            http_client=_paced(self.package.DefaultAsyncHttpxClient, self._pace, self._judge),
        )

    async def close(self) -> None:
        """Give all connections back."""
        if "client" in self.__dict__:
            await self.client.close()
            del self.__dict__["client"]  # its connections belong to this event loop

    @abstractmethod
    def request(self, message: PromptMessage, dropped: Collection[str]) -> Request:
        """The request for a reply to a message, without the parameters that were dropped."""

    async def send(self, request: Request, tokens: int) -> Answer:
        """The reply, of at most so many tokens."""
        sent = request.rejectable(tokens)
        with self.failures(sent):  # whatever a package lets through is no reason to lose the other replies
            return self.answer(await self._create(request, tokens))

    @abstractmethod
    async def _create(self, request: Request, tokens: int) -> Any:
        """What the package makes of the server's reply; it checks nothing of that."""

    def answer(self, reply: Any) -> Answer:
        """What a reply says, without the key; any exception says that it is none."""
        answer = msgspec.convert(self._told(reply), Answer)
        return replace(answer, text=self.without_key(answer.text), model=self.without_key(answer.model))

    @abstractmethod
    def _told(self, reply: Any) -> dict[str, object]:
        """The fields of an `Answer`, as the reply has them."""

    @abstractmethod
    async def submit(self, intent: Intent, bodies: Sequence[Mapping[str, object]]) -> str:
        """Hand in the requests of an intent; the provider's name of the batch. `Failed` says `lost` where nobody knows
        whether it was taken.
        """

    @abstractmethod
    async def find(self, intent: Intent, others: Collection[str]) -> Listed:
        """Search the provider's list for an intent; `others`: batches that are known to be something else."""

    @abstractmethod
    async def standing(self, batch: str) -> BatchStanding:
        """How far it is."""

    @abstractmethod
    def results(self, batch: str) -> AsyncIterator[BatchResult]:
        """What became of its calls, in any order."""

    @contextmanager
    def failures(self, sent: Mapping[str, object] | None = None, *, handing_in: bool = False) -> Iterator[None]:
        """Whatever is raised becomes `Failed`. `sent`: parameters that may be rejected; `handing_in`: a server that
        breaks may have taken the batch.
        """
        try:
            yield
        except Failed:
            raise
        except _Over as over:
            failed: Failed = over.args[0]
        except Exception as error:
            failed = self._failure(error, sent or {}, handing_in)
        else:
            return
        failed.message = self.without_key(failed.message)
        raise failed from None

    def _failure(self, error: Exception, sent: Mapping[str, object], handing_in: bool) -> Failed:
        if type(error.__cause__).__name__ in _NEVER_SENT:
            return Failed("failed", f"connection failed: {error.__cause__}")
        if not isinstance(error, self.package.APIStatusError):
            return Failed("lost", f"{type(error).__name__}: {error}")
        failed = rejection(error.status_code, error.body or error.message, sent)
        if handing_in and failed.why == "failed" and error.status_code not in _REJECTED + _BUSY:
            failed.why = "lost"
        return failed

    def result(self, name: str, reply: Any) -> BatchResult:
        """That of a call of a batch which the server answered."""
        try:
            with self.failures():
                return BatchResult(name, self.answer(reply))
        except Failed as failed:
            return BatchResult(name, failed)

    def refused(self, name: str, status: int, body: object) -> BatchResult:
        """That of a call of a batch which the server refused."""
        failed = rejection(status, body, {})
        failed.message = self.without_key(failed.message)
        return BatchResult(name, failed)

    def without_key(self, text: str) -> str:
        """The text without the key, and without what no file can hold: halves of characters, and NUL."""
        shown = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
        return shown.replace(self.key, "[key]") if len(self.key) >= _SHORTEST else shown


def _paced(kind: Any, pace: Pace, judge: Judge) -> Any:
    """The HTTP client of a package, which sends each attempt in its turn, and says which ones are the last."""
    settings = judge.settings

    class PacedClient(kind):  # type: ignore[misc]  # of whichever library the package uses
        async def send(self, request: Any, **options: Any) -> Any:
            """One attempt, when its turn has come."""
            tries = int(request.headers.get("x-stainless-retry-count", 0)) + 1
            attempt = await pace.sends(again=tries > 1)
            try:
                async with asyncio.timeout(settings.timeout):
                    response = await super().send(request, **options)
                    said = (await response.aread()).decode("utf-8", "replace") if response.is_error else ""
            except BaseException as error:
                pace.fails(attempt)
                never_sent = type(error).__name__ in _NEVER_SENT
                costs_nothing = never_sent or request.method == "GET"
                if not isinstance(error, Exception) or (costs_nothing and tries < settings.attempts):
                    raise
                late = "timeout" in type(error).__name__.lower()
                message = "no answer in time" if late else f"connection failed: {error}"
                raise _Over(Failed("failed" if never_sent else "lost", message)) from error
            status, asked = response.status_code, response.headers.get("retry-after", "")
            out_of_money = _is_out_of_money(said)
            busy = not out_of_money and (status in _BUSY or (status == 503 and bool(asked)))
            (pace.rejects if busy else pace.fails if response.is_error else pace.succeeds)(attempt)
            too_long = asked.isdecimal() and int(asked) > _LONGEST_WAIT
            if out_of_money or too_long or (not busy and tries >= settings.attempts):
                response.headers["x-should-retry"] = "false"  # which the packages obey
            return response

    return PacedClient()


def rejection(status: int, body: object, sent: Mapping[str, object]) -> Failed:
    """Why a call failed, by the status and the JSON that a server answered with; `sent`: parameters that it had."""
    code, parameter, text = _error_of(body)
    message = f"{status}: {text}"
    if _is_out_of_money(f"{code} {message}") or status in _HOPELESS:
        return Failed("hopeless", message)
    if status in _REJECTED:
        if "content_filter" in code or "content management policy" in message.lower():
            return Failed("filtered", message)
        rejected = _rejected(parameter, message, sent)
        if rejected is not None:
            return Failed("parameter", message, rejected)
    return Failed("failed", message)


def _is_out_of_money(text: str) -> bool:
    return any(sign in text.lower() for sign in _OUT_OF_MONEY)


def _error_of(body: object) -> tuple[str, str, str]:
    """The code, the parameter and the message of an error, as far as it has them."""
    error = body.get("error", body) if isinstance(body, Mapping) else body
    if isinstance(error, Mapping) and isinstance(error.get("error"), Mapping):
        error = error["error"]  # in results of batches it is wrapped once more
    if not isinstance(error, Mapping):
        return "", "", str(error or "")
    code, parameter, message = (error.get(name) for name in ("code", "param", "message"))
    return str(code or error.get("type") or ""), str(parameter or ""), str(message or "")


def _rejected(parameter: str, message: str, sent: Mapping[str, object]) -> str | None:
    """The parameter among those sent that an error is about: the one it names, else the first that its text has."""
    named = re.split(r"[.\[]", parameter)[0]
    known = named if named in sent else _OTHER_NAMES.get(named, "")
    if known in sent:
        return known
    if parameter:
        return None  # it names another one, such as messages
    names = {name: name for name in sent} | {other: ours for other, ours in _OTHER_NAMES.items() if ours in sent}
    places = [(match.start(), ours) for name, ours in names.items()
              if (match := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message))]  # fmt: skip
    return min(places)[1] if places else None
