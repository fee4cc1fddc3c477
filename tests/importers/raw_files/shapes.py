"""Shapes of files with their meaning: each function makes one file, and says what a reader should find in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.importers.raw_files.foreign import table_of_something_else
from tests.importers.raw_files.words import ANSWERS, JUDGES, PEOPLE_POOL, SYSTEM_POOL, header, noise, noted, sentence

Table = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a file holds, without the names of items: texts (system, text), choices (kind, who, better, worse or both
    names in order and "tie"), numbers (kind, who, system, value); `who` is "" where nobody is named."""

    texts: Counter[tuple[str, ...]] = field(default_factory=Counter)
    choices: Counter[tuple[str, ...]] = field(default_factory=Counter)
    numbers: Counter[tuple[str, ...]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class RawFile:
    """A table and its meaning; None: it means nothing that a study could hold."""

    shape: str
    table: Table
    meaning: Meaning | None


@dataclass(slots=True)
class Maker:
    """A table while it is filled. `unknown`: the chance of a header that no list holds."""

    random: Random
    unknown: float
    columns: Table = field(default_factory=dict)

    def add(self, what: str, cells: list[str], name: str | None = None) -> str:
        """Add a column under a header of this kind, or this name; what it is called."""
        called = name or header(self.random, what, self.unknown)
        while called.strip().casefold() in {column.strip().casefold() for column in self.columns}:
            called = f"{called} {len(self.columns)}"
        self.columns[called] = cells
        return called

    def finished(self, shape: str, meaning: Meaning | None) -> RawFile:
        """With columns of noise, in another order."""
        rows = len(next(iter(self.columns.values())))
        for name, cells in noise(self.random, rows).items():
            self.columns.setdefault(name, cells)
        names = list(self.columns)
        if self.random.random() < 0.3:
            self.random.shuffle(names)
        return RawFile(shape, {name: self.columns[name] for name in names}, meaning)


def choice(kind: str, who: str, first: str, second: str, outcome: str) -> tuple[str, ...]:
    """A choice, whichever way round the pair was shown."""
    if outcome == "tie":
        return (kind, who, *sorted((first, second)), "tie")
    return (kind, who, first, second) if outcome == "a" else (kind, who, second, first)


def wide(random: Random, unknown: float) -> RawFile:
    """One column of texts per system, perhaps with a vote."""
    make, rows = Maker(random, unknown), random.randint(3, 30)
    systems = random.sample(SYSTEM_POOL, random.randint(2, 4))
    if random.random() < 0.7:
        make.add("item", [str(i) for i in range(rows)])
    if random.random() < 0.8:
        make.add("input", [f"{sentence(random)} {i}" for i in range(rows)])
    ending = random.choice(("", "", " answer", " response", "_output"))
    texts: Counter[tuple[str, ...]] = Counter()
    for system in systems:
        cells = [sentence(random, *random.choice(((1, 3), (4, 20), (4, 20)))) for _ in range(rows)]
        texts.update((system, text) for text in cells)
        make.add("text", cells, system + ending)
    choices: Counter[tuple[str, ...]] = Counter()
    if len(systems) == 2 and random.random() < 0.6:
        outcomes = [random.choice(("a", "b", "tie")) for _ in range(rows)]
        said = {"a": systems[0], "b": systems[1], "tie": "tie"}
        make.add("winner", [said[outcome] for outcome in outcomes])
        choices.update(choice("person", "", *systems, outcome) for outcome in outcomes)
    return make.finished("one column per system", Meaning(texts, choices))


def long(random: Random, unknown: float) -> RawFile:
    """A row for each output, perhaps with a rating."""
    make, items = Maker(random, unknown), random.randint(3, 15)
    systems = random.sample(SYSTEM_POOL, random.randint(2, 4))
    rows = [(str(i), system) for i in range(items) for system in systems]
    make.add("item", [item for item, _ in rows])
    if random.random() < 0.6:
        inputs = [f"{sentence(random)} {i}" for i in range(items)]
        make.add("input", [inputs[int(item)] for item, _ in rows])
    make.add("system", [system for _, system in rows])
    cells = [sentence(random) for _ in rows]
    make.add("text", cells)
    texts = Counter((system, text) for (_, system), text in zip(rows, cells, strict=True))
    numbers: Counter[tuple[str, ...]] = Counter()
    if random.random() < 0.6:
        people = random.sample(PEOPLE_POOL, 2)
        who = [random.choice(people) for _ in rows]
        values = [str(random.randint(1, 5)) for _ in rows]
        make.add("score", values)
        make.add("person", who)
        numbers.update(("person", p, s, v) for p, (_, s), v in zip(who, rows, values, strict=True))
    return make.finished("one row per output", Meaning(texts, Counter(), numbers))


def checkpoints(random: Random, unknown: float) -> RawFile:
    """A row for each output of each checkpoint of a training, or of several that have checkpoints of one name."""
    make, items = Maker(random, unknown), random.randint(3, 15)
    first, many = random.choice((100, 500, 1000)), random.randint(2, 6)
    name, called = random.choice((("checkpoint", "ckpt-{}"), ("checkpoint", "{}"), ("ckpt_path", "runs/7/step_{}"),
                                  ("step", "{}"), ("global_step", "{}"), ("Checkpoint Name", "epoch {}")))  # fmt: skip
    steps = [called.format(first * 2**place) for place in range(many)]
    runs = random.choice((("",), ("",), ("A", "B"), ("1", "2", "3"), ("lr-high", "lr-low")))
    rows = [(item, run, step) for run in runs for step in steps for item in range(items)]
    make.add("item", [str(item) for item, _, _ in rows])
    make.add("", [step for _, _, step in rows], name)
    if len(runs) > 1:
        make.add("", [run for _, run, _ in rows], random.choice(("run", "run_id", "experiment")))
    inputs = [f"{sentence(random)} {item}" for item in range(items)]
    make.add("input", [inputs[item] for item, _, _ in rows])
    cells = [sentence(random) for _ in rows]
    make.add("text", cells)
    systems = [f"{run}/{step.replace('/', '%2F')}" if run else step for _, run, step in rows]
    return make.finished("one row per checkpoint", Meaning(Counter(zip(systems, cells, strict=True))))


def votes(random: Random, unknown: float) -> RawFile:
    """Pairs of systems and who won, by people."""
    return _votes(random, unknown, judged=False)


def judged(random: Random, unknown: float) -> RawFile:
    """Pairs of systems and who won, by a model, beside the texts."""
    return _votes(random, unknown, judged=True)


def _votes(random: Random, unknown: float, *, judged: bool) -> RawFile:
    make, rows = Maker(random, unknown), random.randint(4, 40)
    systems = random.sample(SYSTEM_POOL, random.randint(2, 4))
    pairs = [random.sample(systems, 2) for _ in range(rows)]
    make.add("item", [str(i) for i in range(rows)])
    if random.random() < 0.5:
        make.add("input", [f"{sentence(random)} {i}" for i in range(rows)])
    names = random.choice((("model_a", "model_b"), ("system1", "system2"), ("Modell A", "Modell B"), ("left", "right")))
    make.add("", [pair[0] for pair in pairs], names[0])
    make.add("", [pair[1] for pair in pairs], names[1])
    texts: Counter[tuple[str, ...]] = Counter()
    if judged or random.random() < 0.4:
        for side, name in enumerate(random.choice((("response_a", "response_b"), ("output_1", "output_2")))):
            cells = [sentence(random) for _ in range(rows)]
            make.add("", cells, name)
            texts.update((pair[side], text) for pair, text in zip(pairs, cells, strict=True))
    outcomes = [random.choice(("a", "b", "tie")) for _ in range(rows)]
    words = random.choice(ANSWERS)
    by_name = random.random() < 0.4
    said = dict(zip(("a", "b", "tie"), words, strict=True))
    cells = [
        pair["ab".index(o)] if by_name and o != "tie" else ("tie" if by_name else said[o])
        for pair, o in zip(pairs, outcomes, strict=True)
    ]
    make.add("winner", cells)
    who, kind = [""] * rows, "person"
    if judged:
        who, kind = [random.choice(JUDGES)] * rows, "judge"
        make.add("", who, random.choice(("judge", "annotator", "Judge Model", "evaluator")))
    elif random.random() < 0.8:
        people = random.sample(PEOPLE_POOL, random.randint(1, 4))
        who = [random.choice(people) for _ in range(rows)]
        make.add("person", who)
    choices = Counter(choice(kind, w, *pair, o) for w, pair, o in zip(who, pairs, outcomes, strict=True))
    return make.finished("judge's votes" if judged else "votes", Meaning(texts, choices))


def sides(random: Random, unknown: float) -> RawFile:
    """Two texts side by side and who won, without names of systems."""
    make, rows = Maker(random, unknown), random.randint(4, 30)
    names = random.choice((("answer A", "answer B"), ("output_1", "output_2"), ("Antwort A", "Antwort B"), ("A", "B")))
    make.add("input", [f"{sentence(random)} {i}" for i in range(rows)])
    texts: Counter[tuple[str, ...]] = Counter()
    for name in names:
        cells = [sentence(random) for _ in range(rows)]
        make.add("", cells, name)
        texts.update((name, text) for text in cells)
    outcomes = [random.choice(("a", "b", "tie")) for _ in range(rows)]
    said = dict(zip(("a", "b", "tie"), random.choice(ANSWERS), strict=True))
    make.add("winner", [said[outcome] for outcome in outcomes])
    people = random.sample(PEOPLE_POOL, 2)
    who = [random.choice(people) for _ in range(rows)]
    make.add("person", who)
    choices = Counter(choice("person", w, *names, o) for w, o in zip(who, outcomes, strict=True))
    return make.finished("two texts and who won", Meaning(texts, choices))


def ratings(random: Random, unknown: float) -> RawFile:
    """Ratings of several criteria, without texts."""
    make, items = Maker(random, unknown), random.randint(4, 15)
    systems, people = random.sample(SYSTEM_POOL, 3), random.sample(PEOPLE_POOL, 2)
    rows = [(str(i), s, p) for i in range(items) for s in systems for p in people]
    make.add("item", [item for item, _, _ in rows])
    make.add("system", [system for _, system, _ in rows])
    make.add("person", [person for _, _, person in rows])
    numbers: Counter[tuple[str, ...]] = Counter()
    for criterion in random.sample(("fluency", "coherence", "relevance", "Overall"), random.randint(1, 3)):
        cells = [str(random.randint(1, 5)) for _ in rows]
        make.add("", cells, noted(random, criterion, "score"))
        numbers.update(("person", p, s, v) for (_, s, p), v in zip(rows, cells, strict=True))
    return make.finished("ratings", Meaning(Counter(), Counter(), numbers))


def meaningless(random: Random, _unknown: float) -> RawFile:
    """A table about something else."""
    make, rows = Maker(random, 0.0), random.randint(4, 40)
    pick, number = random.choice, random.randint
    kinds: list[tuple[str, Callable[[], str]]] = [
        ("order", lambda: f"2024-{number(100, 999)}"), ("customer", lambda: pick(PEOPLE_POOL)),
        ("city", lambda: pick(("Oslo", "Lima", "Bern", "Paris"))), ("amount", lambda: f"{random.random() * 90:.2f}"),
        ("date", lambda: f"2024-0{number(1, 9)}-1{number(0, 9)}"), ("paid", lambda: pick(("yes", "no"))),
        ("product", lambda: pick(("chair", "table", "lamp", "desk"))), ("note", lambda: sentence(random)),
        ("street", lambda: f"{pick(STREETS)} {number(1, 99)}"), ("qty", lambda: str(number(1, 9))),
        ("employee", lambda: pick(PEOPLE_POOL)), ("start time", lambda: f"{number(8, 17)}:30"),
        ("description", lambda: sentence(random)), ("supplier", lambda: pick(("Acme", "Foo AG", "Bar Ltd"))),
        ("review", lambda: sentence(random, 10, 30)), ("grade", lambda: pick("ABCDF")),
        ("course", lambda: pick(("Algebra", "Logic", "Music"))), ("room", lambda: f"B{number(1, 30)}"),
        ("subject", lambda: sentence(random, 2, 5)), ("phone", lambda: f"+49 {number(10**7, 10**8)}"),
        ("temperature", lambda: f"{random.random() * 30:.1f}"), ("species", lambda: pick(("ox", "cat", "emu"))),
        ("weight", lambda: f"{random.random() * 9:.1f}"), ("winner", lambda: pick(("Red Team", "Blue Team"))),
    ]  # fmt: skip
    for name, cell in random.sample(kinds, random.randint(2, 8)):
        make.add("", [cell() for _ in range(rows)], name)
    return RawFile("nothing of ours", make.columns, None)


def foreign(random: Random, _unknown: float) -> RawFile:
    """A table about something else that looks like one of ours."""
    _, columns = table_of_something_else(random)
    return RawFile("like ours, of something else", columns, None)


STREETS: Final = ("Main St", "High St", "Park Rd", "Ringweg")
