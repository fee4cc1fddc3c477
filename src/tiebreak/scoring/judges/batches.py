"""Calls that are handed in together and collected later, at a lower price, so that nothing is ever paid twice.

An intent is on the disk before anything is handed in, and the provider's name of the batch afterwards. Where it is not
known whether a provider took it, the provider's own list is searched; what cannot be told is asked.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tiebreak.errors import TiebreakError
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.judge import PromptMessage
from tiebreak.scoring.judges.provider import BatchResult, Failed, Provider
from tiebreak.scoring.judges.replies import NO_USAGE, PENDING, NoReply, Outcome, Reply, Usage, reading_of
from tiebreak.scoring.judges.store import BatchCall, Intent, JudgeStore

_AROUND: Final = 200
"""Bytes beside the body of a request: its name, and where it goes."""

HandInAgain = Callable[[Intent, Sequence[str]], bool]
"""Asks whether calls may be handed in once more that may be in one of some batches."""


async def submit(asker: Asker, messages: Iterable[PromptMessage]) -> int:
    """Hand in calls about these messages, in as many batches as they take, up to what may be spent on them; how many
    calls no money is left for, at their worst.

    Raises:
        TiebreakError: the provider takes none, or something cannot be written.
    """
    paid, left = list[PromptMessage](), 0
    for message in messages:
        if asker.purse.reserve(asker.worst(message)):
            paid.append(message)
        else:
            left += 1
    try:
        for part in _parts(asker, paid):
            asker.batched |= in_batches([await _hand_in(asker, part)])
    finally:
        await asker.provider.close()
    return left


Part = list[tuple[PromptMessage, dict[str, object]]]
"""Messages of one batch, with their requests."""


async def _hand_in(asker: Asker, part: Part) -> Intent:
    calls = tuple(BatchCall(asker.key(message), asker.tokens(message)) for message, _ in part)
    intent = asker.store.write(Intent(asker.judge.endpoint, asker.judge.menu, asker.dropped, calls))
    try:
        batch = await asker.provider.submit(intent, [body for _, body in part])
    except Failed as failed:
        if failed.why == "lost":
            raise TiebreakError(
                f"it is not known whether a batch of {len(calls):,} calls was taken ({failed.message}): the same "
                "command finds out, and hands nothing in twice"
            ) from None
        asker.store.forget([intent])
        raise TiebreakError(f"the batch was not taken: {failed.message}") from None
    return asker.store.write(replace(intent, batch=batch))


def _parts(asker: Asker, messages: Iterable[PromptMessage]) -> Iterator[Part]:
    """As many messages at a time as go into one batch."""
    part, size, provider = Part(), 0, asker.provider
    for message in messages:
        body = provider.request(message, asker.dropped).body(asker.tokens(message))
        more = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) + _AROUND
        if part and (len(part) == provider.most_calls or size + more > provider.most_bytes):
            yield part
            part, size = Part(), 0
        part.append((message, body))
        size += more
    if part:
        yield part


@dataclass(slots=True)
class CollectedBatch:
    """What batches brought: `outcomes` by key of what is not kept as a reply, of what is still in a batch too; `usage`
    of all replies; `ended`: intents that may be forgotten once the study has what they brought; `remarks` for the user.
    """

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    replies: int = 0
    ended: list[Intent] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Collector:
    """Collects the batches of one model. `unlisted_after` seconds, a batch that its provider does not list was never
    handed in; `waiting`: told how long that still takes. A reply of `most_tokens` that is cut off stays so.
    """

    provider: Provider
    store: JudgeStore
    unlisted_after: float
    most_tokens: int
    hand_in_again: HandInAgain
    waiting: Callable[[float], None]
    collected: CollectedBatch = field(default_factory=CollectedBatch)

    async def collect(self, endpoint: str) -> CollectedBatch:
        """All that has ended; replies are kept before anything else happens to them.

        Raises:
            TiebreakError: the provider cannot be asked, or something cannot be written.
        """
        intents = self.store.intents(endpoint)
        try:
            for intent in intents:
                known = await self._known(intent, [other.batch for other in intents if other.batch is not None])
                if known is not None and known.batch is not None:
                    await self._collect(known, known.batch)
        except Failed as failed:
            raise TiebreakError(f"batches cannot be asked about: {failed.message}") from None
        finally:
            await self.provider.close()
        return self.collected

    async def _known(self, intent: Intent, others: Sequence[str]) -> Intent | None:
        """The intent with its batch; None where it has none, or none that is known."""
        if intent.batch is not None:
            return intent
        listed = await self.provider.find(intent, others)
        left = min(intent.created + self.unlisted_after - time.time(), self.unlisted_after)
        if listed.batch is None and not listed.perhaps and left > 0:  # the list is not to be believed yet
            self.waiting(left)
            await asyncio.sleep(left)
            listed = await self.provider.find(intent, others)
        if listed.batch is not None:
            return self.store.write(replace(intent, batch=listed.batch))
        if listed.perhaps and not self.hand_in_again(intent, listed.perhaps):
            self.collected.outcomes |= in_batches([intent])
            self.collected.remarks.append(
                f"whether {len(intent.calls):,} calls were handed in as {' or '.join(listed.perhaps)} can be told once "
                "that has ended: they are not handed in again until then"
            )
            return None
        self.store.forget([intent])
        return None

    async def _collect(self, intent: Intent, batch: str) -> None:
        collected, standing = self.collected, await self.provider.standing(batch)
        if not standing.ended:
            collected.outcomes |= in_batches([intent])
            collected.remarks.append(f"batch {batch}: {standing.done:,} of {len(intent.calls):,} calls are done")
            return
        if standing.problem:
            collected.remarks.append(f"batch {batch} failed: {standing.problem}")
            collected.outcomes |= {call.key: NoReply(standing.problem) for call in intent.calls}
        never = len(intent.calls)
        for result in [result async for result in self.provider.results(batch)]:
            never -= self._take(intent, result)
        if never and not standing.problem:
            collected.remarks.append(f"batch {batch} ended before {never:,} of its calls were made, which cost nothing")
        collected.ended.append(intent)

    def _take(self, intent: Intent, result: BatchResult) -> bool:
        """One result; whether its call was made."""
        call, answer, collected = intent.call_named(result.name), result.outcome, self.collected
        if call is None or answer is None:
            return False
        if isinstance(answer, Failed):
            collected.outcomes[call.key] = NoReply(answer.message)
            return True
        collected.usage, collected.replies = collected.usage + (answer.usage or NO_USAGE), collected.replies + 1
        reading = reading_of(answer, intent.menu)
        if reading.label is not None:
            self.store.keep(call.key, answer)
        elif reading.unscored == "truncated":
            self.store.keep_cut_off(call.key, call.tokens)
        if reading.label is None and (reading.unscored != "truncated" or call.tokens >= self.most_tokens):
            collected.outcomes[call.key] = Reply(reading, intent.dropped, answer.text, answer.model)
        return True


def in_batches(intents: Iterable[Intent]) -> dict[str, Outcome]:
    """By key, the calls of intents, as long as nobody asks what became of them."""
    return {call.key: PENDING for intent in intents for call in intent.calls}
