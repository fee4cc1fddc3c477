"""`tiebreak score --judge`: what it asks, what it prints, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.documents import run_command
from tests.scoring.judges.judging import add_judges, answers, score, scored, small
from tests.scoring.judges.model_server import Call, ModelServer, Say, honest, serving


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

    code, _ = score(study, yes=False)
    assert code == 2
    monkeypatch.setattr("tiebreak.cli.score_runs.stdin_is_terminal", lambda: True)
    monkeypatch.setattr("typer.confirm", confirm)
    code, _ = score(study, "--input-price", "1000", "--output-price", "0", yes=False)
    assert code == 1
    assert not server.calls
    assert not (study / "judge_preferences.csv").exists()
    said[0] = True
    assert score(study, yes=False)[0] == 0
    assert score(study, yes=False)[0] == 0  # nothing is left to pay for: nobody is asked
    assert len(asked) == 2


def test_several_judges_share_what_may_be_spent(server: ModelServer, tmp_path: Path) -> None:
    import json

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


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = small(tmp_path / "study")
    code, output = run_command(f"tiebreak score '{study}'")
    assert (code, "name a metric or a judge" in output) == (2, True)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    code, output = score(study)
    assert code == 2


def test_a_campaign_is_no_place_for_answers(work: Path) -> None:
    code, _ = score(work / "camp")
    assert code == 1


def test_replies_steer_no_terminal(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    server.model = lambda _: Say(status=400, error={"message": "\x1b[2Jgone\nand \u202egone"})
    _, output = score(study)
    assert "\x1b" not in output
    assert "\u202e" not in output
    assert "gone" in output


def test_json_is_one_document(server: ModelServer, tmp_path: Path) -> None:
    import json

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
