"""Inputs that people have, each with the recipe that reads it rightly, or the draft that needs none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import by_recipe, drafted, fields, planned, read, rows_of, save

from tiebreak.errors import InputError


def test_ratings_beside_a_pair(tmp_path: Path) -> None:
    rows = [["item", "prompt", "model_a", "model_b", "response_a", "response_b", "rating_a", "rating_b", "annotator"]]
    rows += [[f"q{k}", f"P{k}?", "old", "new", f"old {k}", f"new {k}", "2", "4", "ann"] for k in range(4)]
    found = read(save(tmp_path, "a.csv", rows)).study
    assert rows_of(found.ratings, "system", "criterion", "value")[:2] == [
        ("old", "overall", 2.0),
        ("new", "overall", 4.0),
    ]
    assert found.ratings is not None
    assert (found.ratings.height, found.preferences) == (8, None)
    assert rows_of(found.outputs, "system", "text")[:2] == [("old", "old 0"), ("new", "new 0")]


def test_pairs_of_a_system_with_itself_are_left_out_with_a_count(tmp_path: Path) -> None:
    rows = [["question", "type_a", "type_b", "answer_a", "answer_b", "overall_preference"]]
    rows += [
        [f"q{k}", "human", "human" if k % 3 == 0 else "machine", f"A{k}", f"B{k}", (-1, 1)[k % 2]] for k in range(6)
    ]
    recipe = fields(input="question", system_a="type_a", system_b="type_b", text_a="answer_a", text_b="answer_b")
    recipe += 'outcome = "overall_preference"\nannotator = ":me"\nsample_a = ":first"\n'
    recipe += '[values.outcome]\n-1 = "a"\n1 = "b"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", rows), recipe)
    assert [skipped.count for skipped in found.skipped] == [2]
    assert rows_of(found.study.preferences, "outcome") == [("b",), ("a",), ("a",), ("b",)]


def test_columns_of_raters_beside_a_criterion(tmp_path: Path) -> None:
    rows = [["doc_id", "system", "summary", "criterion", "Rater 1", "Rater 2"]]
    for item in ("1", "2"):
        rows += [[item, of, f"{of} {item}", asked, "3", "4"] for of in ("x", "y") for asked in ("fluency", "truth")]
    found = read(save(tmp_path, "a.csv", rows)).study
    assert found.annotators == ("Rater 1", "Rater 2")
    assert found.criteria == ("fluency", "truth")
    expected = [("Rater 1", "fluency", 3.0), ("Rater 2", "fluency", 4.0)]
    assert rows_of(found.ratings, "annotator", "criterion", "value")[:2] == expected


def test_columns_of_texts_that_name_their_systems(tmp_path: Path) -> None:
    rows = [["Mail ID", "Original mail", "Summary (old)", "Summary (new)"], ["M1", "Hi all", "Hi.", "Hello."]]
    found = read(save(tmp_path, "a.csv", rows)).study
    assert rows_of(found.outputs, "system", "text") == [("old", "Hi."), ("new", "Hello.")]
    assert rows_of(found.items, "item", "input") == [("M1", "Hi all")]


def test_sides_are_those_of_the_columns(tmp_path: Path) -> None:
    rows = [["item", "left_model", "right_model", "winner", "annotator"], ["1", "x", "y", "right", "ann"]]
    found = read(save(tmp_path, "a.csv", [*rows, ["2", "y", "x", "left", "ann"]])).study
    assert rows_of(found.preferences, "system_a", "left", "outcome") == [("x", "x", "b"), ("y", "y", "a")]


def test_outputs_votes_and_a_judge_each_by_its_own_description(tmp_path: Path) -> None:
    outputs = [
        {"id": f"t{k}", "prompt": f"Help {k}", "variant": of, "model": "big", "response": f"{of} {k}", "error": None}
        for k in range(4)
        for of in ("v1", "v2")
    ]
    votes = [["Timestamp", "Ticket", "left = ", "right = ", "Which would you send?", "Who are you?"]]
    votes += [["5/12/2025 15:44:54", f"t{k}", "v2", "v1", ("Left", "same")[k % 2], "tom"] for k in range(4)]
    votes += [["", "TOTAL", "", "", "4", ""]]
    judged = [
        {"ticket": f"t{k}", "answer_a": "v1", "answer_b": "v2", "verdict": "AB"[k % 2], "cost": 0.1, "judge": "big"}
        for k in range(12)
    ]
    files = [save(tmp_path, "o.jsonl", outputs), save(tmp_path, "v.csv", votes), save(tmp_path, "j.jsonl", judged)]
    recipes = {
        "o": 'ignore = ["*"]\n[fields]\nitem = "id"\ninput = "prompt"\nsystem = "variant"\ntext = "response"\n',
        "v": 'ignore = ["Timestamp"]\n[fields]\nitem = "Ticket"\nsystem_a = "left ="\nsystem_b = "right ="\n'
        'left = "left ="\noutcome = "Which would you send?"\nannotator = "Who are you?"\n[skip]\nTicket = ["TOTAL"]\n',
        "j": 'ignore = ["cost"]\n[fields]\nitem = "ticket"\nsystem_a = "answer_a"\nsystem_b = "answer_b"\n'
        'outcome = "verdict"\njudge = "judge"\n',
    }
    for name, text in recipes.items():
        save(tmp_path, f"{name}.toml", text)
    found = read(*files, recipes=[str(tmp_path / f"{name}.toml") for name in recipes])
    assert rows_of(found.study.preferences, "item", "outcome", "left")[:2] == [("t0", "a", "v2"), ("t1", "tie", "v2")]
    assert found.study.judge_preferences is not None
    assert found.study.outputs is not None
    assert (found.study.judge_preferences.height, found.study.outputs.height) == (12, 8)
    assert found.study.systems == ("v1", "v2")
    assert [(of.reason, of.count) for of in found.skipped] == [("rows that the recipe leaves out", 1)]


def test_labels_in_words(tmp_path: Path) -> None:
    rows = [["doc_id", "system", "summary", "is_factual", "worker_id"], ["1", "one", "S.", "no", "w"]]
    file = save(tmp_path, "a.csv", [*rows, ["2", "one", "T.", "yes", "w"]])
    assert list(drafted(file).open) == ["is_factual"]
    found = read(file, mapped=["value=is_factual"])
    assert rows_of(found.study.ratings, "criterion", "value") == [("is_factual", 0.0), ("is_factual", 1.0)]
    assert [(of.cell, of.meaning, of.count) for of in found.readings] == [("no", "0", 1), ("yes", "1", 1)]
    found = read(file, mapped=["value=is_factual"], values=["value:yes=5", "value:no=2"])
    assert rows_of(found.study.ratings, "value") == [(2.0,), (5.0,)]


def test_questions_are_criteria_and_no_people(tmp_path: Path) -> None:
    rows = [["item", "model_a", "model_b", "best_fluency", "best_overall"], ["0", "x", "y", "B", "tie"]]
    file = save(tmp_path, "a.csv", rows)
    draft = drafted(file)
    assert list(draft.open) == ["best_fluency", "best_overall"]
    assert "outcome" not in draft.recipe.fields
    found = read(file, mapped=["outcome=best_{criterion}", "annotator=:me"]).study
    expected = [("fluency", "b", "me"), ("overall", "tie", "me")]
    assert rows_of(found.preferences, "criterion", "outcome", "annotator") == expected
    people = save(tmp_path, "b.toml", '[fields]\nitem = "item"\nsystem_a = "model_a"\nsystem_b = "model_b"\n'
                  'outcome = ["best_fluency", "best_overall"]\nannotator = ":column"\n')  # fmt: skip
    with pytest.raises(InputError, match=r"annotator: 'best_fluency': this asks for something and is nobody's name"):
        read(file, recipes=[people])


def test_a_cell_is_taken_apart(tmp_path: Path) -> None:
    rows = [["plot", "style", "options"], ["same", "gpt", "gpt,llama"], ["llama", "gpt", "llama,gpt"]]
    recipe = fields(item=":row", system_a="first", system_b="second", outcome=["plot", "style"], criterion=":column")
    recipe += 'annotator = ":me"\n[split]\noptions = "{first},{second}"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", rows), recipe).study
    assert rows_of(found.preferences, "item", "criterion", "outcome") == [
        ("a-0001", "plot", "tie"), ("a-0001", "style", "a"), ("a-0002", "plot", "a"), ("a-0002", "style", "b")
    ]  # fmt: skip


def test_scores_without_outputs(tmp_path: Path) -> None:
    labels = [["item", "system", "annotator", "criterion", "value"], ["1", "bot", "ann", "ok", "1"]]
    scores = [["item", "system", "metric", "value"], ["1", "bot", "llm", "1"], ["2", "bot", "llm", "0"]]
    found = read(save(tmp_path, "l.csv", labels), save(tmp_path, "s.csv", scores)).study
    assert rows_of(found.scores, "item", "metric", "value") == [("1", "llm", 1.0), ("2", "llm", 0.0)]
    assert found.ratings is not None


def test_battles_without_items_are_items_of_their_own(tmp_path: Path) -> None:
    file = save(tmp_path, "b.csv", [["left", "right", "winner"], ["red", "green", "tie"], ["red", "green", "left"]])
    assert [what.partition(":")[0] for what in drafted(file).lacking] == ["item", "annotator"]
    found = read(file, mapped=["item=:row", "annotator=:log"]).study
    assert rows_of(found.preferences, "item", "outcome") == [("b-0001", "tie"), ("b-0002", "a")]


def test_a_repeated_prompt_is_no_item(tmp_path: Path) -> None:
    rows = [
        {"prompt": "Write.", "response 1": f"one {k}", "response 2": f"two {k}", "label": 1 + k % 2} for k in (0, 1)
    ]
    file = save(tmp_path, "r.jsonl", rows)
    said = ["system_a=:first", "system_b=:second", "outcome=label", "annotator=:me"]
    with pytest.raises(InputError, match=r"first has another text for item item0001 .*--map item=:row"):
        read(file, mapped=said)
    found = read(file, mapped=[*said, "item=:row", "cluster=prompt"]).study
    assert rows_of(found.preferences, "item", "outcome") == [("r-0001", "a"), ("r-0002", "b")]
    assert rows_of(found.items, "item", "cluster") == [("r-0001", "Write."), ("r-0002", "Write.")]


def test_groups_of_columns(tmp_path: Path) -> None:
    header = "item,system1,text1,rating1,system2,text2,rating2,system3,text3,rating3,rater"
    found = read(save(tmp_path, "g.csv", f"{header}\nq0,old,o,2,new,n,3,base,b,5,ann\n")).study
    assert rows_of(found.ratings, "system", "value") == [("old", 2.0), ("new", 3.0), ("base", 5.0)]
    assert rows_of(found.outputs, "system", "text") == [("old", "o"), ("new", "n"), ("base", "b")]


def test_a_question_file_beside_answers_is_no_system(tmp_path: Path) -> None:
    answers = [{"answer_id": f"a{k}", "model_id": "one", "question_id": k, "text": f"Answer {k}."} for k in (1, 2)]
    questions = [{"question_id": k, "text": f"Question {k}?", "category": "math"} for k in (1, 2)]
    files = [save(tmp_path, "answer_one.jsonl", answers), save(tmp_path, "question.jsonl", questions)]
    assert [what.partition(":")[0] for what in drafted(files[1]).lacking] == ["system"]
    fields = 'ignore = ["*"]\n[fields]\nitem = "question_id"\n'
    recipes = [save(tmp_path, "a.toml", f'{fields}system = "model_id"\ntext = "text"\n')]
    recipes += [save(tmp_path, "q.toml", f'{fields}input = "text"\ncluster = "category"\n')]
    found = read(*files, recipes=recipes).study
    assert found.systems == ("one",)
    assert rows_of(found.items, "item", "input") == [("1", "Question 1?"), ("2", "Question 2?")]


def test_the_cases_of_the_shared_folder_are_read(request: pytest.FixtureRequest) -> None:
    folder = Path(request.config.rootpath).parent / "shared" / "cases" / "import"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    complete = ["1-ratings-beside-a-pair", "13-perfect-agreement", "15-raters-and-criterion", "16-texts-of-two-systems",
                "17-sides-of-rows", "8-several-rated-outputs-per-row"]  # fmt: skip
    for name in complete:
        (file,) = (folder / name).glob("*.csv")
        (plan,) = planned(str(file))
        assert plan.is_whole, (name, plan.draft)
