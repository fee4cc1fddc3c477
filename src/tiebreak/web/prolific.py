"""Prolific, by its public API (https://docs.prolific.com/api-reference): studies, their submissions, and messages.

Facts are those of its pages "Create a draft study", "Transition a study's status", "Update a study", "Calculate the
study cost", "List study submissions", "Retrieve a submission", "API Fundamentals" and "Subscribing".
"""

from __future__ import annotations

import html
import json
import os
import re
import secrets
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPMessage
from typing import Any, Final, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit

import msgspec

from tiebreak.campaign.events import CrowdStudy
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.live.accounts import Submission
from tiebreak.version import __version__
from tiebreak.web.settings import HOOK_PATH, LOOPBACK, ProlificSettings

TOKEN: Final = "PROLIFIC_TOKEN"
ADDRESS: Final = "PROLIFIC_URL"
_USUAL_ADDRESS: Final = "https://api.prolific.com"
_RETURN_URL: Final = "https://app.prolific.com/submissions/complete?cc={code}"
_EVENT: Final = "submission.status.change"
_SECONDS: Final = 30.0
_TRIES: Final = 4
_LONGEST_WAIT: Final = 60.0
_MANUAL: Final[dict[str, str]] = {"action": "MANUALLY_REVIEW"}
_CODES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "done": ("COMPLETED", _MANUAL),
    "screened": ("SCREENED_OUT", {"action": "REQUEST_RETURN", "return_reason": "The tutorial was not passed"}),
    "stopped": ("OTHER", {"action": "REQUEST_RETURN", "return_reason": "There were no tasks left"}),
}
"""By how somebody's work ends: the type of its code, and what the code does. Work that was returned frees its place."""
_PARAMETERS: Final = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
Record = TypeVar("Record")


class ProlificError(TiebreakError):
    """Prolific refused, or did not answer; the text says what to do, and has no token."""


@dataclass(frozen=True, slots=True)
class _Code:
    code: str | None
    code_type: str


@dataclass(frozen=True, slots=True)
class ProlificStudy:
    """A study as Prolific has it: `reward` in cents, `total_available_places` (sent as numbers with a point)."""

    id: str
    status: str
    reward: float
    total_available_places: float
    completion_codes: tuple[_Code, ...] = ()

    def event(self, at: str) -> CrowdStudy:
        """What a campaign keeps of it."""
        types = {kind: outcome for outcome, (kind, _) in _CODES.items()}
        codes = {types[of.code_type]: of.code for of in self.completion_codes if of.code and of.code_type in types}
        return CrowdStudy(at, self.id, codes, _RETURN_URL)


@dataclass(frozen=True, slots=True)
class _Link:
    href: str | None = None


@dataclass(frozen=True, slots=True)
class _Links:
    next: _Link | None = None


@dataclass(frozen=True, slots=True)
class _Named:
    id: str
    internal_name: str | None = None


@dataclass(frozen=True, slots=True)
class _Paid:
    bonus_payments: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Secret:
    value: str


