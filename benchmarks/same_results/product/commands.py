"""`tiebreak` as a command: the JSON documents that it prints, and the tables that it writes."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from benchmarks.same_results.made_studies import made_study
from benchmarks.same_results.product.comparisons import of_tables
from benchmarks.same_results.records import Record
from typer.testing import CliRunner

from tiebreak.cli.commands import app
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import TiebreakError, UsageError

WORDS_OF_A_NAME = 3
"""A text of more words is a sentence: sentences may change."""
CLOCK = (
    "decided_at",
    "begun_at",
    "ended_at",
    "at",
    "days",
    "hours",
    "version",
    "fingerprint",
    "head",
    "study_fingerprint",
)
"""Keys and columns that hold the time of the run, or hashes of it."""
WITHOUT_JSON = ("campaign export", "import", "demo", "report", "plot")
"""Commands without `--json`, or that ask for it elsewhere: what they write is recorded."""
PEOPLE = ("p", "q", "r")


def printed(command: str) -> Record:
    """The exit code of a command, and its JSON document without sentences."""
    asks = not command.startswith(WITHOUT_JSON)
    words = [*shlex.split(command), *(["--json"] if asks else [])]
    result = CliRunner().invoke(app, words)
    if isinstance(result.exception, TiebreakError) and not isinstance(result.exception, UsageError):
        return {"refused": type(result.exception).__name__}
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code == 2:
        raise ValueError(f"tiebreak {command} is used wrongly: {result.output}")
    document = json.loads(result.stdout) if asks and result.stdout.strip() else None
    clock = (*CLOCK, "seconds") if command.startswith("score") else CLOCK
    return {"exit": result.exit_code, "document": without_sentences(document, clock)}


def without_sentences(value: Any, clock: tuple[str, ...] = CLOCK) -> Any:
    """A document without texts of many words, paths, and what the clock says."""
    if isinstance(value, dict):
        return {key: without_sentences(entry, clock) for key, entry in value.items() if key not in clock}
    if isinstance(value, list):
        return [without_sentences(entry, clock) for entry in value]
    if isinstance(value, str) and (len(value.split()) > WORDS_OF_A_NAME or "/" in value):
        return "(text)"
    return value


def in_folder(number: int, commands: tuple[str, ...]) -> Record:
    """What commands print in a folder with a small study and files, and the tables that are in it afterwards."""
    with working_folder() as folder:
        _write_inputs(number)
        record: Record = {f"{place} {command}": printed(command) for place, command in enumerate(commands)}
        written = {
            str(path.parent.relative_to(folder)): tables_in(path.parent)
            for path in folder.rglob("outputs.*")
            if not path.parent.name.startswith(".")
        }
        return record | {"written": dict(sorted(written.items()))}


def preference_export(number: int) -> Record:
    """A campaign of preferences in sheets, to its end or the last item; its status and its export."""
    return _campaign(
        number, f"--alpha 0.2 --price 0.1 --seed {number} --labelling {('one', 'max-three', 'fixed')[number]}"
    )


def rating_export(number: int) -> Record:
    """A campaign of ratings in sheets, of each kind; its status and its export."""
    kinds = (
        "--rate fluency=1:5 --half-width 0.6",
        "--rate fluency=1:5 --half-width 0.8 --until differences",
        "--rate fluency=1:5 --kind rating+edit --edit-below 3 --half-width 0.6",
        "--rate fluency=1:5 --half-width 1.9 --rule bernstein",
    )
    return _campaign(number, f"{kinds[number]} --price 0.1 --seed {number}")


def evaluator_ratings(seed: int) -> Record:
    """Points and ratings of outputs, and ratings of systems, from comparisons with known outcomes."""
    from tiebreak.scoring.evaluator.panel import Panel, Sample, system_ratings

    rng = np.random.default_rng([4, seed])
    samples = [Sample(f"i{k % 20}", f"s{k // 20}", None, f"text {k}") for k in range(60)]
    references = [Sample(f"i{k}", "other", None, f"reference {k}") for k in range(15)]
    quality = rng.normal(0.0, 1.0, len(samples) + len(references)) + np.repeat([0.5, 0.0, -0.4, 0.0], [20, 20, 20, 15])

    def outcomes(first: Any, second: Any) -> Any:
        difference = quality[first] - quality[second]
        return np.where(np.abs(difference) < 0.3, 0, np.sign(difference)).astype(np.int8)

    panel = Panel(samples, references, np.zeros(60, dtype=np.intp), [outcomes])  # type: ignore[list-item]
    ratings, games = panel.ratings(3000, seed)
    systems = system_ratings(panel, 5000, seed)
    skills = {name: [skill.rating, skill.deviation] for name, skill in sorted(systems.skills.items())}
    return {
        "points": panel.points().tolist(),
        "ratings": ratings.tolist(),
        "games": games,
        "systems": skills,
        "system_games": systems.games,
        "converged": systems.converged,
    }


@contextmanager
def working_folder() -> Iterator[Path]:
    """A folder of its own, in which commands run."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="same-results-") as name:
        os.chdir(name)
        try:
            yield Path(name).resolve()
        finally:
            os.chdir(before)


