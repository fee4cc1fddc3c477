"""`tiebreak import csv` as a user meets it: plan, question, result, exit codes."""

from __future__ import annotations

import csv
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
import typer
from tests.signed_studies import left_out, signed_study
from typer.testing import CliRunner, Result

from tiebreak.cli import import_
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, Problem, UsageError
from tiebreak.importers.importer import Field, Imported, ImportedRows, Importer, Proposal, UnderstoodFile
from tiebreak.importers.registry import IMPORTERS
from tiebreak.settings.setting import Setting, setting

VOTES = [
    ["item", "model_a", "model_b", "worker", "winner", "language"],
    ["1", "gpt-4", "llama", "ann", "1", "is"],
    ["2", "llama", "gpt-4", "ann", "2", "is"],
    ["3", "gpt-4", "llama", "bob", "tie", "is"],
    ["4", "gpt-4", "llama", "bob", "", "is"],
]
ALL_SAID = "item=item,system_a=model_a,system_b=model_b,annotator=worker,outcome=winner"


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "votes.csv", VOTES)
    return "votes.csv"


def save(path: Path, rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)


def run(*arguments: str, answer: str | None = None) -> Result:
    """The exception of a refused command is in `.exception`: turning it into an exit code is the main app's job."""
    return CliRunner().invoke(import_.app, ["csv", *arguments], input=answer)


def preferences(study: str) -> list[tuple[object, ...]]:
    frame = read_study(study).preferences
    assert frame is not None
    return frame.select("item", "system_a", "system_b", "annotator", "outcome").rows()


EXPECTED = [
    ("1", "gpt-4", "llama", "ann", "a"),
    ("2", "llama", "gpt-4", "ann", "b"),
    ("3", "gpt-4", "llama", "bob", "tie"),
]


def test_yes_writes_the_study_and_says_what_and_what_next(votes: str) -> None:
    result = run(votes, "study", "--yes")
    assert result.exit_code == 0, result.output
    assert preferences("study") == EXPECTED
    assert "votes.csv: preferences, 4 rows" in result.stdout
    assert "Wrote study: preferences 3" in result.stdout


def test_the_rows_that_are_counted_are_those_of_the_file(tmp_path: Path, votes: str) -> None:
    save(tmp_path / "again.csv", [VOTES[0], VOTES[2]])  # a copy, in another file
    result = run(votes, "again.csv", "study", "--yes", "--json")
    assert json.loads(result.stdout)["tables"] == {"preferences": 4}
    assert "Wrote study: preferences 4" in result.stderr
    assert len((tmp_path / "study" / "preferences.csv").read_text(encoding="utf-8").splitlines()) == 1 + 4


def test_without_a_terminal_a_guess_is_not_accepted(votes: str) -> None:
    result = run(votes, "study")
    assert isinstance(result.exception, UsageError)
    assert "pass --yes" in str(result.exception)
    assert "--map" in str(result.exception)
    assert not Path("study").exists()
    assert "votes.csv: preferences" in result.stdout  # the plan is there to be judged


def test_without_a_terminal_a_complete_map_needs_no_question(votes: str) -> None:
    assert run(votes, "study", "--map", ALL_SAID).exit_code == 0
    assert preferences("study") == EXPECTED


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 0), ("n\n", 1)])
def test_at_a_terminal_the_plan_is_confirmed(
    votes: str, answer: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_, "stdin_is_terminal", lambda: True)
    result = run(votes, "study", answer=answer)
    assert result.exit_code == code
    assert Path("study").exists() == (code == 0)
    assert ("Nothing was written" in result.output) == (code == 1)


def test_dry_run_writes_nothing_and_asks_nothing(votes: str) -> None:
    result = run(votes, "study", "--dry-run")
    assert result.exit_code == 0
    assert "Would write study: preferences 3" in result.stdout
    assert not Path("study").exists()


