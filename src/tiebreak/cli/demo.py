"""`tiebreak demo`: an example study with a known truth, compared, and checked against it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiebreak.cli.number_options import whole

if TYPE_CHECKING:
    from rich.console import Console

    from tiebreak.demo.check import TruthCheck
    from tiebreak.demo.study import DemoStudy

_TRUTH_FILE = "truth.json"
_REPORT_FILE = "report.html"


def demo_command(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="Where to write the example study.")] = Path(
        "tiebreak-demo"
    ),
    seed: Annotated[
        int, typer.Option(metavar="N", help="Seed of the study: another seed, another study.", parser=whole("--seed"))
    ] = 1,
    number_of_items: Annotated[
        int, typer.Option(metavar="N", help="Number of items.", parser=whole("--number-of-items"))
    ] = 300,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write an example study with a known truth, compare its four systems, and check the verdicts against the truth.

    The systems turn records into sentences, and make visible mistakes at different rates; two of them are equally
    good. The labels come from simulated annotators.

    Example: tiebreak demo my-demo && tiebreak compare my-demo --margin 0.2
    """
    from dataclasses import replace

    from tiebreak.cli.show_comparison import show_comparison
    from tiebreak.cli.terminal import console_for_results
    from tiebreak.comparison.compare import compare
    from tiebreak.data.writers import write_study
    from tiebreak.demo.check import check_against_truth
    from tiebreak.demo.study import demo_study
    from tiebreak.report.document import html

    _refuse_foreign_folder(folder)
    demo = demo_study(seed=seed, items=number_of_items)
    write_study(demo.study, folder, overwrite=True)
    (folder / _TRUTH_FILE).write_text(json.dumps(demo.truth.to_dict(), indent=2) + "\n", encoding="utf-8")
    result = compare(replace(demo.study, path=folder))
    report = folder / _REPORT_FILE
    html(result, report)
    checks = check_against_truth(result, demo.truth)
    if as_json:
        document = {
            "folder": str(folder),
            "comparison": result.to_dict(),
            "truth": [check.to_dict() for check in checks],
        }
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
        return
    console = console_for_results()
    _show_example(demo, folder, console)
    show_comparison(result, console)
    _show_truth(checks, folder, console)


def _refuse_foreign_folder(folder: Path) -> None:
    """Only an empty or missing folder, or an earlier demo, may be written over."""
    from tiebreak.errors import UsageError

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder that does not exist yet")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _TRUTH_FILE).is_file():
        raise UsageError(f"{folder} exists and is not a demo of tiebreak; name a folder that does not exist yet")


def _show_example(demo: DemoStudy, folder: Path, console: Console) -> None:
    """One item on which the systems differ, so that the reader sees what is being compared."""
    from rich.markup import escape
    from rich.table import Table
    from rich.text import Text

    study = demo.study
    if study.items is None or study.outputs is None:
        return
    console.print(f"Wrote an example study to [bold]{escape(str(folder))}[/]. One of its {study.items.height} items:\n")
    outputs = study.outputs.group_by("item", maintain_order=True).agg("system", "text")
    row = max(outputs.head(12).iter_rows(named=True), key=lambda row: len(set(row["text"])))
    item = study.items.filter(study.items["item"] == row["item"]).row(0, named=True)
    table = Table.grid(padding=(0, 2))
    table.add_row(Text("input", style="dim"), Text(item["input"]))
    for system, text in zip(row["system"], row["text"], strict=True):
        table.add_row(Text(system, style="bold"), Text(text))
    console.print(table)
    console.print()


def _show_truth(checks: list[TruthCheck], folder: Path, console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.markup import escape
    from rich.table import Table

    from tiebreak.results.numbers import number

    console.print("\n[bold]Against the truth[/] (known here, because the annotators are simulated)")
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name, justify in (
        ("A", "left"),
        ("B", "left"),
        ("true A minus B", "right"),
        ("interval", "left"),
        ("", "left"),
    ):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]
    for check in checks:
        style = {True: "green", False: "bold red", None: "dim"}[check.right]
        interval = f"\\[{number(check.low)}, {number(check.high)}]"
        table.add_row(check.system_a, check.system_b, number(check.truth), interval, f"[{style}]{check.words}[/]")
    console.print(table)
    console.print(
        f"\nNext: look at the files in {escape(str(folder))}, open {escape(str(folder / _REPORT_FILE))}, "
        "then bring your own:\n"
        "  tiebreak import csv YOUR_SHEET.csv my-study     from a spreadsheet\n"
        "  tiebreak doctor my-study                        what the data supports\n"
        "  tiebreak compare my-study                       the verdicts"
    )
