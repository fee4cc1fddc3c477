"""Rows of files into a study: what is new, known, contradicted, about nothing; whole files or nothing of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest
from tests.importers.made import rows_of
from tests.small_studies import vote

from tiebreak.adding.account import FileAccount, TableAccount
from tiebreak.adding.add import Addition, WhatToDo, add, undo
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.writers import stamps_of, write_study
from tiebreak.errors import InputError, TiebreakError
from tiebreak.importers.plans import ReadOptions, plan_files, refuse_open
from tiebreak.places.place import study_to_add_to

INPUTS = {"q1": "Capital of Peru?", "q2": "Capital of Chad?", "q3": "Capital of Mali?"}
HEADER = "item,system_a,system_b,annotator,winner\n"
OUTPUTS = [{"item": item, "system": of, "text": f"{of} on {item}"} for item in INPUTS for of in ("gpt", "llama")]
VOTES = [
    vote("q1", "gpt", "llama", "ann", "a", "2026-01-05"),
    vote("q2", "llama", "gpt", "bo", "tie", "2026-01-06"),
]


def study(**tables: object) -> Study:
    given = {
        "items": [{"item": item, "input": text} for item, text in INPUTS.items()],
        "outputs": OUTPUTS,
        "preferences": VOTES,
    }
    return Study.from_tables(**(given | tables))  # type: ignore[arg-type]


def added(
    of: Study, files: Mapping[str, str], folder: Path, what_to_do: WhatToDo = "refuse", mapped: Sequence[str] = ()
) -> Addition:
    """Files of these names and texts."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    plans = plan_files([str(folder / name) for name in files], ReadOptions(mapped=mapped))
    refuse_open(plans)
    return add(of, plans, what_to_do)


def only(addition: Addition) -> FileAccount:
    (account,) = addition.accounts
    return account


def account_of(account: FileAccount, table: str) -> TableAccount:
    return next(found for found in account.tables if found.table == table)


def test_judgements_are_new_known_made_again_or_other_ones(tmp_path: Path) -> None:
    votes = (
        "item,system_a,system_b,annotator,winner,decided_at\n"
        "q1,llama,gpt,ann,gpt,2026-01-05\n"  # known, the other way round
        "q1,gpt,llama,ann,gpt,2026-02-01\n"  # the same answer at another time
        "q2,gpt,llama,bo,gpt,2026-02-01\n"  # another answer
        "q3,gpt,llama,ann,llama,2026-02-01\n"
    )
    found = added(study(), {"votes.csv": votes}, tmp_path)
    account = only(found)
    assert account_of(account, "preferences") == TableAccount("preferences", new=1, known=1, again=1, differ=1)
    kept = found.changed["preferences"]
    assert kept["item"].to_list() == ["q1", "q2", "q1", "q2", "q3"]
    assert kept.head(2)["outcome"].to_list() == ["a", "tie"]
    # What is there already is known when the file comes again.
    again = added(found.study, {"votes.csv": votes}, tmp_path)
    assert account_of(only(again), "preferences") == TableAccount("preferences", known=4)
    assert not again.changed


def test_a_file_without_times_says_nothing_of_them(tmp_path: Path) -> None:
    votes = "item,system_a,system_b,annotator,winner\nq1,gpt,llama,ann,gpt\nq2,gpt,llama,cy,llama\n"
    account = only(added(study(), {"votes.csv": votes}, tmp_path))
    assert account_of(account, "preferences") == TableAccount("preferences", new=1, known=1)
    assert [(of.name, of.near) for of in account.new_people] == [("cy", "")]


def test_ratings_are_new_known_or_other_ones(tmp_path: Path) -> None:
    row = {"item": "q1", "system": "gpt", "annotator": "ann", "criterion": "fluency", "value": 4}
    rated = study(ratings=[row, row | {"system": "llama", "value": 2}])
    ratings = (
        "item,system,annotator,criterion,rating\n"
        "q1,gpt,ann,fluency,4\n"  # known
        "q1,llama,ann,fluency,3\n"  # another answer
        "q2,gpt,ann,fluency,5\n"
        "q1,gpt,ann,meaning,1\n"
    )
    found = added(rated, {"ratings.csv": ratings}, tmp_path)
    assert account_of(only(found), "ratings") == TableAccount("ratings", new=2, known=1, differ=1)
    assert found.changed["ratings"].height == 5


