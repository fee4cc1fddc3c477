"""Errors of two judges: by hand, and in words where there is nothing to correlate."""

from __future__ import annotations

import numpy as np
import pytest
from tests.auditing.judged_studies import judged
from tests.small_studies import pair_votes, study_of, vote

from tiebreak.auditing.audit import audit


def test_by_hand() -> None:
    people, one, other = "wwwwllll", "wwllllww", "wlllllwl"
    study = study_of(pair_votes(people), judge_preferences=judged(one, "x") + judged(other, "y"))
    (two,) = audit(study).together
    assert two.names == ("x", "y")
    # x is wrong on i2, i3, i6, i7; y on i1, i2, i3, i6.
    assert two.both_wrong == pytest.approx(3 / 8)
    assert two.by_chance == pytest.approx(1 / 4)
    # Errors in wins of ant: x 0 0 -1 -1 0 0 1 1; y 0 -1 -1 -1 0 0 1 0. Sums 0 and -2, squares 4 and 4, product 3.
    assert two.correlation.value == pytest.approx(3 / (4 * (4 - 4 / 8)) ** 0.5)
    assert two.correlation.comparisons == 8


def test_only_what_all_three_made_counts() -> None:
    study = study_of(pair_votes("wwll"), judge_preferences=judged("ww", "x") + judged("  ll", "y"))
    assert audit(study).together == ()
    votes = [vote("i0", "ant", "bee", "p", "a"), vote("i0", "bee", "cat", "p", "a"), vote("i1", "ant", "cat", "p", "b")]
    rows = (
        judged("ww", "x", pair=("ant", "cat"))
        + judged("w", "x")
        + judged("w", "y")
        + judged("l", "y", pair=("bee", "cat"))
    )
    (two,) = audit(study_of(votes, judge_preferences=rows)).together
    assert two.correlation.comparisons == 1
    assert two.correlation.value is None


def test_pairs_of_one_item_are_told_apart() -> None:
    pairs = (("ant", "bee"), ("ant", "cat"), ("bee", "cat"))
    codes = {"p": ("wwlltwlt", "lwltwwtl", "tllwwltw"), "x": ("wlltwwlt", "lwwtlwtl", "tlwwwltl"),
             "y": ("llltwwtt", "wwwtllwl", "wlwtwltl")}  # fmt: skip
    votes = [row for code, pair in zip(codes["p"], pairs, strict=True) for row in pair_votes(code, *pair)]
    rows = [
        row
        for name in "xy"
        for code, pair in zip(codes[name], pairs, strict=True)
        for row in judged(code, name, pair=pair)
    ]
    (two,) = audit(study_of(votes, judge_preferences=rows[::-1])).together
    values = {name: np.array(["ltw".index(code) for code in "".join(codes[name])]) for name in codes}
    errors = values["x"] - values["p"], values["y"] - values["p"]
    assert two.correlation.comparisons == 24
    assert two.correlation.value == pytest.approx(np.corrcoef(*errors)[0, 1])


def test_judges_without_errors_correlate_with_nothing() -> None:
    study = study_of(pair_votes("wwllwwll"), judge_preferences=judged("wwllwwll", "x") + judged("wlwlwlwl", "y"))
    (two,) = audit(study).together
    assert two.correlation.value is None
    assert two.both_wrong == 0
