"""Criteria that follow from edits and spans: which a study has, their ratings, and how much of a text stayed."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sacrebleu.metrics.ter import TER
from tests.small_studies import Row, vote

from tiebreak.auditing.audit import audit
from tiebreak.checks.study_check import check
from tiebreak.comparison.compare import compare
from tiebreak.data.schema import DERIVED, derivable
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.writers import write_study
from tiebreak.errors import ExtraMissingError, InputError, UsageError
from tiebreak.estimation.estimate import estimate
from tiebreak.evidence.derived import as_read, kept_characters, kept_words, minus_hter, with_derived, words
from tiebreak.planning.pilot import read_pilot

# ---- criteria ------------------------------------------------------------------------------------------------------
# Which criteria a study has by its edits and spans, what their ratings are, and what is said of them.

OUTPUTS: list[Row] = [
    {"item": item, "system": system, "text": text}
    for item in ("q1", "q2")
    for system, text in (("x", "It rain."), ("y", "It is raining."))
]


def edit(item: str, system: str, text: str, annotator: str = "ann", **more: object) -> Row:
    return {"item": item, "system": system, "annotator": annotator, "text": text, **more}


def span(item: str, system: str, passage: str, support: str, annotator: str = "ann") -> Row:
    return {"item": item, "system": system, "annotator": annotator, "passage": passage, "support": support}


def rating(item: str, system: str, criterion: str, value: float, annotator: str = "ann") -> Row:
    return {"item": item, "system": system, "annotator": annotator, "criterion": criterion, "value": value}


EDITS = [
    edit("q1", "x", "It is raining."), edit("q1", "y", "It is raining."),
    edit("q2", "x", ""), edit("q2", "y", "It was raining."),
]  # fmt: skip
SPANS = [
    span("q1", "x", "p1", "supports"), span("q1", "x", "p2", "contradicts"), span("q1", "x", "p3", "neither"),
    span("q1", "y", "p1", "contradicts"), span("q1", "y", "p2", "neither"),
    span("q1", "y", "p1", "supports", "bo"),
]  # fmt: skip

PASSAGES: list[Row] = [{"item": "q1", "passage": f"p{k}", "text": "A text."} for k in (1, 2, 3)]


def codes(study: Study) -> list[str]:
    return [notice.code for notice in study.notices]


def values(study: Study, criterion: str) -> dict[tuple[str, str, str], float]:
    own = study.ratings.filter(pl.col("criterion") == criterion)
    return {
        (item, system, person): value
        for item, system, person, value in own.select("item", "system", "annotator", "value").iter_rows()
    }


def test_edits_by_hand() -> None:
    found = with_derived(Study.from_tables(outputs=OUTPUTS, edits=EDITS))
    assert found.derived == ("EditWords",)
    assert values(found, "EditWords") == {
        ("q1", "x", "ann"): 0.5, ("q1", "y", "ann"): 1.0, ("q2", "x", "ann"): 0.0, ("q2", "y", "ann"): 0.75,
    }  # fmt: skip
    assert found.settings.scale["EditWords"] == (0.0, 1.0)
    assert codes(found) == []


def test_spans_by_hand() -> None:
    """x has one supporting passage of three; ann finds none of two for y, and bo the only one that he judged."""
    found = with_derived(Study.from_tables(spans=SPANS))
    assert found.derived == ("AnyCorrect", "AvgCorrect")
    assert values(found, "AnyCorrect") == {("q1", "x", "ann"): 1, ("q1", "y", "ann"): 0, ("q1", "y", "bo"): 1}
    assert values(found, "AvgCorrect") == {
        ("q1", "x", "ann"): pytest.approx(1 / 3), ("q1", "y", "ann"): 0, ("q1", "y", "bo"): 1,
    }  # fmt: skip


@pytest.mark.parametrize("criterion", ["sensible", "plausible"])
def test_what_makes_no_sense_is_not_correct(criterion: str) -> None:
    """With and without spans; by the person's own word only, and by nobody who judged no passages."""
    said = [
        rating("q1", "x", criterion, 0), rating("q2", "x", criterion, 0), rating("q2", "y", criterion, 1),
        rating("q1", "y", criterion, 0, "cy"),
    ]  # fmt: skip
    found = with_derived(Study.from_tables(spans=SPANS, ratings=said))
    for name in ("AnyCorrect", "AvgCorrect"):
        assert values(found, name) == {
            ("q1", "x", "ann"): 0, ("q2", "x", "ann"): 0, ("q1", "y", "ann"): 0, ("q1", "y", "bo"): 1,
        }  # fmt: skip


