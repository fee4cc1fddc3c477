"""Who won, in the words of a cell: the name of a system, a side, or a tie; and what bare numbers may mean.

What single cells say: numbers, times, yes or no, and whether a passage supports an answer.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Final, Literal

from tiebreak.records import Support

Side = Literal["a", "tie", "b"]

SKIP: Final = "skip"
"""What a cell means that says nothing which counts."""
LONGEST_SHOWN: Final = 60
"""Characters of a cell that are repeated in a cure."""


def words_in(text: str) -> frozenset[str]:
    """The words of a text, as they stand in it."""
    return frozenset(text.split())


_TIES: Final = words_in(
    "tie tied ties both neither equal same draw either similar equivalent comparable undecided "
    "bothbad bothgood tiebothbad samequality equallygood equallybad nopreference nodifference"
)
_SIDES: Final[dict[str, Side]] = {
    "a": "a", "1": "a", "1st": "a", "first": "a", "left": "a", "former": "a",
    "b": "b", "2": "b", "2nd": "b", "second": "b", "right": "b", "latter": "b",
}  # fmt: skip
_NOISE: Final = words_in(
    "is was are better best wins won win preferred prefer winner superior clearly much slightly strongly "
    "significantly somewhat far bit little the of about "
    "model system response output answer assistant option text candidate completion summary translation sentence "
    "reply version choice item message chatbot bot story headline side one they"
)
_WITH_A_TIE: Final = words_in("nor or and good bad fine")
_PLACES: Final = words_in("left right")
_TIE_SIGNS: Final = frozenset({"=", "==", "~", "≈"})
_SIGNS: Final = re.compile(r"(?P<first>[ab12])\s*(?P<sign>>+|<+|=+|≻|≺|~|≈)\s*(?P<second>[ab12])")
_WORD: Final = re.compile(r"\d+(?:st|nd)?|[^\W\d_]+")
_JUDGED_TIE: Final = re.compile(r"\s*\[\[\s*[cC]\s*\]\]\s*")
"""What the prompt of MT-bench asks judges to write for a tie, beside [[A]] and [[B]]."""
_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.\d+)?")


def key_of_cell(cell: str) -> str:
    """The cell as compared: without case, brackets and blanks that are too many; 1.0 is 1."""
    plain = " ".join(cell.split()).casefold().strip("[]() ")
    plain = re.sub(r"^([+-]?\d+)\.0+$", r"\1", plain)
    return re.sub(r"^\+(?=\d)", "", plain).rstrip(" .!")


def side_in(cell: str) -> Side | None:
    """What a cell says of two things by its words alone: `A`, `2nd`, `left`, `Answer B is better`, `A>B`, `both bad`;
    None where it says neither a side nor a tie, or more than one thing.
    """
    if _JUDGED_TIE.fullmatch(cell):
        return "tie"
    key = key_of_cell(cell)
    if number_in(key) not in (None, "1", "2"):
        return None
    signs = _SIGNS.fullmatch(key)
    if signs is not None:
        first, second = _SIDES[signs["first"]], _SIDES[signs["second"]]
        if signs["sign"][0] in "=~≈" or first == second:
            return "tie" if first != second else None
        return first if signs["sign"][0] in ">≻" else second
    if key in _TIE_SIGNS:
        return "tie"
    words = _WORD.findall(key)
    if words[:1] == ["a"] and len(words) > 1 and words[1] in _TIES | {"draw", "little", "bit"}:
        words = words[1:]  # an article
    if "".join(words) in _TIES:
        return "tie"
    sides = [_SIDES[word] for word in words if word in _SIDES]
    others = {word for word in words if word not in _TIES and word not in _SIDES and word not in _NOISE}
    if any(word in _TIES for word in words):
        return "tie" if others <= _WITH_A_TIE and len(set(sides)) != 1 else None
    grade = re.match(r"\d+\s*[^\w\s]", key) is not None and len(words) > 1  # "1: much better" is one of several grades
    worse = any(former in ("second", "2nd") and latter == "best" for former, latter in pairwise(words))
    return None if others or grade or worse or len(sides) != 1 else sides[0]


def is_place(cell: str) -> bool:
    """Whether a cell names a place on a screen, and not an order."""
    return bool(_PLACES.intersection(_WORD.findall(key_of_cell(cell))))


def named_in(cell: str, names: Collection[str]) -> str | None:
    """The name that a cell is, as it stands or else without regard to case."""
    exact = [name for name in names if name.strip() == cell.strip()]
    folded = [name for name in names if key_of_cell(name) == key_of_cell(cell)]
    return exact[0] if exact else folded[0] if len(folded) == 1 else None


def winner_in(cell: str, system_a: str, system_b: str) -> Side | None:
    """What a cell says of two systems: the name of one of them, or words as in `side_in`; None if it is not clear."""
    named = named_in(cell, (system_a, system_b))
    if named is not None and system_a != system_b:
        return "a" if named == system_a else "b"
    return side_in(cell)


def number_in(cell: str) -> str | None:
    """A cell that is a bare number, with its sign (who writes +1 writes -1 elsewhere); 1.0 is 1. None for any other."""
    plain = cell.strip().strip("[]() ").strip(" .!")
    return re.sub(r"\.0+$", "", plain) if _NUMBER.fullmatch(plain) else None


def numbers_are_clear(numbers: Collection[str], explained: Mapping[str, str]) -> bool:
    """Whether numbers nobody has explained mean one thing only. `said`: a, tie, b or skip by number."""
    if any(meaning in ("a", "b") and _SIDES.get(number) != meaning for number, meaning in explained.items()):
        return False
    return set(numbers) <= {"1", "2"} and (bool(explained) or "2" in numbers)


_CODES: Final = (
    ("1=a,0=b", "1=a,0=tie", "0=a,1=b"),
    ("1=a,2=b", "1=a,2=tie,3=b"),
    ("1=a,2=b,0=tie", "0=a,1=tie,2=b", "0=a,1=b,2=tie"),
    ("1=a,2=tie,3=b", "1=a,2=b,3=tie"),
    ("1=a,0=tie,-1=b", "-1=a,0=tie,1=b"),
)
"""What people write, by the numbers that occur: the first row whose first code has them all is shown."""
CODED: Final = frozenset(["-1", "0", "1", "2", "3"])
"""Numbers in codes; others are of a scale."""
_MOST: Final = 11
"""Numbers that are spelt out in a cure."""


def codes_for(numbers: Iterable[str]) -> list[tuple[tuple[str, str], ...]]:
    """What numbers may mean, as pairs of a number and a, tie or b: the codes that people use with these."""
    distinct = sorted({number.removeprefix("+") for number in numbers}, key=float)
    for codes in _CODES:
        pairs = [tuple((n, m) for n, _, m in (part.partition("=") for part in code.split(","))) for code in codes]
        if set(distinct) <= {number for number, _ in pairs[0]}:
            return pairs
    if len(distinct) > _MOST:
        return [(("NUMBER", "a"), ("NUMBER", "b"))]
    middle = (len(distinct) - 1) / 2  # the lower half says one side, the upper the other, the one in the middle a tie
    return [
        tuple((n, "tie" if k == middle else low if k < middle else high) for k, n in enumerate(distinct))
        for low, high in (("a", "b"), ("b", "a"))
    ]


def question_about(numbers: Iterable[str], option: str, words: Mapping[str, str]) -> str:
    """What to say of numbers that may mean several things. `words`: those of the option for a, tie and b."""
    codes = [",".join(f"{number}={words[meaning]}" for number, meaning in code) for code in codes_for(numbers)]
    examples = f", or {option} ".join(codes)
    return f"numbers may mean several things here; say what they mean, for example {option} {examples}"


def meanings_in(option: str, meanings: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each cell with its meaning in `x=a,y=tie`. Commas part only behind a meaning: cells may hold some.

    Raises:
        ValueError: the part that says nothing.
    """
    part = re.compile(rf"\s*(.*?)\s*=\s*({'|'.join(map(re.escape, meanings))})\s*(?:,|$)", re.I | re.S)
    rest = option
    while rest.strip():
        match = part.match(rest)
        if match is None:
            raise ValueError(rest.strip())
        yield match[1], match[2].lower()
        rest = rest[match.end() :]


