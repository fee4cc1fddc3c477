"""The command line as a whole: exit codes, messages, help."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiebreak.cli import commands as all_commands
from tiebreak.cli import main
from tiebreak.errors import InputError, Problem, TiebreakError, UsageError
from tiebreak.version import __version__

PROGRAM = [sys.executable, "-c", "from tiebreak.cli.main import run; run()"]


def ran(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    """A program that has ended."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, text=True, check=False, timeout=60, **(streams | more))


def tiebreak(*arguments: str, folder: Path | None = None, columns: int = 100) -> subprocess.CompletedProcess[str]:
    """The program as installed, in its own process."""
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONIOENCODING": "utf-8"}
    return ran([*PROGRAM, *arguments], cwd=folder, env=environment)


def test_the_version() -> None:
    result = tiebreak("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"tiebreak {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--bogus"], ["compar"], ["compare"], ["compare", "x", "--bogus"]])
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


@pytest.mark.parametrize("arguments", [["compare", "x", "--bogus"], ["import", "bad", "study"], ["compare", "bad"]])
def test_errors_fit_the_terminal(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    rows = "".join(f"i{k},ant,bee,ann,maybe both of them are good in their ways\n" for k in range(3))
    (tmp_path / "bad/preferences.csv").write_text(f"item,system_a,system_b,annotator,outcome\n{rows}")
    wide = tiebreak(*arguments, folder=tmp_path, columns=1000).stderr
    for width in (42, 80):
        narrow = tiebreak(*arguments, folder=tmp_path, columns=width)
        assert narrow.returncode in (1, 2)
        assert max(map(len, narrow.stderr.splitlines())) <= width
        assert re.sub(r"[╭╮╰╯─│\s]", "", narrow.stderr) == re.sub(r"[╭╮╰╯─│\s]", "", wide)


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


@pytest.mark.parametrize("module", ["typer", "tiebreak.cli.compare", "tiebreak.comparison.compare"])
def test_ctrl_c_while_the_program_loads_prints_no_traceback(module: str) -> None:
    result = ran([sys.executable, "-c", INTERRUPTED.format(module=module)])
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


WITHOUT_TORCH = """
import sys
from importlib.machinery import PathFinder
from tiebreak.cli.main import run

class WithoutTorch(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name == "torch" else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutTorch
sys.argv = ["tiebreak", "evaluator", "judge", "study", "evaluator"]
run()
"""


def test_without_torch_the_evaluator_says_what_to_install(tmp_path: Path) -> None:
    result = ran([sys.executable, "-c", WITHOUT_TORCH], cwd=tmp_path)
    assert result.returncode == 2
    assert "pip install 'tiebreak[evaluator]'" in result.stderr
    assert "Traceback" not in result.stderr


def _raises(error: Exception) -> Callable[[], None]:
    def app(*, prog_name: str) -> None:
        assert prog_name == "tiebreak"
        raise error

    return app


@pytest.fixture(scope="module")
def small_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pipes")
    assert tiebreak("demo", "demo", "--number-of-items", "30", folder=folder).returncode == 0
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "--help"],  # written by typer, through rich
        ["--version"],  # so short that nothing is written before the interpreter closes
        ["compare", "demo"],  # tables, by rich
        ["compare", "demo", "--json"],
    ],
)
def test_a_closed_pipe_is_quiet(small_demo: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    result = ran([*PROGRAM, *arguments], stdout=writer, cwd=small_demo)
    os.close(writer)
    assert (result.returncode, result.stderr) == (141, "")  # 128 + SIGPIPE, as shells say it of every program


@pytest.mark.parametrize("arguments", ["compare demo", "compare demo --json"])
def test_head_takes_its_line_and_nobody_complains(small_demo: Path, arguments: str) -> None:
    program = f"{shlex.join(PROGRAM)} {arguments} 2>&1 | head -n 1"
    result = subprocess.run(program, shell=True, capture_output=True, cwd=small_demo, text=True, check=True, timeout=60)
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == ""


def test_python_m_tiebreak_is_the_command(tmp_path: Path) -> None:
    result = ran([sys.executable, "-m", "tiebreak", "compare", "nowhere"], cwd=tmp_path)
    assert (result.returncode, result.stdout) == (1, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_a_shell_is_installed(shell: str, tmp_path: Path) -> None:
    environment = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    result = ran([sys.executable, "-m", "tiebreak", "--install-completion", shell], env=environment)
    assert result.returncode == 0, result.stderr
    assert any("_TIEBREAK_COMPLETE" in path.read_text() for path in tmp_path.rglob("*") if path.is_file())


def test_commands_and_options_are_completed() -> None:
    def completed(*words: str) -> list[str]:
        asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
        return ran(PROGRAM, env={**os.environ, "_TIEBREAK_COMPLETE": "complete_bash", **asked}).stdout.split()

    assert completed("tiebreak", "comp") == ["compare"]
    assert "--alpha" in completed("tiebreak", "compare", "--al")


def test_a_folder_that_is_a_file_is_an_error_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    result = tiebreak("demo", "file/inside", folder=tmp_path)
    assert result.returncode in (1, 2)
    assert result.stderr.startswith("tiebreak: ")
    assert "Traceback" not in result.stderr
    assert (tmp_path / "file").read_text() == "x"
