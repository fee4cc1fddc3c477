"""The study tables while they are collected from one or several files, with the place of every row.

An item or output may be stated many times (in every row about it) as long as it is stated alike; a label may be
given once. Whatever contradicts this is a problem with file, line, column and value, and all are reported together.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tiebreak.errors import InputError, Problem

Row = dict[str, object]
ITEM_FIELDS: Final = ("input", "context", "reference", "cluster")
NOBODY: Final = "annotator"
"""Without an annotator column the first label is by annotator1, the second on the same pair by annotator2, ..."""


@dataclass(frozen=True, slots=True)
class Place:
    """File and 1-based line of a row."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass(slots=True)
class Collected:
    """Rows so far. `skipped` counts rows or cells left out, by (file, reason); `readings` outcome cells, by (file,
    column, cell, reading); `unnamed_labels` counts labels without an annotator."""

    items: dict[str, Row] = field(default_factory=dict)
    outputs: dict[tuple[str, str], tuple[str, Place]] = field(default_factory=dict)
    preferences: list[Row] = field(default_factory=list)
    ratings: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    readings: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    unnamed_labels: int = 0
    _item_places: dict[tuple[str, str], Place] = field(default_factory=dict)
    _label_places: dict[tuple[object, ...], Place] = field(default_factory=dict)
    _labels_of: Counter[tuple[object, ...]] = field(default_factory=Counter)

    def add_item(self, item: str, details: dict[str, str], columns: dict[str, str], place: Place) -> None:
        """State an item; a detail that was stated differently is a problem, a blank one says nothing."""
        known = self.items.setdefault(item, {"item": item})
        for name, text in details.items():
            if not text.strip():
                continue
            first = known.setdefault(name, text)
            where = self._item_places.setdefault((item, name), place)
            if first != text:
                self.problem(
                    place,
                    columns.get(name),
                    text,
                    f"item {item} has another {name} at {where}; make the item ids differ",
                )

    def add_output(self, item: str, system: str, text: str, column: str | None, place: Place) -> None:
        """State an output; another text for the same item and system is a problem."""
        first, where = self.outputs.setdefault((item, system), (text, place))
        if first != text:
            self.problem(
                place,
                column,
                text,
                f"{system} has another text for item {item} at {where}; one item has one output per system "
                "(map item to a column that tells these rows apart)",
            )

    def add_preference(self, row: Row, column: str | None, place: Place) -> None:
        """Add a label of a pair. `row["annotator"]` None: nobody is named."""
        pair = tuple(sorted((str(row["system_a"]), str(row["system_b"]))))
        key = ("preference", row["item"], pair, row.get("criterion"))
        if self._name_annotator(row, key, column, place):
            self.preferences.append(row)

    def add_rating(self, row: Row, column: str | None, place: Place) -> None:
        """Add a rating. `row["annotator"]` None: nobody is named."""
        key = ("rating", row["item"], row["system"], row["criterion"])
        if self._name_annotator(row, key, column, place):
            self.ratings.append(row)

    def add_score(self, row: Row, column: str | None, place: Place) -> None:
        """Add a metric's score; scores repeat in files with one row per label, so an equal one is no problem."""
        key = ("score", row["item"], row["system"], row["metric"], row.get("criterion"))
        first = self._label_places.get((*key, row["value"]))
        other = self._label_places.setdefault(key, place)
        if first is not None:
            return
        if other != place:
            self.problem(
                place,
                column,
                str(row["value"]),
                f"{row['metric']} has another score for {row['system']} on item {row['item']} at {other}",
            )
            return
        self._label_places[(*key, row["value"])] = place
        self.scores.append(row)

    def problem(self, place: Place, column: str | None, value: str | None, message: str) -> None:
        """Note something wrong with a cell."""
        self.problems.append(Problem(place.file, message, line=place.line, column=column, value=value))

    def raise_problems(self) -> None:
        """InputError with all problems, in order of the files and lines as they were read."""
        if self.problems:
            files = list(dict.fromkeys(problem.file for problem in self.problems))
            raise InputError(sorted(self.problems, key=lambda p: (files.index(p.file), p.line or 0)))

    def _name_annotator(self, row: Row, key: tuple[object, ...], column: str | None, place: Place) -> bool:
        if row["annotator"] is None:
            self._labels_of[key] += 1
            self.unnamed_labels += 1
            row["annotator"] = f"{NOBODY}{self._labels_of[key]}"
            return True
        first = self._label_places.setdefault((*key, row["annotator"]), place)
        if first == place:
            return True
        self.problem(
            place,
            column,
            str(row["annotator"]),
            f"this annotator already labelled item {row['item']} at {first}; one label per annotator, item and "
            + ("pair" if "system_a" in row else "system"),
        )
        return False
