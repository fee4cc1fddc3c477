"""`tiebreak score`: what it asks and prints, one JSON document on request, exit codes, what it leaves alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.cli.campaign_commands import refused
from tests.docs.documents import run_command
from tests.scoring.judges.judging import add_judges, answers, score, scored, small
from tests.scoring.judges.model_server import Call, ModelServer, Say, honest, serving
from tests.scoring.word_studies import study_of_words
from tests.small_studies import pair_votes, rating

from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study

# ---- `tiebreak score`: what it prints, one JSON document on request, exit codes, what it leaves alone. -------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study of eight outputs, rated and compared."""
    monkeypatch.chdir(tmp_path)
    ratings = [rating(f"i{k}", name, "p", shift + k) for k in range(4) for name, shift in (("ant", 4), ("bee", 1))]
    write_study(study_of_words(8, ratings=ratings, preferences=pair_votes("wwtw")), tmp_path / "study")
    return tmp_path


def lines_of(command: str, code: int = 0) -> list[str]:
    found, output = run_command(command)
    assert found == code, output
    assert "Traceback" not in output
    return output.splitlines()


def test_what_was_scored_and_how_it_goes_with_the_labels(folder: Path) -> None:
    (folder / "study" / "outputs.csv").write_text(
        (folder / "study" / "outputs.csv").read_text().replace("i3,bee,", "i3,bee,# ").split("i3,bee")[0] + "i3,bee,\n"
    )
    lines = lines_of("tiebreak score study --metric chrf --metric length --metric distinct-3")
    assert lines[0].split() == ["Metric", "Scored", "Missing", "Texts", "New"]  # a rate would be the time to load
    assert lines[2].split()[:5] == ["chrf", "7", "1", "7", "7"]
    assert lines[-2:] == ["Scores are in study.", "Next: tiebreak compare study --metric all"]
    again = lines_of("tiebreak score study --metric chrf --metric length")
    assert again[2].split()[:5] == ["chrf", "7", "1", "7", "0"]


def test_one_json_document(folder: Path) -> None:
    (line,) = lines_of("tiebreak score study --metric ter --metric mine=rougeL --json")
    found = json.loads(line)
    assert found["study"] == "study"
    assert found["written"] is True
    assert [metric["name"] for metric in found["metrics"]] == ["ter", "mine"]
    assert found["metrics"][0]["higher_is_better"] is False
    assert {row["labels"] for row in found["correlations"]} == {"ratings", "preferences"}
    assert read_study(folder / "study").settings.higher_is_better == {"ter": False, "mine": True}
    again = json.loads(lines_of("tiebreak score study --metric ter --json")[0])
    assert again["written"] is False
    assert again["metrics"][0]["computed"] == 0


def test_the_list_of_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "\n".join(lines_of("tiebreak score --list"))
    for name in ("bleu-234", "meteor", "cider-d", "vecsim", "perplexity-given-input", "comet-qe", "repetition"):
        assert f"\n{name} " in text
    found = json.loads(lines_of("tiebreak score --list --json")[0])
    metrics = {metric["name"]: metric for metric in found["metrics"]}
    assert metrics["perplexity"]["higher_is_better"] is False
    assert metrics["perplexity"]["range"] == [1.0, None]
    assert metrics["comet"]["missing_package"] == "comet"
    assert metrics["comet"]["needs"] == ["input", "references"]
    assert metrics["chrf"]["missing_package"] is None
    assert found["not_loaded"] == {}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("--metric chrf", 2, "name a study: tiebreak score STUDY --metric NAME"),
        ("study", 2, "name a metric or a judge: --metric NAME"),
        ("study --metric chrf --reference-from refs", 2, "must be one of reference, context, input"),
        ("study --metric chrf --workers 0", 2, "workers is 0, but must be a whole number from 1 to 1,000"),
        ("stduy --metric chrf", 1, "no such folder: did you mean study?"),
        ("study --metric comet", 1, "pip install unbabel-comet"),
        ("study --metric perplexity:./nowhere", 1, "there is no model at ./nowhere"),
    ],
)
def test_errors(folder: Path, arguments: str, code: int, words: str) -> None:
    before = sorted(path.name for path in (folder / "study").iterdir())
    assert words in refused(f"tiebreak score {arguments}", code)
    assert sorted(path.name for path in (folder / "study").iterdir()) == before


def test_prepared_outputs_are_in_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_study(study_of_words(4), tmp_path / "study")
    (tmp_path / "study" / "outputs.csv").write_text("item,system,text\ni0,ant,It rains . So it goes .\n")
    lines = lines_of("tiebreak score study --prepare cut=3,detokenise")
    assert lines[0] == (
        "Outputs are prepared (detokenise,cut=3); 1 text changed now. The originals are in the column original."
    )
    lines_of("tiebreak score study --metric length --prepare cut=3,detokenise")
    study = read_study(tmp_path / "study")
    assert study.outputs.row(0, named=True) == {
        "item": "i0", "system": "ant", "text": "It rains.", "sample": None, "original": "It rains . So it goes .",
        "prepared": "detokenise,cut=3",
    }  # fmt: skip
    assert study.scores["value"].to_list() == [2.0]
    lines_of("tiebreak score study --metric length-characters")  # a later run knows what was done
    assert "prep:detokenise+cut=3+v1" in (tmp_path / "study" / "scores.csv").read_text().splitlines()[-1]


