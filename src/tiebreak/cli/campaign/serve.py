"""`tiebreak campaign serve`: the pages of a campaign in a browser."""

from __future__ import annotations

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
    from tiebreak.cli.terminal import console_for_results, say
    from tiebreak.errors import UsageError
    from tiebreak.live import open_campaign
    from tiebreak.live.links import open_link_secret, owner_secret, web_key

    try:
        import uvicorn

        from tiebreak.web.app import create_app
    except ImportError as error:
        raise UsageError(f"the pages need more packages: pip install 'tiebreak[web]' ({error.name})") from error
    app = create_app(campaign, settings)
    key = web_key(campaign)
    secret = open_link_secret(open_campaign(campaign), key, now=now(), most=settings.most)
    console = console_for_results()
    say(console, f"For you:        {settings.address}/o/{owner_secret(key)}")
    if secret is None:
        say(console, "The open link for annotators was revoked; make others on your page.")
    else:
        say(console, f"For annotators: {settings.address}/a/{secret}")
    if not settings.is_loopback and not settings.is_https:
        say(console, "Others can read along, since this is not HTTPS: see --base-url.", style="yellow")
    uvicorn.run(app, host=settings.host, port=settings.port, log_level="warning", access_log=False, server_header=False)
