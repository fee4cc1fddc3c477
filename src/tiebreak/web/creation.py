"""A campaign begins in a browser: its owner uploads tables, chooses settings, reads what would be created, and does it.

They are the tables of a study, or other files that `tiebreak import` reads. Of what a browser says only letters, digits
and the like become the name of a file, in a folder that is removed at the end.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tiebreak.campaign import Protocol
from tiebreak.campaign.protocol import SHIPPED
from tiebreak.data.readers import known_files, read_study
from tiebreak.data.schema import FORMATS, TABLES
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.files import writing
from tiebreak.importers.reading import read_csv
from tiebreak.live.folder import PROTOCOL_FILE, create_campaign, prepared
from tiebreak.live.links import digest_of, is_first_owner, new_key, owner_secret, web_key
from tiebreak.live.new_protocol import new_protocol
from tiebreak.live.outlook import outlook
from tiebreak.messages.outlook import outlook_words, size_words
from tiebreak.settings import written
from tiebreak.settings.protocol import PROTOCOL_TABLES, QuestionSettings
from tiebreak.settings.setting import NamedSetting, settings_of
from tiebreak.web.app import application, create_app
from tiebreak.web.forms import text_in
from tiebreak.web.guards import Entrance
from tiebreak.web.settings import ServeSettings
from tiebreak.web.site import Pages, Site, gettext, now

MOST_UPLOADED: Final = 200_000_000
_MOST_FILES: Final = 40
_LONGEST_NAME: Final = 80
_OFFERED: Final = (
    *("question", "instructions", "labels.kind", "labels.ties", "labels.price", "labels.currency"),
    *("budget.max_labels", "decision.margin", "ratings.half_width"),
)
"""The settings that the page has; a protocol file may say all others."""
_RECORDS: Final[Mapping[str, type[Any]]] = {"": QuestionSettings, **PROTOCOL_TABLES}
_SETTINGS: Final[Mapping[str, tuple[str, NamedSetting]]] = MappingProxyType(
    {
        f"{table}.{named.name}".removeprefix("."): (table, named)
        for table, record in _RECORDS.items()
        for named in settings_of(record)
    }
)
_RATE, _NAMED = "rate", "named"
_WITHOUT: Final = "without"
_STUDY, _FILES = "study", "files"
_RECIPE: Final = ".toml"
_OPTION: Final = re.compile(r"--[a-z][a-z-]*[a-z]")


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be created; `name` tells it from what was sent before or after it."""

    name: str
    protocol: Protocol
    study: Study


