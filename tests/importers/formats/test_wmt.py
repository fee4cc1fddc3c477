"""WMT: the folder of a test set."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.importers.made import cells_of, read_as, rows_of, save

from tiebreak.errors import InputError

FILES = {
    "sources/en-de.txt": "One.\nTwo.\nThree.\n",
    "documents/en-de.docs": "news\tbird.1\nnews bird.1\nspeech  fish.2\n",
    "references/en-de.refA.txt": "Eins.\nZwei.\nDrei.\n",
    "system-outputs/en-de/north.txt": "Ein.\nZwo.\nDrei!\n",
    "system-outputs/en-de/south-1.5.txt": "Eins\nZweie.\nDreie.\n",
    "system-outputs/en-de/refA.txt": "Eins.\nZwei.\nDrei.\n",
    "human-scores/en-de.mqm.seg.score": "north\t-1.5\nnorth\tNone\nnorth\t0\nsouth-1.5 -2\nsouth-1.5 -3\n"
    "south-1.5 None\nrefA\t0\nrefA\t-0.1\nrefA\tNone\n",
    "human-scores/en-de.mqm.sys.score": "north\t-0.75\n",
    "metric-scores/en-de/BLEU-refA.seg.score": "north\t10\nnorth\t20\nnorth\t30\n",
}


def written(tmp_path: Path, **changed: str) -> str:
    for name, text in {**FILES, **changed}.items():
        save(tmp_path / "wmt99", name, text)
    return str(tmp_path / "wmt99")


def test_segments_are_items_and_documents_are_clusters(tmp_path: Path) -> None:
    study = read_as("wmt", written(tmp_path)).study
    assert rows_of(study.items, "item", "input", "reference", "cluster") == [
        ("en-de/1", "One.", "Eins.", "bird.1"),
        ("en-de/2", "Two.", "Zwei.", "bird.1"),
        ("en-de/3", "Three.", "Drei.", "fish.2"),
    ]
    assert rows_of(study.ratings, "item", "system", "annotator", "criterion", "value") == [
        ("en-de/1", "north", "mqm", "mqm", -1.5),
        ("en-de/3", "north", "mqm", "mqm", 0.0),
        ("en-de/1", "south-1.5", "mqm", "mqm", -2.0),
        ("en-de/2", "south-1.5", "mqm", "mqm", -3.0),
        ("en-de/1", "refA", "mqm", "mqm", 0.0),
        ("en-de/2", "refA", "mqm", "mqm", -0.1),
    ]
    assert rows_of(study.scores, "item", "system", "metric", "value") == [
        (f"en-de/{number}", "north", "BLEU-refA", 10.0 * number) for number in (1, 2, 3)
    ]


def test_a_copy_of_the_only_reference_is_no_output(tmp_path: Path) -> None:
    study = read_as("wmt", written(tmp_path)).study
    assert sorted(set(cells_of(study.outputs, "system"))) == ["north", "south-1.5"]
    both = {"references/en-de.refB.txt": "eins\nzwei\ndrei\n"}
    study = read_as("wmt", written(tmp_path, **both)).study
    assert sorted(set(cells_of(study.outputs, "system"))) == ["north", "refA", "south-1.5"]
    assert cells_of(study.items, "references")[0] == ["Eins.", "eins"]


def test_each_source_has_one_output_and_one_score(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2 lines, and 3 sources"):
        read_as("wmt", written(tmp_path, **{"system-outputs/en-de/north.txt": "Ein.\nZwo.\n"}))
    more = "north\t1\n" * 4
    with pytest.raises(InputError, match="more scores of north"):
        read_as("wmt", written(tmp_path / "b", **{"human-scores/en-de.mqm.seg.score": more}))


def test_scores_that_are_not_read_are_named(tmp_path: Path) -> None:
    assert read_as("wmt", written(tmp_path)).assumptions == (
        "Of scores only those of segments are read, not files *.sys.score.",
    )
