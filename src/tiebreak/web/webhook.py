"""One message to the owner's own address when the campaign has ended."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from typing import Final

from tiebreak.campaign import State
from tiebreak.campaign.events import Event, OwnerTold
from tiebreak.live import LiveCampaign
from tiebreak.live.ledger import TaskLedger
from tiebreak.live.result import headline_of, standing_of
from tiebreak.version import __version__
from tiebreak.web.site import Site, now

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
        self._site.campaign(lambda live: live.commit(_note))


def _note(_: State, ledger: TaskLedger) -> Sequence[Event]:
    return () if ledger.owner_told else (OwnerTold(now()),)


def _message(live: LiveCampaign) -> dict[str, object]:
    return {
        "campaign": live.folder.resolve().name,
        "ended": live.state.ended,
        "text": headline_of(standing_of(live)),
        "labels": live.state.labels,
    }
