"""`tiebreak check`: what a study holds, what can be computed, and what looks wrong, on one screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Final

from rich.text import Text

from tiebreak.checks.holdings import Holdings, SystemHolding
from tiebreak.checks.study_check import StudyCheck, check
from tiebreak.cli.setting_options import StrictOption, StudyArgument, option
from tiebreak.cli.terminal import Terminal, console_for_results, sentence
from tiebreak.cli.writing import print_result
from tiebreak.live.export import origin_of
from tiebreak.numbers import counted, in_percent, some_names, some_parts
from tiebreak.places import labels_that_count, place_at, study_at
from tiebreak.settings.checks import read_names


def check_command(
    study: StudyArgument,
    annotators: Annotated[
        list[str] | None, option("Only these people, such as 'expert_*'; repeatable.", "GLOB")
    ] = None,
    exclude: Annotated[list[str] | None, option("Leave out these people, such as 'bot_*'; repeatable.", "GLOB")] = None,
    systems: Annotated[str | None, option("Only these systems.", "A,B,...")] = None,
    strict: StrictOption = False,
    as_json: Annotated[bool, option("Print one JSON document, with every system.", "", "--json")] = False,
) -> None:
    """Check a study before comparing: what it holds, what can be computed, and what looks wrong.

    Changes nothing.

    Example: tiebreak check my-study --annotators 'expert_*'
    """
    kind = place_at(study).kind
    campaign = origin_of(study).campaign if kind == "export" else None
    chosen, left_out = labels_that_count(study_at(study, strict=strict))
    chosen = replace(chosen, notices=(*chosen.notices, *left_out))
    if systems is not None or annotators or exclude:
        wanted = None if systems is None else read_names(systems)
        chosen = chosen.select(systems=wanted, annotators=annotators or None, exclude=exclude or None)
    checked = replace(check(chosen, campaign), watched=kind == "watched")
    print_result(checked, show_check, as_json=as_json)
    if kind == "study" and not as_json:
        show_next(checked, study)


_SUPPORTS: Final = {
    "compare": "compare",
    "estimate": "estimate",
    "derived": "Derived criteria",
    "agreement": "Agreement of annotators",
    "audit": "audit",
    "evaluator": "evaluator train",
}


def show_check(checked: StudyCheck, console: Terminal) -> None:
    """Print the findings; long lists are cut, and `--json` has them all."""
    held = checked.holds
    labels = "no human labels"
    if held.human_labels:
        labels = f"{counted(held.human_labels, 'label')} by {counted(len(held.annotators), 'annotator')}"
    parts = [counted(held.candidates, "system"), counted(held.items, "item"), counted(held.outputs, "output"), labels]
    console.say(Text.assemble((f"{checked.study}: ", "bold"), ", ".join(parts)))
    if checked.watched:
        console.say("This study is watched: compare shows the verdicts of its last look.", style="yellow")
    if checked.campaign is not None:
        text = f"This is an export of the campaign {checked.campaign}: compare shows the campaign's own verdicts."
        console.say(text, style="yellow")
    console.say()
    for name, text in _holdings(held):
        console.fact(name, text)
    console.heading("What can be computed")
    for found in checked.supports:
        mark = ("yes ", "green") if found.possible else ("no  ", "yellow")
        console.say(Text.assemble(mark, (f"{_SUPPORTS[found.name]}: ", "bold"), found.why), indent=2, hanging=6)
    console.heading("What looks wrong")
    console.bullets([sentence(notice.text) for notice in checked.looks_wrong] or ["Nothing."], indent=2)


def show_next(checked: StudyCheck, study: Path) -> None:
    """The commands that the study supports."""
    able = [found.name for found in checked.supports if found.possible]
    console = console_for_results()
    for name in [name for name in ("compare", "estimate", "audit") if name in able]:
        console.command(name, study, before="Next: " if name == "compare" or "compare" not in able else "Or: ")


def _holdings(held: Holdings) -> Iterable[tuple[str, str]]:
    """A name and what the study holds of it."""
    if held.systems:
        references = [of.system for of in held.systems if not of.candidate]
        beside = f"; for reference: {some_names(references)}" if references else ""
        yield "Systems", some_names([of.system for of in held.systems if of.candidate]) + beside
    if held.outputs:
        yield "Outputs", _outputs(held.systems)
    if held.inputs or held.references:
        counts = ((held.inputs, "with an input"), (held.references, "with a reference"))
        told = " and ".join(f"{count:,} {what}" for count, what in counts if count)
        yield "Items", f"{held.items:,}, of which {told}"
    if held.clusters is not None:
        yield "Clusters", f"{counted(held.clusters, 'independent unit')}, by {held.clustered_by}"
    for kind, group in groupby(sorted(held.labels, key=lambda of: of.kind), key=lambda of: of.kind):
        found = list(group)
        names = [of.criterion for of in found if of.criterion is not None]
        on = f" on {some_names(names)}" if names else ""
        yield kind.capitalize(), f"{sum(of.labels for of in found):,}{on}"
    if held.annotators:
        yield "Annotators", _annotators(held)
    if held.metrics:
        yield "Metrics", some_parts(_metrics(held))
    if held.judges:
        by_judge = groupby(held.judges, key=lambda of: of.judge)
        yield "Judges", some_parts([f"{name} ({sum(of.replies for of in group):,})" for name, group in by_judge])


def _outputs(systems: Sequence[SystemHolding]) -> str:
    """How many each system has, and which lack some or are blank in some."""
    counts = sorted({of.outputs for of in systems})
    each = f"{counts[0]:,} to {counts[-1]:,} of a system" if len(counts) > 1 else f"{counts[0]:,} of each system"
    parts = [each]
    for what, lacking in (
        ("missing", [f"{of.system} {of.missing:,}" for of in systems if of.missing]),
        ("empty", [f"{of.system} {of.empty:,}" for of in systems if of.empty]),
    ):
        if lacking:
            parts.append(f"{what}: {some_parts(lacking)}")
    return "; ".join(parts)


def _annotators(held: Holdings) -> str:
    """The busiest, with their labels and median seconds."""
    shown = []
    for of in held.annotators:
        seconds = "" if of.median_seconds is None else f" ({of.median_seconds:,.1f} s)"
        shown.append(f"{of.annotator} {of.labels:,}{seconds}")
    return some_parts(shown)


def _metrics(held: Holdings) -> list[str]:
    """Each metric, with the share of outputs scored where that is not all."""
    shown = []
    for name, group in groupby(held.metrics, key=lambda of: of.metric):
        shares = [of.share for of in group if of.share is not None]
        least = min(shares, default=1.0)
        shown.append(name if least >= 1 else f"{name} ({in_percent(least)} of the outputs)")
    return shown
