"""Watched studies of two equal systems, each beside a way to read the same labels that errs.

A world is a function from a generator to `Watched`: whether any look gives a verdict, and whether the other reading
does. Every verdict is wrong, since nobody can tell the systems apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from benchmarks.cells import Cell, Counts, Measure
from numpy.typing import NDArray

from tiebreak.kernels.sign_flips import sign_test
from tiebreak.rules.family import Family
from tiebreak.rules.planned_set import plan_set, scan
from tiebreak.rules.rule import ValueSequence
from tiebreak.watching.evidence import LedgerEvidence
from tiebreak.watching.ledger import TABLES, Beginning, Ledger, Look, Pair, ledger_of
from tiebreak.watching.settings import WatchSettings

Rng = np.random.Generator
Floats = NDArray[np.float64]

ALPHA = 0.05
TIES = 0.2
PAIR = ("ant", "bee")


@dataclass(frozen=True, slots=True)
class Watched:
    """Whether `watch`, and the other reading of the same labels, gave a verdict at any look."""

    watch: bool
    other: bool


@dataclass(frozen=True, slots=True)
class World:
    """`other`: what the other reading is; `covered`: whether the promise covers the world, else the other reading keeps
    it. `slow`: whether to play it less often.
    """

    name: str
    other: str
    play: Callable[[Rng], Watched]
    covered: bool = True
    slow: bool = False


def outcomes(rng: Rng, count: int, lean: Floats | float = 0.0) -> Floats:
    """Ties with chance 0.2, else wins and losses, as often on average as `lean` in [-1, 1] says (0: equally often)."""
    luck, wins = rng.random(count), (1 - TIES) / 2 * (1 + np.asarray(lean))
    return np.where(luck < wins, 1.0, np.where(luck < wins + TIES, 0.0, -1.0))


def shows(sequence: ValueSequence, planned: int | None = None, pairs: int = 1, alpha: float = ALPHA) -> bool:
    """Whether the evidence of a pair among so many (Bonferroni) decides at any look, planned for all values or more."""
    family = Family(alpha, "bonferroni", pairs, margin=False)
    (found,) = scan([plan_set(family, sequence, most=planned, margin=None)])
    return bool((found.largest >= -math.log(family.first_level)).any())


def at_looks(values: Floats, ends: Sequence[int], pool: int | None = None) -> ValueSequence:
    """Values in the order in which they came, and how many there were at each look."""
    whole = bool(np.isin(values, (-1.0, 0.0, 1.0)).all())
    return ValueSequence(values, values, whole, pool, 1.0, None, np.array(ends, dtype=np.intp))


def one_at_a_time(values: Floats, pool: int | None = None) -> bool:
    """Whether the evidence would show something at any place of this order."""
    return shows(ValueSequence.complete(values, pool))


# ---- orders ----------------------------------------------------------------------------------------------------


def one_date(rng: Rng) -> Watched:
    """Twenty looks at a day's labels, all with the same date: an order is drawn anew at each look."""
    values, ends = outcomes(rng, 400), [20 * k for k in range(1, 21)]
    other = any(one_at_a_time(rng.permutation(values[:end])) for end in ends)
    return Watched(shows(at_looks(values, ends)), other)


def sheets_by_person(rng: Rng) -> Watched:
    """Ten people, half of whom lean to either side, fill sheets; each look merges them, one person after another."""
    people, lean = rng.integers(10, size=400), rng.permutation(np.repeat([-0.4, 0.4], 5))
    values, ends = outcomes(rng, 400, lean[people]), [20 * k for k in range(1, 21)]
    merged = (values[:end][np.argsort(people[:end], kind="stable")] for end in ends)
    return Watched(shows(at_looks(values, ends)), any(one_at_a_time(order) for order in merged))


def _peeked(values: Floats) -> list[int]:
    """Looks whenever the lead has grown by four since the last look, and at the end."""
    ends, last = [], 0.0
    for count, lead in enumerate(np.abs(np.cumsum(values)), 1):
        if lead >= last + 4:
            ends.append(count)
            last = lead
    return ends if ends and ends[-1] == values.size else [*ends, values.size]


def _everywhere(values: Floats, ends: Sequence[int], rng: Rng, pool: int | None) -> bool:
    """Evidence read at every place of an order drawn within each look."""
    order = np.concatenate([rng.permutation(part) for part in np.split(values, ends[:-1])])
    return one_at_a_time(order, pool)


def peeking_pool(rng: Rng) -> Watched:
    """A pool of 300 even items; who looks knows the lead."""
    values = rng.permutation(np.repeat([1.0, 0.0, -1.0], [120, 60, 120]))[:270]
    ends = _peeked(values)
    return Watched(shows(at_looks(values, ends, 300)), _everywhere(values, ends, rng, 300))


