"""The application: which page answers which request."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Lifespan

from tiebreak.errors import TiebreakError
from tiebreak.live.links import is_owner
from tiebreak.web.annotator import AnnotatorPages
from tiebreak.web.guards import Entrance, Guards
from tiebreak.web.owner import OwnerPages
from tiebreak.web.settings import HOOK_PATH
from tiebreak.web.site import Languages, Pages, Site, gettext
from tiebreak.web.webhook import Hook, Webhook

_RELEASE_SECONDS: Final = 5
_STATIC: Final = Path(__file__).parent / "static"


def create_app(site: Site) -> Starlette:
    """The pages of a campaign."""
    entrance = Entrance(site, lambda link: site.owners(lambda live: is_owner(live.ledger, site.key, link)))
    people, owner, webhook = AnnotatorPages(site), OwnerPages(site, entrance), Webhook(site)

    async def home(request: Request) -> Response:
        if site.remembered(request, "annotator") is not None:
            return site.redirect("/task")
        text = gettext("These pages are for people who were sent a link to them.")
        return site.problem(200, gettext("Please use your link"), text)

    routes = [
        Route("/", home),
        Route("/a/{secret}", people.arrive),
        Route("/join", people.consent),
        Route("/join", people.agree, methods=["POST"]),
        Route("/task", people.task),
        Route("/task", people.answer, methods=["POST"]),
        Route("/skip", people.skip, methods=["POST"]),
        Route("/undo", people.undo, methods=["POST"]),
        Route("/tutorial", people.tutorial),
        Route("/tutorial", people.tutorial_answer, methods=["POST"]),
        Route("/o/{secret}", entrance.arrive),
        Route("/owner", owner.dashboard),
        Route("/owner/preview", owner.preview, methods=["GET", "POST"]),
        Route("/owner/report", owner.report),
        Route("/owner/learning.png", owner.learning),
        Route("/owner/export.zip", owner.export),
        Route("/owner/{action}", owner.act, methods=["POST"]),
        Route(HOOK_PATH, Hook(site).take, methods=["POST"]),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Answers that can be taken back no more become labels, whether or not anybody asks for a page; all of them
        when the server ends.
        """
        stopped = asyncio.Event()

        async def release() -> None:
            while not stopped.is_set():
                with suppress(TiebreakError):  # a disk that is full, say: it is tried again
                    await run_in_threadpool(site.release_held)
                    await run_in_threadpool(webhook.tell)
                with suppress(TimeoutError):
                    await asyncio.wait_for(stopped.wait(), _RELEASE_SECONDS)

        releasing = asyncio.create_task(release())
        yield
        stopped.set()
        await asyncio.gather(releasing, return_exceptions=True)
        await run_in_threadpool(site.release_held, everything=True)

    return application(site, routes, lifespan)


def application(pages: Pages, routes: Sequence[Route], lifespan: Lifespan[Starlette], *, uploads: int = 0) -> Starlette:
    """The pages at these `routes`, with what all have: styles, guards, and pages for what is not there or went wrong.
    `uploads`: bytes that a form with files may have.
    """
    settings = pages.settings

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok")

    async def no_page(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        text = gettext("Please open the link that you were sent once more.")
        return pages.problem(status, gettext("There is no such page"), text)

    async def failed(_: Request, __: Exception) -> Response:
        text = gettext("Nothing that was saved is lost. Please try again in a minute.")
        return pages.problem(500, gettext("Something went wrong"), text)

    origin = settings.origin if settings.base_url is not None else ""
    return Starlette(
        routes=[Route("/health", health), *routes, Mount("/static", StaticFiles(directory=_STATIC))],
        middleware=[Middleware(Guards, origin=origin, hosts=settings.hosts, uploads=uploads), Middleware(Languages)],
        lifespan=lifespan,
        exception_handlers={404: no_page, 405: no_page, 500: failed},
    )
