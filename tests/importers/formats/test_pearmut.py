"""Pearmut: scores of several systems on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.importers.made import cells_of, read_as, rows_of, save


def segment(name: str, **more: Any) -> dict[str, Any]:
    outputs = {"north-1.5": f"Nord {name}", "south": f"Sued {name}"}
    return {"src": f"Source {name}", "tgt": outputs, "item_id": name, **more}


def scores(north: int | None, south: int | None) -> dict[str, Any]:
    given = {"north-1.5": north, "south": south}
    return {system: {"score": score, "error_spans": [], "textfield": None} for system, score in given.items()}


def page(who: str, number: int | str, items: list[Any], annotation: list[Any]) -> dict[str, Any]:
    actions = [{"time": 1.5, "action": "load"}, {"time": 9.0, "action": "submit"}]
    return {"annotation": annotation, "actions": actions, "item": items, "user_id": who, "item_i": number}


CHECKED = [segment("s3", validation={"south": {"score": [70, 80]}}), segment("s4")]
PAGES = [
    page("otter", "welcome_0", [segment("try")], [scores(1, 2)]),
    page("otter", "welcome_1", [{"text": "Which languages?", "form": "string"}], ["German"]),
    page("otter", 0, [segment("s1"), segment("s2")], [scores(10, 20), scores(30, 40)]),
    page("otter", 1, [segment("s5")], [scores(7, 8)]),
    {"user_id": "otter", "item_i": 0, "annotation": "__RESET__"},
    page("otter", 0, [segment("s1"), segment("s2")], [None, scores(35, 45)]),
    page("mole", 0, [segment("s1"), segment("s2")], [scores(50, 60), scores(70, None)]),
    page("mole", 1, CHECKED, [scores(1, 2), scores(3, 4)]),
    page("mole", 1, CHECKED, [scores(1, 2), scores(5, 6)]),
    page("mole", "random_0", [segment("spot")], [scores(1, 2)]),
]  # fmt: skip
RIGHT = [
    ("s2", "north-1.5", "otter", 35.0), ("s2", "south", "otter", 45.0),
    ("s1", "north-1.5", "mole", 50.0), ("s1", "south", "mole", 60.0), ("s2", "north-1.5", "mole", 70.0),
    ("s4", "north-1.5", "mole", 5.0), ("s4", "south", "mole", 6.0),
]  # fmt: skip


def test_the_last_scores_count_without_resets_welcome_pages_and_checks(tmp_path: Path) -> None:
    path = save(tmp_path, "campaign.jsonl", PAGES)
    study = read_as("pearmut", path).study
    assert rows_of(study.ratings, "item", "system", "annotator", "value") == RIGHT
    assert set(cells_of(study.outputs, "item")) == {"s1", "s2", "s4"}
    assert ("s2", "north-1.5", "Nord s2") in rows_of(study.outputs, "item", "system", "text")
    clusters = dict(rows_of(study.items, "item", "cluster"))
    assert clusters["s1"] == clusters["s2"] != clusters["s4"]


def test_the_file_of_the_dashboard(tmp_path: Path) -> None:
    path = save(tmp_path, "annotations.json", {"campaign": PAGES})
    study = read_as("pearmut", path).study
    assert rows_of(study.ratings, "item", "system", "annotator", "value") == RIGHT


def test_sliders_are_criteria_and_items_go_by_their_sources(tmp_path: Path) -> None:
    told: dict[str, Any] = {"south": {"score": None, "sliders": {"Fluency": 4, "Adequacy": 80}, "error_spans": []}}
    records = [page("otter", n, [{"src": f"Source {n}", "tgt": {"south": "Sued"}}], [told]) for n in (0, 1)]
    path = save(tmp_path, "campaign.jsonl", records)
    study = read_as("pearmut", path).study
    assert rows_of(study.ratings, "item", "criterion", "value") == [
        ("item0001", "Fluency", 4.0), ("item0001", "Adequacy", 80.0),
        ("item0002", "Fluency", 4.0), ("item0002", "Adequacy", 80.0),
    ]  # fmt: skip


def test_what_is_marked_or_written_and_not_read_is_said(tmp_path: Path) -> None:
    told = {"south": {"score": 4, "error_spans": [{"start_i": 0, "end_i": 2, "severity": "minor"}], "textfield": None}}
    records = [page("otter", n, [{"src": f"Source {n}", "tgt": {"south": "Sued"}}], [told]) for n in (0, 1)]
    path = save(tmp_path, "campaign.jsonl", records)
    assert any("error spans" in told for told in read_as("pearmut", path).assumptions)
