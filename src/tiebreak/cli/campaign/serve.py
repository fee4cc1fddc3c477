"""`tiebreak campaign serve`: the pages of a campaign in a browser.

`tiebreak campaign demo`: a sample campaign that labels itself.

`tiebreak campaign invite`, `revoke` and `pause`: what the owner's page does, too.
"""

from __future__ import annotations

import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.campaign.events import Role
from tiebreak.campaign.verdicts import why_ended
from tiebreak.cli.campaign.options import CampaignArgument, now, one_line
from tiebreak.cli.setting_options import JsonOption, argument, option, with_settings
from tiebreak.cli.terminal import console_for_results, write_json
from tiebreak.demo.campaign import SimulatedAnnotators, create_demo_campaign
from tiebreak.errors import UsageError
from tiebreak.files import check_place
from tiebreak.live import open_campaign
from tiebreak.live.answers import pause, resume
from tiebreak.live.links import issue_link, link_of, open_link_secret, owner_secret, revoke_link, shown_link
from tiebreak.numbers import counted
from tiebreak.web.settings import InviteSettings, ServeSettings, link_address

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from tiebreak.web.site import Site


@with_settings(ServeSettings)
def serve_command(
    campaign: CampaignArgument,
    create: Annotated[
        bool, option("Where there is no such folder: let its owner create the campaign in the browser.", "", "--create")
    ] = False,
    *,
    settings: ServeSettings,
) -> None:
    """Let people answer in a browser, one task at a time, until the campaign stops by itself.

    Prints a link for you, which shows how the campaign stands, and one for annotators. Only this computer reaches the
    pages unless --host says otherwise; for other computers put a proxy with HTTPS before them, and name its address
    with --base-url. Sheets go on beside the pages. Ctrl-C ends the server; nothing that was saved is lost.

    Example: tiebreak campaign serve my-campaign
    """
    _serve(campaign, settings, create=create)


@with_settings(ServeSettings)
def demo_command(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Where to write the sample campaign.")] = Path(
        "tiebreak-campaign"
    ),
    *,
    settings: ServeSettings,
) -> None:
    """Watch a sample campaign in a browser: six simulated annotators answer, 20 times as fast as people.

    Open your page and let it look again by itself. You may answer, too, by the link for annotators. Served again, a
    sample that is there goes on.

    Example: tiebreak campaign demo
    """
    if not folder.exists():
        create_demo_campaign(folder)
    people = SimulatedAnnotators(folder)
    people.start()
    try:
        _serve(folder, settings)
    finally:
        people.stop()


@with_settings(InviteSettings)
def invite_command(
    campaign: CampaignArgument,
    annotator: Annotated[
        str, typer.Option(metavar="NAME", help="The person whom it is for.", show_default="anybody")
    ] = "",
    owner: Annotated[bool, option("For another owner, who sees and does all that you do.", "", "--owner")] = False,
    *,
    settings: InviteSettings,
    as_json: JsonOption = False,
) -> None:
    """Make a link to the pages of a campaign: for one annotator by name, for so many people whom nobody knows yet, or
    for another owner.

    The link is shown once. Your page lists all links by the beginning of a digest, which `campaign revoke` takes.

    Example: tiebreak campaign invite my-campaign --annotator ann
    """
    live, name = open_campaign(campaign), one_line(annotator)
    role: Role = "owner" if owner else "annotator"
    secret = issue_link(live, now=now(), annotator=name, most=settings.most, role=role)
    link = link_of(live.ledger, secret, role)
    address = link_address(settings.base_url, secret, role)
    if as_json:
        shown = None if link is None else shown_link(link)
        document = {"campaign": str(campaign), "role": role, "annotator": name or None, "address": address}
        write_json(document | {"link": shown})
        return
    console_for_results().say(address)


def revoke_command(
    campaign: CampaignArgument, link: Annotated[str, argument("Beginning of its digest, as on your page.", "LINK")]
) -> None:
    """Let nobody in by a link any more, nor those who came by it. What they answered stays and counts.

    Example: tiebreak campaign revoke my-campaign 5e1f
    """
    revoked = revoke_link(open_campaign(campaign), link.strip().lower(), now=now())
    console_for_results().say(f"The link is revoked; {counted(len(revoked.joined), 'annotator')} came by it.")


def pause_command(
    campaign: CampaignArgument, go_on: Annotated[bool, option("Hand out tasks again.", "", "--go-on")] = False
) -> None:
    """Give nobody a task, in pages and in sheets, until --go-on. Tasks that are out may be answered, and count.

    Example: tiebreak campaign pause my-campaign
    """
    live = open_campaign(campaign)
    changed = resume(live, now=now()) if go_on else pause(live, now=now())
    told = "Tasks are handed out again." if go_on else "Paused: nobody gets a task."
    console_for_results().say(told if changed else f"{told} It was so already.")


def check_port(host: str, port: int) -> None:
    """Raise UsageError where nobody can listen."""
    try:
        host.encode("idna")
    except UnicodeError as error:
        raise UsageError(f"--host {host} is no name of a computer; name another one, such as 0.0.0.0") from error
    try:
        with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except OSError as error:
        raise UsageError(
            f"cannot listen at {host}, port {port} ({error.strerror}); name another one with --port"
        ) from error


def _serve(folder: Path, settings: ServeSettings, *, create: bool = False) -> None:
    """Print the links, and answer requests until somebody ends it. `create`: in the browser, where there is none."""
    try:
        import uvicorn

        from tiebreak.web.app import create_app
        from tiebreak.web.creation import Creation
        from tiebreak.web.site import Site
    except ImportError as error:
        raise UsageError(f"the pages need more packages: pip install 'tiebreak[web]' ({error.name})") from error
    check_port(settings.host, settings.port)
    console = console_for_results()
    if create and not folder.exists():
        check_place(folder)
        creation = Creation(folder, settings, created=_say_links)
        console.say(f"For you: {link_address(settings.address, creation.secret, 'owner')}")
        console.say(f"There is no campaign {folder} yet: create it on your page.")
        app: ASGIApp = creation
    else:
        site = Site(folder, settings)
        _say_links(site)
        app = create_app(site)
    if not settings.is_loopback and not settings.is_https:
        console.say("Others can read along, since this is not HTTPS: see --base-url.", style="yellow")
    if hasattr(signal, "SIGHUP"):  # a terminal that is closed ends the server as it would be told to
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    uvicorn.run(app, host=settings.host, port=settings.port, log_level="warning", access_log=False, server_header=False)


def _say_links(site: Site) -> None:
    """Print who gets in by which link, and whether there is still something to do."""
    settings, console = site.settings, console_for_results()
    secret = site.campaign(lambda live: open_link_secret(live, site.key, now=now(), most=settings.most))
    console.say(f"For you:        {link_address(settings.address, owner_secret(site.key), 'owner')}")
    if secret is None:
        console.say("The open link for annotators was revoked; make others on your page.")
    else:
        console.say(f"For annotators: {link_address(settings.address, secret)}")
    ended = site.campaign(lambda live: why_ended(live.state))
    if ended is not None:
        console.say(f"The campaign is over: {ended}. Nobody gets a task.", style="yellow")
