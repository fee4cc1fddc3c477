"""`tiebreak campaign collect`: the answers of sheets that came back."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.cli.campaign.options import CampaignArgument, now
from tiebreak.errors import InputError, TiebreakError

if TYPE_CHECKING:
    from tiebreak.live import LiveCampaign
    from tiebreak.sheets.collecting import CollectedSheet


def collect_command(
    campaign: CampaignArgument,
    sheets: Annotated[
        list[Path], typer.Argument(metavar="SHEET", help="Sheets that came back, .xlsx or .csv.", show_default=False)
    ],
    final: Annotated[
        bool, typer.Option("--final", help="Unanswered tasks of these sheets are asked of others.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Take in the answers of sheets, in any order, filled in partly, and as often as you like.

    A sheet is taken as a whole or not at all: what does not belong is named with its cell, and nothing of that sheet is
    taken; the others are. The first answer to a task counts; a later one that differs is reported.

    Example: tiebreak campaign collect my-campaign ann-1.xlsx bo-1.csv
    """
    from tiebreak.live import open_campaign
    from tiebreak.sheets.collecting import collect_sheet

    live = open_campaign(campaign)
    taken: list[tuple[Path, CollectedSheet]] = []
    refused: list[InputError] = []
    for sheet in sheets:
        try:
            taken.append((sheet, collect_sheet(live, _read(sheet), str(sheet), at=now(), final=final)))
        except InputError as error:
            refused.append(error)
    if as_json:
        sys.stdout.write(json.dumps(_document(live, taken), ensure_ascii=False) + "\n")
    else:
        _show(live, taken)
    if refused:
        count = sum(error.total for error in refused)
        what = "1 sheet was" if len(refused) == 1 else f"{len(refused)} sheets were"
        problems = "\n".join(map(str, refused))
        raise TiebreakError(
            f"{what} not taken, {count:,} problem{'s' if count != 1 else ''}; correct the file and collect it again.\n"
            f"{problems}"
        )


def _read(path: Path) -> bytes:
    from tiebreak.errors import Problem

    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError([Problem(str(path), f"cannot be read: {error.strerror or error}")]) from error


def _document(live: LiveCampaign, taken: list[tuple[Path, CollectedSheet]]) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "campaign": str(live.folder),
        "sheets": [
            {
                "sheet": str(path),
                "new": len(found.content.labels),
                "late": found.late,
                "known": found.content.known,
                "changed": [asdict(change) for change in found.content.changed],
                "empty": len(found.content.empty),
                "withdrawn": found.content.withdrawn,
                "returned": found.returned,
                "remarks": [{"task": task, "comment": comment} for task, comment in found.content.remarks],
            }
            for path, found in taken
        ],
        "labels": live.state.labels,
        "ended": live.state.ended,
    }


def _show(live: LiveCampaign, taken: list[tuple[Path, CollectedSheet]]) -> None:
    from rich.text import Text

    from tiebreak.cli.campaign.show_status import headline
    from tiebreak.cli.terminal import console_for_results, say
    from tiebreak.live import result_of

    console = console_for_results()
    for path, found in taken:
        say(console, Text.assemble((str(path), "bold"), f": {_summary(found)}"))
        for change in found.content.changed:
            say(
                console,
                f"task {change.task} (row {change.line}) was answered before: {change.kept!r} stays, "
                f"{change.refused!r} is not taken",
                style="yellow",
                indent=2,
            )
        for task, comment in found.content.remarks:
            say(console, f"task {task}, not answered: {comment}", indent=2)
    say(console, headline(result_of(live, with_curves=False)))


def _summary(found: CollectedSheet) -> str:
    from tiebreak.results.numbers import counted

    parts = [counted(len(found.content.labels), "new label")]
    if found.late:
        parts.append(f"{found.late:,} of them too late to count (kept and paid)")
    if found.content.known:
        parts.append(f"{found.content.known:,} already known")
    if found.content.changed:
        parts.append(f"{len(found.content.changed):,} changed (not taken)")
    if found.content.empty:
        parts.append(f"{len(found.content.empty):,} not answered" + (", given back" if found.returned else " yet"))
    if found.content.withdrawn:
        one = found.content.withdrawn == 1
        parts.append(
            f"{counted(found.content.withdrawn, 'task')} whose item{' was' if one else 's were'} withdrawn "
            "(answers are kept and paid, and no evidence)"
        )
    return ", ".join(parts)
