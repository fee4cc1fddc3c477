"""Votes of people in layouts of their own: a column per answer, winner and loser, ranks of numbered systems."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

from tests.importers.raw_files.shapes import Maker, Meaning, RawFile, choice
from tests.importers.raw_files.words import PEOPLE_POOL, SYSTEM_POOL, sentence


def ticked(random: Random, unknown: float) -> RawFile:
    """Pairs of systems, and a column per answer, of which one is ticked."""
    make, rows = Maker(random, unknown), random.randint(4, 40)
    pairs = [random.sample(SYSTEM_POOL[:4], 2) for _ in range(rows)]
    make.add("item", [str(row) for row in range(rows)])
    for side, name in enumerate(random.choice((("model_a", "model_b"), ("system1", "system2")))):
        make.add("", [pair[side] for pair in pairs], name)
    outcomes = [random.choice(("a", "b", "tie")) for _ in range(rows)]
    yes, no = random.choice((("1", "0"), ("true", "false"), ("x", "")))
    names = random.choice((("winner_a", "winner_b", "winner_tie"), ("A is better", "B is better", "no difference"),
                           ("Answer.best.A", "Answer.best.B", "Answer.best.both")))  # fmt: skip
    for outcome, name in zip(("a", "b", "tie"), names, strict=True):
        make.add("", [yes if said == outcome else no for said in outcomes], name)
    who = [random.choice(PEOPLE_POOL[:3]) for _ in range(rows)]
    make.add("person", who)
    choices = Counter(choice("person", w, *pair, o) for w, pair, o in zip(who, pairs, outcomes, strict=True))
    return make.finished("a column per answer", Meaning(Counter(), choices))


def chosen(random: Random, unknown: float) -> RawFile:
    """What won and what lost, with or without texts."""
    make, rows = Maker(random, unknown), random.randint(4, 30)
    pairs = [random.sample(SYSTEM_POOL[:4], 2) for _ in range(rows)]
    make.add("input", [f"{sentence(random)} {row}" for row in range(rows)])
    words = random.choice((("chosen", "rejected"), ("preferred", "dispreferred"), ("winner", "loser")))
    texts: Counter[tuple[str, ...]] = Counter()
    written = random.random() < 0.6
    for side, word in enumerate(words):
        make.add("", [pair[side] for pair in pairs], f"{word}_model" if written else word)
        if written:
            cells = [sentence(random) for _ in range(rows)]
            make.add("", cells, f"{word}_response")
            texts.update((pair[side], text) for pair, text in zip(pairs, cells, strict=True))
    choices = Counter(choice("person", "", *pair, "a") for pair in pairs)
    return make.finished("winner and loser", Meaning(texts, choices))


def signed(random: Random, unknown: float) -> RawFile:
    """Two texts side by side, each with a column that names its system after it, and who won."""
    make, rows = Maker(random, unknown), random.randint(4, 40)
    pairs = [random.sample(SYSTEM_POOL[:4], 2) for _ in range(rows)]
    make.add("input", [f"{sentence(random)} {row}" for row in range(rows)])
    names = random.choice((("Answer 1", "Answer 2"), ("A", "B"), ("Story A", "Story B"), ("output one", "output two")))
    owner = random.choice(("{} model", "model of {}", "System {}", "{} (model)"))
    texts: Counter[tuple[str, ...]] = Counter()
    for side, name in enumerate(names):
        cells = [sentence(random) for _ in range(rows)]
        make.add("", [pair[side] for pair in pairs], owner.format(name))
        make.add("", cells, name)
        texts.update((pair[side], text) for pair, text in zip(pairs, cells, strict=True))
    outcomes = [random.choice(("a", "b", "tie")) for _ in range(rows)]
    said = dict(zip(("a", "b", "tie"), (*names, random.choice(("tie", "both good"))), strict=True))
    make.add("winner", [said[outcome] for outcome in outcomes])
    who = [random.choice(PEOPLE_POOL[:3]) for _ in range(rows)]
    make.add("person", who)
    choices = Counter(choice("person", w, *pair, o) for w, pair, o in zip(who, pairs, outcomes, strict=True))
    return make.finished("texts and their systems", Meaning(texts, choices))


def ranked(random: Random, unknown: float) -> RawFile:
    """Several systems by number, each with its rank."""
    make, rows, places = Maker(random, unknown), random.randint(4, 30), random.randint(2, 5)
    named = [random.sample(SYSTEM_POOL, places) for _ in range(rows)]
    ranks = [[random.randint(1, places) for _ in range(places)] for _ in range(rows)]
    make.add("item", [str(row) for row in range(rows)])
    for place in range(places):
        make.add("", [names[place] for names in named], f"system{place + 1}Id")
    for place in range(places):
        make.add("", [str(found[place]) for found in ranks], f"system{place + 1}rank")
    who = [random.choice(PEOPLE_POOL[:3]) for _ in range(rows)]
    make.add("person", who)
    choices: Counter[tuple[str, ...]] = Counter()
    for person, names, found in zip(who, named, ranks, strict=True):
        for (first, one), (second, two) in combinations(zip(names, found, strict=True), 2):
            choices[choice("person", person, first, second, "tie" if one == two else "a" if one < two else "b")] += 1
    return make.finished("ranks of numbered systems", Meaning(Counter(), choices))