def meaning_of(option: str, cell: str, meaning: str, placeholder: str) -> str:
    """The option that gives a cell a meaning, quoted for a shell; a long cell is only hinted at."""
    plain = " ".join(cell.split())
    shown = plain if plain and len(plain) <= LONGEST_SHOWN else placeholder
    return f"{option} {shlex.quote(f'{shown}={meaning}')}"


NOTHING: Final = frozenset(["nan", "none", "null", "na", "n/a", "n.a.", "undefined", "#n/a", "-", "--", "–", "—"])
"""What programs and people write for a number that is not there."""

_GROUPED: Final = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})")
_ONE_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_GRADED: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(?:[:=)]\s*|[-–—.]\s+)(?P<said>[^\W\d].*)")
_NOT_SAID: Final = ("n/a", "na", "none", "no answer", "not ", "don't", "do not", "cannot", "can't", "unknown")
_CLOCK: Final = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d(?:\.\d+)?)")
_UNIT: Final = re.compile(
    r"(?<![a-z])(?:(?P<ms>ms|millis(?:econds)?)|min(?:ute)?s?|h(?:ou)?rs?|h)(?![a-z])", re.IGNORECASE
)
_YES: Final = frozenset({"yes", "true", "y", "1", "1.0"})
_NO: Final = frozenset({"no", "false", "n", "0", "0.0"})
_SUPPORTS: Final[dict[str, Support]] = {
    "supports": "supports", "support": "supports", "supported": "supports", "yes": "supports", "true": "supports",
    "1": "supports", "contradicts": "contradicts", "contradict": "contradicts", "refutes": "contradicts",
    "contradicted": "contradicts", "neither": "neither", "no": "neither", "none": "neither", "neutral": "neither",
    "false": "neither", "0": "neither", "unrelated": "neither",
}  # fmt: skip


