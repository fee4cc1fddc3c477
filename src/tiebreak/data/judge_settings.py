"""What study.toml, or a file of its own, says of judges: `[judges.NAME]`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from tiebreak.data.system_settings import in_two_parts, quoted
from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.parsing import ParsingError, parse_toml
from tiebreak.settings.checks import wrong_value
from tiebreak.settings.judge import JudgeSettings
from tiebreak.settings.setting import Kind, settings_of

EXAMPLE: Final = '"my-judge" = { model = "gpt-4o", criterion = "fluency" }'

Report = Callable[[str, object, str], None]
"""Takes a key, its value (None where it must not be shown) and what is wrong."""

_NAMED: Final = {named.name: named for named in settings_of(JudgeSettings)}
_KEYS: Final = tuple(known.name for known in fields(JudgeSettings))
_SECRET: Final = ("key", "token", "secret", "password")


def judge_settings(name: str, table: object, report: Report) -> JudgeSettings | None:
    """The settings of a judge from its parsed table; None where something is wrong, which is reported."""
    if not isinstance(table, dict):
        report(name, table, 'must be a table, such as { model = "gpt-4o" }')
        return None
    wrong = {key: why for key, value in table.items() if (why := _why_not(key, value))}
    for key, why in wrong.items():
        if split := in_two_parts("judges", name, key, table[key], _KEYS):
            report(split[0], None, split[1])
            continue
        shown = None if key not in _NAMED or key == "key_from" else table[key]  # nobody's key in a message
        report(key, shown, f"{why} (of the judge {name})")
    if wrong:
        return None
    try:
        return JudgeSettings(**table)
    except UsageError as error:
        report(name, None, str(error))
        return None


def read_judges(text: str, file: str) -> dict[str, JudgeSettings]:
    """The judges of a file that has nothing but tables `[judges.NAME]`.

    Raises:
        InputError: no TOML, no judge, or all that is wrong with them.
    """
    try:
        parsed = parse_toml(text)
    except ParsingError as error:
        raise InputError([Problem(file, f"invalid TOML: {error}", error.line)]) from error
    problems: list[Problem] = []

    def report(key: str, value: object, message: str) -> None:
        shown = None if value is None else json.dumps(value, default=str, ensure_ascii=False)
        problems.append(Problem(file, message, column=key, value=shown, part="key"))

    tables = parsed.pop("judges", None)
    for key in parsed:
        report(key, None, "unknown key; the file has tables [judges.NAME] and nothing else")
    if not isinstance(tables, dict) or not tables:
        report("judges", None, f"has no judge: write\n[judges]\n{EXAMPLE}")
        tables = {}
    found = {name: judge_settings(name, table, report) for name, table in tables.items()}
    if problems:
        raise InputError(problems)
    return {name: judge for name, judge in found.items() if judge is not None}


def to_toml(settings: JudgeSettings) -> list[str]:
    """The lines of a TOML table that read back as these settings."""
    plain = JudgeSettings()
    return [
        f"{known.name} = {_written(getattr(settings, known.name))}"
        for known in fields(settings)
        if getattr(settings, known.name) != getattr(plain, known.name)
    ]


def _why_not(key: str, value: object) -> str:
    """What is wrong with a value of a key, as the end of a sentence; "" if nothing is."""
    if key == "parameters":
        return "" if isinstance(value, dict) else "must be a table, such as { top_p = 0.9 }"
    if key not in _NAMED:
        if any(word in key.casefold() for word in _SECRET):
            return "is an unknown key. Keys come from the environment: key_from names the variable that holds one"
        return f"is an unknown key{did_you_mean(key, _KEYS) or '; known keys are ' + ', '.join(_KEYS)}"
    fits, words = _FITS[_NAMED[key].kind]
    return wrong_value(_NAMED[key], value) if fits(value) else words


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_FITS: Final[Mapping[Kind, tuple[Callable[[Any], bool], str]]] = {
    "flag": (lambda value: isinstance(value, bool), "must be true or false"),
    "whole": (lambda value: isinstance(value, int) and not isinstance(value, bool), "must be a whole number"),
    "number": (_is_number, "must be a number"),
    "text": (lambda value: isinstance(value, str), "must be text in quotes"),
    "names": (
        lambda value: isinstance(value, list) and all(isinstance(part, str) for part in value),
        'must be a list of words, such as ["A", "B", "C"]',
    ),
    "numbers": (
        lambda value: isinstance(value, list) and all(map(_is_number, value)),
        "must be a list of numbers, such as [1, 5]",
    ),
}


def _written(value: object) -> str:
    """A value in TOML."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{quoted(name)} = {_written(entry)}" for name, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_written, value))}]"
    return str(value)
