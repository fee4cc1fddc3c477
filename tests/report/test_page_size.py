"""A page stays small however much there is to show, and says what it leaves out and where that is."""

from __future__ import annotations

import re

import pytest

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.report import view
from tiebreak.report.document import render
from tiebreak.results.records import CompareResult

MOST_BYTES_A_PAIR = 3_000  # with its drawing, under the default rule
MOST_BYTES_A_ROW = 400
MOST_BYTES_A_CELL = 80


def result_of(systems: int, people: int) -> CompareResult:
    """A few labels of every pair."""
    names = [f"system-number-{number:03d}" for number in range(systems)]
    rows = [
        {
            "item": f"i{k}",
            "system_a": a,
            "system_b": b,
            "annotator": f"p{(k + n) % people}",
            "outcome": "ab"[k % 3 == 0],
        }
        for n, a in enumerate(names)
        for b in names[n + 1 :]
        for k in range(4)
    ]
    return compare(Study.from_tables(preferences=rows))


def test_what_is_left_out_is_said_with_the_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of(12, 15)
    whole = render(result)
    assert whole.count('<details class="pair') == 66
    assert "are drawn" not in whole
    for name, most in (("_PAIRS_DRAWN", 20), ("_PAIRS_LISTED", 40), ("_CELLS_WITH_WORDS", 20), ("_PEOPLE_LISTED", 7)):
        monkeypatch.setattr(view, name, most)
    page = " ".join(render(result).split())
    assert page.count('<details class="pair') == 20
    words = (
        "The first 20 of 66 pairs are drawn, decided ones with the largest differences first, and the first 40 are in"
    )
    assert words in page
    assert "<code>tiebreak compare study --out pairs.csv</code> writes" in page
    assert "All 14 are in what <code>tiebreak compare study --json</code> prints" in page
    assert "the 7 who labelled most" in page
    targets = set(re.findall(r'href="#([^"]+)"', page))
    assert targets <= set(re.findall(r'id="([^"]+)"', page)), "every link leads somewhere"


def test_the_bounds_make_less_than_ten_megabytes() -> None:
    """Bytes of a page grow by this much with a pair and a person: the bounds of what is shown bound the page."""
    small, large = result_of(12, 12), result_of(24, 12)
    size, pairs = len(render(small).encode()), len(large.results[0].pairs)
    each = (len(render(large).encode()) - size) / (pairs - 66)
    assert each < MOST_BYTES_A_PAIR + MOST_BYTES_A_ROW + 2 * 2 * MOST_BYTES_A_CELL + 200
    drawn, listed = view._PAIRS_DRAWN * MOST_BYTES_A_PAIR, view._PAIRS_LISTED * MOST_BYTES_A_ROW
    assert drawn + listed + 200**2 * MOST_BYTES_A_CELL < 10_000_000
