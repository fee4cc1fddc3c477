"""`tiebreak import` as a user meets it: plan, questions, drafts, result, exit codes."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.importers.made import save
from tests.signed_studies import left_out, signed_study
from typer.testing import CliRunner, Result

from tiebreak.cli.commands import app
from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError

VOTES = [
    ["item", "model_a", "model_b", "worker", "winner"],
    ["1", "gpt-4", "llama", "ann", "1"],
    ["2", "llama", "gpt-4", "ann", "2"],
    ["3", "gpt-4", "llama", "bob", "tie"],
    ["4", "gpt-4", "llama", "bob", ""],
]
OPEN = [["id", "Who?", "model", "text", "vibe"], ["1", "ann", "gpt", "T", "good"], ["2", "bo", "gpt", "U", "bad"]]
EXPECTED = [
    ("1", "gpt-4", "llama", "ann", "a"),
    ("2", "llama", "gpt-4", "ann", "b"),
    ("3", "gpt-4", "llama", "bob", "tie"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save(tmp_path, "votes.csv", VOTES)
    save(tmp_path, "open.csv", OPEN)
    return tmp_path


def run(*arguments: str, answer: str | None = None) -> Result:
    """The exception of a refused command is in `.exception`: turning it into an exit code is the main app's job."""
    return CliRunner().invoke(app, ["import", *arguments], input=answer)


def preferences(study: str = "study") -> list[tuple[object, ...]]:
    frame = read_study(study).preferences
    return frame.select("item", "system_a", "system_b", "annotator", "outcome").rows()


@pytest.mark.parametrize("more", [(), ("--yes",)])
def test_a_whole_draft_needs_no_question(more: tuple[str, ...]) -> None:
    result = run("votes.csv", "study", *more)
    assert result.exit_code == 0, result.output
    assert preferences() == EXPECTED
    assert "votes.csv: read by a draft" in result.stdout
    assert "Wrote study: preferences 3" in result.stdout
    assert 'outcome = "winner"' in Path("study/recipes/votes.csv.toml").read_text("utf-8")


def test_a_draft_is_written_beside_the_file_and_filled_in() -> None:
    result = run("open.csv", "study")
    assert result.exit_code == 1
    assert "column vibe (good | bad)" in result.stdout
    assert not Path("study").exists()
    draft = Path("open.csv.recipe.toml")
    text = draft.read_text("utf-8")
    assert '# FIELD = "vibe"  # good | bad' in text
    again = run("open.csv", "study")
    assert again.exit_code == 1
    assert draft.read_text("utf-8") == text, "what somebody may have begun to fill in stays"
    lines = text.replace('# FIELD = "Who?"  # ann | bo', 'annotator = "Who?"').replace(
        '# FIELD = "vibe"', 'value = "vibe"'
    )
    draft.write_text(f"{lines}\n[values.value]\ngood = 1\nbad = 0\n", "utf-8")
    done = run("open.csv", "study")
    assert done.exit_code == 0, done.output
    ratings = read_study("study").ratings
    assert ratings.select("annotator", "criterion", "value").rows() == [("ann", "vibe", 1.0), ("bo", "vibe", 0.0)]


@pytest.mark.parametrize("more", [("--yes",), ("--dry-run",)])
def test_nothing_is_written_and_nobody_asked_where_something_is_open(more: tuple[str, ...], here: Path) -> None:
    before = sorted(os.listdir())
    result = run("open.csv", "study", *more)
    assert isinstance(result.exception, UsageError)
    assert "column vibe (good | bad)" in str(result.exception)
    assert sorted(os.listdir(here)) == before


def test_options_say_what_is_open() -> None:
    said = ["--map", "annotator=Who?", "--map", "value=vibe", "--value", "value:good=1", "--value", "value:bad=0"]
    assert run("open.csv", "study", *said).exit_code == 0
    assert read_study("study").annotators == ("ann", "bo")
    assert run("open.csv", "other", "--ignore", "*").exit_code == 0
    assert read_study("other").ratings is None


def test_a_recipe_is_used_for_the_file_that_it_fits(here: Path) -> None:
    save(here, "r.toml", 'ignore = ["*"]\n[fields]\nitem = "id"\nsystem = "model"\ntext = "text"\n')
    save(here, "v.toml", '[fields]\nitem = "item"\nsystem_a = "model_a"\nsystem_b = "model_b"\nannotator = "worker"\n'
         'outcome = "winner"\n')  # fmt: skip
    assert run("open.csv", "votes.csv", "study", "--recipe", "r.toml", "--recipe", "v.toml").exit_code == 0
    assert preferences() == EXPECTED


