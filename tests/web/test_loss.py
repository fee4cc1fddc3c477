"""Servers that are killed while people answer: each answer that a browser heard of is in the log, and once."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import httpx2 as httpx
import pytest
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of
from tests.store.servers import postgres  # noqa: F401
from tests.web.visitors import ticket_in

from tiebreak.campaign import LabelGiven
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.links import issue_link
from tiebreak.settings.protocol import DecisionSettings

SERVE = "from tiebreak.cli.main import run; import sys; sys.argv = ['tiebreak', *sys.argv[1:]]; run()"


@dataclass
class Serving:
    """One process that serves a campaign, and is killed and started again."""

    folder: Path
    port: int = field(default=0)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        with closing(socket.socket()) as one:
            one.bind(("127.0.0.1", 0))
            self.port = one.getsockname()[1]
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        command = [sys.executable, "-c", SERVE, "campaign", "serve", str(self.folder), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            try:
                httpx.get(f"{self.address}/health", timeout=2).raise_for_status()
                return
            except httpx.HTTPError:
                assert self.process.poll() is None, "it does not start"
                time.sleep(0.05)

    def kill(self) -> None:
        """As a power cut would."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


class Person(threading.Thread):
    """Answers one task after the other, and sends again what nobody acknowledged, as the script of the pages does."""

    def __init__(self, addresses: list[str], link: str, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self._addresses, self._link, self._over = addresses, link, over
        self.acknowledged: list[str] = []
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            with httpx.Client(follow_redirects=True, timeout=10) as client:
                self._work(client)
        except BaseException as error:
            self.failure = error

    def _work(self, client: httpx.Client) -> None:
        page = self._ask(client, "GET", f"/a/{self._link}")
        page = self._ask(client, "POST", "/join", {"ticket": ticket_in(page.text)})
        while not self._over.is_set():
            if 'id="answer"' not in page.text:
                time.sleep(0.05)
                page = self._ask(client, "GET", "/task")
                continue
            data = {"ticket": ticket_in(page.text), "answer:answer": "First text", "comment": task_comment(page)}
            page = self._ask(client, "POST", "/task", data)
            assert "saved=saved" in str(page.url) or "saved=known" in str(page.url), page.text
            self.acknowledged.append(data["comment"])

    def _ask(self, client: httpx.Client, method: str, path: str, data: dict[str, str] | None = None) -> httpx.Response:
        while True:
            address = random.choice(self._addresses)
            try:
                answer = client.request(method, f"{address}{path}", data=data, headers={"origin": address})
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            assert answer.status_code == 200, (answer.status_code, answer.text)
            return answer


def task_comment(page: httpx.Response) -> str:
    """What tells a task apart: the texts that it shows."""
    return " ".join(re.findall(r'<div class="text" dir="auto">(.*?)</div>', page.text))


def campaign(folder: Path, database: str | None) -> Path:
    """One that nobody decides: fixed, with more items than will be labelled."""
    protocol = protocol_of(decision=DecisionSettings(rule="hoeffding", alpha=1e-9))
    create_campaign(folder / "camp", protocol, study_of(items=3_000), at=NOW, database=database)
    return folder / "camp"


def played(servers: list[Serving], people: int, kills: int, pause: float) -> list[Person]:
    """Everybody answers while the servers are killed in turn."""
    over, rng = threading.Event(), random.Random(7)
    live = open_campaign(servers[0].folder)
    links = [issue_link(live, now=NOW, annotator=f"p{k}") for k in range(people)]
    working = [Person([server.address for server in servers], link, over) for link in links]
    for person in working:
        person.start()
    for kill in range(kills):
        time.sleep(pause * rng.uniform(0.5, 1.5))
        servers[kill % len(servers)].kill()
        servers[kill % len(servers)].start()
    time.sleep(pause)
    late = time.monotonic() + 60  # a busy machine starts a server slowly
    while sum(len(person.acknowledged) for person in working) <= people and time.monotonic() < late:
        time.sleep(0.1)
    over.set()
    for person in working:
        person.join(30)
        assert person.failure is None, person.failure
        assert not person.is_alive()
    return working


def check(folder: Path, working: list[Person]) -> int:
    """That the log has each acknowledged answer once; how many they are."""
    live = open_campaign(folder)
    labels = [*(event for event in live.events() if type(event) is LabelGiven), *live.ledger.held.values()]
    assert len({label.task for label in labels}) == len(labels), "no task has two answers"
    found = Counter((label.annotator, label.comment) for label in labels)
    assert set(found.values()) == {1}
    for number, person in enumerate(working):
        assert len(set(person.acknowledged)) == len(person.acknowledged)
        for said in person.acknowledged:
            assert found[f"p{number}", said] == 1
    items = Counter(live.ledger.tasks[label.task].item for label in labels)
    assert max(items.values()) == 1, "no item was asked of two people within its lease"
    return len(labels)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "sqlite" else request.getfixturevalue("postgres")


@pytest.mark.parametrize(("people", "kills"), [(4, 2), pytest.param(20, 20, marks=pytest.mark.full)])
def test_a_server_that_is_killed_loses_no_answer(tmp_path: Path, database: str | None, people: int, kills: int) -> None:
    folder = campaign(tmp_path, database)
    server = Serving(folder)
    working = played([server], people, kills, 1.0)
    server.kill()
    assert check(folder, working) > people


def test_two_servers_on_one_database_give_no_task_twice(tmp_path: Path, postgres: str) -> None:  # noqa: F811
    folder = campaign(tmp_path, postgres)
    servers = [Serving(folder), Serving(folder)]
    working = played(servers, 4, 2, 1.0)
    for server in servers:
        server.kill()
    assert check(folder, working) > 4
