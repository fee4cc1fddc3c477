"""Finds and runs what the documentation shows: commands with their output, Python, and files."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "CHANGELOG.md",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]

_BLOCK = re.compile(
    r"^(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
_EXIT = re.compile(r"\s+# exit (\d+)$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `file`: where a comment above it says that its content belongs; `line`: 1-based, of the fence."""

    kind: str
    body: str
    file: str | None
    line: int


@dataclass(frozen=True)
class Example:
    """A command of a console block, the exit code that it announces, and the output shown below it."""

    command: str
    exit_code: int
    shown: tuple[str, ...]


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page."""
    return [
        Block(found["kind"], found["body"], found["file"], text.count("\n", 0, found.start()) + 1)
        for found in _BLOCK.finditer(text)
    ]


def without_blocks(text: str) -> str:
    """The prose of a page."""
    return _BLOCK.sub("", text)


def examples(body: str) -> list[Example]:
    """The commands of a console block, each with the lines up to the next."""
    found: list[Example] = []
    for line in body.splitlines():
        if line.startswith("$ "):
            exit_code = _EXIT.search(line)
            command = _EXIT.sub("", line[2:])
            found.append(Example(command, int(exit_code[1]) if exit_code else 0, ()))
        elif found:
            last = found[-1]
            found[-1] = Example(last.command, last.exit_code, (*last.shown, line.rstrip()))
        else:
            raise ValueError(f"output before the first command: {line}")
    return found


def run_command(command: str) -> tuple[int, str]:
    """Exit code and output (standard error after standard output) of a `tiebreak` command, in this process.

    `> FILE` at the end takes standard output away into the file, as in a shell.
    """
    from tiebreak.cli.main import run

    words = shlex.split(command)
    file = None
    if words[-2:-1] == [">"]:
        words, file = words[:-2], Path(words[-1])
    if words == ["make", "demo"]:  # test_make_demo_is_tiebreak_demo checks that it is the same
        words = ["tiebreak", "demo"]
    if words[0] != "tiebreak":
        raise ValueError(f"console blocks hold tiebreak commands only, not {command!r}")
    output, errors, exit_code = io.StringIO(), io.StringIO(), 0
    streams = (contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors))
    with streams[0], streams[1], mock.patch.object(sys, "argv", words):
        try:
            run()
        except SystemExit as leaving:
            exit_code = int(leaving.code or 0)
    if file is not None:
        file.write_text(output.getvalue(), encoding="utf-8")
        return exit_code, errors.getvalue()
    return exit_code, output.getvalue() + errors.getvalue()


def missing_lines(shown: tuple[str, ...], output: str) -> list[str]:
    """The first run of shown lines (between `...`) that the output does not have, in order; empty if it has all.

    Blank lines at either end of a run and spaces at the ends of lines do not count.
    """
    lines = [line.rstrip() for line in output.splitlines()]
    position = 0
    for part in "\n".join(shown).split("\n...") if shown[:1] != ("...",) else "\n".join(("", *shown)).split("\n..."):
        wanted = part.strip("\n").splitlines()
        if not wanted:
            continue
        starts = range(position, len(lines) - len(wanted) + 1)
        at = next((k for k in starts if lines[k : k + len(wanted)] == wanted), None)
        if at is None:
            return wanted
        position = at + len(wanted)
    return []


def run_python(body: str, names: dict[str, object]) -> tuple[list[str], list[str]]:
    """Lines printed by a block, and the lines that its `#> ` comments say it prints."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(body, "documentation", "exec"), names)
    promised = [line[3:] for line in body.splitlines() if line.startswith("#> ")]
    return output.getvalue().splitlines(), promised
