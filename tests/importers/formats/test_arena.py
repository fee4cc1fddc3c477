"""Chatbot Arena's votes in the shapes of its releases."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported


def _parts(role: str, text: str) -> dict[str, object]:
    return {"role": role, "content": [{"type": "text", "text": text, "image": None, "mimeType": None}]}


def test_the_release_of_2025(tmp_path: Path) -> None:
    def side(name: str) -> list[dict[str, object]]:
        said = [("user", "Is it cold?"), ("assistant", f"Yes, says {name}."), ("user", "How cold?"), ("assistant", "2")]
        return [_parts(role, text) for role, text in said]

    rows = [
        {
            "id": f"vote{number}", "model_a": "north", "model_b": "south", "winner": winner,
            "evaluation_session_id": f"session{number // 2}", "evaluation_order": number % 2 + 1,
            "conversation_a": side("north"), "conversation_b": side("south"),
            "full_conversation": [{"user": _parts("user", "Is it cold?")}], "conv_metadata": {"turns": 2},
            "language": "en", "is_code": False, "timestamp": "2025-07-01 10:00:00",
        }
        for number, winner in enumerate(["model_a", "model_b", "tie", "both_bad"])
    ]  # fmt: skip
    path = tmp_path / "arena.parquet"
    pl.DataFrame(rows).write_parquet(path)
    (plan,) = plan_files([str(path)])
    assert plan.format is not None
    assert plan.format.name == "arena"
    study = imported([plan], "study").study
    votes = study.preferences
    assert votes is not None
    assert votes["outcome"].to_list() == ["a", "b", "tie", "tie"]
    assert votes["annotator"].to_list() == ["session0", "session0", "session1", "session1"]
    assert set(votes["left"]) == {"north"}
    assert votes["decided_at"][0] == "2025-07-01T10:00:00"
    assert study.items is not None
    assert study.items.select("item", "input", "cluster").row(0) == ("vote0", "Is it cold?", "session0")
    assert study.outputs is not None
    text = study.outputs.filter(item="vote0", system="north")["text"].item()
    assert text == "Yes, says north.\n\nuser: How cold?\n\nassistant: 2"


def test_the_release_of_2023_is_no_mt_bench(tmp_path: Path) -> None:
    talk = [{"content": "Sing.", "role": "user"}, {"content": "La.", "role": "assistant"}]
    row = {
        "question_id": "58ab", "model_a": "north", "model_b": "south", "winner": "tie (bothbad)",
        "judge": "arena_user_7", "conversation_a": talk, "conversation_b": talk, "turn": 1, "anony": True,
        "language": "English", "tstamp": 1682351591.1322,
    }  # fmt: skip
    path = tmp_path / "votes.json"
    path.write_text(json.dumps([row, row | {"question_id": "58ac", "winner": "model_b"}]), "utf-8")
    (plan,) = plan_files([str(path)])
    assert plan.format is not None
    assert plan.format.name == "arena"
    votes = imported([plan], "study").study.preferences
    assert votes is not None
    assert votes["item"].to_list() == ["58ab", "58ac"]
    assert votes["outcome"].to_list() == ["tie", "b"]
    assert set(votes["annotator"]) == {"arena_user_7"}


def test_votes_without_texts(tmp_path: Path) -> None:
    row = {
        "model_a": "north", "model_b": "south", "winner": "model_a", "judge": "arena_user_7", "turn": 1,
        "anony": True, "language": "English", "tstamp": 1682351591.1322,
    }  # fmt: skip
    path = tmp_path / "clean_battle.json"
    path.write_text(json.dumps([row, row | {"tstamp": 1682351654.6667}]), "utf-8")
    votes = imported(plan_files([str(path)]), "study").study.preferences
    assert votes is not None
    assert votes["item"].to_list() == ["1682351591.1322", "1682351654.6667"]


_TALK = [{"role": "user", "content": "Sing, it's cold."}, {"role": "assistant", "content": "La."}]
_PARTS = {"user": _parts("user", "Sing, it's cold."), **dict.fromkeys(("model_side_a", "model_side_b"), _TALK[1])}


@pytest.mark.parametrize(
    "own",
    [
        # arena-human-preference-100k, whose card says that conversations are texts: JSON, or as pandas writes lists
        {"question_id": "v1", "conversation_a": json.dumps(_TALK), "conversation_b": str(_TALK), "judge_hash": "ann"},
        # search-arena: no name
        {"messages_a": _TALK, "messages_b": _TALK, "judge": "ann", "conv_metadata": {}},
        # arena-human-preference-140k: a session, of which the last part was voted on
        {"id": "v1", "full_conversation": [_PARTS | {"user": None}, _PARTS], "evaluation_session_id": "ann"},
    ],
)
def test_conversations_and_people_of_other_releases(tmp_path: Path, own: dict[str, object]) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({"model_a": "north", "model_b": "south", "winner": "model_b", "anony": True} | own))
    study = imported(plan_files([str(path)]), "study").study
    assert study.preferences is not None
    assert study.preferences.select("item", "outcome", "annotator").rows() == [
        (own.get("question_id") or own.get("id") or "v-1", "b", "ann")
    ]
    assert study.items is not None
    assert study.items["input"].to_list() == ["Sing, it's cold."]
    assert study.outputs is not None
    assert study.outputs["text"].to_list() == ["La.", "La."]


def test_a_column_for_each_winner(tmp_path: Path) -> None:
    """arena-human-preference-55k, which was also a contest: lists of texts, the last of which may be null."""
    path = tmp_path / "train.csv"
    row = '{},north,south,"[""Hi?"",""More""]","[""Hello."",""No.""]","[""Ho."",null]",{}\n'
    head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    path.write_text(head + row.format(1, "0,1,0") + row.format(2, "0,0,1"), "utf-8")
    study = imported(plan_files([str(path)]), "study").study
    assert study.preferences is not None
    assert study.preferences.select("item", "outcome").rows() == [("1", "b"), ("2", "tie")]
    assert study.outputs is not None
    assert study.outputs["text"][0] == "Hello.\n\nuser: More\n\nassistant: No."
