"""Potato: what each person answered, and in which order the two were shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiebreak.errors import InputError
from tiebreak.importers.plans import ReadOptions, plan_files
from tiebreak.importers.reading import Imported, imported


def label(schema: str, name: str, value: object) -> list[Any]:
    return [{"schema": schema, "name": name}, value]


def items(tmp_path: Path) -> str:
    path = tmp_path / "items.jsonl"
    about = {"responses": ["Hi", "Hello"], "model_a": "north", "model_b": "south"}
    path.write_text("".join(json.dumps({"id": f"i{n}", "prompt": f"p{n}", **about}) + "\n" for n in range(4)), "utf-8")
    return str(path)


def state(tmp_path: Path, who: str, labels: dict[str, Any], orders: dict[str, Any] | None = None) -> str:
    path = tmp_path / "annotation_output" / who / "user_state.json"
    path.parent.mkdir(parents=True)
    told = {
        "user_id": who, "instance_id_ordering": sorted(labels), "current_instance_index": 0, "max_assignments": -1,
        "instance_id_to_behavioral_data": {}, "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": {item: [] for item in labels},
    }  # fmt: skip
    if orders is not None:
        told["instance_id_to_presentation_order"] = orders
    path.write_text(json.dumps(told, indent=2), "utf-8")
    return str(path)


def read(*paths: str) -> Imported:
    plans = plan_files(paths)
    assert [plan.format and plan.format.name for plan in plans] == ["potato"]
    return imported(plans, "study")


def test_a_and_b_are_the_tiles_that_were_shown(tmp_path: Path) -> None:
    kept = {"preference": [0, 1]}
    turned = {"preference": [1, 0], "tone": ["B", "A"]}
    ann = {
        "i0": [label("preference", "selection", "A")],
        "i1": [label("preference", "selection", "A"), label("preference", "justification", '{"rationale": "A is so"}')],
        "i2": [label("preference", "selection", "tie")],
        "i3": [label("preference", "selection", "B")],
    }
    bo = {"i0": [label("preference", "selection", "B")], "i1": [label("preference", "scale_value", "-2")]}
    done = read(
        state(tmp_path, "ann", ann, {"i0": kept, "i1": turned, "i2": turned, "i3": turned}),
        state(tmp_path, "bo", bo),  # of a version that shuffled nothing, and so recorded no order
        items(tmp_path),
    )
    assert done.study.preferences is not None
    assert done.study.preferences.select("item", "system_a", "system_b", "annotator", "outcome").rows() == [
        ("i0", "north", "south", "ann", "a"),
        ("i1", "north", "south", "ann", "b"),
        ("i2", "north", "south", "ann", "tie"),
        ("i3", "north", "south", "ann", "a"),
        ("i0", "north", "south", "bo", "b"),
        ("i1", "north", "south", "bo", "a"),
    ]
    assert done.study.outputs is not None
    assert done.study.outputs.select("item", "system", "text").rows()[:2] == [
        ("i0", "north", "Hi"),
        ("i0", "south", "Hello"),
    ]


def test_a_label_that_is_called_a_is_no_tile(tmp_path: Path) -> None:
    labels = {"i0": [label("preference", "A", "true")]}
    study = read(state(tmp_path, "ann", labels, {"i0": {"preference": ["B", "A"]}}), items(tmp_path)).study
    assert study.preferences is not None
    assert study.preferences["outcome"].to_list() == ["a"]


def test_dimensions_have_columns_of_their_own(tmp_path: Path) -> None:
    labels = {"i0": [label("which", "helpful", "A"), label("which", "safe", "B"), label("stars", "4", "4")]}
    (plan,) = plan_files([state(tmp_path, "ann", labels), items(tmp_path)])
    assert plan.table is not None
    ((_, row),) = plan.table.rows()
    assert (row["which.helpful"], row["which.safe"], row["stars"]) == ("A", "B", "4")


def test_a_table_does_not_say_the_order(tmp_path: Path) -> None:
    path = tmp_path / "annotations.csv"
    path.write_text("instance_id,user_id,preference.selection\ni0,ann,tie\ni1,ann,B\n", "utf-8")
    with pytest.raises(InputError, match=r"user_state\.json"):
        plan_files([str(path), items(tmp_path)])
    lines = tmp_path / "annotations.jsonl"
    lines.write_text(
        '{"instance_id": "i0", "user_id": "ann", "labels": {"preference": {"selection": "A"}}}\n' * 2, "utf-8"
    )
    with pytest.raises(InputError, match=r"user_state\.json"):
        plan_files([str(lines)])
    both = read(str(path), state(tmp_path, "ann", {"i1": [label("preference", "selection", "B")]}), items(tmp_path))
    assert both.study.preferences is not None
    assert both.study.preferences["outcome"].to_list() == ["b"]


def test_a_table_of_other_answers_is_read(tmp_path: Path) -> None:
    path = tmp_path / "annotations.csv"
    path.write_text("instance_id,user_id,stars.3,stars.4\ni0,ann,,4\ni1,ann,3,\n", "utf-8")
    (plan,) = plan_files([str(path), items(tmp_path)])
    assert plan.format is not None
    assert plan.format.name == "potato"
    assert plan.table is not None
    assert [row["stars"] for _, row in plan.table.rows()] == ["4", "3"]


def test_tables_as_before_version_2(tmp_path: Path) -> None:
    """save_user_state and save_all_annotations of the server of Potato 1: a folder for each person, whose file does
    not name them; and `:::` in CSV.
    """
    folder = tmp_path / "ann"
    folder.mkdir()
    told = {"displayed_text": "x", "span_annotations": [], "behavioral_data": {}}
    lines = [{"id": f"i{n}", "label_annotations": {"stars": {f"scale_{n}": str(n)}}, **told} for n in (2, 3)]
    path = folder / "annotated_instances.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    table = tmp_path / "annotated_instances.csv"
    table.write_text("user,instance_id,displayed_text,stars:::s2,stars:::s3\nann,i2,x,2,\nann,i3,x,,3\n", "utf-8")
    for file in (path, table):
        (plan,) = plan_files([str(file)])
        assert plan.table is not None
        assert [(row["instance"], row["user_id"], row["stars"]) for _, row in plan.table.rows()] == [
            ("i2", "ann", "2"), ("i3", "ann", "3"),
        ]  # fmt: skip
    path.write_text("".join(json.dumps(lines[0]) + "\n" for _ in range(2)), "utf-8")  # of several people
    (plan,) = plan_files([str(path)], ReadOptions(mapped=["system=:north"], ignored=["*"]))
    with pytest.raises(InputError, match="every label needs its annotator"):
        imported([plan], "study")


def test_names_with_points_whole_answers_and_machines(tmp_path: Path) -> None:
    """export/tabular_exporter.py writes `scheme.label`, or the scheme alone for its final answer, and in
    `annotator_origin` whether a model answered.
    """
    path = tmp_path / "annotations.csv"
    path.write_text(
        "instance_id,user_id,annotator_origin,best,best.gpt-3.5,stars,stars.1\ni0,ann,human,,true,4,1\n"
        "i1,opus,llm,,true,,1\n",
        "utf-8",
    )
    (plan,) = plan_files([str(path)])
    assert plan.table is not None
    assert [row for _, row in plan.table.rows()] == [
        {"displayed_text": "", "instance": "i0", "user_id": "ann", "best": "gpt-3.5", "stars": "4"},
        {"displayed_text": "", "instance": "i1", "machine": "opus", "best": "gpt-3.5", "stars": "1"},
    ]
    assert plan.recipe.fields["judge"] == "machine"
