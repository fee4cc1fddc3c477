"""How long people wait for the pages of a campaign, beside a page that does nothing: benchmarks/results/pages.csv.

    python benchmarks/pages.py                                       six seconds
    python benchmarks/pages.py --seconds 60 --labels 100000 --write

200 annotators answer a label every 8 seconds on average, at 16 systems, against a server in a process of its own on the
same two cores. Each answer is on the disk before it is acknowledged. `alternative`: GET /health in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.results import machine, write_rows
from benchmarks.worlds.small_campaigns import NOW, protocol_of, study_of

HEADER = ("what", "people", "requests", "p50", "p95", "p99", "alternative p99", "ratio")
START_HEADER = ("labels", "seconds", "memory MiB")
_SERVE = "from tiebreak.cli.main import run; import sys; sys.argv = ['tiebreak', *sys.argv[1:]]; run()"
_SYSTEMS, _ITEMS, _SECONDS_PER_LABEL = 16, 900, 8.0
_SHORTEST = 0.5


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a server of the campaign in a folder, and its process."""
    import httpx2 as httpx

    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-c", _SERVE, "campaign", "serve", str(folder), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/health", timeout=5).raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process
    finally:
        process.terminate()
        process.wait()


def new_campaign(folder: Path, people: int) -> list[str]:
    """A campaign that nothing decides, and a link for each of the people."""
    from tiebreak.live import create_campaign, open_campaign
    from tiebreak.live.links import issue_link
    from tiebreak.settings.protocol import DecisionSettings

    names = [f"system {k:02d}" for k in range(_SYSTEMS)]
    protocol = protocol_of(decision=DecisionSettings(rule="hoeffding", alpha=1e-9))
    create_campaign(folder, protocol, study_of(names, _ITEMS), at=NOW)
    live = open_campaign(folder)
    return [issue_link(live, now=NOW, annotator=f"person {k}") for k in range(people)]


def ticket_in(page: str) -> str:
    """The signed part of the form for an answer."""
    form = page[max(0, page.find('id="answer"')) :]
    found = re.search(r'name="ticket" value="([^"]*)"', form)
    if found is None:
        raise RuntimeError(f"a page without a form: {page[:500]}")
    return found[1]


async def load(address: str, links: Sequence[str], seconds: float, seed: int) -> dict[str, list[float]]:
    """Milliseconds of each request, by what was asked for."""
    import httpx2 as httpx

    took: dict[str, list[float]] = {"an answer": [], "a task": [], "nothing": []}
    end = 0.0
    joined = asyncio.Semaphore(8)
    ready = asyncio.Barrier(len(links) + 1)
    limits = httpx.Limits(max_connections=len(links) + 10)

    async def timed(what: str, request: httpx.Request, client: httpx.AsyncClient) -> httpx.Response:
        start = time.perf_counter()
        answer = await client.send(request)
        took[what].append(1e3 * (time.perf_counter() - start))
        return answer

    async def person(number: int, link: str) -> None:
        rng = random.Random(seed * 10_000 + number)
        async with httpx.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
            async with joined:
                page = await client.get(f"/a/{link}", follow_redirects=True)
                page = await client.post("/join", data={"ticket": ticket_in(page.text)}, follow_redirects=True)
            await ready.wait()
            await asyncio.sleep(rng.uniform(0.1, _SECONDS_PER_LABEL))
            while time.perf_counter() < end:
                data = {"ticket": ticket_in(page.text), "answer:answer": rng.choice(["First text", "Second text"])}
                answer = await timed("an answer", client.build_request("POST", "/task", data=data), client)
                if answer.status_code != 303:
                    raise RuntimeError(f"an answer was not taken: {answer.status_code}")
                page = await timed("a task", client.build_request("GET", answer.headers["location"]), client)
                await asyncio.sleep(max(_SHORTEST, rng.expovariate(1 / _SECONDS_PER_LABEL)))

    async def idle() -> None:
        nonlocal end
        await ready.wait()
        end = time.perf_counter() + seconds
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            while time.perf_counter() < end:
                await timed("nothing", client.build_request("GET", "/health"), client)
                await asyncio.sleep(0.1)

    await asyncio.gather(idle(), *(person(number, link) for number, link in enumerate(links)))
    return took


def many_events(folder: Path, labels: int) -> tuple[float, float]:
    """Seconds from the start of a server to its first page with so many labels in the log, and its memory in MiB."""
    from tiebreak.campaign import LabelGiven, Preferred, next_tasks
    from tiebreak.live import open_campaign

    live, rng = open_campaign(folder), random.Random(1)
    given = live.state.labels
    while given < labels:
        tasks = live.commit(lambda state, _: next_tasks(state, "filler", 500, NOW))
        answers = [LabelGiven(NOW, of.task, "filler", Preferred(rng.choice(["a", "b"]))) for of in tasks]  # type: ignore[union-attr]
        live.commit(lambda _, __: answers)  # noqa: B023
        given += len(answers)
        if not answers:
            break
    start = time.perf_counter()
    with served(folder) as (_, process):
        seconds = time.perf_counter() - start
        status = Path(f"/proc/{process.pid}/status")
        peak = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    memory = float(peak[1]) / 1024 if peak else resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return seconds, memory


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--labels", type=int, default=0, help="in the log of the second part (0: leave it out)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write benchmarks/results/pages.csv")
    asked = parser.parse_args(arguments)
    rows: list[tuple[float | str | None, ...]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "campaign"
        links = new_campaign(folder, asked.people)
        with served(folder) as (address, _):
            took = asyncio.run(load(address, links, asked.seconds, asked.seed))
        base = float(np.percentile(took["nothing"], 99))
        for what in ("an answer", "a task"):
            p50, p95, p99 = (float(value) for value in np.percentile(took[what], (50, 95, 99)))
            rows.append((what, asked.people, len(took[what]), p50, p95, p99, base, p99 / base))
        started = [(asked.labels, *many_events(folder, asked.labels))] if asked.labels else []
    for row in (*rows, *started):
        print("  ".join(f"{value:.3g}" if isinstance(value, float) else str(value) for value in row), flush=True)
    if asked.write:
        command = f"python benchmarks/pages.py --seconds {asked.seconds:g} --labels {asked.labels} --write"
        write_rows("pages", HEADER, rows, command, machine("starlette", "uvicorn"))
        write_rows("pages_start", START_HEADER, started, command, machine("starlette", "uvicorn"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
