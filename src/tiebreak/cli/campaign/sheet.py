"""`tiebreak campaign sheet`: tasks for one person, as a spreadsheet.

`tiebreak campaign collect`: the answers of sheets that came back.

What sheets brought, in the terminal and as a JSON document.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.text import Text

from tiebreak.campaign import sheet_size
from tiebreak.campaign.labelling import LABELLING_POLICIES
from tiebreak.campaign.openings import affordable_labels
from tiebreak.campaign.verdicts import why_ended
from tiebreak.cli.campaign.options import CampaignArgument, check_outside, now, one_line, read_bytes
from tiebreak.cli.setting_options import JsonOption, argument, option, with_settings
from tiebreak.cli.terminal import Terminal, console_for_messages, console_for_results, stdin_is_terminal, write_json
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.files import check_place, remove_abandoned, write_bytes
from tiebreak.live import LiveCampaign, open_campaign
from tiebreak.live.accounts import why_excluded
from tiebreak.live.answers import nearly_known
from tiebreak.live.result import headline_of, standing_of
from tiebreak.numbers import command, counted, printable
from tiebreak.sheets.collecting import CollectedSheet, collect_sheet, holds_rows, sheet_to_mend
from tiebreak.sheets.handing_out import FORMATS, HandedOut, hand_out, open_again, take_back
from tiebreak.sheets.reading import BadRow, answer_columns, by_cause, parse_answers
from tiebreak.sheets.workbook import SheetSettings, tasks_too_long_to_see


@with_settings(SheetSettings)
def sheet_command(
    campaign: CampaignArgument,
    annotator: Annotated[str, option("The person whom it is for.", "NAME")],
    out: Annotated[Path, option("The new sheet, .xlsx or .csv.", "FILE", "--out", "-o")],
    settings: SheetSettings,
    again: Annotated[
        bool, option("Write the tasks once more that this person has and has not answered.", "", "--again")
    ] = False,
    new: Annotated[bool, option("This is somebody new, though the name is nearly a known one.", "", "--new")] = False,
    overwrite: Annotated[bool, option("Replace the file if it is there.", "", "--overwrite")] = False,
    as_json: JsonOption = False,
) -> None:
    """Hand out tasks to a person, and write them as a sheet: an Excel workbook, or CSV.

    A new name that is nearly a known one is asked about first; --new says that it is somebody else. The tasks are new
    ones, also where this person has an earlier sheet; --again writes the open ones of earlier sheets
    once more instead. First come those that hold up the answers of others. No part of the sheet names a system.

    Example: tiebreak campaign sheet my-campaign --annotator ann -o ann-1.xlsx
    """
    ending = out.suffix.lower()
    if ending not in FORMATS:
        raise UsageError(f"cannot write {out}: a sheet ends in {' or '.join(FORMATS)}")
    check_place(out)
    check_outside(campaign, out)
    if out.exists() and not overwrite:
        raise UsageError(f"{out} exists already, and may hold answers; name another file, or pass --overwrite")
    name = one_line(annotator)
    if not name:
        raise UsageError("--annotator must name a person")
    live = open_campaign(campaign)
    known = live.state.annotators
    near = None if name in known else nearly_known(name, known)
    if near is not None and not again and not new:
        _check_new(name, near, ask=not as_json)
    if again:
        sheet = open_again(live, name, ending=ending)
        if not sheet.content.tasks:
            meant = "" if near is None else f": did you mean {near}?"
            raise TiebreakError(f"{name} has no open tasks{meant}; without --again they get new ones")
    else:
        sheet = hand_out(live, name, settings.number, now=now(), ending=ending)
        if not sheet.content.tasks:
            raise TiebreakError(_nothing_to_do(live, name, sized=settings.number is None))
    _write(live, sheet, out)
    asked = settings.number or 0
    fewer = _nothing_to_do(live, name, sized=False) if not again and len(sheet.fresh) < asked else None
    if as_json:
        tasks = {"tasks": [task.task for task in sheet.content.tasks], "new": len(sheet.fresh)}
        about = {"expired": sheet.expired, "fewer_because": fewer}
        write_json({"sheet": str(out), "annotator": name} | tasks | about)
    else:
        _show(live, sheet, out, name, again=again, fewer=fewer, sized=settings.number is None and not again)


def _write(live: LiveCampaign, sheet: HandedOut, out: Path) -> None:
    """The tasks are handed out by now: if the file cannot be written, they come back."""
    try:
        write_bytes(out, sheet.file)
    except BaseException:
        take_back(live, [task.task for task in sheet.fresh], now=now(), reason="the sheet could not be written")
        raise


def _check_new(name: str, near: str, *, ask: bool) -> None:
    """Under two names one person has two people's tasks, and counts as two: ask before any go out."""
    if ask and stdin_is_terminal():
        if typer.confirm(printable(f"{name} is new here, and {near} is known. Is {name} somebody else?")):
            return
        raise UsageError(f"nothing was handed out; for {near} pass --annotator {shlex.quote(near)}")
    raise UsageError(
        f"{name} is new here, and {near} is known: nothing was handed out. For the same person pass --annotator "
        f"{shlex.quote(near)}; for somebody new add --new"
    )


