"""The language of pages: that of the browser, of those that there are; English otherwise.

Messages stand in English in templates and code. `locale` has the others, which `benchmarks/translations.py` collects
and compiles.
"""

from __future__ import annotations

from contextvars import ContextVar
from gettext import NullTranslations, translation
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from tiebreak.campaign.kinds import Phrase

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
