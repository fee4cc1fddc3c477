"""Potato: what each person answered, and in which order the two were shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.importers.made import cells_of, planned, read_as, rows_of, save

from tiebreak.errors import InputError


def label(schema: str, name: str, value: object) -> list[Any]:
    return [{"schema": schema, "name": name}, value]


def items(tmp_path: Path) -> str:
    about = {"responses": ["Hi", "Hello"], "model_a": "north", "model_b": "south"}
    return save(tmp_path, "items.jsonl", [{"id": f"i{n}", "prompt": f"p{n}", **about} for n in range(4)])


def state(tmp_path: Path, who: str, labels: dict[str, Any], orders: dict[str, Any] | None = None) -> str:
    told = {
        "user_id": who, "instance_id_ordering": sorted(labels), "current_instance_index": 0, "max_assignments": -1,
        "instance_id_to_behavioral_data": {}, "instance_id_to_label_to_value": labels,
        "instance_id_to_span_to_value": {item: [] for item in labels},
    }  # fmt: skip
    if orders is not None:
        told["instance_id_to_presentation_order"] = orders
    return save(tmp_path / "annotation_output" / who, "user_state.json", told)


def rows_in(*paths: str) -> list[dict[str, str]]:
    """The rows of the only table that the format makes of the files."""
    (plan,) = planned(*paths)
    assert plan.format is not None
    assert plan.format.name == "potato"
    assert plan.table is not None
    return [row for _, row in plan.table.rows()]


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
    done = read_as(
        "potato",
        state(tmp_path, "ann", ann, {"i0": kept, "i1": turned, "i2": turned, "i3": turned}),
        state(tmp_path, "bo", bo),  # of a version that shuffled nothing, and so recorded no order
        items(tmp_path),
    )
    assert rows_of(done.study.preferences, "item", "system_a", "system_b", "annotator", "outcome") == [
        ("i0", "north", "south", "ann", "a"),
        ("i1", "north", "south", "ann", "b"),
        ("i2", "north", "south", "ann", "tie"),
        ("i3", "north", "south", "ann", "a"),
        ("i0", "north", "south", "bo", "b"),
        ("i1", "north", "south", "bo", "a"),
    ]
    assert rows_of(done.study.outputs, "system", "text")[:2] == [("north", "Hi"), ("south", "Hello")]


def test_a_label_that_is_called_a_is_no_tile(tmp_path: Path) -> None:
    labels = {"i0": [label("preference", "A", "true")]}
    study = read_as("potato", state(tmp_path, "ann", labels, {"i0": {"preference": ["B", "A"]}}), items(tmp_path)).study
    assert cells_of(study.preferences, "outcome") == ["a"]


def test_dimensions_have_columns_of_their_own(tmp_path: Path) -> None:
    labels = {"i0": [label("which", "helpful", "A"), label("which", "safe", "B"), label("stars", "4", "4")]}
    (row,) = rows_in(state(tmp_path, "ann", labels), items(tmp_path))
    assert (row["which.helpful"], row["which.safe"], row["stars"]) == ("A", "B", "4")


def test_a_table_does_not_say_the_order(tmp_path: Path) -> None:
    path = save(tmp_path, "annotations.csv", "instance_id,user_id,preference.selection\ni0,ann,tie\ni1,ann,B\n")
    with pytest.raises(InputError, match=r"user_state\.json"):
        planned(path, items(tmp_path))
    line = {"instance_id": "i0", "user_id": "ann", "labels": {"preference": {"selection": "A"}}}
    lines = save(tmp_path, "annotations.jsonl", [line] * 2)
    with pytest.raises(InputError, match=r"user_state\.json"):
        planned(lines)
    told = state(tmp_path, "ann", {"i1": [label("preference", "selection", "B")]})
    both = read_as("potato", path, told, items(tmp_path))
    assert cells_of(both.study.preferences, "outcome") == ["b"]


def test_a_table_of_other_answers_is_read(tmp_path: Path) -> None:
    path = save(tmp_path, "annotations.csv", "instance_id,user_id,stars.3,stars.4\ni0,ann,,4\ni1,ann,3,\n")
    assert [row["stars"] for row in rows_in(path, items(tmp_path))] == ["4", "3"]


def test_tables_as_before_version_2(tmp_path: Path) -> None:
    """save_user_state and save_all_annotations of the server of Potato 1: a folder for each person, whose file does
    not name them; and `:::` in CSV.
    """
    told = {"displayed_text": "x", "span_annotations": [], "behavioral_data": {}}
    lines = [{"id": f"i{n}", "label_annotations": {"stars": {f"scale_{n}": str(n)}}, **told} for n in (2, 3)]
    text = "user,instance_id,displayed_text,stars:::s2,stars:::s3\nann,i2,x,2,\nann,i3,x,,3\n"
    table = save(tmp_path, "annotated_instances.csv", text)
    for file in (save(tmp_path / "ann", "annotated_instances.jsonl", lines), table):
        found = [(row["instance"], row["user_id"], row["stars"]) for row in rows_in(file)]
        assert found == [("i2", "ann", "2"), ("i3", "ann", "3")]
    several = save(tmp_path / "ann", "annotated_instances.jsonl", [lines[0]] * 2)
    with pytest.raises(InputError, match="every label needs its annotator"):
        read_as("potato", several, mapped=["system=:north"], ignored=["*"])


def test_names_with_points_whole_answers_and_machines(tmp_path: Path) -> None:
    """export/tabular_exporter.py writes `scheme.label`, or the scheme alone for its final answer, and in
    `annotator_origin` whether a model answered.
    """
    head = "instance_id,user_id,annotator_origin,best,best.gpt-3.5,stars,stars.1\n"
    path = save(tmp_path, "annotations.csv", f"{head}i0,ann,human,,true,4,1\ni1,opus,llm,,true,,1\n")
    assert rows_in(path) == [
        {"displayed_text": "", "instance": "i0", "user_id": "ann", "best": "gpt-3.5", "stars": "4"},
        {"displayed_text": "", "instance": "i1", "machine": "opus", "best": "gpt-3.5", "stars": "1"},
    ]
    assert planned(path)[0].recipe.fields["judge"] == "machine"
