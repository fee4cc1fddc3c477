"""`tiebreak campaign serve` and `campaign demo`: the links, and what is said of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from benchmarks.worlds.small_campaigns import NOW, study_of
from starlette.testclient import TestClient
from tests.cli.campaign_commands import ok, refused

from tiebreak.campaign import Protocol
from tiebreak.live import create_campaign


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What was served instead of waiting for requests."""
    found: list[Any] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn, "run", lambda app, **settings: found.append((app, settings)))
    return found


def links(output: str) -> list[str]:
    return re.findall(r"https?://\S+", output)


def test_two_links_that_work(served: list[Any]) -> None:
    create_campaign(Path("camp"), Protocol(), study_of(), at=NOW)
    owner, annotators = links(ok("tiebreak campaign serve camp --port 9000"))
    app, settings = served[0]
    assert (settings["host"], settings["port"]) == ("127.0.0.1", 9000)
    client = TestClient(app, base_url="http://127.0.0.1:9000")
    assert "0 of 1 pair decided" in client.get(owner).text
    assert "What is stored" in client.get(annotators).text
    assert links(ok("tiebreak campaign serve camp --port 9000")) == [owner, annotators], "the same at every start"


def test_behind_a_proxy(served: list[Any]) -> None:
    create_campaign(Path("camp"), Protocol(), study_of(), at=NOW)
    output = ok("tiebreak campaign serve camp --base-url https://labels.example.org/t")
    assert all(link.startswith("https://labels.example.org/t/") for link in links(output))
    client = TestClient(served[0][0], base_url="http://127.0.0.1:8765", follow_redirects=False)
    assert client.get("/a/x").status_code == 404
    secret = links(output)[1].rpartition("/")[2]
    assert client.get(f"/a/{secret}").headers["location"] == "/t/join"


def test_what_is_said_where_others_can_read_along(served: list[Any]) -> None:
    create_campaign(Path("camp"), Protocol(), study_of(), at=NOW)
    assert "Others can read along" in ok("tiebreak campaign serve camp --host 0.0.0.0")
    assert served[0][1]["host"] == "0.0.0.0"


def test_what_cannot_be_served(served: list[Any]) -> None:
    assert "no such folder; begin with: tiebreak campaign create" in refused("tiebreak campaign serve nowhere", 1)
    create_campaign(Path("camp"), Protocol(), study_of(), at=NOW)
    assert "is no address such as" in refused("tiebreak campaign serve camp --base-url labels", 2)
    assert served == []


def test_a_sample_campaign(served: list[Any]) -> None:
    owner, _ = links(ok("tiebreak campaign demo sample"))
    client = TestClient(served[0][0], base_url="http://127.0.0.1:8765")
    assert "cedar" in client.get(owner).text
    assert len(links(ok("tiebreak campaign demo sample"))) == 2, "it goes on"
