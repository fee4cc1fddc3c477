"""What the demo's systems write: a wording, and the mistakes that happen to it, each visible in the text.

A system is a style (its own templates) and a rate per kind of mistake. Mistakes are independent of each other, of
the record and of the wording, so that two systems with the same rates are equally good whatever their styles.

The sentences of the demo study: how each system words each kind of record.

The markup of a template:

- `{slot}` is the value of a slot; `{a_slot}` puts "a" or "an" before it.
- `<...>` is a phrase that a system may leave out by mistake, or say twice; the rest is readable without it.
- `[good~bad]` is where a disfluency may happen: `good` is right, `bad` has a wrong agreement or word order.

Every template names every slot of its kind; a system's has two or more `<...>`, and a `[...]` outside them.
References are written without marks, because nothing goes wrong in them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from tiebreak.demo.records import Record, Value, draw_wrong_value, show_value

HOUSE: Final = "house"
REFERENCE: Final = "reference"

TEMPLATES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "restaurant": {
        "aspen": (
            "If you fancy {food} food, [try {name}~{name} try] in {area}<, just by {near}>. "
            "It [is~are] {price}< with room for {seats} guests> and has {stars}.",
            "Looking for {a_price} {food} meal< close to {near}>? "
            "{name} in {area} [has~have] {stars}< and welcomes up to {seats} guests>.",
        ),
        "birch": (
            "{name}< near {near}> [is~are] {a_price} {food} restaurant in {area}. "
            "Guests [have~has] given it {stars}<, and it offers {seats} seats>.",
            "The restaurant {name} [is located~located is] in {area}< near {near}>. "
            "It [provides~provide] {price} {food} meals< for up to {seats} guests> and holds a rating "
            "of {stars}.",
        ),
        "cedar": (
            "{name} [serves~serve] {price} {food} dishes in {area}<, a short walk from {near}>. "
            "It [has~have] {stars}< and seats for {seats} people>.",
            "In {area}< near {near}>, you [will find~find will] {name}, {a_price} {food} restaurant "
            "with {stars}< and {seats} seats>.",
        ),
        "maple": (
            "{name}: {price} {food} [cooking in {area}~in {area} cooking], {stars}<, {seats} seats><, near {near}>.",
            "For {price} {food} food in {area}, [go to {name}~{name} go to]< near {near}>. "
            "It [is~are] rated {stars}< and seats {seats}>.",
        ),
        HOUSE: (
            "{name} [is~are] {a_price} {food} restaurant in {area}< near {near}>. "
            "It [has~have] {stars}< and {seats} seats>.",
            "{name} [offers~offer] {price} {food} food in {area}<, close to {near}>. "
            "It [is~are] rated {stars}< and seats {seats} guests>.",
        ),
        REFERENCE: (
            "Set in {area} near {near}, {name} is {a_price} {food} restaurant with {stars} and {seats} seats.",
            "{name}, close to {near} in {area}, seats {seats} and serves {price} {food} food; "
            "guests have given it {stars}.",
        ),
    },
    "train": {
        "aspen": (
            "Sorry, train {train} to {destination}< via {via}>, due at {time}, [is~are] {delay} late. "
            "Please [wait for it~for it wait]< on platform {platform}>.",
            "Heading to {destination}? Train {train}< via {via}> [leaves~leave] {delay} later than {time}"
            "< from platform {platform}>.",
        ),
        "birch": (
            "Passengers [are~is] informed that train {train} to {destination}< via {via}>, "
            "scheduled for {time}, [will depart~depart will] {delay} late< from platform {platform}>.",
            "Train {train} with destination {destination}< calling at {via}> [has~have] a delay of {delay}. "
            "Its scheduled departure [is~are] {time}< from platform {platform}>.",
        ),
        "cedar": (
            "The {time} train to {destination}< via {via}>, number {train}, [is~are] delayed by {delay}"
            "< and will leave from platform {platform}>.",
            "The departure of train {train} to {destination}< via {via}> at {time}< from platform "
            "{platform}> "
            "[has been~been has] put back by {delay}.",
        ),
        "maple": (
            "{time} to {destination}, train {train}: [running {delay} late~{delay} late running]"
            "<, via {via}><, platform {platform}>.",
            "Delay of {delay}: the {time} [to {destination}~{destination} to]< via {via}>, train {train}"
            "<, platform {platform}>.",
        ),
        HOUSE: (
            "Train {train} to {destination}< via {via}>, due to leave at {time}< from platform {platform}>, "
            "[is~are] {delay} late.",
            "The {time} train to {destination}< via {via}>, number {train}, [leaves~leave]"
            "< from platform {platform}> with a delay of {delay}.",
        ),
        REFERENCE: (
            "Train {train}, the {time} to {destination} via {via}, will leave from platform {platform}, {delay} late.",
            "Please note that the {time} to {destination} (train {train}, calling at {via}) is delayed "
            "by {delay} "
            "and leaves from platform {platform}.",
        ),
    },
    "weather": {
        "aspen": (
            "[Expect {a_sky} day~{a_sky} day expect] in {place} on {day}, with up to {high}< and no "
            "less than {low}>. "
            "The wind [is~are] {wind}< at {speed}>.",
            "Planning your {day} in {place}? It [will be~be will] {sky} with {high}< after a low of {low}>, "
            "and there [is~are] {a_wind} wind< of {speed}>.",
        ),
        "birch": (
            "The weather in {place} on {day} [is~are] expected to be {sky}. Temperatures [rise~rises] "
            "to {high}"
            "< from a minimum of {low}>, and the wind is {wind}< with a speed of {speed}>.",
            "{sky} conditions [are~is] forecast for {place} on {day}, with a maximum of {high}"
            "< and a minimum of {low}>. {A_wind} wind< of {speed}> [is~are] anticipated.",
        ),
        "cedar": (
            "{place} [will be~be will] {sky} on {day}, with a high of {high}< and a low of {low}>. "
            "{A_wind} wind [blows~blow]< at {speed}>.",
            "On {day}, {place} [gets~get] {a_sky} day with up to {high}< after a night at {low}>, "
            "and {a_wind} wind< of {speed}>.",
        ),
        "maple": (
            "{place}, {day}: {sky}, [up to {high}~{high} up to]<, down to {low}>, {wind} wind< at {speed}>.",
            "{day} in {place} [looks~look] {sky}: {high} at best<, {low} at worst>, {wind} wind<, {speed}>.",
        ),
        HOUSE: (
            "{day} in {place} [will be~be will] {sky}, with a high of {high}< and a low of {low}>. "
            "The wind [is~are] {wind}< at {speed}>.",
            "It [will be~be will] {sky} in {place} on {day}. The high is {high}<, the low is {low}>, "
            "and the wind [is~are] {wind}< at {speed}>.",
        ),
        REFERENCE: (
            "On {day} it will be {sky} in {place}, with temperatures between {low} and {high} "
            "and {a_wind} wind of {speed}.",
            "{day} in {place} brings {a_sky} day between {low} and {high}, with {a_wind} wind blowing at {speed}.",
        ),
    },
}
"""kind of record -> system, `house` (wordings that all systems share) or `reference` -> templates."""


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
