"""`tiebreak.read_csv`, and files that commands read without a folder."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from tests.importers.made import save
from typer.testing import CliRunner

import tiebreak
from tiebreak.cli.commands import app
from tiebreak.errors import InputError, UsageError

VOTES = "item,model_a,model_b,who,winner\n" + "".join(f"{k},x,y,ann,{'AB'[k % 4 == 0]}\n" for k in range(12))


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    save(tmp_path, "votes.csv", VOTES)
    return "votes.csv"


def test_a_study_with_its_plan(votes: str) -> None:
    study = tiebreak.read_csv(votes, map={"annotator": "who"}, values={"system": {"x": "old"}}, name="mine")
    assert (study.name, study.systems, study.annotators) == ("mine", ("old", "y"), ("ann",))
    assert str(study.plan).splitlines()[0] == "votes.csv: read by a draft"
    assert [(of.cell, of.meaning, of.count) for of in study.plan.readings] == [
        ("A", "system_a", 9),
        ("B", "system_b", 3),
    ]
    assert tiebreak.compare(study).pairs.height == 1


def test_a_recipe_and_what_is_ignored(votes: str, tmp_path: Path) -> None:
    recipe = save(tmp_path, "r.toml", '[fields]\nitem = "item"\nsystem_a = "model_a"\nsystem_b = "model_b"\n'
                  'outcome = "winner"\nannotator = ":me"\n')  # fmt: skip
    with pytest.raises(UsageError, match=r"column who \(ann\)"):
        tiebreak.read_csv(votes, recipe=recipe)
    assert tiebreak.read_csv(votes, recipe=recipe, ignore=["who"]).annotators == ("me",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ignore": "who"}, r"write a list of columns"),
        ({"map": "annotator"}, "map='annotator': write a dict"),
        ({"values": ["x"]}, "values=.*write a dict"),
        ({"format": "nope"}, "no format 'nope'"),
        ({"recipe": 3}, "'int' object is not iterable|recipe: 3 is no path"),
    ],
)
def test_wrong_arguments(votes: str, options: dict[str, object], message: str) -> None:
    with pytest.raises((UsageError, TypeError), match=message):
        tiebreak.read_csv(votes, **options)  # type: ignore[arg-type]


def test_a_table_in_memory_is_sent_on() -> None:
    with pytest.raises(UsageError, match=r"a DataFrame is no path; for tables in memory use Study\.from_tables"):
        tiebreak.read_csv(pd.DataFrame({"item": list(range(40))}))  # type: ignore[arg-type]


def test_commands_read_a_file_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(tmp_path, "votes.csv", VOTES.replace("who", "annotator"))
    shown = CliRunner().invoke(app, ["compare", "votes.csv"])
    assert shown.exit_code == 0, shown.output
    assert "On 12 items x was preferred 9 times, y 3 times" in shown.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["votes.csv"], "nothing is written"
    scored = CliRunner().invoke(app, ["score", "votes.csv", "--metric", "length"])
    assert isinstance(scored.exception, InputError)
    assert "tiebreak import" in str(scored.exception)
    save(tmp_path, "votes.csv", VOTES)
    unknown = CliRunner().invoke(app, ["compare", "votes.csv"])
    assert isinstance(unknown.exception, UsageError)
    assert "column who (ann)" in str(unknown.exception)
