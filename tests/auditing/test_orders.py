"""Both orders: counted by hand."""

from __future__ import annotations

import pytest
from tests.auditing.judged_studies import judged, only_source
from tests.small_studies import pair_votes, study_of


def test_flips_by_hand() -> None:
    #                  i0 to i9; i8 and i9 answered in one order only
    both = judged("wwwtllww-w", left="ant") + judged("wwltltlw", left="bee")
    study = study_of(pair_votes("wwllw"), judge_preferences=both)
    found = only_source(study).orders
    assert found is not None
    # i2 w to l, i5 l to t, i6 w to l change; both w and l, in that order or the other, are i2 and i6.
    assert found.flips.value == pytest.approx(3 / 8)
    assert found.flips.comparisons == 8
    assert found.reversals == 2
    # i0 to i4 have labels w w l l w. One order: w w w t l is right twice, w w l t l thrice: 5 of 10.
    assert found.one_order.value == pytest.approx(5 / 10)
    # Together: w w tie t l is right on i0 and i1.
    assert found.together.value == pytest.approx(2 / 5)
    assert found.gain.value == pytest.approx(2 / 5 - 5 / 10)


def test_the_order_of_names_in_a_row_is_no_order_shown() -> None:
    both = judged("ww", left="ant") + judged("ll", left="bee", pair=("bee", "ant"))
    found = only_source(study_of(pair_votes("ww"), judge_preferences=both)).orders
    assert found is not None
    assert found.flips.value == 0


def test_without_both_orders_there_are_none() -> None:
    assert only_source(study_of(pair_votes("ww"), judge_preferences=judged("ww", left="ant"))).orders is None
    assert only_source(study_of(pair_votes("ww"), judge_preferences=judged("ww"))).orders is None


def test_no_labels_are_needed() -> None:
    both = judged("wl" * 10, left="ant") + judged("ll" * 10, left="bee")
    found = only_source(study_of(pair_votes("w", "cat", "dog"), judge_preferences=both))
    assert not found.validated
    assert found.orders is not None
    assert found.orders.flips.value == pytest.approx(0.5)
    assert found.orders.gain.value is None
    (side,) = found.dependence
    # Left: ant wins 10 of 20, bee (l) 20 of 20.
    assert side.by_source == pytest.approx(30 / 40)