def test_a_scale_of_plausibility_is_no_answer() -> None:
    said = [rating("q1", "x", "plausible", 0), rating("q1", "y", "plausible", 3)]
    found = with_derived(Study.from_tables(spans=SPANS, ratings=said))
    assert values(found, "AnyCorrect")["q1", "x", "ann"] == 1
    assert "derived-criteria" in codes(found)


def test_passages_that_nobody_judged() -> None:
    found = with_derived(Study.from_tables(spans=SPANS, passages=PASSAGES))
    assert codes(found) == ["derived-criteria"]
    whole = with_derived(Study.from_tables(spans=SPANS[:3], passages=PASSAGES))
    assert codes(whole) == []


def test_samples_are_edited_one_by_one() -> None:
    outputs: list[Row] = [
        {"item": "q1", "system": "x", "text": text, "sample": sample} for sample, text in (("1", "a b"), ("2", "a c"))
    ]
    found = with_derived(Study.from_tables(outputs=outputs, edits=[edit("q1", "x", "a b", sample=s) for s in "12"]))
    assert found.ratings.select("sample", "value").rows() == [("1", 1.0), ("2", 0.5)]


def test_an_edit_of_an_output_that_is_not_there() -> None:
    study = Study.from_tables(outputs=OUTPUTS, edits=[*EDITS[:2], edit("q9", "x", "Lost.")])
    assert codes(study) == ["unmatched-names"]
    assert len(values(with_derived(study), "EditWords")) == 2
    lost = with_derived(Study.from_tables(outputs=OUTPUTS, edits=[edit("q9", "x", "Lost.")]))
    assert lost.derived == ()


def test_edits_without_any_outputs() -> None:
    study = Study.from_tables(edits=EDITS)
    for analyse in (estimate, compare):
        with pytest.raises(InputError, match=r"EditWords cannot be derived from 4 edits: the study has no outputs"):
            analyse(study)
        with pytest.raises((InputError, UsageError), match="the study has no outputs"):
            analyse(study, criteria="EditWords")
    (found,) = (one for one in check(study).supports if one.name == "derived")
    assert not found.possible


def test_empty_edits_of_empty_outputs() -> None:
    outputs: list[Row] = [{"item": "q1", "system": "x", "text": ""}]
    found = with_derived(Study.from_tables(outputs=outputs, edits=[edit("q1", "x", "")]))
    assert values(found, "EditWords") == {("q1", "x", "ann"): 1.0}


def test_outputs_that_were_rated_and_not_edited() -> None:
    ratings = [rating("q1", system, "style", 3) for system in "xy"] + [rating("q2", "x", "style", 3, "bo")]
    found = with_derived(Study.from_tables(outputs=OUTPUTS, edits=EDITS[:1], ratings=ratings))
    assert found.notices[-1].code == "derived-criteria"
    assert found.notices[-1].details == {"outputs": 1, "of": 2}


def test_which_are_made() -> None:
    tables = {"outputs": OUTPUTS, "edits": EDITS, "spans": SPANS, "passages": PASSAGES}
    study = Study.from_tables(**tables)  # type: ignore[arg-type]
    assert [found.name for found in derivable(study.tables)] == list(DERIVED)
    assert with_derived(study).derived == ("AnyCorrect", "AvgCorrect", "EditWords")
    assert with_derived(study, ["HTER", "EditCharacters", "style"]).derived == ("EditCharacters", "HTER")
    assert with_derived(study, []) is study
    listed = Study.from_tables(**tables, settings=StudySettings(criteria=("EditCharacters",)))  # type: ignore[arg-type]
    assert with_derived(listed).derived == ("EditCharacters",)
    assert listed.notices == ()  # it is a criterion that the study has
    assert "unused" in codes(Study.from_tables(outputs=OUTPUTS, settings=StudySettings(criteria=("EditCharacters",))))


def test_beside_other_labels_verdicts_are_about_those() -> None:
    """All criteria of a comparison share one error: edits that come later must not take a verdict away."""
    preferences = [vote("q1", "x", "y", "ann", "a", criterion="style")]
    scores = [{"item": q, "system": of, "metric": "m", "value": "xy".index(of)} for q in ("q1", "q2") for of in "xy"]
    study = Study.from_tables(outputs=OUTPUTS, edits=EDITS, preferences=preferences, scores=scores)
    assert [found.criterion for found in compare(study).results] == ["style"]
    assert [found.criterion for found in audit(study).results] == ["style"]
    assert [found.criterion for found in estimate(study).results] == ["EditWords"]
    assert [found.criterion for found in compare(study, criteria=["EditWords", "style"]).results] == [
        "EditWords", "style",
    ]  # fmt: skip


