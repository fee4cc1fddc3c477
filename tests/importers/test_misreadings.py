"""Small inputs that are easily read as something else: each is read rightly, asked about, or refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import by_recipe, cells_of, drafted, planned, read, rows_of, save

from tiebreak.errors import InputError, UsageError

PAIR = "item,model_a,model_b,winner,annotator\n"
BASE = '[fields]\nitem = "item"\nsystem_a = "model_a"\nsystem_b = "model_b"\n'


def outcomes(folder: Path, text: str, **options: object) -> list[object]:
    found = read(save(folder, "votes.csv", text), **options).study
    return [outcome for (outcome,) in rows_of(found.preferences, "outcome")]


# ---- who won ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Which one is worse?", "rejected", "less_fluent", "turn"])
def test_a_column_of_sides_whose_name_does_not_say_that_it_won_is_open(tmp_path: Path, name: str) -> None:
    draft = drafted(save(tmp_path, "a.csv", f"item,model_a,model_b,{name},annotator\n1,x,y,A,ann\n2,x,y,B,ann\n"))
    assert list(draft.open) == [name]
    assert "outcome" not in draft.recipe.fields


def test_left_is_a_place_where_the_file_says_who_stood_there(tmp_path: Path) -> None:
    text = "item,model_a,model_b,shown_left,winner,annotator\n1,gpt,llama,llama,left,ann\n2,gpt,llama,gpt,Left,ann\n"
    assert outcomes(tmp_path, text + "3,gpt,llama,llama,right,ann\n4,gpt,llama,llama,A,ann\n") == ["b", "a", "a", "a"]


WORDS = ["A is bad", "Response 2 bad", "1: much better", "B2", "None", "+", "."]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        *[(f"1,x,y,{cell},ann\n", "column winner") for cell in WORDS],
        ("1,B,C,A,ann\n2,A,B,A,ann\n", "this is the system A, and the row compares"),
        ("1,A,C,B,ann\n2,A,B,A,ann\n", "this is the system B, and the row compares"),
        ("1,x,y,+1,ann\n2,x,y,tie,ann\n", "this number may mean several things"),
        ("1,x,y,+1,ann\n2,x,y,2,ann\n", "this number may mean several things"),  # +1 is of a scale with -1
        ("1,x,y,A,ann\n2,,,A,ann\n", r"row 3, column model_a: '': blank; every row needs its system_a"),
        ("1,x,y,A,gpt-4o\n", "called like a model"),
        ("1,x,y,A,Average\n", "a summary of other people's labels"),
        ("1,x,y,A,What is 2+2?\n", "nobody's name"),
        ("1,x,y,A,N/A\n", "every label needs its annotator"),
    ],
)
def test_votes_that_do_not_say_who_won_or_who_labelled(tmp_path: Path, rows: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        outcomes(tmp_path, PAIR + rows, mapped=[] if ",ann\n" in rows else ["annotator=annotator"])


def test_a_blank_is_no_cell_that_was_explained(tmp_path: Path) -> None:
    recipe = f'{BASE}outcome = "winner"\nannotator = "annotator"\n[values.outcome]\n"+" = "a"\n"-" = "b"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", f"{PAIR}1,x,y,+,ann\n2,x,y,,ann\n3,x,y,-,ann\n"), recipe)
    assert rows_of(found.study.preferences, "item", "outcome") == [("1", "a"), ("3", "b")]
    assert [(of.reason, of.count) for of in found.skipped] == [("winner is blank: no label", 1)]


def test_names_that_differ_in_case_are_explained_apart(tmp_path: Path) -> None:
    text = "item,system,annotator,rating\n1,gpt,ann,4\n1,GPT,ann,2\n"
    found = read(save(tmp_path, "a.csv", text), values=["system:gpt=old", "system:GPT=new"]).study
    assert rows_of(found.ratings, "system", "value") == [("old", 4.0), ("new", 2.0)]


def test_a_side_that_is_said_of_all_rows_is_no_system(tmp_path: Path) -> None:
    recipe = '[fields]\nitem = ":row"\nsystem_a = "winner"\nsystem_b = "loser"\noutcome = ":a"\nannotator = ":log"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", "winner,loser\nc,a\na,b\n"), recipe).study
    assert rows_of(found.preferences, "system_a", "outcome") == [("c", "a"), ("a", "a")]


def test_the_text_that_won_names_its_side(tmp_path: Path) -> None:
    recipe = f'{BASE}text_a = "a"\ntext_b = "b"\noutcome = "won"\nannotator = ":ann"\n'
    head = "item,model_a,model_b,a,b,won\n"
    file = save(tmp_path, "a.csv", f"{head}1,x,y,Lima.,It is Lima.,It is Lima.\n2,x,y,Oslo.,Ohio.,Oslo.\n")
    assert rows_of(by_recipe(tmp_path, file, recipe).study.preferences, "outcome") == [("b",), ("a",)]
    with pytest.raises(InputError, match="it is not clear who won"):
        by_recipe(tmp_path, save(tmp_path, "b.csv", f"{head}1,x,y,B,A,A\n"), recipe)


def test_a_scale_from_one_side_to_the_other(tmp_path: Path) -> None:
    text = f"{PAIR}1,x,y,-35.5,ann\n2,x,y,0,ann\n3,x,y,12,ann\n"
    with pytest.raises(InputError, match="such as <LIMIT = a, >LIMIT = b"):
        outcomes(tmp_path, text)
    said = ["outcome:<0=a", "outcome:>0=b", "outcome:0=tie"]
    assert outcomes(tmp_path, text, values=said) == ["a", "tie", "b"]


def test_one_vote_in_columns_of_zeros_and_ones_keeps_its_item(tmp_path: Path) -> None:
    text = "item,model_a,model_b,wins_a,ties,wins_b,annotator\n1,x,y,1,0,0,ann\n1,x,y,0,0,1,bo\n2,x,y,0,2,0,bo\n"
    assert rows_of(read(save(tmp_path, "a.csv", text)).study.preferences, "item", "outcome") == [
        ("1", "a"), ("1", "b"), ("2-x-y-1", "tie"), ("2-x-y-2", "tie")
    ]  # fmt: skip


# ---- what is what ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("id,Title text,Body text\n1,A dog.,It ran off.\n2,A cat.,It sat up.\n", {"Title text", "Body text"}),
        ("id,Correct Answers,Wrong Answers\n1,They do.,They go.\n", {"Correct Answers", "Wrong Answers"}),
        ("id,Response time,Response length\n1,10 s,long\n2,9 s,short\n", {"Response time", "Response length"}),
        ("id,answer_a,answer_b,winner\n1,Lima,Quito,A\n2,Oslo,Rome,B\n", {"answer_a", "answer_b", "winner"}),
        ("id,left,right,winner\n1,Yes,No,left\n2,No,Yes,left\n3,Yes,No,left\n", {"left", "right", "winner"}),
        ("id,answer_0,answer_1,answer_2\n1,It is.,I am.,We go.\n", {"answer_0", "answer_1", "answer_2"}),
        ("id,model,judge,fluency\n1,gpt,1,4\n1,gpt,2,5\n", {"judge"}),
        ("id,model,judge,fluency\n1,gpt,Judge 1,4\n1,gpt,Judge 2,5\n", {"judge"}),
        ("id,model,expert,rating\n1,gpt,1,4\n1,gpt,0,5\n", {"expert"}),
        ("id,model,user,rating\n1,gpt,Tell me more.,4\n2,gpt,Go on now.,5\n", {"user"}),
        ("id,user,bot\n1,Tell me more.,I do so.\n2,Go on now.,So I do.\n", {"user", "bot"}),
        ("id,source,model,text\n1,mmlu,x,It is.\n2,mmlu,x,I am.\n", {"source"}),
        ("id,gold,model,text\n1,false,x,It is.\n2,true,x,I am.\n", {"gold"}),
        ("id,model,text,label,group,support,start\n1,x,T,good,new,mail,1\n", {"label", "group", "support", "start"}),
        ("id,text,model_a,model_b,text_a,text_b\n1,Why so?,x,y,It is.,I am.\n", {"text"}),
    ],
)
def test_what_a_name_alone_does_not_say_is_open(tmp_path: Path, text: str, asked: set[str]) -> None:
    assert set(drafted(save(tmp_path, "a.csv", text)).open) == asked


def test_parts_of_an_object_are_no_systems(tmp_path: Path) -> None:
    answer = {"content": "It is Lima.", "finish_reason": "stop", "axes": {"overall": 4}}
    draft = drafted(save(tmp_path, "a.jsonl", [{"id": "1", "response": answer}, {"id": "2", "response": answer}]))
    assert set(draft.open) == {"response.content", "response.finish_reason", "response.axes.overall"}


def test_columns_of_texts_whose_systems_are_named_elsewhere(tmp_path: Path) -> None:
    text = "id,gpt answer,llama answer,Winner\n1,It is.,I am.,gpt\n2,We go.,I go.,tie\n"
    assert drafted(save(tmp_path, "a.csv", text)).recipe.fields["text"] == "{system} answer"


def test_the_name_of_a_rating_is_not_that_of_a_score(tmp_path: Path) -> None:
    file = save(tmp_path, "a.csv", "item,system,human,bleu\n1,x,4,0.3\n")
    found = read(file, mapped=["value=human", "score=bleu", "annotator=:ann"]).study
    assert (cells_of(found.scores, "metric"), cells_of(found.scores, "criterion")) == (["bleu"], [None])
    assert rows_of(found.ratings, "criterion", "value") == [("human", 4.0)]


def test_texts_in_a_list_beside_ratings_of_a_form(tmp_path: Path) -> None:
    recipe = '[fields]\ninput = "q"\ntext = ["gpt", "t5"]\nsystem = ":column"\nvalue = "{system} {criterion}"\n'
    file = save(tmp_path, "a.csv", "q,gpt,gpt true,t5,t5 true\nHi?,Ho.,1,He.,0\n")
    found = by_recipe(tmp_path, file, f'{recipe}annotator = ":ann"\n').study
    assert rows_of(found.outputs, "system", "text") == [("gpt", "Ho."), ("t5", "He.")]
    assert rows_of(found.ratings, "system", "criterion", "value") == [("gpt", "true", 1.0), ("t5", "true", 0.0)]


@pytest.mark.parametrize("header", ["prompt,A,B,better,annotator", "prompt,Model 1,Model 2,winner,annotator"])
def test_columns_of_texts_are_no_systems(tmp_path: Path, header: str) -> None:
    rows = "".join(f"p{k},the first {k},the second {k},A,ann\n" for k in range(3))
    fields = drafted(save(tmp_path, "a.csv", f"{header}\n{rows}")).recipe.fields
    assert not fields.keys() & {"system_a", "text_a"}


def test_two_columns_for_each_side_are_both_open(tmp_path: Path) -> None:
    text = "item,model_a,model_b,left_model,right_model,winner,annotator\n1,x,y,y,x,A,ann\n"
    assert set(drafted(save(tmp_path, "a.csv", text)).open) >= {"model_a", "model_b", "left_model", "right_model"}


RATED = "item,system,annotator,rating\n1,x,ann,4\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{RATED}Average,x,ann,4\n", r"row 3, column item: 'Average': this row sums up others; .*\[skip\]"),
        (f"{RATED}2,x,ann,1: N/A\n", "column rating: "),
        (f"{RATED}2,x,ann,0 - not applicable\n", "column rating: "),
        (f"{RATED}2,x,ann,5.e1x\n", "column rating: "),
        ("item,prompt,system,text\nq1,One?,x,T\n,Two?,x,U\n", r"row 3, column item: '': blank; every row needs its"),
        ("item,prompt,system,text\nq1,One?,x,T\nq1,Two?,y,U\n", "item q1 has another input at"),
        ("item,model_a,model_b,winner,annotator,judge\n1,x,y,A,ann,gpt-4o\n", "a row has an annotator and a judge"),
        (
            "item,model,rank,annotator\n1,x,1,ann\n1,x,2,ann\n1,y,1,ann\n",
            r"row 3, column rank: '2': x has another rank",
        ),
    ],
)
def test_rows_that_are_refused_with_their_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(save(tmp_path, "a.csv", text), mapped=["value=rating"] if "rating" in said else [])


def test_an_input_of_several_items_names_none(tmp_path: Path) -> None:
    items = save(tmp_path, "items.csv", "item,prompt,system,text\nq1,Go on.,x,T\nq2,Go on.,x,U\n")
    votes = save(tmp_path, "votes.csv", "prompt,model_a,model_b,winner,annotator\nGo on.,x,y,A,ann\n")
    with pytest.raises(InputError, match=r"this is the input of several items \(q1, q2\)"):
        read(items, votes)


def test_joined_names_do_not_collide(tmp_path: Path) -> None:
    text = "doc,seg,system,output\na/b,c,x,T\na,b/c,x,U\n"
    found = read(save(tmp_path, "a.csv", text), mapped=["item=doc+seg"]).study
    assert found.outputs["item"].n_unique() == 2


def test_rows_of_two_files_are_items_of_their_own(tmp_path: Path) -> None:
    files = [save(tmp_path, name, "model_a,model_b,winner\nx,y,A\n") for name in ("one.csv", "two.csv")]
    found = read(*files, mapped=["item=:row", "annotator=:me"]).study
    assert rows_of(found.preferences, "item") == [("one-0001",), ("two-0001",)]


def test_files_of_one_name_are_no_names(tmp_path: Path) -> None:
    for name in ("ann", "bo"):
        (tmp_path / name).mkdir()
    files = [save(tmp_path / name, "l.csv", "item,model_a,model_b,winner\n1,x,y,A\n") for name in ("ann", "bo")]
    with pytest.raises(InputError, match="has the same name"):
        planned(*files, mapped=["annotator=:file"])


# ---- rankings and judges ---------------------------------------------------------------------------------------------


def test_rankings_of_two_people_in_one_row(tmp_path: Path) -> None:
    recipe = '[fields]\nitem = "i"\nranking = ["Ann", "Bo"]\nannotator = ":column"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", "i,Ann,Bo\n1,x > y,y > x\n"), recipe).study
    assert rows_of(found.preferences, "annotator", "outcome") == [("Ann", "a"), ("Bo", "b")]


def test_a_rank_without_another_is_counted(tmp_path: Path) -> None:
    alone = read(save(tmp_path, "a.csv", "item,model,rank,annotator\n1,x,1,ann\n1,y,2,ann\n2,x,1,ann\n"))
    assert [(of.reason, of.count) for of in alone.skipped] == [("ranks without another to compare with", 1)]


def test_the_ranks_of_a_judge_are_no_labels_of_people(tmp_path: Path) -> None:
    text = "item,model,rank,judge\n1,x,1,m1\n1,y,2,m1\n1,x,2,m2\n1,y,1,m2\n"
    found = read(save(tmp_path, "a.csv", text)).study
    assert found.preferences is None
    assert rows_of(found.judge_preferences, "judge", "outcome") == [("m1", "a"), ("m2", "b")]


def test_probabilities_alone_are_a_judgement(tmp_path: Path) -> None:
    text = "item,model_a,model_b,judge,p_a,p_tie,p_b\n1,x,y,m,0.2,0.1,0.7\n"
    found = read(save(tmp_path, "a.csv", text)).study
    assert rows_of(found.judge_preferences, "outcome", "p_b") == [("b", 0.7)]


def test_several_questions_are_criteria(tmp_path: Path) -> None:
    recipe = f'{BASE}outcome = ["fluency", "truth"]\nannotator = ":me"\n'
    file = save(tmp_path, "a.csv", "item,model_a,model_b,fluency,truth\n1,x,y,A,B\n")
    found = by_recipe(tmp_path, file, recipe).study
    assert rows_of(found.preferences, "criterion", "outcome") == [("fluency", "a"), ("truth", "b")]


# ---- columns ---------------------------------------------------------------------------------------------------------


def test_a_pattern_leaves_columns_that_are_named_or_ignored(tmp_path: Path) -> None:
    file = save(tmp_path, "a.csv", "question,gpt answer,llama answer,reference answer,old answer\nq,a,b,c,d\n")
    found = read(file, mapped=["text={system} answer"], ignored=["old answer"]).study
    assert found.systems == ("gpt", "llama")
    assert rows_of(found.items, "reference") == [("c",)]


def test_a_column_that_is_ignored_leaves_its_list(tmp_path: Path) -> None:
    text = "item,system,rater 1,rater 2,rater 3\n1,x,3,4,5\n"
    assert read(save(tmp_path, "a.csv", text), ignored=["rater 2"]).study.annotators == ("rater 1", "rater 3")


def test_a_form_that_reads_in_two_ways_is_refused(tmp_path: Path) -> None:
    recipe = save(tmp_path, "r.toml", '[fields]\nvalue = "{item}_{system}_{criterion}"\nannotator = "who"\n')
    with pytest.raises(InputError, match="can be read in two ways"):
        read(save(tmp_path, "a.csv", "who,1_gpt_4_fluency\nann,3\n"), recipes=[recipe])


@pytest.mark.parametrize("option", [{"mapped": ["outcome=Final"]}, {"ignored": ["nots"]}])
def test_options_that_name_no_column(tmp_path: Path, option: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError, match=r"no file has a column '(Final|nots)'"):
        planned(save(tmp_path, "a.csv", f"{PAIR}1,x,y,A,ann\n"), **option)


def test_of_two_recipes_the_one_that_reads_more_is_used(tmp_path: Path) -> None:
    outputs = save(tmp_path, "o.toml", 'ignore = ["*"]\n[fields]\nitem = "i"\nsystem = "s"\ntext = "t"\n')
    rated = save(tmp_path, "r.toml", '[fields]\nitem = "i"\nsystem = "s"\ntext = "t"\nvalue = "v"\nannotator = "w"\n')
    save(tmp_path, "a.csv", "i,s,t,v,w\n1,x,T,4,ann\n")
    (tmp_path / "b.csv").write_text("i,s,t\n2,x,U\n")
    found = read(str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), recipes=[outputs, rated])
    assert [Path(plan.by).name for plan in found.plans] == ["r.toml", "o.toml"]


@pytest.mark.parametrize(
    ("split", "cell", "said"),
    [
        ("{c}: {rest}", "truth - x", "this cell is not of the form"),
        ("{item} vs {o}", "x vs y", r"\[split\] would make"),
    ],
)
def test_cells_that_are_not_taken_apart(tmp_path: Path, split: str, cell: str, said: str) -> None:
    recipe = save(tmp_path, "r.toml", f'[fields]\nitem = "item"\nsystem = "q"\n[split]\nq = "{split}"\n')
    with pytest.raises(InputError, match=said):
        planned(save(tmp_path, "a.csv", f"item,q\n1,{cell}\n"), recipes=[recipe])


def test_a_record_without_elements_keeps_its_outputs(tmp_path: Path) -> None:
    voted = {"id": "q1", "m": "x", "t": "T", "votes": [{"u": "ann", "v": 4}]}
    records = [voted, {"id": "q2", "m": "x", "t": "U", "votes": []}]
    recipe = 'rows = "votes[*]"\n[fields]\nitem = "id"\nsystem = "m"\ntext = "t"\nvalue = "votes.v"\n'
    recipe += 'annotator = "votes.u"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.jsonl", records), recipe).study
    assert rows_of(found.outputs, "item") == [("q1",), ("q2",)]
    one = by_recipe(tmp_path, save(tmp_path, "b.jsonl", records[:1]), recipe).study
    assert rows_of(one.ratings, "value") == [(4.0,)], "a file of one line is none of another kind"


def test_a_second_file_says_which_two_an_item_compares(tmp_path: Path) -> None:
    votes = save(tmp_path, "votes.csv", "who,q1. Which is better?,q2. Which is better?\nann,A,B\nbo,A,A\n")
    key = save(tmp_path, "key.csv", "item,system_a,system_b\nq1,x,y\nq2,y,x\n")
    found = read(votes, key, mapped=["outcome={item}. Which is better?", "annotator=who"]).study
    assert rows_of(found.preferences, "item", "annotator", "system_a", "outcome") == [
        ("q1", "ann", "x", "a"), ("q2", "ann", "y", "b"), ("q1", "bo", "x", "a"), ("q2", "bo", "y", "a")
    ]  # fmt: skip


def test_a_winner_among_two_columns_of_texts(tmp_path: Path) -> None:
    recipe = '[fields]\ninput = "q"\ntext = ["Old bot", "New bot"]\nsystem = ":column"\noutcome = "best"\n'
    recipe += 'annotator = "who"\n'
    file = save(tmp_path, "a.csv", "q,Old bot,New bot,best,who\nHi?,a,b,New bot,ann\n")
    found = by_recipe(tmp_path, file, recipe).study
    assert rows_of(found.preferences, "system_a", "system_b", "outcome") == [("Old bot", "New bot", "b")]


def test_ratings_in_columns_of_systems_are_of_one_criterion(tmp_path: Path) -> None:
    recipe = '[fields]\nitem = "i"\nvalue = ["x", "y"]\nsystem = ":column"\nannotator = "who"\n'
    found = by_recipe(tmp_path, save(tmp_path, "a.csv", "i,x,y,who\n1,3,4,ann\n"), recipe).study
    assert rows_of(found.ratings, "system", "criterion") == [("x", "overall"), ("y", "overall")]


def test_names_with_odd_characters_make_a_recipe_that_is_read(tmp_path: Path) -> None:
    name = 'a "b" \x1b\\ 答'
    file = save(tmp_path, "a.csv", [["item", "system", name], ["1", "x", "T"]])
    kept = tmp_path / "study"
    kept.mkdir()
    read(file, mapped=[f"text={name}"]).write_recipes(kept)
    (recipe,) = (kept / "recipes").iterdir()
    assert rows_of(read(file, recipes=[str(recipe)]).study.outputs, "text") == [("T",)]


def test_what_stands_in_the_elements_of_a_list_is_no_text_of_a_system(tmp_path: Path) -> None:
    outputs = [{"kind": "long", "text": "Hi there"}, {"kind": "short", "text": "Ho there"}]
    draft = drafted(save(tmp_path, "a.jsonl", [{"id": f"q{n}", "outputs": outputs} for n in range(2)]))
    assert set(draft.open) == {f"outputs.{n}.{key}" for n in (0, 1) for key in ("kind", "text")}


def test_a_judge_beside_a_human_score_gave_another_score(tmp_path: Path) -> None:
    draft = drafted(save(tmp_path, "a.csv", "id,model,judge,judge_score,human_score\n1,gpt,opus,8,4\n2,gpt,opus,3,2\n"))
    assert set(draft.open) == {"judge", "judge_score"}
    assert "annotator" in draft.lacking[0]


def test_a_target_may_be_the_translation_or_the_reference(tmp_path: Path) -> None:
    text = "system,doc_id,rater,source,target,score\nA,1,r1,Hi,Hallo,5\nB,1,r1,Hi,Halo,3\n"  # Google's psqm_*.tsv
    assert set(drafted(save(tmp_path, "a.tsv", text.replace(",", "\t"))).open) == {"target", "score"}


def test_numbers_that_are_not_there_leave_the_others_numbers(tmp_path: Path) -> None:
    found = read(save(tmp_path, "a.csv", "item,model,annotator,rating\n1,A,ann,4\n1,B,ann,N/A\n2,B,ann,NaN\n"))
    assert rows_of(found.study.ratings, "system", "value") == [("A", 4.0)]
    assert sum(of.count for of in found.skipped) == 2
