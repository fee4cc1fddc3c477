"""What every request has to get past: the size of its body, where a form comes from, how often links are tried; and
the headers that every answer has.

The way in to the owner's pages: a link, and from then on a cookie that names it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiebreak.live.links import digest_of
from tiebreak.web.settings import HOOK_PATH
from tiebreak.web.site import Pages, gettext

MOST_BYTES: Final = 2_000_000
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_SAFE: Final = ("GET", "HEAD")


def host_of(header: str) -> str | None:
    """The name in a header `host`, without its port; None where it has none."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


class Guards:
    """Refuses bodies that are too large and forms that come from another site; sets the headers of every answer.

    `origin`: of the address that people use; "" for that which the request names. `hosts`: the names by which the
    server may be called; none: any. `uploads`: bytes that a form with files may have; 0: none is taken.
    """

    def __init__(self, app: ASGIApp, origin: str, hosts: Sequence[str], uploads: int = 0) -> None:
        self._app, self._origin, self._hosts, self._uploads = app, origin, hosts, uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    found[name] = value
                if not str(scope["path"]).startswith("/static/"):
                    found["cache-control"] = "no-store"
            await send(message)

        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await refusal(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        """Why a request is refused before anything is read of it."""
        if self._hosts and host_of(headers.get("host", "")) not in self._hosts:
            return PlainTextResponse("This server has another name.", 400)
        if scope["method"] in _SAFE:
            return None
        kind, length = headers.get("content-type", "").replace(" ", "").lower(), headers.get("content-length", "")
        has_files = self._uploads > 0 and kind.startswith("multipart/form-data;boundary=")
        most = self._uploads if has_files else MOST_BYTES
        if not (length.isascii() and length.isdigit()) or len(length) > 12 or int(length) > most:
            return PlainTextResponse("The answer is too long, or does not say how long it is.", 413)
        form, _, charset = kind.partition(";")
        wanted = "application/json" if scope["path"] == HOOK_PATH else "application/x-www-form-urlencoded"
        if not has_files and (form != wanted or charset not in ("", "charset=utf-8")):
            return PlainTextResponse("This is not what is sent here.", 415)
        own = self._origin or f"{scope['scheme']}://{headers.get('host', '')}"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        is_foreign = site not in ("same-origin", "none") if origin is None else origin != own
        if is_foreign:
            return PlainTextResponse("This form comes from another site.", 403)
        return None


class Attempts:
    """How often links that do not exist were tried from an address: more than `most` in `seconds` are too many."""

    def __init__(self, most: int = 20, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._tried: dict[str, deque[float]] = {}

    def too_many(self, address: str) -> bool:
        """Whether this address has to wait."""
        return len(self._recent(address)) >= self._most

    def failed(self, address: str) -> None:
        """Note one more."""
        if len(self._tried) > 10_000:
            self._tried.clear()
        self._tried.setdefault(address, deque(maxlen=self._most)).append(self._clock())

    def _recent(self, address: str) -> deque[float]:
        tried = self._tried.get(address, deque())
        while tried and self._clock() - tried[0] > self._seconds:
            tried.popleft()
        return tried


Link = TypeVar("Link")


async def opened(
    pages: Pages, attempts: Attempts, request: Request, find: Callable[[str], Link | None], text: str
) -> Link | Response:
    """What the link of a request opens, which `find` looks for by its secret; or a page with this `text`, and one that
    asks for patience, where the address has tried too many that open nothing.
    """
    address = request.client.host if request.client is not None else ""
    if attempts.too_many(address):
        wait = gettext("Please wait a minute, and open the link once more.")
        return pages.problem(429, gettext("Too many tries"), wait)
    link = await run_in_threadpool(find, str(request.path_params["secret"]))
    if link is None:
        attempts.failed(address)
        return pages.problem(404, gettext("This link does not work"), text)
    return link


_OWNER: Final = "owner"


class Entrance:
    """Lets owners in. `opens`: whether the link with a digest opens their pages."""

    def __init__(self, pages: Pages, opens: Callable[[str], bool]) -> None:
        self._pages, self._opens, self._attempts = pages, opens, Attempts()

    async def arrive(self, request: Request) -> Response:
        """An owner's link: its secret moves from the address into what the browser keeps."""

        def found(secret: str) -> str | None:
            link = digest_of(secret)
            return link if self._opens(link) else None

        text = gettext("The command that serves the pages prints it.")
        link = await opened(self._pages, self._attempts, request, found, text)
        if isinstance(link, Response):
            return link
        response = self._pages.redirect("/owner")
        self._pages.remember(response, _OWNER, link)
        return response

    def link_of(self, request: Request) -> str | None:
        """The digest of the link by which this browser came, whether or not that still works."""
        return self._pages.remembered(request, _OWNER)

    def refuse(self) -> Response:
        """For whoever is no owner."""
        text = gettext("The command that serves the pages prints its link.")
        return self._pages.problem(403, gettext("This page is for the owner"), text)
