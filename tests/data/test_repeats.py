"""Rows that repeat others: copies are dropped, judgements made again count once, contradictions are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.importers.made import cells_of, rows_of
from tests.small_studies import Row, rating, vote

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.writers import write_study
from tiebreak.errors import InputError

OUTPUTS: list[Row] = [{"item": "1", "system": "x", "text": "."}, {"item": "1", "system": "y", "text": "."}]


def preference(outcome: str, at: str | None = None, item: str = "1", *, swapped: bool = False, **more: object) -> Row:
    return vote(item, *("yx" if swapped else "xy"), "ann", outcome, at) | more


def preferences(*rows: Row) -> pl.DataFrame:
    return Study.from_tables(preferences=pl.DataFrame(list(rows))).tables["preferences"]


def notice(study: Study) -> dict[str, object]:
    (found,) = [notice for notice in study.notices if notice.code == "repeated-rows"]
    return found.details


def test_copies_are_dropped_and_counted() -> None:
    rows = [preference("a"), preference("b", item="2"), preference("a"), preference("a")]
    study = Study.from_tables(preferences=rows)
    assert rows_of(study.preferences, "item", "outcome") == [("1", "a"), ("2", "b")]
    found = notice(study)
    assert (found["rows"], found["copies"], found["again"]) == (4, 2, 0)


def test_a_copy_may_be_written_the_other_way_round() -> None:
    study = Study.from_tables(preferences=[preference("a"), preference("b", swapped=True)])
    assert study.preferences.height == 1
    assert notice(study)["copies"] == 1


def test_the_earlier_of_two_different_judgements_counts() -> None:
    late, early = preference("a", "2024-05-02"), preference("b", "2024-05-01")
    for rows in ([late, early], [early, late]):
        assert preferences(*rows)["outcome"].to_list() == ["b"]
    found = notice(Study.from_tables(preferences=[late, early]))
    assert (found["again"], found["agreeing"], found["by_time"]) == (1, 0, 1)


@pytest.mark.parametrize("times", [(None, None), ("2024-05-01", None), ("2024-05-01", "2024-05-01")])
def test_without_an_order_different_judgements_are_a_tie(times: tuple[str | None, str | None]) -> None:
    rows = [preference("a", times[0]), preference("b", times[1])]
    for given in (rows, rows[::-1]):
        assert preferences(*given)["outcome"].to_list() == ["tie"]


def test_agreeing_judgements_are_counted_as_such() -> None:
    rows = [preference("a", "2024-05-01"), preference("b", "2024-05-02", swapped=True), preference("tie", "2024-05-03")]
    study = Study.from_tables(preferences=rows)
    assert rows_of(study.preferences, "outcome", "decided_at") == [("a", "2024-05-01")]
    found = notice(study)
    assert (found["again"], found["agreeing"], found["by_time"]) == (2, 1, 1)


def test_without_times_agreement_cannot_be_told_from_copies() -> None:
    rows = [preference("a", None, str(k)) for k in range(9)]
    again = [preference("a", None, str(k)) for k in range(3)] + [preference("b", None, str(k)) for k in range(3, 5)]
    found = notice(Study.from_tables(preferences=rows + again))
    assert (found["copies"], found["again"], found["agreeing"], found["agreeing_at_most"]) == (3, 2, None, 3)
    timed = [{**row, "seconds": 3.0 + k} for k, row in enumerate(rows)]
    found = notice(Study.from_tables(preferences=[*timed, timed[0], {**timed[1], "seconds": 2.0, "outcome": "b"}]))
    assert (found["copies"], found["again"], found["agreeing"]) == (1, 1, 0)  # no other judgement takes as long


def test_different_ratings_become_their_mean_in_any_order() -> None:
    rows = [rating("1", system, "ann", value) for system, value in (("x", 2), ("x", 5), ("y", 4), ("x", 2))]
    for given in (rows, rows[::-1]):
        assert dict(rows_of(Study.from_tables(ratings=given).ratings, "system", "value")) == {"x": 3.5, "y": 4.0}


def test_a_reply_with_an_outcome_goes_before_one_without() -> None:
    rows = [
        {"item": "1", "system_a": "x", "system_b": "y", "judge": "j", "outcome": outcome, "reply": reply}
        for outcome, reply in (("", "?"), ("a", "A"))
    ]
    found = Study.from_tables(outputs=OUTPUTS, judge_preferences=rows).judge_preferences
    assert cells_of(found, "outcome") == ["a"]


def test_equal_texts_of_one_output_are_copies_but_different_ones_are_refused() -> None:
    twice = Study.from_tables(outputs=[*OUTPUTS, OUTPUTS[0]])
    assert twice.outputs.height == 2
    with pytest.raises(InputError, match="item and system"):
        Study.from_tables(outputs=[*OUTPUTS, {"item": "1", "system": "x", "text": "other"}])


def test_references_in_lists_are_compared_too() -> None:
    items = [{"item": "1", "references": ["p", "q"]}, {"item": "1", "references": ["p", "q"]}]
    found = Study.from_tables(outputs=OUTPUTS, items=items).items
    assert found.height == 1


def test_strict_refuses_every_repeat(tmp_path: Path) -> None:
    header = "item,system_a,system_b,annotator,outcome\n"
    (tmp_path / "preferences.csv").write_text(header + "1,x,y,ann,a\n2,x,y,ann,a\n1,y,x,ann,b\n", encoding="utf-8")
    assert read_study(tmp_path).preferences is not None
    with pytest.raises(InputError) as caught:
        read_study(tmp_path, strict=True)
    (problem,) = caught.value.problems
    assert (problem.line, problem.value) == (4, "1, x, y, ann")
    assert "as on line 2" in problem.message


def test_what_is_written_has_all_rows(tmp_path: Path) -> None:
    rows = [preference("a", "2024-05-02"), preference("b", "2024-05-01"), preference("a", item="2")]
    study = Study.from_tables(preferences=rows)
    write_study(study, tmp_path / "s")
    assert pl.read_csv(tmp_path / "s" / "preferences.csv").height == 3
    again = read_study(tmp_path / "s")
    assert again.tables["preferences"].equals(study.tables["preferences"])
    assert again.fingerprint == study.fingerprint
    nobody_else = study.select(systems=["x", "y"])
    assert nobody_else.with_repeats["preferences"].height == 3


def test_other_errors_are_reported_beside_repeats() -> None:
    with pytest.raises(InputError, match="an outcome must be"):
        Study.from_tables(preferences=[preference("a"), preference("b"), preference("better", item="3")])


@pytest.mark.parametrize(
    "name", ["row", "group", "text", "time", "ordered", "agrees", "size", "differ", "mean", "*", "^.*$"]
)
def test_a_column_of_ones_own_may_have_any_name(name: str) -> None:
    rows = [preference("a", **{name: "p"}), preference("b", **{name: "q"}), preference("tie", item="2", **{name: "r"})]
    found = preferences(*rows, rows[2])
    assert rows_of(found, "item", "outcome") == [("1", "tie"), ("2", "tie")]
    assert found[name].to_list() == ["p", "r"]
