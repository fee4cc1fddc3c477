"""The page of price-of-debiasing: inflation by k/(k - 1), and the caps of the paper."""

from __future__ import annotations

import pytest
from benchmarks.debiasing.inflation import inflation
from benchmarks.debiasing.page import PAPER, Measured, report


@pytest.mark.parametrize(("people", "in_paper", "others"), [(2, 4.0, 4 / 3), (3, 3.0, 1.5)])
def test_the_perfect_metric_of_the_paper_is_inflated(people: int, in_paper: float, others: float) -> None:
    """gamma 1: nothing saves more than 2.00. The mean of k - 1 others explains 1/2 (k - 1)/k of what varies."""
    found = inflation(1.0, people, studies=20)
    assert found.limit == 2.0
    assert found.ceiling == pytest.approx(2.0, rel=0.03)
    assert found.as_in_paper == pytest.approx(in_paper, rel=0.03)
    assert found.as_in_paper == pytest.approx(people / (people - 1) * found.ceiling, rel=1e-6)
    assert found.leave_one_out == pytest.approx(others, rel=0.03)


def test_caps_of_the_paper() -> None:
    assert [round((1 + gamma) / gamma, 2) for *_, gamma in PAPER.values()] == [1.81, 2.64, 2.0, 3.78, 2.05, 2.1]
    assert [round(1 - 1 / value, 2) for value in (1.08, 1.15)] == [0.07, 0.13]


def test_the_page_without_real_studies_says_so() -> None:
    text = report(Measured([inflation(1.0, 3, studies=2)], None))
    assert "Left out: the real studies are not there." in text
    assert "| Edit | 0.07 | 0.18 | 0.36 | 3.78 | 1.36 |" in text
