"""Why a call brought no answer: from what the package of a provider raises, or because parts of its JSON are missing.

A key must not be seen: servers repeat it in errors, and what they say is shown and stored.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final, Literal, TypeVar

from tiebreak.parsing import ParsingError, json_reader

_SHORTEST: Final = 16
"""Shorter ones, such as "none" and "EMPTY" for a server of one's own, are no secrets, and words of replies."""


def without_key(text: str, key: str) -> str:
    """The text without the key, and without what no file can hold: halves of characters, and NUL."""
    shown = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
    return shown.replace(key, "[key]") if len(key) >= _SHORTEST else shown


Why = Literal["busy", "broken", "parameter", "question", "filtered", "hopeless"]
"""`busy`: the server takes no more calls right now; `broken`: it failed, or what it sent cannot be read; `parameter`:
it rejects one; `question`: it will not take these texts; `filtered`: a filter of the provider will not; `hopeless`: no
call of this judge can succeed."""

_BUSY: Final = (429, 529)
_HOPELESS: Final = (401, 402, 403, 404, 405)
_REJECTED: Final = (400, 413, 422)
_OUT_OF_MONEY: Final = ("insufficient_quota", "billing_hard_limit_reached", "credit balance")
_NEVER_SENT: Final = ("ConnectError", "ConnectTimeout", "PoolTimeout")
_OTHER_NAMES: Final = {"max_tokens": "max_completion_tokens", "json_schema": "response_format"}
"""How servers call parameters that were sent by another name."""


class Failed(Exception):  # noqa: N818  (an outcome of a call, not an error that a user meets)
    """`message`: what the server said; `wait`: seconds after which it wants to be asked again; `parameter`: the one
    that it rejects; `maybe_paid`: whether it may bill the call all the same, since its reply was lost.
    """

    def __init__(
        self,
        why: Why,
        message: str,
        *,
        wait: float | None = None,
        parameter: str | None = None,
        maybe_paid: bool = False,
    ) -> None:
        super().__init__(message)
        self.why, self.message, self.wait, self.parameter, self.maybe_paid = why, message, wait, parameter, maybe_paid


def failure_of(error: Exception, sdk: ModuleType, sent: Mapping[str, object], key: str) -> Failed:
    """Why a call failed, by the error of the package `sdk`, whose errors have the same names whichever it is.

    `sent`: the parameters that may be rejected; `key` is left out of what is said.
    """
    found = _failure(error, sdk, sent)
    found.message = without_key(found.message, key)
    return found


def _failure(error: Exception, sdk: ModuleType, sent: Mapping[str, object]) -> Failed:
    if isinstance(error, sdk.APITimeoutError):
        return Failed("broken", "no answer in time", maybe_paid=_was_sent(error))
    if isinstance(error, sdk.APIStatusError):
        return _of_status(error.status_code, error.response.headers, error.body or error.message, sent)
    if isinstance(error, sdk.APIConnectionError):
        cause = error.__cause__
        return Failed("broken", f"connection failed: {cause or error}", maybe_paid=_was_sent(error))
    return Failed("broken", f"{type(error).__name__}: {error}", maybe_paid=True)


def _was_sent(error: Exception) -> bool:
    return type(error.__cause__).__name__ not in _NEVER_SENT


def failure_of_status(
    status: int, headers: Mapping[str, str], body: object, sent: Mapping[str, object], key: str
) -> Failed:
    """Why a call failed, by the status and the JSON that a server answered with."""
    found = _of_status(status, headers, body, sent)
    found.message = without_key(found.message, key)
    return found


def _of_status(status: int, headers: Mapping[str, str], body: object, sent: Mapping[str, object]) -> Failed:
    code, parameter, message = _said(body)
    message = f"{status}: {message}"
    if any(sign in f"{code} {message}".lower() for sign in _OUT_OF_MONEY):
        return Failed("hopeless", message)
    if status in _BUSY or (status == 503 and "retry-after" in headers):
        return Failed("busy", message, wait=retry_after(headers, time.time()))
    if status in _HOPELESS:
        return Failed("hopeless", message)
    if status in _REJECTED:
        if "content_filter" in code or "content management policy" in message.lower():
            return Failed("filtered", message)
        rejected = _rejected(parameter, message, sent)
        return Failed("question" if rejected is None else "parameter", message, parameter=rejected)
    return Failed("broken", message, wait=retry_after(headers, time.time()))


def _said(body: object) -> tuple[str, str, str]:
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
    places = [(found.start(), ours) for name, ours in names.items()
              if (found := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message))]  # fmt: skip
    return min(places)[1] if places else None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds until the server wants to be asked again: a number of them, milliseconds, or a date."""
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    asked = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", asked):
        return float(asked)
    try:
        return max(email.utils.parsedate_to_datetime(asked).timestamp() - now, 0.0)
    except ValueError:
        return None


T = TypeVar("T")


def read_object(content: bytes) -> Mapping[str, Any]:
    """The JSON object that a server sent.

    Raises:
        Failed: it sent something else, or half of one.
    """
    try:
        found = json_reader()(content.decode("utf-8"))
    except (ParsingError, UnicodeDecodeError) as error:
        raise Failed("broken", f"the reply is no JSON: {error}", maybe_paid=True) from None
    if not isinstance(found, dict):
        raise Failed("broken", "the reply is no JSON object", maybe_paid=True)
    return found


def part(of: Mapping[str, Any], name: str, kind: type[T]) -> T:
    """The value of a key, which has this type.

    Raises:
        Failed: it is missing or has another one.
    """
    value = of.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Failed("broken", f"the reply has no {name}", maybe_paid=True)
    return value


def count(of: Mapping[str, Any], *names: str) -> int | None:
    """The sum of counts of tokens, None where the first is missing or is no count."""
    found = [of.get(name) for name in names]
    counts = [value for value in found if isinstance(value, int) and not isinstance(value, bool) and value >= 0]
    return sum(counts) if counts and counts[0] is found[0] else None
