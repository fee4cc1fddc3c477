"""Chatbot Arena's votes in the shapes of its releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.importers.made import cells_of, read_as, rows_of, save


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
    path = save(tmp_path, "arena.parquet", rows)
    study = read_as("arena", path).study
    votes = study.preferences
    assert cells_of(votes, "outcome") == ["a", "b", "tie", "tie"]
    assert cells_of(votes, "annotator") == ["session0", "session0", "session1", "session1"]
    assert set(cells_of(votes, "left")) == {"north"}
    assert votes["decided_at"][0] == "2025-07-01T10:00:00"
    assert rows_of(study.items, "item", "input", "cluster")[0] == ("vote0", "Is it cold?", "session0")
    text = study.outputs.filter(item="vote0", system="north")["text"].item()
    assert text == "Yes, says north.\n\nuser: How cold?\n\nassistant: 2"


def test_the_release_of_2023_is_no_mt_bench(tmp_path: Path) -> None:
    talk = [{"content": "Sing.", "role": "user"}, {"content": "La.", "role": "assistant"}]
    row = {
        "question_id": "58ab", "model_a": "north", "model_b": "south", "winner": "tie (bothbad)",
        "judge": "arena_user_7", "conversation_a": talk, "conversation_b": talk, "turn": 1, "anony": True,
        "language": "English", "tstamp": 1682351591.1322,
    }  # fmt: skip
    path = save(tmp_path, "votes.json", [row, row | {"question_id": "58ac", "winner": "model_b"}])
    votes = read_as("arena", path).study.preferences
    assert cells_of(votes, "item") == ["58ab", "58ac"]
    assert cells_of(votes, "outcome") == ["tie", "b"]
    assert set(cells_of(votes, "annotator")) == {"arena_user_7"}


def test_votes_without_texts(tmp_path: Path) -> None:
    row = {
        "model_a": "north", "model_b": "south", "winner": "model_a", "judge": "arena_user_7", "turn": 1,
        "anony": True, "language": "English", "tstamp": 1682351591.1322,
    }  # fmt: skip
    path = save(tmp_path, "clean_battle.json", [row, row | {"tstamp": 1682351654.6667}])
    votes = read_as("arena", path).study.preferences
    assert cells_of(votes, "item") == ["1682351591.1322", "1682351654.6667"]


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
    row = {"model_a": "north", "model_b": "south", "winner": "model_b", "anony": True} | own
    study = read_as("arena", save(tmp_path, "v.jsonl", [row])).study
    assert rows_of(study.preferences, "item", "outcome", "annotator") == [
        (own.get("question_id") or own.get("id") or "v-1", "b", "ann")
    ]
    assert cells_of(study.items, "input") == ["Sing, it's cold."]
    assert cells_of(study.outputs, "text") == ["La.", "La."]


def test_a_column_for_each_winner(tmp_path: Path) -> None:
    """arena-human-preference-55k, which was also a contest: lists of texts, the last of which may be null."""
    row = '{},north,south,"[""Hi?"",""More""]","[""Hello."",""No.""]","[""Ho."",null]",{}\n'
    head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    path = save(tmp_path, "train.csv", head + row.format(1, "0,1,0") + row.format(2, "0,0,1"))
    study = read_as("arena", path).study
    assert rows_of(study.preferences, "item", "outcome") == [("1", "b"), ("2", "tie")]
    assert study.outputs["text"][0] == "Hello.\n\nuser: More\n\nassistant: No."
