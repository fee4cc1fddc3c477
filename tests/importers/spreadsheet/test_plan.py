"""Files in, study out: every shape, every assumption, every problem."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tiebreak
from tiebreak.data.readers import read_study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, TiebreakError, UsageError
from tiebreak.importers.importer import Imported
from tiebreak.importers.spreadsheet.mapping import parse_map
from tiebreak.importers.spreadsheet.plan import SourceFile, build, understand
from tiebreak.importers.spreadsheet.renaming import Renaming
from tiebreak.importers.spreadsheet.winners import parse_winner

Rows = Sequence[Sequence[object]]


def save(path: Path, rows: Rows) -> str:
    if path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(list(row))
        book.save(path)
    else:
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows(rows)
    return str(path)


def imported(
    *sources: str | SourceFile, map_: str = "", winner: str | None = None, renaming: Renaming | None = None
) -> Imported:
    files = [source if isinstance(source, SourceFile) else SourceFile(source) for source in sources]
    renaming = renaming or Renaming()
    mappings = understand(files, parse_map([map_] if map_ else []), [*renaming.systems, *renaming.systems.values()])
    return build(mappings, parse_winner(winner), renaming, name="s")


def rows(result: Imported, table: str, *columns: str) -> list[tuple[object, ...]]:
    frame = result.study.tables_as_read[table]  # type: ignore[index]
    return frame.select(columns).rows()


suffixes = pytest.mark.parametrize("suffix", [".csv", ".xlsx"])


@suffixes
def test_one_file_per_system(tmp_path: Path, suffix: str) -> None:
    one = save(tmp_path / f"gpt-4{suffix}", [["id", "output"], [1, "a"], [2, "b"]])
    two = save(tmp_path / f"llama{suffix}", [["id", "output"], [2, "d"], [1, ""]])
    result = imported(one, SourceFile(two, "Llama 3"))
    assert rows(result, "outputs", "item", "system", "text") == [
        ("1", "gpt-4", "a"),
        ("2", "gpt-4", "b"),
        ("2", "Llama 3", "d"),
        ("1", "Llama 3", ""),  # an empty output in a row of its own is an output
    ]
    assert set(result.study.tables) == {"outputs"}


def test_files_without_items_are_paired_by_position(tmp_path: Path) -> None:
    one = save(tmp_path / "x.csv", [["output"], ["a"], ["b"]])
    two = save(tmp_path / "y.csv", [["output"], ["c"], ["d"]])
    result = imported(one, two)
    assert rows(result, "outputs", "item", "system", "text") == [
        ("item0001", "x", "a"),
        ("item0002", "x", "b"),
        ("item0001", "y", "c"),
        ("item0002", "y", "d"),
    ]


def test_positions_need_files_of_one_length_and_no_gaps(tmp_path: Path) -> None:
    one = save(tmp_path / "x.csv", [["output"], ["a"], ["b"], ["c"]])
    two = save(tmp_path / "y.csv", [["output"], ["c"], [""], ["d"]])
    with pytest.raises(InputError) as caught:
        imported(one, two)
    assert [(problem.line, problem.message[:20]) for problem in caught.value.problems] == [
        (3, "a blank row, and no "),
        (None, "2 rows, but " + one[:8]),
    ]


def test_files_must_agree_on_having_items(tmp_path: Path) -> None:
    one = save(tmp_path / "x.csv", [["item", "output"], ["1", "a"]])
    two = save(tmp_path / "y.csv", [["output"], ["c"]])
    with pytest.raises(UsageError, match=r"y\.csv: no item column, but other files have one"):
        imported(one, two)


def test_two_files_of_one_name_need_systems(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    one = save(tmp_path / "a" / "out.csv", [["id", "output"], ["1", "a"]])
    two = save(tmp_path / "out.csv", [["id", "output"], ["1", "b"]])
    with pytest.raises(UsageError, match="--system NAME="):
        imported(one, two)
    assert imported(SourceFile(one, "p"), two).study.systems == ("out", "p")


@suffixes
def test_one_column_per_system_with_annotators(tmp_path: Path, suffix: str) -> None:
    table = [
        ["Prompt", "gpt-4", "llama", "Ann", "Bob"],
        ["why", "because", "so", 1, 2],
        ["how", "thus", "like this", "tie", None],
        ["who", "me", None, 2, 1],
    ]
    result = imported(save(tmp_path / f"wide{suffix}", table))
    assert rows(result, "items", "item", "input") == [("item0001", "why"), ("item0002", "how"), ("item0003", "who")]
    assert rows(result, "outputs", "item", "system", "text") == [
        ("item0001", "gpt-4", "because"),
        ("item0001", "llama", "so"),
        ("item0002", "gpt-4", "thus"),
        ("item0002", "llama", "like this"),
        ("item0003", "gpt-4", "me"),
    ]
    assert rows(result, "preferences", "item", "system_a", "system_b", "annotator", "outcome") == [
        ("item0001", "gpt-4", "llama", "Ann", "a"),
        ("item0002", "gpt-4", "llama", "Ann", "tie"),
        ("item0003", "gpt-4", "llama", "Ann", "b"),
        ("item0001", "gpt-4", "llama", "Bob", "b"),
        ("item0003", "gpt-4", "llama", "Bob", "a"),
    ]
    assert {(s.reason, s.count) for s in result.skipped} == {
        ("blank cells in llama: no output", 1),
        ("Bob is blank: not labelled", 1),
    }


@suffixes
def test_everything_in_a_row(tmp_path: Path, suffix: str) -> None:
    table = [
        ["prompt", "response_a", "response_b", "model_a", "model_b", "winner"],
        ["why", "x why", "y why", "x", "y", "model_a"],
        ["why", "y why", "x why", "y", "x", "model_a"],
        ["how", "x how", "z how", "x", "z", "tie (bothbad)"],
    ]
    result = imported(save(tmp_path / f"pairs{suffix}", table))
    assert rows(result, "items", "item", "input") == [("item0001", "why"), ("item0002", "how")]
    assert rows(result, "outputs", "item", "system", "text") == [
        ("item0001", "x", "x why"),
        ("item0001", "y", "y why"),
        ("item0002", "x", "x how"),
        ("item0002", "z", "z how"),
    ]
    # Nobody is named, so the second label of the pair (the other way round) is by a second person.
    assert rows(result, "preferences", "item", "system_a", "system_b", "annotator", "outcome") == [
        ("item0001", "x", "y", "annotator1", "a"),
        ("item0001", "y", "x", "annotator2", "a"),
        ("item0002", "x", "z", "annotator1", "tie"),
    ]
    assert any("annotator1, annotator2, ..." in sentence for sentence in result.assumptions)


def test_left_and_right_columns_are_kept(tmp_path: Path) -> None:
    table = [
        ["segment", "left_model", "right_model", "worker", "choice", "seconds", "timestamp"],
        ["1", "x", "y", "w1", "left", "10", "2021-05-17T08:38:20-07:00"],
        ["1", "y", "x", "w2", "right", "", ""],
        ["2", "x", "y", "w1", "both", "7.5", "2021-05-17T08:40:20-07:00"],
    ]
    result = imported(save(tmp_path / "p.csv", table))
    columns = ("item", "system_a", "system_b", "annotator", "outcome", "left", "seconds", "decided_at")
    assert rows(result, "preferences", *columns) == [
        ("1", "x", "y", "w1", "a", "x", 10.0, "2021-05-17T08:38:20-07:00"),
        ("1", "y", "x", "w2", "b", "y", None, None),
        ("2", "x", "y", "w1", "tie", "x", 7.5, "2021-05-17T08:40:20-07:00"),
    ]


@suffixes
def test_ratings_by_criterion_and_scores_by_metric(tmp_path: Path, suffix: str) -> None:
    table = [
        ["Doc ID", "Model", "Rater", "Fluency", "Coherence", "ROUGE-L"],
        ["d1", "x", "r1", 4, 2.5, 0.25],
        ["d1", "x", "r2", 5, None, 0.25],
        ["d1", "y", "r1", 1, 1, 0.5],
    ]
    result = imported(save(tmp_path / f"r{suffix}", table))
    assert rows(result, "ratings", "item", "system", "annotator", "criterion", "value") == [
        ("d1", "x", "r1", "Fluency", 4.0),
        ("d1", "x", "r1", "Coherence", 2.5),
        ("d1", "x", "r2", "Fluency", 5.0),
        ("d1", "y", "r1", "Fluency", 1.0),
        ("d1", "y", "r1", "Coherence", 1.0),
    ]
    # The score stands in both rows about x and is one score.
    assert rows(result, "scores", "item", "system", "metric", "value") == [
        ("d1", "x", "ROUGE-L", 0.25),
        ("d1", "y", "ROUGE-L", 0.5),
    ]


def test_ratings_by_nobody_of_nothing(tmp_path: Path) -> None:
    table = [["item", "system", "rating"], ["1", "x", "3"], ["1", "x", "4"], ["1", "y", "5"]]
    result = imported(save(tmp_path / "r.csv", table))
    assert rows(result, "ratings", "system", "annotator", "criterion", "value") == [
        ("x", "annotator1", "overall", 3.0),
        ("x", "annotator2", "overall", 4.0),
        ("y", "annotator1", "overall", 5.0),
    ]
    assert any("'overall'" in sentence for sentence in result.assumptions)


def test_decimal_commas_in_semicolon_files(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("item;system;rating\n1;x;3,5\n", encoding="utf-8")
    assert rows(imported(str(path)), "ratings", "value") == [(3.5,)]


def test_constants(tmp_path: Path) -> None:
    table = [["item", "vote"], ["1", "a"], ["2", "b"]]
    result = imported(
        save(tmp_path / "v.csv", table), map_="item=item,system_a=:x,system_b=:y,outcome=vote,annotator=:me"
    )
    assert rows(result, "preferences", "system_a", "system_b", "annotator", "outcome") == [
        ("x", "y", "me", "a"),
        ("x", "y", "me", "b"),
    ]


def test_criteria_in_several_outcome_columns(tmp_path: Path) -> None:
    table = [
        ["item", "system_a", "system_b", "annotator", "fluency", "relevance"],
        ["1", "x", "y", "p", "a", "b"],
        ["2", "x", "y", "p", "tie", ""],
    ]
    result = imported(save(tmp_path / "v.csv", table))
    assert rows(result, "preferences", "item", "criterion", "outcome") == [
        ("1", "fluency", "a"),
        ("2", "fluency", "tie"),
        ("1", "relevance", "b"),
    ]


def test_readings_are_counted_most_frequent_first(tmp_path: Path) -> None:
    votes = ["1", "2", "2", "0", "", ""]
    table = [["item", "model_a", "model_b", "winner"], *([str(i), "x", "y", vote] for i, vote in enumerate(votes))]
    result = imported(save(tmp_path / "v.csv", table), winner="0=tie")
    assert [(r.cell, r.meaning, r.count) for r in result.readings] == [
        ("2", "system_b", 2),
        ("1", "system_a", 1),
        ("0", "tie", 1),
        ("blank", "skipped", 2),
    ]


def test_all_problems_are_named_together(tmp_path: Path) -> None:
    table = [
        ["item", "model_a", "model_b", "annotator", "winner", "text_a", "text_b", "seconds"],
        ["1", "x", "y", "p", "a", "one", "", "5"],
        ["1", "y", "x", "p", "a", "", "one", "6"],  # p again, on the same pair
        ["2", "x", "x", "p", "a", "", "", "7"],
        ["", "x", "y", "p", "a", "four", "", "8"],
        ["3", "x", "y", "p", "perhaps", "five", "", "9"],
        ["4", "x", "y", "", "a", "six", "", "-1"],
        ["1", "x", "z", "p", "a", "another one", "", "3"],  # another text of x for item 1
    ]
    with pytest.raises(InputError) as caught:
        imported(save(tmp_path / "v.csv", table))
    found = [(problem.line, problem.column, problem.value) for problem in caught.value.problems]
    assert found == [
        (4, "model_b", "x"),
        (5, "item", ""),
        (6, "winner", "perhaps"),
        (7, "annotator", ""),
        (7, "seconds", "-1"),
        (8, "text_a", "another one"),
    ]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    table = [["item", "system", "value"], ["1", "x", "3"], ["2", "x", "good"], ["3", "x", "nan"]]
    with pytest.raises(InputError) as caught:
        imported(save(tmp_path / "v.csv", table), map_="value=value")
    assert [(p.line, p.column, p.value) for p in caught.value.problems] == [(3, "value", "good")]


def test_one_cause_is_one_line(tmp_path: Path) -> None:
    votes = ["x", "hm", "hm", "sure", "hm", ""]
    table = [["item", "model_a", "model_b", "winner"], *([str(i), "x", "y", vote] for i, vote in enumerate(votes))]
    with pytest.raises(InputError) as caught:
        imported(save(tmp_path / "v.csv", table))
    first, second = caught.value.problems
    assert (first.line, first.unit, first.value) == (3, "row", "hm")
    assert "--winner hm=tie" in first.message
    assert first.message.endswith("(3 rows)")
    assert (second.line, second.value) == (5, "sure")
    assert "rows" not in second.message


def test_exact_copies_are_dropped_and_other_repeats_kept(tmp_path: Path) -> None:
    head = ["item", "model_a", "model_b", "annotator", "winner"]
    vote = ["1", "x", "y", "p", "a"]
    result = imported(
        save(tmp_path / "v.csv", [head, vote, vote, ["1", "x", "y", "p", "b"], ["2", "x", "y", "p", "b"]])
    )
    assert [(skipped.reason, skipped.count) for skipped in result.skipped] == [("exact copies of other rows", 1)]
    assert any("again" in notice.text or "repeat" in notice.text for notice in result.study.notices)


def test_contradictions_about_items_and_scores(tmp_path: Path) -> None:
    table = [
        ["id", "prompt", "system", "output", "bleu"],
        ["1", "why", "x", "a", "0.5"],
        ["1", "how", "x", "a", "0.75"],
    ]
    with pytest.raises(
        InputError, match=r"(?s)column prompt: 'how': item 1 has another input at .*row 2.*another score"
    ):
        imported(save(tmp_path / "v.csv", table))


def test_times_that_cannot_be_read_are_left_out_unless_said(tmp_path: Path) -> None:
    table = [["item", "model_a", "model_b", "winner", "date"], ["1", "x", "y", "a", "3/4/2024"]]
    path = save(tmp_path / "v.csv", table)
    assert "date" in understand([SourceFile(path)])[0].unused
    with pytest.raises(InputError, match="'3/4/2024': not a time in ISO 8601"):
        imported(path, map_="decided_at=date")


def test_a_long_table_without_items_is_refused(tmp_path: Path) -> None:
    table = [["model_a", "model_b", "winner"], ["x", "y", "a"]]
    with pytest.raises(UsageError, match="no column says which item a row is about"):
        imported(save(tmp_path / "v.csv", table))


def test_nothing_labelled(tmp_path: Path) -> None:
    table = [["item", "model_a", "model_b", "winner"], ["1", "x", "y", ""]]
    with pytest.raises(TiebreakError, match="no outputs and no labels"):
        imported(save(tmp_path / "v.csv", table), map_="outcome=winner")


def test_the_problems_of_all_files_come_together(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_bytes("item,output\n1,质问\n".encode("gb18030"))
    with pytest.raises(InputError) as caught:
        imported(str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert len(caught.value.problems) == 2


@pytest.mark.parametrize("format_", ["csv", "jsonl", "parquet"])
def test_round_trip(tmp_path: Path, format_: str) -> None:
    table = [["item", "model_a", "model_b", "worker", "winner"], ["1", "x", "y", "p", "x"], ["2", "y", "x", "p", "tie"]]
    result = imported(save(tmp_path / "v.csv", table))
    write_study(result.study, tmp_path / "study", format=format_)  # type: ignore[arg-type]
    study = read_study(tmp_path / "study")
    assert study.fingerprint == result.study.fingerprint
    assert study.preferences is not None
    assert study.preferences.select("item", "system_a", "system_b", "annotator", "outcome").rows() == [
        ("1", "x", "y", "p", "a"),
        ("2", "y", "x", "p", "tie"),
    ]


CODINGS: dict[str, tuple[dict[str, str], str | None]] = {
    "numbers": ({"a": "1", "b": "2", "tie": "0"}, "0=tie"),
    "floats": ({"a": "1.0", "b": "2.0", "tie": "0.0"}, "1=a,2=b,0=tie"),
    "letters": ({"a": "A", "b": "B", "tie": "tie"}, None),
    "arena": ({"a": "model_a", "b": "model_b", "tie": "tie (bothbad)"}, None),
    "screen": ({"a": "left", "b": "right", "tie": "both"}, None),
    "fixe": ({"a": "1", "b": "-1", "tie": "0"}, "1=a,-1=b,0=tie"),
    "reversed signs": ({"a": "-1", "b": "1", "tie": "0"}, "1=b,-1=a,0=tie"),
}

labels = st.lists(
    st.tuples(
        st.integers(0, 4),
        st.sampled_from([("gpt-4", "llama"), ("llama", "gpt-4"), ("llama", "mistral"), ("gpt-4", "mistral")]),
        st.sampled_from(["p", "q"]),
        st.sampled_from(["a", "b", "tie"]),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda label: (label[0], tuple(sorted(label[1])), label[2]),
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(labels)
def test_any_coding_gives_the_same_preferences(
    tmp_path: Path, found: list[tuple[int, tuple[str, str], str, str]]
) -> None:
    # One b for certain, so that a 1 is never alone.
    found = [*found, (9, ("gpt-4", "llama"), "p", "b")]
    expected = [(str(item), *pair, annotator, outcome) for item, pair, annotator, outcome in found]
    codings = {name: (values.__getitem__, said) for name, (values, said) in CODINGS.items()}
    for name, (code, said) in codings.items():
        cells = [[str(item), *pair, person, code(outcome)] for item, pair, person, outcome in found]
        path = save(tmp_path / f"{name}.csv", [["item", "left_model", "right_model", "worker", "winner"], *cells])
        columns = ("item", "system_a", "system_b", "annotator", "outcome")
        assert rows(imported(path, winner=said), "preferences", *columns) == expected, name
    named = [
        [str(item), *pair, person, {"a": pair[0], "b": pair[1], "tie": "tie"}[outcome]]
        for item, pair, person, outcome in found
    ]
    path = save(tmp_path / "names.csv", [["item", "model_a", "model_b", "worker", "winner"], *named])
    assert rows(imported(path), "preferences", "item", "system_a", "system_b", "annotator", "outcome") == expected


@pytest.mark.parametrize("name", ["llmfao", "naturalness-v1", "pandalm"])
def test_real_studies_come_through_unchanged(real_studies: Path, name: str) -> None:
    """Names with commas, texts with line breaks, zero-width spaces, blank outputs, ties, times, screens."""
    original = read_study(real_studies / name)
    result = imported(str(real_studies / name / "outputs.csv"), str(real_studies / name / "preferences.csv"))
    for table in ("outputs", "preferences"):
        frame, copy = original.tables[table], result.study.tables[table]  # type: ignore[index]
        assert copy.equals(frame)
    assert not result.skipped


def test_instructions_with_inputs_and_three_annotators(tmp_path: Path) -> None:
    # annotator1 says 1 throughout: alone ambiguous, beside annotator2 and annotator3 it is not.
    table = [
        ["instruction", "input", "response1", "response2", "annotator1", "annotator2", "annotator3"],
        ["sum up", "one text", "good one", "bad one", 1, 2, 0],
        ["sum up", "two texts", "good two", "bad two", 1, 1, 2],
    ]
    result = imported(save(tmp_path / "p.csv", table))
    assert rows(result, "items", "item", "input", "context") == [
        ("item0001", "sum up", "one text"),
        ("item0002", "sum up", "two texts"),
    ]
    assert rows(result, "preferences", "item", "annotator", "outcome") == [
        ("item0001", "annotator1", "a"),
        ("item0002", "annotator1", "a"),
        ("item0001", "annotator2", "b"),
        ("item0002", "annotator2", "a"),
        ("item0001", "annotator3", "tie"),
        ("item0002", "annotator3", "b"),
    ]


def test_a_document_is_not_the_item_of_its_segments(tmp_path: Path) -> None:
    table = [
        ["system", "doc_id", "seg_id", "rater", "source", "target", "score"],
        ["x", "d1", "1", "r", "first sentence", "erster Satz", "-1.5"],
        ["y", "d1", "1", "r", "first sentence", "der erste Satz", "0"],
        ["x", "d1", "2", "r", "second sentence", "zweiter Satz", "-5"],
    ]
    result = imported(save(tmp_path / "m.tsv", table))
    assert rows(result, "items", "item", "input", "cluster") == [
        ("1", "first sentence", "d1"),
        ("2", "second sentence", "d1"),
    ]
    # `target` differs between the systems, so it is their output and not a reference.
    assert rows(result, "outputs", "item", "system", "text") == [
        ("1", "x", "erster Satz"),
        ("1", "y", "der erste Satz"),
        ("2", "x", "zweiter Satz"),
    ]
    assert rows(result, "ratings", "item", "system", "value") == [("1", "x", -1.5), ("1", "y", 0.0), ("2", "x", -5.0)]


def workbook(path: Path, **sheets: list[list[str]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows_of_sheet in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows_of_sheet:
            sheet.append(row)
    book.save(path)
    return path


def test_people_with_a_sheet_each(tmp_path: Path) -> None:
    header = ["item", "model_a", "model_b", "winner"]
    votes = [header, ["q1", "x", "y", "A"], ["q2", "x", "y", "B"]]
    path = str(workbook(tmp_path / "v.xlsx", ann=votes, bo=votes, legend=[["A", "B"], ["left", "right"]]))
    study = tiebreak.read_csv(path)
    assert (study.annotators, study.preferences.height) == (("ann", "bo"), 4)  # type: ignore[union-attr]
    assert [(found.reason, found.count) for found in study.plan.skipped] == [("the sheet legend", 2)]
    wrong = [header, ["q1", "x", "y", "A"], ["q2", "x", "y", "hm"]]
    path = str(workbook(tmp_path / "w.xlsx", ann=votes, bo=wrong))
    with pytest.raises(InputError, match=r"w\.xlsx#bo, row 3, column winner: 'hm'"):
        tiebreak.read_csv(path, map={"annotator": "sheet"})


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        ("AssignmentStatus", "Approved", "Rejected"),
        ("status", "AWAITING REVIEW", "TIMED-OUT"),
        ("responses.status", "submitted", "discarded"),
        ("was_cancelled", "false", "True"),
    ],
)
def test_answers_that_were_refused_are_left_out(column: str, good: str, bad: str, tmp_path: Path) -> None:
    header = ["item", "model_a", "model_b", "WorkerId", "winner", column]
    table = [header, ["1", "x", "y", "w1", "A", good], ["2", "x", "y", "w1", "B", bad], ["3", "x", "y", "w2", "B", bad]]
    path = save(tmp_path / "v.csv", table)
    result = imported(path)
    assert rows(result, "preferences", "item") == [("1",)]
    (skipped,) = result.skipped
    assert (skipped.count, skipped.reason) == (
        2, f"{column} is {bad}; --map ignore={column} counts such rows too",
    )  # fmt: skip
    assert len(rows(imported(path, map_=f"ignore={column}"), "preferences", "item")) == 3
    none = save(tmp_path / "n.csv", [header, table[2]])
    with pytest.raises(TiebreakError, match=f"no labels that count .* Left out: {column} is {bad}"):
        imported(none)
