"""Answers in the study: beside what is there, signed, used by the other commands, and never mixed with others."""

from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest
from tests.cli.campaign_commands import ok
from tests.docs.documents import run_command
from tests.scoring.judges.judging import add_judges, answers, labels, outcomes, score, scored, small, write_qualities
from tests.scoring.judges.model_server import Call, ModelServer, Say, graded, honest

from tiebreak.data.provenance import read_signatures
from tiebreak.data.readers import read_study


def test_a_signature_stands_for_the_whole_prompt_and_all_settings(server: ModelServer, study: Path) -> None:
    add_judges(study, '[judges.wit]\nmodel = "m"\ncriterion = "wit"\nparameters = { top_p = 0.5 }')
    scored(study, judge="wit")
    ((signature, meaning),) = read_signatures(study).items()
    assert signature.startswith("wit|m|")
    assert set(answers(study)["signature"]) == {signature}
    assert meaning["kind"] == "judge"
    assert "{first}" in str(meaning["user"])
    assert meaning["settings"] == {"temperature": 0.0, "structured": True, "logprobs": False, "top_p": 0.5}
    assert meaning["words"]["criterion"] == "wit"  # type: ignore[index]
    assert server.calls[0].body["top_p"] == 0.5


@pytest.mark.parametrize(
    "change",
    ['question = "Which is wittier?"', "temperature = 1", 'model = "another"', "ties = false", "structured = false",
     'prompt = "mine.txt"', 'labels = ["1", "2", "0"]'],
)  # fmt: skip
def test_answers_made_otherwise_are_replaced_only_on_demand(change: str, server: ModelServer, study: Path) -> None:
    def model(call: Call) -> Say:
        said = honest(call).text
        return Say(said.replace('"A"', '"1"').replace('"B"', '"2"') if '"1"' in call.prompt else said)

    server.model = model
    (study / "mine.txt").write_text("{first} or {second}? {answer}", encoding="utf-8")
    scored(study)
    before = answers(study)
    add_judges(study, f"[judges.model-x]\n{change}")
    code, output = score(study)
    assert (code, "--overwrite replaces them" in output) == (2, True)
    assert answers(study).equals(before)
    assert scored(study, "--overwrite")["scored"] == 8
    found = answers(study)
    assert found.height == 8
    assert set(found["signature"]).isdisjoint(before["signature"])
    assert len(read_signatures(study)) == 2
    assert scored(study)["plan"]["known"] == 8


def test_overwriting_replaces_what_is_not_asked_about_again(server: ModelServer, study: Path) -> None:
    scored(study)
    add_judges(study, "[judges.model-x]\ntemperature = 1")
    scored(study, "--overwrite", "--number-of-items", "1")
    assert answers(study).height == 2  # no judge has answers made in two ways
    assert server.calls


def test_overwriting_by_nothing_keeps_what_is_there(server: ModelServer, study: Path) -> None:
    scored(study)
    before = answers(study)
    add_judges(study, "[judges.model-x]\ntemperature = 1")
    server.model = lambda _: Say(status=401, error={"message": "no such key"})
    scored(study, "--overwrite", code=1)
    assert answers(study).equals(before)


def test_overwriting_asks_about_texts_that_were_changed_and_about_no_others(
    server: ModelServer, tmp_path: Path, study: Path
) -> None:
    outputs = tmp_path / "study" / "outputs.csv"
    scored(study)
    outputs.write_text(outputs.read_text().replace("bee on i0: quality 2", "bee on i0: quality 0"))
    assert scored(study)["plan"]["known"] == 8  # docs/score.md says so
    told = scored(study, "--overwrite")
    assert (told["calls"], told["scored"]) == (2, 8)
    assert answers(study).filter(pl.col("item") == "i0")["outcome"].to_list() == ["a", "a"]
    outputs.write_text(outputs.read_text().replace("bee on i0: quality 0", "ant on i0: quality 1"))
    assert scored(study, "--overwrite")["calls"] == 0
    only = answers(study).filter(pl.col("item") == "i0")
    assert only.select("left", "outcome").rows() == [(None, "tie")]
    outputs.write_text(outputs.read_text().replace("i0,bee,ant on i0: quality 1", "i0,bee,bee on i0: quality 2"))
    assert scored(study, "--overwrite")["calls"] == 0
    assert answers(study).filter(pl.col("item") == "i0")["outcome"].to_list() == ["b", "b"]
    assert len(server.calls) == 10


def test_answers_from_elsewhere_are_not_taken_for_ours(server: ModelServer, tmp_path: Path) -> None:
    rows = [{"item": "i0", "system_a": "bee", "system_b": "ant", "judge": "model-x", "outcome": "a", "left": "bee"}]
    study = write_qualities(tmp_path / "study", {"ant": [1, 1], "bee": [2, 2]}, judge_preferences=rows)
    code, output = score(study)
    assert (code, "1 answer of model-x without a signature" in output) == (2, True)
    scored(study, "--overwrite")
    assert answers(study).height == 4
    assert server.calls


def test_other_judges_and_other_criteria_stay(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=2)
    scored(study)
    scored(study, judge="other")
    add_judges(study, '[judges.model-x]\ncriterion = "wit"')
    scored(study)
    found = answers(study)
    assert found.height == 12
    assert found.group_by("judge", "criterion").len()["len"].to_list() == [4, 4, 4]
    assert len(server.calls) == 12


