"""Verdict tables in files: three formats, names with special characters, all or nothing."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from tests.small_studies import pair_votes, simulated_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.report.formats import check_table, table_text, write_table
from tiebreak.results.records import CompareResult
from tiebreak.tabular.cells import from_csv_text

NASTY = ["a|b", "R&D_50%", "[b]old", "line\nbreak", "x,\"y\"", "{c}^2 ~$#\\", "<tag>"]  # fmt: skip


def result_of(*systems: str) -> CompareResult:
    rows = [row for k, name in enumerate(systems[1:]) for row in pair_votes("w" * (12 + k), systems[0], name)]
    return compare(study_of(rows), multiplicity="none")


@pytest.fixture(scope="module")
def nasty() -> CompareResult:
    return result_of("[0]", *NASTY)


def test_csv_holds_every_field_of_every_pair(nasty: CompareResult) -> None:
    rows = list(csv.DictReader(io.StringIO(table_text(nasty, ".csv"))))
    assert len(rows) == len(NASTY)
    named = {name for row in rows for name in (row["system_a"], row["system_b"])}
    assert named == {"[0]", *NASTY}
    for row, pair in zip(rows, nasty.results[0].pairs, strict=True):
        assert (row["verdict"], int(row["items"])) == (pair.verdict, pair.items)
        assert float(row["low"]) == pair.difference.low  # unrounded
        assert float(row["p_value"]) == pair.p_value
        assert row["e_a"] == ""  # the rule has none


def test_csv_runs_no_formula_and_gives_names_back() -> None:
    names = ["=1+1", "-small", "@me", "'+x", "+1", "plain"]
    rows = list(csv.DictReader(io.StringIO(table_text(result_of("base", *names), ".csv"))))
    cells = [cell for row in rows for cell in (row["system_a"], row["system_b"])]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert {from_csv_text(cell) for cell in cells} == {"base", *names}
    assert all(float(row["low"]) <= float(row["high"]) for row in rows)  # negative numbers stay numbers


def test_markdown_is_a_table_whatever_the_names_hold(nasty: CompareResult) -> None:
    text = table_text(nasty, ".md")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(NASTY)
    for line in table:
        assert line.replace(r"\|", "").count("|") == 9  # eight cells
    assert r"a\|b" in text
    assert r"line\nbreak" in text
    assert "[b]old" in text
    assert nasty.results[0].sentence in text


def test_markdown_by_hand() -> None:
    text = table_text(result_of("ant", "bee"), ".md")
    pair = result_of("ant", "bee").results[0].pairs[0]
    header = [cell.strip() for cell in text.splitlines()[0].strip("|").split("|")]
    assert header == ["System A", "System B", "Items", "Labels", "Difference", "p", "p adjusted", "Verdict"]
    cells = [cell.strip() for cell in text.splitlines()[2].strip("|").split("|")]
    low = f"{pair.difference.low:.2f}"
    assert cells == ["ant", "bee", "12", "12", f"1.00 [{low}, 1.00]", "<0.001", "<0.001", "ant is better"]


def test_tex_escapes_every_special_character(nasty: CompareResult) -> None:
    text = table_text(nasty, ".tex")
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")].splitlines()[1:]
    assert len(body) == len(NASTY)
    for escaped in (
        r"R\&D\_50\%",
        r"\{c\}\textasciicircum{}2 \textasciitilde{}\$\#\textbackslash{}",
        r"\textless{}tag",
    ):
        assert escaped in text
    for row in body:
        assert row.endswith(r" \\")
        unescaped = row.removesuffix(r" \\").replace(r"\&", "")
        assert unescaped.count("&") == 7
        assert not row.startswith("[")  # \midrule and \\ would take it for an optional argument
    assert any(row.startswith("{}[0]") for row in body)
    # Comments stay comments although a name has a line break.
    for line in text.splitlines():
        assert line.startswith(("%", "\\begin", "\\end", "\\toprule", "\\midrule", "\\bottomrule")) or line.endswith(
            "\\\\"
        )


def test_the_comment_of_one_pair_with_a_line_break_in_its_name() -> None:
    last = table_text(result_of("line\nbreak", "zoe"), ".tex").rstrip("\n").splitlines()[-1]
    assert last.startswith("% From 12 pairwise human preferences")
    assert r"line\nbreak is better than zoe" in last


def test_several_criteria_are_several_tables() -> None:
    rows = [*pair_votes("w" * 12, criterion="style & tone"), *pair_votes("l" * 12, criterion="facts")]
    result = compare(study_of(rows))
    page, tex = table_text(result, ".md"), table_text(result, ".tex")
    assert [line for line in page.splitlines() if line.startswith("## ")] == ["## facts", "## style & tone"]
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 2
    assert "% style & tone\n" in tex
    assert table_text(result, ".csv").count("\n") == 3


@pytest.mark.parametrize("name", ["verdicts.csv", "verdicts.tex", "verdicts.md", "VERDICTS.MD"])
def test_the_ending_chooses_the_format(name: str, tmp_path: Path) -> None:
    result = result_of("ant", "bee")
    write_table(result, tmp_path / name)
    assert (tmp_path / name).read_text(encoding="utf-8") == table_text(result, Path(name).suffix.lower())
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("verdicts.txt", "must end in .csv, .tex, .md or .bib"),
        ("verdicts", "must end in .csv, .tex, .md or .bib"),
        ("nowhere/verdicts.md", "does not exist"),
        ("folder.md", "it is a folder"),
    ],
)
def test_a_place_that_cannot_be_written_is_refused(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    for refuse in (lambda p: check_table(p), lambda p: write_table(result_of("ant", "bee"), p)):
        with pytest.raises(UsageError, match=message):
            refuse(tmp_path / name)
    assert os.listdir(tmp_path) == ["folder.md"]


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "verdicts.md"
    path.write_text("before")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", Mock(side_effect=OSError(28, "No space left on device")))
        with pytest.raises(TiebreakError, match="No space left on device; nothing was changed"):
            write_table(result_of("ant", "bee"), path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["verdicts.md"]
    write_table(result_of("ant", "bee"), path)
    assert path.read_text() != "before"


def test_undecided_pairs_are_in_every_format() -> None:
    result = compare(study_of(simulated_votes({"ant": 0.05, "bee": 0.0}, 30)))
    assert result.results[0].pairs[0].verdict == "undecided"
    for ending in (".csv", ".tex", ".md"):
        assert "undecided" in table_text(result, ending)
