"""A plan that makes no sense is refused with the reason and with what would be right."""

from __future__ import annotations

import pytest
from tests.importers.spreadsheet.test_guess import LONG, sheet, texts

from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.mapping import Mapping, parse_map

NUMBERS = ["0.3", "0.4", "0.5", "0.25"]
TIMES = [f"Mon May 17 08:49:3{i} PDT 2021" for i in range(4)]

NONSENSE: dict[str, tuple[dict[str, list[str]], str, str]] = {
    "a first row of data": (
        {"This place has been the best of all those that I have visited in the last ten years, really.": texts("t")},
        "the first row seems to be data", "header line",
    ),
    "cells that were not told apart": (
        {"system mqm_avg_score seg_id": [f"Some-Name -5.0 {i}" for i in range(4)]}, "has one column", "commas or tabs",
    ),
    "times for systems": (
        {"id": ["1", "2", "3", "4"], "model": TIMES, "output": texts("o")}, "which is a time", "--map system=",
    ),
    "numbers for systems": (
        {"id": ["1", "2", "3", "4"], "model": NUMBERS, "output": texts("o")}, "which is a number", "--map system=",
    ),
    "a review for a system": (
        {"id": ["1", "2"], "model": [LONG, LONG], "output": texts("o", 2)}, "is a text, not a name", "--map system=",
    ),
    "scores for people": (
        {"id": ["1", "2"], "model_a": ["x"] * 2, "model_b": ["y"] * 2, "winner": ["x", "y"], "worker": ["0.5", "0.7"]},
        "would name the people", "--map annotator=",
    ),
    "answers for systems": (
        {"id": [str(i) for i in range(40)], "x": texts("x", 40), "Lieblingsfarbe": ["rot", "blau"] * 20},
        "Lieblingsfarbe", "--map 'text=COLUMN|COLUMN'",
    ),
}  # fmt: skip


def plan(table: dict[str, list[str]], *said: str) -> Mapping:
    return guess_mapping(sheet(table), parse_map(said))


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused(name: str) -> None:
    table, reason, cure = NONSENSE[name]
    refused = [doubt for doubt in plan(table).doubts if doubt.chance == 0]
    assert reason in refused[0].reason
    assert cure in refused[0].cure
    assert confidence_of(plan(table)) == 0


def test_what_the_user_says_is_not_doubted() -> None:
    table = {"id": ["1", "2", "3", "4"], "model": NUMBERS, "output": texts("o")}
    mapping = plan(table, "item=id,system=model,text=output")
    assert mapping.doubts == ()
    assert confidence_of(mapping) == 1


def test_a_judge_of_unclear_kind_is_a_question() -> None:
    table = {
        "id": ["1", "2"],
        "model_a": ["x", "x"],
        "model_b": ["y", "y"],
        "winner": ["x", "y"],
        "judge": ["u1", "u2"],
    }
    mapping = plan(table)
    assert "may name people or models" in mapping.doubts[0].reason
    assert 0 < confidence_of(mapping) < SURE_ENOUGH
    assert confidence_of(plan(table | {"judge": ["expert_1", "expert_2"]})) >= SURE_ENOUGH


