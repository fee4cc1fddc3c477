"""How much of a text stayed: words, edit distance, translation edit rate."""

from __future__ import annotations

import random
import sys

import numpy as np
import polars as pl
import pytest
from sacrebleu.metrics.ter import TER

from tiebreak.errors import ExtraMissingError
from tiebreak.evidence.derived.criteria import as_read, kept_characters, kept_words, minus_hter, words


def texts(*found: str) -> pl.Series:
    return pl.Series(found, dtype=pl.String)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is raining.", ["It", "is", "raining", "."]),
        ("Don't pay 3.50 (well-known)!", ["Don't", "pay", "3.50", "(", "well-known", ")", "!"]),
        ("the end.The next", ["the", "end", ".", "The", "next"]),
        ("今日は雨、OK", ["今", "日", "は", "雨", "、", "OK"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("“Yes” – no…", ["“", "Yes", "”", "–", "no", "…"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(texts(text)) == [found]


def test_texts_are_compared_as_a_reader_sees_them() -> None:
    """Composed and combining accents, no-break spaces, line ends of another system and blanks at the ends."""
    before, after = texts("caf\u00e9 au lait\nchaud"), texts("  cafe\u0301\u00a0au lait\r\nchaud ")
    assert as_read(after).to_list() == ["caf\u00e9 au lait chaud"]
    for kept in (kept_words, kept_characters):
        assert kept(before, after).tolist() == [1.0]
    assert minus_hter(before, after).tolist() == [0.0]


def test_kept_by_hand() -> None:
    """`It rain.` (3 words) to `It is raining.` (4): one word inserted, one replaced, 1 - 2/4; in characters 8 to 14
    by six insertions, 1 - 6/14.
    """
    before, after = texts("It rain."), texts("It is raining.")
    assert kept_words(before, after).tolist() == [0.5]
    assert kept_characters(before, after).tolist() == [pytest.approx(8 / 14)]


@pytest.mark.parametrize(
    ("before", "after", "kept", "rate"),
    [("", "", 1.0, 0.0), ("A word.", "", 0.0, -1.0), ("", "A word.", 0.0, -1.0), ("Same.", "Same.", 1.0, 0.0)],
)
def test_texts_without_words(before: str, after: str, kept: float, rate: float) -> None:
    assert kept_words(texts(before), texts(after)).tolist() == [kept]
    assert kept_characters(texts(before), texts(after)).tolist() == [kept]
    found = minus_hter(texts(before), texts(after))
    assert found.tolist() == [rate]
    assert not np.signbit(found).any() or rate < 0  # no minus nothing


def _plain_distance(one: list[str] | str, other: list[str] | str) -> int:
    """The textbook recursion."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        above, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (left != right))
    return row[-1]


def test_kept_is_that_of_the_plain_recursion() -> None:
    chance = random.Random(3)
    known = ["a", "bb", "cat", "dog,", "the.", "é", "雨"]
    made = [" ".join(chance.choices(known, k=chance.randrange(12))) for _ in range(80)]
    before, after = texts(*made[:40]), texts(*made[40:])
    for kept, parts in ((kept_words, words), (kept_characters, lambda series: as_read(series).to_list())):
        expected = [
            1 - _plain_distance(one, other) / max(len(one), len(other), 1)
            for one, other in zip(parts(before), parts(after), strict=True)
        ]
        np.testing.assert_allclose(kept(before, after), expected, atol=1e-12)
        np.testing.assert_array_equal(kept(before, after), kept(after, before))


def test_hter_is_sacrebleus() -> None:
    """Its own reference case: a shift counts once; its score is in percent."""
    before = texts("the cat sat on the mat", "on the mat the cat sat", "THE CAT sat here")
    after = texts("the cat sat on a mat", "the cat sat on the mat", "the cat sat")
    expected = [-TER().sentence_score(one, [other]).score / 100 for one, other in zip(before, after, strict=True)]
    np.testing.assert_allclose(minus_hter(before, after), expected)
    np.testing.assert_allclose(expected, [-1 / 6, -1 / 6, -1 / 3])


def test_hter_without_sacrebleu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.ter", None)
    with pytest.raises(ExtraMissingError, match=r"HTER takes the package sacrebleu.*pip install 'tiebreak\[metrics\]'"):
        minus_hter(texts("a"), texts("b"))
