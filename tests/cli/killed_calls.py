"""Commands that are killed at any call of the system, each in a fork of one interpreter: starting one takes long."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import tiebreak

SOURCES: Final = os.pathsep.join([str(Path(tiebreak.__file__).parents[1]), str(Path(__file__).parents[2])])
"""Where programs of their own find tiebreak and the tests."""

_KILLED: Final = """
import json, os, signal, sys

import filelock  # once, before all that are killed
from importlib import import_module
from tiebreak.cli.commands import app

words, modules = json.loads(sys.argv[1])
for name in modules:
    import_module(name)
CALLS = ("fsync", "rename", "replace", "mkdir", "rmdir", "unlink", "open", "close", "truncate", "ftruncate", "fstat")

def run(step, output):
    calls = 0
    def counted(function):
        def call(*given, **named):
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*given, **named)
        return call
    for name in CALLS:
        setattr(os, name, counted(getattr(os, name)))
    sys.stdout = open(os.devnull, "w")
    try:
        app(words, prog_name="tiebreak", standalone_mode=False)
    except SystemExit:
        pass
    os.write(output, str(calls).encode())
    os._exit(0)

for line in sys.stdin:
    step, folder = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        run(step, writing)
    os.close(writing)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(json.dumps([code, os.read(reading, 100).decode()]), flush=True)
    os.close(reading)
"""


class Run(Protocol):
    """Runs the command in a folder, killed at the call of this number: its exit code, and how many calls it made."""

    def __call__(self, step: int, folder: Path) -> tuple[int, str]: ...


@contextmanager
def killed_at_calls(command: str, modules: Sequence[str]) -> Iterator[Run]:
    """The command, whose slow modules are imported once."""
    program = [sys.executable, "-c", _KILLED, json.dumps([command.split(), list(modules)])]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:

        def run(step: int, folder: Path) -> tuple[int, str]:
            print(json.dumps([step, str(folder)]), file=process.stdin, flush=True)
            code, said = json.loads(process.stdout.readline())  # type: ignore[union-attr]
            return int(code), str(said)

        yield run
        process.stdin.close()  # type: ignore[union-attr]
