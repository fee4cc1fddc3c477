"""Argilla: records with the responses of each person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.importers.made import read_as, rows_of, save

from tiebreak.importers.reading import Imported

MODELS = {"model1": "north", "model2": "south"}


def fields(name: str) -> dict[str, str]:
    return {"prompt": f"Greet {name}.", "response1": f"Hi {name}", "response2": f"Hello {name}"}


def read(tmp_path: Path, records: list[dict[str, Any]]) -> Imported:
    return read_as("argilla", save(tmp_path, "records.json", records))


def labels(done: Imported) -> list[tuple[Any, ...]]:
    assert rows_of(done.study.outputs, "system", "text")[:2] == [("north", "Hi 1"), ("south", "Hello 1")]
    return rows_of(done.study.preferences, "item", "system_a", "system_b", "annotator", "outcome")


def test_one_persons_discarded_response_leaves_those_of_the_others(tmp_path: Path) -> None:
    about = {"status": "completed", "_server_id": "5f", **MODELS}
    answers, people, states = (f"preference.responses{of}" for of in ("", ".users", ".status"))
    records: list[dict[str, Any]] = [
        {"id": "r1", **about | fields("1"), answers: ["response1", "response2"], people: ["ann", "bo"],
         states: ["submitted", "discarded"], "preference.suggestion": "response2"},
        {"id": "r2", **about | fields("2"), answers: ["response2", "response2", "response1"],
         people: ["ann", "bo", "cy"], states: ["draft", "submitted", "submitted"], "preference.suggestion": None},
        {"id": "r3", **about | fields("3"), answers: None, people: None, states: None, "preference.suggestion": None},
    ]  # fmt: skip
    done = read(tmp_path, records)
    assert labels(done) == [
        ("r1", "north", "south", "ann", "a"),
        ("r2", "north", "south", "bo", "b"),
        ("r2", "north", "south", "cy", "a"),
    ]
    assert [of.count for of in done.skipped] == [2]


def test_nested_records(tmp_path: Path) -> None:
    told: list[list[tuple[str, str]]] = [[("ann", "response2"), ("bo", "tie")], []]
    records = [
        {"id": f"r{number}", "fields": fields(str(number)), "metadata": MODELS, "suggestions": {}, "_server_id": "5f",
         "responses": {"preference": [{"value": value, "user_id": who} for who, value in of]} if of else {}}
        for number, of in enumerate(told, 1)
    ]  # fmt: skip
    assert labels(read(tmp_path, records)) == [
        ("r1", "north", "south", "ann", "b"),
        ("r1", "north", "south", "bo", "tie"),
    ]


def test_records_from_before_version_2(tmp_path: Path) -> None:
    told = [("ann", "response1", "submitted"), ("bo", "response2", "discarded")]
    records = [
        {**fields("1"), "preference": [{"user_id": who, "value": value, "status": state} for who, value, state in told],
         "preference-suggestion": "response2", "preference-suggestion-metadata": {"type": None, "score": None},
         "external_id": "r7", "metadata": json.dumps(MODELS)}
    ]  # fmt: skip
    assert labels(read(tmp_path, records)) == [("r7", "north", "south", "ann", "a")]


def test_what_is_not_in_the_records_is_said(tmp_path: Path) -> None:
    """Record.to_dict of version 2 (records/_resource.py) has no status of responses; `flatten=True` has it."""
    record = {"id": "r1", "fields": fields("1"), "metadata": MODELS, "_server_id": "5f", "vectors": {},
              "suggestions": {"preference": {"value": "response2", "score": 0.9, "agent": "gpt-4"}},
              "responses": {"preference": [{"value": "response1", "user_id": "ann"}]}}  # fmt: skip
    (told,) = read(tmp_path, [record]).assumptions
    assert "Drafts and discarded responses count" in told
    assert "Suggestions are answers of models" in told


def test_records_and_people_without_names(tmp_path: Path) -> None:
    """FeedbackRecord and ResponseSchema of version 1 (client/feedback/schemas/records.py): both names may be None."""
    told = [("response1", "submitted"), ("response2", "submitted")]
    record = {"choice": [{"user_id": None, "value": value, "status": state} for value, state in told],
              "external_id": None, "metadata": json.dumps(MODELS)}  # fmt: skip
    done = read(tmp_path, [{**fields(name), **record} for name in "12"])
    assert labels(done) == [
        (f"item000{n}", "north", "south", f"annotator{k}", side) for n in (1, 2) for k, side in ((1, "a"), (2, "b"))
    ]
