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


def test_votes_that_a_value_sums_up(tmp_path: Path) -> None:
    votes = [vote("ann", "A"), vote("bo", "A"), vote("cy", "B")]
    study = read(tmp_path, ({"item": f"q{i}", **PAIR, "winner": "A", "votes": votes} for i in range(3)))
    assert outcomes(study)[:3] == [("q0", "ann", "a"), ("q0", "bo", "a"), ("q0", "cy", "b")]


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


def test_the_two_outputs_of_a_pair_with_their_votes(tmp_path: Path) -> None:
    votes = [vote("ann", "gpt"), vote("bo", "llama")]
    study = read(
        tmp_path, ({"id": f"q{i}", "prompt": f"p {i}", "responses": texts(i), "votes": votes} for i in range(3))
    )
    assert outcomes(study)[:2] == [("q0", "ann", "a"), ("q0", "bo", "b")]
    assert study.outputs.height == 6


def test_names_of_systems_beside_a_list_of_their_texts(tmp_path: Path) -> None:
    rows = [
        {
            "id": i,
            "prompt": f"p {i}",
            "responses": [f"x {i}", f"y {i}"],
            "models": ["llama", "gpt"],
            "winner": 1 + i % 2,
        }
        for i in range(4)
    ]
    assert read(tmp_path, rows).systems == ("gpt", "llama")
    from_0 = [row | {"winner": int(str(row["winner"])) - 1} for row in rows]
    with pytest.raises(InputError, match="numbers may mean several things here"):
        read(tmp_path, from_0)


def test_outputs_of_many_systems_are_rows(tmp_path: Path) -> None:
    names = ["gpt", "llama", "qwen"]
    listed = [{"model": name, "text": f"{name} says so"} for name in names]
    by_object = read(tmp_path, ({"id": f"q{i}", "prompt": f"p {i}", "responses": listed} for i in range(3)))
    said = [text["text"] for text in listed]
    by_lists = read(tmp_path, ({"id": f"q{i}", "prompt": f"p {i}", "models": names, "answers": said} for i in range(3)))
    assert by_object.outputs.equals(by_lists.outputs)
    assert by_object.outputs.height == 9


def test_ranks_beside_outputs(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{i}", "prompt": f"p {i}", "responses": texts(i), "ranks": [2, 1], "rewards": [0.5, 0.25]}
        for i in range(3)
    ]
    study = read(tmp_path, rows)
    assert set(study.preferences["outcome"]) == {"b"}
    third = {"model": "qwen", "text": "c"}
    orders = [{**row, "responses": [*texts(0), third], "ranking": [2, 0, 1]} for row in rows]
    with pytest.raises(InputError, match="the numbers in ranking may be ranks of responses or their order"):
        read(tmp_path, orders)


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


def test_texts_by_system_and_by_place(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{i}", "prompt": f"p {i}", "responses": {"gpt": "x", "llama": "y"}, "winner": "gpt"} for i in range(3)
    ]
    assert read(tmp_path, rows).systems == ("gpt", "llama")
    with pytest.raises(
        UsageError, match=r"responses\.0, responses\.1 would be systems, though they are places in a list"
    ):
        read(tmp_path, ({"prompt": f"p {i}", "responses": [f"x {i}", f"y {i}"], "winner": 1 + i % 2} for i in range(4)))


def test_ratings_by_nobody_stay_in_their_row(tmp_path: Path) -> None:
    people = [{"fluency": 4, "coherence": 2}, {"fluency": 5, "coherence": 1}]
    study = read(tmp_path, ({"id": f"q{i}", "model": "gpt", "text": "x", "ratings": people} for i in range(3)))
    assert (study.ratings.height, study.annotators) == (12, ("ratings.0", "ratings.1"))


def document(folder: Path, found: object, name: str = "file.json") -> str:
    path = folder / name
    path.write_text(json.dumps(found), encoding="utf-8")
    return str(path)


def test_a_list_in_an_envelope(tmp_path: Path) -> None:
    outputs = [{"id": "q1", "output": "Lima"}, {"id": "q2", "output": "Cusco"}]
    found = {"model": "gpt", "score": 0.5, "seed": 3, "outputs": outputs}
    study = read_csv(document(tmp_path, found))
    assert (study.systems, study.outputs.height, study.scores) == (("gpt",), 2, None)


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


