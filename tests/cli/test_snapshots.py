"""What each command prints at 80 columns, word for word: a change of a sentence is seen where people read it.

    python -m tests.cli.test_snapshots

writes all of them anew, to be read before they are committed. A result as text is what its command prints.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.cli.campaign_commands import ok
from typer.testing import CliRunner

import tiebreak
from tiebreak.cli.commands import app
from tiebreak.version import __version__

FOLDER = Path(__file__).parent / "snapshots"
WIDTH = 80
SETTINGS = {"COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}

COMMANDS = {
    "demo": "demo demo",
    "annotators": "annotators rated",
    "check": "check demo",
    "compare": "compare demo",
    "compare-all": "compare demo --all",
    "compare-margin": "compare demo --margin 0.15",
    "compare-one-pair": "compare demo --systems aspen,maple",
    "estimate": "estimate rated",
    "rank": "rank demo",
    "audit": "audit rated",
    "plan": "plan --number-of-systems 4 --difference 0.2",
    "campaign": "campaign status camp",
}
"""The name of a snapshot, and the command that prints it."""

LINES = {"check": 24, "compare": 24}
"""The most lines of a command whose users should not have to scroll."""


@contextmanager
def prepared(folder: Path) -> Iterator[None]:
    """In a folder with the demo, its rated variant and a campaign that has begun."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        for command in (
            "demo demo",
            "demo rated --ratings",
            "campaign create demo -o camp --price 0.1 --max-labels 900 --seed 1",
        ):
            done = CliRunner().invoke(app, shlex.split(command), env=SETTINGS)
            assert done.exit_code == 0, done.output
        yield
    finally:
        os.chdir(before)


def printed(command: str) -> str:
    """What a command prints, without the version."""
    done = CliRunner().invoke(app, shlex.split(command), env=SETTINGS)
    assert done.exit_code == 0, done.output
    return done.stdout.replace(__version__, "VERSION")


@pytest.fixture(scope="module")
def _place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with prepared(tmp_path_factory.mktemp("snapshots")):
        yield


@pytest.mark.usefixtures("_place")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_was_reviewed(name: str) -> None:
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert printed(COMMANDS[name]) == expected, "python -m tests.cli.test_snapshots writes them anew"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_is_as_wide_and_as_long_as_a_terminal(name: str) -> None:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) <= LINES.get(name, 65)


@pytest.mark.parametrize("name", ["compare", "rank", "estimate", "annotators", "check"])
def test_a_summary_is_what_the_command_prints(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "90")
    ok("tiebreak demo made --ratings" if name in ("estimate", "annotators") else "tiebreak demo made")
    result = getattr(tiebreak, name)("made")
    summary = result.summary(width=90)
    assert summary.splitlines() == ok(f"tiebreak {name} made").splitlines()[: len(summary.splitlines())]
    assert max(map(len, summary.splitlines())) <= 90


def main() -> None:
    """Writes all snapshots."""
    with TemporaryDirectory() as place, prepared(Path(place)):
        for name, command in COMMANDS.items():
            (FOLDER / f"{name}.txt").write_text(printed(command), encoding="utf-8")


if __name__ == "__main__":
    main()
