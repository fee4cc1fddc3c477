"""What a cell says of two things by its words alone: a side, a place on a screen, a tie, or a name that won."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise
from typing import Final, Literal

from tiebreak.importers.spreadsheet.header_words import header_key
from tiebreak.importers.spreadsheet.winner_words import SCREEN, SECONDS, SIDES, SUPERLATIVES, THINGS, TIES, WINS

Outcome = Literal["a", "tie", "b"]

_WORD: Final = re.compile(r"\d+|[\u3040-\u30ff\u4e00-\u9fff]+|[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+")
_SIGNS: Final = re.compile(r"(?P<first>[ab12])\s*(?P<sign>>+|<+|=+|≻|≺|~|≈)\s*(?P<second>[ab12])")
_TIE_SIGNS: Final = frozenset({"=", "==", "~", "≈"})
_NOISE: Final = frozenset(map(header_key, WINS | THINGS))
_AFTER_ARTICLE: Final = frozenset({"tie", "draw", "little", "bit"})


def key_of_cell(cell: str) -> str:
    """The cell as compared: without case, brackets and blanks that are too many; 1.0 is 1."""
    plain = " ".join(cell.split()).casefold().strip("[]() ")
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", plain).removeprefix("+").strip(" .!")


def as_position(cell: str) -> Outcome | None:
    """What a cell says of two things of which the first is a and the second b, also by `left` and `right`; None where
    it says neither.
    """
    key = key_of_cell(cell)
    if is_tie(key):
        return "tie"
    found = side_in(key)
    return None if found is None else found[0]


def is_tie(key: str) -> bool:
    """`tie`, `both are good`, `a tie`, `neither A nor B`, `A=B`; not `both good, A better`, which says two things."""
    if header_key(key) in TIES or key in _TIE_SIGNS:
        return True
    signs = _SIGNS.fullmatch(key)
    if signs is not None:
        return signs["sign"][0] in "=~≈"
    found = _words(key)
    others = {word for word in found if word not in TIES and word not in _NOISE and word not in ("nor", "or", "and")}
    sides = {SIDES[word] for word in found if word in SIDES and word != "one"}
    return any(word in TIES for word in found) and others <= _WITH_A_TIE and len(sides) != 1


_WITH_A_TIE: Final = frozenset({"a", "b", "1", "2", "bad", "good", "gut", "schlecht"})


def side_in(key: str) -> tuple[Literal["a", "b"], bool] | None:
    """The side that a cell says and whether that is a place on a screen; None if it says none, or something else."""
    signs = _SIGNS.fullmatch(key)
    if signs is not None:
        if signs["sign"][0] in "=~≈" or SIDES[signs["first"]] == SIDES[signs["second"]]:
            return None
        better = signs["first"] if signs["sign"][0] in ">≻" else signs["second"]
        return SIDES[better], False
    said = _words(key)
    if any(one in SECONDS and two in SUPERLATIVES for one, two in pairwise(said)):
        return None  # "second best" lost, "the second is best" won
    left = [word for word in said if word in SIDES or word in SCREEN or word not in _NOISE]
    if len(left) > 1:
        left = [word for word in left if word != "one"]  # "the second one"
    if len(left) == 2 and left[0] == "a" and len(left[1]) > 2:
        left = left[1:]  # "a segunda": an article
    if len(left) != 1:
        return None
    word = left[0]
    if word in SCREEN:
        return SCREEN[word], True
    return (SIDES[word], False) if word in SIDES else None


def _words(key: str) -> list[str]:
    """The words of a cell, without the article of "a tie" and "a little", which is no side A."""
    found = [header_key(word) for word in _WORD.findall(key)]
    return [word for word, after in pairwise([*found, ""]) if word != "a" or after not in _AFTER_ARTICLE]


def named_winner(key: str, names: Collection[str]) -> str | None:
    """`gpt-4 is better`: the name (folded) before words that say that it won; None if this is not said."""
    found = _WORD.findall(key)
    for cut in range(len(found) - 1, 0, -1):
        if found[cut] not in WINS:
            return None
        name = "".join(found[:cut])
        if name in names:
            return name
    return None


def are_called_crosswise(key: str, first: str, second: str) -> bool:
    """Whether a cell names sides by letters or numbers, and two systems are called by them the other way round: `A`
    where the first is Model B. Numbers count where they alone tell the names apart (v2, v1; not gpt-2, claude-1).
    """
    said = {word for word in _words(key) if word in _ENDINGS}
    (rest_a, end_a), (rest_b, end_b) = _ending(first), _ending(second)
    if not said or not (_ENDINGS.get(end_a) == "b" or _ENDINGS.get(end_b) == "a"):
        return False
    letters = {end_a, end_b} - {""} <= {"a", "b"}
    return (said <= {"a", "b"}) == letters and (letters or rest_a == rest_b)


def _ending(name: str) -> tuple[str, str]:
    """`Model B` as (model, b), `v2` as (v, 2); ("", "") for a name that does not end like a side: `llama-7b`."""
    found = _LIKE_A_SIDE.fullmatch(name.casefold().strip())
    return (found["rest"].strip(), found["letter"] or found["number"]) if found else ("", "")


_LIKE_A_SIDE: Final = re.compile(
    r"(?P<rest>.*\w.*?)[\s_([-]*(?:(?<![^\W_])(?P<letter>[ab])|(?<!\d)(?P<number>[12]))[\])]?"
)
_ENDINGS: Final = {"a": "a", "1": "a", "b": "b", "2": "b"}
