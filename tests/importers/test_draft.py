"""Drafts: what the names of columns say, and that nothing else is taken for granted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.importers.made import drafted, planned, read, save

from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.importers.draft import plain
from tiebreak.importers.entries import FIELDS
from tiebreak.importers.plans import refuse_open
from tiebreak.importers.reading import imported


def test_synonyms_are_of_fields_and_of_one_each_in_the_same_place() -> None:
    assert all(plain(word) == word for field in FIELDS.values() for word in field.names)
    assert {name for field in FIELDS.values() for name in field.needs} <= set(FIELDS)


@pytest.mark.parametrize(
    ("header", "fields"),
    [
        ("id,prompt,model,response", "item,input,system,text"),
        ("Doc-ID,System,Worker,Rating", "item,system,annotator,value"),
        ("item,model_1,model_2,preference,user", "item,system_a,system_b,outcome,annotator"),
        (
            "systemA,systemB,outputA,outputB,winner,prompt,rater",
            "system_a,system_b,text_a,text_b,outcome,input,annotator",
        ),
        ("item,system,metric,score", "item,system,metric,score"),
    ],
)
def test_names_that_say_it(tmp_path: Path, header: str, fields: str) -> None:
    numbers = [
        f"{k}" if name.casefold() in ("rating", "score") else f"{name}{k}" for k in (1,) for name in header.split(",")
    ]
    draft = drafted(save(tmp_path, "a.csv", [header.split(","), numbers]))
    assert draft.recipe.fields == dict(zip(fields.split(","), header.split(","), strict=True))
    assert not draft.open


def test_elements_that_name_their_systems_are_rows(tmp_path: Path) -> None:
    def answer(model: str, fluency: int, **more: object) -> dict[str, object]:
        return {
            "model": model,
            "text": f"by {model}",
            "scores": {"fluency": fluency, "ethics": 1},
            "rater": "Ann",
        } | more

    records = [{"id": f"q{k}", "answers": [answer("ant", k), answer("bee", 5)]} for k in (1, 2)]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, records)), "utf-8")
    draft = drafted(file)
    assert draft.is_whole
    assert draft.recipe.rows == "answers[*]"
    assert draft.recipe.fields["value"] == "answers.scores.{criterion}"
    study = imported(planned(file), "study").study
    assert study.ratings is not None
    ratings = set(study.ratings.select("item", "system", "annotator", "criterion", "value").rows())
    assert len(ratings) == 8
    assert {("q2", "ant", "Ann", "fluency", 2.0), ("q1", "bee", "Ann", "ethics", 1.0)} <= ratings
    file.write_text(json.dumps([record | {"winner": "ant"} for record in records]), "utf-8")
    assert drafted(file).recipe.rows == ""  # which of them is better is said of both together
    file.write_text(
        json.dumps([{"id": "q1", "answers": [answer("ant", 1, scores={"fluency": 1, "why": "terse"})] * 2}])
    )
    assert set(drafted(file).open) == {"answers.scores.fluency", "answers.scores.why"}


@pytest.mark.parametrize("header", ["winner,id", "item,system,text,vibe", "a,b,c", "item,text,system,seed,lang"])
def test_what_no_name_says_is_open_with_examples(tmp_path: Path, header: str) -> None:
    names = header.split(",")
    draft = drafted(save(tmp_path, "a.csv", [names, [f"cell of {name}" for name in names]]))
    used = set(draft.recipe.fields.values())
    assert set(draft.open) == {name for name in names if name not in used}
    assert all(example.startswith("cell of") for example in draft.open.values())
    assert not draft.is_whole


def test_two_columns_of_one_name_are_both_open_unless_one_varies(tmp_path: Path) -> None:
    rows = [["id", "model", "variant", "text"], ["1", "big", "v1", "T"], ["2", "big", "v2", "U"]]
    assert drafted(save(tmp_path, "a.csv", rows)).recipe.fields["system"] == "variant"
    rows[1][1] = "small"
    draft = drafted(save(tmp_path, "b.csv", rows))
    assert "system" not in draft.recipe.fields
    assert set(draft.open) == {"model", "variant"}


def test_numbers_of_rows_and_blank_columns_need_no_word(tmp_path: Path) -> None:
    text = ",item,system,text,note\n0,1,x,T,\n1,2,x,U,\n2,3,x,V,\n"
    assert drafted(save(tmp_path, "a.csv", text)).is_whole


def test_open_columns_are_refused_by_name(tmp_path: Path) -> None:
    plans = planned(save(tmp_path, "a.csv", "item,system,text,vibe\n1,x,T,good\n"))
    with pytest.raises(UsageError, match=r"column vibe \(good\)"):
        refuse_open(plans)


def test_texts_of_nobody_ask_for_their_system(tmp_path: Path) -> None:
    file = save(tmp_path, "gpt.csv", "id,answer\n1,T\n")
    assert [what.partition(":")[0] for what in drafted(file).lacking] == ["system"]
    assert read(file, mapped=["system=:file"]).study.systems == ("gpt",)


def test_a_file_that_names_no_model_beside_one_that_does(tmp_path: Path) -> None:
    named = save(tmp_path, "a.csv", "id,model,answer\n1,x,T\n")
    other = save(tmp_path, "question.csv", "id,answer\n1,Why?\n")
    recipes = [save(tmp_path, "a.toml", '[fields]\nitem = "id"\nsystem = "model"\ntext = "answer"\n'),
               save(tmp_path, "b.toml", '[fields]\nitem = "id"\nsystem = ":file"\ntext = "answer"\n')]  # fmt: skip
    with pytest.raises(InputError, match=r"names its systems in a column, so this file may hold no outputs"):
        read(named, other, recipes=recipes)


def test_a_reference_is_no_output(tmp_path: Path) -> None:
    rows = [["id", "gold", "gold copy", "model"], *[[str(k), f"G{k}", f"G{k}", "x"] for k in range(4)]]
    with pytest.raises(InputError, match="every output is the reference of its item"):
        read(save(tmp_path, "a.csv", rows), mapped=["text=gold copy"])


def test_what_all_systems_say_is_no_output(tmp_path: Path) -> None:
    rows = [["id", "source doc", "model"], *[[str(k), f"G{k}", of] for k in range(4) for of in "xy"]]
    with pytest.raises(InputError, match="all systems have the same text on every item"):
        read(save(tmp_path, "a.csv", rows), mapped=["text=source doc"])


NAMES = st.sampled_from(
    ["item", "id", "prompt", "model", "system", "text", "answer", "model_a", "model_b", "winner", "rating", "annotator",
     "worker", "notes", "is_ok", "rater 1", "rater 2", "x", "gold", "score", "metric", "fluency"]
)  # fmt: skip
CELLS = st.sampled_from(
    ["1", "2", "5", "a", "b", "tie", "yes", "no", "gpt", "llama", "Some longer text.", "", "left", "ann"]
)


@given(st.lists(NAMES, min_size=1, max_size=7, unique=True), st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_column_is_dropped_unsaid(tmp_path: Path, names: list[str], data: st.DataObject) -> None:
    """Whatever the file: each column with cells is read or named; and a study that is written, or an error with its
    file.
    """
    rows = data.draw(st.lists(st.lists(CELLS, min_size=len(names), max_size=len(names)), min_size=1, max_size=5))
    if not any(any(row) for row in rows):
        return
    file = save(tmp_path, "a.csv", [names, *rows])
    plans = planned(file)
    (plan,) = plans
    assert plan.draft is not None
    read_ = {column for name in plan.recipe.fields for column in plan.recipe.columns_of(name)}
    filled = {name for k, name in enumerate(names) if any(row[k] for row in rows)}
    patterns = [said for said in read_ if "{" in said]
    assert filled <= read_ | set(plan.draft.open) or patterns
    if not plan.is_whole:
        return
    problem = _problem(lambda: write_study(imported(plans, "study").study, tmp_path / "study", overwrite=True))
    named = ("a.csv", "make no study alone", "no outputs and no labels")
    assert problem is None or any(part in problem for part in named)


def _problem(work: Callable[[], None]) -> str | None:
    try:
        work()
    except TiebreakError as error:
        return str(error)
    return None


def test_a_reference_may_be_one_system_of_several(tmp_path: Path) -> None:
    rows = [["id", "gold", "model", "text"]]
    rows += [
        [str(k), f"G{k}", of, f"G{k}" if of == "people" else f"{of} {k}"] for k in range(4) for of in ("people", "x")
    ]
    assert read(save(tmp_path, "a.csv", rows)).study.systems == ("people", "x")


def test_short_texts_that_repeat_are_texts_where_systems_are_named(tmp_path: Path) -> None:
    rows = [["item", "text1", "text2", "model1", "model2", "winner", "rater"]]
    rows += [[f"q{k % 2}", f"yes {k % 2}", f"no {k % 2}", "x", "y", "1", f"r{k}"] for k in range(12)]
    fields = drafted(save(tmp_path, "a.csv", rows)).recipe.fields
    assert (fields["text_a"], fields["system_a"]) == ("text1", "model1")


def test_two_damaged_documents_are_told_of_together(tmp_path: Path) -> None:
    files = [save(tmp_path, name, '[{"a": 1},') for name in ("a.json", "b.json")]
    with pytest.raises(InputError) as caught:
        planned(*files)
    assert [Path(problem.file).name for problem in caught.value.problems] == ["a.json", "b.json"]
