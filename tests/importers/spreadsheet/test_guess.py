"""The guess on the headers of files that people have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, proposed

from tiebreak.errors import UsageError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet import winners
from tiebreak.importers.spreadsheet.confidence import confidence_of
from tiebreak.importers.spreadsheet.fields import folded, sided_target
from tiebreak.importers.spreadsheet.guess import guess_mapping
from tiebreak.importers.spreadsheet.mapping import Mapping, parse_map
from tiebreak.importers.spreadsheet.profile import parse_number, parse_time
from tiebreak.tabular.spreadsheet import Sheet

LONG = "a text that is long enough to be nothing but an output of some system, number"


def sheet(table: dict[str, list[str]], source: str = "file.csv") -> Sheet:
    rows = tuple(zip(*table.values(), strict=True))
    return Sheet(source, source.split(".")[0], tuple(table), tuple(range(2, len(rows) + 2)), rows)


def found(mapping: Mapping) -> dict[str, str]:
    return {b.target: "|".join(b.columns) if b.columns else f":{b.constant}" for b in mapping.bindings}


def texts(name: str, count: int = 4) -> list[str]:
    return [f"{LONG} {name} {i}" for i in range(count)]


CASES: dict[str, tuple[dict[str, list[str]], dict[str, str], tuple[str, ...], tuple[str, ...]]] = {
    "arena battles": (
        {
            "question_id": ["q1", "q2", "q3", "q4"],
            "model_a": ["x", "x", "y", "z"],
            "model_b": ["y", "z", "z", "x"],
            "winner": ["model_a", "model_b", "tie", "tie (bothbad)"],
            "judge": ["u1", "u2", "u1", "u3"],
            "conversation_a": texts("a"),
            "conversation_b": texts("b"),
            "turn": ["1", "1", "1", "1"],
            "tstamp": ["1682351591.1", "1682351592.1", "1682351593.1", "1682351594.1"],
        },
        {
            "item": "question_id", "system_a": "model_a", "system_b": "model_b", "outcome": "winner",
            "annotator": "judge", "text_a": "conversation_a", "text_b": "conversation_b", "decided_at": "tstamp",
        },
        ("outputs", "preferences"),
        ("turn",),
    ),
    "outputs, long": (
        {"Doc ID": ["1", "1", "2", "2"], "Model Name": ["x", "y", "x", "y"], "Generated Text": texts("t")},
        {"item": "Doc ID", "system": "Model Name", "text": "Generated Text"},
        ("outputs",),
        (),
    ),
    "one system's predictions": (
        {"id": ["1", "2", "3", "4"], "source": texts("s"), "prediction": texts("p"), "target": texts("g")},
        {"item": "id", "input": "source", "text": "prediction", "reference": "target", "system": ":file"},
        ("items", "outputs"),
        (),
    ),
    "one column per system": (
        {"Prompt": texts("p"), "GPT-4": texts("g"), "Llama 3": texts("l"), "notes": ["", "ok", "", "hm"]},
        {"input": "Prompt", "text": "GPT-4|Llama 3"},
        ("items", "outputs"),
        ("notes",),
    ),
    "one column per system and two people": (
        {
            "example_id": ["1", "2", "3", "4"],
            "baseline": texts("g"),
            "ours": texts("l"),
            "Ann": ["1", "2", "0", ""],
            "Bob": ["2", "2", "1", "0"],
        },
        {"item": "example_id", "text": "baseline|ours", "outcome": "Ann|Bob"},
        ("outputs", "preferences"),
        (),
    ),
    "pair with texts and no names of systems": (
        {
            "instruction": texts("i"),
            "response_1": texts("a"),
            "response_2": texts("b"),
            "preference": ["1", "2", "2", "0"],
        },
        {"input": "instruction", "text": "response_1|response_2", "outcome": "preference"},
        ("items", "outputs", "preferences"),
        (),
    ),
    "preference data with everything in a row": (
        {
            "prompt": texts("p"), "response_a": texts("a"), "response_b": texts("b"),
            "model_a": ["x", "x", "y", "z"], "model_b": ["y", "z", "z", "x"], "winner": ["A", "B", "tie", "A"],
        },
        {
            "input": "prompt", "text_a": "response_a", "text_b": "response_b", "system_a": "model_a",
            "system_b": "model_b", "outcome": "winner",
        },
        ("items", "outputs", "preferences"),
        (),
    ),
    "crowd platform": (
        {
            "HITId": ["h1", "h2", "h3", "h4"], "WorkerId": ["w1", "w2", "w1", "w2"],
            "WorkTimeInSeconds": ["10", "12", "9", "30"], "SubmitTime": ["2021-05-17T08:38:20-07:00"] * 4,
            "segment_id": ["1", "1", "2", "2"], "leftSystem": ["x", "y", "x", "y"], "rightSystem": ["y", "x", "y", "x"],
            "choice": ["left", "right", "left", "both"],
        },
        {
            "item": "segment_id", "annotator": "WorkerId", "seconds": "WorkTimeInSeconds", "decided_at": "SubmitTime",
            "system_a": "leftSystem", "system_b": "rightSystem", "outcome": "choice",
        },
        ("preferences",),
        ("HITId",),
    ),
    "ratings, long": (
        {
            "doc": ["1", "1", "2", "2"], "docid": ["1", "1", "2", "2"], "sys": ["x", "y", "x", "y"],
            "rater": ["r", "r", "r", "r"], "dimension": ["fluency"] * 4, "score": ["1", "5", "3", "4"],
        },
        {"item": "docid", "system": "sys", "annotator": "rater", "criterion": "dimension", "value": "score"},
        ("ratings",),
        ("doc",),
    ),
    "ratings, one column per criterion": (
        {
            "item": ["1", "1", "2", "2"], "system": ["x", "y", "x", "y"], "evaluator": ["r"] * 4,
            "Fluency": ["1", "5", "3", "4"], "Coherence": ["1", "2", "3", ""],
        },
        {"item": "item", "system": "system", "annotator": "evaluator", "value": "Fluency|Coherence"},
        ("ratings",),
        (),
    ),
    "scores, one column per metric": (
        {
            "segment": ["1", "1", "2", "2"], "system": ["x", "y", "x", "y"],
            "ROUGE-L": ["0.1", "0.5", "0.3", "0.4"], "bleu_4": ["12.5", "20", "3", "0"],
        },
        {"item": "segment", "system": "system", "score": "ROUGE-L|bleu_4"},
        ("scores",),
        (),
    ),
    "scores, long": (
        {
            "sample_id": ["1", "1", "2", "2"], "model": ["x", "y", "x", "y"], "metric": ["chrf"] * 4,
            "value": ["0.1", "0.5", "0.3", "0.4"],
        },
        {"item": "sample_id", "system": "model", "metric": "metric", "score": "value"},
        ("scores",),
        (),
    ),
    "outputs with ratings and a metric": (
        {
            "id": ["1", "1", "2", "2"], "model": ["x", "y", "x", "y"], "answer": texts("t"),
            "rating": ["1", "5", "3", "4"], "bertscore_f1": ["0.81", "0.82", "0.83", "0.84"],
        },
        {"item": "id", "system": "model", "text": "answer", "value": "rating", "score": "bertscore_f1"},
        ("outputs", "ratings", "scores"),
        (),
    ),
    "a text with a name of its own": (
        {"id": ["1", "2", "3", "4"], "mt5-small-v2": texts("t"), "language": ["is"] * 4},
        {"item": "id", "text": "mt5-small-v2", "system": ":mt5-small-v2"},
        ("outputs",),
        ("language",),
    ),
    "sides without names": (
        {"prompt": texts("p"), "A": texts("a"), "B": texts("b"), "label": ["A", "B", "A", "tie"]},
        {"input": "prompt", "text": "A|B", "outcome": "label"},
        ("items", "outputs", "preferences"),
        (),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_realistic_headers(name: str) -> None:
    table, expected, tables, unused = CASES[name]
    mapping = guess_mapping(sheet(table), ())
    assert found(mapping) == expected
    assert mapping.tables == tables
    assert mapping.unused == unused


@pytest.mark.parametrize("name", CASES)
def test_the_order_of_the_columns_does_not_matter(name: str) -> None:
    table, expected, tables, _ = CASES[name]
    mapping = guess_mapping(sheet(dict(reversed(table.items()))), ())
    same = {target: set(columns.split("|")) for target, columns in found(mapping).items()}
    assert same == {target: set(columns.split("|")) for target, columns in expected.items()}
    assert mapping.tables == tables


def test_what_the_user_says_overrides_and_completes() -> None:
    table = {"id": ["1", "2"], "doc": ["d1", "d2"], "output": texts("o", 2), "alt": texts("n", 2)}
    mapping = guess_mapping(sheet(table), parse_map(["item=doc,text=alt,system=:mine,ignore=output"]))
    assert found(mapping) == {"item": "doc", "text": "alt", "system": ":mine", "ignore": "output"}
    assert {binding.origin for binding in mapping.bindings} == {"option"}


def test_a_row_number_is_not_the_item_when_inputs_repeat() -> None:
    table = {
        "id": ["1", "2", "3", "4"], "question": ["why", "why", "how", "how"],
        "model": ["x", "y", "x", "y"], "answer": texts("a"),
    }  # fmt: skip
    assert found(guess_mapping(sheet(table), ())) == {"input": "question", "system": "model", "text": "answer"}


def test_people_with_numbers_are_no_answers_beside_some() -> None:
    table = {"prompt": texts("p"), "answer1": texts("a"), "answer2": texts("b"), "comparison": ["A", "B", "A", "tie"]}
    mapping = guess_mapping(sheet(table | {"annotator": ["1", "2", "1", "2"]}), ())
    assert (found(mapping)["outcome"], found(mapping)["annotator"]) == ("comparison", "annotator")


def test_what_a_model_rated_is_a_score() -> None:
    table = {"item": ["1", "1"], "system": ["x", "y"], "output": texts("o", 2), "GPT-4 rating": ["4", "5"]}
    assert guess_mapping(sheet(table), ()).tables == ("outputs", "scores")


@pytest.mark.parametrize(
    ("column", "system"),
    [("mistral", "mistral"), ("gpt-4o answer", "gpt-4o"), ("Claude", "Claude"), ("output (llama)", "llama"),
     ("response", "file"), ("answer A", "file"), ("snippet", "file")],
)  # fmt: skip
def test_the_only_column_of_texts_may_name_the_system(column: str, system: str) -> None:
    assert found(guess_mapping(sheet({"question": texts("q"), column: texts("t")}), ()))["system"] == f":{system}"


@pytest.mark.parametrize("answers", [["Human", "GPT", "tie", "GPT"], ["A", "B", "B", "A"]])
@pytest.mark.parametrize("name", ["Winner", "which one?"])
def test_a_human_who_competes_is_no_reference(name: str, answers: list[str]) -> None:
    table = {"Prompt": texts("p"), "Human": texts("h"), "GPT": texts("g")}
    mapping = guess_mapping(sheet(table | {name: answers}), ())
    if name == "Winner" or "GPT" in answers:
        assert found(mapping) == {"input": "Prompt", "text": "Human|GPT", "outcome": name}
        assert confidence_of(mapping) >= SURE_ENOUGH
    assert found(guess_mapping(sheet(table), ()))["reference"] == "Human"
    two = guess_mapping(sheet(table | {"Llama": texts("l"), "Winner": ["GPT", "Llama"] * 2}), ())
    assert found(two)["text"] == "GPT|Llama"


def test_rater_columns_of_one_criterion() -> None:
    table = {"item": ["1", "2"], "system": ["x", "x"], "rater1": ["1", "2"], "rater2": ["3", "2"]}
    mapping = guess_mapping(sheet(table), ())
    assert found(mapping)["value"] == "rater1|rater2"
    assert mapping.several_are == "annotator"


def test_what_fits_nothing_is_refused_with_examples() -> None:
    with pytest.raises(UsageError, match=r"(?s)cannot tell what this file holds \(columns: year, month\).*--map item="):
        guess_mapping(sheet({"year": ["1", "2"], "month": ["3", "4"]}), ())


OUTPUTS: Rows = [["prompt", "model", "output"], ["Q1?", "x", "Yes."], ["Q1?", "y", "No."], ["Q2?", "x", "I."]]
REFERENCES: Rows = [["prompt", "reference"], ["Q2?", "You."], ["Q1?", "Yes!"]]


@pytest.mark.parametrize("tables", [(OUTPUTS, REFERENCES), (REFERENCES, OUTPUTS)])
@pytest.mark.parametrize("said", [(), ("input=prompt,reference=reference",)])
def test_a_file_of_references_beside_outputs(tables: tuple[Rows, Rows], said: tuple[str, ...], tmp_path: Path) -> None:
    plan = proposed(tmp_path, *tables, columns=said)
    assert bound(plan, tables.index(REFERENCES)) == {"input": ("prompt",), "reference": ("reference",)}
    assert SURE_ENOUGH <= plan.confidence < 1
    items = plan.build("s").study.items
    assert items is not None
    assert dict(items.select("input", "reference").iter_rows()) == {"Q1?": "Yes!", "Q2?": "You."}


def test_references_by_input_beside_items_with_ids_go_in_later(tmp_path: Path) -> None:
    outputs = [[("id", "q1", "q1", "q2")[n], *row] for n, row in enumerate(OUTPUTS)]
    with pytest.raises(UsageError, match=r"no item column, but other files have one.* tiebreak add goes by inputs"):
        proposed(tmp_path, outputs, REFERENCES).build("s")


def test_references_alone_are_refused_with_the_way_to_bring_them(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="inputs and references make no study alone; name it beside a file of outputs"):
        proposed(tmp_path, REFERENCES)


def test_a_said_column_that_leads_to_nothing_is_refused() -> None:
    table = {"id": ["1", "2"], "output": texts("o", 2), "vote": ["a", "b"]}
    with pytest.raises(UsageError, match="an outcome needs a pair"):
        guess_mapping(sheet(table), parse_map(["outcome=vote,text=output"]))


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("model_a", "system_a"), ("Model 2", "system_b"), ("leftModel", "system_a"), ("right system", "system_b"),
        ("modela", "system_a"), ("system_b_name", "system_b"), ("response_a", "text_a"), ("outputB", "text_b"),
        ("model_a_response", "text_a"), ("first_answer", "text_a"), ("text", None), ("a", None), ("reference_1", None),
        ("rouge_1", None), ("Answer 1 model", "system_a"), ("response_b_model_name", "system_b"),
        ("answer model 1", "text_a"), ("left output model", "system_a"), ("response_a_id", None),
        ("Response one", "text_a"), ("model two", "system_b"), ("first one", None), ("which one", None),
    ],
)  # fmt: skip
def test_sides_in_names(name: str, target: str | None) -> None:
    assert sided_target(name) == target


def test_thousands_of_columns_are_compared_with_names_that_are_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def counting(name: str) -> str:
        nonlocal count
        count += 1
        return folded(name)

    monkeypatch.setattr(winners, "folded", counting)
    guess_mapping(sheet({f"c{k}": ["so it is", "so it was"] for k in range(500)}), ())
    assert 500 <= count < 5_000


def test_a_column_called_as_a_model_beside_the_only_texts_is_asked_about() -> None:
    mapping = guess_mapping(sheet({"prompt": texts("p"), "gpt": ["A", "B", "A", "B"], "llama": texts("l")}), ())
    assert mapping.systems == ("llama",)
    assert "gpt may be the outputs of another system" in mapping.doubts[0].reason
    assert confidence_of(mapping) < SURE_ENOUGH


def test_numbers_and_times() -> None:
    assert parse_number(" 3.5 ") == 3.5
    assert parse_number("3,5") is None
    assert parse_number("3,5", decimal_comma=True) == 3.5
    assert parse_number("nan") is None
    assert parse_number("1_000") is None
    assert parse_time("2024-05-17T08:38:20-07:00") == "2024-05-17T08:38:20-07:00"
    assert parse_time("1700000000") == parse_time("1700000000000") == "2023-11-14T22:13:20+00:00"
    assert parse_time("3/4/2024") is None
    assert parse_time("20") is None


@pytest.mark.parametrize(
    ("columns", "names", "beside"),
    [
        (("fluency_winner", "style_winner"), ("fluency", "style"), True),
        (("vote Ann", "vote Bo"), ("Ann", "Bo"), False),
        (("winner 1", "winner 2"), ("winner 1", "winner 2"), False),
    ],
)
def test_a_word_that_all_columns_of_answers_share_is_no_part_of_a_name(
    columns: tuple[str, str], names: tuple[str, str], beside: bool
) -> None:
    table = {"item": ["1", "2"], "model_a": ["x", "x"], "model_b": ["y", "y"]} | {
        column: ["A", "B"] for column in columns
    }
    mapping = guess_mapping(sheet(table | ({"rater": ["ann", "bo"]} if beside else {})), ())
    outcome = mapping.get("outcome")
    assert outcome is not None
    assert tuple(map(outcome.name_of_answers, outcome.columns)) == names
