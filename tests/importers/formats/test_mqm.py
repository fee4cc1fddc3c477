"""MQM: errors of translations as ratings of the whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.errors import InputError
from tiebreak.importers.plans import plan_files
from tiebreak.importers.reading import imported

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"


def written(tmp_path: Path, *rows: str) -> str:
    path = tmp_path / "mqm_made_up.tsv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), "utf-8")
    return str(path)


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
    (plan,) = plan_files([path])
    assert plan.format is not None
    assert plan.format.name == "mqm"
    study = imported([plan], "study").study
    assert study.ratings is not None
    assert study.ratings.select("item", "system", "annotator", "criterion", "value").rows() == [
        ("news.1/1", "north", "rater1", "mqm", -6.0),
        ("news.1/1", "north", "rater2", "mqm", 0.0),
        ("news.1/1", "south", "rater1", "mqm", -0.1),
        ("news.1/1", "south", "rater2", "mqm", -5.0),
        ("news.2/2", "north", "rater1", "mqm", -25.0),
        ("news.2/2", "south", "rater1", "mqm", 0.0),
    ]
    assert study.outputs is not None
    assert ("news.1/1", "north", '"Das Schiff ging.') in study.outputs.select("item", "system", "text").rows()
    assert study.items is not None
    assert study.items.select("item", "input", "cluster").rows() == [
        ("news.1/1", '"The boat left.', "news.1"),
        ("news.2/2", "It rained.", "news.2"),
    ]


def test_a_severity_that_has_no_weight_is_a_problem(tmp_path: Path) -> None:
    path = written(tmp_path, "north\tnews.1\t1\t1\trater1\tYes.\tJa.\tStyle/Awkward\tHuge\t")
    with pytest.raises(InputError, match="no severity of MQM") as caught:
        imported(plan_files([path]), "study")
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
    path = tmp_path / "mqm.tsv"
    rows = [f"A\td1\t{n}\t0\tr1\tS{n}\tT{n}\t{error}\t{grade}\t{{}}\n" for n, (error, grade, _) in enumerate(ERRORS)]
    path.write_text(MAROT + "".join(rows) + "B\td1\t1\t0\t\tS1\tU1\t\t\t{}\n", "utf-8")
    done = imported(plan_files([str(path)]), "study")
    assert done.study.ratings is not None
    assert done.study.ratings.select("item", "value").rows() == [
        (f"d1/{n}", value) for n, (*_, value) in enumerate(ERRORS) if value is not None
    ]
    assert [(of.reason, of.count) for of in done.skipped] == [("rows that are no labels", 2)]
    assert done.study.outputs is not None
    assert ("d1/1", "B", "U1") in done.study.outputs.select("item", "system", "text").rows()


def test_the_columns_of_chinese_in_2022(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"  # generalMT2022/enzh of Google's wmt-mqm-human-evaluation
    path.write_text(
        "year\tsource_lang\ttarget_lang\tdocument_id\tdoc_segment_id\tsystem_id\trater_id\tsource\treference\tcandidate\t"
        "category\tseverity\n2022\ten\tzh\td1\t4\tA\tr1\tHi\tRef\t<v>x</v>\taccuracy/mistranslation\tmajor\n",
        "utf-8",
    )
    study = imported(plan_files([str(path)]), "study").study
    assert study.ratings is not None
    assert study.ratings.select("item", "system", "annotator", "value").rows() == [("d1/4", "A", "r1", -5.0)]
