"""`tiebreak rank`: ratings and leaderboards; in the terminal a board per criterion, its notes, and how it holds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Final

from tiebreak.cli.setting_options import (
    AllOption,
    JsonOption,
    OwnAnalysisOption,
    PlaceArgument,
    StrictOption,
    option,
    with_settings,
)
from tiebreak.cli.terminal import Cell, Name, Terminal
from tiebreak.cli.writing import check_files, print_result, write_files
from tiebreak.messages import ranks as messages
from tiebreak.messages.notices import notes_and_warnings
from tiebreak.numbers import points
from tiebreak.places.estimates import rank_at
from tiebreak.report.document import check_report_path
from tiebreak.report.formats import ENDINGS, check_table, write_table
from tiebreak.report.leaderboard import write_leaderboard
from tiebreak.results.ranks import CriterionRanks, GlickoStanding, RankedSystem, RankResult, Strength
from tiebreak.results.settings import RankSettings


@with_settings(RankSettings)
def rank_command(
    study: PlaceArgument,
    settings: RankSettings,
    own_analysis: OwnAnalysisOption = False,
    strict: StrictOption = False,
    everything: AllOption = False,
    as_json: JsonOption = False,
    out: Annotated[Path | None, option(f"Also write the leaderboard: {ENDINGS}.", "FILE")] = None,
    report: Annotated[Path | None, option("Also write the leaderboard with pictures: .html.", "FILE")] = None,
) -> None:
    """Rate every system from comparisons: a leaderboard with intervals, ranges of places and tiers.

    Ratings by Davidson's model, on the Elo scale, from human preferences or ratings, from judges, or from several of
    them. It says what a rating rests on, and where one scale does not fit.

    Example: tiebreak rank my-study --anchor gpt-4 --out leaderboard.tex
    """
    check_files(study, (out, check_table), (report, check_report_path))
    result = rank_at(study, settings, own_analysis=own_analysis, strict=strict)
    write_files((out, partial(write_table, result)), (report, partial(write_leaderboard, result)))
    print_result(result, partial(show_ranks, everything=everything), as_json=as_json)


_ROWS: Final = 20
_COLUMNS: Final = ("Place", "Group", Name("System"), "Rating", "Interval", "Tier")


def show_ranks(result: RankResult, console: Terminal, *, everything: bool = False) -> None:
    """Print the result; `everything`: all rows and sentences."""
    if result.own_analysis is not None:
        console.say(f"Own analysis: {result.own_analysis}.", style="yellow")
    for found in result.results:
        subject = found.criterion or result.study
        console.heading(f"{subject}: {messages.counts_words(found)}", "bold underline")
        console.say(f"({messages.scale_words(found)})", style="dim")
        console.say_each((note.text for note in found.notes), style="yellow")
        _show_board(found, console, everything=everything)
        _show_sources(found, console, everything=everything)
    facts = messages.settings_words(result)
    sentences = (messages.paper_sentence(found, result) for found in result.results)
    warnings = (notice for part in notes_and_warnings(result.warnings) for notice in part)
    console.closing(facts, warnings, sentences, everything=everything, brief=("Intervals", "Glicko-2"))


def _show_board(found: CriterionRanks, console: Terminal, *, everything: bool) -> None:
    ranked, groups = found.davidson.systems, len(found.davidson.references) > 1
    glicko = () if found.glicko2 is None else ("Glicko-2",)
    skills = {} if found.glicko2 is None else {one.system: one for one in found.glicko2.systems}
    boards = [_standing(one, skills.get(one.system), groups=groups) for one in ranked]
    if everything:
        rows = [
            (*board, one.games, one.opponents, one.annotators or "") for one, board in zip(ranked, boards, strict=True)
        ]
        console.table((*_COLUMNS, *glicko, "Games", "Opponents", "People"), rows)
    else:
        console.table((*_COLUMNS, *glicko), boards, most=_ROWS)
    if told := f"{messages.glicko_words(found)} {messages.side_words(found)}".strip():
        console.say(told)
    console.say(messages.next_words(found))


def _standing(one: RankedSystem, skill: GlickoStanding | None, *, groups: bool) -> tuple[Cell, ...]:
    """Cells of `_COLUMNS`, and of Glicko-2 where there is a tournament."""
    return (
        messages.place_words(one),
        one.group if groups else "",
        one.system,
        points(one.strength.rating),
        messages.ends_words(one.strength),
        "-" if one.tier is None else str(one.tier),
        *([] if skill is None else [f"{points(skill.rating)} ± {points(skill.deviation)}"]),
    )


def _show_sources(found: CriterionRanks, console: Terminal, *, everything: bool) -> None:
    """The ratings by each source alone."""
    apart = [source for source in found.sources if source.systems is not None]
    if not apart:
        return
    console.say()
    by_source: list[dict[str, Strength]] = [{one.system: one for one in source.systems or ()} for source in apart]
    columns = [Name("System"), *(f"By {source.source}" for source in apart)]
    rows = [(one.system, *(_cell(known.get(one.system)) for known in by_source)) for one in found.davidson.systems]
    console.table(columns, rows, most=None if everything else _ROWS)


def _cell(one: Strength | None) -> str:
    return "-" if one is None else f"{points(one.rating)} {messages.ends_words(one)}"
