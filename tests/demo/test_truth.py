from __future__ import annotations

from dataclasses import replace

import pytest
from tests.small_studies import pair_votes, study_of

from tiebreak.comparison.compare import compare
from tiebreak.demo.study import demo_study
from tiebreak.demo.truth import EQUAL, DemoTruth, PairTruth, TruthCheck, check_against_truth
from tiebreak.results.records import CompareResult


def truth(difference: float, better: str, items: float | None = None) -> DemoTruth:
    pair = PairTruth("ant", "bee", difference, difference if items is None else items, better)
    return DemoTruth(seed=1, items=1, labels_per_item=1, pairs=(pair,), mistake_rates={})


def check(result: CompareResult, known: DemoTruth) -> TruthCheck:
    (found,) = check_against_truth(result, known)
    return found


WON = compare(study_of(pair_votes("w" * 30 + "l" * 5)))
OPEN = compare(study_of(pair_votes("wl" * 10)))
EVEN = compare(study_of(pair_votes("t" * 120)), margin=0.2)


@pytest.mark.parametrize(
    ("result", "known", "right", "covered"),
    [
        (WON, truth(0.7, "ant"), True, True),
        (WON, truth(-0.3, "bee"), False, False),
        (WON, truth(0.0, EQUAL), False, False),
        (WON, truth(0.02, "ant"), True, False),
        (OPEN, truth(0.0, EQUAL), None, True),
        (OPEN, truth(0.1, "ant"), None, True),
        (OPEN, truth(0.99, "ant"), None, False),
        (EVEN, truth(0.01, "ant"), True, True),
        (EVEN, truth(0.3, "ant"), False, False),
    ],
)
def test_every_case(result: CompareResult, known: DemoTruth, right: bool | None, covered: bool) -> None:
    found = check(result, known)
    assert (found.right, found.covered) == (right, covered)
    pair = result.results[0].pairs[0]
    assert (found.low, found.high) == (pair.difference.low, pair.difference.high)


def test_the_equivalence_case_is_one() -> None:
    assert EVEN.results[0].pairs[0].verdict == "equivalent"


def test_the_truth_is_that_of_the_target() -> None:
    known = truth(0.5, "ant", items=0.6)
    assert check(WON, known).truth == 0.5
    these = compare(study_of(pair_votes("w" * 30 + "l" * 5)), target="items")
    assert check(these, known).truth == 0.6


def test_pairs_come_in_the_order_and_orientation_of_the_result() -> None:
    demo = demo_study(items=40)
    checks = check_against_truth(compare(demo.study, baseline="aspen"), demo.truth)
    assert [(one.system_a, one.system_b) for one in checks] == [
        ("birch", "aspen"),
        ("cedar", "aspen"),
        ("maple", "aspen"),
    ]
    assert checks[0].truth == demo.truth.pair("birch", "aspen").difference_inputs < 0 < checks[1].truth


def test_a_wrong_verdict_is_seen() -> None:
    # Turn the verdicts of the demo round: every decided pair must come out as wrong.
    demo = demo_study()
    result = compare(demo.study)
    turned = tuple(
        replace(pair, verdict={"a": "b", "b": "a"}.get(pair.verdict, pair.verdict)) for pair in result.results[0].pairs
    )
    lie = replace(result, results=(replace(result.results[0], pairs=turned),))
    rights = [one.right for one in check_against_truth(lie, demo.truth)]
    assert rights.count(False) == sum(pair.verdict != "undecided" for pair in turned) >= 4
    assert True not in rights
    assert checks_survive_json(check_against_truth(lie, demo.truth))


def checks_survive_json(checks: list[TruthCheck]) -> bool:
    return all(TruthCheck(**one.to_dict()) == one for one in checks)  # type: ignore[arg-type]
