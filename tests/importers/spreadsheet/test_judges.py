"""Files of judges and of scores beside outputs and labels, and names that files spell differently."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.test_plan import imported, rows, save

from tiebreak.errors import InputError, UsageError
from tiebreak.importers.spreadsheet.plan import SourceFile, understand
from tiebreak.importers.spreadsheet.renaming import Renaming, parse_renaming

VOTES = [
    ["item", "model_a", "model_b", "annotator", "winner"],
    ["1", "x", "y", "ann", "x"],
    ["2", "x", "y", "bo", "y"],
]


@pytest.fixture
def votes(tmp_path: Path) -> str:
    return save(tmp_path / "votes.csv", VOTES)


def test_a_judge_named_in_a_column(tmp_path: Path, votes: str) -> None:
    table = [
        ["item", "model_a", "model_b", "judge", "winner"],
        ["1", "x", "y", "gpt-4", "A"],
        ["2", "x", "y", "gpt-4", ""],
    ]
    result = imported(votes, SourceFile(save(tmp_path / "j.csv", table), role="judge"))
    assert rows(result, "judge_preferences", "item", "judge", "outcome") == [("1", "gpt-4", "a"), ("2", "gpt-4", None)]
    assert rows(result, "preferences", "annotator") == [("ann",), ("bo",)]


def test_probabilities_without_an_outcome(tmp_path: Path, votes: str) -> None:
    table = [
        ["item", "model_a", "model_b", "judge", "p_a", "p_tie", "p_b"],
        ["1", "x", "y", "j", "0.5", "0.3", "0.2"],
        ["2", "x", "y", "j", "0.4", "0.2", "0.4"],
    ]
    result = imported(votes, SourceFile(save(tmp_path / "j.csv", table), role="judge"))
    found = rows(result, "judge_preferences", "outcome", "p_a", "p_tie", "p_b")
    assert found == [("a", 0.5, 0.3, 0.2), ("tie", 0.4, 0.2, 0.4)]
    table[1][4] = "1.5"
    with pytest.raises(InputError, match="not a probability from 0 to 1"):
        imported(votes, SourceFile(save(tmp_path / "j.csv", table), role="judge"))


def test_both_orders_tell_which_was_first(tmp_path: Path, votes: str) -> None:
    table = [
        ["item", "model_a", "model_b", "judge", "winner"],
        ["1", "x", "y", "gpt-4", "A"],
        ["1", "y", "x", "gpt-4", "A"],
    ]
    result = imported(votes, SourceFile(save(tmp_path / "j.csv", table), role="judge"))
    assert rows(result, "judge_preferences", "left", "outcome") == [("x", "a"), ("y", "a")]
    assert any("both orders" in sentence for sentence in result.assumptions)


def test_scores_in_one_column_per_system(tmp_path: Path, votes: str) -> None:
    table = [["item", "x bleu", "y bleu", "x", "y"], ["1", "0.3", "0.4", "3", "2"], ["2", "0.5", "0.1", "1", "5"]]
    result = imported(votes, SourceFile(save(tmp_path / "length.csv", table), role="scores"))
    found = rows(result, "scores", "item", "system", "metric", "value")
    assert ("1", "x", "bleu", 0.3) in found
    assert ("2", "y", "length", 5.0) in found
    assert len(found) == 8
    assert "ratings" not in result.study.tables


def test_ratings_of_a_judge_are_scores(tmp_path: Path, votes: str) -> None:
    table = [
        ["item", "system", "judge", "fluency", "relevance"],
        ["1", "x", "gpt-4", "3", "4"],
        ["1", "y", "gpt-4", "5", "1"],
    ]
    result = imported(votes, save(tmp_path / "j.csv", table))
    assert rows(result, "scores", "system", "metric", "criterion", "value") == [
        ("x", "gpt-4", "fluency", 3.0),
        ("x", "gpt-4", "relevance", 4.0),
        ("y", "gpt-4", "fluency", 5.0),
        ("y", "gpt-4", "relevance", 1.0),
    ]


def test_systems_that_the_other_files_do_not_have(tmp_path: Path, votes: str) -> None:
    table = [["item", "model_a", "model_b", "judge", "winner"], ["1", "X", "Y", "gpt-4", "A"]]
    judge = SourceFile(save(tmp_path / "j.csv", table), role="judge")
    (doubt,) = understand([SourceFile(votes), judge])[1].doubts
    assert doubt.chance == 0
    result = imported(SourceFile(votes), judge, renaming=parse_renaming(["X=x", "Y=y"], ["bo=ann"]))
    assert result.study.systems == ("x", "y")
    assert result.study.annotators == ("ann",)


def test_renaming_is_checked(votes: str) -> None:
    with pytest.raises(UsageError, match="--rename z=y: the files name no system z"):
        imported(votes, renaming=Renaming({"z": "y"}))
    with pytest.raises(UsageError, match="--same anne=x: the files name no person or criterion anne: did you mean ann"):
        imported(votes, renaming=Renaming({}, {"anne": "x"}))
    for bad in ("x", "=y", "x="):
        with pytest.raises(UsageError, match="write OLD=NEW"):
            parse_renaming([bad], [])
    with pytest.raises(UsageError, match="names x twice"):
        parse_renaming(["x=y", "x=z"], [])


OUTPUTS = [["item", "x", "y"], ["1", "So it is", "So it was"], ["2", "Nobody knows", "It may be"]]


@pytest.mark.parametrize(
    ("cell", "message"),
    [("1,000", "row 2, column x: '1,000': the comma may part thousands or be a decimal"), ("n.d.", "not a number")],
)
def test_scores_that_are_no_numbers_are_no_texts(tmp_path: Path, cell: str, message: str) -> None:
    outputs = save(tmp_path / "o.csv", OUTPUTS)
    scores = save(tmp_path / "bleu.csv", [["item", "x", "y"], ["1", cell, "0.5"], ["3", cell, "0.5"]])
    with pytest.raises(InputError, match=message):
        imported(outputs, SourceFile(scores, role="scores"))


def test_what_is_said_of_texts_is_not_said_of_scores(tmp_path: Path) -> None:
    outputs = save(tmp_path / "o.csv", OUTPUTS)
    scores = save(tmp_path / "bleu.csv", [["item", "x", "y"], ["1", "0.1", "1,200.5"], ["2", "0.2", "1,234,567"]])
    result = imported(outputs, SourceFile(scores, role="scores"), map_="text=x|y")
    assert rows(result, "scores", "item", "system", "metric", "value") == [
        ("1", "x", "bleu", 0.1), ("1", "y", "bleu", 1200.5), ("2", "x", "bleu", 0.2), ("2", "y", "bleu", 1234567.0),
    ]  # fmt: skip