def test_progress_of_long_work_is_told_in_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tiebreak.cli import progress as module

    clock = iter([0.0, 0.0, 10.0, 40.0, 50.0])
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with module.progress_bar() as progress:
        progress.begin("chrf", 1000, 100)
        progress.advance(100)
        progress.advance(300)
        progress.advance(100)
    assert capsys.readouterr().err.splitlines() == ["chrf: 500 of 1,000, 10 per second, 50 s left"]


# ---- `tiebreak score --judge`: what it asks, what it prints, and how it ends. --------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving() as found:
        monkeypatch.setenv("OPENAI_BASE_URL", found.url)
        yield found


def test_nothing_is_paid_before_somebody_says_yes(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, asked, said = small(tmp_path / "study"), list[str](), [False]

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return said[0]

    assert score(study, yes=False)[0] == 2
    monkeypatch.setattr("tiebreak.cli.score.stdin_is_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)
    assert score(study, "--input-price", "1000", "--output-price", "0", yes=False)[0] == 1
    assert not server.calls
    assert not (study / "judge_preferences.csv").exists()
    said[0] = True
    assert score(study, yes=False)[0] == 0
    assert score(study, yes=False)[0] == 0  # nothing is left to pay for: nobody is asked
    assert len(asked) == 2


def test_several_judges_share_what_may_be_spent(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=10)
    server.model = lambda call: Say(call.in_form("B"), written=8000)
    command = f"tiebreak score '{study}' --judge one --judge two --judge one --yes --json"
    code, output = run_command(f"{command} --input-price 0 --output-price 10 --spend-at-most 2")
    assert code == 4
    one, two = json.loads(output.splitlines()[0])["judges"]
    assert (one["judge"], two["judge"]) == ("one", "two")
    assert one["calls"] == 20
    assert 1.8 < one["paid"] + two["paid"] <= 2
    assert len(server.calls) == one["calls"] + two["calls"]
    assert set(answers(study)["judge"]) == {"one", "two"}


def test_a_file_of_judges(server: ModelServer, tmp_path: Path) -> None:
    study, folder = small(tmp_path / "study"), tmp_path / "judges"
    folder.mkdir()
    (folder / "mine.txt").write_text("{first} or {second}? {answer}", encoding="utf-8")
    (folder / "judges.toml").write_text('[judges.wit]\nmodel = "m"\nprompt = "mine.txt"', encoding="utf-8")
    add_judges(study, "[judges.wit]\nmodel = 'another'")
    told = scored(study, "--judge-config", str(folder / "judges.toml"), judge="wit")
    assert (told["model"], told["scored"]) == ("m", 8)
    assert "> or <second-" in " ".join(server.calls[0].prompt.split())
    code, output = score(study, "--judge-config", str(folder / "judges.toml"), judge="wits")
    assert (code, "has no judge 'wits': did you mean wit?" in " ".join(output.split())) == (2, True)
    code, output = score(study, "--judge-config", str(folder / "none.toml"), judge="wit")
    assert (code, "none.toml: cannot be read" in " ".join(output.split())) == (1, True)


def test_all_is_no_model(server: ModelServer, tmp_path: Path) -> None:
    # compare --judge all takes every judge; here it would be a model of that name, called and perhaps paid.
    study = small(tmp_path / "study")
    add_judges(study, '[judges.one]\nmodel = "x"\n[judges.two]\nmodel = "y"')
    code, output = score(study, judge="all")
    assert (code, "(one, two)" in output) == (2, True)
    assert not server.calls


def test_a_campaign_is_no_place_for_answers(work: Path) -> None:
    assert score(work / "camp")[0] == 1


def test_replies_steer_no_terminal(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    server.model = lambda _: Say(status=400, error={"message": "\x1b[2Jgone\nand \u202egone"})
    _, output = score(study)
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "gone" in output


def test_json_is_one_document(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study")
    _, output = score(study, "--json")
    first, *others = output.splitlines()
    assert json.loads(first)["judges"][0]["scored"] == 8
    assert not any(line.startswith("{") for line in others)

    def model(call: Call) -> Say:
        raise AssertionError(call)

    server.model = model
    _, output = score(study, "--json", "--dry-run")
    assert json.loads(output)["judges"][0]["plan"]["known"] == 8


@pytest.mark.parametrize("columns", [42, 60, 80, 120])
def test_every_width(columns: int, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(tmp_path)
    study = small(Path("study"))
    server.model = lambda call: Say("hm") if call.number == 2 else honest(call)
    for words in (("--dry-run",), ("--input-price", "1", "--output-price", "1"), ()):
        _, output = score(study, *words)
        assert max(map(len, output.splitlines())) <= columns
