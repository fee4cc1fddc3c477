"""The doctor counts right, copes with every poor study, and finds the annotators that were planted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.small_studies import rating, study_of

import tiebreak
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study, StudySettings
from tiebreak.data.study_toml import SystemSettings
from tiebreak.diagnosis.doctor import Diagnosis, doctor
from tiebreak.diagnosis.holdings import LabelHolding, SystemHolding, holdings
from tiebreak.diagnosis.support import direction_level
from tiebreak.evidence.items import ItemIndex
from tiebreak.kernels.paired_outcomes import wins_needed
from tiebreak.kernels.usual_difference import usual_difference_of_outcomes
from tiebreak.rules.power import difference_found, outcomes_enough

Row = dict[str, object]


def preferences(
    count: int, outcome: str = "a", annotator: str = "ann", pair: tuple[str, str] = ("x", "y")
) -> list[Row]:
    return [
        {"item": f"i{k}", "system_a": pair[0], "system_b": pair[1], "annotator": annotator, "outcome": outcome}
        for k in range(count)
    ]


def outputs(items: int, systems: str = "xy") -> list[Row]:
    return [{"item": f"i{k}", "system": s, "text": f"{s} says {k}"} for k in range(items) for s in systems]


def ratings(items: int, systems: str = "xy", annotators: str = "z") -> list[Row]:
    return [
        {"item": f"i{k}", "system": s, "annotator": z, "criterion": "style", "value": (k + ord(s)) % 3}
        for k in range(items)
        for s in systems
        for z in annotators
    ]


def blocks(diagnosis: Diagnosis) -> list[str]:
    return [blocker.code for blocker in diagnosis.blocks]


def capability(diagnosis: Diagnosis, name: str) -> tuple[bool, str]:
    (found,) = [entry for entry in diagnosis.supports if entry.name == name]
    return found.possible, found.why


def wrong(diagnosis: Diagnosis) -> dict[str, str]:
    return {notice.code: notice.text for notice in diagnosis.looks_wrong}


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
    held = doctor(study).holds
    assert (held.items, held.inputs, held.references, held.outputs, held.human_labels) == (3, 2, 1, 3, 4)
    assert held.systems == (
        # Three preferences and a rating; characters 4 and 12; i1 and i0 have outputs, y lacks i1.
        SystemHolding("x", 2, 0, 0, 8.0, 4),
        SystemHolding("y", 1, 1, 1, 2.0, 3),
    )
    assert held.labels == (LabelHolding(None, "preferences", 3, 2, 2, 2), LabelHolding("style", "ratings", 1, 1, 1, 1))
    assert [(p.annotator, p.labels, p.share, p.median_seconds) for p in held.annotators] == [
        ("p", 2, 0.5, 3.0),
        ("q", 2, 0.5, None),
    ]
    (metric,) = held.metrics
    assert (metric.scores, metric.share) == (2, pytest.approx(2 / 3))
    (judge,) = held.judges
    assert (judge.replies, judge.unparsed, judge.pairs) == (2, 1, 1)


def test_level_of_a_family() -> None:
    assert direction_level(1) == 0.025
    assert direction_level(10) == 0.0025


def test_detectable_differences_per_pair_and_family() -> None:
    study = Study.from_tables(preferences=[*preferences(100), *preferences(25, pair=("x", "z"))])
    diagnosis = doctor(study)
    first, second = diagnosis.criteria[0].pairs
    assert (first.system_b, first.items, first.units, second.system_b, second.items) == ("y", 100, 100, "z", 25)
    # No ties in 125 items, to which ten with 30% are added: 3/135; then 100 and 25 items are drawn towards that. Two of
    # the three possible pairs have labels: K = 2.
    pooled = 3 / 135
    expected = difference_found(100, 1 - 10 * pooled / 110, 0.05 / 4)
    assert first.detectable_difference == pytest.approx(expected)
    exact = usual_difference_of_outcomes(wins_needed(25, 0.05 / 4), 1 - 10 * pooled / 35)  # few items: no formula
    assert second.detectable_difference == exact != difference_found(25, 1 - 10 * pooled / 35, 0.05 / 4)
    assert blocks(diagnosis) == ["pairs-without-labels", "pairs-with-few-items", "smaller-differences"]


def test_pairs_without_labels_need_what_the_family_needs_that_they_join() -> None:
    rows = [row for pair in (("w", "x"), ("w", "y"), ("x", "y")) for row in preferences(150, pair=pair)]
    diagnosis = doctor(Study.from_tables(outputs=outputs(150, "wxyz"), preferences=rows))
    (support,) = diagnosis.criteria
    pooled = 3 / 460  # no ties in 450 items, to which ten with 30% are added; 150 items are drawn towards that
    square = 1 - 10 * pooled / 160
    among_three, among_six = (outcomes_enough(0.2, square, direction_level(pairs)) for pairs in (3, 6))
    assert support.needs[0].items == among_three
    assert support.others is not None
    assert (support.others.items, support.others.tested_together) == (among_six, 6)
    assert among_six > 1.1 * among_three


def test_pairs_without_labels_do_not_need_all_that_others_have() -> None:
    """Those that have 1,000 items have more than enough."""
    study = Study.from_tables(outputs=outputs(1000, "xyz"), preferences=preferences(1000))
    (support,) = doctor(study).criteria
    assert support.others is not None
    assert support.others.items < 400


def test_pairs_without_labels_come_in_clusters_too() -> None:
    rng = np.random.default_rng(5)
    items = [{"item": f"i{k}", "cluster": f"c{k // 5}"} for k in range(200)]
    rows = [{**row, "outcome": str(rng.choice(["a", "b"]))} for row in preferences(200)]
    (support,) = doctor(Study.from_tables(items=items, outputs=outputs(200, "xyz"), preferences=rows)).criteria
    found = support.pairs[0].detectable_difference
    assert found is not None
    assert support.others is not None
    assert support.others.tested_together == 3
    assert support.others.items > 200 * (found / 0.2) ** 2  # what one pair alone would take


def test_ties_do_not_hide_what_fewer_of_them_would_show() -> None:
    """5 wins among 60 items decide, so that nobody is told that 60 ties could have found no difference at all."""
    assert compare(Study.from_tables(preferences=[*preferences(5), *tied(5, 60)])).results[0].pairs[0].winner
    study = Study.from_tables(preferences=preferences(60, "tie"))
    diagnosis = doctor(study)
    ((pair,),) = (support.pairs for support in diagnosis.criteria)
    assert pair.detectable_difference == pytest.approx(0.12, abs=0.015)  # P(5 or more of 60) is .8 at .113
    assert pair.fewer_tie
    advice = compare(study).results[0].advice
    assert advice[:2] == (
        "With 60 items per pair and 100% ties, nothing could be found: at least 5 items that are no ties must agree "
        "for a verdict.",
        "With 60 items per pair and at most 87% ties, a difference of about 0.13 would have been found in 80% of "
        "studies.",
    )


def tied(start: int, end: int) -> list[Row]:
    return [{**row, "item": f"t{row['item']}"} for row in preferences(end - start, "tie")]


def test_nothing_is_offered_as_smaller_that_would_be_found_already() -> None:
    rng = np.random.default_rng(3)
    for items in (150, 158, 163, 170, 180, 187, 195, 205, 220):
        rows = [{**row, "outcome": str(rng.choice(["a", "b", "tie"], p=[0.4, 0.4, 0.2]))} for row in preferences(items)]
        ((support,),) = (doctor(Study.from_tables(preferences=rows)).criteria,)
        found = support.pairs[0].detectable_difference
        assert found is not None
        for need in support.needs:
            assert (need.further_items == 0) == (round(found, 2) <= need.difference)


def test_items_of_pairs_that_need_different_numbers_are_a_range() -> None:
    rows = [*preferences(45), *preferences(20, pair=("x", "z")), *tied_pair(25)]
    diagnosis = doctor(Study.from_tables(preferences=rows))
    (support,) = diagnosis.criteria
    need = support.needs[0]
    assert need.items_least < need.items
    assert 2 * need.items_least <= need.further_labels + 90 <= 2 * need.items


def tied_pair(items: int) -> list[Row]:
    return [{**row, "item": f"t{row['item']}"} for row in preferences(items, "tie", pair=("x", "z"))]


def test_pairs_of_one_design_of_clusters_find_the_same() -> None:
    """How far 16 clusters stray is hardly known of one pair: three pairs of one design found .35, .36 and .51."""
    rng = np.random.default_rng(7)
    sizes = [40, 15, 10, 10, 8, 8, 5, 5, 4, 4, 3, 3, 2, 2, 2, 1]
    names = [f"i{cluster}-{k}" for cluster, size in enumerate(sizes) for k in range(size)]
    items = [{"item": name, "cluster": name.split("-")[0]} for name in names]
    rows = []
    for pair, lean in ((("x", "y"), 0.6), (("x", "z"), 0.1), (("y", "z"), -0.2)):
        strays = np.repeat(rng.normal(lean, 0.5, len(sizes)), sizes) + rng.normal(0, 1, len(names))
        for name, value in zip(names, strays, strict=True):
            outcome = "a" if value > 0.3 else "b" if value < -0.3 else "tie"
            rows.append({**preferences(1, outcome, pair=pair)[0], "item": name})
    study = Study.from_tables(items=items, preferences=rows)
    ((*pairs,),) = (support.pairs for support in doctor(study).criteria)
    (found,) = {pair.detectable_difference for pair in pairs}
    assert found is not None
    assert len(compare(study).results) == 1
    low, high = pairs[0].detectable_range or (0.0, 0.0)
    assert 0.7 * found < low < found < high < 1.5 * found < 0.75


def test_pairs_of_few_clusters_find_ranges() -> None:
    """Each its own, and all of them between the ends of all."""
    rng = np.random.default_rng(2)
    items = [{"item": f"i{k}", "cluster": f"c{k // 10}"} for k in range(100)]
    rows = [
        {**row, "outcome": str(rng.choice(["a", "b", "tie"]))}
        for pair in (("x", "y"), ("x", "z"))
        for row in preferences(100 if pair[1] == "y" else 80, pair=pair)
    ]
    diagnosis = doctor(Study.from_tables(items=items, preferences=rows))
    ends = [pair.usual_ends or (0.0, 0.0) for support in diagnosis.criteria for pair in support.pairs]
    assert len(set(ends)) == 2
    assert all(low < high for low, high in ends)


def test_a_rating_is_paid_once_for_all_pairs_of_its_system() -> None:
    # Three systems, two annotators, 10 items. A further item for all three pairs costs 3 x 2 ratings, not 3 x 4.
    study = Study.from_tables(ratings=ratings(10, "xyz", "pq"))
    (support,) = doctor(study).criteria
    assert support.from_ratings
    assert support.labels_per_item == 2.0
    need = support.needs[0]
    assert need.further_items == 3 * (need.items - 10)
    assert need.further_labels == 3 * 2 * (need.items - 10)


def test_clusters_count_as_units() -> None:
    items = [{"item": f"i{k}", "cluster": f"d{k // 4}"} for k in range(100)]
    outcomes = preferences(100)
    diagnosis = doctor(Study.from_tables(items=items, preferences=outcomes))
    (pair,) = diagnosis.criteria[0].pairs
    assert (pair.items, pair.units) == (100, 25)
    assert diagnosis.holds.clusters == 25
    # Four items a unit: as many times more items as units are needed.
    assert diagnosis.criteria[0].needs[0].items % 4 == 0


POOR: list[tuple[str, Study, list[str], bool]] = [
    ("outputs only", Study.from_tables(outputs=outputs(5)), ["no-labels"], False),
    ("one system", Study.from_tables(outputs=outputs(5, "x")), ["one-system"], False),
    ("blank outputs", Study.from_tables(outputs=[{"item": "i", "system": "x", "text": ""}]), ["one-system"], False),
    (
        "one label",
        Study.from_tables(preferences=preferences(1)),
        ["pairs-with-few-items", "smaller-differences"],
        True,
    ),
    (
        "all ties",
        Study.from_tables(preferences=preferences(40, "tie")),
        ["smaller-differences"],
        True,
    ),
    ("preferences only", Study.from_tables(preferences=preferences(200)), ["smaller-differences"], True),
    ("ratings only", Study.from_tables(ratings=ratings(400)), ["smaller-differences"], True),
    ("ratings of one system", Study.from_tables(ratings=ratings(5, "x")), ["one-system"], False),
    (
        "ratings of different items",
        Study.from_tables(ratings=[row for row in ratings(6) if (str(row["item"]) < "i3") == (row["system"] == "x")]),
        ["no-labels"],
        False,
    ),
]


@pytest.mark.parametrize(("study", "codes", "comparable"), [case[1:] for case in POOR], ids=[case[0] for case in POOR])
def test_poor_studies(study: Study, codes: list[str], comparable: bool) -> None:
    diagnosis = doctor(study)
    assert blocks(diagnosis) == codes
    assert capability(diagnosis, "compare")[0] == comparable
    assert json.loads(json.dumps(diagnosis.to_dict(), allow_nan=False))["holds"]["items"] == diagnosis.holds.items


def test_no_labels_says_how_many_would_do() -> None:
    diagnosis = doctor(Study.from_tables(outputs=outputs(50, "xyz")))
    (blocker,) = diagnosis.blocks
    units = {d: outcomes_enough(d, 0.7, 0.05 / 6) for d in (0.2, 0.1)}
    assert blocker.details["items_per_pair"] == {"0.20": units[0.2], "0.10": units[0.1]}
    assert blocker.further_labels == 3 * units[0.2]


def test_enough_labels_block_nothing() -> None:
    rng = np.random.default_rng(1)
    rows = [{**row, "outcome": str(rng.choice(["a", "b"]))} for row in preferences(3000)]
    diagnosis = doctor(Study.from_tables(preferences=rows))
    assert diagnosis.blocks == ()
    possible, _ = capability(diagnosis, "compare")
    assert possible


def test_metrics_help_through_items_without_labels() -> None:
    scores = [{"item": f"i{k}", "system": s, "metric": "bleu", "value": k} for k in range(8) for s in "xy"]
    study = Study.from_tables(outputs=outputs(10), scores=scores, preferences=preferences(5))
    possible, _ = capability(doctor(study), "metrics-in-verdict")
    assert possible
    complete = Study.from_tables(outputs=outputs(5), scores=scores[:10], preferences=preferences(5))
    possible, _ = capability(doctor(complete), "metrics-in-verdict")
    assert not possible
    unlabelled = Study.from_tables(outputs=outputs(10), scores=scores)
    possible, _ = capability(doctor(unlabelled), "metrics-in-verdict")
    assert not possible


def test_judges_help_where_items_are_clustered_too() -> None:
    items = [{"item": f"i{k}", "cluster": f"c{k // 2}"} for k in range(10)]
    judged = [{"item": f"i{k}", "system_a": "x", "system_b": "y", "judge": "gpt", "outcome": "a"} for k in range(10)]
    study = Study.from_tables(items=items, outputs=outputs(10), judge_preferences=judged, preferences=preferences(5))
    possible, _ = capability(doctor(study), "judges-in-verdict")
    assert possible


def crowd(seed: int = 3, items: int = 200) -> list[Row]:
    """Six annotators who see the same 200 items and agree 85% of the time with what is right, most often x."""
    rng = np.random.default_rng(seed)
    right = rng.choice(["a", "b"], size=items, p=[0.7, 0.3])
    rows: list[Row] = []
    for person in range(6):
        for k in range(items):
            answer = right[k] if rng.random() < 0.85 else {"a": "b", "b": "a"}[str(right[k])]
            rows.append(
                {
                    "item": f"i{k}",
                    "system_a": "x",
                    "system_b": "y",
                    "annotator": f"good{person}",
                    "outcome": str(answer),
                    "left": str(rng.choice(["x", "y"])),
                    "seconds": float(rng.lognormal(2.5, 0.4)),
                }
            )
    return rows


def with_person(name: str, answer: str, seconds: float = 12.0) -> Study:
    """The crowd and one more, who answers at random, always `a`, or always the system on the left."""
    rng = np.random.default_rng(4)
    rows = crowd()
    for k in range(100):
        left = str(rng.choice(["x", "y"]))
        outcome = {"random": str(rng.choice(["a", "b"])), "a": "a", "left": "a" if left == "x" else "b"}[answer]
        row = {"item": f"i{k}", "system_a": "x", "system_b": "y", "annotator": name, "outcome": outcome}
        rows.append({**row, "left": left, "seconds": seconds})
    return Study.from_tables(preferences=rows)


def test_good_annotators_are_left_alone() -> None:
    assert wrong(doctor(Study.from_tables(preferences=crowd()))) == {}


def test_an_annotator_at_chance_is_found() -> None:
    texts = wrong(doctor(with_person("[red]dice", "random")))
    assert list(texts) == ["annotators-at-chance"]


@pytest.mark.parametrize(
    ("answer", "said"), [("a", "stone (answered a 100 times)"), ("left", "stone (chose left 100 times)")]
)
def test_a_constant_annotator_is_found(answer: str, said: str) -> None:
    assert said in wrong(doctor(with_person("stone", answer)))["constant-annotators"]


@pytest.mark.parametrize(
    ("name", "answer", "seconds", "code"),
    [
        ("dice", "random", 12.0, "annotators-at-chance"),
        ("stone", "left", 12.0, "constant-annotators"),
        ("flash", "random", 1.5, "annotators-in-a-hurry"),
    ],
)
def test_compare_warns_of_what_doctor_finds(name: str, answer: str, seconds: float, code: str) -> None:
    study = with_person(name, answer, seconds)
    diagnosis, warnings = doctor(study), compare(study).warnings
    assert code in wrong(diagnosis)
    assert warnings == diagnosis.looks_wrong


def test_constant_answers_that_all_give_are_no_finding() -> None:
    rows = [row for name in "pqr" for row in preferences(50, annotator=name)]
    assert "constant-annotators" not in wrong(doctor(Study.from_tables(preferences=rows)))


def test_an_annotator_in_a_hurry_is_found() -> None:
    assert "annotators-in-a-hurry" not in wrong(doctor(with_person("quick", "random", seconds=3.5)))


def test_ratings_at_chance_are_found() -> None:
    rng = np.random.default_rng(5)
    truth = {(k, s): rng.normal() for k in range(150) for s in "xy"}
    rows = [
        {
            "item": f"i{k}",
            "system": s,
            "annotator": name,
            "criterion": "style",
            "value": float(rng.normal() if name == "dice" else value + rng.normal()),
        }
        for (k, s), value in truth.items()
        for name in ("p", "q", "r", "dice")
    ]
    texts = wrong(doctor(Study.from_tables(ratings=rows)))
    assert texts["annotators-at-chance"].startswith("1 annotator seems")


def test_one_text_for_many_inputs_is_found() -> None:
    rows = outputs(100)
    for row in rows:
        if row["system"] == "x" and str(row["item"]) >= "i9":
            row["text"] = "I cannot help with that."
    texts = wrong(doctor(Study.from_tables(outputs=rows)))
    assert "x 11 of 100" in texts["repeated-outputs"]  # i9 and i90 to i99
    # The same text for items that ask the same is what one expects.
    same = [{"item": f"i{k}", "input": "ask" if k == 9 or k >= 90 else f"q{k}"} for k in range(100)]
    assert "repeated-outputs" not in wrong(doctor(Study.from_tables(outputs=rows, items=same)))
    # Another sample of each item, each with a text of its own, hides nothing.
    samples = [{**row, "sample": "1"} for row in rows] + [{**row, "sample": "2"} for row in outputs(100)]
    assert "x 11 of 200" in wrong(doctor(Study.from_tables(outputs=samples)))["repeated-outputs"]


def test_order_of_rows_and_orientation_do_not_matter() -> None:
    rows = crowd()
    before = doctor(Study.from_tables(preferences=rows)).to_dict()
    flip = {"a": "b", "b": "a", "tie": "tie"}
    turned = [
        {**row, "system_a": row["system_b"], "system_b": row["system_a"], "outcome": flip[str(row["outcome"])]}
        for row in reversed(rows)
    ]
    assert doctor(Study.from_tables(preferences=turned)).to_dict() == before


def test_it_is_exported() -> None:
    assert tiebreak.doctor is doctor
    assert tiebreak.Diagnosis is Diagnosis


def test_heavy_workers_at_chance_in_the_real_crowd(real_studies: Path) -> None:
    # The data's notes: "some heavy workers are at chance (.48-.51)".
    notice = {n.code: n for n in doctor(read_study(real_studies / "naturalness-v2")).looks_wrong}[
        "annotators-at-chance"
    ]
    named = notice.details["annotators"]
    assert isinstance(named, list)
    assert [entry["annotator"] for entry in named][:3] == ["w007", "w009", "w018"]


def test_many_systems_in_a_real_study(real_studies: Path) -> None:
    diagnosis = doctor(read_study(real_studies / "llmfao"))
    assert len(diagnosis.holds.systems) == 70
    possible, _ = capability(diagnosis, "compare")
    assert possible
    assert blocks(diagnosis) == ["pairs-without-labels", "pairs-with-few-items", "smaller-differences", "many-pairs"]
    assert sum(holding.empty for holding in diagnosis.holds.systems) == 72  # 69 of white space, 3 of invisible signs


def test_systems_without_texts_in_a_real_study(real_studies: Path) -> None:
    diagnosis = doctor(read_study(real_studies / "wmt21-en-de"))
    assert sum(holding.outputs == 0 for holding in diagnosis.holds.systems) == 6
    assert {"labels-without-output", "system-in-one-table"} <= set(wrong(diagnosis))
    smallest = [pair.detectable_difference for pair in diagnosis.criteria[0].pairs]
    assert all(value is not None and 0.1 < value < 0.2 for value in smallest)


def test_samples_are_questions_of_their_own() -> None:
    """One person judged two samples of each output: no question was put to two people."""
    ratings = [
        {**rating(f"i{k}", system, "ann", k % 5), "sample": sample}
        for k in range(10)
        for system in ("ant", "bee")
        for sample in ("1", "2")
    ]
    found = {capability.name: capability for capability in doctor(study_of(ratings=ratings)).supports}
    assert not found["agreement"].possible


def test_means_are_supported_on_every_criterion_and_the_scale_that_is_missing_is_named() -> None:
    rows = [*ratings(6, annotators="yz"), *(row | {"criterion": "tone"} for row in ratings(5))]
    told = doctor(study_of(ratings=rows, settings=StudySettings(scale={"tone": (0, 7)})))
    possible, _ = capability(told, "estimate")
    assert possible
    full = StudySettings(scale={"tone": (0, 7), "style": (0, 7)})
    assert "study.toml" not in capability(doctor(study_of(ratings=rows, settings=full)), "estimate")[1]
    assert "estimate" not in {found.name for found in doctor(study_of(preferences=preferences(5))).supports}


def test_a_judge_that_judged_nothing_that_people_labelled_supports_nothing() -> None:
    judged = [{**{key: row[key] for key in ("item", "system_a", "system_b", "outcome")}, "judge": "gpt"}
              for row in preferences(60)]  # fmt: skip
    apart = doctor(Study.from_tables(outputs=outputs(60), preferences=preferences(20), judge_preferences=judged[20:]))
    possible, _ = capability(apart, "judges-in-verdict")
    assert not possible
    beside = doctor(Study.from_tables(outputs=outputs(60), preferences=preferences(20), judge_preferences=judged))
    assert capability(beside, "judges-in-verdict")[0]


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
    diagnosis = doctor(with_reference(preferences=preferences(20)))
    assert diagnosis.criteria[0].possible_pairs == 1
    assert "pairs-without-labels" not in blocks(diagnosis)
    assert not {"system-in-one-table", "identical-outputs"} & wrong(diagnosis).keys()
    assert {found.system: found.candidate for found in diagnosis.holds.systems} == {"h": False, "x": True, "y": True}
    single = Study.from_tables(outputs=outputs(20, "xh"), settings=HUMAN)
    assert blocks(doctor(single)) == ["one-system"]


def test_without_its_settings_it_is_one() -> None:
    study = with_reference(preferences=preferences(20))
    diagnosis = doctor(Study.from_tables(outputs=study.outputs, preferences=study.preferences))
    assert diagnosis.criteria[0].possible_pairs == 3
    assert {"system-in-one-table", "identical-outputs"} <= wrong(diagnosis).keys()


def test_a_reference_that_people_compared_is_a_candidate() -> None:
    labels = [*preferences(20), *preferences(20, pair=("h", "y"))]
    diagnosis = doctor(with_reference(preferences=labels))
    assert diagnosis.criteria[0].possible_pairs == 3


def test_what_an_evaluator_can_learn_from_is_said_of_trainings() -> None:
    items = [{"item": f"i{k}", "reference": f"text {k}"} for k in range(10)]
    about = {
        name: SystemSettings(run=run, step=step) for name, run, step in (("x", "r", 1), ("y", "r", 2), ("z", "s", 1))
    }
    tables = {"items": items, "outputs": outputs(10, "xyz"), "preferences": preferences(5)}
    found = doctor(Study.from_tables(**tables, settings=StudySettings(systems=about)))
    assert capability(found, "evaluator") == (
        True,
        "references of 10 items, 2 checkpoints of 1 run, 5 human labels to learn from; it can follow 1 run and "
        "choose among 2 runs",
    )
    final = {"x": about["x"], "y": SystemSettings(run="r")}
    found = doctor(Study.from_tables(outputs=outputs(10), settings=StudySettings(systems=final)))
    assert not capability(found, "evaluator")[0]
    final["z"] = SystemSettings(run="r", step=3)
    found = doctor(Study.from_tables(outputs=outputs(10, "xyz"), settings=StudySettings(systems=final)))
    alone = {name: about[name] for name in ("x", "z")}
    found = doctor(Study.from_tables(outputs=outputs(10, "xz"), settings=StudySettings(systems=alone)))
    assert not capability(found, "evaluator")[0]
    found = doctor(Study.from_tables(**tables))
    assert "evaluator" not in [one.name for one in found.supports], "nothing else is a training"