def test_json_is_one_document_alone_on_stdout(votes: str) -> None:
    result = run(votes, "study", "--yes", "--json")
    document = json.loads(result.stdout)
    assert document["study"] == "study"
    assert document["written"] is True
    assert document["files"][0]["columns"]["outcome"] == {"columns": ["winner"], "constant": None, "how": "name"}
    assert document["files"][0]["unused"] == ["language"]
    assert document["readings"][0] == {
        "file": "votes.csv", "column": "winner", "cell": "1", "meaning": "system_a", "count": 1,
    }  # fmt: skip
    assert document["skipped"] == [{"file": "votes.csv", "reason": "winner is blank: not labelled", "count": 1}]
    assert document["tables"] == {"preferences": 3}
    assert (document["systems"], document["items"], document["annotators"]) == (["gpt-4", "llama"], 3, ["ann", "bob"])
    assert document["next"] == "tiebreak check study"
    assert "Wrote study" in result.stderr


def test_json_of_a_dry_run(votes: str) -> None:
    document = json.loads(run(votes, "study", "--dry-run", "--json").stdout)
    assert (document["written"], document["next"]) == (False, None)
    assert not Path("study").exists()


@pytest.mark.parametrize("format_", ["csv", "parquet", "jsonl"])
def test_formats(votes: str, format_: str) -> None:
    assert run(votes, "study", "--yes", "--format", format_).exit_code == 0
    assert [path.name for path in Path("study").iterdir()] == [f"preferences.{format_}"]
    assert preferences("study") == EXPECTED


@pytest.mark.usefixtures("votes")
def test_bad_cells_leave_nothing_behind() -> None:
    save(Path("bad.csv"), [*VOTES, ["5", "gpt-4", "llama", "bob", "perhaps", ""], ["6", "x", "x", "bob", "1", ""]])
    before = sorted(os.listdir())
    result = run("bad.csv", "study", "--yes")
    assert isinstance(result.exception, InputError)
    assert not isinstance(result.exception, UsageError)
    first, second = result.exception.problems
    assert (first.file, first.line, first.column, first.value) == ("bad.csv", 6, "winner", "perhaps")
    assert (second.line, second.value) == (7, "x")
    assert "bad.csv: preferences" in result.stdout  # how the columns were read, before what is wrong with them
    assert sorted(os.listdir()) == before


@pytest.mark.usefixtures("votes")
def test_winner_says_what_numbers_mean() -> None:
    save(Path("signs.csv"), [VOTES[0], ["1", "x", "y", "p", "-1", ""], ["2", "x", "y", "p", "1", ""]])
    refused = run("signs.csv", "study", "--yes")
    assert isinstance(refused.exception, InputError)
    assert "--winner 1=a,0=tie,-1=b" in str(refused.exception)
    assert run("signs.csv", "study", "--yes", "--winner", "-1=a,1=b").exit_code == 0
    assert [row[-1] for row in preferences("study")] == ["a", "b"]


@pytest.mark.usefixtures("votes")
def test_systems_are_named_by_option_or_by_file() -> None:
    for name in ("one", "two"):
        save(Path(f"{name}.csv"), [["id", "output"], ["1", f"text of {name}"]])
    assert run("one.csv", "study", "--system", "Two B=two.csv", "--yes").exit_code == 0
    outputs = read_study("study").outputs
    assert outputs is not None
    assert outputs.select("item", "system", "text").rows() == [
        ("1", "one", "text of one"),
        ("1", "Two B", "text of two"),
    ]


