"""One question to a model, until there is an answer or none is to be had."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.money import Meter, Prices, Purse, at_most, usually
from tiebreak.scoring.judges.pace import Pace, Slot, Waiting
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.failures import Failed
from tiebreak.scoring.judges.providers.provider import Provider, Request
from tiebreak.scoring.judges.replies import Answer, NoReply, Outcome, Reply, ReplyReading, Usage, reading_of
from tiebreak.scoring.judges.store import RejectedParameters, ReplyCache, key_of

_MOST_REJECTIONS: Final = 30
"""Of one call, by a server that takes no more of them right now."""

SPENT: Final = NoReply("no money is left for more calls")
STOPPED: Final = NoReply("stopped before it was sent again")


@dataclass(frozen=True, slots=True)
class Asker:
    """A judge and all that its calls share: replies that are kept, money, pace.

    `batched`: by key, what batches brought that is not kept, and what is still in one.
    """

    judge: Judge
    provider: Provider
    cache: ReplyCache
    rejected: RejectedParameters
    prices: Prices | None
    purse: Purse
    pace: Pace
    meter: Meter = field(default_factory=Meter)
    waiting: Waiting = field(default_factory=Waiting)
    rng: random.Random = field(default_factory=random.Random)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    batched: dict[str, Outcome] = field(default_factory=dict)

    def key(self, message: PromptMessage) -> str:
        """What a reply to a message is kept under."""
        return key_of(self.judge.endpoint, self.provider.request(message, self.rejected.names))

    def kept(self, message: PromptMessage) -> Outcome | None:
        """What is known without a call: a reply that is kept, what a batch brought or will bring, or that the reply
        would be cut off once more.
        """
        key = self.key(message)
        answer = self.cache.get(key)
        if answer is not None:
            return Reply.of(answer, reading_of(answer, self.judge.menu), "kept", self.rejected.names)
        if key in self.batched:
            return self.batched[key]
        cut_off = self.cache.cut_off_at(key)
        if cut_off >= 2 * self.judge.settings.max_tokens:
            return Reply(ReplyReading(None, "truncated"), None, "", "kept", self.rejected.names)
        return None

    def cost(self, usage: Usage) -> float:
        """What tokens cost; 0 where no price is known."""
        return 0.0 if self.prices is None else self.prices.of(usage)

    def worst(self, message: PromptMessage) -> float:
        """What a call about this message costs at most."""
        return self.most(message, self.tokens(message))

    def most(self, message: PromptMessage, tokens: int) -> float:
        """What a call costs at most whose reply has at most so many tokens."""
        return self.cost(at_most(self.provider.request(message, self.rejected.names), tokens))

    async def ask(self, message: PromptMessage, place: Slot, reserved: float) -> Outcome:
        """What the model says to a message, for which a place and money were reserved.

        Raises:
            Failed: no call of this judge can succeed.
        """
        call = _Call(self, message, place, reserved)
        try:
            return await call.answered()
        finally:
            self.purse.release(call.reserved)

    def tokens(self, message: PromptMessage) -> int:
        """How many tokens a reply may have: twice as many where it was cut off before."""
        base = self.judge.settings.max_tokens
        return 2 * base if self.cache.cut_off_at(self.key(message)) >= base else base


class _Call:
    """A question on its way, sent as often as it takes. `reserved`: the money set aside for the attempt that runs."""

    def __init__(self, asker: Asker, message: PromptMessage, place: Slot, reserved: float) -> None:
        self._asker, self._message, self._place = asker, message, place
        self.reserved = reserved
        self._tokens = asker.tokens(message)
        self._attempts = self._rejections = 0

    async def answered(self) -> Outcome:
        """The reply, or why there is none; a reply that was cut off is asked for once more, with more room.

        Raises:
            Failed: no call of this judge can succeed.
        """
        asker = self._asker
        while True:
            dropped = asker.rejected.names
            request = asker.provider.request(self._message, dropped)
            try:
                answer = await self._sent(request)
            except Failed as failed:
                ended = await self._failed(failed)
                if ended is not None:
                    return ended
                continue
            reading = reading_of(answer, asker.judge.menu)
            key = key_of(asker.judge.endpoint, request)
            if reading.label is not None:
                asker.cache.put(key, answer)
            elif reading.unscored == "truncated" and request.cap is not None:
                asker.cache.put_cut_off(key, self._tokens)
                if self._may_be_longer() and self._set_aside():
                    continue
            return Reply.of(answer, reading, "call", dropped)

    async def _sent(self, request: Request) -> Answer:
        """The answer, paid."""
        asker = self._asker
        await asker.pace.sends(self._place)
        try:
            async with asyncio.timeout(asker.judge.settings.timeout):
                answer = await asker.provider.send(request, self._tokens)
        except TimeoutError:
            raise Failed("broken", "no answer in time", maybe_paid=True) from None
        asker.pace.succeeds(self._place)
        used = asker.meter.add(usually(self._message), answer.usage)
        asker.purse.pay(self.reserved, asker.cost(used))
        self.reserved = 0.0
        return answer

    async def _failed(self, failed: Failed) -> Outcome | None:
        """What comes of a failure; None: send it again.

        Raises:
            Failed: no call of this judge can succeed.
        """
        asker = self._asker
        if failed.why == "busy":
            asker.pace.rejects(self._place)
        else:
            asker.pace.fails(self._place)
        if failed.why == "hopeless":
            raise failed
        if failed.why == "parameter" and failed.parameter is not None:
            self._drop(failed.parameter)
            return asker.kept(self._message)
        if failed.why == "filtered":
            return Reply(ReplyReading(None, "filtered"), None, "", "call", asker.rejected.names)
        if failed.why == "question":
            return NoReply(failed.message)
        if failed.maybe_paid:
            asker.purse.doubt(self.reserved)
            asker.meter.lost += 1
            self.reserved = 0.0
            return NoReply(f"{failed.message} (it may have been billed, so nobody sent it again; the next run asks it)")
        return await self._wait(failed)

    async def _wait(self, failed: Failed) -> Outcome | None:
        """Wait before the call is sent again, unless that was tried often enough."""
        self._attempts += failed.why == "broken"
        self._rejections += failed.why == "busy"
        asker = self._asker
        if self._attempts >= asker.judge.settings.attempts or self._rejections >= _MOST_REJECTIONS:
            return NoReply(failed.message)
        seconds = asker.waiting.before(self._attempts + self._rejections, failed.wait, asker.rng)
        if seconds is None:
            return NoReply(f"{failed.message} (to be asked again in {failed.wait:,.0f} seconds, which is too long)")
        with suppress(TimeoutError):
            await asyncio.wait_for(asker.stopping.wait(), seconds)
            return STOPPED
        return None

    def _drop(self, parameter: str) -> None:
        """Leave out a parameter that the model has rejected, from now on.

        Raises:
            Failed: what may be spent hangs on it.
        """
        asker = self._asker
        if parameter in asker.rejected.names:
            return  # another call found it out while this one was on its way
        others = asker.rejected.names | {parameter}
        if asker.purse.limit is not None and asker.provider.request(self._message, others).cap is None:
            text = f"the model rejects {parameter}: what it writes has no limit, and neither has what it costs"
            raise Failed("hopeless", text)
        asker.rejected.add(parameter)

    def _may_be_longer(self) -> bool:
        """Whether a reply that was cut off may have twice as many tokens, which it may once."""
        base = self._asker.judge.settings.max_tokens
        may, self._tokens = self._tokens < 2 * base, 2 * base
        return may

    def _set_aside(self) -> bool:
        """Money for one more attempt, if there is enough."""
        worst = self._asker.most(self._message, self._tokens)
        if not self._asker.purse.reserve(worst):
            return False
        self.reserved = worst
        return True
