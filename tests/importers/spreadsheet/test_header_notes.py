"""What names of columns say in brackets: scales, units, languages; and what is none of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.spreadsheet.made_files import bound, imported, proposed

from tiebreak.errors import InputError
from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.header_notes import bare_name, scale_in, time_unit


@pytest.mark.parametrize(
    ("column", "name", "scale"),
    [
        ("Fluency (1-5)", "Fluency", (1, 5)),
        ("Fluency(1–5):", "Fluency", (1, 5)),
        ("Fluency [1..7]", "Fluency", (1, 7)),
        ("Style (1=none, 5=all)", "Style", (1, 5)),
        ("Style (1 = bad to 5 = good)", "Style", (1, 5)),
        ("Style (1-5, 5 = best)", "Style", (1, 5)),
        ("Style (scale 0 to 100 points)", "Style", (0, 100)),
        ("Gain (-3 – +3)", "Gain", (-3, 3)),
        ("Note (0,5-6)", "Note", (0.5, 6)),
        ("Rating (out of 5)", "Rating", None),
        ("Rating (5-1)", "Rating (5-1)", None),
        ("Rating (2019-2023)", "Rating (2019-2023)", None),
        ("Source (DE)", "Source", None),
        ("Reference (German)", "Reference", None),
        ("Output (EN -> DE)", "Output", None),
        ("Winner (A/B/tie)", "Winner", None),
        ("Plausible? (y/n)", "Plausible?", None),
        ("Comments (optional)", "Comments", None),
        ("BLEU (%)", "BLEU", None),
        ("Span (mm:ss)", "Span", None),
        ("answer (gpt-4)", "answer (gpt-4)", None),
        ("answer (A)", "answer (A)", None),
        ("mistral (de)", "mistral (de)", None),
        ("llama (7b)", "llama (7b)", None),
    ],
)
def test_a_note_is_told_from_a_name_in_brackets(
    column: str, name: str, scale: tuple[float, float] | None
) -> None:  # fmt: skip
    assert bare_name(column) == name
    assert scale_in(column) == scale


@pytest.mark.parametrize(
    ("column", "seconds"),
    [
        ("Time (sec)", 1),
        ("time_s", 1),
        ("Editing time [s]", 1),
        ("Time spent (in min.)", 60),
        ("Time in minutes", 60),
        ("duration_ms", 0.001),
        ("Dauer (Std)", None),
        ("Latency (s)", None),
        ("Time", None),
    ],
)
def test_the_unit_of_a_time(column: str, seconds: float | None) -> None:
    unit = time_unit(column)
    assert (unit.seconds if unit else None) == seconds
    assert (key_of(column) == "seconds") == (seconds is not None)


HEADER = [
    "ID", "Domain", "Source (DE)", "System", "Translation (EN)", "Translator", "Fluency (1-5)", "Adequacy (0 - 100)",
    "Time (min)", "BLEU (%)",
]  # fmt: skip


def rated(fluency: str = "4", minutes: str = "0.5") -> list[list[object]]:
    rows: list[list[object]] = [HEADER]
    for k in range(6):
        for system in ("base", "ours"):
            for person in ("ann", "bo"):
                text = f"Sentence {k} of {system}."
                values = [fluency if (k, system, person) == (2, "ours", "bo") else 1 + k % 5, 20 * (k % 5)]
                rows.append([k, "news", f"Satz {k}.", system, text, person, *values, minutes, 30 + k])
    return rows


def test_a_table_of_ratings_with_notes_in_its_header(tmp_path: Path) -> None:
    proposal = proposed(tmp_path, rated())
    assert bound(proposal) == {
        "item": ("ID",), "input": ("Source (DE)",), "system": ("System",), "text": ("Translation (EN)",),
        "annotator": ("Translator",), "value": ("Fluency (1-5)", "Adequacy (0 - 100)"), "seconds": ("Time (min)",),
        "score": ("BLEU (%)",),
    }  # fmt: skip
    assert proposal.confidence > 0.9
    found = proposal.build("s")
    study = found.study
    assert dict(study.settings.scale) == {"Fluency": (1, 5), "Adequacy": (0, 100)}
    assert study.ratings is not None
    assert study.scores is not None
    assert set(study.ratings["criterion"]) == {"Fluency", "Adequacy"}
    assert set(study.ratings["seconds"]) == {30.0}
    assert set(study.scores["metric"]) == {"BLEU"}
    told = " ".join(found.assumptions)
    assert "Fluency: 1 to 5" in told
    assert "Adequacy: 0 to 100" in told


def test_a_rating_beyond_the_scale_of_its_header_is_a_problem_of_its_cell(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, rated("6"))
    (problem,) = caught.value.problems
    assert (problem.column, problem.value, problem.line) == ("Fluency (1-5)", "6", 13)


def test_ratings_that_say_what_they_mean(tmp_path: Path) -> None:
    grades = ["1 - bad", "2: poor", "3. fair", "4) good", "5 – great"]
    rows: list[list[object]] = [["item", "system", "output", "rated by", "Fluency"]]
    rows += [[k, s, f"text {k} of {s}", "ann", grades[k % 5]] for k in range(10) for s in "xy"]
    study = imported(tmp_path, rows)
    assert study.ratings is not None
    assert sorted(set(study.ratings["value"])) == [1, 2, 3, 4, 5]
    assert study.annotators == ("ann",)


def test_durations_as_clocks_show_them(tmp_path: Path) -> None:
    rows: list[list[object]] = [["item", "system", "output", "rater", "style", "Duration (mm:ss)"]]
    rows += [[k, s, f"text {k} of {s}", "ann", 3, ("1:35", "1:02:03", "-")[k % 3]] for k in range(9) for s in "xy"]
    study = imported(tmp_path, rows)
    assert study.ratings is not None
    assert set(study.ratings["seconds"]) == {95.0, 3723.0, None}
