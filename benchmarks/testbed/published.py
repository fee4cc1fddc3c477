"""The tasks of *Learning to Compare* in the layout in which they were published; the files are not ours to ship."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.testbed.pairs import TextPair

STORY_WORDS = 250
"""Longer stories are cut at the end of a sentence (learning-to-compare, 4.1)."""

_TURN_END = "__eou__"
_STOPS = (".", "!", "?", "''", '"')


def read_writing_prompts(folder: Path, part: str = "train", words: int = STORY_WORDS) -> list[TextPair]:
    """WritingPrompts (Fan and others 2018): a prompt per line of `PART.wp_source`, its story in `PART.wp_target`.

    `<newline>` is a line feed. A story is cut at the last end of a sentence within so many words. Prompts have several
    stories: the unit is the prompt.

    Raises:
        SystemExit: a file is missing, or they have not as many lines.
    """
    prompts, stories = (_lines(folder / f"{part}.wp_{side}") for side in ("source", "target"))
    if len(prompts) != len(stories):
        raise SystemExit(f"{folder}: {len(prompts):,} prompts and {len(stories):,} stories in {part}")
    pairs = [
        TextPair(f"{part}-{number}", prompt.strip(), cut_story(story, words), prompt.strip())
        for number, (prompt, story) in enumerate(zip(prompts, stories, strict=True), start=1)
    ]
    return [pair for pair in pairs if pair.source and pair.target]


def cut_story(story: str, words: int = STORY_WORDS) -> str:
    """With line feeds, up to the last end of a sentence within so many words; where none is, so many words."""
    lines = [line.split() for line in story.split("<newline>")]
    kept: list[list[str]] = []
    left = words
    for line in lines:
        kept.append(line[:left])
        left -= len(kept[-1])
        if left == 0:
            break
    if sum(map(len, lines)) > words:
        kept = _whole_sentences(kept)
    return "\n".join(" ".join(line) for line in kept if line)


def read_daily_dialog(path: Path, turns: int = 3) -> list[TextPair]:
    """DailyDialog (Li and others 2017): a dialogue per line, each turn before `__eou__`; what was said before, and what
    was answered. Sources hold at most so many turns, one a line; the unit is the dialogue.

    Raises:
        SystemExit: the file is missing, or has no dialogue.
    """
    if path.is_dir():
        path /= "dialogues_text.txt"
    pairs = []
    for number, line in enumerate(_lines(path), start=1):
        said = [" ".join(turn.split()) for turn in line.split(_TURN_END)]
        said = [turn for turn in said if turn]
        for at in range(1, len(said)):
            source = "\n".join(said[max(at - turns, 0) : at])
            pairs.append(TextPair(f"{number}-{at}", source, said[at], str(number)))
    if not pairs:
        raise SystemExit(f"{path} has no line with two turns before {_TURN_END}")
    return pairs


def _whole_sentences(lines: Sequence[Sequence[str]]) -> list[list[str]]:
    ends = [(row, place) for row, line in enumerate(lines) for place, word in enumerate(line) if word.endswith(_STOPS)]
    if not ends:
        return [list(line) for line in lines]
    row, place = ends[-1]
    return [*(list(line) for line in lines[:row]), list(lines[row][: place + 1])]


def _lines(path: Path) -> list[str]:
    """Lines end with a line feed alone: stories have other characters that Python takes for ends."""
    if not path.is_file():
        raise SystemExit(f"there is no {path}")
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