@pytest.mark.usefixtures("votes")
@pytest.mark.parametrize("file", ["two.csv", "lr=0.1.csv"])
def test_names_and_files_may_have_equals_signs(file: str) -> None:
    save(Path("one.csv"), [["id", "output"], ["1", "text of one"]])
    save(Path(file), [["id", "output"], ["1", "text of two"]])
    assert run("one.csv", "study", "--system", f"GPT 4 (temp=0.7)={file}", "--yes").exit_code == 0
    assert read_study("study").systems == ("GPT 4 (temp=0.7)", "one")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["votes.csv", "study", "--map", "itm=x"], r"nothing called itm: did you mean item\?"),
        (["votes.csv", "study", "--map", "item=itm"], r"no column itm: did you mean item\?"),
        (["votes.csv", "study", "--winner", "1=x"], "write VALUE=a"),
        (["votes.csv", "study", "--system", "x"], "write NAME=FILE"),
        (["study", "--system", "x=votes.csv", "--system", "y=votes.csv"], "names votes.csv twice"),
        (["votes.csv", "votes.csv", "study"], "votes.csv is named twice"),
        (["nope.csv", "study"], "there is no file nope.csv"),
        (["votes.csv", "other.csv"], "other.csv is a file; the last argument is the study folder"),
        (["votes.csv", "full"], "full is not empty"),
        (["study"], "name at least one file"),
    ],
)
@pytest.mark.usefixtures("votes")
def test_wrong_use(arguments: list[str], message: str) -> None:
    save(Path("other.csv"), VOTES)
    Path("full").mkdir()
    save(Path("full/x.csv"), VOTES)
    result = run(*arguments, "--yes")
    assert isinstance(result.exception, UsageError)
    assert result.exception.args[0]
    with pytest.raises(UsageError, match=message):
        raise result.exception
    assert not Path("study").exists()


def test_a_missing_study_is_a_usage_error() -> None:
    assert run().exit_code == 2
    assert isinstance(run("votes.csv", "").exception, UsageError)


@pytest.mark.usefixtures("votes")
def test_markup_in_cells_is_shown_as_it_is() -> None:
    save(Path("m.csv"), [["item", "[bold]gpt[/bold]"], ["1", "[red]text[/red] of the system"]])
    result = run("m.csv", "study", "--yes")
    assert result.exit_code == 0, result.output
    assert "[bold]gpt[/bold]" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals on Windows")
