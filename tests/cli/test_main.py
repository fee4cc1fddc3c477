"""The command line as a whole: exit codes, messages, help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
import typer

from tiebreak.cli import commands as all_commands
from tiebreak.cli import main
from tiebreak.errors import InputError, MissingExtraError, Problem, TiebreakError, UsageError
from tiebreak.version import __version__

PROGRAM = [sys.executable, "-c", "from tiebreak.cli.main import run; run()"]


def tiebreak(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The program as installed, in its own process."""
    environment = {**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, text=True, cwd=folder, env=environment, check=False, timeout=60
    )


def commands() -> dict[str, click.Command]:
    """Every command by its full name."""
    found: dict[str, click.Command] = {}

    def collect(prefix: str, command: click.Command) -> None:
        children = getattr(command, "commands", None)
        if children is None:
            found[prefix] = command
        else:
            for name, child in children.items():
                collect(f"{prefix} {name}".strip(), child)

    collect("", typer.main.get_command(all_commands.app))
    return found


@pytest.mark.parametrize("name", list(commands()))
def test_every_command_has_help_with_an_example_of_itself(name: str) -> None:
    command = commands()[name]
    assert command.help
    assert re.search(rf"Examples?: tiebreak {name}\b", " ".join(command.help.split()))
    for parameter in command.params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), f"{name}: {parameter.name} has no help"


@pytest.mark.parametrize("name", list(commands()))
def test_every_command_prints_its_help(name: str) -> None:
    result = tiebreak(*name.split(), "--help")
    assert result.returncode == 0
    assert "Example" in result.stdout
    assert result.stderr == ""


def test_the_version() -> None:
    result = tiebreak("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"tiebreak {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--bogus"], ["compar"], ["compare"], ["compare", "x", "--alpha", "five"]])
def test_wrong_use_exits_2_with_usage_on_stderr(arguments: list[str]) -> None:
    result = tiebreak(*arguments)
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Usage: " in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (UsageError("no such thing"), 2, "tiebreak: no such thing\n"),
        (TiebreakError("broken"), 1, "tiebreak: broken\n"),
        (
            MissingExtraError("Serving", "web"),
            1,
            "tiebreak: Serving needs an optional dependency: pip install 'tiebreak[web]'\n",
        ),
        (
            InputError([Problem("p.csv", "must be a, tie or b", 3, "outcome", "c")]),
            1,
            "tiebreak: 1 problem in the input; nothing was changed.\n"
            "p.csv, line 3, column outcome: 'c': must be a, tie or b\n",
        ),
        (
            InputError([Problem("p.csv", "x")] * 2),
            1,
            "tiebreak: 2 problems in the input; nothing was changed.\np.csv: x\np.csv: x\n",
        ),
        (PermissionError(13, "Permission denied", "out.md"), 1, "tiebreak: out.md: Permission denied\n"),
    ],
)  # fmt: skip
def test_errors_become_messages_and_exit_codes(
    error: Exception, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(all_commands, "app", _raises(error))
    with pytest.raises(SystemExit) as caught:
        main.run()
    assert caught.value.code == code
    assert capsys.readouterr() == ("", message)


def test_an_error_that_nobody_meant_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_commands, "app", _raises(ZeroDivisionError("a bug")))
    with pytest.raises(ZeroDivisionError):
        main.run()


INTERRUPTED = """
import sys
from tiebreak.cli.main import run

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
sys.argv = ["tiebreak", "compare", "study"]
run()
"""


@pytest.mark.parametrize("module", ["typer", "tiebreak.cli.plan", "tiebreak.comparison.compare"])
def test_ctrl_c_while_the_program_loads_prints_no_traceback(module: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(module=module)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def _raises(error: Exception) -> Callable[[], None]:
    def app() -> None:
        raise error

    return app


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    assert tiebreak("demo", "demo", "--items", "30", folder=tmp_path).returncode == 0
    process = subprocess.Popen(
        [*PROGRAM, "compare", "demo", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)


def test_a_folder_that_is_a_file_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = tiebreak("demo", "file/inside", folder=tmp_path)
    assert result.returncode in (1, 2)
    assert result.stderr.startswith("tiebreak: ")
    assert "Traceback" not in result.stderr
    assert (tmp_path / "file").read_text() == "x"
