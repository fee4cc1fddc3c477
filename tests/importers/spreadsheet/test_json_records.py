"""Nested JSON as people and programs write it: every label comes in, and no path is a system's or a person's name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tiebreak.errors import InputError, UsageError
from tiebreak.importers.in_python import ImportedStudy, read_csv

PAIR = {"model_a": "gpt", "model_b": "llama"}


def vote(person: str, winner: str) -> dict[str, str]:
    return {"annotator": person, "winner": winner}


def read(folder: Path, records: Iterable[dict[str, object]], part: str = "", **options: object) -> ImportedStudy:
    path = folder / "votes.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return read_csv(f"{path}{part}", **options)  # type: ignore[arg-type]


def outcomes(study: ImportedStudy) -> list[tuple[str, str, str]]:
    """Item, annotator and outcome of each preference."""
    return sorted(study.preferences.select("item", "annotator", "outcome").rows())


def texts(number: int) -> list[dict[str, str]]:
    return [{"model": "gpt", "text": f"a {number}"}, {"model": "llama", "text": f"b {number}"}]


def test_every_vote_of_a_list_is_a_label(tmp_path: Path) -> None:
    study = read(tmp_path, ({"item": f"q{i}", **PAIR, "votes": [vote("ann", "A"), vote("bo", "B")]} for i in range(3)))
    assert outcomes(study) == [(f"q{i}", p, o) for i in range(3) for p, o in (("ann", "a"), ("bo", "b"))]


def test_votes_by_name(tmp_path: Path) -> None:
    study = read(tmp_path, ({"item": f"q{i}", **PAIR, "votes": {"ann": "A", "bo": "B"}} for i in range(3)))
    assert study.annotators == ("ann", "bo")


def test_answers_by_criterion(tmp_path: Path) -> None:
    rows = ({"item": f"q{i}", **PAIR, "annotator": "ann", "winner": {"fluency": "A", "style": "B"}} for i in range(3))
    assert set(read(tmp_path, rows).preferences["criterion"]) == {"fluency", "style"}
    ratings = {"fluency": 4, "coherence": 2}
    rows = ({"item": f"q{i}", "model": "gpt", "annotator": "ann", "ratings": ratings} for i in range(3))
    assert set(read(tmp_path, rows).ratings["criterion"]) == {"fluency", "coherence"}


@pytest.mark.parametrize("winner", ["gpt", "A"])
def test_the_two_outputs_of_a_pair_stay_in_their_row(winner: object, tmp_path: Path) -> None:
    study = read(
        tmp_path, ({"id": f"q{i}", "prompt": f"p {i}", "responses": texts(i), "winner": winner} for i in range(3))
    )
    assert study.systems == ("gpt", "llama")
    assert set(study.preferences["outcome"]) == {"a"}
    assert study.outputs.filter(item="q2", system="llama")["text"].to_list() == ["b 2"]


def test_outputs_of_many_systems_are_rows(tmp_path: Path) -> None:
    names = ["gpt", "llama", "qwen"]
    listed = [{"model": name, "text": f"{name} says so"} for name in names]
    by_object = read(tmp_path, ({"id": f"q{i}", "prompt": f"p {i}", "responses": listed} for i in range(3)))
    said = [text["text"] for text in listed]
    by_lists = read(tmp_path, ({"id": f"q{i}", "prompt": f"p {i}", "models": names, "answers": said} for i in range(3)))
    assert by_object.outputs.equals(by_lists.outputs)
    assert by_object.outputs.height == 9


def test_two_lists_of_rows_are_read_one_by_one(tmp_path: Path) -> None:
    third = {"model": "qwen", "text": "c"}
    votes = [{"annotator": "ann", "model_a": "gpt", "model_b": "qwen", "winner": "A"}]
    rows = [{"id": f"q{i}", "responses": [*texts(i), third], "votes": votes} for i in range(3)]
    with pytest.raises(InputError, match="the elements of several lists may be rows; name the one to read") as caught:
        read(tmp_path, rows)
    path = str(tmp_path / "votes.jsonl")
    assert f"{path}#responses" in str(caught.value)
    study = read_csv(f"{path}#responses", f"{path}#votes")
    assert (study.outputs.height, study.preferences.height) == (9, 3)


def document(folder: Path, found: object, name: str = "file.json") -> str:
    path = folder / name
    path.write_text(json.dumps(found), encoding="utf-8")
    return str(path)


def test_texts_alone_in_an_envelope_are_items_by_position(tmp_path: Path) -> None:
    study = read_csv(document(tmp_path, {"model": "gpt", "outputs": ["Lima it is", "Cusco it is"]}))
    assert study.outputs.select("item", "system", "text").rows() == [
        ("item0001", "gpt", "Lima it is"),
        ("item0002", "gpt", "Cusco it is"),
    ]


def test_records_and_lists_by_name(tmp_path: Path) -> None:
    by_item = {f"q{i}": {"gpt": f"a {i}", "llama": f"b {i}", "winner": "gpt", "annotator": "ann"} for i in range(3)}
    study = read_csv(document(tmp_path, by_item))
    assert outcomes(study) == [(f"q{i}", "ann", "a") for i in range(3)]
    by_system = {name: [{"id": f"q{i}", "output": f"{name} {i}"} for i in range(3)] for name in ("gpt-4", "llama")}
    assert read_csv(document(tmp_path, by_system)).systems == ("gpt-4", "llama")
    by_person = {person: [{"item": f"q{i}", **PAIR, "winner": "A"} for i in range(3)] for person in ("ann", "bo")}
    with pytest.raises(UsageError, match="list may name who labelled"):
        read_csv(document(tmp_path, by_person))
    turned = {"gpt": {"q1": "a", "q2": "b"}, "llama": {"q1": "c", "q2": "d"}}
    with pytest.raises(UsageError, match="the records of this file would be items, and one is called gpt"):
        read_csv(document(tmp_path, turned))
    runs = {run: [{"id": f"{run}{i}", "output": f"{run} {i}"} for i in range(3)] for run in ("run1", "run2")}
    with pytest.raises(UsageError, match="the column 'list' may name the systems"):
        read_csv(document(tmp_path, runs))


def test_lists_that_are_not_read_are_named(tmp_path: Path) -> None:
    votes = [{"item": f"q{i}", **PAIR, **vote("ann", "A")} for i in range(3)]
    study = read_csv(document(tmp_path, {"votes": votes, "tags": ["x", "y"]}))
    assert [(found.reason, found.count) for found in study.plan.skipped] == [("the list tags", 2)]


def test_annotations_of_label_studio(tmp_path: Path) -> None:
    """Whoever completed an annotation is an object, and `ground_truth` a flag."""

    def annotation(person: int, won: str) -> dict[str, object]:
        choice = {"value": {"selected": won}, "from_name": "comparison", "type": "pairwise"}
        who = {"id": person, "email": f"p{person}@example.org"}
        return {"id": 5, "completed_by": who, "result": [choice], "ground_truth": False, "was_cancelled": False}

    done = [annotation(1, "left"), annotation(2, "right")]
    task = {"left_model": "gpt", "right_model": "llama", "answer1": "So.", "answer2": "Thus."}
    study = read(tmp_path, ({"id": i, "annotations": done, "data": {"prompt": f"Why {i}?", **task}} for i in range(4)))
    assert outcomes(study)[:2] == [("0", "1", "a"), ("0", "2", "b")]
    assert study.items is not None
    assert study.items["reference"].null_count() == 4


LONG = "a passage of the book that is long enough"


@pytest.mark.parametrize(
    "passages",
    [
        {"passages": [{"is_selected": 1, "passage_text": f"{n} {LONG}", "url": "u"} for n in "ab"]},  # MS MARCO
        {"contexts": [f"{n} {LONG}" for n in "ab"]},
        {"documents": [{"content": f"{n} {LONG}", "score": 0.3} for n in "ab"]},
    ],
)
def test_lists_of_passages(passages: dict[str, object], tmp_path: Path) -> None:
    """They are no outputs, and what a search engine thinks of them is no score of a system."""
    done = {"system": "s", "answer": "So.", "rating": 4, "worker": "ann"}
    study = read(tmp_path, ({"query_id": i, "query": f"Why {i}?", **done, **passages} for i in range(3)))
    assert study.passages is not None
    assert study.outputs is not None
    assert study.passages.rows()[:2] == [("0", "p1", f"a {LONG}"), ("0", "p2", f"b {LONG}")]
    assert (study.outputs["text"][0], study.scores) == ("So.", None)


TURNS = [{"role": "user", "text": "Where is Lima?"}, {"role": "assistant", "text": "In Peru."}]


def test_messages_may_have_texts_and_a_prompt_of_the_system(tmp_path: Path) -> None:
    study = read(tmp_path, [{"id": "q1", "model": name, "turns": TURNS} for name in ("gpt", "llama")])
    assert study.outputs["text"].to_list() == ["In Peru."] * 2
    told = [{"role": "system", "content": "Be brief."}, *TURNS]
    study = read(tmp_path, [{"id": "q1", "model": name, "turns": told} for name in ("gpt", "llama")])
    assert study.items.select("input", "context").rows() == [("Where is Lima?", "Be brief.")]