FLUENCY = [VOTES[0] | {"criterion": "fluency"}, VOTES[0] | {"criterion": "meaning", "outcome": "b"}]


@pytest.mark.parametrize(
    ("rest", "cure"),
    [
        ("\nq1,gpt,llama,ann,gpt\n", "--map criterion=:fluency"),
        (",criterion\nq1,gpt,llama,ann,gpt,\nq2,gpt,llama,ann,gpt,fluency\n", "fill in the blank cells"),
    ],
)
def test_labels_without_a_criterion_are_asked_about_where_the_study_has_only_those_of_one(
    tmp_path: Path, rest: str, cure: str
) -> None:
    file = HEADER.strip() + rest
    (problem,) = only(added(study(preferences=FLUENCY), {"votes.csv": file}, tmp_path)).problems
    assert "1 row without a criterion, and the study's preferences are of fluency, meaning" in problem.message
    assert cure in problem.message


def test_the_criterion_that_an_option_says_is_compared(tmp_path: Path) -> None:
    votes = "item,system_a,system_b,annotator,winner\nq1,gpt,llama,ann,gpt\n"
    for criterion, counts in (("fluency", {"known": 1}), ("meaning", {"differ": 1}), ("overall", {"new": 1})):
        said = [f"criterion=:{criterion}"]
        found = added(study(preferences=FLUENCY), {"votes.csv": votes}, tmp_path, mapped=said)
        assert account_of(only(found), "preferences") == TableAccount("preferences", **counts)


def test_a_label_without_a_criterion_is_none_of_a_study_that_has_both_kinds(tmp_path: Path) -> None:
    both = study(preferences=[*FLUENCY, VOTES[1]])
    votes = "item,system_a,system_b,annotator,winner\nq1,gpt,llama,ann,gpt\nq2,gpt,llama,bo,tie\n"
    account = only(added(both, {"votes.csv": votes}, tmp_path))
    assert account_of(account, "preferences") == TableAccount("preferences", new=1, known=1)


def test_what_a_judge_did_not_answer_is_in_the_study_and_not_left_out(tmp_path: Path) -> None:
    votes = "item,model_a,model_b,winner,judge\nq1,gpt,llama,A,gpt-4o\nq2,gpt,llama,,gpt-4o\n"
    found = added(study(), {"votes.csv": votes}, tmp_path)
    assert found.changed["judge_preferences"]["outcome"].to_list() == ["a", None]
    assert not only(found).skipped
    assert [(reading.cell, reading.meaning) for reading in only(found).readings] == [("A", "system_a")]


def test_items_are_matched_by_their_inputs(tmp_path: Path) -> None:
    votes = (
        "prompt,system_a,system_b,annotator,winner\n"
        "Capital of  Mali? ,gpt,llama,ann,gpt\n"
        "Capital of Peru?,gpt,llama,ann,gpt\n"
    )
    found = added(study(), {"votes.csv": votes}, tmp_path)
    assert only(found).items_by == "input"
    assert only(found).new_items == 0
    assert found.changed["preferences"]["item"].to_list() == ["q1", "q2", "q3"]
    assert set(found.changed) == {"preferences"}