def test_models_that_judge_are_no_people() -> None:
    table = {"id": ["1", "2"], "model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["x", "y"], "who": ["gpt-4"] * 2}
    for name in ("judge", "annotator"):
        mapping = plan({column if column != "who" else name: cells for column, cells in table.items()})
        assert mapping.tables == ("judge_preferences",)
        assert mapping.doubts == ()


PAIRS = {"id": ["1", "2", "3", "4"], "model_a": ["x"] * 4, "model_b": ["y"] * 4}
WON = {"winner": ["A", "B", "tie", "A"]}


def test_models_among_people_are_refused() -> None:
    mapping = plan(PAIRS | WON | {"annotator": ["gpt-4o", "ann", "ann", "bo"]})
    (doubt,) = mapping.doubts
    assert doubt.reason.startswith("annotator names models (gpt-4o) beside people (ann, bo)")
    assert "--judge-file" in doubt.cure
    assert confidence_of(mapping) == 0
    assert plan(PAIRS | WON | {"annotator": ["gpt-4o", "ann", "ann", "bo"]}, "annotator=annotator").doubts == ()


@pytest.mark.parametrize("name", ["Claude", "annotator_gpt4", "Koala", "Bart Simpson 3"])
@pytest.mark.parametrize("beside", ["ann", "Opus"])
def test_names_of_people_or_models_are_a_question(name: str, beside: str) -> None:
    mapping = plan(PAIRS | WON | {"annotator": [name, beside] * 2})
    (doubt,) = mapping.doubts
    assert doubt.reason.startswith("annotator may name people or models")
    assert ("--map judge=annotator" in doubt.cure) == (beside == "Opus")
    assert 0 < confidence_of(mapping) < SURE_ENOUGH


@pytest.mark.parametrize(
    ("columns", "cure"),
    [
        (["gpt-4 vote"], "--map 'outcome=gpt-4 vote' --map judge=:gpt-4, or --map 'outcome=gpt-4 vote' if it is not"),
        (["gpt-4o", "ann"], "--map outcome=ann, and the others by tiebreak add with --map outcome=gpt-4o --map judge="),
    ],
)
def test_a_column_of_a_models_answers_is_refused(columns: list[str], cure: str) -> None:
    table = PAIRS | dict.fromkeys(columns, WON["winner"])
    (doubt,) = plan(table).doubts
    assert f"{columns[0]} would be what people said" in doubt.reason
    assert doubt.cure.startswith(cure)
    assert doubt.chance == 0
    judged = plan(table, f"outcome={columns[0]}", "judge=:gpt-4")
    assert judged.tables == ("judge_preferences",)
    assert judged.doubts == ()
    if len(columns) > 1:
        assert plan(table, "outcome=ann").doubts == ()


def test_a_column_that_names_the_pair_is_no_judges() -> None:
    table = PAIRS | {"model_a": ["gpt"] * 4, "model_b": ["llama"] * 4}
    assert plan(table | {"gpt vs llama": WON["winner"]}).doubts == ()
    (doubt,) = plan(table | {"gpt vote": WON["winner"]}).doubts  # whose vote, or a vote for whom?
    assert 0 < doubt.chance < SURE_ENOUGH


TEXTS = {"prompt": texts("p"), "x answer": texts("x"), "y answer": texts("y")}


@pytest.mark.parametrize(
    "name",
    ["loser", "Worse one", "Which is worse?", "Verlierer", "peor", "rejected", "least liked", "not preferred",
     "second choice", "runner up", "weniger bevorzugt"],
)  # fmt: skip
@pytest.mark.parametrize("cells", [["A", "B", "tie", "A"], ["x answer", "y answer", "both", "x answer"]])
def test_who_lost_is_not_who_won(name: str, cells: list[str]) -> None:
    mapping = plan(TEXTS | {name: cells})
    (doubt,) = mapping.doubts
    assert doubt.reason == f"{name} says who lost, and no column who won"
    assert doubt.chance == 0
    assert not mapping.has("outcome")
    assert plan(TEXTS | {name: cells}, f"ignore={name}").doubts == ()
    assert plan(TEXTS | {name: cells} | WON).get("outcome").columns == ("winner",)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["shown first", "Presented first", "order", "Reihenfolge", "position"])
def test_what_was_shown_first_is_not_who_won(name: str) -> None:
    mapping = plan(TEXTS | {name: WON["winner"]})
    assert not mapping.has("outcome")
    assert plan(TEXTS | {"winner " + name: WON["winner"]}).has("outcome")


@pytest.mark.parametrize("name", ["correct", "correct answer", "Answer key", "richtige Antwort", "is_correct"])
@pytest.mark.parametrize("cells", [["1", "2", "1", "2"], ["0", "1", "0", "1"], ["A", "B", "A", "A"]])
def test_a_key_of_correct_answers_is_refused(name: str, cells: list[str]) -> None:
    options = {"question": texts("q"), "option 1": texts("o"), "option 2": texts("n"), name: cells}
    mapping = plan(options)
    (doubt,) = [doubt for doubt in mapping.doubts if doubt.chance == 0]
    assert f"{name} says which text is correct" in doubt.reason
    assert confidence_of(mapping) == 0


def test_which_is_more_correct_is_a_judgement() -> None:
    assert plan(TEXTS | {"Which is more correct?": ["1", "2", "1", "2"]}).has("outcome")


def test_correct_answers_beside_those_of_systems_are_none_of_a_key() -> None:
    assert plan(TEXTS | {"correct answer": ["4", "7", "7", "12"]}).doubts == ()


@pytest.mark.parametrize("name", ["longer", "more toxic", "written by human", "accepted", "fewer errors"])
def test_a_property_of_one_of_two_is_a_question(name: str) -> None:
    (doubt,) = plan(TEXTS | {name: WON["winner"]}).doubts
    assert doubt.reason == f"{name} may say who won"
    assert 0 < doubt.chance < SURE_ENOUGH
    assert plan(TEXTS | {f"preferred, if {name}": WON["winner"]}).doubts == ()


