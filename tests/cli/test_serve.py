"""`tiebreak campaign serve` and `campaign demo`: the links, and what is said of them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from benchmarks.worlds.small_campaigns import NOW, study_of
from starlette.testclient import TestClient
from tests.cli.campaign_commands import ok, refused
from tests.web.visitors import ticket_in

from tiebreak.campaign import Protocol
from tiebreak.data.writers import write_study
from tiebreak.live import create_campaign
from tiebreak.settings.protocol import LabelSettings


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What was served instead of waiting for requests."""
    found: list[Any] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn, "run", lambda app, **settings: found.append((app, settings)))
    return found


@pytest.fixture
def camp(served: list[Any]) -> list[Any]:
    """The same, and a campaign `camp`."""
    create_campaign(Path("camp"), Protocol(), study_of(), at=NOW)
    return served


def links(output: str) -> list[str]:
    return re.findall(r"https?://\S+", output)


def test_two_links_that_work(camp: list[Any]) -> None:
    owner, annotators = links(ok("tiebreak campaign serve camp --port 9000"))
    app, settings = camp[0]
    assert (settings["host"], settings["port"]) == ("127.0.0.1", 9000)
    client = TestClient(app, base_url="http://127.0.0.1:9000")
    assert "0 of 1 pair decided" in client.get(owner).text
    assert "What is stored" in client.get(annotators).text
    assert links(ok("tiebreak campaign serve camp --port 9000")) == [owner, annotators], "the same at every start"


def test_behind_a_proxy(camp: list[Any]) -> None:
    output = ok("tiebreak campaign serve camp --base-url https://labels.example.org/t")
    assert all(link.startswith("https://labels.example.org/t/") for link in links(output))
    client = TestClient(camp[0][0], base_url="http://127.0.0.1:8765", follow_redirects=False)
    assert client.get("/a/x").status_code == 404
    secret = links(output)[1].rpartition("/")[2]
    assert client.get(f"/a/{secret}").headers["location"] == "/t/join"


def test_what_is_said_where_others_can_read_along(camp: list[Any]) -> None:
    assert "Others can read along" in ok("tiebreak campaign serve camp --host 0.0.0.0")
    assert camp[0][1]["host"] == "0.0.0.0"


def test_a_campaign_is_created_in_the_browser(served: list[Any], capsys: pytest.CaptureFixture[str]) -> None:
    output = ok("tiebreak campaign serve camp --create")
    (owner,) = links(output)
    outputs = "item,system,text\n" + "".join(f"i{k},{s},{s} {k}\n" for k in range(60) for s in ("ant", "bee"))
    with TestClient(served[0][0], base_url="http://127.0.0.1:8765") as client:
        data = {"ticket": ticket_in(client.get(owner).text)}
        page = client.post("/owner/check", data=data, files={"tables": ("outputs.csv", outputs)}).text
        assert not Path("camp").exists()
        assert "0 of 1 pair decided" in client.post("/owner/create", data={"ticket": ticket_in(page)}).text
        same, annotators = links(capsys.readouterr().out)
        assert same == owner
        assert "What is stored" in client.get(annotators).text
    assert links(ok("tiebreak campaign serve camp --create")) == [owner, annotators], "there is one: it goes on"
    assert "does not exist" in refused("tiebreak campaign serve nowhere/camp --create", 2)


def test_what_cannot_be_served(served: list[Any]) -> None:
    assert "no such folder; begin with: tiebreak campaign create" in refused("tiebreak campaign serve nowhere", 1)
    create_campaign(Path("camp"), Protocol(), study_of(), at=NOW)
    assert "is no address such as" in refused("tiebreak campaign serve camp --base-url labels", 2)
    assert served == []


def test_a_port_that_is_taken(camp: list[Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert "name another one with --port" in refused(f"tiebreak campaign serve camp --port {port}", 2)
    assert camp == []


def test_a_kind_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(study_of(), Path("small"))
    for kind in ("rankin", "ratings --rate fluency=1:5"):
        assert "labels.kind" in refused(f"tiebreak campaign create small -o x --kind {kind}", 2)


def test_a_sample_campaign(served: list[Any]) -> None:
    owner, _ = links(ok("tiebreak campaign demo sample"))
    client = TestClient(served[0][0], base_url="http://127.0.0.1:8765")
    assert "cedar" in client.get(owner).text
    assert len(links(ok("tiebreak campaign demo sample"))) == 2, "it goes on"


def test_links_are_made_and_revoked(camp: list[Any]) -> None:
    (address,) = links(ok("tiebreak campaign invite camp --annotator ann --base-url https://labels.example.org"))
    assert address.startswith("https://labels.example.org/a/")
    made = json.loads(ok("tiebreak campaign invite camp --most 3 --json"))
    assert made["annotator"] is None
    assert "The link is revoked; 0 annotators came by it." in ok(f"tiebreak campaign revoke camp {made['link']}")
    assert "no link of this campaign begins with" in refused("tiebreak campaign revoke camp ffffffff", 2)
    (address,) = links(ok("tiebreak campaign invite camp --owner"))
    assert address.startswith("http://127.0.0.1:8765/o/")
    assert "for one annotator by name" in refused("tiebreak campaign invite camp --annotator ann --owner", 2)
    assert "for one annotator by name" in refused("tiebreak campaign invite camp --annotator ann --most 2", 2)
    assert camp == []


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no terminal is closed like this here")
def test_what_was_uploaded_is_gone_when_the_terminal_is_closed(tmp_path: Path) -> None:
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tiebreak", "campaign", "serve", "camp", "--create", "--port", str(port)]
    environment = {**os.environ, "TMPDIR": str(uploads)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as server:
        for _ in range(300):
            if any(uploads.iterdir()):
                break
            time.sleep(0.1)
        assert any(uploads.iterdir())
        server.send_signal(signal.SIGHUP)
        server.wait(timeout=30)
    assert not any(uploads.iterdir())


def test_another_price(served: list[Any]) -> None:
    create_campaign(Path("camp"), Protocol(labels=LabelSettings(price=0.1)), study_of(), at=NOW)
    assert "paid at this price" in ok("tiebreak campaign price camp 0.15")
    assert "It was so already" in ok("tiebreak campaign price camp 0.15")
    assert "write a number with a point" in refused("tiebreak campaign price camp 0,15", 2)
    create_campaign(Path("unpaid"), Protocol(), study_of(), at=NOW)
    assert "have no price" in refused("tiebreak campaign price unpaid 0.15", 2)
    assert served == []


def test_a_pause_holds_for_sheets_too(camp: list[Any]) -> None:
    assert "nobody gets a task" in ok("tiebreak campaign pause camp")
    assert "It was so already." in ok("tiebreak campaign pause camp")
    assert "the campaign is paused" in refused("tiebreak campaign sheet camp --annotator ann -o ann.csv", 1)
    ok("tiebreak campaign pause camp --go-on")
    assert "Wrote ann.csv" in ok("tiebreak campaign sheet camp --annotator ann -o ann.csv")
    assert camp == []
