"""Recipes: read, written, changed by options, and applied to rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.importers.made import by_recipe, drafted, fields, planned, read, rows_of, save, save_workbook

from tiebreak.errors import InputError, UsageError
from tiebreak.importers.plans import ReadOptions, plan_files
from tiebreak.importers.recipe import Recipe, read_recipe, recipe_text

WHOLE = Recipe(
    fields={
        "item": "doc+seg",
        "text": "{system} text",
        "value": ["Ann", "Bo"],
        "annotator": ":column",
        "input": 'a "b"',
    },
    rows="votes[*]",
    split={"pair": "{first} vs {second}"},
    values={"outcome": {"left one": "a"}, "value": {"good": 2, "bad": 0.5, "yes": True}},
    skip={"item": ["TOTAL"]},
    ignore=["notes"],
    decimal=",",
    best_rank="highest",
)


def test_a_recipe_is_written_as_it_is_read(tmp_path: Path) -> None:
    path = Path(save(tmp_path, "a.toml", recipe_text(WHOLE, {"x": "1 | 2"}, about="a.csv")))
    assert read_recipe(path) == WHOLE
    text = path.read_text("utf-8")
    assert text.startswith("# How tiebreak reads a.csv.\n")
    assert '# FIELD = "x"  # 1 | 2' in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[fields\n", r"line 1"),
        ('field = {item = "x"}', r"key field: unknown key: did you mean fields\?"),
        ('[fields]\nitems = "x"', r"key fields\.items: there is no such field: did you mean item\?"),
        ("[fields]\nitem = 3", r"key fields.* must be text or a list|a value in key fields is of another kind"),
        ('[values.winner]\nx = "a"', r"key values\.winner: there is no such field"),
        ('decimal = "x"', r"key decimal: 'x': must be one of '\.', ','"),
        ('ignore = "x"', r"key ignore: 'x': must be a list of texts"),
    ],
)
def test_what_is_no_recipe_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_recipe(Path(save(tmp_path, "a.toml", text)))


def test_options_change_a_recipe() -> None:
    recipe = Recipe(fields={"text": "answer", "item": "id"})
    changed = recipe.with_options(["system=answer", "cluster=none"], ["note"], ["outcome:left one=a"], ["id", "answer"])
    assert changed.fields == {"item": "id", "system": "answer"}
    assert changed.ignore == ["note"]
    assert changed.values == {"outcome": {"left one": "a"}}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mapped": ["item"]}, "write FIELD=COLUMN"),
        ({"mapped": ["itm=x"]}, r"there is no field 'itm': did you mean item\?"),
        ({"values": ["outcome=a"]}, "write FIELD:CELL=VALUE"),
        ({"values": ["winner:x=a"]}, "there is no field 'winner'"),
    ],
)
def test_options_that_say_nothing_are_named(tmp_path: Path, options: dict[str, list[str]], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        planned(save(tmp_path, "a.csv", "item,x\n1,2\n"), **options)


def test_two_things_in_the_name_of_a_column(tmp_path: Path) -> None:
    rows = [["item", "system", "Ann fluency", "Ann truth", "Bo Lee fluency", "Bo Lee truth"], ["1", "x", 1, 2, 3, 4]]
    recipe = '[fields]\nitem = "item"\nsystem = "system"\nvalue = "{annotator} {criterion}"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", rows), recipe).study
    assert rows_of(found.ratings, "annotator", "criterion", "value") == [
        ("Ann", "fluency", 1.0), ("Ann", "truth", 2.0), ("Bo Lee", "fluency", 3.0), ("Bo Lee", "truth", 4.0)
    ]  # fmt: skip


def test_the_name_of_a_winner_among_columns_of_texts(tmp_path: Path) -> None:
    rows = [["Prompt", "gpt answer", "llama answer", "Winner", "gpt length", "llama length", "who"],
            ["River?", "Nile", "Rhine", "llama", 4, 5, "ann"]]  # fmt: skip
    told = {"input": "Prompt", "text": "{system} answer", "outcome": "Winner", "score": "{system} length"}
    recipe = fields(**told, annotator="who")
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", rows), recipe).study
    assert rows_of(found.preferences, "system_a", "system_b", "outcome") == [("gpt", "llama", "b")]
    assert rows_of(found.scores, "system", "metric", "value") == [("gpt", "length", 4.0), ("llama", "length", 5.0)]
    assert found.ratings is None


def test_joined_names_constants_and_decimal_commas(tmp_path: Path) -> None:
    text = "doc;seg;note;Note\nd;1;x;3,5\nd;2;x;4\n"
    recipe = 'ignore = ["note"]\n[fields]\nitem = "doc+seg"\nsystem = ":gpt"\nvalue = "Note"\nannotator = ":file"\n'
    found = by_recipe(tmp_path, save(tmp_path, "ann.csv", text), recipe).study
    assert rows_of(found.ratings, "item", "system", "annotator", "criterion", "value") == [
        ("d/1", "gpt", "ann", "Note", 3.5), ("d/2", "gpt", "ann", "Note", 4.0)
    ]  # fmt: skip


def test_a_comma_that_may_part_thousands_is_refused(tmp_path: Path) -> None:
    file = save(tmp_path, "a.csv", 'item,system,rater,rating\n1,x,ann,"1,5"\n')
    with pytest.raises(InputError, match=r"row 2, column rating: '1,5': the comma may part thousands"):
        read(file)
    recipe = 'decimal = ","\n[fields]\nitem = "item"\nsystem = "system"\nannotator = "rater"\nvalue = "rating"\n'
    assert rows_of(by_recipe(tmp_path, file, recipe).study.ratings, "value") == [(1.5,)]


def test_sheets_of_people(tmp_path: Path) -> None:
    header = ["item", "system", "rating"]
    file = save(tmp_path, "a.xlsx", {"ann": [header, ["1", "x", 3]], "bo": [header, ["1", "x", 4]]})
    found = read(file, mapped=["annotator=:sheet"]).study
    assert rows_of(found.ratings, "annotator", "value") == [("ann", 3.0), ("bo", 4.0)]


def test_rows_of_a_list_within_json(tmp_path: Path) -> None:
    record = {"id": "q1", "responses": [{"model": "gpt", "text": "Lima"}, {"model": "llama", "text": "Peru"}],
              "votes": [{"user": "ann", "choice": "gpt"}, {"user": "bo", "choice": "tie"}]}  # fmt: skip
    first = {"system_a": "responses.0.model", "text_a": "responses.0.text"}
    second = {"system_b": "responses.1.model", "text_b": "responses.1.text"}
    said = fields(item="id", **first, **second, outcome="votes.choice", annotator="votes.user")
    recipe = f'rows = "votes[*]"\n{said}'
    found = by_recipe(tmp_path, save(tmp_path, "a.jsonl", [record, {**record, "id": "q2"}]), recipe).study
    assert rows_of(found.preferences, "item", "annotator", "outcome") == [
        ("q1", "ann", "a"), ("q1", "bo", "tie"), ("q2", "ann", "a"), ("q2", "bo", "tie")
    ]  # fmt: skip
    assert rows_of(found.outputs, "system", "text")[:2] == [("gpt", "Lima"), ("llama", "Peru")]


def test_keys_of_json_that_are_values(tmp_path: Path) -> None:
    record = {"questions": {"q1": {"gpt": {"reviews": [{"by": "ann", "grade": 4}]}}}}
    recipe = 'rows = "questions.{item}.{system}.reviews[*]"\n'
    recipe += fields(item="item", system="system", annotator="reviews.by", value="reviews.grade")
    found = by_recipe(tmp_path, save(tmp_path, "a.jsonl", [record, {"questions": {}}]), recipe).study
    columns = ("item", "system", "annotator", "criterion", "value")
    assert rows_of(found.ratings, *columns) == [("q1", "gpt", "ann", "overall", 4.0)]


def test_ranks_and_rankings(tmp_path: Path) -> None:
    wide = save(tmp_path, "w.csv", "item,x,y,z,who\n1,1,2,2,ann\n")
    recipe = '[fields]\nitem = "item"\nrank = ["x", "y", "z"]\nsystem = ":column"\nannotator = "who"\n'
    expected = [("x", "y", "a"), ("x", "z", "a"), ("y", "z", "tie")]
    found = by_recipe(tmp_path, wide, recipe).study
    assert rows_of(found.preferences, "system_a", "system_b", "outcome") == expected
    found = by_recipe(tmp_path, wide, f'best_rank = "highest"\n{recipe}').study
    assert rows_of(found.preferences, "outcome") == [("b",), ("b",), ("tie",)]
    cells = save(tmp_path, "c.csv", "item,ranking,who\n1,x > y = z,ann\n")
    found = read(cells, mapped=["annotator=who"]).study
    assert rows_of(found.preferences, "system_a", "system_b", "outcome") == expected


def test_counts_of_wins(tmp_path: Path) -> None:
    file = save(tmp_path, "a.csv", "model_a,model_b,wins_a,ties,wins_b\nx,y,2,1,3\n")
    found = read(file, mapped=["item=:row", "annotator=:log"]).study
    assert [outcome for (outcome,) in rows_of(found.preferences, "outcome")] == ["a", "a", "tie", "b", "b", "b"]
    assert found.preferences["item"].n_unique() == 6


def test_several_references_and_settings(tmp_path: Path) -> None:
    rows = [["item", "ref1", "ref2", "run", "ckpt", "lr", "text"], ["1", "R", "S", "hi", "500", "0.1", "T"]]
    recipe = fields(item="item", reference=["ref1", "ref2"], system="run+ckpt", text="text", run="run", step="ckpt")
    recipe += 'setting = ["lr"]\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", rows), recipe).study
    assert rows_of(found.items, "references") == [(["R", "S"],)]
    told = found.settings.systems["hi/500"]
    assert (told.run, told.step, dict(told.settings)) == ("hi", 500, {"lr": 0.1})


def test_spans_and_yes_or_no(tmp_path: Path) -> None:
    text = "item,system,passage_id,passage,support,sensible,worker\n1,x,p1,Lima.,supports,yes,ann\n"
    text += "1,x,p2,No.,neither,,ann\n"
    found = read(save(tmp_path, "a.csv", text)).study
    assert rows_of(found.spans, "passage", "support") == [("p1", "supports"), ("p2", "neither")]
    assert rows_of(found.ratings, "criterion", "value") == [("sensible", 1.0)]
    assert rows_of(found.passages, "passage", "text") == [("p1", "Lima."), ("p2", "No.")]


def test_a_recipe_beside_a_file_is_used_and_must_fit(tmp_path: Path) -> None:
    file = save(tmp_path, "a.csv", "q,m,t\n1,x,T\n")
    save(tmp_path, "a.csv.recipe.toml", '[fields]\nitem = "q"\nsystem = "m"\ntext = "t"\n')
    (plan,) = planned(file)
    assert plan.by.endswith("a.csv.recipe.toml")
    assert plan.is_whole
    save(tmp_path, "a.csv.recipe.toml", '[fields]\nitem = "q"\nsystem = "model"\ntext = "t"\n')
    with pytest.raises(InputError, match=r"system = 'model': there is no such column.*\(there are: q, m, t\)"):
        planned(file)


def test_a_new_column_of_next_week_is_open(tmp_path: Path) -> None:
    recipe = save(tmp_path, "r.toml", '[fields]\nitem = "q"\nsystem = "m"\ntext = "t"\n')
    assert drafted(save(tmp_path, "b.csv", "q,m,t,new\n1,x,T,7\n"), recipes=[recipe]).open == {"new": "7"}
    blank = save(tmp_path, "c.csv", "q,m,t,new\n1,x,T,\n")
    assert drafted(blank, recipes=[recipe]).is_whole, "a blank one says nothing"


def test_known_formats_beside_files_of_a_recipe(tmp_path: Path) -> None:
    vote = {"model_a": "x", "model_b": "y", "winner": "model_a", "anony": True, "tstamp": 1715935100}
    votes = save(tmp_path, "votes.jsonl", [vote | {"question_id": k} for k in "12"])
    outputs = save(tmp_path, "o.csv", "q,m,t\n1,x,T\n1,y,U\n")
    recipe = save(tmp_path, "r.toml", '[fields]\nitem = "q"\nsystem = "m"\ntext = "t"\n')
    plans = planned(votes, outputs, recipes=[recipe])
    assert [plan.by for plan in plans] == ["the format arena", recipe]


def test_a_recipe_that_fits_no_file_is_named(tmp_path: Path) -> None:
    recipe = save(tmp_path, "r.toml", '[fields]\nitem = "q"\nsystem = "model"\ntext = "t"\n')
    with pytest.raises(InputError, match=r"r\.toml: fits no file: .*system = 'model': there is no such column"):
        planned(save(tmp_path, "o.csv", "q,m,t\n1,x,T\n"), recipes=[recipe])


def test_a_recipe_beside_a_tools_file_says_what_its_owner_named(tmp_path: Path) -> None:
    task = {"id": 1, "data": {"prompt": "p", "one": "a", "two": "b", "m1": "x", "m2": "y"},
            "annotations": [{"completed_by": 7, "result": [{"type": "pairwise", "from_name": "pw", "to_name": "t1,t2",
                                                            "value": {"selected": "right"}}]}]}  # fmt: skip
    file = save(tmp_path, "ls.json", f"[{json.dumps(task)}]")
    assert set(drafted(file).open) >= {"one", "two", "m1", "m2"}
    said = (
        'ignore = ["*"]\n[fields]\nitem = "task"\ninput = "prompt"\nsystem_a = "m1"\nsystem_b = "m2"\ntext_a = "one"\n'
    )
    save(tmp_path, "ls.json.recipe.toml", f'{said}text_b = "two"\noutcome = "selected"\nannotator = "completed_by"\n')
    found = read(file).study
    assert rows_of(found.preferences, "system_a", "system_b", "annotator", "outcome") == [("x", "y", "7", "b")]


def test_cells_without_a_value_matter_in_columns_that_are_read(tmp_path: Path) -> None:
    rows = [["item", "system", "rater", "rating", "twice"], ["1", "x", "ann", 3, "=2*D2"], ["2", "x", "ann", 4, "#N/A"]]
    file = save_workbook(tmp_path / "a.xlsx", {"votes": rows})
    with pytest.raises(InputError, match=r"line 2, column E.*without a stored value") as refused:
        planned(file)
    assert refused.value.total == 2
    assert rows_of(read(file, ignored=["twice"]).study.ratings, "value") == [(3.0,), (4.0,)]


def test_the_recipe_of_a_study_names_columns_that_are_gone(tmp_path: Path) -> None:
    known = {"votes.toml": Recipe({"item": "question", "system_a": "x", "system_b": "y", "outcome": "my vote"})}
    file = save(tmp_path, "b.csv", "question,x,y,vote of mine\nq1,m,n,x\n")
    (plan,) = plan_files([file], ReadOptions(known=known))
    assert plan.draft is not None
    assert any("my vote, which votes.toml reads" in what for what in plan.draft.lacking)
