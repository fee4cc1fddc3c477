"""No name, comment or path of anybody steers a terminal, in any command."""

from __future__ import annotations

import json
import random
import shlex
import shutil
from pathlib import Path

import openpyxl
import pytest
from benchmarks.reference import commands
from tests.cli.campaign_commands import tasks_in
from tests.docs.documents import run_command
from tests.sheets.sheet_makers import fill_workbook
from tests.tiny_encoder import make_tiny_encoder

from tiebreak.data.study import Study
from tiebreak.data.writers import write_study

NASTY = "\x1b[31m\x1b]0;owned\x07\x9b2J\x08\u202eabc\u2066\x7f\u2028"
STEERING = {
    *(set(map(chr, range(32))) - {"\n"}),
    *map(chr, range(0x7F, 0xA0)),
    *map(chr, (0x061C, 0x200E, 0x200F, 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))),
}


def nasty_study() -> Study:
    rng = random.Random(1)
    systems, items = [f"{NASTY}{name}" for name in "ab"], [f"{NASTY}{k}" for k in range(40)]
    metric, person, criterion = f"{NASTY}m", f"{NASTY}p", f"{NASTY}c"
    return Study.from_tables(
        items=[{"item": item, "input": f"{NASTY} in {item}"} for item in items],
        outputs=[
            {"item": i, "system": s, "text": f"{NASTY} {i} {s}{'x' * rng.randrange(9)}"} for i in items for s in systems
        ],
        preferences=[
            {"item": i, "system_a": systems[0], "system_b": systems[1], "annotator": person,
             "outcome": rng.choice(["a", "a", "tie", "b"]), "criterion": criterion}
            for i in items[:30]
        ],
        ratings=[
            {"item": i, "system": s, "annotator": who, "criterion": f"{NASTY}r", "value": rng.randrange(5)}
            for i in items[:20] for s in systems for who in (person, f"{person}2")
        ],
        scores=[{"item": i, "system": s, "metric": metric, "value": rng.random()} for i in items for s in systems],
        name=f"{NASTY}study",
    )  # fmt: skip


