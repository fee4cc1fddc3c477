"""Label Studio: exported tasks with their annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.importers.reading import Imported

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
    return read_as("label-studio", save(tmp_path, "project-3.json", tasks))


def test_left_is_the_first_of_the_names_and_a_cancelled_annotation_is_no_label(tmp_path: Path) -> None:
    done = read(
        tmp_path,
        [annotation(1, 7, pairwise("left")), annotation(2, {"id": 8, "email": "bo@x.org"}, pairwise("right"))],
        [annotation(3, 7, pairwise("right")), annotation(4, 9, pairwise("left"), cancelled=True)],
    )
    columns = ("item", "system_a", "system_b", "annotator", "outcome", "left", "seconds")
    assert rows_of(done.study.preferences, *columns) == [
        ("11", "north", "south", "7", "a", "north", 4.5),
        ("11", "north", "south", "bo@x.org", "b", "north", 4.5),
        ("12", "north", "south", "7", "b", "north", 4.5),
    ]
    assert [of.count for of in done.skipped] == [1]
    assert rows_of(done.study.outputs, "item", "system", "text")[:2] == [("11", "north", "x11"), ("11", "south", "y11")]


def test_names_the_other_way_round(tmp_path: Path) -> None:
    turned, named = (annotation(n, n, pairwise("left", to=to)) for n, to in enumerate(("txt-2,txt-1", "reply,answer")))
    study = read(tmp_path, [turned, named]).study
    assert rows_of(study.preferences, "outcome", "left") == [("b", "south"), ("a", "north")]


def test_no_choice_is_no_tie(tmp_path: Path) -> None:
    done = read(tmp_path, [annotation(1, 7, pairwise("left")), annotation(2, 8)])
    assert cells_of(done.study.preferences, "annotator") == ["7"]
    assert [(of.reason, of.count) for of in done.skipped] == [("selected is blank: no label", 1)]


def test_several_choices_between_two_are_criteria(tmp_path: Path) -> None:
    both = annotation(1, 7, pairwise("left", "helpful"), pairwise("right", "harmless"))
    study = read(tmp_path, [both]).study
    assert rows_of(study.preferences, "criterion", "outcome") == [("helpful", "a"), ("harmless", "b")]


# label_studio_sdk/converter: convert_to_json_min and prettify_result write a choice or text alone as a word, and other
# controls as a list; CSV has the same as text; cancelled annotations and `to_name` are not in them.
MIN = {"created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z", "lead_time": 3.2}


def test_json_min_and_csv(tmp_path: Path) -> None:
    rows = [
        {"id": n, "prompt": f"p{n}", "text1": "x", "text2": "y", **MODELS, "pw": [{"selected": side}],
         "turns": [{"text": "Hi"}], "annotator": who, "annotation_id": n, **MIN}
        for n, side, who in ((1, "left", 4), (2, "right", "bo@x.org"))
    ]  # fmt: skip
    flat = [{k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
    for file in (save(tmp_path, "min.json", rows), save(tmp_path, "min.csv", flat)):
        done = read_as("label-studio", file, ignored=["*"])
        assert rows_of(done.study.preferences, "item", "annotator", "outcome", "seconds") == [
            ("1", "4", "a", 3.2), ("2", "bo@x.org", "b", 3.2),
        ]  # fmt: skip
        assert "on the left" in done.assumptions[0]


def test_a_ranking_and_the_predictions_of_models(tmp_path: Path) -> None:
    ranker = {"value": {"ranker": {"order": ["south", "north"]}}, "from_name": "r", "to_name": "l", "type": "ranker"}
    task = {"id": 1, "data": {"prompt": "p"}, "annotations": [annotation(1, 7, ranker)],
            "predictions": [{"model_version": "gpt", "result": [pairwise("left")]}]}  # fmt: skip
    file = save(tmp_path, "tasks.json", [task, {**task, "id": 2}])
    done = read_as("label-studio", file, mapped=["ranking=r"])
    assert rows_of(done.study.preferences, "system_a", "system_b", "outcome") == [("north", "south", "b")] * 2
    assert done.assumptions == ("The predictions in these tasks are answers of models, and are not read.",)
