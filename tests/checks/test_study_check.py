"""`check` counts right, and copes with every poor study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.small_studies import Row, rating, study_of, vote

from tiebreak.checks.holdings import LabelHolding, SystemHolding, holdings
from tiebreak.checks.study_check import StudyCheck, check
from tiebreak.data.readers import read_study
from tiebreak.data.settings import SystemSettings
from tiebreak.data.study import Study, StudySettings
from tiebreak.evidence.items import ItemIndex


def preferences(
    count: int, outcome: str = "a", annotator: str = "ann", pair: tuple[str, str] = ("x", "y")
) -> list[Row]:
    return [vote(f"i{k}", *pair, annotator, outcome) for k in range(count)]


def outputs(items: int, systems: str = "xy") -> list[Row]:
    return [{"item": f"i{k}", "system": s, "text": f"{s} says {k}"} for k in range(items) for s in systems]


def ratings(items: int, systems: str = "xy", annotators: str = "z") -> list[Row]:
    return [rating(f"i{k}", s, z, (k + ord(s)) % 3, "style") for k in range(items) for s in systems for z in annotators]


def support(checked: StudyCheck, name: str) -> tuple[bool, str]:
    (found,) = [entry for entry in checked.supports if entry.name == name]
    return found.possible, found.why


def wrong(checked: StudyCheck) -> dict[str, str]:
    return {notice.code: notice.text for notice in checked.looks_wrong}


def test_holdings_by_hand() -> None:
    study = Study.from_tables(
        items=[
            {"item": "i0", "input": "q0", "reference": "r"},
            {"item": "i1", "input": " ", "reference": None},
            {"item": "i2", "input": "q2", "reference": None},
        ],
        outputs=[
            {"item": "i0", "system": "x", "text": "four"},
            {"item": "i1", "system": "x", "text": "twelve signs"},
            {"item": "i0", "system": "y", "text": "  "},
        ],
        preferences=[
            {"item": "i0", "system_a": "x", "system_b": "y", "annotator": "p", "outcome": "a", "seconds": 2},
            {"item": "i1", "system_a": "x", "system_b": "y", "annotator": "p", "outcome": "b", "seconds": 4},
            {"item": "i0", "system_a": "y", "system_b": "x", "annotator": "q", "outcome": "tie", "seconds": None},
        ],
        ratings=[{"item": "i0", "system": "x", "annotator": "q", "criterion": "style", "value": 3}],
        scores=[
            {"item": "i0", "system": "x", "metric": "bleu", "value": 1},
            {"item": "i0", "system": "y", "metric": "bleu", "value": 2},
        ],
        judge_preferences=[
            {"item": "i0", "system_a": "x", "system_b": "y", "judge": "j", "outcome": "a"},
            {"item": "i1", "system_a": "x", "system_b": "y", "judge": "j", "outcome": None},
        ],
    )
    held = check(study).holds
    assert (held.items, held.inputs, held.references, held.outputs, held.human_labels) == (3, 2, 1, 3, 4)
    assert held.systems == (
        # Three preferences and a rating; characters 4 and 12; i1 and i0 have outputs, y lacks i1.
        SystemHolding("x", 2, 0, 0, 8.0, 4),
        SystemHolding("y", 1, 1, 1, 2.0, 3),
    )
    assert held.labels == (LabelHolding(None, "preferences", 3, 2, 2, 2), LabelHolding("style", "ratings", 1, 1, 1, 1))
    people = [(p.annotator, p.labels, p.share, p.median_seconds) for p in held.annotators]
    assert people == [("p", 2, 0.5, 3.0), ("q", 2, 0.5, None)]
    (metric,) = held.metrics
    assert (metric.scores, metric.share) == (2, pytest.approx(2 / 3))
    (judge,) = held.judges
    assert (judge.replies, judge.unparsed, judge.pairs) == (2, 1, 1)


APART = [row for row in ratings(6) if (str(row["item"]) < "i3") == (row["system"] == "x")]
TWO_PAIRS = [*preferences(9), *preferences(4, pair=("x", "z"))]
POOR: list[tuple[str, Study, bool, str]] = [
    ("outputs only", Study.from_tables(outputs=outputs(5)), False, "there are no labels"),
    ("one system", Study.from_tables(outputs=outputs(5, "x")), False, "there is 1 system; it takes two"),
    ("one label", Study.from_tables(preferences=preferences(1)), True, "the pair on 1 item"),
    ("all ties", Study.from_tables(preferences=preferences(40, "tie")), True, "the pair on 40 items"),
    ("ratings only", Study.from_tables(ratings=ratings(400)), True, "the pair on 400 items (style)"),
    ("ratings of one system", Study.from_tables(ratings=ratings(5, "x")), False, "there is 1 system; it takes two"),
    ("ratings of different items", Study.from_tables(ratings=APART), False, "no item has labels on two systems"),
    ("few pairs", Study.from_tables(preferences=TWO_PAIRS), True, "2 of 3 pairs on 4 to 9 items"),
]


@pytest.mark.parametrize(("study", "possible", "why"), [case[1:] for case in POOR], ids=[case[0] for case in POOR])
def test_poor_studies(study: Study, possible: bool, why: str) -> None:
    checked = check(study)
    able, words = support(checked, "compare")
    assert able == possible
    assert words.startswith(why)
    assert json.loads(json.dumps(checked.to_dict(), allow_nan=False))["holds"]["items"] == checked.holds.items


def test_order_of_rows_and_orientation_do_not_matter() -> None:
    rows = [*preferences(19, "a"), *preferences(12, "b", "bob"), *preferences(5, "tie", pair=("y", "z"))]
    flip = {"a": "b", "b": "a", "tie": "tie"}
    turned = [
        {**row, "system_a": row["system_b"], "system_b": row["system_a"], "outcome": flip[str(row["outcome"])]}
        for row in reversed(rows)
    ]
    before, after = (check(Study.from_tables(preferences=of)).to_dict() for of in (rows, turned))
    assert after == before


def test_many_systems_in_a_real_study(real_studies: Path) -> None:
    checked = check(read_study(real_studies / "llmfao"))
    assert len(checked.holds.systems) == 70
    assert support(checked, "compare")[1].startswith("927 of 2,415 pairs on 1 to 13 items")
    assert sum(holding.empty for holding in checked.holds.systems) == 72  # 69 of white space, 3 of invisible signs


def test_heavy_workers_at_chance_in_the_real_crowd(real_studies: Path) -> None:
    """The data's notes: "some heavy workers are at chance (.48-.51)"."""
    checked = check(read_study(real_studies / "naturalness-v2"))
    (notice,) = [of for of in checked.looks_wrong if of.code == "unreliable-annotators"]
    named = notice.details["annotators"]
    assert isinstance(named, list)
    assert [entry["annotator"] for entry in named][:3] == ["w007", "w009", "w018"]


