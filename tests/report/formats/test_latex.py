"""Every table in LaTeX compiles, with names that TeX would take for commands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

import tiebreak
from tiebreak.data.study import Study
from tiebreak.report.formats import table_text, write_systems

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
