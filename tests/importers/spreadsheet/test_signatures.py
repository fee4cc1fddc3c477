"""What made scores and judgements comes along with them, in whatever file; a `signature` of others does not."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.importers.spreadsheet.test_plan import imported, rows, save
from tests.signed_studies import ITEMS, JUDGE, LABELLED, POINTS, judged_texts, left_out, meanings, signed_study

import tiebreak
from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import SIGNATURES_FILE, signatures_to_lines
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError, UsageError
from tiebreak.importers.importer import Imported
from tiebreak.importers.spreadsheet.draft import Role
from tiebreak.importers.spreadsheet.mapping import parse_map
from tiebreak.importers.spreadsheet.plan import SourceFile, understand

TABLES = ("judge_preferences", "scores")
PLAIN = ("items", "outputs", "preferences")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The folder of a study in which an evaluator judged the items from whose labels it learned."""
    write_study(signed_study(), tmp_path / "other")
    return tmp_path / "other"


def in_format(folder: Path, table: str, ending: str) -> str:
    """A table of a study folder in the same place and another format."""
    path = folder / f"{table}.csv"
    with path.open(newline="", encoding="utf-8") as stream:
        table_rows = list(csv.reader(stream))
    if ending == "csv":
        return str(path)
    path.unlink()
    if ending == "jsonl":
        header, *others = table_rows
        lines = (json.dumps(dict(zip(header, row, strict=True))) for row in others)
        path.with_suffix(".jsonl").write_text("\n".join(lines), encoding="utf-8")
        return str(path.with_suffix(".jsonl"))
    named = save(path.with_suffix(".xlsx"), table_rows)
    return f"{named}#Sheet" if ending == "xlsx#Sheet" else named


def beside(folder: Path, *files: str | SourceFile) -> Imported:
    return imported(*(str(folder / f"{name}.csv") for name in PLAIN), *files)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "xlsx", "xlsx#Sheet"])
@pytest.mark.parametrize("named", [True, False], ids=["by its option", "among the files"])
def test_tables_of_a_study_keep_what_made_them(other: Path, ending: str, named: bool) -> None:
    roles: dict[str, Role] = {"judge_preferences": "judge", "scores": "scores"}
    files = [SourceFile(in_format(other, table, ending), role=roles[table] if named else "plain") for table in TABLES]
    result = beside(other, *files)
    assert rows(result, "judge_preferences", "judge", "signature", "unscored", "texts") == [
        ("learned", JUDGE, "refused" if k == 7 else None, judged_texts(item)) for k, item in enumerate(ITEMS)
    ]
    assert set(rows(result, "scores", "metric", "signature")) == {("points", POINTS)}
    assert result.study.signatures == meanings(result.study, LABELLED)  # those of its rows, and no others
    assert left_out(result.study) == {"points": (5, 3), "learned": (5, 3)}


def test_an_evaluator_that_learned_from_other_items_stays_of_use(tmp_path: Path) -> None:
    write_study(signed_study(learned=()), tmp_path / "other")
    result = beside(tmp_path / "other", str(tmp_path / "other" / "judge_preferences.csv"))
    assert set(result.study.signatures) == {JUDGE}
    assert compare(result.study, judges=["learned"]).pairs.height == 1


def test_in_python(other: Path) -> None:
    study = tiebreak.read_csv(*(other / f"{name}.csv" for name in PLAIN), judge_files=[other / "judge_preferences.csv"])
    assert set(study.signatures) == {JUDGE}
    assert left_out(study) == {"learned": (5, 3)}


def test_without_the_file_beside_it_an_evaluator_is_refused(other: Path) -> None:
    (other / SIGNATURES_FILE).unlink()
    study = beside(other, str(other / "judge_preferences.csv")).study
    assert study.signatures == {}
    with pytest.raises(UsageError):
        compare(study, judges=["learned"])


def test_an_entry_that_does_not_say_from_which_labels_is_not_enough(other: Path) -> None:
    (other / SIGNATURES_FILE).write_bytes(signatures_to_lines({JUDGE: {"kind": "evaluator"}}))
    study = beside(other, str(other / "judge_preferences.csv")).study
    assert study.signatures.keys() == {JUDGE}
    with pytest.raises(UsageError, match="does not say which items its model learned from"):
        compare(study, judges=["learned"])


def test_one_signature_has_one_meaning_in_all_folders(other: Path, tmp_path: Path) -> None:
    write_study(signed_study(learned=ITEMS[:1]), tmp_path / "third")
    (tmp_path / "third" / "judge_preferences.csv").rename(tmp_path / "third" / "more.csv")
    with pytest.raises(InputError, match=r"third.signatures\.jsonl: evaluator.* stands there with another meaning"):
        beside(other, str(other / "judge_preferences.csv"), str(tmp_path / "third" / "more.csv"))


