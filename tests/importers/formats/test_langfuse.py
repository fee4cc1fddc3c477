"""Langfuse: scores of traces by people and by evaluators."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import read_as, rows_of, save

from tiebreak.errors import InputError

COLUMNS = (
    "id", "traceId", "sessionId", "datasetRunId", "timestamp", "source", "name", "dataType", "value", "stringValue",
    "comment", "metadata", "observationId", "traceName", "userId", "traceTags", "environment", "authorUserName",
)  # fmt: skip


def row(number: int, trace: str, source: str, value: object, **more: object) -> dict[str, object]:
    told = {
        "id": f"s{number}", "traceId": trace, "timestamp": "2026-01-02T03:04:05.000Z", "source": source,
        "name": "helpful", "dataType": "NUMERIC", "value": value, "traceName": "chat", "environment": "default",
    }  # fmt: skip
    return {**dict.fromkeys(COLUMNS, ""), **told, **more}


def test_people_and_judges_are_told_apart_by_the_source(tmp_path: Path) -> None:
    rows = [
        row(1, "t1", "ANNOTATION", 4, authorUserName="Ann"),
        row(2, "t1", "ANNOTATION", 2, authorUserName="Bo"),
        row(3, "t1", "EVAL", 0.75),
        row(4, "t2", "API", 1, name="thumbs", dataType="BOOLEAN", stringValue="True"),
        row(5, "t2", "EVAL", 0.5, observationId="o1"),
        row(6, "t2", "EVAL", 0.25, observationId="o2"),
        row(7, "", "EVAL", 1, sessionId="x1"),
        row(8, "t2", "ANNOTATION", 0, name="output", dataType="CORRECTION", authorUserName="Ann"),
    ]
    done = read_as("langfuse", save(tmp_path, "scores.csv", rows))
    assert rows_of(done.study.ratings, "item", "system", "annotator", "criterion", "value", "decided_at") == [
        ("t1", "chat", "Ann", "helpful", 4.0, "2026-01-02T03:04:05+00:00"),
        ("t1", "chat", "Bo", "helpful", 2.0, "2026-01-02T03:04:05+00:00"),
    ]
    assert rows_of(done.study.scores, "item", "system", "metric", "value") == [
        ("t1", "chat", "helpful", 0.75),
        ("t2", "chat", "thumbs", 1.0),
        ("t2/o1", "chat", "helpful", 0.5),
        ("t2/o2", "chat", "helpful", 0.25),
    ]
    assert [of.count for of in done.skipped] == [2]


def test_annotations_without_an_author_among_others_are_left_out(tmp_path: Path) -> None:
    """Nobody can tell whose they are; where no annotation has an author, each output's are by annotator1, ..."""
    rows = [row(1, "t1", "ANNOTATION", 4, authorUserName="Ann"), row(2, "t1", "ANNOTATION", 2)]
    done = read_as("langfuse", save(tmp_path, "scores.csv", rows))
    assert rows_of(done.study.ratings, "annotator", "value") == [("Ann", 4.0)]
    assert [(of.reason, of.count) for of in done.skipped] == [("labels by nobody, where others say whose they are", 1)]
    alone = read_as("langfuse", save(tmp_path, "alone.csv", rows[1:]))
    assert rows_of(alone.study.ratings, "annotator", "value") == [("annotator1", 2.0)]


def test_a_category_without_a_configuration_is_a_word(tmp_path: Path) -> None:
    """The value of a CATEGORICAL score "defaults to 0" where no config is linked (API of Langfuse, CategoricalScoreV1);
    the scores of the API have no traceName.
    """
    told = {"dataType": "CATEGORICAL", "source": "ANNOTATION", "authorUserId": "u1", "timestamp": None}
    given = [("t1", "tone", 0, "good"), ("t2", "tone", 0, "bad"), ("t1", "fit", 2, "yes"), ("t2", "fit", 0, "no")]
    data = [
        {**told, "id": str(n), "traceId": trace, "name": name, "value": value, "stringValue": word,
         "trace": {"tags": []}}
        for n, (trace, name, value, word) in enumerate(given)
    ]  # fmt: skip
    path = save(tmp_path, "scores.json", {"data": data, "meta": {"page": 1}})
    with pytest.raises(InputError, match=r"--value 'value:good=NUMBER\|skip' \(2 rows, also 'bad'\)"):
        read_as("langfuse", path)
    study = read_as("langfuse", path, values=["value:good=1", "value:bad=0"]).study
    assert rows_of(study.ratings, "item", "system", "annotator", "criterion", "value") == [
        ("t1", "application", "u1", "tone", 1.0), ("t2", "application", "u1", "tone", 0.0),
        ("t1", "application", "u1", "fit", 2.0), ("t2", "application", "u1", "fit", 0.0),
    ]  # fmt: skip
