"""METEOR by hand, and as nltk computes it, with synonyms of a small WordNet and without."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import nltk
import numpy as np
import pytest
from nltk.corpus import wordnet as corpus
from nltk.translate.meteor_score import meteor_score
from tests.scoring.metrics.one_text import score

from tiebreak.errors import TiebreakError
from tiebreak.scoring.metric import Batch, signature_of
from tiebreak.scoring.metrics.meteor import METRICS, wordnet
from tiebreak.scoring.metrics.plain import words_of

(METEOR,) = METRICS
HEAD = "  1 This software and database\n  2 WordNet 3.0 Copyright 2006 by Princeton University.\n"
MEANINGS = {
    "noun": (["car", "automobile"], ["leaf"]),
    "verb": (["go", "travel"], ["stop"]),
    "adj": (["keen", "sharp"],),
}
EXCEPTIONS = {"verb": "went go\n", "noun": "leaves leaf\n"}
OUTPUTS = [
    "He went there by car",
    "keen people STOPPED",
    "the the leaves of the cat",
    "?!",
    "no such words",
    "cat's cats",
]
REFERENCES = [
    ["He travels in an automobile", "there he goes"],
    ["A sharp person stops"],
    ["the cat leaves the leaf"],
    ["!?"],
    ["others altogether"],
    ["cats' cat", "the cats and cat's"],
]


def write_wordnet(folder: Path) -> None:
    """Files in the format of WordNet with a few words."""
    folder.mkdir(parents=True)
    (folder / "lexnames").write_text("00\tnoun.Tops\t1\n")
    (folder / "index.sense").write_text("")
    for part in ("noun", "verb", "adj", "adv"):
        data, index = HEAD, HEAD
        for meaning in MEANINGS.get(part, ()):
            at, letter = len(data), part[0]
            data += f"{at:08d} 00 {letter} {len(meaning):02x} {' '.join(f'{word} 0' for word in meaning)} 000 | words\n"
            index += "".join(f"{word} {letter} 1 0 1 0 {at:08d}\n" for word in meaning)
        (folder / f"data.{part}").write_bytes(data.encode())  # meanings are found by their bytes
        (folder / f"index.{part}").write_text(index)
        (folder / f"{part}.exc").write_text(EXCEPTIONS.get(part, ""))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where nltk looks for its data, and nowhere else: an empty folder."""

    def forget() -> None:
        for stream in vars(corpus).get("_data_file_map", {}).values():
            stream.close()
        corpus._unload()
        wordnet.cache_clear()

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    forget()
    yield tmp_path
    forget()


class NoSynonyms:
    def synsets(self, _: str) -> list[object]:
        return []


@pytest.mark.usefixtures("data")
def test_by_hand() -> None:
    # Three words of three and of six, in one run: P = 1, R = 1/2, F = .5/(.9 + .05), less half of (1/3)^3 of it.
    assert score(METEOR, "the cat sat", "the cat sat on a mat") == pytest.approx(0.5 / 0.95 * (1 - 0.5 / 27))
    # In two runs, since of a word that stands twice nltk takes the last.
    assert score(METEOR, "the cat sat", "the cat sat on the mat") == pytest.approx(0.5 / 0.95 * (1 - 0.5 * 8 / 27))
    # Three words of three, in three runs.
    assert score(METEOR, "sat cat the", "the cat sat") == pytest.approx(0.5)
    assert score(METEOR, "nothing", "the cat sat") == 0
    assert score(METEOR, "cats", "a dog", "cat") == pytest.approx(0.5)  # by its stem; the best reference counts


def by_nltk(synonyms: object) -> list[float]:
    """Of every output, by its own stemmer."""
    rows = zip(OUTPUTS, REFERENCES, strict=True)
    return [meteor_score(words_of(each), *words_of([output]), wordnet=synonyms) for output, each in rows]


@pytest.mark.usefixtures("data")
def test_without_wordnet_scores_are_nltks_without_synonyms() -> None:
    np.testing.assert_allclose(METEOR.score(Batch(OUTPUTS, REFERENCES)), by_nltk(NoSynonyms()), rtol=0, atol=1e-9)
    told = signature_of(METEOR, {})
    assert told == f"meteor|match:exact,stem|refs:best|tok:tiebreak-words-1|version:{nltk.__version__}"


@pytest.mark.parametrize("zipped", [False, True])
def test_with_wordnet_scores_are_nltks(data: Path, zipped: bool) -> None:
    folder = data / "corpora" / "wordnet"
    write_wordnet(folder)
    if zipped:  # as nltk.downloader leaves it
        shutil.make_archive(str(folder), "zip", folder.parent, "wordnet")
        shutil.rmtree(folder)
    metric = METEOR.fitted(REFERENCES)
    found = metric.score(Batch(OUTPUTS, REFERENCES))
    np.testing.assert_allclose(found, by_nltk(corpus), rtol=0, atol=1e-9)
    gained = found - by_nltk(NoSynonyms())
    assert (gained[:2] > 0.05).all()  # car and automobile, keen and sharp
    assert "|match:exact,stem,wordnet-3.0|" in signature_of(metric, {})


def test_a_computer_without_the_synonyms_that_were_promised_does_not_score(data: Path) -> None:
    write_wordnet(data / "corpora" / "wordnet")
    metric = METEOR.fitted(REFERENCES)
    shutil.rmtree(data / "corpora")
    corpus._unload()
    wordnet.cache_clear()
    with pytest.raises(TiebreakError, match="WordNet's synonyms, whose data is not on the computer"):
        metric.score(Batch(OUTPUTS, REFERENCES))
