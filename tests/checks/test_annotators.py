"""How often an annotator at chance is found among few others, and how often somebody is named who is not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.small_studies import Row, rating, vote

from tiebreak.checks import data_warnings
from tiebreak.checks.annotators import _preferences_at_chance
from tiebreak.comparison.compare import compare
from tiebreak.data.columns import completed
from tiebreak.data.study import Study
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence

RUNS = 120


def crowd_at_chance(rng: np.random.Generator, sound: int, at_chance: int, items: int = 80) -> pl.DataFrame:
    """Everybody labels every item, a fifth of which tie. Sound people see half of the time what is right, and answer as
    others who do not look else: they agree with each other on 52% of the items.
    """
    right = rng.choice(["a", "tie", "b"], size=items, p=[0.4, 0.2, 0.4])
    rows = []
    for person in range(sound + at_chance):
        blind = rng.choice(["a", "tie", "b"], size=items, p=[0.4, 0.2, 0.4])
        answers = np.where((rng.random(items) < 0.5) & (person < sound), right, blind)
        name = f"p{person}" if person < sound else f"dice{person}"
        rows += [(f"i{k}", "x", "y", None, name, str(answer)) for k, answer in enumerate(answers)]
    columns = ["item", "system_a", "system_b", "criterion", "annotator", "outcome"]
    return completed(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row"), "preferences")


def named(seed: int, sound: int, at_chance: int) -> list[str]:
    found = _preferences_at_chance(crowd_at_chance(np.random.default_rng([seed, 17]), sound, at_chance))
    return [name for name, _ in found]


def test_one_of_six_people_at_chance_is_found_on_80_items() -> None:
    """.79 of the time (.60 where that person's labels lower what is held to be typical); a 99% limit of 120 runs."""
    found = [named(seed, 5, 1) for seed in range(RUNS)]
    assert sum("dice5" in names for names in found) >= 0.69 * RUNS
    assert sum(len(set(names) - {"dice5"}) for names in found) <= 1


def test_hardly_anybody_is_named_where_all_are_sound() -> None:
    """By chance at most one person of 1,000: 720 here, of whom 3 or more are named in 4% of such tests."""
    assert sum(len(named(seed, 6, 0)) for seed in range(RUNS)) <= 2


def test_of_two_people_neither_is_named() -> None:
    """They agree with each other or do not: nothing says who is at fault."""
    assert [named(seed, 1, 1) for seed in range(20)] == [[]] * 20


def answers(rng: np.random.Generator, agreeing: float, people: int = 4, items: int = 60) -> list[Row]:
    """Everybody answers every question as is right with this chance, and else at random."""
    right = rng.choice(["a", "b"], items)
    return [
        vote(f"i{k}", "x", "y", f"p{person}", str(right[k] if rng.random() < agreeing else rng.choice(["a", "b"])))
        for person in range(people)
        for k in range(items)
    ]


def copied(rows: list[Row]) -> list[list[str]]:
    study = Study.from_tables(preferences=rows)
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    found = [of for of in data_warnings(study, evidence) if of.code == "copied-answers"]
    return [pair["annotators"] for notice in found for pair in notice.details["pairs"]]  # type: ignore[attr-defined]


def test_a_copy_of_another_annotator_is_found_also_with_one_change() -> None:
    rows = answers(np.random.default_rng(1), 0.5)
    rows += [{**row, "annotator": "twin"} for row in rows if row["annotator"] == "p2"]
    assert copied(rows) == [["p2", "twin"]]
    rows[-1]["outcome"] = {"a": "b", "b": "a"}[str(rows[-1]["outcome"])]
    assert copied(rows) == [["p2", "twin"]]


def test_copies_of_ratings_are_found() -> None:
    rng = np.random.default_rng(2)
    rows = [rating(f"i{k}", "x", f"p{p}", float(rng.integers(1, 6))) for k in range(40) for p in range(3)]
    rows += [{**row, "annotator": "twin"} for row in rows if row["annotator"] == "p0"]
    study = Study.from_tables(ratings=rows)
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    (notice,) = [of for of in data_warnings(study, evidence, of="means") if of.code == "copied-answers"]
    assert notice.details["pairs"] == [{"annotators": ["p0", "twin"], "questions": 40, "alike": 40}]


def test_people_who_agree_are_no_copies() -> None:
    """Neither where all are alike, nor where easy questions make two of them answer all alike by chance."""
    for agreeing in (0.0, 0.5, 0.9, 0.97, 1.0):
        assert [copied(answers(np.random.default_rng([seed, 3]), agreeing)) for seed in range(25)] == [[]] * 25
    assert copied(answers(np.random.default_rng(1), 0.5, people=2)) == []


def crowd(seed: int = 3, items: int = 200) -> list[Row]:
    """Six annotators who see the same 200 items and agree 85% of the time with what is right, most often x."""
    rng = np.random.default_rng(seed)
    right = rng.choice(["a", "b"], size=items, p=[0.7, 0.3])
    rows: list[Row] = []
    for person in range(6):
        for k in range(items):
            answer = right[k] if rng.random() < 0.85 else {"a": "b", "b": "a"}[str(right[k])]
            shown = {"left": str(rng.choice(["x", "y"])), "seconds": float(rng.lognormal(2.5, 0.4))}
            rows.append(vote(f"i{k}", "x", "y", f"good{person}", str(answer)) | shown)
    return rows


def with_person(name: str, answer: str, seconds: float = 12.0) -> Study:
    """The crowd and one more, who answers at random, always `a`, or always the system on the left."""
    rng = np.random.default_rng(4)
    rows = crowd()
    for k in range(100):
        left = str(rng.choice(["x", "y"]))
        outcome = {"random": str(rng.choice(["a", "b"])), "a": "a", "left": "a" if left == "x" else "b"}[answer]
        rows.append(vote(f"i{k}", "x", "y", name, outcome) | {"left": left, "seconds": seconds})
    return Study.from_tables(preferences=rows)


def unreliable(study: Study) -> dict[str, str]:
    """The reason for each annotator who is named."""
    evidence = study_evidence(study, study.criteria, EvidenceSettings())
    named = [of.details["annotators"] for of in data_warnings(study, evidence) if of.code == "unreliable-annotators"]
    return {of["annotator"]: of["reason"] for entries in named for of in entries}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("answer", "seconds", "reason"),
    [("random", 12.0, "at-chance"), ("a", 12.0, "constant"), ("left", 12.0, "constant"), ("a", 1.5, "constant")],
)
def test_an_annotator_whose_answers_say_nothing_is_named(answer: str, seconds: float, reason: str) -> None:
    study = with_person("[red]stone", answer, seconds)
    assert unreliable(study) == {"[red]stone": reason}
    assert "unreliable-annotators" in [of.code for of in compare(study).warnings]