@dataclass(frozen=True, slots=True)
class _Subscription:
    id: str
    event_type: str
    target_url: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another address would get the token."""

    def redirect_request(self, *_: object) -> None:
        """None is followed."""


class Prolific:
    """Requests to Prolific, with the token and the address that the environment names.

    Raises:
        UsageError: no token, or an address to which it must not be sent.
        ProlificError: by every method: Prolific refused, or did not answer.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._token = environment.get(TOKEN, "").strip()
        self._address = environment.get(ADDRESS, _USUAL_ADDRESS).rstrip("/")
        if not re.fullmatch(r"[\x21-\x7e]+", self._token):
            raise UsageError(f"set {TOKEN} to an API token of Prolific; nothing keeps it")
        parts = urlsplit(self._address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
            raise UsageError(f"{ADDRESS} must begin with https://, since the token is sent there")
        self._opener = urllib.request.build_opener(_NoRedirects)

    # ---- studies -----------------------------------------------------------------------------------------------

    def study(self, study: str) -> ProlificStudy:
        """A study by its id."""
        return _read(self._call("GET", f"/studies/{quote(study)}/")[0], ProlificStudy)

    def named(self, name: str) -> ProlificStudy | None:
        """The study that has this name inside Prolific, which people do not see; None without one."""
        found = next((of for of in self._all("/studies/", _Named) if of.internal_name == name), None)
        return None if found is None else self.study(found.id)

    def create(self, name: str, question: str, link: str, settings: ProlificSettings) -> ProlificStudy:
        """A new draft with this name inside Prolific. `question`: its title and description; `link`: where people are
        sent.
        """
        codes = [
            {"code": secrets.token_hex(5).upper(), "code_type": kind, "actions": [action]}
            for kind, action in _CODES.values()
        ]
        draft = {
            "name": question,
            "internal_name": name,
            "description": html.escape(question, quote=False),
            "external_study_url": link + "?" + "&".join(f"{of}={{{{%{of}%}}}}" for of in _PARAMETERS),
            "prolific_id_option": "url_parameters",
            "completion_codes": codes,
            "estimated_completion_time": settings.minutes,
            "reward": settings.reward_in_cents,
            "total_available_places": settings.places,
            "device_compatibility": [],
            "peripheral_requirements": [],
            "filters": [],
        } | ({} if settings.project is None else {"project": settings.project})
        return _read(self._call("POST", "/studies/", draft)[0], ProlificStudy)

    def cost(self, reward: int, places: int) -> int:
        """What so many places cost, with fees and tax, in cents of the account's currency."""
        request = {"reward": reward, "total_available_places": places}
        return round(_read(self._call("POST", "/study-cost-calculator/", request)[0].get("total_cost"), float))

    def transition(self, study: str, action: str) -> None:
        """PUBLISH or STOP."""
        self._call("POST", f"/studies/{quote(study)}/transition/", {"action": action})

    def grow(self, study: str, places: int) -> None:
        """So many places in all, which may only become more."""
        self._call("PATCH", f"/studies/{quote(study)}/", {"total_available_places": places})

    def submissions(self, study: str) -> tuple[Submission, ...]:
        """All of a study, in the order in which they began."""
        return tuple(self._all(f"/studies/{quote(study)}/submissions/?ordering=started_at", Submission))

    def bonuses(self, submission: str) -> int:
        """The bonuses that were paid for a submission, in cents."""
        document = self._call("GET", f"/submissions/{quote(submission)}/")[0]
        return round(sum(_read(document, _Paid).bonus_payments))

    # ---- messages ----------------------------------------------------------------------------------------------

    def subscribe(self, workspace: str, address: str) -> str:
        """Have Prolific tell the server at this address of every change of a submission; the secret by which it signs.

        A workspace has one secret, by which it may sign messages to others: it is never replaced.
        """
        of_workspace = {"workspace_id": workspace}
        known = next(iter(self._all(f"/hooks/secrets/?workspace_id={quote(workspace)}", _Secret)), None)
        secret = known or _read(self._call("POST", "/hooks/secrets/", of_workspace)[0], _Secret)
        wanted = of_workspace | {"event_type": _EVENT, "target_url": address + HOOK_PATH}
        there = self._all(f"/hooks/subscriptions/?workspace_id={quote(workspace)}", _Subscription)
        if not any((of.event_type, of.target_url) == (_EVENT, wanted["target_url"]) for of in there):
            document, headers = self._call("POST", "/hooks/subscriptions/", wanted)
            listed = document.get("results", [document])  # its pages "Create a subscription" and "Subscribing" differ
            confirmation = {"secret": headers.get("X-Hook-Secret", "")}
            made = [of for of in _read(listed, list[_Subscription]) if of.target_url == wanted["target_url"]]
            if not made:
                raise ProlificError("Prolific names no subscription that could be confirmed")
            self._call("POST", f"/hooks/subscriptions/{quote(made[-1].id)}/", confirmation)
        return secret.value

    # ---- requests ----------------------------------------------------------------------------------------------

    def _all(self, path: str, kind: type[Record]) -> Iterator[Record]:
        """The records of a list, page by page."""
        while path:
            document = self._call("GET", path)[0]
            yield from _read(document.get("results"), list[kind])  # type: ignore[valid-type]
            after = _read(document.get("_links") or {}, _Links).next
            following = urlsplit((after and after.href) or "")  # its host is left aside: another would get the token
            path = following.path.removeprefix("/api/v1") + (f"?{following.query}" if following.query else "")

    def _call(self, method: str, path: str, body: object = None) -> tuple[dict[str, Any], HTTPMessage]:
        """The document that answers, and its headers. What changes nothing is asked for again where no answer comes,
        and everything where Prolific is too busy to look at it.
        """
        headers = {
            "authorization": f"Token {self._token}",
            "content-type": "application/json",
            "user-agent": f"tiebreak/{__version__}",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}/api/v1{path}", data, headers, method=method)
        tried = 0
        while True:
            tried, wait = tried + 1, 2.0**tried
            try:
                with self._opener.open(request, timeout=_SECONDS) as answer:
                    return _read(msgspec.json.decode(answer.read() or b"{}"), dict[str, Any]), answer.headers
            except HTTPError as error:
                busy = error.code == 429 or (error.code >= 500 and method == "GET")
                if not busy or tried == _TRIES:
                    raise self._refusal(error) from None
                wait = _seconds_in(error.headers.get("retry-after"), wait)
            except (OSError, HTTPException, msgspec.DecodeError) as error:
                if method != "GET" or tried == _TRIES:
                    raise ProlificError(_no_answer(type(error).__name__)) from None
            time.sleep(wait)

    def _refusal(self, error: HTTPError) -> ProlificError:
        """What to do about an answer that is an error."""
        if error.code == 401:
            return ProlificError(f"Prolific does not know the token in {TOKEN}")
        if error.code >= 500:
            return ProlificError(_no_answer(f"status {error.code}"))
        try:
            document = msgspec.json.decode(error.read())
        except (OSError, HTTPException, msgspec.DecodeError):
            document = None
        known = document if isinstance(document, dict) else {}
        inner = known.get("error")
        detail = (inner if isinstance(inner, dict) else known).get("detail")
        said = "; ".join(_words(detail)).replace(self._token, "...")
        return ProlificError(f"Prolific refused (status {error.code}){': ' if said else ''}{said}")


def _read(document: object, kind: type[Record]) -> Record:
    """The document as a record of this kind; what the kind does not know is passed over."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise ProlificError(f"Prolific answered what is not understood: {error}") from None


def _words(detail: object) -> Iterator[str]:
    """An error's detail, which is a text, a list of texts, or such lists by the names of fields."""
    if isinstance(detail, dict):
        for name, said in detail.items():
            yield f"{name}: {', '.join(_words(said))}"
    elif isinstance(detail, list):
        for said in detail:
            yield from _words(said)
    elif detail is not None:
        yield str(detail)


def _seconds_in(header: str | None, usual: float) -> float:
    """How long to wait: what the header says, if that is a number of seconds and not too many."""
    try:
        return min(max(float(header or ""), 0.0), _LONGEST_WAIT)
    except ValueError:
        return usual


def _no_answer(why: str) -> str:
    return (
        f"Prolific gave no answer ({why}), and may have done what it was asked: give the same command again, which "
        "looks first and does nothing twice"
    )
