"""`tiebreak campaign serve`: the pages of a campaign in a browser.

`tiebreak campaign demo`: a sample campaign that labels itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, now
from tiebreak.cli.setting_options import with_settings
from tiebreak.web.settings import ServeSettings


@with_settings(ServeSettings)
def serve_command(campaign: CampaignArgument, settings: ServeSettings) -> None:
    """Let people answer in a browser, one task at a time, until the campaign stops by itself.

    Prints a link for you, which shows how the campaign stands, and one for annotators. Only this computer reaches the
    pages unless --host says otherwise; for other computers put a proxy with HTTPS before them, and name its address
    with --base-url. Sheets go on beside the pages. Ctrl-C ends the server; nothing that was saved is lost.

    Example: tiebreak campaign serve my-campaign
    """
    _serve(campaign, settings)


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
    from tiebreak.demo.campaign import SimulatedAnnotators, create_demo_campaign

    if not folder.exists():
        create_demo_campaign(folder)
    people = SimulatedAnnotators(folder)
    people.start()
    try:
        _serve(folder, settings)
    finally:
        people.stop()


def _serve(folder: Path, settings: ServeSettings) -> None:
    """Print the links, and answer requests until somebody ends it."""
    from tiebreak.cli.terminal import console_for_results, say
    from tiebreak.errors import UsageError
    from tiebreak.live.links import open_link_secret, owner_secret

    try:
        import uvicorn

        from tiebreak.web.app import create_app
        from tiebreak.web.site import Site
    except ImportError as error:
        raise UsageError(f"the pages need more packages: pip install 'tiebreak[web]' ({error.name})") from error
    site = Site(folder, settings)
    secret = site.campaign(lambda live: open_link_secret(live, site.key, now=now(), most=settings.most))
    console = console_for_results()
    say(console, f"For you:        {settings.address}/o/{owner_secret(site.key)}")
    if secret is None:
        say(console, "The open link for annotators was revoked; make others on your page.")
    else:
        say(console, f"For annotators: {settings.address}/a/{secret}")
    if not settings.is_loopback and not settings.is_https:
        say(console, "Others can read along, since this is not HTTPS: see --base-url.", style="yellow")
    uvicorn.run(
        create_app(site),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
    )
