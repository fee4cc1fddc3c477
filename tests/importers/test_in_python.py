"""`tiebreak.read_csv`: the same guesses as on the command line, as a study with its plan."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import tiebreak
from tiebreak.errors import InputError, UsageError

VOTES = "item,model_a,model_b,worker,winner\n1,x,y,ann,x\n2,x,y,bo,hm\n"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    return path


def test_a_study_with_its_plan(votes: Path) -> None:
    study = tiebreak.read_csv(votes, winner={"hm": "tie"}, rename={"x": "gpt"}, same={"bo": "ann"}, name="mine")
    assert study.name == "mine"
    assert study.systems == ("gpt", "y")
    assert study.annotators == ("ann",)
    assert study.preferences is not None
    assert study.preferences["outcome"].to_list() == ["a", "tie"]
    assert study.plan.confidence >= 0.9
    assert study.plan.files[0].get("annotator") is not None
    assert "outcome: winner (name)" in str(study.plan)
    assert [(r.cell, r.meaning) for r in study.plan.readings] == [
        ("the name of a system", "that system"),
        ("hm", "tie"),
    ]


def test_it_is_a_study_like_any_other(votes: Path) -> None:
    study = tiebreak.read_csv(votes, winner={"hm": "tie"})
    assert isinstance(study, tiebreak.Study)
    assert study.select(annotators=["ann"]).annotators == ("ann",)
    assert pickle.loads(pickle.dumps(study)).plan == study.plan
    assert tiebreak.compare(study).pairs.height == 1


def test_what_cannot_be_read_is_an_error(votes: Path) -> None:
    with pytest.raises(InputError, match="row 3, column winner: 'hm': not an outcome"):
        tiebreak.read_csv(votes)


def test_columns_that_the_user_names(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("q,first one,second one,note\nwhy,so,thus,it is\nhow,well,ill,it was\n", encoding="utf-8")
    study = tiebreak.read_csv(path, map={"input": "q", "text": ["first one", "second one"]})
    assert study.systems == ("first one", "second one")
    with pytest.raises(UsageError, match="it takes 90% to be accepted"):
        tiebreak.read_csv(path)
    assert tiebreak.read_csv(path, accept=0).plan.confidence < 0.9
    with pytest.raises(UsageError, match="accept=2: a confidence is a number from 0 to 1"):
        tiebreak.read_csv(path, accept=2)


def test_judges_and_systems_in_files_of_their_own(tmp_path: Path, votes: Path) -> None:
    judge = tmp_path / "some-llm.csv"
    judge.write_text("item,model_a,model_b,winner\n1,x,y,A\n", encoding="utf-8")
    study = tiebreak.read_csv(votes, winner="hm=skip", judge_files=[judge])
    assert study.judge_preferences is not None
    assert study.judge_preferences["judge"].to_list() == ["some-llm"]
    outputs = tmp_path / "out.csv"
    outputs.write_text("id,output\n1,a\n2,b\n", encoding="utf-8")
    assert tiebreak.read_csv(systems={"gpt=4": outputs}).systems == ("gpt=4",)
