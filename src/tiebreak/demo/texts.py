"""What the demo's systems write: a wording, and the mistakes that happen to it, each visible in the text.

A system is a style (its own templates) and a rate per kind of mistake. Mistakes are independent of each other, of
the record and of the wording, so that two systems with the same rates are equally good whatever their styles.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tiebreak.demo.records import Record, Value, draw_wrong_value, show_value
from tiebreak.demo.templates import HOUSE, REFERENCE, TEMPLATES

MISTAKES: Final = ("wrong-fact", "omission", "repetition", "disfluency")
"""A value that is not the record's; a phrase left out; a phrase said twice; a wrong agreement or word order."""


@dataclass(frozen=True, slots=True)
class DemoSystem:
    """A simulated text generator: its name (also its style) and its mistake rates, in the order of `MISTAKES`."""

    name: str
    rates: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class DemoOutput:
    """One text, the template it comes from, and the mistakes in it (a subset of `MISTAKES`)."""

    text: str
    template: str
    mistakes: frozenset[str]


class _Piece(NamedTuple):
    """A stretch of a template; a phrase is one that may be left out or said twice."""

    markup: str
    is_phrase: bool


def write_output(
    record: Record, system: DemoSystem, house_template: str | None, rng: np.random.Generator
) -> DemoOutput:
    """The system's text for a record, in the given house wording or, if None, in one of its own."""
    template = pick_template(record.kind, system.name, rng) if house_template is None else house_template
    happens = rng.random(len(MISTAKES)) < np.asarray(system.rates)
    mistakes = frozenset(m for m, yes in zip(MISTAKES, happens, strict=True) if yes)
    return DemoOutput(render(record, template, mistakes, rng), template, mistakes)


def write_reference(record: Record, rng: np.random.Generator) -> str:
    """A faultless text for a record, in a wording that no system uses."""
    return render(record, pick_template(record.kind, REFERENCE, rng), frozenset(), rng)


def pick_template(kind: str, style: str, rng: np.random.Generator) -> str:
    """One template of a style (a system's name, `HOUSE` or `REFERENCE`), each as likely as the others."""
    options = TEMPLATES[kind][style]
    return options[int(rng.integers(len(options)))]


def pick_house_template(kind: str, rng: np.random.Generator) -> str:
    """One of the wordings that all systems share."""
    return pick_template(kind, HOUSE, rng)


def render(record: Record, template: str, mistakes: frozenset[str], rng: np.random.Generator) -> str:
    """A template filled with a record's values and exactly the given mistakes, each in a place drawn at random.

    `rng` is used only for mistakes. Omission and repetition never meet in one phrase, and a wrong fact or a
    disfluency is never in the phrase left out, so every mistake can be seen.
    """
    pieces = _parse(template)
    phrases = sum(piece.is_phrase for piece in pieces)
    # Two different phrases at once, so that what is said twice was not left out.
    dropped, doubled = (int(n) for n in rng.permutation(phrases)[:2]) if mistakes & _PHRASE_MISTAKES else (-1, -1)
    times = [1] * phrases
    if "omission" in mistakes:
        times[dropped] = 0
    if "repetition" in mistakes:
        times[doubled] = 2
    repeats = iter(times)
    said = "".join(piece.markup * (next(repeats) if piece.is_phrase else 1) for piece in pieces)
    markup = _settle_marks(said, "disfluency" in mistakes, rng)
    values = dict(record.slots)
    if "wrong-fact" in mistakes:
        named = sorted({match.group(2) for match in _SLOT.finditer(markup)})
        slot = named[int(rng.integers(len(named)))]
        values[slot] = draw_wrong_value(record, slot, rng)
    text = _SLOT.sub(lambda match: _fill(match, values), markup)
    return text[0].upper() + text[1:]


_PHRASE_MISTAKES: Final = frozenset(("omission", "repetition"))
_PHRASE: Final = re.compile(r"<([^<>]*)>")
_MARK: Final = re.compile(r"\[([^\[\]~]*)~([^\[\]~]*)\]")
_SLOT: Final = re.compile(r"\{([aA]_)?([a-z]+)\}")


def _parse(template: str) -> tuple[_Piece, ...]:
    # Splitting on a pattern with one group alternates between what is outside and what is inside it.
    parts = _PHRASE.split(template)
    return tuple(_Piece(text, place % 2 == 1) for place, text in enumerate(parts) if text)


def _settle_marks(markup: str, disfluent: bool, rng: np.random.Generator) -> str:
    marks = list(_MARK.finditer(markup))
    broken = int(rng.integers(len(marks))) if disfluent else None
    settled, end = [], 0
    for place, mark in enumerate(marks):
        settled += [markup[end : mark.start()], mark.group(2 if place == broken else 1)]
        end = mark.end()
    return "".join([*settled, markup[end:]])


def _fill(match: re.Match[str], values: dict[str, Value]) -> str:
    article, slot = match.groups()
    shown = show_value(slot, values[slot])
    if article is None:
        return shown
    vowel = shown[0].lower() in "aeiou"
    return f"{'A' if article == 'A_' else 'a'}{'n' if vowel else ''} {shown}"
