"""An evaluator in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tiebreak.cli.tables import Column, name_column, show_table
from tiebreak.cli.terminal import bullets, console_for_results, heading, say
from tiebreak.results.numbers import counted

if TYPE_CHECKING:
    from tiebreak.scoring.evaluator.during.follow import Follower
    from tiebreak.scoring.evaluator.judging import Judged
    from tiebreak.scoring.evaluator.probes import Probed

_WHAT: Final = {"strong": "references", "weak": "checkpoints", "human": "people"}


def show_trained(folder: Path, made: list[dict[str, Any]]) -> None:
    """What each was trained on, and how good it is where it did not learn."""
    console = console_for_results()
    for about in made:
        fold = about["fold"]
        heading(console, f"{folder}" if fold is None else f"{folder}: fold {fold + 1}")
        say(console, about["signature"], style="dim")
        columns = [
            name_column("Learned from"), Column("Pairs"), Column("Held out"), Column("Two-way"), Column("Three-way"),
            Column("Ties told"), Column("Ties answered"), Column("Flips"),
        ]  # fmt: skip
        rows = []
        for source, count in about["examples"]["pairs"].items():
            of = about["measured"][source]
            shares = (_share(of[name]) for name in ("two_way", "three_way", "ties_told", "ties_predicted", "flips"))
            rows.append((_WHAT[source], f"{count:,}", f"{of['pairs']:,}", *shares))
        show_table(console, columns, rows)
        bullets(console, about["notes"])
    say(
        console,
        f"Two-way: of the held-out pairs that are decided, the share whose better text it finds. "
        f"{counted(len(made), 'evaluator')} in {folder}; judge with it: tiebreak evaluator judge STUDY {folder}",
    )


def show_judged(found: Judged, study: Path) -> None:
    """How many pairs, and what next."""
    console = console_for_results()
    numbers = found.to_dict()
    say(
        console, f"{found.judge}: {counted(found.preferences.height, 'pair')} judged, {numbers['ties']:,} of them ties."
    )
    if found.known:
        say(console, f"{counted(found.known, 'pair')} it had judged before.")
    if found.identical:
        say(console, f"{counted(found.identical, 'pair')} of identical texts: ties, without reading them.")
    say(console, f"Next: tiebreak audit {study} --judge {found.judge}; tiebreak compare {study} --judge {found.judge}")


def show_followed(follower: Follower) -> None:
    """The counts of each checkpoint, and what to do."""
    console = console_for_results()
    columns = [name_column("Checkpoint"), Column("Wins"), Column("Ties"), Column("Losses"), Column("")]
    rows = [
        (name, f"{check.wins:,}", f"{check.ties:,}", f"{check.losses:,}", "worse" if check.is_worse else "")
        for name, check in zip(follower.names[1:], follower.checks, strict=False)
    ]
    show_table(console, columns, rows)
    if follower.stopped is None:
        say(console, f"Go on: rule {follower.settings.rule} does not stop yet. To be kept so far: {follower.best}")
        return
    name = follower.names[follower.stopped.after + 1]
    say(console, f"Stop: rule {follower.settings.rule} is met after {name}. Keep {follower.best}.", style="bold")


def show_probed(found: Sequence[Probed]) -> None:
    """Right answers by kind, and those that are wrong."""
    console = console_for_results()
    kinds = list(dict.fromkeys(one.probe.kind for one in found))
    rows = []
    for kind in kinds:
        mine = [one for one in found if one.probe.kind == kind]
        answers = Counter(one.answer for one in mine)
        rows.append(
            (kind, str(len(mine)), str(sum(one.is_right for one in mine)), str(answers["tie"]),
             str(sum(one.flips for one in mine)))
        )  # fmt: skip
    show_table(console, [name_column("Probe"), Column("Asked"), Column("Right"), Column("Ties"), Column("Flips")], rows)
    say(console, f"{sum(one.is_right for one in found)} of {len(found)} right. Wrong:")
    for one in found:
        if not one.is_right:
            better = {"a": f"{one.probe.a!r} is better", "b": f"{one.probe.b!r} is better", "tie": "a tie"}
            said = "answers change with the order" if one.flips else better[one.answer]
            say(console, f"{one.probe.context} {said}, but {better[one.probe.expected]}.", indent=2, hanging=2)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}%"
