"""Options of a command made from settings records: a field of a record is an option, and nothing else lists it.

Arguments that several commands have.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from tiebreak.errors import UsageError
from tiebreak.settings.checks import read_names
from tiebreak.settings.setting import Kind, NamedSetting, settings_of
from tiebreak.settings.shared import MORE
from tiebreak.settings.written import default_words, number, whole

Command = Callable[..., None]
_SETTINGS: Final = "settings_behind"
Changes = Mapping[str, Mapping[str, Any]]
"""Values of settings that were given, by table and name."""

_KINDS: Final[dict[Kind, tuple[Any, str | None]]] = {
    "flag": (bool, None),
    "whole": (int, "N"),
    "number": (float, "NUMBER"),
    "text": (str, "NAME"),
    "names": (list[str], "NAME"),
    "numbers": (str, "A,B,..."),
    "pairs": (list[str], "A,B"),
}
"""What typer reads of each kind of value, and what stands for it in help."""


def with_settings(record: type[Any]) -> Callable[[Command], Command]:
    """Replace the parameter of this type by one option per setting; the command gets the record.

    What the record refuses is a `UsageError` of the command.
    """
    options = {named.name: named for named in settings_of(record) if not named.setting.file_only}

    def decorate(command: Command) -> Command:
        """The command with these options; `record` is found by the annotation of the parameter."""
        own = inspect.signature(command, eval_str=True).parameters.values()
        name = next(parameter.name for parameter in own if parameter.annotation is record)
        parameters = [_parameter(key, named, default=True) for key, named in options.items()]
        return _replaced(command, name, options, parameters, lambda said: record(**said))

    return decorate


def with_changes(
    tables: Mapping[str, type[Any]], *, leave_out: Collection[str] = (), panel: str = "", name: str = "changes"
) -> Callable[[Command], Command]:
    """Replace the parameter `name` by the options of several records; the command gets only what was given.

    It gets `Changes`: for each of the tables, the values by the names of its settings. `leave_out`: settings that the
    command does not have, such as "order.seed". `panel` of the help, for settings that name none.
    """
    options = {
        f"{table}__{named.name}": named
        for table, record in tables.items()
        for named in settings_of(record)
        if not named.setting.file_only and f"{table}.{named.name}".lstrip(".") not in leave_out
    }

    def changes(said: dict[str, Any]) -> Changes:
        found: dict[str, dict[str, Any]] = {table: {} for table in tables}
        for key, value in said.items():
            table, _, setting = key.partition("__")
            found[table][setting] = value
        return found

    def decorate(command: Command) -> Command:
        """The command with these options; what was given reaches it as one argument."""
        parameters = [_parameter(key, named, default=False, panel=panel) for key, named in options.items()]
        return _replaced(command, name, options, parameters, changes)

    return decorate


def _replaced(
    command: Command,
    name: str,
    options: Mapping[str, NamedSetting],
    parameters: Sequence[Parameter],
    make: Callable[[dict[str, Any]], Any],
) -> Command:
    """The command with options in place of the parameter `name`, whose value `make` makes of what was given."""

    @functools.wraps(command)
    def run(**given: Any) -> None:  # typer calls it by the signature below
        read = {key: _read(named, given.pop(key)) for key, named in options.items()}
        made = make({key: value for key, value in read.items() if value is not None})
        command(**given, **{name: made})

    own = list(inspect.signature(command, eval_str=True).parameters.values())
    place = next(k for k, parameter in enumerate(own) if parameter.name == name)
    own[place : place + 1] = parameters
    signature = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    run.__dict__[_SETTINGS] = {**settings_behind(command), **options}
    return run


def settings_behind(command: Command) -> dict[str, NamedSetting]:
    """The settings that options of a command were made of, by the name of the parameter; for the reference page."""
    found: dict[str, NamedSetting] = command.__dict__.get(_SETTINGS, {})
    return found


def _parameter(name: str, named: NamedSetting, *, default: bool, panel: str = "") -> Parameter:
    """A setting as an option. Without its `default` it is None where nothing is given; help shows it all the same."""
    what, kind = named.setting, named.kind
    of_value, metavar = _KINDS[kind]
    value = named.default if default and named.default != () else None
    if value is not None and kind in ("number", "numbers"):
        value = default_words(named)  # 0, not 0.0
    parser = None
    if kind in ("whole", "number"):
        parser = whole(named.option, what) if kind == "whole" else number(named.option, what)
    option = typer.Option(
        what.flags or named.option,
        *([what.short] if what.short else []),
        help=_help(named),
        metavar=what.metavar or metavar,
        show_default=what.default_words or (default_words(named) or False if value is None else True),
        rich_help_panel=what.panel or panel or None,
        parser=parser,
    )
    of_option: Any = (str if what.listed else of_value) | None
    return Parameter(name, Parameter.KEYWORD_ONLY, default=value, annotation=Annotated[of_option, option])


def _help(named: NamedSetting) -> str:
    """The phrase of a setting with its choices, and whether the option may be given several times."""
    choices = named.setting.choices
    text = named.setting.help
    if choices:
        meanings = choices if isinstance(choices, Mapping) else dict.fromkeys(choices, "")
        text += ": " + " | ".join(f"{name} ({words})" if words else name for name, words in meanings.items())
    if named.kind == "pairs" or (named.kind == "names" and not named.setting.listed):
        text += "; repeatable"
    return f"{text}."


def given_options(record: type[Any], given: Collection[str], but: Collection[str] = ()) -> list[str]:
    """The options of a record whose settings were given; `but`: settings that may be."""
    return [named.option for named in settings_of(record) if named.name in given and named.name not in but]


def _read(named: NamedSetting, given: Any) -> Any:
    """The value of a setting from what typer read; None where nothing was given."""
    if given is None or named.kind not in ("names", "numbers", "pairs"):
        return given
    if named.kind == "pairs":
        return tuple(_pair(named, text) for text in given) or None
    if named.kind == "numbers":
        return _numbers(named, given)
    if named.setting.listed:
        return tuple(read_names(given))
    return tuple(given) or None


def _pair(named: NamedSetting, text: str) -> tuple[str, str]:
    """`"gpt-4,claude"` as ("gpt-4", "claude")."""
    names = read_names(text)
    if len(names) != 2:
        raise UsageError(
            f"{named.option} {text}: write two names with a comma between, such as A,B; names with commas in quotes"
        )
    return names[0], names[1]


def _numbers(named: NamedSetting, text: str) -> tuple[float, ...]:
    """`"0.2,0"` as (0.2, 0.0)."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        example = ",".join(f"{part:g}" for part in named.default) or "0.2,0"
        raise UsageError(f"{named.option} {text}: write numbers with commas between, such as {example}") from None


