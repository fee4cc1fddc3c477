"""CIDEr and CIDEr-D by hand, and against scores of the program of the COCO captions (pycocoevalcap 1.2)."""

from __future__ import annotations

import math

import pytest
from tests.scoring.metrics.one_text import score

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.cider import METRICS

PLAIN, CLIPPED = METRICS

REFERENCES = [
    ["a cat sits on the mat", "the cat is sitting on a mat"],
    ["two dogs run in the park", "dogs are running across the green park"],
    ["a man rides a red bicycle", "a man on a bicycle rides down the road"],
    ["the train leaves the station", "a train is leaving the old station"],
]
OUTPUTS = ["a cat sits on a mat", "dogs run in a park in a park", "a man rides a bicycle", "the old train"]


def test_by_hand() -> None:
    # Two items: "a" stands in both and weighs log(2/2) = 0; "b" weighs log 2. Of words the cosine of "b" and "a b" is
    # 1, of longer runs 0: 10 * 1/4. CIDEr-D: 0 pairs of words against 1.
    corpus = [["a b"], ["a c"]]
    assert score(PLAIN.fitted(corpus), "b", "a b") == pytest.approx(2.5)
    assert score(CLIPPED.fitted(corpus), "b", "a b") == pytest.approx(2.5 * math.exp(-1 / 72))
    # "b b" weighs 2 log 2: the cosine stays 1; clipped to what the reference has it is 1/2.
    assert score(PLAIN.fitted(corpus), "b b", "a b") == pytest.approx(2.5)
    assert score(CLIPPED.fitted(corpus), "b b", "a b") == pytest.approx(1.25)


def test_cider_d_is_that_of_its_authors() -> None:
    golden = [4.495009783103821, 1.5067094956613767, 4.254206246342983, 1.454848320015093]
    assert CLIPPED.fitted(REFERENCES).score(Batch(OUTPUTS, REFERENCES)).tolist() == pytest.approx(golden, rel=1e-12)


def test_repetition_raises_cider_more_than_cider_d() -> None:
    plain, clipped = (metric.fitted(REFERENCES) for metric in METRICS)
    stuffed = "mat mat mat cat cat cat sits sits sits"
    assert score(plain, stuffed, *REFERENCES[0]) > 2 * score(clipped, stuffed, *REFERENCES[0])


def test_case_and_marks_do_not_count() -> None:
    metric = CLIPPED.fitted(REFERENCES)
    assert score(metric, "A cat, sits on: a mat!", *REFERENCES[0]) == score(metric, OUTPUTS[0], *REFERENCES[0])
    assert math.isnan(score(metric, "?!", *REFERENCES[0]))
    assert math.isnan(score(metric, "a cat", "..."))


def test_one_item_cannot_say_what_is_rare() -> None:
    for corpus in ([["a b"]], [["a b"], []]):
        with pytest.raises(UsageError, match=r"1 item with references cannot say that.*such as rougeL"):
            PLAIN.fitted(corpus)


def test_other_references_make_another_signature() -> None:
    first, other = (signature_of(PLAIN.fitted(corpus), {}) for corpus in (REFERENCES, REFERENCES[:3]))
    assert first != other
    assert "items:4|" in first
    assert signature_of(PLAIN.fitted(iter(REFERENCES)), {}) == first
