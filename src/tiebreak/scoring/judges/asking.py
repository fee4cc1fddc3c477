"""Many questions to one model: what is kept first, then one call alone, then as many at once as the server takes.

Calls run until they are done or somebody presses Ctrl-C. Each runs until there is an answer, or none is to be had.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiebreak.scoring.judges.account import Meter, Purse, at_most, prices_of, usually
from tiebreak.scoring.judges.anthropic import AnthropicProvider
from tiebreak.scoring.judges.judge import Judge, PromptMessage
from tiebreak.scoring.judges.openai import OpenAIProvider
from tiebreak.scoring.judges.pace import Pace
from tiebreak.scoring.judges.provider import Failed, Provider
from tiebreak.scoring.judges.questions import Question, Texts
from tiebreak.scoring.judges.replies import NoReply, Outcome, Reply, ReplyReading, Usage, reading_of
from tiebreak.scoring.judges.store import JudgeStore
from tiebreak.scoring.settings import JudgingSettings
from tiebreak.settings.judge import ProviderName

_PROVIDERS: Final[dict[ProviderName, type[Provider]]] = {"openai": OpenAIProvider, "anthropic": AnthropicProvider}
_FAILURES_IN_A_ROW: Final = 10

SPENT: Final = NoReply("no money is left for more calls")


class Asker:
    """A judge and all that its calls share: replies that are kept, money, pace.

    `dropped`: parameters that the model has rejected by now; `batched`: by key, what batches brought that is not kept,
    and what is still in one.
    """

    def __init__(self, judge: Judge, settings: JudgingSettings, store: JudgeStore) -> None:
        self.judge, self.store = judge, store
        self.prices, self.purse, self.meter = prices_of(judge, settings), Purse(settings.spend_at_most), Meter()
        self.pace = Pace(judge.settings.connections)
        self.provider: Provider = _PROVIDERS[judge.settings.provider](judge, self.pace)
        self.batched: dict[str, Outcome] = {}
        self.dropped = store.rejected(judge.endpoint)

    def key(self, message: PromptMessage) -> str:
        """What a reply to a message is kept under."""
        return self.provider.request(message, self.dropped).key(self.judge.endpoint)

    def kept(self, message: PromptMessage) -> Outcome | None:
        """What is known without a call: a reply that is kept, what a batch brought or will bring, or that the reply
        would be cut off once more.
        """
        key = self.key(message)
        kept = self.store.reply(key)
        if (answer := kept.answer) is not None:
            return Reply(reading_of(answer, self.judge.menu), self.dropped, answer.text, answer.model)
        if key in self.batched:
            return self.batched[key]
        if kept.cut_off_at >= 2 * self.judge.settings.max_tokens:
            return Reply(ReplyReading(None, "truncated"), self.dropped)
        return None

    def cost(self, usage: Usage) -> float:
        """What tokens cost; 0 where no price is known."""
        return 0.0 if self.prices is None else self.prices.of(usage)

    def worst(self, message: PromptMessage, tokens: int | None = None) -> float:
        """What a call costs at most; `tokens`: that its reply may have, if not as many as usual."""
        request = self.provider.request(message, self.dropped)
        return self.cost(at_most(request.size, self.tokens(message) if tokens is None else tokens))

    def tokens(self, message: PromptMessage) -> int:
        """How many tokens a reply may have: twice as many where it was cut off before."""
        base = self.judge.settings.max_tokens
        return 2 * base if self.store.reply(self.key(message)).cut_off_at >= base else base

    async def ask(self, message: PromptMessage, reserved: float) -> Outcome:
        """What the model says to a message, or why it says nothing; `reserved`: money that was set aside for that.

        A reply that was cut off is asked for once more, with more room; a parameter that is rejected is left out.

        Raises:
            Failed: no call of this judge can succeed.
        """
        tokens, most = self.tokens(message), 2 * self.judge.settings.max_tokens
        try:
            while True:
                dropped = self.dropped
                request = self.provider.request(message, dropped)
                try:
                    answer = await self.provider.send(request, tokens)
                except Failed as failed:
                    if failed.why == "lost":
                        self.purse.doubt(reserved)
                        reserved, self.meter.lost = 0.0, self.meter.lost + 1
                    outcome = self._without_answer(failed, message)
                    if outcome is not None:
                        return outcome
                    continue
                used = self.meter.add(usually(message), answer.usage)
                self.purse.pay(reserved, self.cost(used))
                reserved = 0.0
                reading = reading_of(answer, self.judge.menu)
                if reading.label is not None:
                    self.store.keep(request.key(self.judge.endpoint), answer)
                elif reading.unscored == "truncated" and request.cap is not None:
                    self.store.keep_cut_off(request.key(self.judge.endpoint), tokens)
                    worst = self.worst(message, most)
                    if tokens < most and self.purse.reserve(worst):
                        tokens, reserved = most, worst
                        continue
                return Reply(reading, dropped, answer.text, answer.model)
        finally:
            self.purse.release(reserved)

    def _without_answer(self, failed: Failed, message: PromptMessage) -> Outcome | None:
        """What comes of a failure; None: the call is to be made again, in another way.

        Raises:
            Failed: no call of this judge can succeed.
        """
        if failed.why == "hopeless":
            raise failed
        if failed.why == "parameter" and failed.parameter is not None:
            self._drop(failed.parameter, message)
            return self.kept(message)
        if failed.why == "filtered":
            return Reply(ReplyReading(None, "filtered"), self.dropped)
        again = " (it may have been billed, so nobody sent it again; the next run asks it)"
        return NoReply(failed.message + (again if failed.why == "lost" else ""))

    def _drop(self, parameter: str, message: PromptMessage) -> None:
        """Leave out a parameter that the model has rejected, from now on.

        Raises:
            Failed: what may be spent hangs on it.
        """
        if parameter in self.dropped:
            return  # another call found it out while this one was on its way
        others = self.dropped | {parameter}
        if self.purse.limit is not None and self.provider.request(message, others).cap is None:
            text = f"the model rejects {parameter}: what it writes has no limit, and neither has what it costs"
            raise Failed("hopeless", text)
        self.dropped = others
        self.store.reject(self.judge.endpoint, parameter)


@dataclass(slots=True)
class Asked:
    """What came of each question, by its place; questions that are not there were not asked. `gave_up`: why no more
    calls were made, "" where all were; `interrupted`: whether somebody stopped it.
    """

    outcomes: dict[int, Outcome] = field(default_factory=dict)
    gave_up: str = ""
    interrupted: bool = False


class _Run:
    """A run of questions, which may be stopped: calls that are on their way are waited for, since they are paid."""

    def __init__(
        self, asker: Asker, questions: Sequence[Question], progress: Callable[[], None], interrupted: Callable[[], None]
    ) -> None:
        self._asker, self._progress, self._interrupted = asker, progress, interrupted
        self._same: dict[Texts, list[int]] = {}
        for place, question in enumerate(questions):
            self._same.setdefault(question.texts, []).append(place)
        self._running: set[asyncio.Task[None]] = set()
        self._failures = 0
        self._stopped = False
        self._broken: BaseException | None = None
        self.asked = Asked()

    def stop(self) -> None:
        """Make no more calls, those that wait to be sent again among them. Asked a second time: wait for none."""
        for task in list(self._running) if self.asked.interrupted else self._asker.pace.grounded(self._running):
            task.cancel()
        self._stopped = self.asked.interrupted = True
        self._interrupted()

    async def all(self) -> Asked:
        """Ask all questions; each different one once.

        Raises:
            TiebreakError: a reply cannot be kept.
        """
        with _on_interrupt(self.stop):
            try:
                await self._ask()
            finally:
                await self._asker.provider.close()
        if self._broken is not None:
            raise self._broken
        return self.asked

    async def _ask(self) -> None:
        asker, first = self._asker, True
        for texts, places in self._same.items():
            message = asker.judge.message(texts)
            kept = asker.kept(message)
            if kept is not None:
                self._done(places, kept)
                continue
            await asker.pace.enter()
            reserved = await self._reserved(message)
            if self._stopped or reserved is None:
                asker.purse.release(reserved or 0.0)
                break
            task = asyncio.create_task(self._one(message, places, reserved))
            self._running.add(task)
            task.add_done_callback(self._ended)
            if first:
                await asyncio.wait([task])
                first = False
        if self._running:
            await asyncio.wait(self._running)

    async def _reserved(self, message: PromptMessage) -> float | None:
        """Money for a call, as soon as others have come back cheaper than they might have; None if there is none."""
        while not self._stopped:
            worst = self._asker.worst(message)
            if self._asker.purse.reserve(worst):
                return worst
            if not self._running:
                self.asked.gave_up = SPENT.message
                return None
            await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
        return None

    async def _one(self, message: PromptMessage, places: Sequence[int], reserved: float) -> None:
        try:
            outcome = await self._asker.ask(message, reserved)
            self._done(places, outcome)
            self._count(outcome)
        except Failed as failed:
            self._give_up(failed.message)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._asker.pace.leave()
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._broken = self._broken or error
            self._stopped = True

    def _done(self, places: Sequence[int], outcome: Outcome) -> None:
        self.asked.outcomes |= dict.fromkeys(places, outcome)
        self._progress()

    def _count(self, outcome: Outcome) -> None:
        """A server from which nothing comes is left alone."""
        self._failures = self._failures + 1 if isinstance(outcome, NoReply) else 0
        if isinstance(outcome, NoReply) and self._failures >= _FAILURES_IN_A_ROW:
            self._give_up(f"the last {self._failures} calls failed: {outcome.message}")

    def _give_up(self, why: str) -> None:
        self.asked.gave_up = self.asked.gave_up or why
        self._stopped = True
        for task in self._asker.pace.grounded(self._running - {asyncio.current_task()}):
            task.cancel()


def ask_all(
    asker: Asker, questions: Sequence[Question], progress: Callable[[], None], interrupted: Callable[[], None]
) -> Asked:
    """Ask questions, kept replies first; `interrupted`: called when somebody wants it to stop, while calls on their way
    are waited for.

    Raises:
        TiebreakError: a reply cannot be kept, or there is no key.
    """
    return asyncio.run(_Run(asker, questions, progress, interrupted).all())


@contextlib.contextmanager
def _on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop`; where that is not to be had, it ends the run as it always does, and replies are kept."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