def test_samples_are_questions_of_their_own() -> None:
    """One person judged two samples of each output: no question was put to two people."""
    rows = [
        {**rating(f"i{k}", system, "ann", k % 5), "sample": sample}
        for k in range(10)
        for system in ("ant", "bee")
        for sample in ("1", "2")
    ]
    assert support(check(study_of(ratings=rows)), "agreement")[1] == "no question has the answers of two annotators"


def test_the_scale_that_is_missing_is_named() -> None:
    rows = [*ratings(6, annotators="yz"), *(row | {"criterion": "tone"} for row in ratings(5))]
    told = support(check(study_of(ratings=rows, settings=StudySettings(scale={"tone": (0, 7)}))), "estimate")
    assert told == (
        True,
        'means of 2 systems, 5 to 6 rated outputs each; add scales to study.toml, such as [scale] "style" = [1, 5]',
    )
    full = StudySettings(scale={"tone": (0, 7), "style": (0, 7)})
    assert "study.toml" not in support(check(study_of(ratings=rows, settings=full)), "estimate")[1]
    assert "estimate" not in {found.name for found in check(study_of(preferences=preferences(5))).supports}


def test_a_judge_that_judged_nothing_that_people_labelled_is_unvalidated() -> None:
    judged = [{**{key: row[key] for key in ("item", "system_a", "system_b", "outcome")}, "judge": "gpt"}
              for row in preferences(60)]  # fmt: skip
    apart = Study.from_tables(outputs=outputs(60), preferences=preferences(20), judge_preferences=judged[20:])
    able, why = support(check(apart), "audit")
    assert not able
    assert why == "unvalidated, as people labelled nothing of what was judged: gpt"
    beside = Study.from_tables(outputs=outputs(60), preferences=preferences(20), judge_preferences=judged)
    assert support(check(beside), "audit") == (True, "gpt")
    assert "audit" not in {of.name for of in check(Study.from_tables(preferences=preferences(5))).supports}


def test_an_empty_list_is_no_reference() -> None:
    items = [{"item": "1", "references": ["r"]}, {"item": "2", "references": []}, {"item": "3", "references": None}]
    study = Study.from_tables(items=items, outputs=[{"item": "1", "system": "s", "text": "t"}])
    assert holdings(study, ItemIndex.of(study), study).references == 1


HUMAN = StudySettings(systems={"h": SystemSettings(reference=True)})


def with_reference(**tables: list[Row]) -> Study:
    """x, y and the reference h, which wrote what x did on most items."""
    texts = [*outputs(20), *({"item": f"i{k}", "system": "h", "text": f"x says {k}"} for k in range(20))]
    return Study.from_tables(outputs=texts, settings=HUMAN, **tables)  # type: ignore[arg-type]


def test_a_reference_is_no_candidate() -> None:
    """Nobody is asked about it, nothing else need know it, and to write as it does is no copy."""
    checked = check(with_reference(preferences=preferences(20)))
    assert support(checked, "compare") == (True, "the pair on 20 items")
    assert not {"unmatched-names", "odd-outputs"} & wrong(checked).keys()
    assert {found.system: found.candidate for found in checked.holds.systems} == {"h": False, "x": True, "y": True}
    single = Study.from_tables(outputs=outputs(20, "xh"), settings=HUMAN)
    assert not support(check(single), "compare")[0]


def test_without_its_settings_it_is_one() -> None:
    study = with_reference(preferences=preferences(20))
    checked = check(Study.from_tables(outputs=study.outputs, preferences=study.preferences))
    assert support(checked, "compare") == (True, "1 of 3 pairs on 20 items")
    assert {"unmatched-names", "odd-outputs"} <= wrong(checked).keys()


def test_what_an_evaluator_can_learn_from_is_said_of_trainings() -> None:
    items = [{"item": f"i{k}", "reference": f"text {k}"} for k in range(10)]
    about = {
        name: SystemSettings(run=run, step=step) for name, run, step in (("x", "r", 1), ("y", "r", 2), ("z", "s", 1))
    }
    tables = {"items": items, "outputs": outputs(10, "xyz"), "preferences": preferences(5)}
    found = check(Study.from_tables(**tables, settings=StudySettings(systems=about)))
    assert support(found, "evaluator") == (True, "10 reference texts, 2 checkpoints, 5 human labels")
    alone = {name: about[name] for name in ("x", "z")}
    found = check(Study.from_tables(outputs=outputs(10, "xz"), settings=StudySettings(systems=alone)))
    assert not support(found, "evaluator")[0]
    found = check(Study.from_tables(**tables))
    assert "evaluator" not in [one.name for one in found.supports], "nothing else is a training"