def test_an_input_of_several_items_says_nothing(tmp_path: Path) -> None:
    twice = study(items=[{"item": item, "input": "Summarise."} for item in INPUTS])
    votes = "prompt,system_a,system_b,annotator,winner\nSummarise.,gpt,llama,ann,gpt\n"
    (problem,) = only(added(twice, {"votes.csv": votes}, tmp_path)).problems
    assert "in 3 items (q1 and q2 and q3): add an item column" in problem.message
    assert (problem.line, problem.column) == (2, "prompt")


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("item,system,response\nq1,gpt,gpt on q1\nq2,gpt,Other words\n", "another text of gpt for this item", 3),
        ("item,prompt,system,response\nq1,Capital of Cuba?,gpt,gpt on q1\n", "another input of this item", 2),
        ("item,system,metric,score\nq3,gpt,bleu,0.5\nq1,gpt,bleu,0.9\n", "another score by bleu of gpt", 3),
        (HEADER + "q1,gpt,lama,ann,gpt\n", "no such system .1 row.: did you mean llama", 2),
        (HEADER + "z77,gpt,llama,ann,gpt\n", "no such item .1 row.: add outputs first", 2),
        ("item,system,response\nq1,GPT,Lima\n", "calls this system gpt: --value system:GPT=gpt", 2),
    ],
)
def test_a_file_that_contradicts_the_study_is_refused_whole(tmp_path: Path, text: str, message: str, line: int) -> None:
    scored = study(scores=[{"item": "q1", "system": "gpt", "metric": "bleu", "value": 0.25}])
    good = HEADER + "q3,gpt,llama,ann,gpt\n"
    found = added(scored, {"bad.csv": text, "good.csv": good}, tmp_path)
    by_name = {Path(account.file).name: account for account in found.accounts}
    with pytest.raises(InputError, match=message):
        raise InputError(by_name["bad.csv"].problems)
    assert by_name["bad.csv"].problems[0].line == line
    assert by_name["good.csv"].taken
    assert {table: rows.height for table, rows in found.changed.items()} == {"preferences": 3}


def test_half_of_a_character_is_added_as_what_it_is_written_as(tmp_path: Path) -> None:
    text = r'{"item": "q1", "system": "new", "text": "cut \ud83d"}' + "\n"
    found = added(study(), {"new.jsonl": text}, tmp_path, "add")
    assert found.changed["outputs"]["text"][-1] == "cut �"


def test_rows_about_nothing_can_be_left_out_or_added(tmp_path: Path) -> None:
    votes = {"votes.csv": "item,system_a,system_b,annotator,winner\nq3,gpt,llama,ann,gpt\nz77,gpt,llama,ann,gpt\n"}
    left = added(study(), votes, tmp_path, "leave")
    assert account_of(only(left), "preferences") == TableAccount("preferences", new=1, unmatched=1)
    every = added(study(), votes, tmp_path, "add")
    assert account_of(only(every), "preferences") == TableAccount("preferences", new=2)
    assert only(every).new_items == 1
    # A study of labels alone lists no items: further ones are further labels.
    labels = study(items=None, outputs=None)
    assert account_of(only(added(labels, votes, tmp_path)), "preferences").new == 2


def test_inputs_that_the_study_has_not_are_named_as_they_stand(tmp_path: Path) -> None:
    """Their items have no names yet, and a hint compares inputs."""
    asked = ("Where is Lima?", "Where is Lmia?", "How many eggs?")
    votes = "".join(f"{question},gpt,llama,ann,gpt\n" for question in asked)
    files = {"votes.csv": f"input,system_a,system_b,annotator,winner\n{votes}"}
    had = study(items=[{"item": "q1", "input": "Where is Lima?"}, {"item": "q2", "input": "What is a pothole?"}])
    with pytest.raises(InputError) as caught:
        raise InputError(only(added(had, files, tmp_path)).problems)
    found = str(caught.value)
    assert "row 3, column input: 'Where is Lmia?': the study has no such input (1 row): did you mean" in found
    assert "row 4, column input: 'How many eggs?': the study has no such input (1 row): add outputs first" in found
    left = only(added(had, files, tmp_path, "leave"))
    assert account_of(left, "preferences") == TableAccount("preferences", known=1, unmatched=2)
    assert (account_of(left, "items"), left.new_items) == (TableAccount("items", known=1, unmatched=2), 0)


def test_a_column_of_scores_for_each_of_the_studys_systems(tmp_path: Path) -> None:
    text = "item,gpt bleu,llama bleu\nq1,0.25,0.5\nq2,0.5,0.75\n"
    found = added(study(), {"scores.csv": text}, tmp_path, mapped=["score={system} bleu"])
    assert account_of(only(found), "scores") == TableAccount("scores", new=4)


