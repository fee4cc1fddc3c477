"""chrF and TER are sacrebleu's, and known by hand where little is to count."""

from __future__ import annotations

import pytest
from sacrebleu.metrics import CHRF, TER
from tests.scoring.metrics.one_text import named, score

from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics import chrf, ter

CHARACTERS, WORDS_TOO = (named(chrf.METRICS, name) for name in ("chrf", "chrf++"))
(EDITS,) = ter.METRICS
OUTPUTS = ["It is raining cats.", "Nothing in common", "So it rains, said Tom.", "It is raining cats."]
REFERENCES = [
    ["It is raining.", "It rains."],
    ["Something else"],
    ["It is raining.", "It rains."],
    ["Cats are falling"],
]


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