def _nothing_to_do(live: LiveCampaign, name: str, *, sized: bool) -> str:
    """Why there are no tasks, or no more of them, for this person; `sized`: none of as many as there should be."""
    state = live.state
    if state.ended is not None:
        return f"the campaign is over: {why_ended(state)}; see {command('campaign', 'status', live.folder)}"
    if state.paused:
        return f"the campaign is paused; to go on: {command('campaign', 'pause', live.folder, '--go-on')}"
    if state.is_excluded(name):
        why = why_excluded(state, live.ledger, name)
        return f"{name} gets no more tasks" + (f": {why}" if why else ", because somebody excluded them")
    most, person = state.protocol.people.labels_per_person, state.annotators.get(name)
    if most is not None and person is not None and person.labels + person.open >= most:
        return f"{name} has all the tasks that one person may have ({most:,})"
    own = person.open if person is not None else 0
    others = len(state.tasks) - own
    parts = [f"{counted(own, 'task')} of {name}'s own"] if own else []
    if others or not own:
        parts.append(f"{counted(others, 'task')} of other people")
    out = f"{' and '.join(parts)} {'is' if own + others == 1 else 'are'} out"
    if affordable_labels(state) < state.plan.least_labels:
        return f"what the budget leaves cannot complete another item now: {out}"
    if sized and sheet_size(state, name) == 0:
        return (
            f"enough is out for now: {out}, and more labels would wait for these. Collect those sheets; what stays out "
            "for much longer than usual goes to whoever comes next. To hand out more all the same: -n N"
        )
    rule = ""
    if LABELLING_POLICIES[state.protocol.labels.labelling].same_annotator:
        rule = ", and one person labels all items of a pair"
    elif state.protocol.pairs.open is not None:
        rule = f", and at most {counted(state.protocol.pairs.open, 'item')} of a pair may be open at once"
    helps = "somebody else has to label what is left"
    if own or others:
        helps = f"collect {'the sheets' if others else 'that sheet'}, or wait until they expire"
    return f"there is nothing more for {name} to label now: {out}{rule}; {helps}"


def _show(
    live: LiveCampaign, sheet: HandedOut, out: Path, name: str, *, again: bool, fewer: str | None, sized: bool
) -> None:
    console, rows = console_for_results(), len(sheet.content.tasks)
    console.say(f"Wrote {out}: {counted(rows, 'task')} for {name}" + (" again" if again else ""))
    if sized:
        console.say("More tasks now would wait for the answers of other people; -n N hands out more all the same.")
    if fewer is not None:
        console.say(f"Fewer than asked for: {fewer}", style="yellow")
    earlier = len(live.ledger.open_tasks(name)) - rows
    if earlier and not again:
        console.say(
            f"{counted(earlier, 'task')} of earlier sheets {'is' if earlier == 1 else 'are'} open too (--again)"
        )
    if sheet.expired:
        console.say(f"{counted(sheet.expired, 'task')} had been out for too long, and will be asked of others")
    long = tasks_too_long_to_see(sheet.content)
    if long and out.suffix.lower() == ".xlsx":
        console.say(f"{counted(long, 'task')} cannot be seen whole in one row: people have to open the cells to read")
    if out.suffix.lower() == ".csv" and sheet.content.instructions.strip():
        console.say("A CSV file has no page for the instructions: send them along")
    console.command("campaign", "collect", live.folder, out, before="When it comes back: ")