class Creation:
    """The pages that make the campaign in `folder`; from then on those of the campaign, under the same owner's link.

    `created`: what else to do as soon as it is there.
    """

    def __init__(self, folder: Path, settings: ServeSettings, created: Callable[[Site], None]) -> None:
        self._folder, self._settings, self._created = folder, settings, created
        self._pages = Pages(new_key(), settings)
        self._entrance = Entrance(self._pages, lambda link: is_first_owner(self._pages.key, link))
        self._lock, self._running = threading.Lock(), AsyncExitStack()
        self._values: dict[str, str] = {}
        self._draft: Draft | None = None
        self.own = application(
            self._pages,
            [
                Route("/", self._home),
                Route("/o/{secret}", self._entrance.arrive),
                Route("/owner", self._form),
                Route("/owner/check", self._check, methods=["POST"]),
                Route("/owner/create", self._create, methods=["POST"]),
            ],
            self._lifespan,
            uploads=MOST_UPLOADED,
        )
        self._app: ASGIApp = self.own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request; or the life of the server, which is the same before and after."""
        app = self.own if scope["type"] == "lifespan" else self._app
        await app(scope, receive, send)

    @property
    def secret(self) -> str:
        """Of the owner's link."""
        return owner_secret(self._pages.key)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with self._running:
            self._uploads = tempfile.TemporaryDirectory()
            self._running.callback(self._uploads.cleanup)
            for folder in (self._tables, self._files):
                folder.mkdir()
            yield

    @property
    def _tables(self) -> Path:
        """Where the tables of a study are that were uploaded."""
        return Path(self._uploads.name) / _STUDY

    @property
    def _files(self) -> Path:
        """Where other files are that were uploaded."""
        return Path(self._uploads.name) / _FILES

    def _place(self, name: str) -> Path:
        """Of a file that was uploaded."""
        if name == PROTOCOL_FILE:
            return Path(self._uploads.name) / name
        return (self._tables if name in known_files() else self._files) / name

    # ---- requests ----------------------------------------------------------------------------------------------

    async def _home(self, _: Request) -> Response:
        text = gettext("There is no campaign here yet.")
        return self._pages.problem(200, gettext("Please use your link"), text)

    async def _form(self, request: Request) -> Response:
        if self._owner(request) is None:
            return self._entrance.refuse()
        return self._form_page()

    async def _check(self, request: Request) -> Response:
        """What was uploaded and chosen: what it would make, or what is wrong with it."""
        link = self._owner(request)
        if link is None:  # before anything is read of what they send
            return self._entrance.refuse()
        async with request.form(max_files=_MOST_FILES) as form:
            if self._pages.read_ticket(form.get("ticket"), link) is None:
                return self._entrance.refuse()
            return await run_in_threadpool(self._checked, form)

    async def _create(self, request: Request) -> Response:
        link = self._owner(request)
        if link is None:
            return self._entrance.refuse()
        async with request.form(max_files=0) as form:
            ticket = self._pages.read_ticket(form.get("ticket"), link)
        if ticket is None:
            return self._entrance.refuse()
        found = await run_in_threadpool(self._created_or_not, ticket.task)
        if isinstance(found, Response):
            return found
        campaign = create_app(found)
        await self._running.enter_async_context(campaign.router.lifespan_context(campaign))
        self._app = campaign
        self._uploads.cleanup()
        await run_in_threadpool(self._created, found)
        return self._pages.redirect("/owner")

    def _owner(self, request: Request) -> str | None:
        """The digest of the owner's link, where this browser came by it."""
        link = self._entrance.link_of(request)
        return link if link is not None and is_first_owner(self._pages.key, link) else None

    # ---- work --------------------------------------------------------------------------------------------------

    def _checked(self, form: FormData) -> Response:
        with self._lock:
            self._draft = None
            self._values = {name: text_in(form, name) for name in (*_OFFERED, _RATE, _NAMED)}
            try:
                self._take_files(form)
                draft = self._read()
                page = self._outlook_page(draft)
            except TiebreakError as error:
                return self._form_page(self._problems(error))
            self._draft = draft
            return page

    def _take_files(self, form: FormData) -> None:
        """Keep what was uploaded, each table in the place of an earlier one, and let go of what was left out."""
        for kept in set(self._kept()) & set(map(str, form.getlist(_WITHOUT))):
            self._place(kept).unlink()
        for upload in _uploads(form, "tables"):
            name = _plain_name(str(upload.filename))
            if name in known_files():
                for earlier in self._tables.glob(f"{name.partition('.')[0]}.*"):
                    earlier.unlink()
            _store(upload, self._place(name))
        for upload in _uploads(form, "protocol"):
            _store(upload, self._place(PROTOCOL_FILE))

    def _read(self) -> Draft:
        """The campaign that was asked for."""
        changes: dict[str, dict[str, Any]] = {}
        for key in _OFFERED:
            table, named = _SETTINGS[key]
            if self._values[key]:
                changes.setdefault(table, {})[named.name] = _value(named, self._values[key])
        study = self._study()
        path = self._place(PROTOCOL_FILE)
        if not path.is_file():
            path = SHIPPED.get(self._values[_NAMED], path)
        try:
            text = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
        except UnicodeDecodeError as error:
            raise UsageError(f"{PROTOCOL_FILE}: not UTF-8; save it as UTF-8") from error
        protocol = new_protocol(text, PROTOCOL_FILE, changes, self._values[_RATE].splitlines(), study)
        return Draft(secrets.token_hex(8), protocol, study)

    def _study(self) -> Study:
        """That of the tables that were uploaded, or of the other files, with those that describe them."""
        files = sorted(self._files.iterdir())
        if not files:
            return read_study(self._tables)
        if any(self._tables.iterdir()):
            raise UsageError(f"beside {files[0].name} there are tables of a study: leave out the ones or the others")
        recipes = [path for path in files if path.suffix == _RECIPE]
        return read_csv(*(path for path in files if path.suffix != _RECIPE), recipe=recipes)

    def _created_or_not(self, name: str) -> Site | Response:
        """The campaign of the draft of this name, which is there now; else what to show instead."""
        with self._lock:
            if self._draft is None or self._draft.name != name:
                return self._pages.redirect("/owner")
            try:
                create_campaign(self._folder, self._draft.protocol, self._draft.study, at=now())
            except TiebreakError as error:
                return self._form_page(self._problems(error))
            self._draft = None
            web_key(self._folder, self._pages.key)
            return Site(self._folder, self._settings)

    def _kept(self) -> list[str]:
        """What was uploaded so far."""
        names = sorted(path.name for folder in (self._tables, self._files) for path in folder.iterdir())
        return names + [PROTOCOL_FILE] * self._place(PROTOCOL_FILE).is_file()

    def _problems(self, error: TiebreakError) -> list[str]:
        """What is wrong, a line each, with files under the names that they were uploaded by."""
        words = str(error)
        for folder in (self._tables, self._files):
            words = words.replace(f"{folder}{os.sep}", "").replace(str(folder), folder.name)
        return _OPTION.sub(_on_the_page, words).split("\n")

    # ---- pages -------------------------------------------------------------------------------------------------

    def _ticket(self, draft: str = "") -> str:
        return self._pages.ticket(digest_of(self.secret), draft)

    def _form_page(self, problems: list[str] | None = None) -> Response:
        return self._pages.page(
            "create.html",
            422 if problems else 200,
            name=self._folder.resolve().name,
            ticket=self._ticket(),
            fields=[_field(key, self._values.get(key, "")) for key in _OFFERED],
            rate=self._values.get(_RATE, ""),
            named=self._values.get(_NAMED, ""),
            shipped=list(SHIPPED),
            kept=self._kept(),
            tables=", ".join(TABLES),
            formats=", ".join(f".{ending}" for ending in FORMATS),
            problems=problems or [],
        )

    def _outlook_page(self, draft: Draft) -> Response:
        found = outlook(*prepared(draft.protocol, draft.study))
        return self._pages.page(
            "outlook.html",
            name=self._folder.resolve().name,
            ticket=self._ticket(draft.name),
            size=size_words(found),
            lines=outlook_words(found),
            notices=[*(notice.text for notice in draft.study.notices), *found.notices],
        )


