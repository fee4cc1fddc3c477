"""Messages that Prolific sends: who has left goes without tasks, and others get those that they had.

Its page "Verifying" (https://docs.prolific.com/api-reference/webhooks) says how a message is signed, "Receiving" what
stands in it, and "Idempotency and the X-Event-ID Header" how one that comes again is known.

One message to the owner's own address when the campaign has ended.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tiebreak.campaign.events import OwnerTold
from tiebreak.live import LiveCampaign
from tiebreak.live.accounts import CrowdMessage, leave
from tiebreak.live.links import hook_secret
from tiebreak.live.result import headline_of, standing_of
from tiebreak.version import __version__
from tiebreak.web.site import Site, now

_OLDEST_SECONDS: Final = 300
_SENT: Final = "x-prolific-request-timestamp"
_NAME: Final = re.compile(r"[\x21-\x7e]{1,100}")


@dataclass(frozen=True, slots=True)
class _Change:
    """The new `status` of a submission, the `resource_id`."""

    event_type: str
    resource_id: str
    status: str = ""
    participant_id: str = ""


class Hook:
    """Takes the messages of Prolific, and nobody else's."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def take(self, request: Request) -> Response:
        """One message. What is genuine and changes nothing is acknowledged, or it would come again."""
        secret = await run_in_threadpool(hook_secret, self._site.folder)
        if secret is None:
            return PlainTextResponse("Nothing is taken here.", 404)
        body, notice = await request.body(), request.headers.get("x-event-id", "")
        if not _is_genuine(secret, request.headers, body) or not _NAME.fullmatch(notice):
            return PlainTextResponse("This is no message of Prolific, or an old one.", 403)
        try:
            change = msgspec.json.decode(body, type=_Change)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return PlainTextResponse("This is not understood.", 400)
        if change.event_type == "submission.status.change":
            sent = datetime.fromtimestamp(float(request.headers[_SENT]), UTC).isoformat()
            message = CrowdMessage(change.participant_id, change.resource_id, change.status, notice, sent)
            await run_in_threadpool(self._site.campaign, lambda live: leave(live, message, now=now()))
        return PlainTextResponse("ok")


def _is_genuine(secret: str, headers: Headers, body: bytes) -> bool:
    """Whether who knows the secret sent this just now: signed are the time of sending, in seconds, and the body."""
    sent = headers.get(_SENT, "")
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,9})?", sent) or abs(time.time() - float(sent)) > _OLDEST_SECONDS:
        return False
    signature = base64.b64encode(hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest())
    return hmac.compare_digest(signature, headers.get("x-prolific-request-signature", "").encode())


_SECONDS: Final = 10
_AGAIN_SECONDS: Final = 60


class Webhook:
    """Sends `{"campaign", "ended", "text", "labels"}` as JSON, until somebody takes it: the log says that it was sent,
    so that a server that is started again does not send it again. Of two servers both may.
    """

    def __init__(self, site: Site) -> None:
        self._site, self._next_try = site, 0.0

    def tell(self) -> None:
        """Send the message if it is due; what cannot be sent now is tried again in a minute."""
        url = self._site.settings.webhook
        if url is None or time.monotonic() < self._next_try:
            return
        if not self._site.campaign(lambda live: live.state.ended is not None and not live.ledger.owner_told):
            return
        self._next_try = time.monotonic() + _AGAIN_SECONDS
        body = json.dumps(self._site.owners(_message)).encode()
        headers = {"content-type": "application/json", "user-agent": f"tiebreak/{__version__}"}
        try:
            with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=_SECONDS):
                pass
        except (OSError, HTTPException, ValueError):  # refused, too late, answered by an error, or by no HTTP at all
            return
        told = OwnerTold(now())
        self._site.campaign(lambda live: live.commit(lambda _, ledger: () if ledger.owner_told else (told,)))


def _message(live: LiveCampaign) -> dict[str, object]:
    return {
        "campaign": live.folder.resolve().name,
        "ended": live.state.ended,
        "text": headline_of(standing_of(live)),
        "labels": live.state.labels,
    }
