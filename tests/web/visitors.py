"""Browsers for tests of the pages: they follow links, read forms and send answers, as people's do."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.worlds.rating_campaigns import rated_study
from benchmarks.worlds.small_campaigns import NOW, study_of
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tiebreak.campaign import LabelGiven, Protocol
from tiebreak.data.study import Study
from tiebreak.live import LiveCampaign, create_campaign, open_campaign
from tiebreak.live.links import issue_link, owner_secret, web_key
from tiebreak.settings.protocol import DecisionSettings, LabelSettings, RatingSettings
from tiebreak.web.app import create_app
from tiebreak.web.settings import ServeSettings
from tiebreak.web.site import Site

SETTINGS = ServeSettings()
CORRECTNESS = Protocol(
    labels=LabelSettings(kind="correctness"), decision=DecisionSettings(rule="width"),
    ratings=RatingSettings(half_width=0.2),
)  # fmt: skip


def with_passages(texts: Mapping[str, str], items: int | None = None) -> Study:
    """The study of ratings with these passages of each item, or of the first so many; {item} is its name."""
    study = rated_study()
    names = sorted(set(study.outputs["item"]))[:items]  # type: ignore[index]
    rows = [
        {"item": item, "passage": name, "text": text.format(item=item)}
        for item in names
        for name, text in texts.items()
    ]
    return Study.from_tables(items=study.items, outputs=study.outputs, passages=rows)


class Served:
    """A campaign with its pages."""

    def __init__(self, folder: Path, protocol: Protocol | None = None, study: Study | None = None) -> None:
        self.folder = folder
        create_campaign(folder, protocol or Protocol(), study if study is not None else study_of(), at=NOW)
        self.app: Starlette = create_app(Site(folder, SETTINGS))

    @property
    def live(self) -> LiveCampaign:
        """The campaign as its log has it now."""
        return open_campaign(self.folder)

    def answers(self) -> list[LabelGiven]:
        """What people answered and did not take back, in the order of their answers; the last of each may be held."""
        live = self.live
        labels = [event for event in live.events() if type(event) is LabelGiven]
        return [*labels, *live.ledger.held.values()]

    def link(self, annotator: str = "", most: int = 1) -> str:
        """The path of a new link."""
        return f"/a/{issue_link(self.live, now=NOW, annotator=annotator, most=most)}"

    def person(self, annotator: str = "") -> Visitor:
        """Somebody who has joined."""
        visitor = Visitor(self.app)
        visitor.join(self.link(annotator))
        return visitor

    def owner(self) -> Visitor:
        """The owner's browser."""
        visitor = Visitor(self.app)
        assert visitor.get(f"/o/{owner_secret(web_key(self.folder))}").status == 200
        return visitor


def ticket_in(page: str) -> str:
    """The signed part of a page's form for an answer, or of its first form."""
    form = page[max(0, page.find('id="answer"')) :]
    found = re.search(r'name="ticket" value="([^"]*)"', form)
    assert found is not None, page
    return html.unescape(found[1])


class Page:
    """A page that came back."""

    def __init__(self, status: int, url: str, text: str) -> None:
        self.status, self.url, self.text = status, url, text

    @property
    def ticket(self) -> str:
        """The signed part of the form for an answer, or of its first form."""
        return ticket_in(self.text)

    @property
    def undo(self) -> dict[str, str]:
        """The form that takes back the last answer."""
        found = re.search(r'class="undo">\s*<input type="hidden" name="ticket" value="([^"]*)"', self.text)
        assert found is not None, self.text
        return {"ticket": html.unescape(found[1])}

    @property
    def hidden(self) -> dict[str, str]:
        """The hidden fields of the form for an answer."""
        form = self.text.partition('id="answer"')[2].partition("</form>")[0]
        found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
        return {html.unescape(name): html.unescape(value) for name, value in found}

    @property
    def words(self) -> str:
        """What people read, without tags."""
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", self.text)).split())

    @property
    def shown(self) -> list[str]:
        """The texts that are asked about, in their order."""
        parts = re.findall(r'<article class="shown".*?<div class="text" dir="auto">(.*?)</div>', self.text, re.DOTALL)
        return [html.unescape(part) for part in parts]


class Visitor:
    """One browser, with cookies of its own and without scripts."""

    def __init__(self, app: Starlette, *, follow: bool = True) -> None:
        self.client = TestClient(
            app, base_url="http://127.0.0.1:8765", follow_redirects=follow, raise_server_exceptions=False
        )

    def get(self, path: str, **headers: str) -> Page:
        """Ask for a page."""
        answer = self.client.get(path, headers=headers)
        return Page(answer.status_code, str(answer.url), answer.text)

    def post(self, path: str, data: dict[str, str], **headers: str) -> Page:
        """Send a form."""
        answer = self.client.post(path, data=data, headers={"origin": "http://127.0.0.1:8765", **headers})
        return Page(answer.status_code, str(answer.url), answer.text)

    def join(self, link: str) -> Page:
        """Open a link and agree."""
        return self.post("/join", {"ticket": self.get(link).ticket})

    def task(self) -> Page:
        """The task before them."""
        return self.get("/task")

    def answer(self, page: Page, **fields: str) -> Page:
        """Send an answer to the task of a page; fields by their names, with blanks as underscores."""
        cells = {f"answer:{name.replace('_', ' ')}": value for name, value in fields.items()}
        return self.post("/task", {"ticket": page.ticket, **cells})
