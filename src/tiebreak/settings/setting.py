"""A field of a settings record and what it means: the one place that commands, checks and the reference page read.

    @dataclass(frozen=True, slots=True)
    class Settings:
        alpha: float = setting(0.05, Setting("Chance of any wrong verdict", above=0, below=1, such_as="0.05"))

A field without a `Setting` is none: no option is made of it.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, wraps
from inspect import Parameter, signature
from typing import Any, Concatenate, Final, Literal, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
Settings = TypeVar("Settings")
Result = TypeVar("Result")

Kind = Literal["flag", "whole", "number", "text", "names", "numbers", "pairs"]
"""What a value is: true or false, a whole number, a number, text, several names, several numbers, several pairs of
names."""

_KEY: Final = "setting"


@dataclass(frozen=True, slots=True)
class Setting:
    """What a setting means. `help`: a phrase that reads well after the option's name, without a full stop.

    `option`: its name without dashes, where that is not the field's. `flags`: both names of a flag. `short`: one more
    name, such as -n. `metavar`: what stands for the value. `choices`: the allowed values, by what each means where that
    needs saying. `above`, `at_least`, `below`, `at_most`: the range of a number, which has two ends wherever a user can
    give it; `such_as`: what to write instead of one out of it. `listed`: several names in one option, with commas
    between, instead of the option several times. `panel` of the help. `file_only`: a key of protocol files without an
    option. `default_words`: the default where the record does not know it. `against`: two results that differ in it are
    not decided alike (`compare --against` says so).
    """

    help: str
    option: str = ""
    flags: str = ""
    short: str = ""
    metavar: str = ""
    choices: Sequence[str] | Mapping[str, str] = ()
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    such_as: str = ""
    listed: bool = False
    panel: str = ""
    file_only: bool = False
    default_words: str = ""
    against: bool = True

    @property
    def is_share(self) -> bool:
        """Whether it lies between 0 and 1."""
        lowest = self.at_least if self.above is None else self.above
        return 1 in (self.below, self.at_most) and lowest is not None and lowest >= 0


@dataclass(frozen=True, slots=True)
class NamedSetting:
    """A setting with the `name` of its field, its `kind`, and its `default`.

    `required`: it has no default; `optional`: None is one of its values.
    """

    name: str
    setting: Setting
    kind: Kind
    default: Any
    required: bool
    optional: bool

    @property
    def option(self) -> str:
        """Its long option, such as `--tie-threshold`; of a flag, the one that is not its default."""
        if self.setting.flags:
            on, _, off = self.setting.flags.partition("/")
            return off if self.default is True and off else on
        return f"--{self.setting.option or self.name.replace('_', '-')}"

    @property
    def words(self) -> str:
        """The option's name without dashes."""
        return self.option.removeprefix("--")


def setting(default: T, what: Setting, *, against: bool | None = None, panel: str | None = None) -> T:
    """A field of a settings record, for a dataclass; `against`, `panel`: in place of what `what` says."""
    if against is not None:
        what = replace(what, against=against)
    if panel is not None:
        what = replace(what, panel=panel)
    return field(default=default, metadata={_KEY: what})


def settings_of(record: type[Any]) -> tuple[NamedSetting, ...]:
    """The settings of a record class, in the order of its fields."""
    return _settings(typing.cast(Any, record))


@cache  # every record that is made asks for those of its class
def _settings(record: Any) -> tuple[NamedSetting, ...]:
    hints = typing.get_type_hints(record)
    return tuple(
        NamedSetting(
            entry.name,
            entry.metadata[_KEY],
            kind_of(hints[entry.name]),
            None if entry.default is MISSING else entry.default,
            entry.default is MISSING,
            type(None) in typing.get_args(hints[entry.name]),
        )
        for entry in fields(record)
        if _KEY in entry.metadata
    )


def kind_of(annotation: Any) -> Kind:
    """What values of a type are; None is left aside.

    Raises:
        TypeError: a type that no option can give.
    """
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        parts = [part for part in typing.get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return kind_of(parts[0])
    plain: dict[Any, Kind] = {bool: "flag", int: "whole", float: "number", str: "text"}
    if annotation in plain:
        return plain[annotation]
    if typing.get_origin(annotation) is Literal:
        return "text"
    if typing.get_origin(annotation) in (tuple, Sequence):
        inner = typing.get_args(annotation)[0]
        if typing.get_origin(inner) is tuple and typing.get_args(inner) == (str, str):
            return "pairs"
        if inner in (str, float):
            return "names" if inner is str else "numbers"
    raise TypeError(f"{annotation} is no type of a setting")


def takes_fields_of(
    make: Callable[P, Settings],
) -> Callable[[Callable[[T, Settings], Result]], Callable[Concatenate[T, P], Result]]:
    """A decorator: a function of a subject and a settings record takes the fields of the record by name instead."""

    def decorate(function: Callable[[T, Settings], Result]) -> Callable[Concatenate[T, P], Result]:
        @wraps(function)
        def with_fields(subject: T, /, *args: P.args, **given: P.kwargs) -> Result:
            return function(subject, make(*args, **given))

        own, wanted = signature(function), signature(make)
        first = next(iter(own.parameters.values())).replace(kind=Parameter.POSITIONAL_ONLY)
        with_fields.__signature__ = wanted.replace(  # type: ignore[attr-defined]  # for help() and notebooks
            parameters=[first, *wanted.parameters.values()], return_annotation=own.return_annotation
        )
        return with_fields

    return decorate