def test_outputs_of_the_same_command_are_known_to_its_labels(tmp_path: Path) -> None:
    files = {
        "votes.csv": "item,system_a,system_b,annotator,winner\nq1,gpt,mixtral,ann,gpt\n",
        "new.csv": "item,system,response\nq1,mixtral,Lima it is\n",
    }
    found = added(study(), files, tmp_path)
    assert [Path(account.file).name for account in found.accounts] == ["new.csv", "votes.csv"]
    assert all(account.taken for account in found.accounts)
    assert found.study.systems == ("gpt", "llama", "mixtral")


def test_details_that_the_study_lacks_complete_it(tmp_path: Path) -> None:
    references = "item,prompt,reference\nq1,Capital of Peru?,Lima\nq9,Capital of Laos?,\n"
    found = added(study(), {"refs.csv": references}, tmp_path)
    assert account_of(only(found), "items") == TableAccount("items", new=1, completed=1)
    after = found.changed["items"]
    assert after["item"].to_list() == ["q1", "q2", "q3", "q9"]
    assert after["reference"].to_list() == ["Lima", None, None, None]


def test_names_with_other_numbers_are_no_misspellings(tmp_path: Path) -> None:
    votes = "item,system_a,system_b,annotator,winner\nq1,gpt,llama,worker-13,gpt\nq2,gpt,llama,Ann,gpt\n"
    people = study(preferences=[VOTES[0] | {"annotator": name} for name in ("worker-12", "ann")])
    account = only(added(people, {"votes.csv": votes}, tmp_path))
    assert {of.name: of.near for of in account.new_people} == {"worker-13": "", "Ann": "ann"}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_only_the_changed_tables_are_written_in_their_own_format(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "s"
    kept = [{**row, "mood": "fine"} for row in VOTES]
    write_study(study(preferences=[*kept, kept[0]]), folder, format=kind)  # type: ignore[arg-type]
    (folder / "study.toml").write_text("# mine\ntitle = 'x'\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    stamps, votes = stamps_of(folder), HEADER + "q3,gpt,llama,ann,gpt\n"
    added(study_to_add_to(folder), {"votes.csv": votes}, tmp_path).write(folder, stamps)
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {name for name in after if after[name] != before.get(name)} == {f"preferences.{kind}"}
    rows = read_study(folder).with_repeats["preferences"]
    assert rows.select("item", "mood").rows() == [("q1", "fine"), ("q2", "fine"), ("q1", "fine"), ("q3", None)]


def test_a_folder_that_was_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    write_study(study(), folder)
    stamps = stamps_of(folder)
    addition = added(read_study(folder), {"v.csv": HEADER + "q3,gpt,llama,ann,gpt\n"}, tmp_path)
    other = (folder / "preferences.csv").read_bytes() + b"q3,gpt,llama,zoe,b,2026-02-02\n"
    (folder / "preferences.csv").write_bytes(other)
    with pytest.raises(TiebreakError, match="was changed while rows were being added; nothing was added"):
        addition.write(folder, stamps)
    assert (folder / "preferences.csv").read_bytes() == other
    assert not list(folder.glob(".*")), "nothing is kept of an addition that was none"


def test_labels_take_their_place_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed between two tables leaves a study; the same command then adds the rest."""
    folder = tmp_path / "s"
    write_study(study(), folder)
    files = {
        "all.csv": "item,prompt,system_a,system_b,text_a,text_b,annotator,winner\n"
        "q4,Capital of Laos?,gpt,llama,Vientiane,It is Vientiane,ann,gpt\n"
    }
    addition, stamps = added(read_study(folder), files, tmp_path), stamps_of(folder)
    assert set(addition.changed) == {"items", "outputs", "preferences"}
    replace = Path.replace
    seen: list[str] = []

    def killed(path: Path, target: Path) -> Path:
        if seen and Path(target).name == "preferences.csv":
            raise KeyboardInterrupt
        seen.append(Path(target).name)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        addition.write(folder, stamps)
    monkeypatch.undo()
    assert seen == ["items.csv", "outputs.csv"]
    half = read_study(folder)
    assert half.tables["preferences"].height == 2
    rest = added(half, files, tmp_path)
    assert [(of.table, of.new, of.known) for of in only(rest).tables] == [
        ("items", 0, 1), ("outputs", 0, 2), ("preferences", 1, 0),
    ]  # fmt: skip


def test_a_large_table_is_merged_by_queries(tmp_path: Path) -> None:
    count = 40_000
    votes = pl.DataFrame(
        {"item": [f"i{k}" for k in range(count)], "system_a": "x", "system_b": "y", "annotator": "ann"}
    )
    large = Study.from_tables(preferences=votes.with_columns(outcome=pl.lit("a")))
    later = votes.tail(20_000).with_columns(item=pl.col("item") + pl.lit("n")).vstack(votes.head(20_000))
    later.with_columns(winner=pl.lit("x")).write_csv(tmp_path / "v.csv")
    addition = add(large, plan_files([str(tmp_path / "v.csv")]))
    assert account_of(only(addition), "preferences") == TableAccount("preferences", new=20_000, known=20_000)


def test_ratings_beyond_the_scale_are_refused(tmp_path: Path) -> None:
    rated = [{"item": "q1", "system": "gpt", "annotator": "ann", "criterion": "style", "value": 4}]
    of = study(ratings=rated, settings=StudySettings(scale={"style": (1, 5)}))
    header = "item,system,annotator,style"
    (problem,) = only(added(of, {"week2.csv": f"{header}\nq2,gpt,bo,7\n"}, tmp_path)).problems
    assert "1 of 2 ratings of style are beyond the scale of 1 to 5" in problem.message
    assert not only(added(of, {"week3.csv": f"{header}\nq2,gpt,bo,3\n"}, tmp_path)).problems


@pytest.mark.parametrize("said", [(), ("input=question", "reference=reference")])
def test_references_by_inputs_complete_the_items(said: tuple[str, ...], tmp_path: Path) -> None:
    text = "question,reference\nCapital of  Peru?,Lima.\nCapital of Mali?,Bamako.\nCapital of Cuba?,Havana.\n"
    found = added(study(), {"refs.csv": text}, tmp_path, mapped=said)
    account = only(found)
    assert (account.items_by, account.new_items) == ("input", 1)
    assert account_of(account, "items") == TableAccount("items", new=1, completed=2)
    expected = {"q1": "Lima.", "q2": None, "q3": "Bamako.", "item0004": "Havana."}
    assert dict(rows_of(found.study.items, "item", "reference")) == expected


def test_another_reference_is_refused_with_its_file(tmp_path: Path) -> None:
    items = [{"item": item, "input": text, "reference": "Lima."} for item, text in INPUTS.items()]
    found = added(study(items=items), {"refs.csv": "input,gold\nCapital of Peru?,Cuzco.\n"}, tmp_path)
    assert not only(found).taken


def test_the_last_addition_is_taken_back(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    write_study(study(items=None), folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(TiebreakError, match="there is no addition to take back"):
        undo(folder)
    files = {"a.csv": "item,prompt,system_a,system_b,annotator,winner\nq3,Mali?,gpt,llama,ann,gpt\n"}
    added(read_study(folder), files, tmp_path).write(folder, stamps_of(folder))
    assert undo(folder) == ["items.csv", "preferences.csv"]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    added(read_study(folder), files, tmp_path).write(folder, stamps_of(folder))
    with (folder / "outputs.csv").open("a", encoding="utf-8") as stream:
        stream.write("q9,gpt,later\n")
    with pytest.raises(TiebreakError, match="was changed after the last addition"):
        undo(folder)
    assert "q3,gpt,llama,ann" in (folder / "preferences.csv").read_text("utf-8")


def test_an_undo_that_was_killed_is_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "s"
    write_study(study(), folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    text = "item,prompt,system_a,system_b,text_a,text_b,annotator,winner\nq4,Laos?,gpt,llama,V,It is V,ann,gpt\n"
    added(read_study(folder), {"a.csv": text}, tmp_path).write(folder, stamps_of(folder))
    replace, seen = Path.replace, list[str]()

    def killed(path: Path, target: Path) -> Path:
        if len(seen) == 1:
            raise KeyboardInterrupt
        seen.append(Path(target).name)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        undo(folder)
    monkeypatch.undo()
    assert seen == ["items.csv"]
    assert undo(folder) == ["outputs.csv", "preferences.csv"]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
