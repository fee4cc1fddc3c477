"""Help of commands and groups that fits every terminal: nothing is cropped, and below 100 columns texts stand below
the names of options instead of beside them.

Help of a command as running text: a terminal of any width breaks its lines, not the source.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from tiebreak.cli.terminal import Name, Words, console_for_results, heading, say, show_table


def help_of(command: Callable[..., object]) -> str:
    """The docstring with each paragraph on one line; blank lines part paragraphs, as they do there."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


Row = tuple[str, str]

_OPTIONS: Final = "Options"
_STATED_DEFAULT: Final = re.compile(r"default: \((.*)\)(?=[;\]])")  # typer puts a default in words into brackets


class Command(TyperCommand):
    """A command whose help is never cropped."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print it; see `show_help`."""
        show_help(self, ctx)


class Entry(NamedTuple):
    """A command or a group: where its function is (`module:name`), and what it does, for the list of commands."""

    place: str
    words: str

    def load(self) -> Any:
        """The function of a command, or the class of a group."""
        module, _, name = self.place.partition(":")
        return getattr(importlib.import_module(module), name)


class _Loaded(Mapping[str, Any]):
    """Commands by name, each loaded when somebody asks for it: one command needs no other's modules."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = entries

    def __getitem__(self, name: str) -> Any:
        loaded = self._entries[name].load()
        if isinstance(loaded, type):
            return loaded(name=name, help=self._entries[name].words, no_args_is_help=True)
        app = typer.Typer(add_completion=False)
        app.command(name, help=help_of(loaded), cls=Command)(loaded)
        return typer.main.get_command(app)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Group(TyperGroup):
    """A group of commands, its `entries`, whose help is never cropped."""

    entries: ClassVar[Mapping[str, Entry]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Loaded(self.entries)  # type: ignore[assignment]  # typer only reads it

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print it; see `show_help`."""
        show_help(self, ctx)


def show_help(command: TyperCommand | TyperGroup, ctx: Any) -> None:
    """Print usage, what the command does, and its arguments, options and commands, a section each."""
    console = console_for_results()
    usage = " ".join([ctx.command_path, *map(_usage_piece, command.collect_usage_pieces(ctx))])
    say(console, Text.assemble(("Usage: ", "bold"), usage), hanging=4)
    for paragraph in (command.help or "").split("\n\n"):
        say(console)
        say(console, " ".join(paragraph.split()))
    for title, rows in _sections(command, ctx).items():
        _show_section(console, title, rows)


def _sections(command: TyperCommand | TyperGroup, ctx: Any) -> dict[str, list[Row]]:
    """Rows by the titles of their sections: arguments, options without a section of their own, other options,
    commands."""
    found: dict[str, list[Row]] = {"Arguments": [], _OPTIONS: []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            usual = "Arguments" if parameter.param_type_name == "argument" else _OPTIONS
            title = getattr(parameter, "rich_help_panel", None) or usual
            found.setdefault(title, []).append((_names(record[0]), _text(record[1])))
    if isinstance(command, Group):
        found["Commands"] = [(name, entry.words) for name, entry in command.entries.items()]
    return {title: rows for title, rows in found.items() if rows}


def _usage_piece(piece: str) -> str:
    """An argument without the braces that typer puts around one that is required, and with three dots at most."""
    return re.sub(r"^\{(.*)\}", r"\1", piece).replace("......", "...")


def _names(record: str) -> str:
    """The names of an option and what stands for its value; choices are told, types go without saying."""
    return re.sub(r" ?<([^>]*)>", lambda told: f" {told[1]}" if "|" in told[1] else "", record)


def _text(record: str) -> str:
    """What an option means, with its default."""
    return " ".join(_STATED_DEFAULT.sub(r"default: \1", record.replace("\\[", "[")).split())


def _show_section(console: Console, title: str, rows: Sequence[Row]) -> None:
    heading(console, title)
    columns = [Name(""), Words("")]
    show_table(console, columns, [(Text(name, style="cyan"), text) for name, text in rows], indent=2)