def test_what_people_rated_themselves_stands() -> None:
    given = [rating("q1", "x", "AnyCorrect", 0)]
    study = Study.from_tables(spans=SPANS, ratings=given, passages=PASSAGES)
    found = with_derived(study)
    assert values(found, "AnyCorrect") == {("q1", "x", "ann"): 0}
    assert found.derived == ("AvgCorrect",)
    assert "derived-criteria" in codes(found)
    agreed = Study.from_tables(spans=SPANS, ratings=[rating("q1", "x", "AnyCorrect", 1)], passages=PASSAGES)
    assert len(codes(with_derived(agreed))) == len(codes(found)) - 1
    assert with_derived(study, ["AnyCorrect"]).derived == ()


def test_nothing_derived_is_stored(tmp_path: Path) -> None:
    study = Study.from_tables(outputs=OUTPUTS, edits=EDITS, spans=SPANS, name="s")
    before = study.fingerprint
    found = with_derived(study)
    estimate(study)
    assert study.ratings is None
    assert study.fingerprint == before
    assert found.label_fingerprint == study.label_fingerprint
    write_study(study, tmp_path / "s")
    assert not (tmp_path / "s" / "ratings.csv").exists()


@pytest.mark.parametrize(("table", "row"), [("edits", EDITS[0] | {"text": "Other."}), ("spans", SPANS[1])])
def test_labels_from_which_ratings_follow_count_as_labels(table: str, row: Row) -> None:
    tables: dict[str, list[Row]] = {"outputs": OUTPUTS, "edits": EDITS[1:], "spans": [SPANS[0], *SPANS[2:]]}
    study = Study.from_tables(**tables)  # type: ignore[arg-type]
    tables[table] = [*tables[table], row]
    assert Study.from_tables(**tables).label_fingerprint != study.label_fingerprint  # type: ignore[arg-type]


def test_every_analysis_has_them() -> None:
    items = [f"q{k}" for k in range(30)]
    outputs: list[Row] = [
        {"item": item, "system": system, "text": text} for item in items for system, text in (("x", "a c"), ("y", "b"))
    ]
    edits = [edit(item, system, "a c d") for item in items for system in "xy"]
    scores: list[Row] = [
        {"item": item, "system": name, "metric": "length", "value": int(name == "x")} for item in items for name in "xy"
    ]
    study = Study.from_tables(outputs=outputs, edits=edits, scores=scores)
    (means,) = estimate(study).results
    assert (means.criterion, means.scale) == ("EditWords", (0.0, 1.0))
    assert [one.mean.estimate for one in means.systems] == [pytest.approx(2 / 3), 0.0]
    found = compare(study)
    (pair,) = found.results[0].pairs
    assert (found.results[0].criterion, pair.verdict) == ("EditWords", "a")
    (source,) = audit(study, metrics="length").results
    assert (source.criterion, source.comparisons) == ("EditWords", 30)
    diagnosis = check(study)
    assert [(one.criterion, one.kind, one.labels) for one in diagnosis.holds.derived] == [("EditWords", "edits", 60)]
    assert diagnosis.holds.human_labels == 60
    assert read_pilot(study, None, None).criterion == "EditWords"


def test_a_criterion_that_is_none() -> None:
    study = Study.from_tables(outputs=OUTPUTS, edits=EDITS)
    with pytest.raises(UsageError, match="did you mean EditCharacters"):
        estimate(study, criteria="EditCharacter")
    preferences, listed = [vote("q1", "x", "y", "ann", "a", criterion="style")], StudySettings(criteria=("style",))
    study = Study.from_tables(outputs=OUTPUTS, edits=EDITS, preferences=preferences, settings=listed)
    with pytest.raises(InputError, match="its other labels give EditWords, EditCharacters, HTER: name one"):
        estimate(study)


def test_hter_where_its_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.ter", None)
    settings = StudySettings(criteria=("HTER", "EditWords"))
    study = Study.from_tables(outputs=OUTPUTS, edits=EDITS, settings=settings)
    with pytest.raises(ExtraMissingError, match=r"pip install 'tiebreak\[metrics\]'"):
        estimate(study)
    diagnosis = check(study)
    assert [one.criterion for one in diagnosis.holds.derived] == ["EditWords"]
    assert ("derived", False) in [(of.name, of.possible) for of in diagnosis.supports]


