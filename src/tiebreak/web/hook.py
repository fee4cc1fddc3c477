"""Messages that Prolific sends: who has left goes without tasks, and others get those that they had.

Its page "Verifying" (https://docs.prolific.com/api-reference/webhooks) says how a message is signed, "Receiving" what
stands in it, and "Idempotency and the X-Event-ID Header" how one that comes again is known.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from tiebreak.live.crowd import CrowdMessage, leave
from tiebreak.live.links import hook_secret
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
