"""MQM: errors of translations as ratings of the whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import read_as, rows_of, save

from tiebreak.errors import InputError

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"


def written(tmp_path: Path, *rows: str) -> str:
    return save(tmp_path, "mqm_made_up.tsv", HEADER + "".join(f"{row}\n" for row in rows))


def test_errors_are_ratings_by_their_weights(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'north\tnews.1\t1\t1\trater1\t"The boat left.\t"Das <v>Schiff</v> ging.\tAccuracy/Mistranslation\tMajor\t',
        'north\tnews.1\t1\t1\trater1\t"The boat left.\t"Das Schiff <v>ging</v>.\tStyle/Awkward\tminor\t',
        'north\tnews.1\t1\t1\trater2\t"The boat left.\t"Das Schiff ging.\tNo-error\tNo-error\t',
        'south\tnews.1\t1\t1\trater1\t"The boat left.\tDas Boot fuhr ab<v>,</v>\tFluency/Punctuation\tMinor\t',
        'south\tnews.1\t1\t1\trater2\t"The boat left.\tDas Boot fuhr ab,\tFluency/Punctuation\tMajor\t',
        "north\tnews.2\t1\t2\trater1\t<v>It</v> rained.\t<v>Hut</v>\tNon-translation!\tMajor\t",
        "south\tnews.2\t1\t2\trater1\tIt rained.\tEs regnete.\tStyle/Awkward\tNeutral\tfine",
    )
    study = read_as("mqm", path).study
    assert rows_of(study.ratings, "item", "system", "annotator", "criterion", "value") == [
        ("news.1/1", "north", "rater1", "mqm", -6.0),
        ("news.1/1", "north", "rater2", "mqm", 0.0),
        ("news.1/1", "south", "rater1", "mqm", -0.1),
        ("news.1/1", "south", "rater2", "mqm", -5.0),
        ("news.2/2", "north", "rater1", "mqm", -25.0),
        ("news.2/2", "south", "rater1", "mqm", 0.0),
    ]
    assert ("news.1/1", "north", '"Das Schiff ging.') in rows_of(study.outputs, "item", "system", "text")
    assert rows_of(study.items, "item", "input", "cluster") == [
        ("news.1/1", '"The boat left.', "news.1"),
        ("news.2/2", "It rained.", "news.2"),
    ]


def test_a_severity_that_has_no_weight_is_a_problem(tmp_path: Path) -> None:
    path = written(tmp_path, "north\tnews.1\t1\t1\trater1\tYes.\tJa.\tStyle/Awkward\tHuge\t")
    with pytest.raises(InputError, match="no severity of MQM") as caught:
        read_as("mqm", path)
    assert [(of.line, of.value) for of in caught.value.problems] == [(2, "Huge")]


# Marot (marot.js): HOTW-test is no rating, the defaults of the weights, globalSegId may be 0 in all rows, and a row
# without a rater holds metadata alone.
MAROT = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
ERRORS = [
    ("Found", "HOTW-test", None), ("Other", "Unrateable", None), ("Source issue", "Major", 0.0),
    ("Style/Creative reinterpretation", "Minor", 0.0), ("punctuation", "minor", -0.1), ("Accuracy", "Trivial", -0.1),
    ("Accuracy", "Critical", -5.0), ("Non-translation!", "Major", -25.0),
]  # fmt: skip


def test_the_weights_of_marot(tmp_path: Path) -> None:
    rows = [f"A\td1\t{n}\t0\tr1\tS{n}\tT{n}\t{error}\t{grade}\t{{}}\n" for n, (error, grade, _) in enumerate(ERRORS)]
    path = save(tmp_path, "mqm.tsv", MAROT + "".join(rows) + "B\td1\t1\t0\t\tS1\tU1\t\t\t{}\n")
    done = read_as("mqm", path)
    assert rows_of(done.study.ratings, "item", "value") == [
        (f"d1/{n}", value) for n, (*_, value) in enumerate(ERRORS) if value is not None
    ]
    assert [(of.reason, of.count) for of in done.skipped] == [("rows that are no labels", 2)]
    assert ("d1/1", "B", "U1") in rows_of(done.study.outputs, "item", "system", "text")


def test_the_columns_of_chinese_in_2022(tmp_path: Path) -> None:
    # generalMT2022/enzh of Google's wmt-mqm-human-evaluation
    text = (
        "year\tsource_lang\ttarget_lang\tdocument_id\tdoc_segment_id\tsystem_id\trater_id\tsource\treference\tcandidate\t"
        "category\tseverity\n2022\ten\tzh\td1\t4\tA\tr1\tHi\tRef\t<v>x</v>\taccuracy/mistranslation\tmajor\n"
    )
    study = read_as("mqm", save(tmp_path, "mqm.tsv", text)).study
    assert rows_of(study.ratings, "item", "system", "annotator", "value") == [("d1/4", "A", "r1", -5.0)]