def _on_the_page(option: re.Match[str]) -> str:
    """What this page, or else a protocol file, calls the option of a command."""
    found = next((key for key, (_, named) in _SETTINGS.items() if option[0] == named.option), None)
    if option[0] == f"--{_RATE}":
        return "criteria of ratings"
    if found is None:
        return option[0]
    return f"“{_SETTINGS[found][1].setting.help}”" if found in _OFFERED else f"{found} in a protocol file"


def _uploads(form: FormData, name: str) -> list[UploadFile]:
    """The files that were chosen in a field."""
    return [value for value in form.getlist(name) if isinstance(value, UploadFile) and value.filename]


def _store(upload: UploadFile, path: Path) -> None:
    with writing(path), path.open("wb") as file:
        shutil.copyfileobj(upload.file, file)


def _plain_name(name: str) -> str:
    """Of a file, without what could make it another path."""
    return re.sub(r"[^\w.-]|^\.+", "-", re.split(r"[/\\]", name)[-1])[-_LONGEST_NAME:]


def _value(named: NamedSetting, text: str) -> object:
    """What was written into the field of a setting."""
    if named.kind == "flag":
        return text == _flags(named)[0]
    if named.kind in ("whole", "number"):
        read = written.whole if named.kind == "whole" else written.number
        return read(named.setting.help, named.setting)(text)
    return text


def _flags(named: NamedSetting) -> list[str]:
    """Both names of a flag, without dashes."""
    return [name.removeprefix("--") for name in named.setting.flags.split("/")]


def _field(key: str, value: str) -> dict[str, object]:
    """A setting as a control of the form."""
    _, named = _SETTINGS[key]
    choices = _flags(named) if named.kind == "flag" else named.setting.choices
    words = choices if isinstance(choices, Mapping) else dict.fromkeys(choices, "")
    return {
        "key": key,
        "label": named.setting.help,
        "choices": [(choice, f"{choice} ({said})" if said else choice) for choice, said in words.items()],
        "default": written.default_words(named),
        "is_long": key == "instructions",
        "value": value,
    }
