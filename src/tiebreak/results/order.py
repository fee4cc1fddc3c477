"""The order of the systems that verdicts amount to, by name.

Who gave the labels of a criterion, and what each system was rated.

How the evidence of a pair grew with its labels, for drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels.partial_order import letter_groups, partial_order
from tiebreak.records import Verdict


@dataclass(frozen=True, slots=True)
class Order:
    """The partial order of systems by name; see `kernels.partial_order` for what tiers and cycles mean."""

    tiers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]
    equivalences: tuple[tuple[str, str], ...]
    cycles: tuple[tuple[str, ...], ...]

    def letters(self, names: Sequence[str]) -> dict[str, str]:
        """The compact letter display of all systems, named best first: two that share a letter are not told apart by a
        verdict. After z come aa, ab.
        """
        number = {name: k for k, name in enumerate(names)}
        groups = letter_groups(len(names), [(number[i], number[j]) for i, j in self.edges])
        found = dict.fromkeys(names, "")
        for k, group in enumerate(groups):
            letter = chr(ord("a") + k % 26)
            letter = letter if k < 26 else chr(ord("a") + k // 26 - 1) + letter
            for system in group:
                found[names[system]] += letter
        return found


def order_of(systems: Iterable[str], pairs: Iterable[tuple[str, str, Verdict, Verdict | None]]) -> Order:
    """The order of the systems after these verdicts: (system_a, system_b, verdict, also) of every pair."""
    names = sorted(set(systems))
    number = {name: k for k, name in enumerate(names)}
    better, equivalent = [], []
    for system_a, system_b, verdict, also in pairs:
        a, b = number[system_a], number[system_b]
        if verdict in ("a", "b"):
            better.append((a, b) if verdict == "a" else (b, a))
        if "equivalent" in (verdict, also):
            equivalent.append((a, b))
    found = partial_order(len(names), better, equivalent)
    return Order(
        tiers=tuple(tuple(names[k] for k in tier) for tier in found.tiers),
        edges=tuple((names[i], names[j]) for i, j in found.edges),
        equivalences=tuple((names[i], names[j]) for i, j in found.equivalences),
        cycles=tuple(tuple(names[k] for k in cycle) for cycle in found.cycles),
    )


@dataclass(frozen=True, slots=True)
class AnnotatorLabels:
    """`labels`: preferences and ratings that one person gave on the criterion."""

    annotator: str
    labels: int


@dataclass(frozen=True, slots=True)
class Annotators(Sequence[AnnotatorLabels]):
    """How many labels each of `names` gave, most first. By column, as there may be a million people."""

    names: tuple[str, ...] = ()
    labels: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, place: int) -> AnnotatorLabels: ...

    @overload
    def __getitem__(self, place: slice) -> Annotators: ...

    def __getitem__(self, place: int | slice) -> AnnotatorLabels | Annotators:
        if isinstance(place, slice):
            return Annotators(self.names[place], self.labels[place])
        return AnnotatorLabels(self.names[place], self.labels[place])

    @property
    def total(self) -> int:
        """Labels of all of them."""
        return sum(self.labels)


NOBODY: Final = Annotators()


@dataclass(frozen=True, slots=True)
class SystemRatings:
    """The ratings of one system on the criterion: the `mean` over items of the means of their outputs, the standard
    `deviation` of all ratings (None of a single one); `low`, `high`: an interval of the mean, where means are compared.
    """

    system: str
    mean: float
    deviation: float | None
    ratings: int
    low: float | None = None
    high: float | None = None


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POINTS: Final = 200
"""Points of a curve at most."""


@dataclass(frozen=True, slots=True, eq=False)
class EvidenceCurve:
    """Natural log E of one pair after some of its items, in the order in which they became evidence. (Where items were
    withdrawn, two points may have the same number of items.)

    `items`, `labels` (k,): items and human labels seen, both starting at 0. `log_e_a`, `log_e_b` (k,): evidence that
    a, that b is better. `log_e_equivalent` (k,): evidence that the difference is inside the margin, the smaller of
    the best that either side has reached so far; None without a margin. `log_threshold`, `log_threshold_equivalent`:
    what the evidence must reach (infinite: nothing in this family would do). `stopped_at`: items after which there
    was a verdict, None if there is none; it is among `items`.
    """

    criterion: str | None
    system_a: str
    system_b: str
    items: Integers
    labels: Integers
    log_e_a: Floats
    log_e_b: Floats
    log_e_equivalent: Floats | None
    log_threshold: float
    log_threshold_equivalent: float | None
    stopped_at: int | None

    def turned(self) -> EvidenceCurve:
        """With the systems the other way round."""
        return replace(self, system_a=self.system_b, system_b=self.system_a, log_e_a=self.log_e_b, log_e_b=self.log_e_a)

    def thinned(self, points: int) -> EvidenceCurve:
        """The same curve with at most `points` >= 3 points; the first, the last and the stop are kept.

        Raises:
            ValueError: fewer than 3 points.
        """
        if points < 3:
            raise ValueError(f"a curve needs at least 3 points, not {points}")
        stop = None if self.stopped_at is None else int(np.searchsorted(self.items, self.stopped_at))
        kept = looks(self.items.size - 1, stop, points)
        equivalent = self.log_e_equivalent
        return replace(
            self,
            items=self.items[kept],
            labels=self.labels[kept],
            log_e_a=self.log_e_a[kept],
            log_e_b=self.log_e_b[kept],
            log_e_equivalent=None if equivalent is None else equivalent[kept],
        )


def looks(units: int, stopped_at: int | None, points: int = POINTS) -> Integers:
    """At most `points` numbers of units from 0 to all of them, with the one where the pair stopped among them."""
    if units + 1 <= points:
        return np.arange(units + 1)
    found = np.linspace(0, units, points - 1).round().astype(np.int64)
    return found if stopped_at is None else np.union1d(found, [stopped_at])
