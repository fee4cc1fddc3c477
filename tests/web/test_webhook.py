"""The message that a campaign has ended: once, and until somebody takes it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from benchmarks.worlds.small_campaigns import NOW
from tests.web.visitors import Served

from tiebreak.errors import UsageError
from tiebreak.live.answers import stop
from tiebreak.web import webhook as module
from tiebreak.web.settings import ServeSettings
from tiebreak.web.site import Site
from tiebreak.web.webhook import Webhook


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


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(UsageError, match="is no address such as"):
        ServeSettings(webhook="mail me")