def tables_in(folder: Path) -> Record:
    """Columns, number of rows and a hash of the rows of each table of a study folder, whatever their order."""
    study = read_study(folder)
    return {name: _table(frame) for name, frame in sorted(_frames(study).items())}


def _frames(study: Study) -> dict[str, pl.DataFrame]:
    names = ("items", "outputs", "preferences", "ratings", "scores", "judge_preferences")
    return {name: frame for name in names if (frame := getattr(study, name)) is not None}


def _table(frame: pl.DataFrame) -> Record:
    kept = [name for name in frame.columns if name not in CLOCK and frame[name].null_count() < frame.height]
    numbers = [name for name in kept if frame[name].dtype.is_numeric()]
    rounded = frame.select(kept).with_columns(pl.col(numbers).cast(pl.Float64).round(9))
    rows = "\n".join(sorted(repr(row) for row in rounded.iter_rows()))
    return {
        "rows": frame.height,
        "columns": kept,
        "means": {name: frame[name].mean() for name in numbers},  # how much changed, where the hash says only that
        "hash": hashlib.sha256(rows.encode()).hexdigest(),
    }


def _write_inputs(number: int) -> None:
    """A study with labels, references and a metric; further labels; ratings; and two files of unpaired texts."""
    rng = np.random.default_rng([3, number])
    made = made_study(rng, 3, 40, labelled=0.6, with_times=True)
    texts = {
        (row["item"], row["system"]): " ".join(rng.choice(VOCABULARY, int(rng.integers(3, 12)))) for row in made.outputs
    }
    study = of_tables(made)
    outputs = [{**row, "text": texts[row["item"], row["system"]]} for row in made.outputs]
    items = [{**row, "reference": " ".join(rng.choice(VOCABULARY, 8))} for row in made.items]
    tables = {"items": items, "outputs": outputs, "preferences": made.labels, "scores": made.scores}
    write_study(Study.from_tables(**tables, judge_preferences=made.judged, settings=study.settings), Path("study"))  # type: ignore[arg-type]
    _write_csv("labels.csv", made.labels)
    more = [{**row, "annotator": "late"} for row in made.labels[::3]]
    _write_csv("more.csv", more)
    ratings = [
        {"item": row["item"], "system": row["system"], "annotator": person, "rating": int(rng.integers(1, 6))}
        for row in made.outputs
        for person in PEOPLE
    ]
    _write_csv("ratings.csv", ratings)
    for name in ("one.txt", "two.txt"):
        lines = [" ".join(rng.choice(VOCABULARY, int(rng.integers(3, 9)))) for _ in range(40)]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


VOCABULARY = ["a", "the", "red", "green", "small", "house", "tree", "river", "runs", "stands", "falls", "near", "under"]


def _write_csv(name: str, rows: list[dict[str, object]]) -> None:
    with open(name, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


# ---- campaigns in sheets ---------------------------------------------------------------------------------------


def _campaign(number: int, options: str) -> Record:
    """People fill sheets of twenty tasks until the campaign ends or nobody gets a task."""
    rng = np.random.default_rng([5, number])
    with working_folder() as folder:
        _write_inputs(number)
        record = {"create": printed(f"campaign create study -o camp {options}")}
        for turn in range(40):
            sheet = folder / f"sheet-{turn}.csv"
            asked = CliRunner().invoke(
                app, shlex.split(f"campaign sheet camp --annotator {PEOPLE[turn % 3]} -n 20 -o {sheet} --new")
            )
            if asked.exit_code or not sheet.exists():
                break
            _fill(sheet, rng)
            record[f"collect {turn}"] = printed(f"campaign collect camp {sheet}")
        record["status"] = printed("campaign status camp")
        record["export"] = printed("campaign export camp -o exported")
        if (folder / "exported").is_dir():
            record["tables"] = tables_in(folder / "exported")
        return record


def _fill(sheet: Path, rng: np.random.Generator) -> None:
    """Answers in all rows of a sheet."""
    rows = list(csv.DictReader(sheet.read_text(encoding="utf-8-sig").splitlines()))
    answers: dict[str, Callable[[dict[str, str]], str]] = {
        "answer": lambda _: str(rng.choice(["First text", "Second text", "No difference"], p=[0.5, 0.3, 0.2])),
        "fluency": lambda _: str(rng.choice([2, 3, 4, 5])),
        "seconds": lambda _: "20",
        "edit": lambda row: "a better text" if row.get("fluency") == "2" else "",
    }
    for row in rows:
        for column, answer in answers.items():
            if column in row:
                row[column] = answer(row)
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
