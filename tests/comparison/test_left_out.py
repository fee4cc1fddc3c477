"""People left out: what changes is said, whoever they are."""

from __future__ import annotations

import pytest
from tests.small_studies import Row, rating, study_of, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.results.records import CompareResult

ODD = "bot [7], *"  # brackets, a comma, a blank and a star: an exact name all the same


def votes() -> list[Row]:
    """Two people prefer ant on 60 items, `ODD` and bot_2 bee on 60 others each; cat is as good as ant."""
    rows: list[Row] = []
    for person, start, outcome in (("ann", 0, "a"), ("eve", 0, "a"), (ODD, 60, "b"), ("bot_2", 120, "b")):
        rows += [vote(f"i{start + k}", "ant", "bee", person, outcome) for k in range(60)]
    return rows + [vote(f"i{k}", "ant", "cat", "ann", ("a", "b")[k % 2]) for k in range(60)]


def said(result: CompareResult) -> str:
    notice = result.warnings[0]
    assert notice.code == "people-left-out"
    return notice.text


def verdict(result: CompareResult, system_b: str = "bee") -> str:
    return next(pair.verdict for pair in result.results[0].pairs if pair.system_b == system_b)


def test_who_left_with_how_many_labels_and_what_changes() -> None:
    study = study_of(votes())
    assert verdict(compare(study)) == "b"
    result = compare(study, exclude=[ODD, "bot_*"])
    assert verdict(result) == "a"
    text = said(result)
    assert text.startswith(f'Left out: 2 annotators of 4 ("{ODD}", bot_2), with 120 of 300 labels.')
    assert "1 of 2 verdicts is another: ant and bee: ant is better (with everybody bee is better)." in text
    assert "bends the error" in text
    assert result.warnings[0].to_dict() | {"text": ""} == {
        "code": "people-left-out",
        "text": "",
        "annotators": [ODD, "bot_2"],
        "labels": 300,
        "labels_left": 180,
        "changed": [
            {"criterion": None, "system_a": "ant", "system_b": "bee", "with_everybody": "b", "verdict": "a"},
        ],
    }
    assert result.terms.to_dict()["exclude"] == [ODD, "bot_*"]
    assert f'by 2 annotators, leaving out "{ODD}", bot_* (' in result.results[0].sentence
    # Otherwise it is the study without them.
    alone = compare(study.select(annotators=["ann", "eve"]))
    assert result.results[0].pairs == alone.results[0].pairs
    assert result.warnings[1:] == alone.warnings


def test_where_nothing_changes_that_is_said() -> None:
    text = said(compare(study_of(votes()), exclude=["eve"]))
    assert "With everybody, all 2 verdicts are the same." in text


def test_a_pair_that_only_they_judged_is_named() -> None:
    text = said(compare(study_of(votes()), exclude=["ann"]))
    assert "ant and cat: not compared (with everybody undecided)" in text


def test_criteria_are_named_and_counted_apart() -> None:
    rows = [
        rating(
            f"i{k}", system, person, 0 if (person, criterion, system) == ("bob", "truth", "ant") else value, criterion
        )
        for criterion in ("style", "truth")
        for person in ("ann", "bob")
        for k in range(40)
        for system, value in (("ant", 4), ("bee", 2))
    ]
    study = study_of(ratings=rows)
    text = said(compare(study, exclude=["bob"]))
    assert "with 160 of 320 labels" in text
    assert "ant and bee (truth): ant is better (with everybody undecided)" in text
    assert "with 80 of 160 labels" in said(compare(study, exclude=["bob"], criteria=["style"]))


def test_who_is_left_out_by_naming_the_others_is_told_alike() -> None:
    out = compare(study_of(votes()), exclude=[ODD, "bot_*"])
    for options in ({"annotators": ["ann", "eve"]}, {"annotators": ["ann", "eve"], "exclude": ["bot*"]}):
        result = compare(study_of(votes()), **options)  # type: ignore[arg-type]
        assert said(result) == said(out)
        assert result.warnings[0].details == out.warnings[0].details
    everybody = compare(study_of(votes()), annotators=["*"])
    assert "people-left-out" not in {warning.code for warning in everybody.warnings}


@pytest.mark.parametrize(
    ("exclude", "message"),
    [
        (["nobody_*"], "no annotator matches 'nobody_*'; the study has ann, \"bot [7], *\", bot_2, eve"),
        (["anne"], "no annotator matches 'anne': did you mean ann?"),
        (["*"], 'nobody is left without *; the study has ann, "bot [7], *", bot_2, eve'),
        ([], "no annotator was named"),
    ],
)
def test_patterns_that_match_nobody_or_everybody(exclude: list[str], message: str) -> None:
    with pytest.raises(UsageError) as found:
        compare(study_of(votes()), exclude=exclude)
    assert str(found.value) == message


def test_one_annotator_only() -> None:
    study = Study.from_tables(preferences=[row for row in votes() if row["annotator"] == "ann"])
    with pytest.raises(UsageError, match="nobody is left without ann; the study has ann"):
        compare(study, exclude=["ann"])