def test_a_column_for_each_answer_holds_no_ratings() -> None:
    mapping = plan(TEXTS | {"x answer better": ["1", "0"] * 2, "y answer better": ["0", "1"] * 2})
    assert not mapping.has("value")
    assert "x answer better may say who won" in mapping.doubts[0].reason


def test_models_under_an_unknown_name_are_judges() -> None:
    (doubt,) = plan(PAIRS | WON | {"quien": ["gpt-4o", "claude-3"] * 2}).doubts
    assert doubt.cure == "--map judge=quien"
    assert plan(PAIRS | WON | {"juez": ["gpt-4o", "claude-3"] * 2}).tables == ("judge_preferences",)


def test_answers_again_and_again_are_no_texts_beside_an_output() -> None:
    table = {"id": [str(i) for i in range(8)], "output": texts("o", 8), "pass": ["yes", "no"] * 4}
    assert plan(table).get("text").columns == ("output",)  # type: ignore[union-attr]


def test_votes_of_people_and_of_an_ai() -> None:
    (doubt,) = plan(PAIRS | {"human_vote": WON["winner"], "ai_vote": WON["winner"]}).doubts
    assert doubt.reason.startswith("ai_vote would be what people said, but ai may be a model")
    assert doubt.cure.startswith("--map outcome=human_vote, ")
    assert 0 < doubt.chance < SURE_ENOUGH
    assert plan(PAIRS | {"human_vote": WON["winner"]}).doubts == ()


def test_people_beside_models_are_a_question() -> None:
    who = {"annotator": ["ann", "bo"] * 2, "evaluator": ["gpt-4", "gpt-4o"] * 2}
    (doubt,) = plan(PAIRS | WON | who).doubts
    assert doubt.reason == "evaluator names models (gpt-4), and annotator people: whose answers are these?"
    assert 0 < doubt.chance < SURE_ENOUGH
    assert plan(PAIRS | WON | who, "annotator=annotator").doubts == ()


@pytest.mark.parametrize("columns", [("resp_a", "resp_b"), ("sys1_said", "sys2_said")])
def test_texts_of_a_pair_are_read_or_asked_about(columns: tuple[str, str]) -> None:
    """Without them the plan was sure, and said in one word that they are not used."""
    table = {"item": ["q1", "q2"], "sys1": ["x"] * 2, "sys2": ["y"] * 2, "verdict": ["x", "y"], "rater": ["ann"] * 2}
    written = {column: [f"What {column} wrote of {n}." for n in "12"] for column in columns}
    found = plan(table | written)
    if columns[0] == "resp_a":
        assert found.tables == ("outputs", "preferences")
    else:
        (doubt,) = found.doubts
        assert doubt.cure == "--map text_a=sys1_said,text_b=sys2_said if so"
        assert "outputs" in plan(table | written, "text_a=sys1_said,text_b=sys2_said").tables


def test_a_first_row_that_comes_again_is_no_header() -> None:
    """As Appraise exports its tasks."""
    table = {"eng0101": ["eng0101", "eng0102"] * 2, "onlineA": ["onlineA", "uedin"] * 2, "1": ["2", "3"] * 2}
    (doubt, *_) = plan(table | {"eng": ["eng"] * 4, "78": ["12", "55"] * 2}, "text=onlineA").doubts
    assert doubt.chance == 0
    assert "the first row seems to be data and not a header ('eng0101' comes again below it)" in doubt.reason


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("fluency winner", "--map 'outcome=winner|fluency winner' if each is a criterion"),
        ("verdict swapped", "a file of its own with the two systems the other way round"),
        ("language", None),
        ("correct", None),
    ],
)
def test_further_answers_are_not_dropped_without_a_word(name: str, cure: str | None) -> None:
    doubts = plan(PAIRS | WON | {name: ["A", "B", "tie", "B"], "rater": ["ann", "bo"] * 2}).doubts
    assert [doubt.cure.startswith(cure) for doubt in doubts] == ([True] if cure else [])  # type: ignore[arg-type]
    assert plan(PAIRS | WON | {name: ["A", "B", "tie", "B"], "rater": ["ann", "bo"] * 2}, f"ignore={name}").doubts == ()


def test_names_that_come_again_in_few_rows_may_be_of_people() -> None:
    (doubt,) = plan(PAIRS | WON | {"arvioija": ["Bo", "Carla M.", "ann", "Bo"]}).doubts
    assert doubt.reason == "arvioija may name who labelled"
    assert plan(PAIRS | WON | {"thoughts": ["short", "long", "dull", "fine"]}).doubts == ()