def test_what_is_open_is_asked_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiebreak.cli.import_.stdin_is_terminal", lambda: True)
    result = run("open.csv", "study", answer="nonsense\nannotator\nignore\ny\n")
    assert result.exit_code == 0, result.output
    recipe = Path("study/recipes/open.csv.toml").read_text("utf-8")
    assert 'annotator = "Who?"' in recipe
    assert 'ignore = ["vibe"]' in recipe


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 0), ("n\n", 1)])
def test_a_plan_is_confirmed_at_a_terminal(answer: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiebreak.cli.import_.stdin_is_terminal", lambda: True)
    result = run("votes.csv", "study", answer=answer)
    assert result.exit_code == code
    assert Path("study").exists() == (code == 0)
    assert ("Nothing was written" in result.output) == (code == 1)


def test_dry_run_writes_nothing(here: Path) -> None:
    before = sorted(os.listdir(here))
    result = run("votes.csv", "study", "--dry-run", "--json")
    document = json.loads(result.stdout)
    assert (document["written"], document["next"]) == (False, None)
    assert "Would write study: preferences 3" in result.stderr
    assert sorted(os.listdir(here)) == before


def test_json_is_one_document_alone_on_stdout() -> None:
    result = run("votes.csv", "study", "--yes", "--json")
    document = json.loads(result.stdout)
    assert (document["study"], document["written"]) == ("study", True)
    (file,) = document["files"]
    assert (file["files"], file["format"], file["by"]) == (["votes.csv"], None, "a draft")
    assert file["fields"]["outcome"] == "winner"
    assert document["readings"][0] == {
        "file": "votes.csv", "column": "winner", "cell": "1", "meaning": "system_a", "count": 1,
    }  # fmt: skip
    assert document["skipped"] == [{"file": "votes.csv", "reason": "winner is blank: no label", "count": 1}]
    assert (document["systems"], document["items"], document["annotators"]) == (["gpt-4", "llama"], 3, ["ann", "bob"])
    assert document["next"] == "tiebreak check study"
    assert "Wrote study" in result.stderr


@pytest.mark.parametrize("tables", ["csv", "parquet", "jsonl"])
def test_formats_of_the_tables(tables: str) -> None:
    assert run("votes.csv", "study", "--yes", "--tables", tables).exit_code == 0
    assert [path.name for path in Path("study").iterdir() if path.is_file()] == [f"preferences.{tables}"]
    assert preferences() == EXPECTED


def test_a_tool_is_named(here: Path) -> None:
    vote = {
        "question_id": "q",
        "model_a": "x",
        "model_b": "y",
        "winner": "model_a",
        "anony": True,
        "tstamp": 1715935100,
    }
    save(here, "arena.jsonl", [vote, vote | {"question_id": "r"}])
    result = run("arena.jsonl", "study")
    assert result.exit_code == 0, result.output
    assert "arena.jsonl: Chatbot Arena votes" in result.stdout
    wrong = run("votes.csv", "other", "--format", "arna")
    assert isinstance(wrong.exception, UsageError)
    assert "no format 'arna': did you mean arena?" in str(wrong.exception)


def test_bad_cells_leave_nothing_behind(here: Path) -> None:
    save(here, "bad.csv", [*VOTES, ["5", "gpt-4", "llama", "bob", "perhaps"], ["6", "gpt-4", "", "bob", "1"]])
    before = sorted(os.listdir(here))
    result = run("bad.csv", "study", "--yes")
    assert isinstance(result.exception, InputError)
    first, second = result.exception.problems
    assert (first.file, first.line, first.column, first.value) == ("bad.csv", 6, "winner", "perhaps")
    assert "--value 'outcome:perhaps=a|b|tie|skip'" in first.message
    assert (second.line, second.column) == (7, "model_b")
    assert "bad.csv: read by a draft" in result.stdout, "how the columns were read, before what is wrong with them"
    assert sorted(os.listdir(here)) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["votes.csv", "study", "--map", "itm=x"], r"there is no field 'itm': did you mean item\?"),
        (["votes.csv", "study", "--value", "outcome=x"], "write FIELD:CELL=VALUE"),
        (["votes.csv", "votes.csv", "study"], "votes.csv is named twice"),
        (["nope.csv", "study"], "there is no file nope.csv"),
        (["votes.csv", "open.csv"], "open.csv is a file; the last argument is the study folder"),
        (["votes.csv", "full"], "full is not empty"),
        (["study"], "name at least one file to import"),
        (["votes.csv", "study", "--recipe", "no.toml"], "there is no recipe no.toml"),
    ],
)
def test_wrong_use(arguments: list[str], message: str, here: Path) -> None:
    (here / "full").mkdir()
    save(here / "full", "x.csv", VOTES)
    result = run(*arguments, "--yes")
    assert isinstance(result.exception, UsageError)
    with pytest.raises(UsageError, match=message):
        raise result.exception
    assert not Path("study").exists()


def test_markup_in_cells_is_shown_as_it_is(here: Path) -> None:
    save(here, "m.csv", [["item", "system", "text"], ["1", "[bold]gpt[/bold]", "[red]text[/red]"]])
    result = run("m.csv", "study", "--yes")
    assert result.exit_code == 0, result.output
    assert "[bold]gpt[/bold]" in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals on Windows")
def test_a_real_terminal_is_asked() -> None:
    import pty

    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "tiebreak", "import", "votes.csv", "study"]
    process = subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs)
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
    assert preferences() == EXPECTED


def test_names_that_differ_by_their_spelling_come_with_what_makes_them_one(here: Path) -> None:
    rows = [*VOTES, ["5", "gpt-4", "llama", "Bob", "1"], ["6", "gpt-4", "Llama", "bob", "1"]]
    save(here, "votes.csv", rows)
    told = run("votes.csv", "study").stdout
    assert "--value annotator:Bob=bob" in told
    assert "--value system:Llama=llama" in told
    said = ["--value", "annotator:Bob=bob", "--value", "system:Llama=llama"]
    assert run("votes.csv", "one", *said).exit_code == 0
    assert read_study("one").annotators == ("ann", "bob")
    assert read_study("one").systems == ("gpt-4", "llama")


def test_what_made_judgements_is_counted_and_what_may_not_prove_anything() -> None:
    write_study(signed_study(), "other")
    files = [f"other/{table}.csv" for table in ("items", "outputs", "preferences", "judge_preferences")]
    result = run(*files, "new", "--yes")
    assert "judge_preferences 8, signatures 1" in result.stdout
    assert left_out(read_study("new")) == {"learned": (5, 3)}