def may_be_two_numbers(cell: str) -> bool:
    """Whether a comma is in a number that may part thousands, or be a decimal comma: `1,500`, and beside it `3,5`."""
    return _ONE_COMMA.fullmatch(cell.strip()) is not None


def parse_number(cell: str, decimal_comma: bool = False) -> float | None:
    """A finite number, or None. `1,234,567` and `1,234.5` part thousands. With `decimal_comma`, `3,5` is 3.5; without,
    `1,500` may be two numbers. Of `4 - good`, as surveys export grades, it is the 4; yes and true are 1, no and false
    are 0.
    """
    text = cell.strip()
    if decimal_comma and text.count(",") == 1 and "." not in text:
        text = text.replace(",", ".")
    elif _GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if "_" in text:
        return None
    graded = _GRADED.fullmatch(text)
    if graded is not None and graded["said"].casefold().startswith(_NOT_SAID):
        return None
    answer = yes_in(text)
    try:
        number = float(graded[1] if graded else text) if graded or answer is None else float(answer)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def yes_in(cell: str) -> bool | None:
    """Whether a cell says yes or no; None where it says neither."""
    plain = cell.strip().casefold()
    return True if plain in _YES else False if plain in _NO else None


def support_in(cell: str) -> Support | None:
    """What a cell says of a passage; None where that is not clear."""
    return _SUPPORTS.get(cell.strip().casefold())


def parse_clock(cell: str) -> float | None:
    """Seconds of a duration as clocks show it: `1:35` is a minute and 35 seconds, `1:02:35` has hours; else None."""
    match = _CLOCK.fullmatch(cell.strip())
    return None if match is None else 3600 * int(match[1] or 0) + 60 * int(match[2]) + float(match[3])


def seconds_in(column: str) -> float:
    """How many seconds the unit is that the name of a column says, such as `Time (min)`: one where it says none."""
    unit = None if "sec" in column.casefold() and "milli" not in column.casefold() else _UNIT.search(column)
    return 1.0 if unit is None else {"ms": 0.001, "m": 60.0, "h": 3600.0}["ms" if unit["ms"] else unit[0][0].lower()]


def parse_time(cell: str) -> str | None:
    """ISO 8601 in its usual spelling; Unix seconds or milliseconds (after 2001) as ISO 8601 in UTC; a time as
    Mechanical Turk writes it ("Mon Jun 21 09:26:33 PDT 2021"), or with a date of points (17.05.2024), which begins with
    the day; anything else None.

    Dates such as 3/4/2024 stay unread: whether the day or the month comes first is not in the cell.
    """
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if math.isfinite(number):
        if 1e12 <= number < 1e13:
            number /= 1000
        return dt.datetime.fromtimestamp(number, tz=dt.UTC).isoformat() if 1e9 <= number < 1e10 else None
    text = _DOTTED.sub(lambda found: f"{found[3]}-{found[2]:0>2}-{found[1]:0>2}", text)
    try:
        moment = _spelt_out(text) or dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return text if len(text) == len("2024-05-17") else moment.isoformat()


_DOTTED: Final = re.compile(r"^(\d\d?)\.(\d\d?)\.(\d{4})(?= |T|$)")
_SPELT_OUT: Final = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d) ([A-Z]{3,4}) (\d{4})")
_ZONES: Final = {
    "UTC": 0, "GMT": 0, "EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8,
    "CET": 1, "CEST": 2,
}  # fmt: skip
"""Hours east of Greenwich."""


def _spelt_out(text: str) -> dt.datetime | None:
    match = _SPELT_OUT.fullmatch(text)
    if match is None or match[2] not in _ZONES:
        return None
    moment = dt.datetime.strptime(f"{match[1]} {match[3]}", "%b %d %H:%M:%S %Y")
    return moment.replace(tzinfo=dt.timezone(dt.timedelta(hours=_ZONES[match[2]])))
