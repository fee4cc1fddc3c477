"""Scores are sacrebleu's, and known by hand where little is to count; so are the means over 2-, 3- and 4-grams."""

from __future__ import annotations

import math

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from tests.scoring.metrics.one_text import score

from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.sacrebleu import METRICS

BLEU_4, CUMULATIVE, PRECISIONS, CHARACTERS, WORDS_TOO, EDITS = METRICS
OUTPUT, REFERENCE = "the cat sat on mat", "the cat sat on the mat"
# 5 words against 6: brevity exp(1 - 6/5). Shared: all 5 words; the cat, cat sat, sat on of 4 pairs; 2 of 3; 1 of 2.
BREVITY = math.exp(1 - 6 / 5)
SHARES = (1, 3 / 4, 2 / 3, 1 / 2)

OUTPUTS = ["It is raining cats.", "Nothing in common", "So it rains, said Tom.", "It is raining cats."]
REFERENCES = [
    ["It is raining.", "It rains."],
    ["Something else"],
    ["It is raining.", "It rains."],
    ["Cats are falling"],
]


def cumulative(order: int) -> float:
    return 100 * BREVITY * math.prod(SHARES[:order]) ** (1 / order)


def test_bleu_by_hand() -> None:
    assert score(BLEU_4, OUTPUT, REFERENCE) == pytest.approx(cumulative(4))
    assert score(CUMULATIVE, OUTPUT, REFERENCE) == pytest.approx((cumulative(2) + cumulative(3) + cumulative(4)) / 3)
    assert score(PRECISIONS, OUTPUT, REFERENCE) == pytest.approx(100 * BREVITY * (3 / 4 + 2 / 3 + 1 / 2) / 3)


@pytest.mark.parametrize("output", ["It is raining cats.", "It rains , said Tom .", "Nothing in common", "It", "It is"])
def test_each_order_is_what_sacrebleu_gives_alone(output: str) -> None:
    references = ["It is raining.", "It rains, said he."]
    alone = [
        BLEU(max_ngram_order=order, effective_order=True).sentence_score(output, references).score
        for order in (2, 3, 4)
    ]
    assert score(BLEU_4, output, *references) == pytest.approx(alone[2])
    mean = score(CUMULATIVE, output, *references)
    assert math.isnan(mean) if output == "It" else mean == pytest.approx(sum(alone) / 3)


def test_a_text_of_one_word_has_no_pairs() -> None:
    assert score(BLEU_4, "rain", "rain") == pytest.approx(100)
    assert math.isnan(score(CUMULATIVE, "rain", "rain"))
    assert math.isnan(score(PRECISIONS, "rain", "rain"))


def test_the_precisions_of_orders_that_a_text_has() -> None:
    assert score(PRECISIONS, "it rains", "it rains") == pytest.approx(100)
    assert score(PRECISIONS, "no such words here", "it rains") == 0


def test_the_readings_of_bleu_have_signatures_of_their_own() -> None:
    told = [signature_of(metric, {}) for metric in METRICS[:3]]
    assert told[0].startswith("bleu|case:mixed|eff:yes|tok:13a|smooth:exp|version:")
    assert "mean:BLEU-2,3,4|" in told[1]
    assert "mean:p2,p3,p4*BP|" in told[2]
    assert "smooth:none" in told[2]
    assert not any("nrefs" in one for one in told)  # items may have different numbers


def test_chrf_by_hand() -> None:
    # "abc" and "abd" share 2 of 3 characters, 1 of 2 pairs and 0 of 1 triple: the mean, on both sides, is 7/18.
    assert score(CHARACTERS, "abc", "abd") == pytest.approx(100 * 7 / 18)
    assert score(CHARACTERS, "abc", "xyz", "abc") == 100


def test_ter_by_hand() -> None:
    assert score(EDITS, "one two three four", "one two three five") == pytest.approx(25)
    assert score(EDITS, "two three one", "one two three") == pytest.approx(100 / 3)  # one shift
    assert EDITS.higher_is_better is False


def test_every_text_has_what_the_package_gives_it() -> None:
    for metric, of in ((CHARACTERS, CHRF()), (WORDS_TOO, CHRF(word_order=2)), (EDITS, TER())):
        found = metric.score(Batch(OUTPUTS, REFERENCES))
        alone = [of.sentence_score(out, refs).score for out, refs in zip(OUTPUTS, REFERENCES, strict=True)]
        assert found.tolist() == pytest.approx(alone)


def test_signatures_are_the_packages_own() -> None:
    assert signature_of(CHARACTERS, {}).startswith("chrf|case:mixed|eff:yes|nc:6|nw:0|space:no|version:")
    assert "|nw:2|" in signature_of(WORDS_TOO, {})
    assert signature_of(EDITS, {}).startswith("ter|case:lc|tok:tercom|")
