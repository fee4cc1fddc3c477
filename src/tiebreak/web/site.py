"""What all requests share: the campaign, one at a time; signatures; templates; and the language of pages.

That is the language of the browser, of those that there are; English otherwise. Messages stand in English in templates
and code. `locale` has the others, which `benchmarks/translations.py` collects and compiles.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Any, Final, TypeVar

from itsdangerous import BadSignature, URLSafeTimedSerializer
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tiebreak.campaign.kinds import Phrase
from tiebreak.live import LiveCampaign, open_campaign
from tiebreak.live.answers import release, release_due
from tiebreak.live.links import public_name, web_key
from tiebreak.live.task_view import EMPTY
from tiebreak.web.settings import ServeSettings

LOCALE: Final = Path(__file__).parent / "locale"
DOMAIN: Final = "tiebreak"
_ENGLISH: Final = "en"
_LANGUAGES: Final[dict[str, NullTranslations]] = {_ENGLISH: NullTranslations()} | {
    path.parts[-3]: translation(DOMAIN, LOCALE, [path.parts[-3]]) for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")
}
_language: Final = ContextVar("language", default=_ENGLISH)


class Languages:
    """Answers every request in the language of its browser."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http":
            _language.set(best_language(Headers(scope=scope).get("accept-language", "")))
        await self._app(scope, receive, send)


def best_language(header: str) -> str:
    """The language that a browser likes best of those that there are, by its header such as `de-AT,de;q=0.9,en;q=0.8`;
    English where it likes none of them.
    """
    liked: list[tuple[float, str]] = []
    for part in header.split(","):
        name, _, weight = (piece.strip().lower() for piece in part.partition(";"))
        try:
            share = float(weight.removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        liked.append((share, name.partition("-")[0]))
    known = [(share, name) for share, name in liked if name in _LANGUAGES and share > 0]
    return max(known, key=lambda of: of[0], default=(0.0, _ENGLISH))[1]


def language() -> str:
    """The language of this request's page, as `lang` has it."""
    return _language.get()


def gettext(message: str) -> str:
    """A message in the language of this request."""
    return _LANGUAGES[_language.get()].gettext(message) if message else ""


def ngettext(one: str, several: str, count: int) -> str:
    """A message about a number of things in the language of this request."""
    return _LANGUAGES[_language.get()].ngettext(one, several, count)


def translated(text: str) -> str:
    """Words of the program, with the figures in them, in the language of this request; any other text as it is."""
    return text.said(gettext) if isinstance(text, Phrase) else gettext(text)


Result = TypeVar("Result")

_DAY: Final = 24 * 3600
SESSION_SECONDS: Final = 60 * _DAY
FORM_SECONDS: Final = 7 * _DAY


def now() -> str:
    """The time, as events have it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


_MARKDOWN: Final = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])
)
"""What texts may say of their form: nothing that leads to another page or loads anything."""


def rendered(text: str) -> Markup:
    """A text that says its form in Markdown; headings are paragraphs, so that those of the page stay in order."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "p"
            if token.nesting > 0:
                token.attrSet("class", "heading")
    return Markup(_MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {}))


class Guarded:
    """A campaign that one request at a time may look at and change; opened when the first one does."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = folder, threading.Lock()
        self._campaign: LiveCampaign | None = None

    def __call__(self, work: Callable[[LiveCampaign], Result]) -> Result:
        """What `work` makes of the campaign as it is now."""
        with self._lock:
            if self._campaign is None:
                self._campaign = open_campaign(self._folder)
            else:
                self._campaign.refresh()
            return work(self._campaign)


@dataclass(frozen=True, slots=True)
class FormTicket:
    """What a form was made for: a signed part of it says who got it, for which task, and when. `before`: seconds that
    were spent on the task earlier; `seen`: the digest of the answers that it shows to be checked, "" where it is to be
    filled in.
    """

    person: str
    task: str
    made_at: datetime
    before: float = 0.0
    seen: str = ""

    @property
    def seconds(self) -> float:
        """Since it was made."""
        return max(0.0, (datetime.now(UTC) - self.made_at).total_seconds())


class Pages:
    """What pages are made of, and what browsers keep; `key` signs it."""

    def __init__(self, key: bytes, settings: ServeSettings) -> None:
        self.settings, self.key = settings, key
        self.name = public_name(self.key)
        environment = Environment(
            loader=PackageLoader("tiebreak.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True, extensions=["jinja2.ext.i18n"],
        )  # fmt: skip
        environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
        environment.globals |= {"root": settings.path, "language": language, "empty": EMPTY}
        environment.filters |= {"markdown": rendered, "translated": translated}
        self._environment = environment

    # ---- pages -------------------------------------------------------------------------------------------------

    def page(self, template: str, status: int = 200, **context: Any) -> HTMLResponse:
        """A page made of a template."""
        return HTMLResponse(self._environment.get_template(template).render(**context), status)

    def problem(self, status: int, title: str, text: str) -> HTMLResponse:
        """A page that says what went wrong, and what to do, in the language of the request."""
        return self.page("problem.html", status, title=title, text=text)

    def path(self, path: str) -> str:
        """A path as browsers have to ask for it."""
        return self.settings.path + path

    def redirect(self, path: str) -> RedirectResponse:
        """The way to another page."""
        return RedirectResponse(self.path(path), 303)

    # ---- what browsers keep ------------------------------------------------------------------------------------

    def remember(self, response: Response, what: str, value: str) -> None:
        """Let the browser keep a signed value that scripts cannot read."""
        response.set_cookie(
            f"{self.name}-{what}", self._signer(what).dumps(value), max_age=SESSION_SECONDS, path=self.path("/"),
            secure=self.settings.is_https, httponly=True, samesite="lax",
        )  # fmt: skip

    def remembered(self, request: Request, what: str) -> str | None:
        """The value that `remember` gave the browser; None without it, or where somebody changed it."""
        try:
            value = self._signer(what).loads(request.cookies.get(f"{self.name}-{what}", ""), SESSION_SECONDS)
        except BadSignature:
            return None
        return value if isinstance(value, str) else None

    def ticket(self, person: str, task: str = "", before: float = 0.0, seen: str = "") -> str:
        """The signed part of a form for this person."""
        return self._signer("form").dumps([person, task, before, seen])

    def read_ticket(self, text: object, person: str) -> FormTicket | None:
        """What a form was made for; None where it was not made for this person, is too old, or was changed."""
        try:
            value, made_at = self._signer("form").loads(str(text), FORM_SECONDS, return_timestamp=True)
        except BadSignature:
            return None
        if not isinstance(value, list) or len(value) != 4 or value[0] != person:
            return None
        return FormTicket(person, str(value[1]), made_at, float(value[2]), str(value[3]))

    def _signer(self, purpose: str) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self.key.hex(), salt=f"tiebreak {purpose}")


class Site(Pages):
    """The pages of the campaign in a folder. `campaign` serves annotators; `owners` reads the same log, so that a long
    look at the verdicts holds up nobody who answers.
    """

    def __init__(self, folder: Path, settings: ServeSettings) -> None:
        self.folder = folder
        self.campaign, self.owners = Guarded(folder), Guarded(folder)
        self.campaign(lambda live: live.protocol)  # refuses what is no campaign, before anything is written
        super().__init__(web_key(folder), settings)

    def release_held(self, *, everything: bool = False) -> None:
        """Make labels of the answers that can be taken back no more, or of all that are held."""
        self.campaign(lambda live: release(live, now()) if everything else release_due(live, now()))
