"""The ledger: all that the looks so far saw, each label with the look that saw it first. Nothing in it ever moves.

Pure: looks in, a ledger out; files are the business of `folder`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from tiebreak.watching.looks import TABLES, Beginning, Look, LookError, Pair


@dataclass(frozen=True)
class Family:
    """Pairs that are tested together: those that joined at one look, with the labels of an item that count for each
    (`per_item`). `alpha`: what they may spend.
    """

    look: int
    pairs: tuple[Pair, ...]
    per_item: tuple[int, ...]
    alpha: float


@dataclass(frozen=True)
class Ledger:
    """What `times` (one per look) saw. `tables`: rows as in `Look.tables`, with the number of their `look` from 1.

    Labels have a column `counts`: False for those of people who were excluded by then.
    """

    begun: Beginning
    times: tuple[str, ...]
    tables: Mapping[str, pl.DataFrame]
    families: tuple[Family, ...]
    exclude: tuple[str, ...]
    closed: Mapping[str, int]

    @property
    def looks(self) -> int:
        """How many there were."""
        return len(self.times)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All that are watched, family by family."""
        return tuple(pair for family in self.families for pair in family.pairs)

    @property
    def per_item(self) -> int | None:
        """Labels of an item that count; None where that is not the same for all pairs."""
        found = {count for family in self.families for count in family.per_item}
        return found.pop() if len(found) == 1 else None

    @property
    def labels(self) -> int:
        """Rows of human labels that were seen."""
        return self.tables["preferences"].height + self.tables["ratings"].height


def ledger_of(looks: Sequence[Look]) -> Ledger:
    """The ledger of at least one look.

    Raises:
        LookError: the first look fixes nothing, or a later one fixes something anew.
    """
    begun = looks[0].begun
    if begun is None:
        raise LookError("the first look does not say what it fixed")
    if any(look.begun is not None for look in looks[1:]):
        raise LookError("a later look fixes something anew")
    exclude: list[str] = []
    rows: dict[str, list[pl.DataFrame]] = {name: [] for name in TABLES}
    closed: dict[str, int] = {}
    for number, look in enumerate(looks, 1):
        if number == 1:
            exclude += look.exclude
        for name, frame in look.tables.items():
            seen = frame.with_columns(look=pl.lit(number, dtype=pl.Int32))
            if "annotator" in frame.columns:
                seen = seen.with_columns(counts=~of_people(frame["annotator"], exclude))
            rows[name].append(seen)
        # Whoever names them has read the labels that this look sees: they count, and only later ones do not.
        exclude += [glob for glob in look.exclude if glob not in exclude]
        for batch in look.closed:
            closed.setdefault(batch, number)
    return Ledger(
        begun,
        tuple(look.at for look in looks),
        {name: pl.concat(parts) for name, parts in rows.items()},
        _families(looks, begun),
        tuple(exclude),
        closed,
    )


def _families(looks: Sequence[Look], begun: Beginning) -> tuple[Family, ...]:
    """The first has alpha without the reserve, and the g-th that joins later alpha times reserve times 2^-g: together
    never more than alpha, however many join."""
    alpha, reserve = begun.settings.alpha, begun.settings.reserve
    if not looks[0].pairs:
        raise LookError("the first look names no pairs")
    found: list[Family] = []
    for number, look in enumerate(looks, 1):
        if look.pairs:
            found.append(Family(number, look.pairs, look.per_item, alpha * share_of_family(len(found), reserve)))
    return tuple(found)


def share_of_family(place: int, reserve: float) -> float:
    """The share of alpha of a family, by how many came before it."""
    return reserve * 0.5**place if place else 1 - reserve


def of_people(people: pl.Series, globs: Sequence[str]) -> pl.Series:
    """Which rows, by their annotators, are of somebody whom a glob or a name matches."""
    names = [
        name
        for name in people.unique().to_list()
        if any(name == glob or fnmatch.fnmatchcase(name, glob) for glob in globs)
    ]
    return people.is_in(names)
