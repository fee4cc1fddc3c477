"""`tiebreak campaign create`: fix everything that must be fixed before the first label.

A text file that an option names, that of a protocol among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

from tiebreak.campaign.protocol import SHIPPED as PROTOCOLS
from tiebreak.cli.campaign.options import now, read_bytes
from tiebreak.cli.campaign.status import created_document, show_created
from tiebreak.cli.setting_options import Changes, JsonOption, RateOption, argument, option, with_changes
from tiebreak.cli.terminal import write_json
from tiebreak.errors import InputError, Problem, did_you_mean
from tiebreak.live import create_campaign, open_campaign
from tiebreak.live.folder import check_hidden
from tiebreak.live.new_protocol import new_protocol
from tiebreak.live.tutorial import SHIPPED as TUTORIALS
from tiebreak.live.tutorial import read_tutorial
from tiebreak.places import study_at
from tiebreak.settings.protocol import PROTOCOL_TABLES, QuestionSettings


@with_changes({"": QuestionSettings, **PROTOCOL_TABLES})
def create_command(
    study: Annotated[Path, argument("Folder with the texts to compare.", "STUDY")],
    out: Annotated[Path, option("The new folder.", "CAMPAIGN", "--out", "-o")],
    *,
    protocol: Annotated[
        Path | None, option("Protocol: a TOML file, dialogue, or naturalness; options change it.", "FILE")
    ] = None,
    rate: RateOption = None,
    changes: Changes,
    hide: Annotated[list[str] | None, option("Do not show input, context or reference; repeatable.", "NAME")] = None,
    database: Annotated[
        str | None, option("Keep the log in PostgreSQL: postgresql://user@host/name (password: PGPASSWORD).", "URL")
    ] = None,
    tutorial: Annotated[
        Path | None,
        option("Questions before the first task in a browser: a TOML file, language, or correctness.", "FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Begin a campaign: a folder with its protocol, a copy of the study's texts, and an empty log.

    The protocol cannot be changed afterwards, because the error rate of a verdict holds for what was fixed before the
    first label. Labels that the study has already are not used. People compare the outputs of two systems, or with
    --rate they rate single outputs.

    Example: tiebreak campaign create my-study -o my-campaign --price 0.10 --max-labels 2000

    Example: tiebreak campaign create my-study -o my-campaign --rate fluency=1:5 --half-width 0.2
    """
    asked = dict(changes[""])
    if "instructions" in asked:
        asked["instructions"] = text_of(Path(asked["instructions"]))
    hidden = check_hidden(hide or [])
    text = protocol_text(protocol)
    data = study_at(study)
    asked_for = new_protocol(text, str(protocol), {**changes, "": asked}, rate or (), data)
    questions = None if tutorial is None else text_of(tutorial, TUTORIALS)
    if questions is not None:
        read_tutorial(questions, str(tutorial), asked_for)
    create_campaign(out, asked_for, data, at=now(), hidden=hidden, database=database, tutorial=questions)
    campaign = open_campaign(out)
    if as_json:
        write_json(created_document(campaign))
    else:
        show_created(campaign)


def protocol_text(path: Path | None) -> str:
    """The text of a protocol file, or of a protocol that comes with the program, by its name; "" without one."""
    return "" if path is None else text_of(path, PROTOCOLS)


def text_of(path: Path, shipped: Mapping[str, Path] = MappingProxyType({})) -> str:
    """A text file, in UTF-8; `shipped`: files that come with the program, by name.

    Raises:
        InputError: it cannot be read.
    """
    known = f"; by name there are {', '.join(shipped)}{did_you_mean(str(path), shipped)}" if shipped else ""
    try:
        return read_bytes(shipped.get(str(path), path), known).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), "not UTF-8; save it as UTF-8")]) from error