def option(words: str, metavar: str = "", *names: str, panel: str = "") -> Any:
    """An option whose default needs no words; `names`, where its parameter's name is not its own."""
    return typer.Option(*names, help=words, metavar=metavar or None, show_default=False, rich_help_panel=panel or None)


def argument(words: str, metavar: str) -> Any:
    """An argument whose default needs no words."""
    return typer.Argument(help=words, metavar=metavar, show_default=False)


PlaceArgument = Annotated[Path, argument("Folder of a study, of a campaign or of its export.", "STUDY")]
StudyArgument = Annotated[Path, argument("Folder with the study's tables.", "STUDY")]
CheckpointsArgument = Annotated[Path, argument("Folder with outputs of checkpoints, which study.toml names.", "STUDY")]
EvaluatorArgument = Annotated[Path, argument("What evaluator train made.", "FOLDER")]
OwnAnalysisOption = Annotated[
    bool, option("Analyse the labels of a campaign or export afresh.", "", "--own-analysis", panel=MORE)
]
StrictOption = Annotated[bool, option("Refuse a study in which rows repeat others.", "", "--strict", panel=MORE)]
AllOption = Annotated[bool, option("Show every row, and all that is said on each criterion.", "", "--all", panel=MORE)]


class TableChoice(StrEnum):
    """What --out writes."""

    all = "all"
    systems = "systems"


TableOption = Annotated[
    TableChoice,
    typer.Option(
        "--table",
        help="What --out writes: all (one row each), or systems (a row each, with a column per criterion).",
        rich_help_panel=MORE,
    ),
]
JsonOption = Annotated[bool, option("Print one JSON document.", "", "--json")]

RateOption = Annotated[
    list[str] | None,
    option("Have outputs rated on this criterion, such as fluency=1:5; repeatable.", "NAME=LOW:HIGH", "--rate"),
]
