"""`tiebreak compare` as a user meets it."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.small_studies import pair_votes, rating, simulated_votes, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.writers import write_study

STRENGTHS = {"gpt-3": 0.0, "gpt-4": 0.35, "llama": -0.3}


@pytest.fixture
def saved(tmp_path: Path) -> Study:
    settings = StudySettings(price_per_label=0.1)
    study = study_of(simulated_votes(STRENGTHS, items=70, annotators=2), settings=settings, name="study")
    write_study(study, tmp_path / "study")
    return read_study(tmp_path / "study")


def test_json_is_one_document_alone_on_stdout(run: Run, saved: Study) -> None:
    ran = run("compare", "study", "--json", "--out", "verdicts.md")
    assert ran.code == 0
    assert json.loads(ran.stdout) == json.loads(json.dumps(compare(saved).to_dict()))
    assert ran.stdout.count("\n") == 1
    assert ran.stderr == "Wrote verdicts.md\n"


@pytest.mark.parametrize("name", ["verdicts.csv", "verdicts.tex", "verdicts.md"])
@pytest.mark.usefixtures("saved")
def test_out_writes_the_table_beside_the_result(run: Run, name: str) -> None:
    ran = run("compare", "study", "--out", name)
    assert ran.code == 0
    text = Path(name).read_text(encoding="utf-8")
    assert text.count("gpt-4") >= 2
    if name.endswith(".csv"):
        assert len(list(csv.DictReader(text.splitlines()))) == 3


@pytest.mark.parametrize("name", ["verdicts.txt", "verdicts", "nowhere/verdicts.md"])
def test_a_wrong_out_is_refused_before_any_work(run: Run, tmp_path: Path, name: str) -> None:
    # The study does not exist: had it been read, the exit code would be 1.
    ran = run("compare", "no-study", "--out", name)
    assert (ran.code, ran.stdout) == (2, "")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--systems", "gpt4,gpt-3"], "no system 'gpt4' in the study: did you mean gpt-4?"),
        (["--baseline", "lama"], "no system 'lama': did you mean llama?"),
        (["--criterion", "fluency"], "no criterion 'fluency'"),
        (["--annotators", "expert_*"], "no annotator matches 'expert_*'"),
        (
            ["--rule", "anytme"],
            "posterior: did you mean anytime?",
        ),
        (["--alpha", "5"], "--alpha is 5, but must be above 0 and below 1"),
        (["--margin", "0.1", "--rule", "hoeffding"], "a margin needs --rule fixed or anytime"),
        (["--systems", "gpt-3"], "name at least two systems"),
        (["--several", "median"], "several is 'median', but must be one of mean, majority, first"),
        (["--seed", "-3"], "seed is -3"),
        (["--metric", "bleu"], "no metric 'bleu'; the study has none"),
        (["--judge", "all"], "no judge that 'all' could mean"),
        (["--rule", "posterior"], "--rule posterior needs a metric or judge"),
        (["--rule", "hoeffding", "--metric", "bleu"], "--rule hoeffding uses human labels only"),
        (["--no-human"], "--no-human shows what a metric alone would say"),
        (["--metric-tie-threshold", "-1"], "--metric-tie-threshold is -1,"),
    ],
)
@pytest.mark.usefixtures("saved")
def test_wrong_options_exit_2_with_a_hint(run: Run, arguments: list[str], message: str) -> None:
    ran = run("compare", "study", *arguments)
    assert (ran.code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("tiebreak: ")
    told = ran.stderr.replace("\n  ", " ")
    assert message in told
    assert told.count("\n") == 1


def test_bad_data_exit_1_with_file_line_and_value(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "preferences.csv").write_text("item,system_a,system_b,annotator,outcome\nx,ant,bee,p,A\nx,ant,ant,p,b\n")
    ran = run("compare", "study", "--all")
    assert (ran.code, ran.stdout) == (1, "")
    assert "preferences.csv, line 2" in ran.stderr
    assert "preferences.csv, line 3" in ran.stderr
    assert "'A'" in ran.stderr


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (study_of(outputs=[{"item": "x", "system": s, "text": s} for s in ("ant", "bee")]), "holds no human labels"),
        (study_of(ratings=[rating("x", "ant", "p", 1)]), "no item on which two"),
    ],
    ids=["no labels", "one system"],
)
def test_nothing_to_compare_exits_1(run: Run, tmp_path: Path, study: Study, message: str) -> None:
    write_study(study, tmp_path / "study")
    ran = run("compare", "study", "--all")
    assert (ran.code, ran.stdout) == (1, "")
    assert message in ran.stderr


def test_a_missing_folder_exits_1(run: Run) -> None:
    ran = run("compare", "my-stdy")
    assert (ran.code, ran.stdout) == (1, "")
    assert "my-stdy" in ran.stderr


NASTY = ["[b]old[/b]", "[/x]", "two\nlines", "a|b", "R&D_50%", ":smile:", "back\\slash", "[link=x]", "ünï"]


def test_names_survive_whatever_they_hold(run: Run, tmp_path: Path) -> None:
    rows = [row for k, name in enumerate(NASTY) for row in pair_votes("w" * (14 + k), "zz", name, criterion="[i]")]
    rows += [vote("i0", "zz", NASTY[0], "[red]p", "a", criterion="[i]")]
    write_study(study_of(rows), tmp_path / "[study]")
    ran = run("compare", "[study]", "--multiplicity", "none", "--out", "t.csv")
    assert ran.code == 0
    for name in NASTY:
        for part in name.split("\n"):
            assert part in ran.stdout, name
    document = json.loads(run("compare", "[study]", "--json").stdout)
    assert {pair[side] for pair in document["results"][0]["pairs"] for side in ("system_a", "system_b")} == {
        *NASTY,
        "zz",
    }
    with Path("t.csv").open(encoding="utf-8", newline="") as stream:
        named = {row[side] for row in csv.DictReader(stream) for side in ("system_a", "system_b")}
    assert named == {*NASTY, "zz"}


def test_a_name_with_a_comma_is_quoted_on_the_command_line(run: Run, tmp_path: Path) -> None:
    name = "GPT 4 (large, temp=0.7)"
    write_study(study_of([*pair_votes("w" * 12, name, "c"), *pair_votes("w", "c", "d")]), tmp_path / "study")
    for listed in (f'"{name}",c', "GPT 4 (large\\, temp=0.7),c"):
        ran = run("compare", "study", "--systems", listed, "--json")
        assert json.loads(ran.stdout)["terms"]["systems"] == [name, "c"]
    ran = run("compare", "study", "--systems", f"{name},c")
    assert ran.code == 2
    told = f"did you mean {name}? In a list quote a name that has commas: '\"{name}\",...'"
    assert told in " ".join(ran.stderr.split())
    ran = run("plot", "evidence", "study", "-o", "a.svg", "--rule", "anytime", "--pair", f"{name},c")
    assert told in " ".join(ran.stderr.split())
    ran = run("plot", "evidence", "study", "-o", "a.svg", "--rule", "anytime", "--pair", f'"{name}",c')
    assert ran.code == 0


def test_a_difference_that_is_not_known_says_why_beside_it(run: Run, tmp_path: Path) -> None:
    def votes(c: int) -> list[dict[str, object]]:
        many = {"B": 40, "C": c}
        return [
            {"item": f"q{k}", "system_a": "A", "system_b": other, "annotator": "ann", "outcome": "abb"[k % 3]}
            for other, count in many.items() for k in range(count)
        ]  # fmt: skip

    write_study(Study.from_tables(preferences=votes(3)), tmp_path / "few")
    assert run("report", "few", "-o", "few.html").code == 0
    page = (tmp_path / "few.html").read_text(encoding="utf-8")
    assert '<td class="num">too few items</td>' in page


def test_many_pairs_are_cut_to_those_near_a_verdict(run: Run, tmp_path: Path) -> None:
    strengths = {f"s{k:02d}": 0.02 * k for k in range(20)}
    write_study(study_of(simulated_votes(strengths, items=12)), tmp_path / "study")
    ran = run("compare", "study")
    assert ran.code == 0
    assert "more pairs" not in run("compare", "study", "--all").stdout
    assert len(json.loads(run("compare", "study", "--json").stdout)["results"][0]["pairs"]) == 190


@pytest.mark.usefixtures("saved")
def test_compare_never_changes_the_study(run: Run, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in (tmp_path / "study").iterdir()}
    run("compare", "study")
    assert {path.name: path.read_bytes() for path in (tmp_path / "study").iterdir()} == before
