"""Messages of Prolific, and the message that a campaign has ended: who has left goes without tasks; what is forged,
late, repeated or foreign changes nothing; the end is told once, and until somebody takes it.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from benchmarks.worlds.small_campaigns import NOW
from tests.web.prolific_stand_in import message, signed
from tests.web.visitors import SETTINGS, Page, Served, Visitor

from tiebreak.campaign import TaskReturned
from tiebreak.live.answers import stop
from tiebreak.live.links import keep_hook_secret
from tiebreak.web import webhook as module
from tiebreak.web.app import create_app
from tiebreak.web.settings import ServeSettings
from tiebreak.web.site import Site
from tiebreak.web.webhook import Webhook

# ---- Messages of Prolific: who has left goes without tasks; what is forged, late, repeated or foreign changes
# nothing.


SECRET = "hush"
PATH = "/hooks/prolific"
RETURNED = message("p1", "s1", "RETURNED")


class Crowded(Served):
    """A campaign that Prolific sends people to, and tells of who has left."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        keep_hook_secret(folder, SECRET)
        self.way = self.link(most=2)
        self.one = Visitor(self.app)
        self.page = self.come("p1", "s1")
        self.head = str(self.live.head)

    def come(self, participant: str, visit: str) -> Page:
        """Somebody opens the link of the study, and agrees."""
        return self.one.join(f"{self.way}?PROLIFIC_PID={participant}&SESSION_ID={visit}")

    def tell(self, body: bytes, headers: dict[str, str] | None = None) -> int:
        """Send a message; the status that comes back."""
        client = Visitor(self.app).client
        return int(
            client.post(PATH, content=body, headers=signed(SECRET, body) if headers is None else headers).status_code
        )

    @property
    def unchanged(self) -> bool:
        return str(self.live.head) == self.head


@pytest.fixture
def crowded(tmp_path: Path) -> Crowded:
    return Crowded(tmp_path / "camp")


@pytest.mark.parametrize("status", ["RETURNED", "TIMED-OUT"])
def test_tasks_of_whoever_left_go_to_others_at_once(crowded: Crowded, status: str) -> None:
    crowded.one.answer(crowded.page, answer="First text")
    page = crowded.one.task()
    assert crowded.tell(message("p1", "s1", status)) == 200
    assert [type(of) for of in crowded.live.events()].count(TaskReturned) == 1
    assert [*crowded.live.state.tasks] == [crowded.answers()[0].task], "it is answered, and may be taken back"
    late = crowded.one.answer(page, answer="First text")
    assert (late.status, crowded.one.task().status) == (403, 403)
    assert len(crowded.answers()) == 1, "the answer that was given stays"
    other = Visitor(crowded.app)
    assert other.join(f"{crowded.way}?PROLIFIC_PID=p2&SESSION_ID=s2").shown == page.shown
    assert crowded.come("p1", "s1").status == 200, "by the link they are back"
    assert crowded.one.task().status == 200


def test_news_of_an_earlier_visit_or_from_before_they_came_back_changes_nothing(crowded: Crowded) -> None:
    """When a message was sent is signed, and its name is not: a copy under another name is older than the visit."""
    headers = signed(SECRET, RETURNED)
    assert crowded.tell(RETURNED, headers) == 200
    time.sleep(1)
    assert crowded.come("p1", "s1").status == 200
    head = str(crowded.live.head)
    assert crowded.tell(RETURNED, {**headers, "x-event-id": "another"}) == 200
    assert crowded.come("p1", "s2").status == 200
    after = str(crowded.live.head)
    for visit, notice in (("s1", "e2"), ("s2", "e3")):
        assert str(crowded.live.head) == after != head
        assert crowded.one.task().status == 200
        body = message("p1", visit, "TIMED-OUT")
        assert crowded.tell(body, signed(SECRET, body, notice)) == 200
    assert crowded.one.task().status == 403


@pytest.mark.parametrize(
    "body",
    [
        *(message("p1", "s1", of) for of in ("ACTIVE", "AWAITING REVIEW", "APPROVED", "REJECTED", "SCREENED OUT", "")),
        message("p1", "s1", "returned"),
        message("p1", "s9", "RETURNED"),  # another study of the same person
        message("p9", "s1", "RETURNED"),
        message("p9", "s9", "RETURNED"),
        message("p1", "s1", "RETURNED", event_type="study.status.change"),
    ],
)
def test_other_news_and_news_of_other_studies_and_people_change_nothing(crowded: Crowded, body: bytes) -> None:
    assert crowded.tell(body) == 200
    assert crowded.unchanged


