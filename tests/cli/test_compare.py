"""`tiebreak compare` as a user meets it: with metrics, with judges, and against a saved result."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run
from tests.metric_pairs import outcomes_and_metric, study_with_metric, votes_and_scores
from tests.small_studies import answer, pair_votes, rating, simulated_votes, study_of, vote

from tiebreak.cli.compare import show_against
from tiebreak.cli.terminal import Terminal
from tiebreak.comparison.against import evaluate_against
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.writers import write_study

# ---- `tiebreak compare` as a user meets it. ------------------------------------------------------------------------


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
        (["--rule", "anytme"], "posterior: did you mean anytime?"),
        (["--metric", "bleu"], "no metric 'bleu'; the study has none"),
        (["--judge", "all"], "no judge that 'all' could mean"),
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
    pairs = document["results"][0]["pairs"]
    assert {pair[side] for pair in pairs for side in ("system_a", "system_b")} == {*NASTY, "zz"}
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


# ---- `tiebreak compare` with metrics, with judges, and against a saved result. -------------------------------------


@pytest.fixture
def with_metric(tmp_path: Path) -> Study:
    """ant against bee on 500 items of which 120 are labelled; metric bleu of correlation .8, judge gpt always right."""
    outcomes, metric = outcomes_and_metric(np.random.default_rng(1), 500, 0.8, 0.2)
    votes, scores = votes_and_scores(outcomes, metric, 120)
    words = {1.0: "a", 0.0: "tie", -1.0: "b"}
    replies = [answer(f"i{k}", "ant", "bee", words[float(value)]) for k, value in enumerate(outcomes)]
    listed = [{"item": f"i{k}"} for k in range(500)]
    study = study_of(votes, scores=scores, judge_preferences=replies, items=listed, name="study")
    write_study(study, tmp_path / "study")
    return read_study(tmp_path / "study")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--metric", "bleu"], {"metrics": ["bleu"]}),
        (["--judge", "gpt"], {"judges": ["gpt"]}),
        (["--metric", "all", "--judge", "all"], {"metrics": ["all"], "judges": ["all"]}),
        (["--metric", "bleu", "--target", "items"], {"metrics": ["bleu"], "target": "items"}),
        (
            ["--rule", "anytime", "--metric", "bleu", "--items-per-pair", "150"],
            {"rule": "anytime", "metrics": ["bleu"], "items_per_pair": 150},
        ),
        (
            ["--metric", "bleu", "--rule", "posterior", "--metric-tie-threshold", "0.3"],
            {"metrics": ["bleu"], "rule": "posterior", "metric_tie_threshold": 0.3},
        ),
        (["--metric", "bleu", "--rule", "fixed", "--no-human"], {"metrics": ["bleu"], "rule": "fixed", "human": False}),
    ],
)
def test_metric_options_reach_the_result(
    run: Run, with_metric: Study, arguments: list[str], options: dict[str, object]
) -> None:
    ran = run("compare", "study", "--json", *arguments)
    assert (ran.code, ran.stderr) == (0, "")
    assert json.loads(ran.stdout) == json.loads(json.dumps(compare(with_metric, **options).to_dict()))  # type: ignore[arg-type]
    assert run("compare", "study", *arguments).code == 0


def test_the_posterior_of_few_labels_is_undecided_and_says_why(run: Run, tmp_path: Path) -> None:
    write_study(study_with_metric(2, 60, 9, 0.8, 0.2), tmp_path / "few")
    write_study(study_with_metric(2, 60, 10, 0.8, 0.2), tmp_path / "ten")
    words = " ".join(run("compare", "few", "--metric", "bleu", "--rule", "posterior").stdout.split())
    assert "P(better)" in words
    assert "fewer than 10" not in run("compare", "ten", "--metric", "bleu", "--rule", "posterior").stdout
    document = json.loads(run("compare", "ten", "--metric", "bleu", "--rule", "posterior", "--json").stdout)
    pair = document["results"][0]["pairs"][0]
    for name in ("a", "tie", "b"):
        low, high = pair["p_interval"][name]
        assert 0 <= low < pair["p"][name] < high <= 1


@pytest.mark.usefixtures("with_metric")
def test_against_counts_the_errors_of_a_metric_alone(run: Run) -> None:
    Path("humans.json").write_text(run("compare", "study", "--json").stdout, encoding="utf-8")
    arguments = ["--rule", "fixed", "--metric", "bleu", "--no-human", "--against", "humans.json"]
    ran = run("compare", "study", *arguments)
    assert (ran.code, ran.stderr) == (0, "")
    document = json.loads(run("compare", "study", "--json", *arguments).stdout)
    assert document["against"]
    assert set(document) == {*json.loads(Path("humans.json").read_text(encoding="utf-8")), "against"}
    with_itself = run("compare", "study", "--against", "humans.json")
    assert with_itself.code == 0


@pytest.mark.parametrize(
    ("name", "content", "words"), [("humans.json", "{", "humans.json"), ("missing.json", None, "missing.json")]
)
@pytest.mark.usefixtures("with_metric")
def test_a_bad_file_to_compare_against_exits_1(run: Run, name: str, content: str | None, words: str) -> None:
    if content is not None:
        Path(name).write_text(content, encoding="utf-8")
    for more in ([], ["--json"]):
        ran = run("compare", "study", "--against", name, *more)
        assert (ran.code, ran.stdout) == (1, "")
        assert words in ran.stderr


# ---- What the terminal shows of an evaluation against a reference. -------------------------------------------------


Pair = tuple[str, str, str, int, int, int]


def document(criteria: dict[str | None, list[Pair]], name: str = "mine", **settings: object) -> dict[str, object]:
    def told(a: str, b: str, verdict: str, *counts: int) -> dict[str, object]:
        shares = {side: count / 10 for side, count in zip(("a", "tie", "b"), counts, strict=True)}
        numbers = dict(zip(("wins", "ties", "losses"), counts, strict=True)) | {"labels": sum(counts)}
        return {"system_a": a, "system_b": b, "verdict": verdict, "p": shares, **numbers}

    results = [{"criterion": name, "pairs": [told(*pair) for pair in pairs]} for name, pairs in criteria.items()]
    study = {"name": name, "fingerprint": name}
    return {"tiebreak": "0.1.0", "study": study, "terms": settings, "results": results}


def shown(here: dict[str, object], there: dict[str, object]) -> str:
    out = io.StringIO()
    show_against(evaluate_against(here, there), Terminal(file=out, width=110, highlight=False))
    return out.getvalue()


def test_totals_errors_and_what_one_side_lacks_are_shown() -> None:
    here: dict[str | None, list[Pair]] = {
        "tone": [("[red]", "y", "a", 6, 2, 2), ("y", "z", "undecided", 4, 2, 4), ("[red]", "q", "a", 8, 1, 1)],
        "wit": [("y", "z", "a", 6, 2, 2)],
        "zest": [("y", "z", "a", 6, 2, 2)],
    }
    there: dict[str | None, list[Pair]] = {
        "tone": [("y", "[red]", "a", 6, 2, 2), ("y", "z", "b", 2, 2, 6), ("k", "[red]", "a", 8, 1, 1)],
        "wit": [("y", "z", "a", 6, 2, 2)],
        "depth": [("y", "z", "a", 6, 2, 2)],
    }
    text = shown(
        document(here, metrics=["rouge"], margin=None), document(there, "[all] labels", metrics=[], margin=0.1)
    )
    assert "margin: here none, reference 0.1" in text
    lines = [line.split() for line in text.splitlines()]
    # tone: one inversion, (.6, .2, .2) against (.2, .2, .6): .4 ln 3 = .439; one omission, (.4, .2, .4) against
    # (.2, .2, .6): .4 ln 2 + .4 ln(2/3) = .115; mean .277.
    assert ["tone", "2", "0", "(0.00)", "1", "(0.50)", "1", "(0.50)", "0", "(0.00)", "0.277", "100%"] in lines
    assert ["all", "3", "1", "(0.33)", "1", "(0.33)", "1", "(0.33)", "0", "(0.00)", "0.185", "100%"] in lines
    assert ["[red],", "y", "[red]", "is", "better", "y", "is", "better", "inversion", "0.439"] in lines
    assert ["y,", "z", "undecided", "z", "is", "better", "omission", "0.115"] in lines
    assert text.index("inversion  ") < text.index("omission  ")
    assert "Pairs only here (tone), 1, left out: [red] - q" in text
    assert "Pairs only in the reference (tone), 1, left out: k - [red]" in text
    assert "Criteria only here, 1, left out: zest" in text
    assert "Criteria only in the reference, 1, left out: depth" in text


def test_many_errors_are_cut_worst_first_and_counted() -> None:
    missed: list[Pair] = [(f"s{k:02}", "t", "undecided", 4, 2, 4) for k in range(30)]
    real: list[Pair] = [(f"s{k:02}", "t", "a", 8, 1, 1) for k in range(30)]
    text = shown(
        document({None: [*missed, ("u", "t", "b", 2, 2, 6)]}), document({None: [*real, ("u", "t", "a", 6, 2, 2)]})
    )
    rows = [line.split() for line in text.splitlines() if line.split()[1:2] == ["t"]]
    assert [row[-2] for row in rows] == ["inversion"] + ["omission"] * 19
    assert rows[0][0] == "u,"
    assert "... and 11 more (--json)" in text
