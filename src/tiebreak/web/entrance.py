"""The way in to the owner's pages: a link, and from then on a cookie that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tiebreak.live.links import digest_of
from tiebreak.web.guards import Attempts
from tiebreak.web.language import gettext
from tiebreak.web.site import Pages

_OWNER: Final = "owner"


class Entrance:
    """Lets owners in. `opens`: whether the link with a digest opens their pages."""

    def __init__(self, pages: Pages, opens: Callable[[str], bool]) -> None:
        self._pages, self._opens, self._attempts = pages, opens, Attempts()

    async def arrive(self, request: Request) -> Response:
        """An owner's link: its secret moves from the address into what the browser keeps."""
        address = request.client.host if request.client is not None else ""
        if self._attempts.too_many(address):
            text = gettext("Please wait a minute, and open the link once more.")
            return self._pages.problem(429, gettext("Too many tries"), text)
        link = digest_of(str(request.path_params["secret"]))
        if not await run_in_threadpool(self._opens, link):
            self._attempts.failed(address)
            text = gettext("The command that serves the pages prints it.")
            return self._pages.problem(404, gettext("This link does not work"), text)
        response = RedirectResponse(self._pages.path("/owner"), 303)
        self._pages.remember(response, _OWNER, link)
        return response

    def link_of(self, request: Request) -> str | None:
        """The digest of the link by which this browser came, whether or not that still works."""
        return self._pages.remembered(request, _OWNER)

    def refuse(self) -> Response:
        """For whoever is no owner."""
        text = gettext("The command that serves the pages prints its link.")
        return self._pages.problem(403, gettext("This page is for the owner"), text)
