"""compar:IA's votes."""

from __future__ import annotations

from pathlib import Path

from tests.importers.made import cells_of, read_as, rows_of, save


def _vote(number: int, chosen: str | None, equal: bool | None) -> dict[str, object]:
    def talk(name: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "Quelle heure ?"}, {"role": "assistant", "content": f"Midi, dit {name}."}]

    return {
        "id": number, "timestamp": "2025-02-03 10:11:12", "model_a_name": "nord", "model_b_name": "sud",
        "model_pair_name": ["nord", "sud"], "chosen_model_name": chosen, "opening_msg": "Quelle heure ?",
        "both_equal": equal, "conversation_a": talk("nord"), "conversation_b": talk("sud"), "conv_turns": 1,
        "conversation_pair_id": f"a{number}-b{number}", "session_hash": "s", "visitor_id": f"v{number}",
        "conv_useful_a": None,
    }  # fmt: skip


def test_votes_and_equal_ones(tmp_path: Path) -> None:
    votes = [_vote(1, "nord", False), _vote(2, "sud", None), _vote(3, None, True), _vote(4, None, None)]
    path = save(tmp_path, "votes.parquet", votes)
    study = read_as("comparia", path).study
    found = study.preferences
    assert rows_of(found, "item", "outcome", "annotator") == [
        ("a1-b1", "a", "v1"), ("a2-b2", "b", "v2"), ("a3-b3", "tie", "v3"),
    ]  # fmt: skip
    assert set(cells_of(found, "left")) == {"nord"}
    assert found["decided_at"][0] == "2025-02-03T10:11:12"
    assert study.outputs.filter(item="a4-b4")["text"].to_list() == ["Midi, dit nord.", "Midi, dit sud."]
    assert study.items["input"].unique().to_list() == ["Quelle heure ?"]


def test_a_model_against_itself_is_left_out(tmp_path: Path) -> None:
    path = save(tmp_path, "votes.parquet", [_vote(1, "sud", False), _vote(2, "sud", False) | {"model_a_name": "sud"}])
    told = read_as("comparia", path)
    assert cells_of(told.study.preferences, "item") == ["a1-b1"]
    assert [(skipped.reason, skipped.count) for skipped in told.skipped] == [("two outputs of the same system", 1)]


def test_conversations_as_pandas_writes_them(tmp_path: Path) -> None:
    """utils/export_dataset.py of compar:IA: `to_csv(sep="\\t")`."""
    vote = _vote(1, "sud", False)
    cells = ("" if cell is None else str(cell) for cell in vote.values())
    path = save(tmp_path, "votes.tsv", "\t".join(vote) + "\n" + "\t".join(cells) + "\n")
    study = read_as("comparia", path).study
    assert cells_of(study.outputs, "text") == ["Midi, dit nord.", "Midi, dit sud."]
    assert cells_of(study.items, "input") == ["Quelle heure ?"]
