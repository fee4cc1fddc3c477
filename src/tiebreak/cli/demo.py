"""`tiebreak demo`: an example study with a known truth, compared, and checked against it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from tiebreak.cli.compare import show_comparison
from tiebreak.cli.estimate import show_estimates
from tiebreak.cli.setting_options import JsonOption, with_settings
from tiebreak.cli.terminal import Name, Terminal, Words, console_for_results, write_json
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.demo.ratings import MODEL, demo_ratings
from tiebreak.demo.study import DemoSettings, demo_study
from tiebreak.demo.truth import TruthCheck, check_against_truth
from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate
from tiebreak.files import write_bytes
from tiebreak.numbers import interval, number
from tiebreak.report.document import html
from tiebreak.results.estimates import EstimateResult

_TRUTH_FILE = "truth.json"
_REPORT_FILE = "report.html"


@with_settings(DemoSettings)
def demo_command(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Where to write the example study.")] = Path(
        "tiebreak-demo"
    ),
    *,
    settings: DemoSettings,
    as_json: JsonOption = False,
) -> None:
    """Write an example study with a known truth, compare its four systems, and check the verdicts against the truth.

    With --ratings people rate a quarter of the outputs, and the mean ratings are estimated.

    The systems turn records into sentences, and make visible mistakes at different rates; two of them are equally
    good. The labels come from simulated annotators.

    Example: tiebreak demo my-demo && tiebreak compare my-demo --margin 0.2
    """
    _refuse_foreign_folder(folder)
    if settings.ratings:
        _with_ratings(folder, settings, as_json=as_json)
        return
    demo = demo_study(seed=settings.seed, items=settings.number_of_items)
    write_study(demo.study, folder, overwrite=True)
    write_bytes(folder / _TRUTH_FILE, (json.dumps(demo.truth.to_dict(), indent=2) + "\n").encode())
    result = compare(replace(demo.study, path=folder))
    html(result, folder / _REPORT_FILE)
    checks = check_against_truth(result, demo.truth)
    if as_json:
        truth = [check.to_dict() for check in checks]
        write_json({"folder": str(folder), "comparison": result.to_dict(), "truth": truth})
        return
    console = console_for_results()
    show_comparison(result, console)
    _show_truth(checks, console)
    _show_example(demo.study, console)
    _show_next(folder, console, "compare")


def _with_ratings(folder: Path, settings: DemoSettings, *, as_json: bool) -> None:
    """The same with ratings: estimates beside the true means."""
    demo = demo_ratings(seed=settings.seed, items=settings.number_of_items)
    write_study(demo.study, folder, overwrite=True)
    truth = {"seed": settings.seed, "means": demo.means}
    write_bytes(folder / _TRUTH_FILE, (json.dumps(truth, indent=2) + "\n").encode())
    result = estimate(demo.study, metrics=(MODEL,))
    if as_json:
        write_json({"folder": str(folder), "estimates": result.to_dict(), "truth": demo.means})
        return
    console = console_for_results()
    show_estimates(result, console)
    _show_true_means(result, demo.means, console)
    _show_example(demo.study, console)
    _show_next(folder, console, "estimate")


def _show_true_means(result: EstimateResult, means: dict[str, float], console: Terminal) -> None:
    console.heading("Against the truth (known here, because the annotators are simulated)")
    rows = []
    for system, low, high in result.systems.select("system", "low", "high").iter_rows():
        held = low <= means[system] <= high
        words = Text("holds", style="green") if held else Text("misses the truth", style="bold red")
        rows.append((system, number(means[system]), interval(low, high), words))
    columns = [Name("System"), "True mean", "Interval", Words("")]
    console.table(columns, rows)


def _refuse_foreign_folder(folder: Path) -> None:
    """Only an empty or missing folder, or an earlier demo, may be written over."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder that does not exist yet")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _TRUTH_FILE).is_file():
        raise UsageError(f"{folder} exists and is not a demo of tiebreak; name a folder that does not exist yet")


def _show_truth(checks: list[TruthCheck], console: Terminal) -> None:
    console.heading("Against the truth (known here, because the annotators are simulated)")
    columns = [Name("Pair"), "True difference", "Interval", Words("Verdict")]
    style = {True: "green", False: "bold red", None: "dim"}
    rows = []
    for check in sorted(checks, key=lambda of: -abs(of.truth)):
        # The better system first, as everywhere.
        turned = check.truth < 0
        systems = (check.system_b, check.system_a) if turned else (check.system_a, check.system_b)
        low, high = (-check.high, -check.low) if turned else (check.low, check.high)
        words = Text(check.words, style=style[check.right])
        rows.append((" : ".join(systems), number(abs(check.truth)), interval(low, high), words))
    console.table(columns, rows)


def _show_example(study: Study, console: Terminal) -> None:
    """One item on which the systems differ, so that the reader sees what was compared."""
    if study.items is None or study.outputs is None:
        return
    console.heading(f"One of the {study.items.height} items")
    outputs = study.outputs.group_by("item", maintain_order=True).agg("system", "text")
    row = max(outputs.head(12).iter_rows(named=True), key=lambda row: len(set(row["text"])))
    item = study.items.filter(study.items["item"] == row["item"]).row(0, named=True)
    console.fact("input", item["input"], style="dim", indent=2)
    for system, text in zip(row["system"], row["text"], strict=True):
        console.fact(system, text, indent=2)


def _show_next(folder: Path, console: Terminal, verb: str) -> None:
    pictures = f"; {folder / _REPORT_FILE} has its pictures" if verb == "compare" else ""
    console.say()
    console.say(f"This study is in {folder}{pictures}. Now bring your own:")
    console.command("import", "YOUR_SHEET.csv", "my-study", indent=2)
    console.command("check", "my-study", indent=2)
    console.command(verb, "my-study", indent=2)
