"""What study.toml, or a file of its own, says of judges: `[judges.NAME]`.

What study.toml says of a system: that people wrote it, or which checkpoint of which run it is.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final

from tiebreak.errors import InputError, Problem, UsageError, did_you_mean
from tiebreak.parsing import ParsingError, parse_toml
from tiebreak.settings.checks import wrong_value
from tiebreak.settings.judge import JudgeSettings
from tiebreak.settings.setting import Kind, settings_of
from tiebreak.settings.shared import LARGEST_NUMBER

MOST_STEPS: Final = 1_000_000_000_000_000

_CHECKPOINT: Final = re.compile(
    r"(?:(?P<run>(?!epoch[=_-]?\d|global[-_]).+?)[/\\_ -])?(?:epoch[=_-]?\d+[_-])?"
    r"(?:checkpoint|ckpt|global_?step|step|iter(?:ation)?|epoch)[-_ =]?(?P<step>\d{1,15})(?:\.[a-z]{2,11})?",
    re.IGNORECASE,
)

_WHOLE: Final = re.compile(r"[0-9]{1,15}")

ONLY_RUN: Final = "training"
"""What the run of checkpoints is called that nobody has named."""

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class SystemSettings:
    """`reference`: people wrote it, as something to measure systems by. A checkpoint has the name of its `run`, the
    `step` of training at which it was taken, of `total_steps` (both from 0 to 10^15), its loss on held-out data
    `dev_loss`, and the `settings` (hyper-parameters) of the run.

    Raises:
        UsageError: a number out of range, or a step beyond the last.
    """

    reference: bool = False
    run: str | None = None
    step: int | None = None
    total_steps: int | None = None
    dev_loss: float | None = None
    settings: Mapping[str, Scalar] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", MappingProxyType(dict(self.settings)))  # nobody else's
        for name in (known.name for known in fields(self)):
            wrong = why_not(name, getattr(self, name))
            if wrong is not None and getattr(self, name) is not None:
                raise UsageError(f"{name} {wrong}, not {getattr(self, name)!r}")
        if self.step is not None and self.total_steps is not None and self.step > self.total_steps:
            raise UsageError(f"step {self.step:,} is beyond the last of {self.total_steps:,} steps")

    def __reduce__(self) -> tuple[type[SystemSettings], tuple[Any, ...]]:
        """For pickle, which does not know what a read-only mapping is."""
        values = [getattr(self, known.name) for known in fields(self)]
        return SystemSettings, (*values[:-1], dict(self.settings))


def in_one_run(systems: Mapping[str, SystemSettings], run: str = ONLY_RUN) -> dict[str, SystemSettings]:
    """The checkpoints, in this run unless any of them has one: then the others may be of none, as a base model is."""
    if any(one.run is not None for one in systems.values()):
        return dict(systems)
    return {name: replace(one, run=run) for name, one in systems.items()}


def checkpoints_by_name(systems: Iterable[str]) -> dict[str, SystemSettings]:
    """Those that are called as checkpoints, with step and run: `ckpt-500`, `lr-high/checkpoint-500`,
    `epoch=1-step=120.ckpt`.
    """
    found = {system: _CHECKPOINT.fullmatch(system.strip()) for system in systems}
    return {
        system: SystemSettings(run=name["run"], step=int(name["step"]))
        for system, name in found.items()
        if name is not None and int(name["step"]) <= MOST_STEPS
    }


def step_of_checkpoint(name: str) -> int | None:
    """The number that is all of its name, or that its name says to be a step: 500 of `0500` and of `ckpt-500`; None of
    any other name: `gpt-4` has had no four steps.
    """
    if _WHOLE.fullmatch(name.strip()):
        return int(name)
    found = checkpoints_by_name([name])
    return found[name].step if found else None


def why_not(key: str, value: object) -> str | None:
    """What is wrong with a value of a key, as the end of a sentence; None if nothing is. Unknown keys are wrong."""
    if key not in _FITS_SYSTEM_SETTINGS:
        return f"is an unknown key{did_you_mean(key, SYSTEM_KEYS) or '; known keys are ' + ', '.join(SYSTEM_KEYS)}"
    fits, words = _FITS_SYSTEM_SETTINGS[key]
    return None if fits(value) else words


def in_two_parts(kind: str, name: str, key: str, value: object, keys: Collection[str]) -> tuple[str, str] | None:
    """A name with a dot that TOML took for a table within another, and how to write it; None where `key` of `name` is
    something else.

    keys: those that such a table can have.
    """
    if not isinstance(value, Mapping) or key in keys or did_you_mean(key, keys):
        return None
    parts, inner = [name, key], value
    while len(inner) == 1:
        ((below, more),) = inner.items()
        if below in keys or not isinstance(more, Mapping):
            break
        parts, inner = [*parts, below], more
    whole = ".".join(parts)
    why = f"has a dot, and TOML takes it for a table {key} of {name}: write it in quotes, [{kind}.{quoted(whole)}]"
    return whole, why


def to_toml(settings: SystemSettings) -> list[str]:
    """The lines of a TOML table that read back as these settings."""
    lines = []
    for known in fields(settings):
        value = getattr(settings, known.name)
        if known.name == "settings":
            inner = ", ".join(f"{quoted(name)} = {_literal(inner)}" for name, inner in value.items())
            lines += [f"settings = {{ {inner} }}"] if inner else []
        elif value is not None and value is not False:
            lines.append(f"{known.name} = {_literal(value)}")
    return lines


def quoted(text: str) -> str:
    """A TOML basic string."""
    # It knows the escapes of JSON; DEL is the one control character that JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _literal(value: Scalar) -> str:
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _is_number_system_settings(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= LARGEST_NUMBER


def _is_step(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_STEPS


def _are_scalars(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(inner, str | bool) or (_is_number_system_settings(inner) and math.isfinite(inner))
        for inner in value.values()
    )


_STEPS: Final = f"must be a whole number from 0 to {MOST_STEPS:,}"
_FITS_SYSTEM_SETTINGS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "reference": (lambda value: isinstance(value, bool), "must be true or false"),
    "run": (
        lambda value: isinstance(value, str) and bool(value.strip()),
        'must be a name in quotes, such as "lr-1e-4"',
    ),
    "step": (_is_step, _STEPS),
    "total_steps": (_is_step, _STEPS),
    "dev_loss": (_is_number_system_settings, "must be a finite number"),
    "settings": (_are_scalars, "must be a table of texts, numbers and truth values, such as { lr = 1e-4 }"),
}
SYSTEM_KEYS: Final = tuple(_FITS_SYSTEM_SETTINGS)


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


def judge_to_toml(settings: JudgeSettings) -> list[str]:
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
