"""Every error that a user may meet. The command line prints them without a traceback.

`UsageError` means the tool was called wrongly (exit 2); every other `TiebreakError` is bad input (exit 1).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

PROBLEMS_SHOWN: Final = 20

Unit = Literal["line", "row", "record"]
"""What the places in a file are counted in: lines, rows as a spreadsheet program numbers them, or JSON objects."""

Part = Literal["column", "key"]
"""What a problem names within its line: a column of a table, or a key of settings."""


class TiebreakError(Exception):
    """Base of all errors raised on purpose; its text is complete and says what to do next."""


class UsageError(TiebreakError):
    """An option or argument that cannot be: unknown method, alpha outside (0, 1), no such system."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A value in a document or a record that cannot be: the keys (and places in lists, from 0) that lead to it, and
    what is wrong. `hidden`: no message shows the value, since there is none, or since it may be a secret.
    """

    path: tuple[str | int, ...]
    value: object
    message: str
    hidden: bool = False


class KeyedError(UsageError):
    """Settings that cannot be; `flaws`: all that is wrong with them."""

    def __init__(self, text: str, flaws: Sequence[Flaw]) -> None:
        super().__init__(text)
        self.flaws = tuple(flaws)

    def __reduce__(self) -> tuple[object, ...]:  # it may come back from another process
        return type(self), (str(self), self.flaws)


class ExtraMissingError(UsageError):
    """Something was asked for that takes a package which is not installed."""

    def __init__(self, what: str, package: str, extra: str, instead: str = "") -> None:
        install = f"pip install 'tiebreak[{extra}]'"
        super().__init__(f"{what} takes the package {package}, which is not installed: {install}{instead}")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in an input file.

    `file` as the user named it; `line` 1-based line of the file where the record starts, or what else `unit` says
    (None: the file as a whole); `column` the name of a column, or of what else `part` says; `value` the offending value
    as read; `message` what is wrong, what is allowed.
    """

    file: str
    message: str
    line: int | None = None
    column: str | None = None
    value: str | None = None
    unit: Unit = "line"
    part: Part = "column"

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, {self.unit} {self.line}"
        if self.column is not None:
            place += f", {self.part} {self.column}"
        shown = "" if self.value is None else f"{shorten(self.value)!r}: "
        return f"{place}: {shown}{self.message}"


class InputError(TiebreakError):
    """Bad input data. Holds all problems found; the text shows the first 20 and counts the rest. `remark`: what else
    should be known, as a last line.
    """

    def __init__(self, problems: Sequence[Problem], total: int | None = None, *, remark: str = "") -> None:
        self.problems = tuple(problems)
        self.total = len(self.problems) if total is None else total
        lines = [str(p) for p in self.problems[:PROBLEMS_SHOWN]]
        hidden = self.total - len(lines)
        if hidden > 0:
            lines.append(f"... and {hidden:,} more")
        super().__init__("\n".join([*lines, remark] if remark else lines))


class ChangedError(TiebreakError):
    """Somebody else has changed a study between reading and writing it; nothing was written."""


class UnidentifiedError(TiebreakError):
    """A kernel was given data from which its answer does not exist (no labels, one class only, ...)."""


class NotConvergedError(TiebreakError):
    """An iteration did not reach its accuracy; the text says how far it got."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`": did you mean gpt-4?"` for the nearest known name, or `""` if none is near.

    For a part of a name that has commas, how to write that name in a list.
    """
    choices = list(known)
    for choice in choices:
        if "," in choice and name.strip(' "') in [part.strip(' "') for part in choice.split(",")]:
            quoted = choice.replace('"', '""')
            return f": did you mean {choice}? In a list quote a name that has commas: '\"{quoted}\",...'"
    near = nearest(name, choices)
    return f": did you mean {near}?" if near else ""


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.7, fold: Callable[[str], str] = str.casefold) -> str:
    """The known name that is most like this one, or "" if none is near.

    Names are compared as `fold` makes them, addresses of mail without a domain that they share; `cutoff` in [0, 1]: how
    alike two of them must be.
    """
    domain = name[name.find("@") :] if "@" in name else ""
    folded = {fold(choice.removesuffix(domain)): choice for choice in known}
    near = difflib.get_close_matches(fold(name.removesuffix(domain)), list(folded), n=1, cutoff=cutoff)
    return folded[near[0]] if near else ""


def check_known(what: str, asked: Sequence[str], known: Sequence[str], *, but: str = "the study has") -> None:
    """Raise UsageError for the first asked name that is not known, with the nearest one as a hint; `but`: what there is
    instead, before the names that are known.
    """
    for name in asked:
        if name not in known:
            listed = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "") if known else "none"
            raise UsageError(f"no {what} {name!r}{did_you_mean(name, known) or f'; {but} {listed}'}")


def shorten(value: str, width: int = 60) -> str:
    """A text of at most so many characters, with … where it was cut."""
    return value if len(value) <= width else value[: width - 1] + "…"
