"""The result of `rank` in the terminal: a leaderboard per criterion, its notes, and how it holds."""

from __future__ import annotations

from typing import Final

from rich.console import Console

from tiebreak.cli.terminal import (
    Cell,
    ShownColumn,
    console_for_results,
    heading,
    name_column,
    say,
    show_closing,
    show_in_two,
    show_table,
)
from tiebreak.messages.notices import notes_and_warnings
from tiebreak.messages.ranks import (
    counts_words,
    ends_words,
    glicko_words,
    next_words,
    paper_sentence,
    place_words,
    scale_words,
    settings_words,
    side_words,
)
from tiebreak.numbers import counted, points
from tiebreak.results.ranks import CriterionRanks, GlickoStanding, RankedSystem, RankResult, Strength

_ROWS: Final = 20
_COLUMNS: Final = (
    ShownColumn("Place", said="{}"),
    ShownColumn("Group", said="group {}"),
    name_column("System"),
    ShownColumn("Rating", said="rating {}"),
    ShownColumn("Interval", said="interval {}"),
    ShownColumn("Tier", said="tier {}"),
)
_GLICKO: Final = ShownColumn("Glicko-2", said="Glicko-2 {}")
_RESTS_ON: Final = (
    ShownColumn("Games", said="{} games"),
    ShownColumn("Opponents", said="{} opponents"),
    ShownColumn("People", said="{} people"),
)


def show_ranks(result: RankResult, console: Console | None = None, *, everything: bool = False) -> None:
    """Print the result to `console` (default: standard output); `everything`: all rows and sentences."""
    console = console_for_results() if console is None else console
    if result.own_analysis is not None:
        say(console, f"Own analysis: {result.own_analysis}.", style="yellow")
    for found in result.results:
        subject = found.criterion or result.study
        heading(console, f"{subject}: {counts_words(found)}", "bold underline")
        say(console, f"({scale_words(found)})", style="dim")
        for note in found.notes:
            say(console, note.text, style="yellow")
        _show_board(found, console, everything=everything)
        _show_sources(found, console, everything=everything)
    facts = settings_words(result)
    if not everything:
        facts = [fact for fact in facts if fact[0] in ("Intervals", "Glicko-2")]
    sentences = (paper_sentence(found, result) for found in result.results)
    warnings = (notice.text for part in notes_and_warnings(result.warnings) for notice in part)
    show_closing(console, facts, warnings, sentences, everything=everything)


def _show_board(found: CriterionRanks, console: Console, *, everything: bool) -> None:
    ranked = found.davidson.systems
    shown = ranked if everything else ranked[:_ROWS]
    groups = len(found.davidson.references) > 1
    columns = _COLUMNS if found.glicko2 is None else (*_COLUMNS, _GLICKO)
    skills = {} if found.glicko2 is None else {one.system: one for one in found.glicko2.systems}
    boards = [_standing(one, skills.get(one.system), groups=groups) for one in shown]
    rests = [(one.games, one.opponents, one.annotators or "") for one in shown]
    rows = [(*board, *rest) for board, rest in zip(boards, rests, strict=True)]
    apart = show_in_two(console, (*columns, *_RESTS_ON), rows, len(columns)) == len(columns)
    _more(console, len(ranked) - len(shown))
    if told := f"{glicko_words(found)} {side_words(found)}".strip():
        say(console, told)
    say(console, next_words(found))
    if apart:
        say(console)
        rest_columns = (name_column("Rating of"), *_RESTS_ON)
        show_table(console, rest_columns, [(one.system, *rest) for one, rest in zip(shown, rests, strict=True)])


def _standing(one: RankedSystem, skill: GlickoStanding | None, *, groups: bool) -> tuple[Cell, ...]:
    """Cells of `_COLUMNS`, and of `_GLICKO` where there is a tournament."""
    return (
        place_words(one),
        one.group if groups else "",
        one.system,
        points(one.strength.rating),
        ends_words(one.strength),
        "-" if one.tier is None else str(one.tier),
        *([] if skill is None else [f"{points(skill.rating)} ± {points(skill.deviation)}"]),
    )


def _show_sources(found: CriterionRanks, console: Console, *, everything: bool) -> None:
    """The ratings by each source alone."""
    apart = [source for source in found.sources if source.systems is not None]
    if not apart:
        return
    say(console)
    by_source: list[dict[str, Strength]] = [{one.system: one for one in source.systems or ()} for source in apart]
    columns = [name_column("System")]
    columns += [ShownColumn(f"By {source.source}", said=f"by {source.source} {{}}") for source in apart]
    ranked = found.davidson.systems
    shown = ranked if everything else ranked[:_ROWS]
    rows = [(one.system, *(_cell(known.get(one.system)) for known in by_source)) for one in shown]
    show_table(console, columns, rows)
    _more(console, len(ranked) - len(shown))


def _cell(one: Strength | None) -> str:
    return "-" if one is None else f"{points(one.rating)} {ends_words(one)}"


def _more(console: Console, count: int) -> None:
    if count > 0:
        say(console, f"... and {counted(count, 'more system')}: --all shows all", style="dim")
