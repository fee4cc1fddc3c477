"""What sheets brought, in the terminal and as a JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from tiebreak.cli.terminal import console_for_results, say, say_command
from tiebreak.errors import InputError, Problem, TiebreakError
from tiebreak.live import LiveCampaign
from tiebreak.live.result import headline_of, standing_of
from tiebreak.numbers import counted
from tiebreak.sheets.collecting import CollectedSheet
from tiebreak.sheets.reading import by_cause

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
        say(console, Text.assemble((str(sheet.path), "bold"), f": {_summary(sheet.found, over=over)}"))
        if len(content.people) > 1:
            shares = ", ".join(f"{name} {count:,}" for name, count in sorted(content.people.items()))
            say(console, f"Tasks of {len(content.people)} people are in this sheet: {shares}", style="yellow", indent=2)
        for change in content.changed:
            say(
                console,
                f"task {change.task} (row {change.line}) was answered before: {change.kept!r} stays, "
                f"{change.refused!r} is not taken",
                style="yellow",
                indent=2,
            )
        for task, comment in content.remarks:
            say(console, f"task {task}, not answered: {comment}", indent=2)
        _show_bad(console, live, sheet)
    say(console, headline_of(standing_of(live)))


def _show_bad(console: Console, live: LiveCampaign, sheet: TakenSheet) -> None:
    causes = by_cause(problem for bad in sheet.found.content.bad for problem in bad.problems)
    for problem in causes[:_SHOWN]:
        value = f"{problem.value!r}: " if problem.value else ""
        page = problem.file.removeprefix(str(sheet.path)).removeprefix("#")
        place = f"row {problem.line} of {page}" if page else f"row {problem.line}"
        say(console, f"{place}, {problem.column}: {value}{problem.message}", style="yellow", indent=2, hanging=2)
    if len(causes) > _SHOWN:
        say(console, f"... and {len(causes) - _SHOWN:,} more, all in the file to mend", style="yellow", indent=2)
    if isinstance(sheet.to_mend, Path):
        say(console, f"Mend these rows in {sheet.to_mend}, then:", indent=2)
        say_command(console, "campaign", "collect", live.folder, sheet.to_mend, indent=4)
    elif sheet.to_mend is not None:
        say(console, f"Mend these rows in the sheet itself, and collect it again ({sheet.to_mend})", indent=2)


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