def peeking_means(rng: Rng) -> Watched:
    """Inputs with the mean of two labels each; who looks knows the lead."""
    values = (outcomes(rng, 400) + outcomes(rng, 400)) / 2
    ends = _peeked(values)
    return Watched(shows(at_looks(values, ends)), _everywhere(values, ends, rng, None))


# ---- whole ledgers ---------------------------------------------------------------------------------------------


def _frame(rows: Sequence[tuple[object, ...]], schema: dict[str, type[pl.DataType]]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema, orient="row")


def _look(
    number: int,
    items: Sequence[tuple[str, str]],
    labels: Sequence[tuple[object, ...]],
    pairs: Sequence[Pair] = (),
    begun: Beginning | None = None,
) -> Look:
    """`items`: new ones with their clusters; `labels`: (item, a, b, annotator, outcome)."""
    tables = {
        "items": _frame([(item, cluster, None) for item, cluster in items], TABLES["items"]),
        "outputs": pl.DataFrame(schema=TABLES["outputs"]),
        "preferences": _frame([(*label[:4], None, label[4]) for label in labels], TABLES["preferences"]),
        "ratings": pl.DataFrame(schema=TABLES["ratings"]),
    }
    return Look(f"2026-01-{number:02d}T00:00:00Z", tables, tuple(pairs), (1,) * len(pairs), begun=begun)


def _beginning(rng: Rng, items: int, largest: int = 1) -> Beginning:
    """Planned for so many items per pair."""
    return Beginning(WatchSettings(reserve=0.2, items_per_pair=items), largest, None, rng.bytes(8).hex())


def _decided(ledger: Ledger) -> bool:
    """Whether any pair of any family reaches its limit (Bonferroni) at any look."""
    evidence = LedgerEvidence(ledger)
    return any(
        shows(found.evidence.sequence, found.evidence.most_units, len(family.pairs), family.alpha)
        for family in ledger.families
        for found in evidence.of_family(family)
    )


def asked_again(rng: Rng) -> Watched:
    """Where the first label favours bee, a second person is asked, and a third where both do. One label counts."""
    begun, looks, labels = _beginning(rng, 300), [], []
    values: dict[str, list[float]] = {}
    other = False
    for number in range(1, 11):
        names = [f"i{number}-{k}" for k in range(30)]
        lean = dict(zip(names, rng.uniform(-1, 1, 30), strict=True))
        fresh = [(name, "first", outcomes(rng, 1, lean[name])[0]) for name in names]
        fresh += [(name, "second", outcomes(rng, 1, lean[name])[0]) for name, _, value in fresh if value < 0]
        for name, _, value in fresh:
            values.setdefault(name, []).append(value)
        labels = [(name, *PAIR, who, int(value)) for name, who, value in fresh]
        first = {"pairs": [(None, *PAIR)], "begun": begun} if number == 1 else {}
        looks.append(_look(number, [(name, name) for name in names], labels, **first))
        means = np.array([np.mean(given) for given in values.values()])
        other = other or shows(at_looks(means, [means.size]))
    return Watched(_decided(ledger_of(looks)), other)