@pytest.mark.usefixtures("votes")
def test_a_real_terminal_is_asked() -> None:
    import pty

    ours, theirs = pty.openpty()
    program = "import sys; from tiebreak.cli.import_ import app; app(['csv', 'votes.csv', 'study'])"
    process = subprocess.Popen([sys.executable, "-c", program], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    deadline = time.monotonic() + 30
    while b"[Y/n]" not in seen and time.monotonic() < deadline:
        if select.select([ours], [], [], 0.2)[0]:
            seen += os.read(ours, 4096)
    os.write(ours, b"y\n")
    while process.poll() is None and time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                seen += os.read(ours, 4096)
            except OSError:  # Linux: the other side is closed
                break
    assert process.wait(timeout=10) == 0, seen.decode()
    os.close(ours)
    assert preferences("study") == EXPECTED


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    winner_key: str = setting("winner", Setting("Key of the outcome"))


def read_arena(files: Sequence[str], settings: ArenaSettings, known_systems: Sequence[str] = ()) -> Proposal:  # noqa: ARG001
    """One vote, whatever the file holds; the outcome's key is known if it was said, else guessed."""
    origin = "name" if settings.winner_key == "winner" else "option"
    fields = (Field("outcome", (settings.winner_key,), None, origin, ("left",)),)
    vote = {"item": "1", "system_a": "x", "system_b": "y", "annotator": "ann", "outcome": "a"}
    return Proposal(
        tuple(UnderstoodFile(file, "arena votes", 1, fields, ()) for file in files),
        lambda name: Imported(Study.from_tables(preferences=[vote], name=name)),
        lambda file: ImportedRows(
            {"preferences": pl.DataFrame([vote])}, "column", 0, {}, (), (), lambda *_: Problem(file, "")
        ),
    )


def arena(*arguments: str) -> Result:
    """A format that is nothing but an `Importer`."""
    importer = Importer(
        name="arena",
        help="Turn votes of an arena into a study.\n\nExample: tiebreak import arena votes.json my-study",
        endings=(".json",),
        file_hint="one vote per line",
        settings=ArenaSettings,
        correction="--winner-key KEY",
        read=read_arena,
    )
    app = typer.Typer()
    app.command("arena", help=importer.help)(import_.command_of(importer))
    return CliRunner().invoke(app, arguments)


def test_a_format_is_one_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = " ".join(arena("--help").output.split())
    for shown in ("Files (.json); one vote per line.", "--winner-key", "Key of the outcome.", "--dry-run"):
        assert shown in text
    refused = arena("votes.json", "study")
    assert isinstance(refused.exception, UsageError)
    assert "or --winner-key KEY to say" in str(refused.exception)
    result = arena("votes.json", "study", "--winner-key", "who")
    assert result.exit_code == 0, result.output
    assert preferences("study") == [("1", "x", "y", "ann", "a")]


def test_every_importer_is_a_command() -> None:
    assert [command.name for command in import_.app.registered_commands] == [importer.name for importer in IMPORTERS]
    assert all(ending.startswith(".") for importer in IMPORTERS for ending in importer.endings)


UNSURE = [["thing", "first one", "second one"], ["1", "a text", "it is"], ["2", "more text", "it was"]]


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--dry-run", "--json")])
def test_an_unsure_plan_is_not_taken_unseen(
    tmp_path: Path, more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dry run says the same: who relies on it would be refused later."""
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "data.csv", UNSURE)
    result = run("data.csv", "study", "--yes", *more)
    assert "Would write" not in result.output
    assert isinstance(result.exception, UsageError)
    assert "Try --map " in str(result.exception)
    assert "confidence: " in result.output
    assert not Path("study").exists()


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 1)])
def test_an_unsure_plan_is_asked_about_with_no_as_the_answer(
    tmp_path: Path, answer: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(import_, "stdin_is_terminal", lambda: True)
    save(tmp_path / "data.csv", UNSURE)
    result = run("data.csv", "study", answer=answer)
    assert "[y/N]" in result.output
    assert result.exit_code == code
    assert Path("study").exists() == (code == 0)


def test_nonsense_is_not_even_asked_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(import_, "stdin_is_terminal", lambda: True)
    save(tmp_path / "data.csv", [["id", "model", "output"], ["1", "12:30", "x"], ["2", "12:40", "y"]])
    result = run("data.csv", "study", answer="y\n")
    assert isinstance(result.exception, UsageError)
    assert "[y/N]" not in result.output
    assert not Path("study").exists()


def test_judges_and_scores_beside_votes(votes: str) -> None:
    save(Path("judge.csv"), [["item", "model_a", "model_b", "winner"], ["1", "gpt-4", "llama", "A"]])
    save(Path("length.csv"), [["item", "gpt-4", "llama"], ["1", "20", "30"], ["2", "15", "25"]])
    result = run(votes, "study", "--judge-file", "judge.csv", "--scores-file", "length.csv", "--yes")
    assert result.exit_code == 0, result.output
    study = read_study("study")
    assert study.judge_preferences is not None
    assert study.judge_preferences["judge"].to_list() == ["judge"]
    assert study.scores is not None
    assert set(study.scores["metric"].to_list()) == {"length"}


def test_names_that_differ_by_their_spelling_come_with_what_makes_them_one(votes: str) -> None:
    save(Path(votes), [*VOTES, ["5", "gpt-4", "llama", "Bob", "1", "is"], ["6", "gpt-4", "Llama", "bob", "1", "is"]])
    told = run(votes, "study", "--yes", "--map", ALL_SAID).stdout
    assert "--same Bob=bob" in told
    assert "--rename Llama=llama" in told
    assert run(votes, "one", "--yes", "--map", ALL_SAID, "--same", "Bob=bob").exit_code == 0
    assert read_study("one").annotators == ("ann", "bob")


def test_the_scale_in_a_header_is_in_study_toml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [[f"{k}", system, "ann", "3"] for k in range(4) for system in ("x", "y")]
    save(tmp_path / "rated.csv", [["item", "system", "rater", "Style (1-5)"], *rows])
    assert run("rated.csv", "study", "--yes").exit_code == 0
    assert Path("study/study.toml").read_text(encoding="utf-8") == '[scale]\n"Style" = [1, 5]\n'


@pytest.mark.usefixtures("votes")
def test_what_made_judgements_is_counted_and_what_may_not_prove_anything() -> None:
    write_study(signed_study(), "other")
    files = [f"other/{table}.csv" for table in ("items", "outputs", "preferences")]
    result = run(*files, "new", "--judge-file", "other/judge_preferences.csv", "--yes")
    assert "judge_preferences 8, signatures 1" in result.stdout
    assert left_out(read_study("new")) == {"learned": (5, 3)}
