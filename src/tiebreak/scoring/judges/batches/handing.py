"""Hands calls in as batches, and brings in what became of them.

An intent is on the disk before each batch, and the provider's name of it afterwards.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from tiebreak.errors import TiebreakError
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.batches.intent import BatchCall, Intent, IntentFolder
from tiebreak.scoring.judges.batches.service import BatchResult, BatchService
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.failures import Failed
from tiebreak.scoring.judges.replies import NO_USAGE, PENDING, NoReply, Outcome, Reply, Usage, reading_of
from tiebreak.scoring.judges.store import ReplyCache

_AROUND: int = 200
"""Bytes beside the body of a request: its name, and where it goes."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """`intents` that were handed in, or may have been; `left`: calls for which no money is left at their worst."""

    intents: tuple[Intent, ...]
    left: int


async def submit(
    service: BatchService, folder: IntentFolder, asker: Asker, messages: Iterable[PromptMessage]
) -> Submitted:
    """Hand in calls about these messages, in as many batches as they take, up to what may be spent on them.

    Raises:
        TiebreakError: the provider takes none, or something cannot be written.
    """
    paid, left = list[PromptMessage](), 0
    for message in messages:
        if asker.purse.reserve(asker.worst(message)):
            paid.append(message)
        else:
            left += 1
    intents = [await _hand_in(service, folder, asker, part) for part in _parts(service, asker, paid)]
    return Submitted(tuple(intents), left)


async def _hand_in(
    service: BatchService, folder: IntentFolder, asker: Asker, part: list[tuple[PromptMessage, dict[str, object]]]
) -> Intent:
    calls = [BatchCall(asker.key(message), asker.tokens(message)) for message, _ in part]
    intent = Intent.new(asker.judge.endpoint, asker.judge.menu, asker.rejected.names, calls)
    folder.write(intent)
    try:
        batch = await service.submit(intent, [body for _, body in part])
    except Failed as failed:
        if failed.maybe_paid:
            raise TiebreakError(
                f"it is not known whether a batch of {len(calls):,} calls was taken ({failed.message}): the same "
                "command finds out, and hands nothing in twice"
            ) from None
        folder.forget(intent)
        raise TiebreakError(f"the batch was not taken: {failed.message}") from None
    return folder.handed_in(intent, batch)


def _parts(
    service: BatchService, asker: Asker, messages: list[PromptMessage]
) -> Iterator[list[tuple[PromptMessage, dict[str, object]]]]:
    """Messages with their requests, as many at a time as go into one batch."""
    part: list[tuple[PromptMessage, dict[str, object]]] = []
    size = 0
    for message in messages:
        body = asker.provider.request(message, asker.rejected.names).body(asker.tokens(message))
        more = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) + _AROUND
        if part and (len(part) == service.most_calls or size + more > service.most_bytes):
            yield part
            part, size = [], 0
        part.append((message, body))
        size += more
    if part:
        yield part


T = TypeVar("T")

_ATTEMPTS: Final = 4
_FIRST_WAIT: Final = 0.5


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
    handed in. `hand_in_again`: asks whether calls may be handed in once more that may be in one of some batches.
    """

    service: BatchService
    folder: IntentFolder
    cache: ReplyCache
    unlisted_after: float
    most_tokens: int
    hand_in_again: Callable[[Intent, Sequence[str]], bool]
    waiting: Callable[[float], None]

    async def collect(self, endpoint: str) -> CollectedBatch:
        """All that has ended; replies are kept before anything else happens to them.

        Raises:
            TiebreakError: the provider cannot be asked, or something cannot be written.
        """
        found = CollectedBatch()
        intents = self.folder.all(endpoint)
        for intent in intents:
            known = await self._known(intent, [other.batch for other in intents if other.batch is not None], found)
            if known is not None:
                await self._collect(known, found)
        return found

    async def _known(self, intent: Intent, others: Sequence[str], found: CollectedBatch) -> Intent | None:
        """The intent with its batch; None where it has none, or none that is known."""
        if intent.batch is not None:
            return intent
        listed = await patiently(lambda: self.service.find(intent, others))
        if listed.batch is None and not listed.perhaps and (left := self._left(intent)) > 0:
            self.waiting(left)
            await asyncio.sleep(left)
            listed = await patiently(lambda: self.service.find(intent, others))
        if listed.batch is not None:
            return self.folder.handed_in(intent, listed.batch)
        if listed.perhaps and not self.hand_in_again(intent, listed.perhaps):
            self._pending(intent, found)
            found.remarks.append(
                f"whether {len(intent.calls):,} calls were handed in as {' or '.join(listed.perhaps)} can be told once "
                "that has ended: they are not handed in again until then"
            )
            return None
        self.folder.forget(intent)
        return None

    def _left(self, intent: Intent) -> float:
        """Seconds until a list that does not have the batch is to be believed."""
        return min(intent.created + self.unlisted_after - time.time(), self.unlisted_after)

    async def _collect(self, intent: Intent, found: CollectedBatch) -> None:
        batch = intent.batch or ""
        standing = await patiently(lambda: self.service.standing(batch))
        if not standing.ended:
            self._pending(intent, found)
            found.remarks.append(f"batch {batch}: {standing.done:,} of {len(intent.calls):,} calls are done")
            return
        if standing.problem:
            found.remarks.append(f"batch {batch} failed: {standing.problem}")
            found.outcomes |= {call.key: NoReply(standing.problem) for call in intent.calls}
        never = len(intent.calls)
        for result in await patiently(lambda: self._results(batch)):
            never -= self._take(intent, result, found)
        if never and not standing.problem:
            found.remarks.append(f"batch {batch} ended before {never:,} of its calls were made, which cost nothing")
        found.ended.append(intent)

    async def _results(self, batch: str) -> list[BatchResult]:
        return [result async for result in self.service.results(batch)]

    def _take(self, intent: Intent, result: BatchResult, found: CollectedBatch) -> bool:
        """One result; whether its call was made."""
        call = intent.call_named(result.name)
        if call is None or (result.answer is None and result.failed is None):
            return False
        if result.failed is not None or result.answer is None:
            found.outcomes[call.key] = NoReply("" if result.failed is None else result.failed.message)
            return True
        answer = result.answer
        found.usage, found.replies = found.usage + (answer.usage or NO_USAGE), found.replies + 1
        reading = reading_of(answer, intent.menu)
        if reading.label is not None:
            self.cache.put(call.key, answer)
        elif reading.unscored == "truncated":
            self.cache.put_cut_off(call.key, call.tokens)
        if reading.label is None and (reading.unscored != "truncated" or call.tokens >= self.most_tokens):
            found.outcomes[call.key] = Reply.of(answer, reading, "batch", intent.dropped)
        return True

    def _pending(self, intent: Intent, found: CollectedBatch) -> None:
        found.outcomes |= {call.key: PENDING for call in intent.calls}


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """What a call brings that only asks, and may therefore be made again.

    Raises:
        TiebreakError: it brings nothing.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return await call()
        except Failed as failed:
            if attempt == _ATTEMPTS or failed.why not in ("busy", "broken"):
                raise TiebreakError(f"batches cannot be asked about: {failed.message}") from None
            await asyncio.sleep(max(failed.wait or 0.0, _FIRST_WAIT * 2 ** (attempt - 1)))
    raise TiebreakError("batches cannot be asked about")


def in_batches(intents: Sequence[Intent]) -> dict[str, Outcome]:
    """By key, the calls of intents, as long as nobody asks what became of them."""
    return {call.key: PENDING for intent in intents for call in intent.calls}
