"""Links by which people get to the pages of a campaign: who has which, and who came by it.

The secret of a link is shown once and never stored; the log has a digest of it. The first owner's link follows from a
key in the campaign's folder, so that it can be shown again, and stands in no log.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tiebreak.campaign import State
from tiebreak.campaign.events import AnnotatorJoined, Event, LinkIssued, LinkRevoked, Role
from tiebreak.errors import UsageError
from tiebreak.files import writing
from tiebreak.live.campaign import LiveCampaign
from tiebreak.live.ledger import Link, TaskLedger

KEY_FILE: Final = "web.key"
HOOK_FILE: Final = "prolific.key"
_SECRET_BYTES: Final = 24
_KEY_BYTES: Final = 32
_SHOWN: Final = 12  # hexadecimal digits by which an owner tells links apart


def issue_link(
    campaign: LiveCampaign, *, now: str, annotator: str = "", most: int = 1, role: Role = "annotator"
) -> str:
    """The secret of a new link, for one annotator, for `most` people whom nobody knows yet, or for one more owner.

    Raises:
        UsageError: `most` for a link with a name, or below 1; either for an owner.
    """
    if most < 1 or (annotator and most > 1) or (role == "owner" and (annotator or most > 1)):
        raise UsageError("a link is for one annotator by name, for a number of people without, or for one owner")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    campaign.commit(lambda _, __: (LinkIssued(now, digest_of(secret), annotator, most, role),))
    return secret


def revoke_link(campaign: LiveCampaign, shown: str, *, now: str) -> Link:
    """The link whose digest begins so, which lets nobody in from now on; who came by it is let in no more either.

    Raises:
        UsageError: no such link, or several.
    """

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        found = [link for name, link in ledger.links.items() if shown and name.startswith(shown)]
        if len(found) != 1:
            raise UsageError(
                f"{'no link' if not found else 'more than one link'} of this campaign begins with {shown!r}"
            )
        return () if found[0].revoked else (LinkRevoked(now, found[0].issued.link),)

    campaign.commit(decide)
    return next(link for name, link in campaign.ledger.links.items() if name.startswith(shown))


def link_of(ledger: TaskLedger, secret: str, role: Role = "annotator") -> Link | None:
    """The link with this secret, as long as it opens the pages of these people."""
    link = ledger.links.get(digest_of(secret))
    return link if link is not None and link.opens(role) else None


def shown_link(link: Link) -> str:
    """What an owner names a link by."""
    return shown_digest(link.issued.link)


def shown_digest(digest: str) -> str:
    """The beginning of a digest, by which an owner tells links apart."""
    return digest[:_SHOWN]


def join(
    campaign: LiveCampaign, link: str, name: str, *, now: str, crowd_id: str | None = None, visit: str | None = None
) -> str:
    """The name of whoever joins by a link with this digest and agrees to what is stored: `name`, where the link has
    none. Who comes again with a known `crowd_id` is the same person; `visit` is theirs from now on.

    Raises:
        UsageError: the link does not work any more, or as many people as it is for have joined by it.
    """

    def decide(_: State, ledger: TaskLedger) -> Sequence[Event]:
        of = ledger.links.get(link)
        if of is None or not of.opens("annotator"):
            raise UsageError("this link does not work any more; ask whoever sent it for another one")
        annotator = known_name(ledger, of, crowd_id) or name
        if annotator in of.joined and is_here(ledger, annotator, visit):
            return ()
        if of.is_full and annotator not in of.joined:
            raise UsageError("as many people as were needed have joined by this link; thank you")
        return (AnnotatorJoined(now, annotator, link, crowd_id, visit),)

    campaign.commit(decide)
    return known_name(campaign.ledger, campaign.ledger.links[link], crowd_id) or name


def known_name(ledger: TaskLedger, link: Link, crowd_id: str | None = None) -> str:
    """The name of whoever comes by a link, where it is known before; else ""."""
    return link.issued.annotator or ("" if crowd_id is None else ledger.crowd_ids.get(crowd_id, ""))


def is_let_in(ledger: TaskLedger, annotator: str, visit: str | None = None) -> bool:
    """Whether an annotator came by a link that still works, and is here."""
    came = any(annotator in link.joined and not link.revoked for link in ledger.links.values())
    return came and is_here(ledger, annotator, visit)


def is_here(ledger: TaskLedger, annotator: str, visit: str | None) -> bool:
    """Whether an annotator has not left since they agreed, and this visit, if it has a name, is their last one."""
    known = ledger.visits.get(annotator)
    return annotator not in ledger.left and (visit is None or (known is not None and known.visit == visit))


def new_key() -> bytes:
    """A random key of pages."""
    return secrets.token_bytes(_KEY_BYTES)


def web_key(folder: Path, fresh: bytes | None = None) -> bytes:
    """The key of a campaign's pages; where there is none `fresh`, or a new one. It signs what browsers keep, and makes
    the owner's link.

    Raises:
        TiebreakError: it can be neither read nor written.
    """
    path = folder / KEY_FILE
    with writing(path):
        if not path.is_file():
            own = _private_file(path, (fresh or new_key()).hex())
            with contextlib.suppress(FileExistsError):  # another server was faster: its key is the one
                os.link(own, path)
            own.unlink()
        return bytes.fromhex(path.read_text(encoding="ascii").strip())


def _private_file(path: Path, text: str) -> Path:
    """A new file beside `path`, which only its owner can read."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return fresh


def keep_hook_secret(folder: Path, secret: str) -> None:
    """Write down by what a platform signs its messages.

    Raises:
        TiebreakError: it cannot be written.
    """
    path = folder / HOOK_FILE
    with writing(path):
        _private_file(path, secret).replace(path)


def hook_secret(folder: Path) -> str | None:
    """By what a platform signs its messages; None where it sends none."""
    path = folder / HOOK_FILE
    return path.read_text(encoding="utf-8") if path.is_file() else None


def public_name(key: bytes) -> str:
    """What others may know a campaign by."""
    return f"tiebreak-{hashlib.sha256(key).hexdigest()[:8]}"


def owner_secret(key: bytes) -> str:
    """The secret of the first owner's link."""
    return hmac.new(key, b"owner", hashlib.sha256).hexdigest()


def is_owner(ledger: TaskLedger, key: bytes, link: str) -> bool:
    """Whether the link with this digest opens the owner's pages: the first owner's, or one that was issued for that."""
    issued = ledger.links.get(link)
    return is_first_owner(key, link) or (issued is not None and issued.opens("owner"))


def is_first_owner(key: bytes, link: str) -> bool:
    """Whether the link with this digest is that which follows from the key."""
    return hmac.compare_digest(link.encode(), digest_of(owner_secret(key)).encode())


def open_link_secret(
    campaign: LiveCampaign, key: bytes, *, now: str, most: int, whom: str = "annotators"
) -> str | None:
    """The secret of a link for anybody of these people, issued where it was not; None where it was revoked. That for
    annotators is the one that a server prints.
    """
    secret = hmac.new(key, whom.encode(), hashlib.sha256).hexdigest()[: 2 * _SECRET_BYTES]
    link = digest_of(secret)
    campaign.commit(lambda _, ledger: () if link in ledger.links else (LinkIssued(now, link, "", most),))
    return None if campaign.ledger.links[link].revoked else secret


def digest_of(secret: str) -> str:
    """What a link is recognised by."""
    return hashlib.sha256(secret.encode()).hexdigest()