def test_a_damaged_file_beside_it_is_named_and_only_read_where_it_is_needed(other: Path) -> None:
    (other / SIGNATURES_FILE).write_text("no object\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"signatures\.jsonl, line 1"):
        beside(other, str(other / "scores.csv"))
    assert "preferences" in beside(other).study.tables


def kept(folder: Path, header: str, *lines: str, role: Role = "judge") -> Study:
    table = folder / "foreign.csv"
    table.write_text("\n".join([header, *lines]), encoding="utf-8")
    return beside(folder, SourceFile(str(table), role=role)).study


def test_a_signature_of_others_says_nothing_of_how_a_row_was_made(other: Path) -> None:
    """Who signed a sheet, and what a file of another tool calls so; nothing beside such a file is read."""
    (other / SIGNATURES_FILE).write_text("of another tool\n", encoding="utf-8")
    study = kept(other, "item,model_a,model_b,grader,winner,signature,texts", "q1,gpt,llama,gpt-4,A,J. Smith,both read")
    assert study.judge_preferences is not None
    assert study.judge_preferences["judge"].to_list() == ["gpt-4"]
    assert study.judge_preferences.select("signature", "texts").row(0) == (None, None)
    study = kept(other, "item,system,score,signature", "q1,gpt,0.5,f(x) -> float", role="scores")
    assert study.scores is not None
    assert study.scores["signature"].to_list() == [None]
    (other / "votes.csv").write_text(
        "item,system_a,system_b,annotator,outcome,signature\nq7,gpt,llama,bo,tie,B. O.\n", encoding="utf-8"
    )
    (mapping,) = understand([SourceFile(str(other / "votes.csv"))])
    assert mapping.unused == ("signature",)
    assert mapping.tables == ("preferences",)


def test_what_an_evaluator_signed_is_known_under_any_name(other: Path) -> None:
    study = kept(other, "id,model_a,model_b,winner,made by", f"q1,gpt,llama,A,{JUDGE}", role="plain")
    assert study.tables_as_read["judge_preferences"].select("judge", "signature").rows() == [("foreign", JUDGE)]
    assert set(study.signatures) == {JUDGE}
    study = kept(other, "item,gpt bleu,signature,llama bleu", f"q1,1.5,{POINTS},2.25", role="scores")
    assert study.tables_as_read["scores"].select("system", "metric", "value", "criterion", "signature").rows() == [
        ("gpt", "bleu", 1.5, None, POINTS),
        ("llama", "bleu", 2.25, None, POINTS),
    ]
    study = kept(other, "item,system,rating,signature", f"q1,gpt,3,{POINTS}", role="plain")
    assert study.ratings is None
    assert study.tables_as_read["scores"].select("metric", "signature").rows() == [("foreign", POINTS)]


def test_a_column_that_the_user_names(other: Path) -> None:
    table = other / "foreign.csv"
    table.write_text("item,system,score,how\nq1,gpt,0.5,mine|v2\n", encoding="utf-8")
    result = imported(str(other / "outputs.csv"), SourceFile(str(table), role="scores"), map_="signature=how")
    assert rows(result, "scores", "signature") == [("mine|v2",)]
    with pytest.raises(UsageError, match="a signature needs what it made"):
        imported(
            save(other / "more.csv", [["item", "system", "text", "how"], ["q1", "gpt", "A.", "x"]]),
            map_="signature=how",
        )


def test_answers_of_an_evaluator_are_no_labels_of_people(other: Path) -> None:
    files = [SourceFile(str(other / "judge_preferences.csv"))]
    (mapping,) = understand(files, parse_map(["annotator=judge"]))
    assert [doubt.chance for doubt in mapping.doubts].count(0) == 1


def test_metrics_keep_their_signatures_too(tmp_path: Path) -> None:
    study = signed_study()
    scores = [{"item": "q1", "system": "gpt", "metric": "chrf", "value": 0.5, "signature": "chrf|nc:6"}]
    made = Study.from_tables(outputs=study.outputs, scores=scores)
    write_study(replace(made, signatures={"chrf|nc:6": {"kind": "metric"}}), tmp_path / "other")
    result = imported(str(tmp_path / "other" / "outputs.csv"), str(tmp_path / "other" / "scores.csv"))
    assert rows(result, "scores", "signature") == [("chrf|nc:6",)]
    assert result.study.signatures == {"chrf|nc:6": {"kind": "metric"}}
