"""Where the pages of a campaign are served."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from tiebreak.campaign.events import Role
from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting
from tiebreak.settings.shared import LARGEST_PRICE

MOST_PEOPLE: Final = 10_000
HOOK_PATH: Final = "/hooks/prolific"
"""Where a platform for crowds sends messages: the one path that takes JSON and no form."""
OUTCOMES: Final = ("done", "screened", "stopped")
"""How somebody's work may end: with labels, after the tutorial, or before any label."""
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_OPENED_AT: Final[dict[Role, str]] = {"annotator": "a", "owner": "o"}
_BASE_URL: Final = "Address that people use, where a proxy with HTTPS stands before the server"
_ROUNDING: Final = 1e-6
_REQUIRED: Final = "required"
_PLACES: Final = Setting(
    "People to recruit in all", at_least=1, at_most=MOST_PEOPLE, such_as="20", default_words=_REQUIRED
)


def check_address(base_url: str) -> None:
    """Raise UsageError for what is no address of pages."""
    if not re.fullmatch(r"https?://[^/?#\s@]+(/[^?#\s]*)?", base_url):
        raise UsageError(f"--base-url {base_url!r} is no address such as https://labels.example.org")


def link_address(base_url: str, secret: str, role: Role = "annotator") -> str:
    """Where the link with this secret opens pages that are at `base_url`."""
    return f"{base_url.rstrip('/')}/{_OPENED_AT[role]}/{secret}"


def _ascii_host(host: str) -> str:
    """A host as browsers send it: other letters in their ASCII form, IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host.encode("idna").decode()


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """`host` and `port` of the server; `base_url`: the address that people use, where a proxy stands before it; `most`:
    people who may join by the open link; `webhook`: an address that is told the end. `crowd_id`, `return_url`, `codes`:
    how a platform for crowds names people, and takes them back (`OUTCOMES`).

    Raises `UsageError` for impossible values.
    """

    host: str = setting(
        "127.0.0.1", Setting("Address to listen at; 0.0.0.0 for all of this computer's", metavar="ADDRESS")
    )
    port: int = setting(8765, Setting("Port to listen at", at_least=1, at_most=65_535))
    base_url: str | None = setting(None, Setting(_BASE_URL, metavar="URL"))
    crowd_id: str = setting(
        "PROLIFIC_PID", Setting("Parameter of the open link by which a platform names people", metavar="NAME")
    )
    return_url: str | None = setting(
        None, Setting("Address that people go back to at the end, with {code} for a code", metavar="URL")
    )
    codes: tuple[str, ...] = setting(
        (),
        Setting("Codes of the platform: done=CODE,screened=CODE,stopped=CODE", metavar="NAME=CODE,...", listed=True),
    )
    most: int = setting(50, Setting("Most people who join by the link", at_least=1, at_most=MOST_PEOPLE))
    webhook: str | None = setting(
        None, Setting("Address that gets a message (JSON, by POST) when the campaign has ended", metavar="URL")
    )
    least_pay: float | None = setting(
        None, Setting("Pay per hour below which your page says so", above=0, at_most=LARGEST_PRICE)
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.webhook is not None and not re.fullmatch(r"https?://[^\s<>\"']+", self.webhook):
            raise UsageError(f"--webhook {self.webhook!r} is no address such as https://example.org/campaign-over")
        if self.base_url is not None:
            check_address(self.base_url)
        if self.return_url is not None and not re.fullmatch(r"https?://[^\s<>\"']+", self.return_url):
            raise UsageError(
                f"--return-url {self.return_url!r} is no address such as https://example.org/done?cc={{code}}"
            )
        for words in self.codes:
            name, _, code = words.partition("=")
            if name not in OUTCOMES or not re.fullmatch(r"[\w-]+", code):
                raise UsageError(f"--codes {words!r}: write {', '.join(f'{of}=CODE' for of in OUTCOMES)}")

    def code_for(self, outcome: str) -> str | None:
        """The code of the platform for one of `OUTCOMES`; None where none was named."""
        return next((code for name, _, code in (words.partition("=") for words in self.codes) if name == outcome), None)

    @property
    def address(self) -> str:
        """The address that people use, without a slash at its end."""
        if self.base_url is not None:
            return self.base_url.rstrip("/")
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme and host of the address, as browsers send them: in small letters, without the usual port."""
        parts = urlsplit(self.address)
        host = _ascii_host(str(parts.hostname))
        usual = {"http": 80, "https": 443}[parts.scheme]
        return f"{parts.scheme}://{host}" + ("" if parts.port in (None, usual) else f":{parts.port}")

    @property
    def path(self) -> str:
        """What of the address comes after its host, without a slash at its end."""
        return urlsplit(self.address).path

    @property
    def is_https(self) -> bool:
        """Whether browsers come by HTTPS."""
        return self.address.startswith("https:")

    @property
    def is_loopback(self) -> bool:
        """Whether only this computer can reach the server."""
        return self.host in LOOPBACK

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names by which the server may be called; none: any."""
        if self.base_url is not None:
            return (_ascii_host(str(urlsplit(self.base_url).hostname)).strip("[]"), *LOOPBACK)
        return LOOPBACK if self.is_loopback else ()


@dataclass(frozen=True, slots=True)
class InviteSettings:
    """`most`: people who may join by a link without a name; `base_url`: the address of the pages.

    Raises `UsageError` for impossible values.
    """

    most: int = setting(1, Setting("Most people who join by the link", at_least=1, at_most=MOST_PEOPLE))
    base_url: str = setting("http://127.0.0.1:8765", Setting(_BASE_URL, metavar="URL"))

    def __post_init__(self) -> None:
        check_settings(self)
        check_address(self.base_url)


@dataclass(frozen=True, slots=True)
class ProlificSettings:
    """A study on Prolific: how many `places`, the `reward` of each person in the currency of the account there, the
    `minutes` that it takes, and the address of the pages. `workspace`: where Prolific is to tell of who has left.

    Raises `UsageError` for impossible values.
    """

    places: int = setting(0, _PLACES)
    reward: float = setting(
        0.0,
        Setting(
            "Pay of each person, in the account's currency",
            above=0,
            at_most=1000,
            such_as="2.50",
            default_words=_REQUIRED,
        ),
    )
    minutes: int = setting(
        0, Setting("Minutes that it takes", at_least=1, at_most=1440, such_as="15", default_words=_REQUIRED)
    )
    base_url: str = setting("", Setting(_BASE_URL, metavar="URL", default_words=_REQUIRED))
    project: str | None = setting(None, Setting("Project of the study", metavar="ID"))
    workspace: str | None = setting(None, Setting("Workspace, which tells the server who left", metavar="ID"))

    def __post_init__(self) -> None:
        check_settings(self)
        check_address(self.base_url)
        if not self.base_url.startswith("https:"):
            raise UsageError(f"--base-url {self.base_url!r}: Prolific sends people to addresses with https:// only")
        if abs(100 * self.reward - self.reward_in_cents) > _ROUNDING:
            raise UsageError(f"--reward {self.reward:g} is no amount of whole cents")

    @property
    def reward_in_cents(self) -> int:
        """The reward, in the smallest unit of the currency."""
        return round(100 * self.reward)


@dataclass(frozen=True, slots=True)
class GrowSettings:
    """How many `places` a study on Prolific is to have.

    Raises `UsageError` for impossible values.
    """

    places: int = setting(0, _PLACES)

    def __post_init__(self) -> None:
        check_settings(self)
