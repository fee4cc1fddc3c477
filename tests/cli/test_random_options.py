"""Random options for every command: whatever is asked, the answer is a result or a plain refusal.

Exit status 0 to 4, no traceback, strict JSON without NaN or Infinity, and nothing hidden left beside what was made.
Values are drawn from the ranges of the settings, from their ends, and from beyond them.
"""

from __future__ import annotations

import json
import math
import os
import random
import resource
import time
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from benchmarks.reference import Option, commands, options_of
from tests.tiny_encoder import make_tiny_encoder
from typer.models import ArgumentInfo

from tiebreak.cli import main
from tiebreak.data.writers import write_study
from tiebreak.demo.study import demo_study

NAMES = ("aspen", "birch", "nobody", "ann", "fluency", "all", "*", "", "a,b", "é\n\u202e", "--", "-1", "[bold]")
ODD_NUMBERS = ("nan", "inf", "-inf", "1e308", "-1", "0", "1e-320", "1" + "0" * 400, "5%", "1,000", "", "x", "0x10")
PATHS = ("demo", "camp", "export", "sheet.csv", "absent", "empty.csv", "noise.bin", "out.html", "out.csv", ".")
COSTLY = {
    "--repetitions": "50",
    "--number-of-items": "40",
    "--crowd": "3",
    "--workers": "1",
    "--seed": "3",
    "--rounds": "0.1",
    "--encoder": "tiny",
}
"""Options whose honest values take minutes get one small value instead of one from the range."""
MOST_MEMORY = 12 * 2**30  # bytes, with what is only mapped
ALWAYS = {"tiebreak evaluator train": ("--rounds", "--encoder")}
"""Options that a command gets even where none was drawn, as what it does without them takes minutes."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, a campaign with labels, its export, a sheet, and files that are none of these."""
    folder = tmp_path_factory.mktemp("options")
    write_study(demo_study(items=30).study, folder / "demo")
    (folder / "tiny").mkdir()
    make_tiny_encoder(folder / "tiny")
    (folder / "empty.csv").write_bytes(b"")
    (folder / "noise.bin").write_bytes(bytes(range(256)))
    return folder


def value_of(option: Option, draw: random.Random) -> str:
    """A value for an option: of its range, at an end of it, or any."""
    name, named = option.names[0], option.named
    if name == "--encoder" and draw.random() < 0.8:
        return COSTLY[name]
    if named is not None and named.kind in ("whole", "number", "numbers"):
        if name in COSTLY and draw.random() < 0.8:
            return COSTLY[name]
        what = named.setting
        low = next(end for end in (what.at_least, what.above) if end is not None)
        high = next(end for end in (what.at_most, what.below) if end is not None)
        near = low + (min(high, low + 10) - low) * draw.random()
        number = draw.choice([near, near, near, low, high, low - 1, high * 2 + 1])
        if name in COSTLY and number > float(COSTLY[name]):
            number = high * 2 + 1  # refused, and not computed
        written = str(round(number)) if named.kind == "whole" else repr(float(number))
        return draw.choice([written] * 9 + [draw.choice(ODD_NUMBERS)])
    if named is not None and named.setting.choices and draw.random() < 0.9:
        return draw.choice(list(named.setting.choices))
    if option.type is Path:
        return draw.choice(PATHS)
    return draw.choice(NAMES)


def words_of(name: str, command: Any, draw: random.Random) -> list[str]:
    """A command line: its name, arguments, required options, and some others."""
    import inspect
    import typing

    words = name.split()[1:]
    for parameter in inspect.signature(command, eval_str=True).parameters.values():
        if any(isinstance(mark, ArgumentInfo) for mark in typing.get_args(parameter.annotation)):
            likely = "camp" if words[0] == "campaign" and words[1] != "create" else "demo"
            words.append(draw.choice([likely] * 4 + list(PATHS)))
    chosen = options_of(command)
    for option in chosen:
        always = option.required or option.names[0] in ALWAYS.get(name, ())
        if option.names[0] in ("--help", "--version") or not (always or draw.random() < 2 / len(chosen)):
            continue
        written = draw.choice([part for part in option.names if part.startswith("--")])
        words += [written] if option.is_flag else [f"{written}={value_of(option, draw)}"]
    if any("--json" in option.names for option in chosen) and draw.random() < 0.5:
        words.append("--json")
    return words


def check_one(words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run a command line as the shell would; its exit status."""
    monkeypatch.setattr("sys.argv", ["tiebreak", *words])
    with pytest.raises(SystemExit) as left:
        main.run()
    said = capsys.readouterr()
    shown = f"{words}\n{said.err[-2000:]}"
    assert left.value.code in (0, 1, 2, 3, 4), shown
    assert "Traceback" not in said.err + said.out, shown
    if "--json" in words and left.value.code == 0:
        json.loads(said.out, parse_constant=lambda constant: pytest.fail(f"{constant}: {shown}"))
    assert not [path for path in Path().iterdir() if path.name.startswith(".")], shown
    return int(left.value.code or 0)


def run_all(
    places: Path, seconds: float, seed: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> dict[str, int]:
    """Random command lines until the time is over; how often each command ended with which status."""
    monkeypatch.chdir(places)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: None)  # which waits for requests until somebody ends it
    draw, known, found = random.Random(seed), list(commands()), dict[str, int]()
    if not os.path.exists("camp"):
        check_one(["campaign", "create", "demo", "-o", "camp"], capsys, monkeypatch)
        check_one(["campaign", "sheet", "camp", "--annotator", "ann", "-o", "sheet.csv"], capsys, monkeypatch)
    end, turn = time.monotonic() + seconds, 0
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, hard))  # what asks for more fails, and is named
    try:
        while time.monotonic() < end or turn < len(known):
            name, command = known[turn % len(known)]
            code = check_one(words_of(name, command, draw), capsys, monkeypatch)
            found[f"{name} {code}"] = found.get(f"{name} {code}", 0) + 1
            turn += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return found


def test_random_options_are_answered_or_refused(
    places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run_all(places, 6, 13, capsys, monkeypatch)
    assert {key.rpartition(" ")[0] for key in found} == {name for name, _ in commands()}
    assert {key.rpartition(" ")[2] for key in found} >= {"0", "1", "2"}


@pytest.mark.full
@pytest.mark.parametrize("seed", range(8))
def test_many_random_options_are_answered_or_refused(
    places: Path, seed: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert math.fsum(run_all(places, 120, seed, capsys, monkeypatch).values()) > 0
