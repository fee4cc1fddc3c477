"""`tiebreak campaign collect`: the answers of sheets that came back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, now
from tiebreak.cli.terminal import write_json
from tiebreak.errors import InputError, TiebreakError

if TYPE_CHECKING:
    from tiebreak.cli.campaign.show_collected import TakenSheet
    from tiebreak.live import LiveCampaign
    from tiebreak.sheets.collecting import BadRow

_IN_PART = 4


def collect_command(
    campaign: CampaignArgument,
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET", help="Sheets that came back, .xlsx or .csv.", show_default=False)
    ],
    answer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS=first|second|tie|skip",
            help="What an answer means that is not understood; repeatable.",
            show_default=False,
        ),
    ] = None,
    final: Annotated[
        bool, typer.Option("--final", help="Unanswered tasks of these sheets are asked of others.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take in the answers of sheets, in any order, filled in partly, and as often as you like.

    A sheet is taken row by row: what can be understood counts at once. The other rows are listed and written to a
    second file, to be mended and collected in its turn; the exit code is then 4. The first answer to a task counts; a
    later one that differs is shown and not taken.

    Example: tiebreak campaign collect my-campaign ann-1.xlsx bo-1.csv
    """
    from tiebreak.cli.campaign.show_collected import TakenSheet, collected_document, show_collected
    from tiebreak.live import open_campaign
    from tiebreak.sheets.answer_words import parse_answers
    from tiebreak.sheets.collecting import collect_sheet

    words = parse_answers(answer or ())
    live = open_campaign(campaign)
    taken: list[TakenSheet] = []
    refused: list[tuple[Path, InputError]] = []
    for sheet in sheets:
        try:
            found = collect_sheet(live, _read(sheet), str(sheet), at=now(), final=final, words=words)
        except InputError as error:
            refused.append((sheet, error))
        else:
            taken.append(TakenSheet(sheet, found, _to_mend(live, sheet, found.content.bad)))
    if as_json:
        write_json(collected_document(live, taken, refused))
    else:
        show_collected(live, taken)
    if refused:
        _say_refused(refused)
    if taken and (refused or not all(one.found.content.is_complete for one in taken)):
        raise typer.Exit(_IN_PART)
    if refused:
        raise typer.Exit(1)


def _say_refused(refused: list[tuple[Path, InputError]]) -> None:
    from tiebreak.cli.terminal import console_for_messages, say

    what = "1 sheet was" if len(refused) == 1 else f"{len(refused)} sheets were"
    said = "\n".join(str(error) for _, error in refused)
    for line in f"tiebreak: {what} not taken.\n{said}".split("\n"):
        say(console_for_messages(), line, hanging=2)


def _read(path: Path) -> bytes:
    from tiebreak.errors import Problem

    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}")]) from error


def _to_mend(live: LiveCampaign, sheet: Path, bad: tuple[BadRow, ...]) -> Path | TiebreakError | None:
    """The file with these rows, beside the sheet; why there is none; None if there are no rows. A file that is there is
    never written over, as somebody may have mended it; one that has these rows already is used.
    """
    import re

    from tiebreak.cli.campaign.options import check_outside
    from tiebreak.files import remove_abandoned, write_bytes
    from tiebreak.sheets.mending import sheet_to_mend

    if not bad:
        return None
    ending = ".xlsx" if sheet.suffix.lower() == ".xlsx" else ".csv"
    content = sheet_to_mend(bad, ending)
    stem = re.sub(r"-to-mend(-\d+)?$", "", sheet.stem)
    number = 1
    try:
        check_outside(live.folder, sheet)
        while (path := sheet.with_name(f"{stem}-to-mend{f'-{number}' if number > 1 else ''}{ending}")).exists():
            if _has_them(path, content, live):
                remove_abandoned(path.parent)  # if it was killed just after it had written the file
                return path
            number += 1
        write_bytes(path, content)
    except TiebreakError as error:
        return error
    return path


def _has_them(path: Path, content: bytes, live: LiveCampaign) -> bool:
    from tiebreak.sheets.mending import holds_rows
    from tiebreak.sheets.readers import answer_columns

    try:
        return holds_rows(_read(path), content, answer_columns(live.protocol))
    except InputError:
        return False