def test_an_annotator_in_a_hurry_is_named() -> None:
    rows = [*crowd(), *({**row, "annotator": "flash", "seconds": 1.5} for row in crowd()[:200])]
    assert unreliable(Study.from_tables(preferences=rows)) == {"flash": "hurry"}
    slow = [row if row["annotator"] != "flash" else {**row, "seconds": 3.5} for row in rows]
    assert unreliable(Study.from_tables(preferences=slow)) == {}


def test_good_annotators_are_left_alone() -> None:
    assert unreliable(Study.from_tables(preferences=crowd())) == {}
    rows = [vote(f"i{k}", "x", "y", name, "a") for name in "pqr" for k in range(50)]
    assert unreliable(Study.from_tables(preferences=rows)) == {}, "all give the same answer"


def test_ratings_at_chance_are_found_and_a_mistyped_one_blames_nobody() -> None:
    rng = np.random.default_rng(5)
    truth = {(k, s): rng.normal() for k in range(500) for s in "xy"}
    rows = [
        rating(f"i{k}", s, name, float(rng.normal() if name == "dice" else value + rng.normal()))
        for (k, s), value in truth.items()
        for name in ("p", "q", "r", "dice")
    ]
    assert unreliable(Study.from_tables(ratings=rows)) == {"dice": "at-chance"}
    rows[1]["value"] = 9_999.0
    assert unreliable(Study.from_tables(ratings=rows)) == {"dice": "at-chance"}
