"""What a look writes into the ledger, as records and as JSON: everything that was seen for the first time.

The first look also writes what it fixed. Names of items, systems and people are those of the study, so that a ledger
can be read without the program; tables are stored by columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from tiebreak.errors import TiebreakError, UsageError
from tiebreak.watching.settings import WatchSettings

ITEMS: Final = {"item": pl.String, "cluster": pl.String, "batch": pl.String}
OUTPUTS: Final = {"item": pl.String, "system": pl.String, "digest": pl.String}
PREFERENCES: Final = {
    "item": pl.String,
    "system_a": pl.String,
    "system_b": pl.String,
    "annotator": pl.String,
    "criterion": pl.String,
    "outcome": pl.Int8,
}
RATINGS: Final = {
    "item": pl.String,
    "system": pl.String,
    "annotator": pl.String,
    "criterion": pl.String,
    "value": pl.Float64,
}
TABLES: Final[dict[str, dict[str, Any]]] = {
    "items": ITEMS,
    "outputs": OUTPUTS,
    "preferences": PREFERENCES,
    "ratings": RATINGS,
}

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
    begun = look.begun
    return {
        "type": "look",
        "at": look.at,
        "begun": None
        if begun is None
        else {
            "settings": begun.settings.to_dict(),
            "largest_cluster": begun.largest_cluster,
            "clustered_by": begun.clustered_by,
            "seed": begun.seed,
        },
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
