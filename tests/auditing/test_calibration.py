"""A judge's probabilities: scores and reliability by hand, what a judge that is too sure is told."""

from __future__ import annotations

import json
import math
from dataclasses import astuple

import numpy as np
import pytest
from tests.auditing.judged_studies import only_source
from tests.small_studies import Row, pair_votes, study_of

from tiebreak.auditing.audit import audit
from tiebreak.results.audits import Calibration


def stated(chances: list[tuple[float | None, ...]], left: str | None = None) -> list[Row]:
    """One reply on each of i0, i1, ...: its most probable outcome, with the probabilities of ant, a tie and bee."""
    rows: list[Row] = []
    for k, (win, tie, loss) in enumerate(chances):
        known = [p or 0.0 for p in (win, tie, loss)]
        rows.append(
            {"item": f"i{k}", "system_a": "ant", "system_b": "bee", "judge": "gpt", "left": left,
             "outcome": ("a", "tie", "b")[known.index(max(known))], "p_a": win, "p_tie": tie, "p_b": loss}
        )  # fmt: skip
    return rows


def calibrated(people: str, chances: list[tuple[float | None, ...]], **options: object) -> Calibration:
    found = only_source(study_of(pair_votes(people), judge_preferences=stated(chances)), **options)
    json.dumps(found.to_dict(), allow_nan=False)
    return found.probabilities


def test_by_hand() -> None:
    of = calibrated("wltw", [(0.7, 0.2, 0.1), (0.2, 0.2, 0.6), (0.8, 0.1, 0.1), (0.5, 0.5, 0.0)])
    # (.3^2 + .2^2 + .1^2), (.2^2 + .2^2 + .4^2), (.8^2 + .9^2 + .1^2), (.5^2 + .5^2)
    assert of.brier.value == pytest.approx((0.14 + 0.24 + 1.46 + 0.5) / 4)
    assert of.log_loss.value == pytest.approx(-math.log(0.7 * 0.6 * 0.1 * 0.5) / 4)
    assert of.brier_of_shares == pytest.approx(1 - (0.25 + 2 / 16))
    assert of.log_loss_of_shares == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(4))
    assert of.stated == pytest.approx((0.7 + 0.6 + 0.8 + 0.5) / 4)
    assert of.agrees.value == pytest.approx((1 + 1 + 0 + 0.5) / 4)  # the last: two outcomes share the answer
    assert of.excess.value == pytest.approx(0.65 - 0.625)
    assert [(row.low, row.high, row.stated, row.agrees.value) for row in of.reliability] == [
        (0.5, 0.6, 0.5, 0.5), (0.6, 0.7, 0.6, 1.0), (0.7, 0.8, 0.7, 1.0), (0.8, 0.9, 0.8, 0.0)
    ]  # fmt: skip


def test_both_orders_are_averaged_and_turned() -> None:
    """ant has .9 on the left and, the row the other way round, .3 on the right: .6."""
    turned = [{"item": "i0", "system_a": "bee", "system_b": "ant", "judge": "gpt", "left": "bee", "outcome": "a",
               "p_a": 0.5, "p_tie": 0.2, "p_b": 0.3}]  # fmt: skip
    study = study_of(pair_votes("w"), judge_preferences=stated([(0.9, 0.1, 0.0)], left="ant") + turned)
    of = only_source(study).probabilities
    assert (of.replies, of.comparisons) == (2, 1)
    assert of.log_loss.value == pytest.approx(-math.log(0.6))
    (pair,) = only_source(study).pairs
    assert pair.expected.by_source.value == pytest.approx((1 + 0.6 - 0.25) / 2)
    assert pair.outcomes.by_source.value == 0.5  # a change with the order is a tie


def test_what_is_not_one_in_all_is_scaled() -> None:
    of = calibrated("wwww", [(0.4, 0.0, 0.1), (0.6, None, 0.3), (0.601, 0.2, 0.2), (None, None, None)])
    assert (of.replies, of.scaled, of.comparisons) == (3, 1, 3)
    expected = [0.8, 0.6, 0.601 / 1.001]
    assert of.log_loss.value == pytest.approx(-np.log(expected).mean())


def test_what_was_called_impossible_has_no_log_loss() -> None:
    of = calibrated("wlw", [(1.0, 0.0, 0.0)] * 3)
    assert (of.log_loss.value, of.impossible, of.log_loss.comparisons) == (None, 1, 3)
    assert of.brier.value == pytest.approx(2 / 3)


def test_probabilities_without_labels_are_not_held_against_anything() -> None:
    study = study_of(pair_votes("   ww"), judge_preferences=stated([(0.7, 0.2, 0.1)] * 2))
    (found,) = audit(study).results
    assert found.probabilities.comparisons == 0
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_judge_without_probabilities_has_none() -> None:
    rows = [{key: value for key, value in row.items() if not key.startswith("p_")} for row in stated([(1, 0, 0)])]
    found = only_source(study_of(pair_votes("w"), judge_preferences=rows))
    assert found.probabilities is None
    assert found.pairs[0].expected is None


def test_swapping_the_systems_changes_nothing() -> None:
    people, chances = "wltwwlt" * 5, [(0.7, 0.2, 0.1), (0.2, 0.3, 0.5), (0.4, 0.35, 0.25), (0.9, 0.1, 0.0)] * 8
    turned = [tuple(reversed(row)) for row in chances]
    other = "".join({"w": "l", "l": "w"}.get(code, code) for code in people)
    one, two = calibrated(people, chances[:35]), calibrated(other, turned[:35])
    for name in ("brier", "log_loss", "agrees", "excess"):
        first, second = (astuple(getattr(of, name)) for of in (one, two))
        assert second == pytest.approx(first), name
    assert [row.stated for row in two.reliability] == pytest.approx([row.stated for row in one.reliability])
    assert [row.agrees for row in two.reliability] == [row.agrees for row in one.reliability]


def test_a_judge_that_is_too_sure_is_told() -> None:
    """It says .95 and is right in 7 of 10; the bins name it."""
    of = calibrated("wwwwwwwlll" * 8, [(0.96, 0.02, 0.02)] * 80)
    assert of.excess.low > 0.1
    (row,) = of.reliability
    assert row.agrees.high < 0.9
