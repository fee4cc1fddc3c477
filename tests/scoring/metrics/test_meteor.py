"""METEOR by hand, against nltk where words can be aligned in one way only, and its alignment against all that exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from nltk.translate.meteor_score import single_meteor_score
from tests.scoring.metrics.one_text import named, score

from tiebreak.errors import UsageError
from tiebreak.scoring.metric import signature_of
from tiebreak.scoring.metrics.alignment import Alignment
from tiebreak.scoring.metrics.meteor import METRICS
from tiebreak.scoring.metrics.wordnet import WordNet, wordnet, wordnet_folder

PLAIN, SYNONYMS = METRICS

INDEX = {
    "noun": "car n 2 1 @ 2 1 02958343 02959942\nautomobile n 1 1 @ 1 1 02958343\nleaf n 1 1 @ 1 1 13152742",
    "verb": "go v 1 1 @ 1 1 01835496\ntravel v 1 1 @ 1 1 01835496\nstop v 1 1 @ 1 0 01859221",
    "adj": "keen a 1 1 & 1 0 00801125\nsharp a 2 1 & 2 0 00801125 01370318",
    "adv": "quickly r 1 0 1 0 00085811",
}


@pytest.fixture
def small_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Files in the format of WordNet with a few words."""
    for part, lines in INDEX.items():
        head = "  1 This software and database\n  2 WordNet 3.0 Copyright 2006 by Princeton University.\n"
        (tmp_path / f"index.{part}").write_text(f"{head}{lines}  \n", encoding="utf-8")
    (tmp_path / "verb.exc").write_text("went go\n", encoding="utf-8")
    (tmp_path / "noun.exc").write_text("leaves leaf\n", encoding="utf-8")
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    wordnet.cache_clear()
    yield tmp_path
    wordnet.cache_clear()


def test_by_hand() -> None:
    # Three words of three and of six, in one run: P = 1, R = 1/2, F = .5/(.9 + .05), less half of (1/3)^3 of it.
    assert score(PLAIN, "the cat sat", "the cat sat on the mat") == pytest.approx(0.5 / 0.95 * (1 - 0.5 / 27))
    # The same words in three runs.
    assert score(PLAIN, "sat the cat", "cat sat the") == pytest.approx(1 - 0.5 * (2 / 3) ** 3)
    assert score(PLAIN, "sat cat the", "the cat sat") == pytest.approx(0.5)
    assert score(PLAIN, "nothing", "the cat sat") == 0
    assert score(PLAIN, "cats", "a dog", "cat") == pytest.approx(0.5)  # by its stem; the best reference counts


def test_exact_words_go_before_stems() -> None:
    aligned = Alignment()
    aligned.extend(["cats", "cat"], ["cat", "dog"])
    assert aligned.pairs == {1: 0}


def test_scores_are_nltks_where_no_word_is_repeated() -> None:
    class NoSynonyms:
        def synsets(self, _: str) -> list[object]:
            return []

    rng = np.random.default_rng(1)
    vocabulary = [
        "tree",
        "trees",
        "dog",
        "running",
        "runs",
        "house",
        "blue",
        "sky",
        "seven",
        "jumping",
        "quick",
        "lamp",
    ]
    for _ in range(200):
        output, reference = (list(rng.choice(vocabulary, rng.integers(1, 9), replace=False)) for _ in range(2))
        stems = {"trees": "tree", "runs": "run", "running": "run"}
        if any(len({stems.get(word, word) for word in text}) < len(text) for text in (output, reference)):
            continue
        expected = single_meteor_score(reference, output, wordnet=NoSynonyms())
        assert score(PLAIN, " ".join(output), " ".join(reference)) == pytest.approx(expected)


def fewest_chunks(first: list[str], second: list[str]) -> int:
    """Of all alignments of as many equal words as possible."""

    def all_from(i: int, taken: frozenset[int]) -> Iterator[list[tuple[int, int]]]:
        if i == len(first):
            yield []
            return
        for rest in all_from(i + 1, taken):
            yield rest
        for j, word in enumerate(second):
            if word == first[i] and j not in taken:
                for rest in all_from(i + 1, taken | {j}):
                    yield [(i, j), *rest]

    found = list(all_from(0, frozenset()))
    most = max(map(len, found))
    return min(
        sum((i - 1, j - 1) not in pairs for i, j in pairs)
        for pairs in map(dict.items, map(dict, found))
        if len(pairs) == most
    )


def test_alignments_are_as_large_as_can_be_and_nearly_always_in_as_few_runs() -> None:
    rng = np.random.default_rng(2)
    more = 0
    for _ in range(150):
        first, second = (list(rng.choice(["a", "b", "c"], rng.integers(1, 7))) for _ in range(2))
        aligned = Alignment()
        aligned.extend(first, second)
        assert len(aligned.pairs) == sum(min(first.count(word), second.count(word)) for word in "abc")
        assert len(set(aligned.pairs.values())) == len(aligned.pairs)
        more += aligned.chunks - fewest_chunks(first, second)
    assert 0 <= more <= 15


@pytest.mark.usefixtures("small_wordnet")
def test_synonyms_of_any_form() -> None:
    assert score(SYNONYMS, "he went", "he travels") == pytest.approx(1 - 0.5 / 8)
    assert score(PLAIN, "he went", "he travels") < 0.4
    assert score(SYNONYMS, "automobiles stopped", "cars stopping") > score(SYNONYMS, "leaves stopped", "cars stopping")
    assert "match:exact,stem,wordnet-3.0|" in signature_of(SYNONYMS, {})


def test_meanings_of_forms(small_wordnet: Path) -> None:
    known = WordNet(small_wordnet)
    assert known.meanings("leaves") == {("noun", 13152742)}
    assert known.meanings("cars") == {("noun", 2958343), ("noun", 2959942)}
    assert known.meanings("gladder") == set()  # only its exceptions would say so
    assert known.meanings("keenest") == known.meanings("keen") < known.meanings("sharp")
    assert known.meanings("unheard") == set()


def test_where_wordnet_is_missing_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    with pytest.raises(UsageError, match=r"WNSEARCHDIR names.*apt install wordnet-base.*meteor does without"):
        wordnet_folder()
    with pytest.raises(UsageError, match="wordnet-base"):
        named(METRICS, "meteor-wordnet").check()
