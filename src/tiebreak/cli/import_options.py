"""Options that say what the columns of files are, and the questions at a terminal about those of which it is open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tiebreak.cli.setting_options import option
from tiebreak.cli.terminal import say, stdin_is_terminal
from tiebreak.files import writing
from tiebreak.importers.draft import completed
from tiebreak.importers.fields import FIELDS
from tiebreak.importers.plans import FilePlan, recipe_beside, refuse_open
from tiebreak.importers.recipe import recipe_text
from tiebreak.numbers import printable

RecipeOption = Annotated[list[str] | None, option("A recipe: what the columns of a file are.", "FILE", "--recipe")]
MapOption = Annotated[list[str] | None, option("A field and its column; repeatable.", "FIELD=COLUMN", "--map")]
IgnoreOption = Annotated[list[str] | None, option("A column that is not read; '*': all others.", "COLUMN", "--ignore")]
ValueOption = Annotated[list[str] | None, option("What a cell means; repeatable.", "FIELD:CELL=VALUE", "--value")]
ImportFormatOption = Annotated[
    str | None, option("The tool that wrote the files, where it is known.", "NAME", "--format")
]


def settled(console: Console, plans: Sequence[FilePlan], *, silent: bool, to_stderr: bool) -> tuple[FilePlan, ...]:
    """The plans with nothing left open: asked at a terminal, else written as drafts beside their files.

    Raises:
        UsageError: something is open, and nobody is to be asked and nothing written (`silent`).
        typer.Exit: drafts were written.
    """
    if all(plan.is_whole for plan in plans):
        return tuple(plans)
    if silent:
        refuse_open(plans)
    if stdin_is_terminal():
        plans = [_asked(plan, to_stderr=to_stderr) for plan in plans]
        if all(plan.is_whole for plan in plans):
            return tuple(plans)
    _write_drafts(console, plans)
    raise typer.Exit(1)


def _asked(plan: FilePlan, *, to_stderr: bool) -> FilePlan:
    """The plan with what somebody says of each open column."""
    if plan.draft is None or plan.table is None:
        return plan
    recipe = plan.draft.recipe
    for column, example in plan.draft.open.items():
        question = f"{printable(plan.file)}: what is {printable(column)} ({printable(example)})? A field, or ignore"
        answer = ""
        while answer not in FIELDS and answer != "ignore":
            answer = typer.prompt(question, default="ignore", err=to_stderr).strip()
        mapped, ignored = ((), (column,)) if answer == "ignore" else ((f"{answer}={column}",), ())
        recipe = recipe.with_options(mapped, ignored, (), plan.table.columns)
    for lacking in completed(plan.table, recipe).lacking:
        name, _, what = lacking.partition(": ")
        answer = typer.prompt(f"{printable(plan.file)}: {name} = ({what})", default="", err=to_stderr).strip()
        if answer and name in FIELDS:
            recipe = recipe.with_options((f"{name}={answer}",), (), (), plan.table.columns)
    return replace(plan, draft=completed(plan.table, recipe))


def _write_drafts(console: Console, plans: Sequence[FilePlan]) -> None:
    """A draft beside each file that leaves something open, with what is to be said; one that is there stays."""
    for plan in plans:
        if plan.draft is None or plan.is_whole:
            continue
        say(console)
        say(console, f"{plan.file}: it is not known what these are:", style="bold yellow")
        for column, example in plan.draft.open.items():
            say(console, f"column {column} ({example})", indent=2, hanging=2)
        for lacking in plan.draft.lacking:
            say(console, lacking, indent=2, hanging=2)
        path = recipe_beside(plan.sources[0])
        if path.exists() or plan.by == str(path):
            say(console, f"Say it in {plan.by if Path(plan.by).is_file() else path}, and run this command again.")
            continue
        with writing(path):
            path.write_text(recipe_text(plan.draft.recipe, plan.draft.open, about=plan.sources[0].path.name), "utf-8")
        say(console, f"Wrote the draft {path}: fill it in, and run this command again.", style="bold green")
    say(console, "Nothing else was written.")
