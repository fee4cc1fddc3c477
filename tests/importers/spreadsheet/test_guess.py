"""The guess on the headers of files that people have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import Rows, bound, proposed

from tiebreak.errors import UsageError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet import winners
from tiebreak.importers.spreadsheet.fields import folded
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


def test_thousands_of_columns_are_compared_with_names_that_are_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def counting(name: str) -> str:
        nonlocal count
        count += 1
        return folded(name)

    monkeypatch.setattr(winners, "folded", counting)
    guess_mapping(sheet({f"c{k}": ["so it is", "so it was"] for k in range(500)}), ())
    assert 500 <= count < 5_000


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