_IN_PART = 4


def collect_command(
    campaign: CampaignArgument,
    sheets: Annotated[list[Path], argument("Sheets that came back, .xlsx or .csv.", "SHEET")],
    answer: Annotated[
        list[str] | None,
        option("What an answer means that is not understood; repeatable.", "WORDS=first|second|tie|skip"),
    ] = None,
    columns: Annotated[
        list[str] | None,
        option(
            "Column that is task, answer, seconds or comment, where it was renamed; repeatable.", "NAME=COLUMN", "--map"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Take in the answers of sheets, in any order, filled in partly, and as often as you like.

    A sheet is taken row by row: what can be understood counts at once. The other rows are listed and written to a
    second file, to be mended and collected in its turn; the exit code is then 4. Tasks without an answer go to whoever
    comes next. The first answer to a task counts; a later one that differs is shown and not taken.

    Example: tiebreak campaign collect my-campaign ann-1.xlsx bo-1.csv
    """
    words = parse_answers(answer or ())
    live = open_campaign(campaign)
    taken: list[TakenSheet] = []
    refused: list[tuple[Path, InputError]] = []
    for sheet in sheets:
        try:
            found = collect_sheet(live, read_bytes(sheet), str(sheet), at=now(), words=words, columns=columns or ())
        except InputError as error:
            refused.append((sheet, error))
        else:
            taken.append(TakenSheet(sheet, found, _to_mend(live, sheet, found.content.bad)))
    if as_json:
        write_json(collected_document(live, taken, refused))
    else:
        show_collected(live, taken)
    if refused:
        what = "1 sheet was" if len(refused) == 1 else f"{len(refused)} sheets were"
        said = "\n".join(str(error) for _, error in refused)
        console_for_messages().say_each(f"tiebreak: {what} not taken.\n{said}".split("\n"), hanging=2)
    if taken and (refused or not all(one.found.content.is_complete for one in taken)):
        raise typer.Exit(_IN_PART)
    if refused:
        raise typer.Exit(1)


def _to_mend(live: LiveCampaign, sheet: Path, bad: tuple[BadRow, ...]) -> Path | TiebreakError | None:
    """The file with these rows, beside the sheet; why there is none; None if there are no rows. A file that is there is
    never written over, as somebody may have mended it; one that has these rows already is used.
    """
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
    try:
        return holds_rows(read_bytes(path), content, answer_columns(live.protocol))
    except InputError:
        return False


_SHOWN: Final = 10


@dataclass(frozen=True, slots=True)
class TakenSheet:
    """A sheet that was read. `to_mend`: the file with the rows that were not taken, or why it could not be written."""

    path: Path
    found: CollectedSheet
    to_mend: Path | TiebreakError | None


def collected_document(
    live: LiveCampaign, taken: Sequence[TakenSheet], refused: Sequence[tuple[Path, InputError]]
) -> dict[str, object]:
    """For programs."""
    return {
        "campaign": str(live.folder),
        "sheets": [_sheet_document(sheet) for sheet in taken],
        "refused": [
            {"sheet": str(path), "problems": [_problem_document(problem) for problem in error.problems]}
            for path, error in refused
        ],
        "labels": live.state.labels,
        "ended": live.state.ended,
    }


def _sheet_document(sheet: TakenSheet) -> dict[str, object]:
    found, content = sheet.found, sheet.found.content
    return {
        "sheet": str(sheet.path),
        "new": len(content.labels),
        "late": found.late,
        "known": content.known,
        "changed": [asdict(change) for change in content.changed],
        "empty": len(content.empty),
        "withdrawn": content.withdrawn,
        "returned": found.returned,
        "remarks": [{"task": task, "comment": comment} for task, comment in content.remarks],
        "not_taken": [
            {"task": bad.row.task, "row": bad.row.line, "problems": [_problem_document(one) for one in bad.problems]}
            for bad in content.bad
        ],
        "to_mend": str(sheet.to_mend) if isinstance(sheet.to_mend, Path) else None,
        "settled": content.settled,
        "seconds_ignored": content.no_seconds,
        "comments_lost": content.no_comment,
        "people": dict(content.people),
    }


def _problem_document(problem: Problem) -> dict[str, Any]:
    return {"row": problem.line, "column": problem.column, "value": problem.value, "message": problem.message}


def show_collected(live: LiveCampaign, taken: Sequence[TakenSheet]) -> None:
    """For people."""
    console, over = console_for_results(), live.state.ended is not None
    for sheet in taken:
        content = sheet.found.content
        console.say(Text.assemble((str(sheet.path), "bold"), f": {_summary(sheet.found, over=over)}"))
        if len(content.people) > 1:
            shares = ", ".join(f"{name} {count:,}" for name, count in sorted(content.people.items()))
            console.say(f"Tasks of {len(content.people)} people are in this sheet: {shares}", style="yellow", indent=2)
        for of in content.changed:
            before = f"task {of.task} (row {of.line}) was answered before"
            console.say(f"{before}: {of.kept!r} stays, {of.refused!r} is not taken", style="yellow", indent=2)
        for task, comment in content.remarks:
            console.say(f"task {task}, not answered: {comment}", indent=2)
        _show_bad(console, live, sheet)
    console.say(headline_of(standing_of(live)))


def _show_bad(console: Terminal, live: LiveCampaign, sheet: TakenSheet) -> None:
    causes = by_cause(problem for bad in sheet.found.content.bad for problem in bad.problems)
    for problem in causes[:_SHOWN]:
        value = f"{problem.value!r}: " if problem.value else ""
        page = problem.file.removeprefix(str(sheet.path)).removeprefix("#")
        place = f"row {problem.line} of {page}" if page else f"row {problem.line}"
        console.say(f"{place}, {problem.column}: {value}{problem.message}", style="yellow", indent=2, hanging=2)
    if len(causes) > _SHOWN:
        console.say(f"... and {len(causes) - _SHOWN:,} more, all in the file to mend", style="yellow", indent=2)
    if isinstance(sheet.to_mend, Path):
        console.say(f"Mend these rows in {sheet.to_mend}, then:", indent=2)
        console.command("campaign", "collect", live.folder, sheet.to_mend, indent=4)
    elif sheet.to_mend is not None:
        console.say(f"Mend these rows in the sheet itself, and collect it again ({sheet.to_mend})", indent=2)


def _summary(found: CollectedSheet, *, over: bool) -> str:
    content = found.content
    parts = [counted(len(content.labels), "new label")]
    if found.late:
        parts.append(f"{found.late:,} of them too late to count (kept and paid)")
    if content.no_seconds:
        parts.append(f"{content.no_seconds:,} of them without seconds (what stands there is no number of seconds)")
    if content.no_comment:
        parts.append(f"{content.no_comment:,} of them without the comment (a formula without a value)")
    if content.known:
        parts.append(f"{content.known:,} already known")
    if content.settled:
        parts.append(f"{counted(content.settled, 'row')} not understood whose tasks have an answer")
    if content.bad:
        parts.append(f"{counted(len(content.bad), 'row')} not taken")
    if content.changed:
        parts.append(f"{len(content.changed):,} changed (not taken)")
    if content.empty:
        parts.append(f"{len(content.empty):,} not answered{'' if over else ', for whoever comes next'}")
    if content.withdrawn:
        one = content.withdrawn == 1
        parts.append(
            f"{counted(content.withdrawn, 'task')} whose item{' was' if one else 's were'} withdrawn "
            "(answers are kept and paid, and no evidence)"
        )
    return ", ".join(parts)
