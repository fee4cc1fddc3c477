"""Label Studio: exported tasks with their annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import Imported, imported

MODELS = {"model1": "north", "model2": "south"}


def pairwise(selected: str, name: str = "pw", to: str = "txt-1,txt-2") -> dict[str, Any]:
    value = {"selected": selected}
    return {"value": value, "id": "x1", "from_name": name, "to_name": to, "type": "pairwise", "origin": "manual"}


def annotation(number: int, who: object, *results: dict[str, Any], cancelled: bool = False) -> dict[str, Any]:
    return {
        "id": number, "completed_by": who, "result": list(results), "was_cancelled": cancelled, "ground_truth": False,
        "created_at": "2026-01-02T03:04:05.000000Z", "lead_time": 4.5, "prediction": {}, "result_count": len(results),
    }  # fmt: skip


def read(tmp_path: Path, *annotations: list[dict[str, Any]]) -> Imported:
    tasks = [
        {
            "id": number, "annotations": made, "file_upload": "1.json", "predictions": [], "meta": {}, "project": 3,
            "data": {"prompt": f"p{number}", "text1": f"x{number}", "text2": f"y{number}", **MODELS},
        }
        for number, made in enumerate(annotations, 11)
    ]  # fmt: skip
    path = tmp_path / "project-3.json"
    path.write_text(json.dumps(tasks), "utf-8")
    (plan,) = plan_files([str(path)])
    assert plan.format is not None
    assert plan.format.name == "label-studio"
    return imported([plan], "study")


def test_left_is_the_first_of_the_names_and_a_cancelled_annotation_is_no_label(tmp_path: Path) -> None:
    done = read(
        tmp_path,
        [annotation(1, 7, pairwise("left")), annotation(2, {"id": 8, "email": "bo@x.org"}, pairwise("right"))],
        [annotation(3, 7, pairwise("right")), annotation(4, 9, pairwise("left"), cancelled=True)],
    )
    assert done.study.preferences is not None
    columns = ("item", "system_a", "system_b", "annotator", "outcome", "left", "seconds")
    assert done.study.preferences.select(columns).rows() == [
        ("11", "north", "south", "7", "a", "north", 4.5),
        ("11", "north", "south", "bo@x.org", "b", "north", 4.5),
        ("12", "north", "south", "7", "b", "north", 4.5),
    ]
    assert [of.count for of in done.skipped] == [1]
    assert done.study.outputs is not None
    assert done.study.outputs.select("item", "system", "text").rows()[:2] == [
        ("11", "north", "x11"),
        ("11", "south", "y11"),
    ]


def test_names_the_other_way_round(tmp_path: Path) -> None:
    turned, named = (annotation(n, n, pairwise("left", to=to)) for n, to in enumerate(("txt-2,txt-1", "reply,answer")))
    study = read(tmp_path, [turned, named]).study
    assert study.preferences is not None
    assert study.preferences.select("outcome", "left").rows() == [("b", "south"), ("a", "north")]


def test_no_choice_is_no_tie(tmp_path: Path) -> None:
    done = read(tmp_path, [annotation(1, 7, pairwise("left")), annotation(2, 8)])
    assert done.study.preferences is not None
    assert done.study.preferences["annotator"].to_list() == ["7"]
    assert [(of.reason, of.count) for of in done.skipped] == [("selected is blank: no label", 1)]


def test_several_choices_between_two_are_criteria(tmp_path: Path) -> None:
    both = annotation(1, 7, pairwise("left", "helpful"), pairwise("right", "harmless"))
    study = read(tmp_path, [both]).study
    assert study.preferences is not None
    assert study.preferences.select("criterion", "outcome").rows() == [("helpful", "a"), ("harmless", "b")]
