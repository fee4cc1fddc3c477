"""Texts of the testbed: Debian's descriptions, and the published layouts of two other tasks, in tiny made-up files."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.papers.testbed.debian import read_descriptions
from benchmarks.papers.testbed.pairs import TextPair, split
from benchmarks.papers.testbed.published import cut_story, read_daily_dialog, read_writing_prompts
from benchmarks.papers.testbed.tasks import pairs_of
from benchmarks.papers.testbed.vocabulary import Vocabulary

DESCRIPTIONS = """Package: sunny
Description-md5: 00
Description-en: Weather for the terminal
 Shows the sky of today
 and of tomorrow.
 .
 This package has the program.

Package: sunny-doc
Description-md5: 01
Description-en: Weather for the terminal (manual)
 Shows the sky of today and of  tomorrow.
 .
 This package has the manual.

Package: rainy
Description-md5: 02
Description-en: Counts drops
 Counts drops of rain.

Package: cloudy
Description-md5: 03
Description-en: counts  DROPS
 Another text for the same line.

Package: empty
Description-md5: 04
Description-en: Nothing more
"""


def test_descriptions_are_first_paragraphs_and_their_synopses_without_repeats(tmp_path: Path) -> None:
    (tmp_path / "x_main_i18n_Translation-en").write_text(DESCRIPTIONS, encoding="utf-8")
    (tmp_path / "x_main_binary-amd64_Packages").write_text(
        "Package: sunny\nSource: weather (1.2)\nVersion: 1\n\nPackage: rainy\nVersion: 1\n", encoding="utf-8"
    )
    assert read_descriptions(tmp_path) == [
        TextPair("sunny", "Shows the sky of today and of tomorrow.", "Weather for the terminal", "weather"),
        TextPair("rainy", "Counts drops of rain.", "Counts drops", "rainy"),
    ]
    assert pairs_of("debian", tmp_path, tmp_path / "unused") == read_descriptions(tmp_path)


def test_a_folder_without_descriptions_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="Translation-en"):
        read_descriptions(tmp_path)
    with pytest.raises(SystemExit, match="--data FOLDER"):
        pairs_of("daily-dialog", None, tmp_path)


def test_no_unit_is_on_two_sides() -> None:
    pairs = [TextPair(f"p{k}", f"s{k}", f"t{k}", f"u{k % 30}") for k in range(90)]
    parts = split(pairs, 3, dev=5, written=10)
    units = [{pair.unit for pair in part} for part in (parts.train, parts.dev, parts.written)]
    assert (len(parts.train), len(parts.dev), len(parts.written)) == (45, 5, 10)
    assert sum(map(len, units)) == len(set().union(*units)) == 30
    assert split(pairs[::-1], 3, dev=5, written=10) == parts
    assert split(pairs, 4, dev=5, written=10) != parts
    with pytest.raises(ValueError, match="30 units are too few"):
        split(pairs, 3, dev=10, written=20)


def test_stories_of_writing_prompts(tmp_path: Path) -> None:
    """Line feeds are marked; U+2028 ends no line; a prompt with two stories is one unit."""
    (tmp_path / "valid.wp_source").write_text("[ WP ] A cat .\n[ WP ] A cat .\n[ WP ] A dog .\n", encoding="utf-8")
    (tmp_path / "valid.wp_target").write_text(
        "It slept . <newline> <newline> It woke\u2028up .\nNo .\nOne two three . four five six\n", encoding="utf-8"
    )
    pairs = read_writing_prompts(tmp_path, "valid", words=5)
    assert [pair.target for pair in pairs] == ["It slept .", "No .", "One two three ."]
    assert [pair.unit for pair in pairs] == ["[ WP ] A cat .", "[ WP ] A cat .", "[ WP ] A dog ."]
    assert read_writing_prompts(tmp_path, "valid")[0].target == "It slept .\nIt woke up ."
    (tmp_path / "valid.wp_target").write_text("one\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="3 prompts and 1 stories"):
        read_writing_prompts(tmp_path, "valid")
    with pytest.raises(SystemExit, match=r"there is no .*train\.wp_source"):
        read_writing_prompts(tmp_path)


def test_long_stories_end_with_a_sentence_where_there_is_one() -> None:
    assert cut_story("a b . c d", 4) == "a b ."
    assert cut_story("a b . c .", 5) == "a b . c ."
    assert cut_story("a b c d e", 3) == "a b c"
    assert cut_story("a . <newline> b c . d", 4) == "a ."
    assert cut_story("a . <newline> b c . d", 5) == "a .\nb c ."


def test_dialogues_of_daily_dialog(tmp_path: Path) -> None:
    lines = (
        "Hi . __eou__ Hello  there . __eou__ Tea ? __eou__ Yes . __eou__\nAlone . __eou__\nA ? __eou__ B . __eou__\n"
    )
    (tmp_path / "dialogues_text.txt").write_text(lines, encoding="utf-8")
    pairs = read_daily_dialog(tmp_path, turns=2)
    assert pairs == [
        TextPair("1-1", "Hi .", "Hello there .", "1"),
        TextPair("1-2", "Hi .\nHello there .", "Tea ?", "1"),
        TextPair("1-3", "Hello there .\nTea ?", "Yes .", "1"),
        TextPair("3-1", "A ?", "B .", "3"),
    ]
    assert read_daily_dialog(tmp_path / "dialogues_text.txt", turns=2) == pairs
    (tmp_path / "dialogues_text.txt").write_text("Alone . __eou__\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no line with two turns"):
        read_daily_dialog(tmp_path)


def test_a_vocabulary_writes_what_it_read_and_any_other_text() -> None:
    vocabulary = Vocabulary.of([TextPair("p", "the red cat sleeps", "a red cat", "u")], 300)
    read = vocabulary.numbers(["the cat", "Größe ☃", "the red cat sleeps"], 12)
    assert vocabulary.text(read[0]) == "the cat"
    assert vocabulary.text(read[1]) == "Größe ☃"
    assert len(vocabulary.numbers(["the red cat sleeps"], 2)[0]) == 2
    assert vocabulary.text([]) == "..."
    halves = vocabulary.numbers(["☃"], 12)[0]
    assert vocabulary.text([*halves[:-1], *read[0]]) == "the cat"
    assert vocabulary.text(halves[:-1]) == "..."
    assert vocabulary.text([*read[0], 2, *read[2]]) == "the cat"
