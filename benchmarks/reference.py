"""The reference page: every command, argument and option, and every key of protocol files and judges, from the code.

    python benchmarks/reference.py --write

`tests/docs/test_reference.py` fails where docs/reference.md is not what this writes.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.models import ArgumentInfo, OptionInfo

from tiebreak.cli.commands import Entry, TiebreakGroup, help_of
from tiebreak.cli.setting_options import settings_behind
from tiebreak.settings.checks import range_words
from tiebreak.settings.judge import JudgeSettings
from tiebreak.settings.protocol import PROTOCOL_TABLES, QuestionSettings
from tiebreak.settings.setting import NamedSetting, settings_of
from tiebreak.settings.written import default_words

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference.md"

_HEAD = """# Reference

Every command, option and key, made from the code by `python benchmarks/reference.py --write`. What they are for
stands on the pages of the [index](index.md). An option has the same meaning in every command that has it. Numbers are
written as 0.05, not 5% or ,05. Every command has `--help`.
"""
_PROTOCOL = """## Protocol files

Keys of the TOML file that `campaign create --protocol` and `simulate --protocol` read, and `campaign create` writes
([what they mean](campaign.md#create)). `people.gold` is a list of check tasks with `item`, `system_a`, `system_b` and
`outcome`.
"""
_JUDGES = """## Judges

Keys of the tables `[judges.NAME]` in study.toml, or in a file given by `--judge-config`
([what they mean](score.md#which-judge)). `parameters` is a table of further parameters of a request.
"""
_TYPES = {int: "N", float: "NUMBER", str: "TEXT", Path: "FILE", list[str]: "NAME"}
_KINDS = {
    "flag": "true or false",
    "whole": "whole number",
    "number": "number",
    "text": "text",
    "names": "list of names",
    "numbers": "list of numbers",
    "pairs": "list of pairs of names",
}


@dataclass(frozen=True)
class Option:
    """An option of a command as its function declares it: `names`, type, default, and the setting behind it, if any."""

    names: tuple[str, ...]
    info: OptionInfo
    type: Any
    default: Any
    named: NamedSetting | None

    @property
    def required(self) -> bool:
        """Whether the command needs it."""
        return self.default is inspect.Parameter.empty

    @property
    def is_flag(self) -> bool:
        """Whether it takes no value."""
        return self.type is bool


def commands(
    entries: Mapping[str, Entry] = TiebreakGroup.entries, name: str = "tiebreak"
) -> Iterator[tuple[str, Callable[..., None]]]:
    """Every command with its full name, in the order of the help of all."""
    for word, entry in entries.items():
        loaded = entry.load()
        if isinstance(loaded, type):
            yield from commands(loaded.entries, f"{name} {word}")
        else:
            yield f"{name} {word}", loaded


def options_of(command: Callable[..., None]) -> list[Option]:
    """The options of a command."""
    behind, found = settings_behind(command), []
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        kind, *marks = typing.get_args(parameter.annotation)
        info = next((mark for mark in marks if isinstance(mark, OptionInfo)), None)
        if info is not None:
            given = (*(() if info.default is ... else (info.default,)), *(info.param_decls or ()))
            names = tuple(part for name in given for part in str(name).split("/"))
            names = names or (f"--{parameter.name.replace('_', '-')}",)
            found.append(Option(names, info, _without_none(kind), parameter.default, behind.get(parameter.name)))
    return found


def _without_none(kind: Any) -> Any:
    """A type without None."""
    parts = [part for part in typing.get_args(kind) if part is not type(None)]
    return parts[0] if isinstance(kind, types.UnionType) and len(parts) == 1 else kind


def reference_page() -> str:
    """The whole page."""
    sections = [_section(name, command) for name, command in commands()]
    protocol = _PROTOCOL + "\n" + _table(("key", "option", "value", "default", "meaning"), _keys())
    judges = _JUDGES + "\n" + _table(("key", "value", "default", "meaning"), _judge_keys())
    return "\n".join([_HEAD, *sections, protocol, judges])


def _section(name: str, command: Callable[..., None]) -> str:
    """A command: its usage, its summary, and a row per option."""
    arguments = [
        mark.metavar or parameter.name.upper()
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        for mark in typing.get_args(parameter.annotation)
        if isinstance(mark, ArgumentInfo)
    ]
    usage, summary = " ".join([name, *arguments]), help_of(command).split("\n\n")[0]
    rows = [_row(option) for option in options_of(command)]
    table = "\n" + _table(("option", "value", "default", "meaning"), rows) if rows else ""
    return f"## {name}\n\n`{usage}`: {summary}\n{table}"


def _row(option: Option) -> tuple[str, ...]:
    names, named = ", ".join(f"`{name}`" for name in option.names), option.named
    text = (option.info.help or "").removesuffix(".")
    if option.is_flag:
        value = ""
    else:
        value = "" if named is None else _words_of_range(named)
        value = value or f"`{option.info.metavar or _TYPES.get(option.type, 'NAME')}`"
    if named is not None:
        return names, value, default_words(named), text
    default = "required" if option.required else "" if option.default in (None, False) else str(option.default)
    return names, value, default, text


def _words_of_range(named: NamedSetting) -> str:
    """The range of a number, or what stands for another value."""
    if named.kind not in ("whole", "number"):
        return ""
    whole = named.kind == "whole"
    return range_words(named.setting, whole=whole) or ("a whole number" if whole else "a number")


def _keys() -> list[tuple[str, ...]]:
    rows = []
    for table, record in {"": QuestionSettings, **PROTOCOL_TABLES}.items():
        for named in settings_of(record):
            choices = ", ".join(f"`{name}`" for name in named.setting.choices)
            value = choices or _words_of_range(named) or _KINDS[named.kind]
            key = f"`{f'{table}.{named.name}'.lstrip('.')}`"
            option = "" if named.setting.file_only else f"`{named.option}`"
            rows.append((key, option, value, _default(named), named.setting.help))
    return rows


def _judge_keys() -> list[tuple[str, ...]]:
    rows = []
    for named in settings_of(JudgeSettings):
        choices = named.setting.choices
        value = ", ".join(f"`{name}`" for name in choices) or _words_of_range(named) or _KINDS[named.kind]
        words = f" ({'; '.join(f'`{name}`: {means}' for name, means in choices.items())})" if choices else ""
        rows.append(
            (f"`{named.name}`", value, named.setting.default_words or _default(named), named.setting.help + words)
        )
    return rows


def _default(named: NamedSetting) -> str:
    """The default of a key, which is the record's own."""
    return "" if named.default is None or named.default in ((), "") else f"`{_toml(named.default)}`"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(part) for part in value)}]"
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Text as a cell of a table."""
    return " ".join(text.replace("|", "\\|").split())


def main() -> None:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/reference.md")
    if parser.parse_args().write:
        PAGE.write_text(reference_page(), encoding="utf-8")
    else:
        sys.stdout.write(reference_page())


if __name__ == "__main__":
    main()
