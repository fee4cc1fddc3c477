"""As many calls at once as a server takes, found without asking it much too often."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.scoring.judges.judging import scored, write_qualities
from tests.scoring.judges.model_server import Call, ModelServer, Say
from tests.scoring.judges.virtual_time import run_at_once

from tiebreak.scoring.judges.pace import Pace


@dataclass
class Busy:
    """A server that takes so many calls at once, for so many seconds each; the numbers of those that it rejected."""

    allowed: int
    seconds: tuple[float, float] = (1.0, 3.0)
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    flying: int = 0
    sent: int = 0
    rejected: list[int] = field(default_factory=list)

    async def call(self) -> bool:
        self.sent += 1
        if self.flying >= self.allowed:
            self.rejected.append(self.sent)
            await asyncio.sleep(0.05)
            return False
        self.flying += 1
        await asyncio.sleep(self.rng.uniform(*self.seconds))
        self.flying -= 1
        return True


@dataclass
class Rate(Busy):
    """A server that takes so many calls a minute, whoever asks."""

    began: float = 0.0
    taken: int = 0

    async def call(self) -> bool:
        self.sent += 1
        now = asyncio.get_running_loop().time()
        if now - self.began >= 60:
            self.began, self.taken = now, 0
        self.taken += 1
        if self.taken > self.allowed:
            self.rejected.append(self.sent)
            await asyncio.sleep(0.05)
            return False
        await asyncio.sleep(self.rng.uniform(*self.seconds))
        return True


async def run(pace: Pace, server: Busy, calls: int) -> float:
    """Make the calls, each again after seconds that double; how long it took."""
    loop, running = asyncio.get_running_loop(), set[asyncio.Task[None]]()
    began = loop.time()

    async def one() -> None:
        await pace.enter()
        for wait in (0.5 * 2**k for k in range(100)):
            attempt = await pace.sends(again=wait > 0.5)
            if await server.call():
                pace.succeeds(attempt)
                break
            pace.rejects(attempt)
            await asyncio.sleep(min(wait, 60))
        pace.leave()

    for _ in range(calls):
        while len(running) >= 100:
            _, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        running.add(asyncio.create_task(one()))
    await asyncio.wait(running)
    return loop.time() - began


@pytest.mark.parametrize("allowed", [1, 3, 7, 20, 33, 60])
@pytest.mark.parametrize("seconds", [(1.0, 3.0), (1.9, 2.1), (0.1, 3.9)])
def test_a_server_that_takes_some_at_once_rejects_few_and_is_kept_busy(
    allowed: int, seconds: tuple[float, float]
) -> None:
    server, pace = Busy(allowed, seconds), Pace(100)
    calls = max(1000, 50 * allowed)
    took = run_at_once(run(pace, server, calls))
    after = [number for number in server.rejected if number > 50]
    assert len(after) < 0.01 * (server.sent - 50)
    served = calls / took / (allowed / 2)  # the share of what the server can serve
    assert served > (0.9 if allowed <= 20 else 0.8)
    assert pace.limit <= max(1.2 * allowed, allowed + 2)
    assert pace.rejected == len(server.rejected)


def test_it_grows_where_a_server_takes_more_again() -> None:
    server, pace = Busy(5), Pace(60)

    async def twice() -> int:
        await run(pace, server, 200)
        before, server.allowed = pace.limit, 1000
        await run(pace, server, 1500)
        return before

    assert run_at_once(twice()) <= 6
    assert pace.limit > 20


@pytest.mark.parametrize("per_minute", [10, 60, 300])
def test_a_limit_of_calls_a_minute_makes_it_slow_and_not_insistent(per_minute: int) -> None:
    server, pace = Rate(per_minute), Pace(100)
    took = run_at_once(run(pace, server, 10 * per_minute))
    assert took < 20 * 60  # at best 10 minutes
    assert len(server.rejected) < 0.5 * server.sent


def test_without_rejections_it_goes_up_to_the_most() -> None:
    server, pace = Busy(1000), Pace(30)
    run_at_once(run(pace, server, 400))
    assert pace.limit == 30


def test_what_is_not_used_does_not_grow() -> None:
    async def one_at_a_time() -> int:
        pace = Pace(100)
        for _ in range(50):
            await pace.enter()
            pace.succeeds(await pace.sends())
            pace.leave()
        return pace.limit

    assert asyncio.run(one_at_a_time()) == 4


def test_failures_on_the_way_say_nothing_of_the_limit() -> None:
    async def failing() -> int:
        pace = Pace(100)
        for _ in range(4):
            await pace.enter()
        for attempt in [await pace.sends() for _ in range(4)]:
            pace.fails(attempt)
            pace.leave()
        return pace.limit

    assert asyncio.run(failing()) == 4


@pytest.mark.parametrize("headers", [{"retry-after": "0.5"}, pytest.param({}, marks=pytest.mark.full)])
def test_over_http_too(headers: dict[str, str], server: ModelServer, tmp_path: Path) -> None:
    """The whole way through the package of the provider, to a server that takes 20 at once."""
    rng, lock, rejected = random.Random(1), threading.Lock(), list[int]()
    there = [0]

    def model(call: Call) -> Say:
        with lock:
            if there[0] >= 20:
                rejected.append(call.number)
                return Say(status=429, error={"message": "slow down"}, headers=headers)
            there[0] += 1
        time.sleep(rng.uniform(0.1, 0.3))
        with lock:
            there[0] -= 1
        return Say(call.in_form("A"))

    server.model = model
    study = write_qualities(tmp_path / "study", {"ant": [1] * 150, "bee": [2] * 150})
    told = scored(study)
    assert told["scored"] == 300
    assert told["rejected"] == len(rejected)
    assert len(rejected) <= 0.1 * len(server.calls)  # of few calls, on a busy machine; else most