def growing_clusters(rng: Rng) -> Watched:
    """Forty documents of five parts, which are labelled over ten looks; parts of a document are alike."""
    lean = rng.choice([-0.9, 0.9], 40)
    begun, looks = _beginning(rng, 200, largest=5), []
    items = [(f"d{doc}-{part}", f"d{doc}") for doc in range(40) for part in range(5)]
    order = rng.permutation(200)
    sums, counts, entered = np.zeros(40), np.zeros(40), []
    for number, chosen in enumerate(np.split(order, 10), 1):
        given = {int(k): float(outcomes(rng, 1, lean[k // 5])[0]) for k in chosen}
        labels = [(items[k][0], *PAIR, "ann", int(value)) for k, value in given.items()]
        first = {"pairs": [(None, *PAIR)], "begun": begun} if number == 1 else {}
        looks.append(_look(number, items if number == 1 else [], labels, **first))
        for k, value in given.items():
            sums[k // 5] += value
            counts[k // 5] += 1
        touched = np.unique([k // 5 for k in given])
        entered.append(sums[touched] / counts[touched])  # with all that they have by now, once more
    ends = np.cumsum([part.size for part in entered]).tolist()
    return Watched(_decided(ledger_of(looks)), shows(at_looks(np.concatenate(entered), ends)))


def _sign_test_rejects(values: Floats) -> bool:
    return bool(sign_test((values > 0).sum(), (values < 0).sum()).p_two_sided <= ALPHA)


def joining_systems(rng: Rng) -> Watched:
    """Equal systems join at every look, and are compared with the first."""
    begun, looks, other = _beginning(rng, 100), [], False
    names = [f"s{k}" for k in range(12)]
    items = [f"i{k}" for k in range(100)]
    for number in range(1, 12):
        pair = ("base", names[number])
        values = outcomes(rng, 100)
        labels = [(item, *pair, "ann", int(value)) for item, value in zip(items, values, strict=True)]
        first = {"begun": begun} if number == 1 else {}
        listed = [(item, item) for item in items] if number == 1 else []
        looks.append(_look(number, listed, labels, [(None, *pair)], **first))
        other = other or _sign_test_rejects(values)
    return Watched(_decided(ledger_of(looks)), other)


def vanished_labels(rng: Rng) -> Watched:
    """Who owns the study takes one in five of the labels for bee out again after they were seen."""
    begun, looks, left, other = _beginning(rng, 300), [], [], False
    for number in range(1, 11):
        names, values = [f"i{number}-{k}" for k in range(30)], outcomes(rng, 30)
        labels = [(name, *PAIR, "ann", int(value)) for name, value in zip(names, values, strict=True)]
        first = {"pairs": [(None, *PAIR)], "begun": begun} if number == 1 else {}
        looks.append(_look(number, [(name, name) for name in names], labels, **first))
        left += [value for value in values if value >= 0 or rng.random() > 0.2]
        other = other or shows(at_looks(np.array(left), [len(left)]))
    return Watched(_decided(ledger_of(looks)), other)


# ---- what no ledger can give -----------------------------------------------------------------------------------


def topics_in_turn(rng: Rng) -> Watched:
    """Three topics of 200 items that lean to ant, to neither and to bee, labelled in turn; the other way: shuffled."""
    lean = np.repeat([0.25, 0.0, -0.25], 200)
    values, ends = outcomes(rng, 600, lean), [20 * k for k in range(1, 31)]
    return Watched(shows(at_looks(values, ends)), shows(at_looks(rng.permutation(values), ends)))


def _slow_for_bee(rng: Rng, in_flight: int, batch: int | None) -> bool:
    """Answers for bee take twice as long; `in_flight` items are out at a time. Whole batches, or whatever is there."""
    values = outcomes(rng, 1000)
    if batch is not None:
        return shows(at_looks(values, list(range(batch, 1001, batch))))
    takes = rng.exponential(size=1000) * np.where(values < 0, 2.0, 1.0)
    free = np.zeros(in_flight)
    done = np.empty(1000)
    for k, time in enumerate(takes):
        person = int(free.argmin())
        free[person] += time
        done[k] = free[person]
    return shows(at_looks(values[np.argsort(done)], list(range(10, 1001, 10))))


def slow_answers(rng: Rng) -> Watched:
    """100 items are out at a time; the other way: in batches of 100 that enter whole."""
    return Watched(_slow_for_bee(rng, 100, None), _slow_for_bee(rng, 100, 100))


WORLDS = (
    World("20 looks at labels of one date", "in an order drawn anew at each look, label by label", one_date),
    World("sheets of ten people, merged", "in the order of the merged table, label by label", sheets_by_person),
    World("pool of 300, looks by the lead", "every place of a chance order within looks", peeking_pool),
    World("means of two labels, looks by the lead", "every place of a chance order within looks", peeking_means),
    World("unwelcome labels asked again", "the mean of all labels of an item", asked_again, slow=True),
    World("documents labelled part by part", "a document enters at every look anew", growing_clusters, slow=True),
    World("a system joins at each of ten looks", "a sign test of each at 0.05", joining_systems, slow=True),
    World("unwelcome labels vanish", "the labels that are left", vanished_labels, slow=True),
    World("topics labelled in turn", "shuffled", topics_in_turn, covered=False),
    World("100 in flight, answers for one side slow", "in batches", slow_answers, covered=False),
)


def events(world: World) -> tuple[str, str, str]:
    """What `watch` and the other reading are counted as, and which of the two has a limit."""
    if world.covered:
        return f"wrong {ALPHA:g}", f"control: {world.other} {ALPHA:g}", f"wrong {ALPHA:g}"
    return f"control: watch {ALPHA:g}", f"remedy: {world.other} {ALPHA:g}", f"remedy: {world.other} {ALPHA:g}"


def counted(world: World) -> Measure:
    """Studies in which `watch` gives a verdict at any look, and in which the other reading does."""

    def measure(rng: Rng, runs: int) -> Counts:
        played = [world.play(rng) for _ in range(runs)]
        watch, other, _ = events(world)
        return {watch: float(sum(one.watch for one in played)), other: float(sum(one.other for one in played))}

    return measure


def cells() -> Iterator[Cell]:
    """All cells: those that the promise covers, and those where the other reading is the remedy."""
    for world in WORLDS:
        section = "covered" if world.covered else "not covered"
        yield Cell(section, world.name, "exact", counted(world), 500 if world.slow else 2_000, (), events(world)[2:])