@pytest.mark.parametrize(
    ("how", "changed"),
    [
        ({"secret": "guessed"}, {}),
        ({"body": RETURNED.replace(b"p1", b"p2")}, {}),
        ({"seconds": 301}, {}),
        ({"seconds": -400}, {}),
        ({"notice": ""}, {}),
        ({"notice": "e" * 101}, {}),
        ({}, {"x-prolific-request-timestamp": "1"}),
        ({}, {"x-prolific-request-timestamp": "nan"}),
        ({}, {"x-prolific-request-timestamp": ""}),
        ({}, {"x-prolific-request-signature": ""}),
        ({}, {"x-prolific-request-signature": b"\xe9"}),
    ],
)
def test_what_is_forged_or_old_is_refused(crowded: Crowded, how: dict[str, Any], changed: dict[str, Any]) -> None:
    assert crowded.tell(RETURNED, signed(**{"secret": SECRET, "body": RETURNED} | how) | changed) == 403
    assert crowded.unchanged


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"\xff", b'{"event_type": 3}', b'{"status": ""}', b'{"event_type": "\xff"}',
     b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"],
)  # fmt: skip
def test_what_is_malformed_is_refused_though_it_is_signed(crowded: Crowded, body: bytes) -> None:
    assert crowded.tell(body) == 400
    assert crowded.unchanged


def test_a_message_counts_once_also_after_a_restart(crowded: Crowded) -> None:
    assert crowded.tell(RETURNED) == 200
    crowded.come("p1", "s1")
    crowded.one.task()
    crowded.head = str(crowded.live.head)
    crowded.app = create_app(Site(crowded.folder, SETTINGS))
    assert crowded.tell(RETURNED) == 200, "acknowledged, so that it does not come again"
    assert crowded.unchanged
    assert crowded.tell(RETURNED, signed(SECRET, RETURNED, notice="e2")) == 200
    assert crowded.live.ledger.left == set(crowded.live.state.annotators)


def test_only_this_path_takes_messages_and_no_form(crowded: Crowded) -> None:
    client = Visitor(crowded.app).client
    for path in ("/task", "/join", "/owner/stop", "/hooks/prolific/", "/hooks"):
        assert client.post(path, content=RETURNED, headers=signed(SECRET, RETURNED)).status_code == 415, path
    form = signed(SECRET, RETURNED) | {"content-type": "application/x-www-form-urlencoded"}
    assert crowded.tell(RETURNED, form) == 415
    assert client.get(PATH).status_code == 405
    (crowded.folder / "prolific.key").unlink()
    assert crowded.tell(RETURNED) == 404
    assert crowded.unchanged


# ---- The message that a campaign has ended: once, and until somebody takes it. -------------------------------------


class Taken(HTTPServer):
    """What was sent, and how the next requests are answered."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[dict[str, object]] = []
        self.statuses: list[int] = []


class Handler(BaseHTTPRequestHandler):
    server: Taken

    def do_POST(self) -> None:
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[Taken]:
    server = Taken()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_it_is_sent_once_and_again_after_an_error(
    tmp_path: Path, address: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(tmp_path / "camp")
    site = Site(served.folder, ServeSettings(webhook=f"http://127.0.0.1:{address.server_port}/over"))
    hook = Webhook(site)
    hook.tell()
    assert address.bodies == [], "it runs"
    stop(served.live, now=NOW)
    address.statuses = [500]
    hook.tell()
    hook.tell()
    assert len(address.bodies) == 1, "not again at once"
    assert not served.live.ledger.owner_told
    monkeypatch.setattr(module, "_AGAIN_SECONDS", 0)
    again = Webhook(Site(served.folder, site.settings))
    again.tell()
    again.tell()
    Webhook(Site(served.folder, site.settings)).tell()
    assert len(address.bodies) == 2, "the log says that it was taken"
    body = address.bodies[-1]
    assert (body["campaign"], body["ended"], body["labels"]) == ("camp", "stopped", 0)
    assert "0 labels" in str(body["text"])
    assert served.live.ledger.owner_told


def test_nobody_there_is_no_failure(tmp_path: Path, address: Taken) -> None:
    served = Served(tmp_path / "camp")
    stop(served.live, now=NOW)
    port = address.server_port
    address.shutdown()
    address.server_close()
    Webhook(Site(served.folder, ServeSettings(webhook=f"http://127.0.0.1:{port}/"))).tell()
    assert not served.live.ledger.owner_told


@pytest.mark.parametrize("url", ["http://[::1", "http://a..b/"])
def test_no_address_stops_the_server(url: str, tmp_path: Path) -> None:
    served = Served(tmp_path / "camp")
    stop(served.live, now=NOW)
    Webhook(Site(served.folder, ServeSettings(webhook=url))).tell()
    assert not served.live.ledger.owner_told