@pytest.mark.parametrize("criterion", ["AnyCorrect", "EditWords", "HTER"])
def test_a_scale_in_study_toml_does_not_bend_that_of_a_derived_criterion(criterion: str) -> None:
    settings = StudySettings(scale={criterion: (1, 5)})
    study = Study.from_tables(outputs=OUTPUTS, edits=EDITS, spans=SPANS, passages=PASSAGES, settings=settings)
    assert codes(study) == ["unused"]
    (found,) = estimate(study, criteria=[criterion]).results
    assert found.scale == DERIVED[criterion].scale


def test_a_scale_of_a_criterion_that_people_rated_is_theirs() -> None:
    study = Study.from_tables(
        ratings=[rating("q1", "x", "AnyCorrect", 4)], spans=SPANS, passages=PASSAGES,
        settings=StudySettings(scale={"AnyCorrect": (1, 5)}),
    )  # fmt: skip
    assert "unused" not in codes(study)
    assert estimate(study, criteria=["AnyCorrect"]).results[0].scale == (1, 5)


# ---- distances -----------------------------------------------------------------------------------------------------
# How much of a text stayed: words, edit distance, translation edit rate.


def texts(*found: str) -> pl.Series:
    return pl.Series(found, dtype=pl.String)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is raining.", ["It", "is", "raining", "."]),
        ("Don't pay 3.50 (well-known)!", ["Don't", "pay", "3.50", "(", "well-known", ")", "!"]),
        ("the end.The next", ["the", "end", ".", "The", "next"]),
        ("今日は雨、OK", ["今", "日", "は", "雨", "、", "OK"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("“Yes” – no…", ["“", "Yes", "”", "–", "no", "…"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(texts(text)) == [found]


def test_texts_are_compared_as_a_reader_sees_them() -> None:
    """Composed and combining accents, no-break spaces, line ends of another system and blanks at the ends."""
    before, after = texts("caf\u00e9 au lait\nchaud"), texts("  cafe\u0301\u00a0au lait\r\nchaud ")
    assert as_read(after).to_list() == ["caf\u00e9 au lait chaud"]
    for kept in (kept_words, kept_characters):
        assert kept(before, after).tolist() == [1.0]
    assert minus_hter(before, after).tolist() == [0.0]


def test_kept_by_hand() -> None:
    """`It rain.` (3 words) to `It is raining.` (4): one word inserted, one replaced, 1 - 2/4; in characters 8 to 14
    by six insertions, 1 - 6/14.
    """
    before, after = texts("It rain."), texts("It is raining.")
    assert kept_words(before, after).tolist() == [0.5]
    assert kept_characters(before, after).tolist() == [pytest.approx(8 / 14)]


@pytest.mark.parametrize(
    ("before", "after", "kept", "rate"),
    [("", "", 1.0, 0.0), ("A word.", "", 0.0, -1.0), ("", "A word.", 0.0, -1.0), ("Same.", "Same.", 1.0, 0.0)],
)
def test_texts_without_words(before: str, after: str, kept: float, rate: float) -> None:
    assert kept_words(texts(before), texts(after)).tolist() == [kept]
    assert kept_characters(texts(before), texts(after)).tolist() == [kept]
    found = minus_hter(texts(before), texts(after))
    assert found.tolist() == [rate]
    assert not np.signbit(found).any() or rate < 0  # no minus nothing


def _plain_distance(one: list[str] | str, other: list[str] | str) -> int:
    """The textbook recursion."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


def test_kept_is_that_of_the_plain_recursion() -> None:
    chance = random.Random(3)
    known = ["a", "bb", "cat", "dog,", "the.", "é", "雨"]
    made = [" ".join(chance.choices(known, k=chance.randrange(12))) for _ in range(80)]
    before, after = texts(*made[:40]), texts(*made[40:])
    for kept, parts in ((kept_words, words), (kept_characters, lambda series: as_read(series).to_list())):
        expected = [
            1 - _plain_distance(one, other) / max(len(one), len(other), 1)
            for one, other in zip(parts(before), parts(after), strict=True)
        ]
        np.testing.assert_allclose(kept(before, after), expected, atol=1e-12)
        np.testing.assert_array_equal(kept(before, after), kept(after, before))


def test_hter_is_sacrebleus() -> None:
    """Its own reference case: a shift counts once; its score is in percent."""
    before = texts("the cat sat on the mat", "on the mat the cat sat", "THE CAT sat here")
    after = texts("the cat sat on a mat", "the cat sat on the mat", "the cat sat")
    expected = [-TER().sentence_score(one, [other]).score / 100 for one, other in zip(before, after, strict=True)]
    np.testing.assert_allclose(minus_hter(before, after), expected)
    np.testing.assert_allclose(expected, [-1 / 6, -1 / 6, -1 / 3])
