"""What the name of a column says beside what the column is: `Fluency (1-5)`, `Source (DE)`, `Time (min)`.

Only what is known to be a note is one: in `answer (gpt-4)` the brackets name a system.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from tiebreak.importers.spreadsheet.header_words import (
    BESIDE_NAMES,
    CRITERION_NAMES,
    METRIC_NAMES,
    SYNONYMS,
    header_key,
    word_set,
)

LARGEST_END: Final = 1_000  # of a scale: 2019-2023 are years

_NOTED: Final = re.compile(r"(?P<name>.*[^\s(\[])\s*[(\[](?P<note>[^()\[\]]+)[)\]]\s*[:?]?")
_KNOWN: Final = frozenset().union(*SYNONYMS.values(), *BESIDE_NAMES.values(), CRITERION_NAMES, METRIC_NAMES)

_NUMBER: Final = r"[+-]?\d+(?:[.,]\d+)?"
_RANGE: Final = re.compile(rf"(?:[^\W\d]+ )*({_NUMBER})\s*(?:-|\.{{2,3}}|:|to|bis|a|à)\s*({_NUMBER})(?: [^\W\d]+)*")
_NAMED_END: Final = re.compile(rf"({_NUMBER})\s*[=:]\D+")
_BETWEEN_ENDS: Final = re.compile(r"[;/]|,(?!\d)| to | bis | - ")
_OUT_OF: Final = re.compile(r"(?:/|out of|of|max\.?|von|sur|su|de) ?\d+")
_DASHES: Final = str.maketrans("–—−‐", "----")


@dataclass(frozen=True, slots=True)
class TimeUnit:
    """A unit of time as sentences name it, and how many `seconds` it has."""

    name: str
    seconds: float


SECONDS: Final = TimeUnit("seconds", 1.0)
_UNITS: Final = {
    word: unit
    for unit, words in (
        (TimeUnit("milliseconds", 0.001), "ms msec milliseconds millisekunden"),
        (SECONDS, "s sec secs second seconds sek sekunden secondes segundos secondi"),
        (TimeUnit("minutes", 60.0), "min mins minute minutes minuten minutos minuti"),
        (TimeUnit("hours", 3600.0), "h hr hrs hour hours stunden heures horas ore"),
    )
    for word in words.split()
}
_TIME: Final = re.compile(
    rf"(?P<name>.*?[^\W_])(?: ?[(\[] ?| in |_in_|[ _-])(?:in )?(?P<unit>{'|'.join(_UNITS)})\.? ?[)\]]?",
    re.IGNORECASE,
)
_TIMES: Final = word_set(
    "time timespent timetaken duration elapsed worktime tasktime responsetime readingtime ratingtime annotationtime "
    "labelingtime labellingtime edittime editingtime petime posteditingtime leadtime zeit dauer bearbeitungszeit temps "
    "duree tiempo duracion tempo durata"
)

_LANGUAGES: Final = word_set(
    "ar bg bn ca cs da de el en es et fa fi fr ga gu ha he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mr ms mt "
    "ne nl no pa pl ps pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh eng deu ger fra spa ita por rus zho "
    "jpn english german french spanish italian portuguese dutch russian chinese japanese korean czech polish turkish "
    "arabic hindi deutsch englisch"
)
_LANGUAGE_PARTS: Final = re.compile(r" ?(?:->|[-_/>]|to) ?")
_ANSWERS: Final = word_set("a b tie equal same both neither none yes no y n ja nein true false")
_ANSWER_PARTS: Final = re.compile(r" ?[/,|] ?(?:or )?| or ")
_REMARKS: Final = word_set("optional required % percent utc gmt mm:ss m:ss hh:mm:ss h:mm:ss min:sec")


def bare_name(column: str) -> str:
    """The name without its note; `seconds` for a time with its unit."""
    if time_unit(column) is not None:
        return "seconds"
    found = _NOTED.fullmatch(column.strip())
    return found["name"].strip() if found is not None and _is_note(found["note"], found["name"]) else column


def scale_in(column: str) -> tuple[float, float] | None:
    """The lowest and the highest rating that the name states: `Fluency (1-5)`, `Style [1 = poor, 4 = good]`."""
    found = _NOTED.fullmatch(column.strip())
    return _scale(_plain(found["note"])) if found is not None else None


@lru_cache(maxsize=256)  # every row asks for that of its column
def time_unit(column: str) -> TimeUnit | None:
    """The unit, where the name is that of a time with its unit: `Time (min)`, `duration_ms`."""
    found = _TIME.fullmatch(column.strip())
    if found is None or header_key(found["name"]) not in _TIMES:
        return None
    return _UNITS[found["unit"].casefold()]


def _is_note(note: str, name: str) -> bool:
    plain = _plain(note)
    if _scale(plain) is not None or _OUT_OF.fullmatch(plain) or plain in _REMARKS:
        return True
    answers = _ANSWER_PARTS.split(plain)
    asked = len(answers) > 1 and _ANSWERS.issuperset(answers)
    return header_key(name) in _KNOWN and (asked or _are_languages(_LANGUAGE_PARTS.split(plain)))


def _are_languages(parts: Sequence[str]) -> bool:
    """`de`, `de-ch`, `english`, `en > de`."""
    return len(parts) <= 2 and parts[0] in _LANGUAGES and (len(parts[-1]) == 2 or parts[-1] in _LANGUAGES)


def _scale(note: str) -> tuple[float, float] | None:
    """A range, or ends that say what they mean, whatever else follows."""
    parts = [part.strip() for part in _BETWEEN_ENDS.split(note)]
    found = _RANGE.fullmatch(note) or _RANGE.fullmatch(parts[0])
    ends = found.groups() if found else [named[1] for part in parts if (named := _NAMED_END.fullmatch(part))]
    numbers = [float(end.replace(",", ".")) for end in ends]
    if len(numbers) < 2 or (found and numbers[0] >= numbers[1]) or max(map(abs, numbers)) > LARGEST_END:
        return None
    return (min(numbers), max(numbers)) if min(numbers) < max(numbers) else None


def _plain(note: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", note).translate(_DASHES).casefold().split())