def of_documents(name: str) -> dict[str, list[str]]:
    return {
        name: [f"d{i // 2}" for i in range(16)], "article": [f"{LONG} {i // 2}" for i in range(16)],
        "model": ["m1", "m2"] * 8, "summary": texts("s", 16), "coherence": ["1", "2", "4", "5"] * 4,
    }  # fmt: skip


def test_what_may_name_items_or_people_is_asked_about_as_both() -> None:
    (doubt,) = plan(of_documents("saga")).doubts
    assert doubt.cure.startswith("--map item=saga if it names the items, --map annotator=saga if so")
    assert plan(of_documents("saga"), "item=saga").doubts == ()
    (doubt,) = plan(of_documents("saga") | {"item": [str(i // 2) for i in range(16)]}).doubts
    assert doubt.cure.startswith("--map annotator=saga if so")


def test_documents_that_have_an_input_each_are_items() -> None:
    mapping = plan(of_documents("doc"))
    assert mapping.doubts == ()
    assert [b.columns for b in mapping.bindings if b.target == "item"] == [("doc",)]
    parts = of_documents("doc") | {"doc": ["d1"] * 8 + ["d2"] * 8}
    assert not plan(parts).has("item")


def test_two_parts_of_a_task_are_said_to_be_none_of_systems() -> None:
    (doubt,) = plan({"id": list("1234"), "text_1": texts("x"), "text_2": texts("y"), "choice": list("1221")}).doubts
    assert doubt.reason == "text_1 and text_2 may be two parts of one task, and not what two systems wrote"
    assert doubt.cure == "--map 'text=text_1|text_2' if two systems wrote them"


def test_numbers_about_outputs_are_not_dropped_without_a_word() -> None:
    """Of a judge beside people's, or numbered: the names say what they are, and not whose."""
    table = {"id": [str(n // 2) for n in range(16)], "model": ["x", "y"] * 8, "output": texts("o", 16)}
    human = {"human rating": ["1", "2", "4", "5"] * 4}
    (doubt,) = plan(table | human | {"gpt-4 rating": ["7", "9"] * 8}).doubts
    assert doubt.reason == "gpt-4 rating may be ratings or scores of the outputs"
    assert plan(table | human | {"gpt-4 rating": ["7", "9"] * 8}, "score=gpt-4 rating").doubts == ()
    assert plan(table | human | {"gpt-4 tokens": ["7", "9"] * 8}).doubts == ()


LONG_TABLE = {"id": [str(n // 2) for n in range(16)], "model": ["x", "y"] * 8, "output": texts("o", 16)}


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (LONG_TABLE | {"label": ["True", "False"] * 8}, "label is not read, as cells such as 'False' are no numbers"),
        (
            {
                "id": ["1", "2"],
                "source": texts("s", 2),
                "mt": texts("m", 2),
                "pe": texts("p", 2),
                "translator": ["T"] * 2,
            },
            "translator may name who labelled",
        ),
        (
            {"q": texts("q"), "a1": texts("x"), "a2": texts("y"), "a1_votes": list("1302"), "a2_votes": list("2140")},
            "a1_votes, a2_votes seem to be counts of votes",
        ),
    ],
)
def test_labels_that_would_be_lost_or_misread_are_asked_about(table: dict[str, list[str]], reason: str) -> None:
    assert reason in [doubt.reason for doubt in plan(table).doubts]


def test_sides_that_were_turned_are_asked_about() -> None:
    """Where `swapped` is true, A on the screen may be the second of the row."""
    turned = {"swapped": ["TRUE", "FALSE"] * 2}
    (doubt,) = plan(PAIRS | WON | turned).doubts
    assert doubt.reason.startswith("swapped may say where the two were shown the other way round")
    assert plan(PAIRS | {"winner": ["x", "y", "tie", "x"]} | turned).doubts == ()
    assert plan(PAIRS | WON | turned, "ignore=swapped").doubts == ()


def test_counts_of_votes_are_refused() -> None:
    counts = {"votes_a": ["3", "0", "2", "1"], "votes_b": ["1", "2", "2", "0"], "votes_tie": ["1", "2", "0", "1"]}
    (doubt,) = plan(PAIRS | counts).doubts
    assert (doubt.reason, doubt.chance) == ("votes_a, votes_b, votes_tie seem to be counts of votes", 0)


def test_ratings_in_words_are_asked_about() -> None:
    table = {"prompt": ["p 1", "p 1", "p 2", "p 2"] * 4, "model": ["x", "y"] * 8, "output": texts("o", 16)}
    (doubt,) = plan(table | {"rating": ["good", "bad"] * 8}).doubts
    assert doubt.cure == "numbers in their place (or '4 - good'), or --map ignore=rating"