SWEEP = [
    "compare S", "compare S --json", "compare S --rule anytime --metric M", "compare S --systems A,X",
    "compare S --baseline X", "compare S --criterion X", "compare S --annotators X", "compare S --exclude X",
    "compare nowhereX", "compare S --out outX.csv", "check S", "check S --json", "audit S", "audit S --json",
    "audit S --group X", "annotators S", "annotators S --json",
    "watch S", "watch S --json", "estimate S --own-analysis", "estimate S --own-analysis --json",
    "watch S --show", "report S -o rX.html", "plot evidence S -o pX.svg", "plot nothingX S -o p.svg",
    "plan S --repetitions 5 --seed 1", "plan nowhereX",
    "simulate --replay S --repetitions 2 --max-labels 20 --seed 1", "simulate --world wX.toml",
    "pair --out pairsX first=aX.txt second=bX.txt", "import fX.csv outX --yes",
    "import fX.csv outX --dry-run", "import fX.csv", "import fX.csv gX.xlsx o --map Z=X",
    "add S vX.csv --yes", "add S vX.csv fX.csv --yes --unmatched add --json", "add S vX.csv --dry-run", "add S --undo",
    "demo demoX --seed 1", "campaign create S -o C --seed 1 --max-labels 60 --price 1",
    "campaign create S -o CX --protocol pX.toml", "campaign serve nowhereX",
    "campaign invite C --annotator X", "campaign revoke C X", "campaign pause C",
    "campaign pause C --go-on", "campaign demo C --base-url X",
    "campaign create S -o C2 --criterion X --question X --json",
    "campaign sheet C --annotator P -n 6 -o oneX.csv", "campaign sheet C --annotator P -n 6 -o two.xlsx",
    "campaign sheet C --annotator other -n 3 -o three.csv --json", "campaign collect C two.xlsx",
    "campaign collect C two.xlsx oneX.csv", "campaign collect C bad.csv", "campaign collect C bad.csv --json",
    "campaign collect C missingX.csv", "campaign withdraw C T --reason X", "campaign withdraw C tX --reason X",
    "campaign exclude C P --reason X", "campaign exclude C nobodyX", "campaign status C", "campaign status C --json",
    "campaign status C --csv payX.csv", "campaign log C --check", "campaign stop C --reason X",
    "campaign price C 2", "campaign price C X",
    "campaign prolific create C --base-url X --places 3 --reward 1 --minutes 5",
    "campaign prolific grow C", "campaign prolific stop C", "campaign prolific pay C",
    "campaign erase C P", "campaign backup C -o bX", "campaign export C -o eX --keep-names", "compare eX",
    "score S --judge X --dry-run", "score S --judge X --dry-run --json", "score S --judge X --systems X",
    "score S --judge X --judge-config pX.toml", "score S --judge X", "score S --metric length --prepare lower",
    "rank S", "rank S --json", "rank S --systems A,X", "rank S --judge X", "evaluator train S --out EX --encoder X",
    "evaluator train S --out E --encoder tiny --rounds 1", "evaluator judge S E", "evaluator judge S X",
    "evaluator follow S E", "evaluator follow S E --json", "evaluator probe E", "evaluator probe X",
    "evaluator choose S E", "evaluator choose S X", "evaluator score S X",
    "evaluator score S E --references-from A --games 9 --system-games 9",
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_study(nasty_study(), tmp_path / f"{NASTY}study")
    (tmp_path / f"f{NASTY}.csv").write_text(f"item{NASTY},text\n1,x{NASTY}\n2,y\n")
    (tmp_path / f"v{NASTY}.csv").write_text(
        f"item,system_a,system_b,annotator,winner\n1{NASTY},{NASTY}a,{NASTY}b,{NASTY}p,{NASTY}a\n"
    )
    (tmp_path / f"g{NASTY}.xlsx").write_bytes(b"PK\x03\x04")
    (tmp_path / f"p{NASTY}.toml").write_text(f'"key{NASTY}" = 1\nquestion = 3\n'.replace("\x1b", "\\u001b").replace(
        "\x07", "").replace("\x08", "").replace("\x7f", ""))  # fmt: skip
    (tmp_path / f"w{NASTY}.toml").write_text(f"{NASTY} = = 1")
    (tmp_path / "tiny").mkdir()
    make_tiny_encoder(tmp_path / "tiny")
    for name in "ab":
        (tmp_path / f"{name}{NASTY}.txt").write_text("".join(f"some text {NASTY} {k}\n" for k in range(20)))
    return tmp_path


def test_no_command_lets_control_characters_through(place: Path) -> None:
    for line in SWEEP:
        if line == "campaign collect C two.xlsx":
            come_back(place)
        code, output = run(line, place)
        assert code in (0, 1, 2, 4), (line, output)
        assert "Traceback" not in output, (line, output)
        raw = STEERING & set(output)
        assert not raw, (line, raw, output)
        if line.endswith("--json") and code == 0:
            json.loads(output.splitlines()[0])
    untried = [name for name, _ in commands() if not any(f"tiebreak {line}".startswith(name) for line in SWEEP)]
    assert not untried


def run(line: str, place: Path) -> tuple[int, str]:
    """A command, with names for its letters: S the study, M a metric of it, P a person, C the campaign, X nastiness."""
    known = {"S": f"{NASTY}study", "M": f"{NASTY}m", "P": f"{NASTY}p", "C": f"{NASTY}camp", "A,X": f"{NASTY}a,{NASTY}"}
    known["T"] = tasks_in(place / "three.csv")[0] if (place / "three.csv").exists() else "T"
    words = [known.get(word, word.replace("X", NASTY)) for word in line.split()]
    return run_command(shlex.join(["tiebreak", *words]))


def come_back(place: Path) -> None:
    """The workbook with answers and comments, and a table of answers that do not belong."""
    book = openpyxl.load_workbook(place / "two.xlsx")
    tasks = [row[0].value for row in book["Tasks"].iter_rows(min_row=3)]
    content = (place / "two.xlsx").read_bytes()
    extra = {f"H{3 + k}": "remark \x9b2J \u202e of mine" for k in range(len(tasks))}
    (place / "two.xlsx").write_bytes(fill_workbook(content, dict.fromkeys(tasks[:4], "First text"), extra=extra))
    (place / "bad.csv").write_text(
        f"task,answer,comment\n{tasks[0]},Second text,{NASTY}\nt{NASTY},First text,\n"
        f"{tasks[1]},may{NASTY}be,\n{tasks[5]},may{NASTY}be,\n,1,{NASTY}\n"
    )
    shutil.copy(place / "bad.csv", place / f"bad{NASTY}.csv")
