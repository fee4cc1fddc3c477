"""`tiebreak campaign create`: fix everything that must be fixed before the first label."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiebreak.cli.campaign.options import now
from tiebreak.cli.options import RateOption
from tiebreak.cli.plain_output import write_json
from tiebreak.cli.setting_options import Changes, with_changes
from tiebreak.settings.protocol import PROTOCOL_TABLES, QuestionSettings


@with_changes({"": QuestionSettings, **PROTOCOL_TABLES})
def create_command(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", help="Folder with the texts to compare.", show_default=False)
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="CAMPAIGN", help="The new folder.", show_default=False)],
    *,
    protocol: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Protocol of a campaign in TOML; options change it.", show_default=False),
    ] = None,
    rate: RateOption = None,
    changes: Changes,
    hide: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Do not show input, context or reference; repeatable.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.", show_default=False)] = False,
) -> None:
    """Begin a campaign: a folder with its protocol, a copy of the study's texts, and an empty log.

    The protocol cannot be changed afterwards, because the error rate of a verdict holds for what was fixed before the
    first label. Labels that the study has already are not used. People compare the outputs of two systems, or with
    --rate they rate single outputs.

    Example: tiebreak campaign create my-study -o my-campaign --price 0.10 --max-labels 2000

    Example: tiebreak campaign create my-study -o my-campaign --rate fluency=1:5 --half-width 0.2
    """
    from tiebreak.campaign.make_plan import with_room_for_companions
    from tiebreak.cli.campaign.protocol_settings import file_settings, protocol_for, text_of
    from tiebreak.cli.campaign.rated_criteria import with_ratings
    from tiebreak.cli.campaign.show_created import created_document, show_created
    from tiebreak.live import create_campaign, open_campaign
    from tiebreak.live.folder import check_hidden
    from tiebreak.places import study_at

    asked = dict(changes[""])
    if "instructions" in asked:
        asked["instructions"] = text_of(Path(asked["instructions"]))
    hidden = check_hidden(hide or [])
    base, said = file_settings(protocol)
    data = study_at(study)
    given = with_ratings({**changes, "": asked}, said, rate or (), data)
    asked_for = with_room_for_companions(protocol_for(base, said, given, data), data)
    create_campaign(out, asked_for, data, at=now(), hidden=hidden)
    campaign = open_campaign(out)
    if as_json:
        write_json(created_document(campaign))
    else:
        show_created(campaign)
