"""Whatever the file: a study that makes sense and can be written and read again, or an error that says where."""

from __future__ import annotations

import contextlib
import csv
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.importers.raw_files.drawing import draw
from tests.importers.raw_files.reading import read, save

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import TiebreakError
from tiebreak.importers.importer import SURE_ENOUGH
from tiebreak.importers.spreadsheet.names import why_no_item, why_no_person, why_no_system
from tiebreak.importers.tables import TABLES_IMPORTER, TableSettings

HEADERS = [
    "item", "id", "prompt", "question", "system", "model", "output", "response", "text", "winner", "vote", "label",
    "annotator", "worker", "judge", "rating", "score", "fluency", "bleu", "model_a", "model_b", "response_a",
    "response_b", "left", "right", "A", "B", "x answer", "y answer", "x score", "y score", "date", "AcceptTime",
    "AssignmentStatus", "Frage", "Gewinner", "Bewerter", "Antwort A", "Antwort B", "胜者", "", " ", "comments", "1",
    "2024-03-04", "0.5", "thing", "Q1", "What came back", "ranking", "p_a", "p_b", "criterion", "seconds", "cluster",
    "chosen", "rejected", "chosen_model", "rejected_model", "loser", "winner_a", "winner_b", "winner_tie", "g1_winner",
    "g2_winner", "model_1", "model_2", "system1Id", "system2Id", "system1rank", "system2rank", "Name", "E-Mail-Adresse",
    "x edited", "y edited", "Q2", "Q3", "Which is better?", "Réponse 1", "Réponse 2", "passage 1", "passage 2",
]  # fmt: skip
CELLS = [
    "", "1", "2", "0", "3", "-1", "0.25", "3,5", "nan", "None", "x", "y", "gpt-4", "llama", "A", "B", "tie", "model_a",
    "left", "ann", "bo", "expert_1", "2024-03-04", "Mon Jun 21 09:26:33 PDT 2021", "09:26", "Submitted", "yes",
    "A text that is long enough to be what a system wrote, or a person.", "Another text,\nwith a line break.",
    'a "quote', "Why is the sky blue?", "unentschieden", "  spaced  ", "=1+1", "模型A", "x > y", "winner", "item",
    "both good", "true", "false", "=", '["a", "b"]', '[{"better": {"A": true}}]', "Response", "[1]",
]  # fmt: skip


@st.composite
def tables(draw_: st.DrawFn) -> list[list[str]]:
    headers = draw_(st.lists(st.sampled_from(HEADERS), min_size=1, max_size=7))
    pools = [draw_(st.lists(st.sampled_from(CELLS), min_size=1, max_size=4)) for _ in headers]
    count = draw_(st.integers(1, 12))
    rows = [[draw_(st.sampled_from(pool)) for pool in pools] for _ in range(count)]
    return [headers, *rows]


def imported(path: Path) -> Study | None:
    """The study that `--yes` would write; None where it is refused with an error."""
    with contextlib.suppress(TiebreakError):
        proposal = TABLES_IMPORTER.read([str(path)], TableSettings())
        proposal.refuse_nonsense()
        proposal.refuse_unsure("--map")
        return proposal.build("study").study
    return None


def check(study: Study, folder: Path) -> None:
    assert [name for name in study.systems if why_no_system(name)] == []
    assert [name for name in study.annotators if why_no_person(name)] == []
    items = {item for frame in study.tables.values() for item in frame["item"].to_list()}
    assert [item for item in items if why_no_item(item)] == []
    shutil.rmtree(folder, ignore_errors=True)
    write_study(study, folder)
    assert read_study(folder).fingerprint == study.fingerprint


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=tables())
def test_a_study_that_makes_sense_or_an_error(table: list[list[str]], delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(table)
    study = imported(path)
    if study is not None:
        check(study, tmp_path / "study")


def test_files_of_a_known_meaning(tmp_path: Path) -> None:
    """The corpus of the page on confidence, seed 7: plans that --yes takes are right, but for 2 in 100 at most."""
    ends: Counter[str] = Counter()
    for number in range(7_000_000, 7_000_200):
        file = draw(number)
        found = read(file, save(file, tmp_path, number))
        if found.end in ("right", "wrong") and found.confidence >= SURE_ENOUGH:
            ends[found.end] += 1
    assert ends["right"] > 80
    assert ends["wrong"] <= 0.02 * ends.total()
