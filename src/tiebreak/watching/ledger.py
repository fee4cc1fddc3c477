"""The ledger: all that the looks so far saw, each label with the look that saw it first. Nothing in it ever moves.

Pure: looks in, a ledger out; files are the business of `folder`.

What a look writes into the ledger, as records and as JSON: everything that was seen for the first time.

The first look also writes what it fixed. Names of items, systems and people are those of the study, so that a ledger
can be read without the program; tables are stored by columns.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from tiebreak.errors import TiebreakError, UsageError
from tiebreak.watching.settings import WatchSettings

TABLES: Final[dict[str, dict[str, Any]]] = {
    "items": {"item": pl.String, "cluster": pl.String, "batch": pl.String},
    "outputs": {"item": pl.String, "system": pl.String, "digest": pl.String},
    "preferences": {
        "item": pl.String,
        "system_a": pl.String,
        "system_b": pl.String,
        "annotator": pl.String,
        "criterion": pl.String,
        "outcome": pl.Int8,
    },
    "ratings": {
        "item": pl.String,
        "system": pl.String,
        "annotator": pl.String,
        "criterion": pl.String,
        "value": pl.Float64,
    },
}
"""By name of a table, its columns."""

Pair = tuple[str | None, str, str]
"""Criterion, system_a and system_b of a pair that is watched."""


class LookError(TiebreakError):
    """A record that is none of a look, or does not follow the looks before it."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the first look fixed beside the settings. `largest_cluster`
    >= 1: items of a cluster that count at most; `clustered_by`: what clusters came from, None without any; `seed`
    (hex): of every choice by chance, drawn by the machine.
    """

    settings: WatchSettings
    largest_cluster: int
    clustered_by: str | None
    seed: str


@dataclass(frozen=True, slots=True)
class Look:
    """What was new at one look. `tables`: rows seen for the first time, by the names and columns of `TABLES`.

    `items`: their cluster (named by one of its items) and batch; `outputs`: a digest of each text, which tells
    identical outputs; `preferences`: system_a < system_b by name, `outcome` 1, 0 or -1 for system_a. `pairs`: that are
    watched from now on, each with the labels of an item that count (`per_item`, >= 1); those of one look are one
    family. `exclude`: people (globs) whose labels count no more from this look on; `closed`: batches that somebody
    closed. `begun`: of the first look only.
    """

    at: str
    tables: Mapping[str, pl.DataFrame]
    pairs: tuple[Pair, ...] = ()
    per_item: tuple[int, ...] = ()
    exclude: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    begun: Beginning | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was new."""
        return not (self.pairs or self.exclude or self.closed or any(frame.height for frame in self.tables.values()))


def look_to_json(look: Look) -> dict[str, Any]:
    """The look as the ledger stores it."""
    return {
        "type": "look",
        "at": look.at,
        "begun": None if look.begun is None else asdict(look.begun),
        "pairs": [[*pair, count] for pair, count in zip(look.pairs, look.per_item, strict=True)],
        "exclude": list(look.exclude),
        "closed": list(look.closed),
        **{name: look.tables[name].to_dict(as_series=False) for name in TABLES},
    }


def look_from_json(document: Mapping[str, Any]) -> Look:
    """The look that `look_to_json` wrote.

    Raises:
        LookError: it is none.
    """
    try:
        if document["type"] != "look":
            raise LookError(f"it is of type {document['type']!r}, not a look")
        begun = document["begun"]
        return Look(
            at=str(document["at"]),
            tables={name: pl.DataFrame(document[name], schema=columns) for name, columns in TABLES.items()},
            pairs=tuple((criterion, a, b) for criterion, a, b, _ in document["pairs"]),
            per_item=tuple(int(count) for _, _, _, count in document["pairs"]),
            exclude=tuple(document["exclude"]),
            closed=tuple(document["closed"]),
            begun=None
            if begun is None
            else Beginning(
                WatchSettings.of_dict(begun["settings"]),
                int(begun["largest_cluster"]),
                begun["clustered_by"],
                str(begun["seed"]),
            ),
        )
    except (KeyError, TypeError, ValueError, UsageError, pl.exceptions.PolarsError) as error:
        raise LookError(f"this is no look that tiebreak watch wrote ({error})") from error


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
    joined = [(number, look) for number, look in enumerate(looks, 1) if look.pairs]
    return tuple(
        Family(number, look.pairs, look.per_item, alpha * share_of_family(place, reserve))
        for place, (number, look) in enumerate(joined)
    )


def share_of_family(place: int, reserve: float) -> float:
    """The share of alpha of a family, by how many came before it."""
    return reserve * 0.5**place if place else 1 - reserve


def of_people(people: pl.Series, globs: Sequence[str]) -> pl.Series:
    """Which rows, by their annotators, are of somebody whom a glob or a name matches."""
    known = people.unique().to_list()
    return people.is_in([name for glob in globs for name in matches(glob, known)])


def matches(glob: str, people: Sequence[str]) -> list[str]:
    """Those of the people whom a glob or a name matches."""
    return [name for name in people if name == glob or fnmatch.fnmatchcase(name, glob)]
