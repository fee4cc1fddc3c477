"""People left out, and labels that a baseline or a budget leaves out: what changes, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import Row, anytime, rating, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.comparison.left_out import with_baseline
from tiebreak.errors import UsageError
from tiebreak.results.records import CompareResult

# ---- people ------------------------------------------------------------------------------------------------------

ODD = "bot [7], *"  # brackets, a comma, a blank and a star: an exact name all the same


def panel() -> list[Row]:
    """Two people prefer ant on 60 items, `ODD` and bot_2 bee on 60 others each; cat is as good as ant."""
    rows: list[Row] = []
    for person, start, outcome in (("ann", 0, "a"), ("eve", 0, "a"), (ODD, 60, "b"), ("bot_2", 120, "b")):
        rows += [vote(f"i{start + k}", "ant", "bee", person, outcome) for k in range(60)]
    return rows + [vote(f"i{k}", "ant", "cat", "ann", ("a", "b")[k % 2]) for k in range(60)]


def verdict_on(result: CompareResult, system_b: str = "bee") -> str:
    return next(pair.verdict for pair in result.results[0].pairs if pair.system_b == system_b)


def test_who_left_with_how_many_labels_and_what_changes() -> None:
    study = study_of(panel())
    assert verdict_on(compare(study)) == "b"
    result = compare(study, exclude=[ODD, "bot_*"])
    assert verdict_on(result) == "a"
    changed = {"criterion": None, "system_a": "ant", "system_b": "bee", "with_everybody": "b", "verdict": "a"}
    assert result.warnings[0].code == "people-left-out"
    assert result.warnings[0].details == {
        "annotators": [ODD, "bot_2"], "labels": 300, "labels_left": 180, "changed": [changed],
    }  # fmt: skip
    assert result.terms.to_dict()["exclude"] == [ODD, "bot_*"]
    # Otherwise it is the study without them.
    alone = compare(study.select(annotators=["ann", "eve"]))
    assert result.results[0].pairs == alone.results[0].pairs
    assert result.warnings[1:] == alone.warnings


def test_criteria_are_named_and_counted_apart() -> None:
    of_ant = (("ann", "style", 4), ("ann", "truth", 4), ("bob", "style", 4), ("bob", "truth", 0))
    rows = [rating(f"i{k}", "ant", person, value, name) for person, name, value in of_ant for k in range(40)]
    rows += [rating(f"i{k}", "bee", person, 2, name) for person, name, _ in of_ant for k in range(40)]
    study = study_of(ratings=rows)
    details = compare(study, exclude=["bob"]).warnings[0].details
    assert (details["labels"], details["labels_left"]) == (320, 160)
    (changed,) = details["changed"]
    assert (changed["criterion"], changed["with_everybody"], changed["verdict"]) == ("truth", "undecided", "a")
    details = compare(study, exclude=["bob"], criteria=["style"]).warnings[0].details
    assert (details["labels"], details["labels_left"]) == (160, 80)


def test_who_is_left_out_by_naming_the_others_is_told_alike() -> None:
    out = compare(study_of(panel()), exclude=[ODD, "bot_*"])
    for options in ({"annotators": ["ann", "eve"]}, {"annotators": ["ann", "eve"], "exclude": ["bot*"]}):
        result = compare(study_of(panel()), **options)  # type: ignore[arg-type]
        assert result.warnings[0].details == out.warnings[0].details
    everybody = compare(study_of(panel()), annotators=["*"])
    assert "people-left-out" not in {warning.code for warning in everybody.warnings}


@pytest.mark.parametrize(
    ("exclude", "message"),
    [
        (["nobody_*"], "no annotator matches 'nobody_*'; the study has ann, \"bot [7], *\", bot_2, eve"),
        (["*"], 'nobody is left without *; the study has ann, "bot [7], *", bot_2, eve'),
        ([], "no annotator was named"),
    ],
)
def test_patterns_that_match_nobody_or_everybody(exclude: list[str], message: str) -> None:
    with pytest.raises(UsageError) as found:
        compare(study_of(panel()), exclude=exclude)
    assert str(found.value) == message


def test_one_annotator_only() -> None:
    study = study_of([row for row in panel() if row["annotator"] == "ann"])
    with pytest.raises(UsageError, match="nobody is left without ann; the study has ann"):
        compare(study, exclude=["ann"])


# ---- baseline ----------------------------------------------------------------------------------------------------


def test_people_labels_and_agreement_of_other_pairs_are_left_out() -> None:
    both = [vote(f"i{k}", "ant", "bee", who, ("a", "b")[k % 2]) for k in range(30) for who in ("ann", "bob")]
    others = [vote(f"i{k}", "bee", "cat", who, answer) for k in range(30) for who, answer in (("cy", "a"), ("di", "b"))]
    study = study_of(both + others)
    (found,) = compare(study, baseline="ant").results
    assert (found.annotators, found.labels) == (("ann", "bob"), 60)
    assert [(person.annotator, person.labels) for person in found.people] == [("ann", 30), ("bob", 30)]
    (agreement,) = found.agreement
    assert (agreement.agreeing.estimate, agreement.agreeing.n_labels) == (1.0, 60)


def test_ratings_beside_which_the_baseline_was_rated() -> None:
    rows = [rating(f"i{k}", system, "ann", k % 3) for k in range(20) for system in ("ant", "bee", "cat")]
    rows += [rating(f"i{k}", system, "bob", k % 3) for k in range(20) for system in ("bee", "cat")]
    study = study_of(ratings=rows)
    for raters, kept in (("same", 60), ("any", 100)):
        frame = with_baseline(study, "ant", raters).ratings  # type: ignore[arg-type]
        assert frame.height == kept
    assert with_baseline(study, None, "same") is study
    (found,) = compare(study, baseline="ant").results
    assert (found.annotators, found.labels) == (("ann",), 60)


# ---- counts --------------------------------------------------------------------------------------------------------
# The labels that a result counts are those that its verdict rests on.


def both_on_every_item(items: int = 300, decided_at: str | None = None) -> list[Row]:
    rng = np.random.default_rng(1)
    outcomes = rng.choice(["a", "b", "tie"], (items, 2))
    return [
        vote(f"i{k}", "ant", "bee", name, str(outcomes[k, j]), decided_at and decided_at.format(j))
        for k in range(items)
        for j, name in enumerate(("ann", "bob"))
    ]


def test_labels_beyond_a_budget_are_not_counted() -> None:
    study = study_of(both_on_every_item())
    assert compare(study).results[0].labels == 600
    (found,) = anytime(study, items_per_pair=109).results
    assert found.labels == found.people.total == sum(found.people.labels) == 218


def test_ratings_beyond_a_budget_are_not_counted() -> None:
    rng = np.random.default_rng(2)
    rated = {"ant": 100, "bee": 100, "cat": 60}
    rows = [rating(f"i{k}", of, "ann", float(rng.integers(5))) for of, items in rated.items() for k in range(items)]
    (found,) = anytime(study_of(ratings=rows), items_per_pair=60).results
    assert found.labels == found.people.total < 260


def test_first_labels_alone_are_counted() -> None:
    study = study_of(both_on_every_item(decided_at="2026-01-1{}T00:00:00Z"))
    assert compare(study, several="first").results[0].labels == 300


def test_ratings_that_nobody_can_compare_are_not_counted() -> None:
    rng = np.random.default_rng(2)
    rows = [
        rating(f"i{k}", system, name, float(rng.integers(5)))
        for k in range(100)
        for system, name in (("ant", "ann"), ("bee", "ann" if k < 40 else "bob"))
    ]
    assert compare(study_of(ratings=rows)).results[0].labels == 80
