"""Tables in files: formats, names with special characters, what to cite, all or nothing."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
from tests.small_studies import pair_votes, rating, simulated_votes, study_of

import tiebreak
from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import UsageError
from tiebreak.estimation.estimate import estimate
from tiebreak.messages.bibliography import ENTRIES, sources_of
from tiebreak.panel.annotators import annotators
from tiebreak.ranking.rank import rank
from tiebreak.report.formats import check_table, table_text, write_systems, write_table
from tiebreak.results.records import CompareResult
from tiebreak.rules.finished import SOURCES
from tiebreak.rules.registry import RULES
from tiebreak.tabular.cells import from_csv_text

# ---- Verdict tables in files: three formats, names with special characters, all or nothing. ------------------------


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


def test_undecided_pairs_are_in_every_format() -> None:
    result = compare(study_of(simulated_votes({"ant": 0.05, "bee": 0.0}, 30)))
    assert result.results[0].pairs[0].verdict == "undecided"
    for ending in (".csv", ".tex", ".md"):
        assert "undecided" in table_text(result, ending)


# ---- The table of systems by criteria: figures, letters and what stands out, in every format. ----------------------


def preferred() -> Study:
    """Ant beats cat clearly, bee is between them; and ant is better than bee on another criterion, without cat."""
    return study_of(
        [
            *pair_votes("w" * 18 + "l" * 12, "ant", "bee", "clear"),
            *pair_votes("w" * 27 + "l" * 3, "ant", "cat", "clear"),
            *pair_votes("w" * 20 + "l" * 10, "bee", "cat", "clear"),
            *pair_votes("w" * 28 + "l" * 2, "ant", "bee", "warm"),
        ]
    )


def written(path: Path, study: Study, **settings: object) -> str:
    write_systems(compare(study, **settings), path)  # type: ignore[arg-type]
    return path.read_text(encoding="utf-8")


def test_markdown_has_a_row_per_system_and_the_best_in_bold(tmp_path: Path) -> None:
    head, _, ant, bee, cat, _, note, *_ = written(tmp_path / "t.md", preferred()).splitlines()
    assert [cell.strip() for cell in head.split("|")[1:-1]] == ["System", "clear", "warm"]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in (ant, bee, cat)]
    assert [row[0] for row in cells] == ["ant", "bee", "cat"]
    assert cells[0][1].startswith("**0.75 [")
    assert cells[0][1].endswith("] a**")
    assert [row[1].strip("*").rpartition(" ")[2] for row in cells] == ["a", "ab", "b"]
    assert [row[2].strip("*").rpartition(" ")[2] for row in cells] == ["a", "b", "-"]
    assert note == (
        "Win rate: how often a system is preferred over another one, ties half, on average over the others, with a 95% "
        "interval for each figure by itself. Systems that share a letter are not told apart by a verdict."
    )


def test_latex_has_bold_cells_and_escapes_names(tmp_path: Path) -> None:
    study = study_of([*pair_votes("w" * 28 + "l" * 2, "a_1", "b&c")])
    lines = written(tmp_path / "t.tex", study).splitlines()
    assert lines[2:5] == [r"\begin{tabular}{ll}", r"\toprule", r"System & Win rate \\"]
    assert lines[6].startswith(r"a\_1 & \textbf{0.93 [")
    assert lines[7].startswith(r"b\&c & 0.07 [")


def test_csv_has_a_row_per_criterion_and_system_with_numbers_unrounded(tmp_path: Path) -> None:
    found = compare(preferred())
    write_systems(found, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["criterion"], row["system"], row["letters"]) for row in rows] == [
        ("clear", "ant", "a"),
        ("clear", "bee", "ab"),
        ("clear", "cat", "b"),
        ("warm", "ant", "a"),
        ("warm", "bee", "b"),
    ]
    known = {(row["criterion"], row["system"]): row for row in found.systems.iter_rows(named=True)}
    for row in rows:
        rate = known[row["criterion"], row["system"]]
        assert (float(row["value"]), float(row["low"])) == (rate["estimate"], rate["low"])


def test_pairs_that_nobody_compared_are_said(tmp_path: Path) -> None:
    text = written(tmp_path / "t.md", preferred(), baseline="ant", criteria=["clear"])
    assert "not told apart by a verdict, or were never compared." in text


@pytest.mark.parametrize("means", [True, False])
def test_means_of_ratings(tmp_path: Path, means: bool) -> None:
    """With intervals, the same from both; from `compare` with the letters of its verdicts, too."""
    rows = [
        rating(f"i{k:02d}", name, "p", value) for k in range(30) for name, value in (("ant", 4 + k % 2), ("bee", 2.0))
    ]
    study = study_of(ratings=rows, settings=StudySettings(scale={"overall": (1.0, 5.0)}))
    path = tmp_path / "t.md"
    write_systems(compare(study, compare="means") if means else estimate(study), path)
    _, _, ant, bee, *_ = path.read_text(encoding="utf-8").splitlines()
    cells = [row.split("|")[2].strip() for row in (ant, bee)]
    letters = (" a", " b") if means else ("", "")
    assert cells == [f"**4.50 [4.11, 4.69]{letters[0]}**", f"2.00 [1.89, 2.34]{letters[1]}"]


# ---- What to cite: an entry for each key that a rule, a test or a correction names. --------------------------------


THREE = study_of([*pair_votes("w" * 20 + "l" * 10), *pair_votes("w" * 20 + "l" * 10, "bee", "cat")])


def test_every_key_that_is_named_has_an_entry_of_that_name() -> None:
    named = [key for rule in RULES.values() for key in rule.sources] + [
        key for keys in SOURCES.values() for key in keys
    ]
    assert set(named) <= set(ENTRIES)
    for key, entry in ENTRIES.items():
        assert re.match(rf"@\w+\{{{key},\n", entry)
        assert entry.count("{") == entry.count("}")


@pytest.mark.parametrize(
    ("settings", "cited"),
    [
        ({}, ("suissa1991", "tango1998", "holm1979")),
        ({"margin": 0.1}, ("suissa1991", "tango1998")),  # Bonferroni
        ({"multiplicity": "fdr"}, ("suissa1991", "tango1998", "benjamini1995")),
        ({"multiplicity": "fdr-any"}, ("suissa1991", "tango1998", "benjamini2001")),
        ({"multiplicity": "none"}, ("suissa1991", "tango1998")),
        ({"rule": "anytime"}, ("waudbysmith2024", "holm1979")),
        ({"rule": "hoeffding"}, ("thorleiksdottir2022",)),
        ({"systems": ("ant", "bee")}, ("suissa1991", "tango1998")),  # one pair
    ],
)
def test_a_comparison_cites_its_tests_and_its_correction(settings: dict[str, object], cited: tuple[str, ...]) -> None:
    assert sources_of(compare(THREE, **settings)) == ("tiebreak", *cited)  # type: ignore[arg-type]


def test_other_results_cite_their_models() -> None:
    assert sources_of(rank(THREE)) == ("tiebreak", "davidson1970")
    assert sources_of(rank(THREE, glicko2="standard")) == ("tiebreak", "davidson1970", "glickman2012")
    rated = study_of(ratings=[rating(f"i{k}", "ant", "p", 1.0 + k % 5) for k in range(20)])
    assert sources_of(estimate(rated)) == ("tiebreak",)


def test_the_file_has_the_entries_that_the_table_cites(tmp_path: Path) -> None:
    found = compare(THREE)
    cited = re.search(r"\\citep\{(.*?)\}", table_text(found, ".tex"))
    written = re.findall(r"^@\w+\{(\w+),$", table_text(found, ".bib"), re.MULTILINE)
    assert written == cited[1].split(",") == ["tiebreak", "suissa1991", "tango1998", "holm1979"]
    write_systems(found, tmp_path / "systems.bib")
    assert "@article{piepho2004," in (tmp_path / "systems.bib").read_text(encoding="utf-8")


def test_agreement_cites_its_coefficients() -> None:
    rated = [rating(f"i{k}", "ant", f"p{person}", 1 + (k + person) % 3) for k in range(30) for person in range(3)]
    found = annotators(study_of(ratings=rated))
    assert sources_of(found) == ("tiebreak", "fleiss1971", "krippendorff2004", "hovy2013")


# ---- Every table in LaTeX compiles, with names that TeX would take for commands. -----------------------------------


NAMES = ("gpt_4%", "[llama] & co", r"{z}\~^$#", "Müller <x>")


@pytest.fixture(scope="module")
def study() -> Study:
    """Four systems with odd names, preferences and ratings of three people, and a judge."""
    items = [f"i{k:02d}" for k in range(30)]
    preferences, ratings, judged = [], [], []
    for number, item in enumerate(items):
        for a, system_a in enumerate(NAMES):
            for person in range(3):
                value = 1 + (a + number + person) % 5
                row = {"item": item, "system": system_a, "annotator": f"p_{person}", "criterion": "a & b"}
                ratings.append(row | {"value": value})
            for b in range(a):
                pair = {"item": item, "system_a": system_a, "system_b": NAMES[b]}
                outcome = ("a", "tie", "b")[(a * b + number) % 3]
                preferences.append(pair | {"annotator": f"p_{number % 3}", "outcome": outcome, "criterion": "50%"})
                judged.append(pair | {"judge": "j_1", "outcome": ("a", "b")[number % 2]})
    return Study.from_tables(
        preferences=pl.DataFrame(preferences), ratings=pl.DataFrame(ratings), judge_preferences=pl.DataFrame(judged)
    )


def test_every_table_compiles(study: Study, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here: Debian has it in texlive-latex-recommended")
    results = [
        tiebreak.compare(study),
        tiebreak.rank(study),
        tiebreak.estimate(study),
        tiebreak.audit(study),
        tiebreak.annotators(study),
    ]
    texts = [table_text(result, ".tex") for result in results]
    for number, result in enumerate((results[0], results[2])):
        path = tmp_path / f"systems-{number}.tex"
        write_systems(result, path)
        texts.append(path.read_text(encoding="utf-8"))
    body = "\n\n".join(texts)
    document = tmp_path / "paper.tex"
    document.write_text(
        "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"{body}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", document.name]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == 0, found.stdout[-2000:]
    assert (tmp_path / "paper.pdf").is_file()
