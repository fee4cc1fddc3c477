"""Hands calls in as batches: an intent is on the disk before each, and the provider's name of it afterwards."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tiebreak.errors import TiebreakError
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.batches.intent import BatchCall, Intent, IntentFolder
from tiebreak.scoring.judges.batches.service import BatchService
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.failures import Failed

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