def test_outputs_beside_a_list_of_all_systems(tmp_path: Path) -> None:
    """As UltraFeedback: the names in `models` make no pair of the rows, and each aspect is a criterion."""
    rated = {"helpfulness": {"Rating": "4", "Rationale": "so"}, "honesty": {"Rating": "5", "Rationale": "so"}}
    done = [{"model": model, "response": f"By {model}.", "annotations": rated} for model in ("gpt", "llama")]
    rows = (
        {"source": "set", "instruction": f"Do {i}.", "models": ["gpt", "llama"], "completions": done} for i in range(4)
    )
    study = read(tmp_path, rows)
    assert study.preferences is None
    assert study.ratings is not None
    assert study.items is not None
    assert study.ratings.select("system", "criterion", "value").rows()[:2] == [
        ("gpt", "helpfulness", 4.0), ("gpt", "honesty", 5.0),
    ]  # fmt: skip
    assert study.items["input"][0] == "Do 0.", "the source is where the instruction is from"


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


def test_ranked_answers_and_numbers_about_the_row(tmp_path: Path) -> None:
    """As Nectar: what counts turns or answers is no rating."""
    ranked = [{"model": model, "answer": f"By {model}.", "rank": float(place)} for place, model in enumerate("xyz", 1)]
    rows = ({"prompt": f"Why {i}?", "answers": ranked, "turns": 1 + i % 2, "num_responses": 3} for i in range(4))
    study = read(tmp_path, rows)
    assert study.ratings is None
    assert study.preferences is not None
    assert study.preferences.height == 12


def test_people_who_may_be_meant_are_asked_about_at_once(tmp_path: Path) -> None:
    done = {"model": "gpt", "response": "So.", "rating": 4, "mood": "short", "tone": "calm"}
    with pytest.raises(UsageError, match=r"mood or tone may name who[^=]*=mood if so, --map 'ignore=mood\|tone'"):
        read(tmp_path, ({"prompt": f"Why {i}?", **done} for i in range(4)))


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


def test_passages_that_somebody_judged_are_rows(tmp_path: Path) -> None:
    judged = [{"text": f"a {LONG}", "supported": "yes"}, {"text": f"b {LONG}", "supported": "no"}]
    done = {"system": "s", "answer": "So.", "worker": "ann", "passages": judged}
    study = read(tmp_path, ({"id": f"q{i}", "question": f"Why {i}?", **done} for i in range(3)))
    assert study.spans is not None
    assert study.outputs is not None
    assert study.spans.select("item", "passage", "support").rows()[:2] == [
        ("q0", "p1", "supports"), ("q0", "p2", "neither"),
    ]  # fmt: skip
    assert set(study.outputs["text"]) == {"So."}


def test_turns_of_answers_and_of_questions(tmp_path: Path) -> None:
    """As MT-bench: what a model wrote in both turns is one output, and the questions are inputs."""
    asked = ({"question_id": i, "category": "c", "turns": [f"Why {i}?", "And?"]} for i in range(3))
    questions = tmp_path / "question.jsonl"
    questions.write_text("".join(json.dumps(record) + "\n" for record in asked), encoding="utf-8")
    for model in ("vicuna-13b", "alpaca-13b"):
        done = [{"index": 0, "turns": [f"{model} says so.", "No."]}]
        written = ({"question_id": i, "model_id": model, "choices": done} for i in range(3))
        path = tmp_path / f"{model}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in written), encoding="utf-8")
    study = read_csv(*map(str, sorted(tmp_path.iterdir())))
    assert study.outputs is not None
    assert study.items is not None
    assert set(study.outputs["text"]) == {"vicuna-13b says so.\n\nNo.", "alpaca-13b says so.\n\nNo."}
    assert study.items["input"][0] == "Why 0?\n\nAnd?"


TURNS = [{"role": "user", "text": "Where is Lima?"}, {"role": "assistant", "text": "In Peru."}]


def test_messages_may_have_texts_and_a_prompt_of_the_system(tmp_path: Path) -> None:
    study = read(tmp_path, [{"id": "q1", "model": name, "turns": TURNS} for name in ("gpt", "llama")])
    assert study.outputs["text"].to_list() == ["In Peru."] * 2
    told = [{"role": "system", "content": "Be brief."}, *TURNS]
    study = read(tmp_path, [{"id": "q1", "model": name, "turns": told} for name in ("gpt", "llama")])
    assert study.items.select("input", "context").rows() == [("Where is Lima?", "Be brief.")]


def test_the_first_of_several_texts_is_not_taken_for_the_output_without_a_word(tmp_path: Path) -> None:
    turns = [{"text": turn["text"]} for turn in TURNS]
    with pytest.raises(UsageError, match=r"turns\.1\.text is not read, though it stands in one list with turns\.0"):
        read(tmp_path, [{"id": "q1", "model": name, "turns": turns} for name in ("gpt", "llama")])


def test_the_name_of_a_file_is_nobodys(tmp_path: Path) -> None:
    records = [{"id": i, "gpt": f"a {i}", "llama": f"b {i}", "winner": "gpt"} for i in range(8)]
    study = read_csv(document(tmp_path, {"meta": {"name": "pilot"}, "data": records}))
    assert study.annotators == ("annotator1",)