def test_what_was_added_in_the_meantime_stays(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=2)

    def model(call: Call) -> Say:
        if call.number == 2:
            more = "item,system_a,system_b,annotator,outcome\ni0,ant,bee,ann,b\n"
            (study / "preferences.csv").write_text(more, encoding="utf-8")
        return honest(call)

    server.model = model
    scored(study)
    read = read_study(study)
    assert read.preferences.height == 1
    assert answers(study).height == 4


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_tables_keep_their_format(kind: str, server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    outputs = pl.read_csv(study / "outputs.csv")
    (study / "outputs.csv").unlink()
    getattr(outputs, "write_ndjson" if kind == "jsonl" else "write_parquet")(study / f"outputs.{kind}")
    scored(study)
    assert (study / f"judge_preferences.{kind}").is_file()
    assert len(server.calls) == 2


def test_replies_that_no_csv_holds(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=1)
    choice = {"finish_reason": "stop", "message": {"content": "\x00\ud800 [[A]]"}}
    server.model = lambda _: Say(raw=json.dumps({"model": "m", "choices": [choice]}).encode())
    scored(study)
    assert set(answers(study)["reply"]) == {"\ufffd? [[A]]"}


def test_probabilities_are_those_of_the_systems(server: ModelServer, study: Path) -> None:
    def model(call: Call) -> Say:
        label = json.loads(honest(call).text)["answer"]
        other = "B" if label == "A" else "A"
        shares = {label: 0.6, f" {label}": 0.1, other: 0.1, "C": 0.15}  # .05 is for what is on no menu
        found = [{"token": text, "logprob": math.log(share)} for text, share in shares.items()]
        parts = ['{"answer": "', label, '"}']
        logprobs = [{"token": part, "logprob": 0.0, "top_logprobs": found if part == label else []} for part in parts]
        logprobs[1]["logprob"] = found[0]["logprob"]
        return Say("".join(parts), logprobs=logprobs)

    server.model = model
    add_judges(study, "[judges.model-x]\nlogprobs = true")
    told = scored(study)
    assert server.calls[0].body["logprobs"] is True
    assert server.calls[0].body["top_logprobs"] == 20
    assert told["leaked"] == pytest.approx(0.05)
    found = answers(study)
    assert found["p_b"].to_list() == pytest.approx([0.7 / 0.95] * 8)
    assert found["p_a"].to_list() == pytest.approx([0.1 / 0.95] * 8)
    assert found["p_tie"].to_list() == pytest.approx([0.15 / 0.95] * 8)
    (study / "judge_preferences.csv").unlink()
    assert scored(study)["calls"] == 0
    assert answers(study)["p_b"].to_list() == pytest.approx([0.7 / 0.95] * 8)  # they are kept with the replies


def test_grades_are_scores_of_a_metric(server: ModelServer, tmp_path: Path) -> None:
    study = write_qualities(
        tmp_path / "study", {"ant": [1, 2, 5], "bee": [2, 4, 9]}, preferences=labels(["b", "b", "b"])
    )
    add_judges(study, '[judges.grader]\nmodel = "m"\nrubric = "5: flawless"\nscale = [1, 5]')
    server.model = graded
    told = scored(study, judge="grader", code=4)
    assert (told["scored"], told["unscored"]) == (5, {"unparsed": 1})  # 9 is no grade
    scores = read_study(study).scores
    assert scores.sort("item", "system").select("item", "system", "metric", "value").rows() == [
        ("i0", "ant", "grader", 1.0), ("i0", "bee", "grader", 2.0), ("i1", "ant", "grader", 2.0),
        ("i1", "bee", "grader", 4.0), ("i2", "ant", "grader", 5.0),
    ]  # fmt: skip
    assert scores["signature"].null_count() == 0
    assert "5: flawless" in server.calls[0].prompt
    assert scored(study, judge="grader", code=4)["plan"]["known"] == 5
    assert len(server.calls) == 7
    assert run_command(f"tiebreak compare '{study}' --metric grader")[0] == 0
    add_judges(study, "")
    text = (study / "study.toml").read_text(encoding="utf-8")
    (study / "study.toml").write_text(text.replace("flawless", "perfect"), encoding="utf-8")
    assert score(study, judge="grader")[0] == 2


def test_compare_audit_and_check_take_the_answers_as_they_are(server: ModelServer, tmp_path: Path) -> None:
    ant = [1 + k % 3 for k in range(60)]
    bee = [1 + (k // 3) % 3 for k in range(60)]
    said = ["a" if one > other else "b" if other > one else "tie" for one, other in zip(ant, bee, strict=True)]
    study = write_qualities(tmp_path / "study", {"ant": ant, "bee": bee}, preferences=labels(said[:30]))
    server.model = lambda call: Say("both") if call.number == 5 else honest(call)
    scored(study, code=4)
    assert "Agrees with people on 100% of 30 comparisons" in ok(f"tiebreak compare '{study}' --judge model-x")
    output = ok(f"tiebreak audit '{study}' --judge model-x")
    assert "the outcome changes with it on 0%" in " ".join(output.split())
    output = ok(f"tiebreak check '{study}'")
    assert "1 of 119 judge preferences have no outcome" in " ".join(output.split()) or "model-x" in output


def test_outcomes_do_not_hang_on_which_system_is_named_first(server: ModelServer, tmp_path: Path) -> None:
    study = small(tmp_path / "study", items=2)
    server.model = lambda call: honest(call) if call.number else Say("hm")
    scored(study, code=4)
    turned = answers(study).with_columns(
        system_a="system_b", system_b="system_a", outcome=pl.col("outcome").replace({"a": "b", "b": "a"})
    )
    turned.write_csv(study / "judge_preferences.csv")
    server.model = honest
    assert scored(study)["plan"]["known"] == 3
    assert answers(study).height == 4
    assert sorted(map(str, outcomes(study))) == ["a", "a", "a", "b"]
