"""The study tables while they are collected from one or several files, with the place of every row.

An item or output may be stated many times (in every row about it) as long as it is stated alike. Whatever contradicts
this is a problem with file, row, column and value; all are reported together, one line for each cause. Labels that
repeat or contradict each other are kept: which of them counts is for whoever compares.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tiebreak.data.study_toml import Scalar
from tiebreak.errors import InputError, Problem, Unit

Row = dict[str, object]
ITEM_FIELDS: Final = ("input", "context", "reference", "cluster")
REFERENCES: Final = "references"
"""The detail of an item that has several texts."""

Detail = str | tuple[str, ...]
_OTHER: Final = {REFERENCES: "other references"}
OTHERS_SHOWN: Final = 4
"""Cells of one cause that are named beside the first."""

NOBODY: Final = "annotator"
"""Without an annotator column the first label is by annotator1, the second on the same pair by annotator2, ..."""


@dataclass(frozen=True, slots=True)
class Place:
    """File and 1-based number of a row; `unit` says what is counted."""

    file: str
    line: int
    unit: Unit = "row"

    def __str__(self) -> str:
        return f"{self.file}, {self.unit} {self.line}"


@dataclass(slots=True)
class Cause:
    """What is wrong in the same way with one or more cells of a column: the first place, the cells, the rows."""

    place: Place
    column: str | None
    message: str
    cells: dict[str | None, None] = field(default_factory=dict)
    rows: set[int] = field(default_factory=set)

    def problem(self) -> Problem:
        """The first of them, and how many there are."""
        first, *others = self.cells
        count = len(self.rows)
        also = [f"{_shortened(cell)!r}" for cell in others if cell][:OTHERS_SHOWN]
        more = f", also {', '.join(also)}" + (", ..." if len(others) > len(also) else "") if also else ""
        counted = f" ({count:,} rows{more})" if count > 1 else ""
        return Problem(self.place.file, self.message + counted, self.place.line, self.column, first, self.place.unit)


def _shortened(cell: str) -> str:
    return cell if len(cell) <= 20 else cell[:19] + "…"


@dataclass(frozen=True, slots=True)
class Told:
    """What a cell says of a system, as a value, with where it stands."""

    value: Scalar
    cell: str
    column: str | None
    place: Place


@dataclass(slots=True)
class Collected:
    """Rows so far. `skipped` counts rows or cells left out, by (file, reason); `readings` outcome cells, by (file,
    column, cell, reading); `unnamed_labels` counts labels without an annotator. `trainings`: by system what is said of
    it as a checkpoint, by what it is called. `key_option`, `system_option`: what would tell rows of the current file
    apart by a further column, as of several items or systems."""

    items: dict[str, Row] = field(default_factory=dict)
    passages: dict[tuple[str, str], tuple[str, Place]] = field(default_factory=dict)
    outputs: dict[tuple[str, str, str | None], tuple[str, Place]] = field(default_factory=dict)
    preferences: list[Row] = field(default_factory=list)
    ratings: list[Row] = field(default_factory=list)
    edits: list[Row] = field(default_factory=list)
    spans: list[Row] = field(default_factory=list)
    scores: list[Row] = field(default_factory=list)
    judged: list[Row] = field(default_factory=list)
    causes: dict[tuple[str, str | None, str], Cause] = field(default_factory=dict)
    skipped: Counter[tuple[str, str]] = field(default_factory=Counter)
    readings: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    scales: dict[str, tuple[float, float]] = field(default_factory=dict)
    trainings: dict[str, dict[str, Told]] = field(default_factory=dict)
    unnamed_labels: int = 0
    key_option: str = ""
    system_option: str = ""
    _passage_names: dict[str, dict[str, str]] = field(default_factory=dict)
    _item_places: dict[tuple[str, str], Place] = field(default_factory=dict)
    _label_places: dict[tuple[object, ...], Place] = field(default_factory=dict)
    _labels_of: Counter[tuple[object, ...]] = field(default_factory=Counter)

    def add_item(self, item: str, details: dict[str, Detail], columns: dict[str, str], place: Place) -> None:
        """State an item; a detail that was stated differently is a problem, a blank one says nothing."""
        known = self.items.setdefault(item, {"item": item})
        for name, text in details.items():
            if not (text.strip() if isinstance(text, str) else text):
                continue
            first = known.setdefault(name, text)
            where = self._item_places.setdefault((item, name), place)
            if first != text:
                self.problem(
                    place,
                    columns.get(name),
                    text if isinstance(text, str) else text[0],
                    f"item {item} has {_OTHER.get(name, 'another ' + name)} at {where}; make the item ids differ, "
                    f"or say what tells the rows apart: {self.key_option}",
                    cause=f"another {name}",
                )

    def add_output(
        self, item: str, system: str, text: str, column: str | None, place: Place, sample: str | None = None
    ) -> None:
        """State an output; another text for the same item, system and sample is a problem."""
        first, where = self.outputs.setdefault((item, system, sample), (text, place))
        if first != text:
            whose = system if sample is None else f"sample {sample} of {system}"
            by_system = f"{self.system_option} if several systems or checkpoints wrote them, "
            self.problem(
                place,
                column,
                text,
                f"{whose} has another text for item {item} at {where}; one item has one output per system and sample "
                f"(say what tells these rows apart: {by_system if self.system_option else ''}--map sample=COLUMN if "
                f"the system answered several times, {self.key_option} if they are about several items)",
                cause="another text",
            )

    def add_passage(self, item: str, passage: str, text: str, column: str | None, place: Place) -> None:
        """State a passage; another text under its name is a problem."""
        first, where = self.passages.setdefault((item, passage), (text, place))
        if first != text:
            message = f"passage {passage} of item {item} has another text at {where}; another passage needs another id"
            self.problem(place, column, text, message, cause="another passage")

    def passage_named(self, item: str, text: str) -> str:
        """The name of a passage that is known by its text alone: p1, p2, ... within its item."""
        known = self._passage_names.setdefault(item, {})
        return known.setdefault(text, f"p{len(known) + 1}")

    def add_preference(self, row: Row) -> None:
        """Add a label of a pair. `row["annotator"]` None: nobody is named. One who answers again is kept."""
        sides = ((str(row[f"system_{side}"]), str(row.get(f"sample_{side}"))) for side in "ab")
        key = ("preference", row["item"], tuple(sorted(sides)), row.get("criterion"))
        self._name_annotator(row, key)
        self.preferences.append(row)

    def declare_scale(self, criterion: str, scale: tuple[float, float], column: str, place: Place) -> None:
        """State which ratings people could give; two scales of one criterion are a problem."""
        first = self.scales.setdefault(criterion, scale)
        if first != scale:
            known, other = (f"{low:g} to {high:g}" for low, high in (first, scale))
            message = f"{criterion} is rated from {other} here and from {known} elsewhere; call one of them otherwise"
            self.problem(place, column, None, message, cause="another scale")

    def tell(self, system: str, name: str, told: Told) -> None:
        """State something of a checkpoint, or of its training; another value of the same is a problem."""
        first = self.trainings.setdefault(system, {}).setdefault(name, told)
        if first.value != told.value:
            message = f"{system} has another {name} at {first.place} ({first.cell}); a checkpoint has one"
            self.problem(told.place, told.column, told.cell, message, cause=f"another {name}")

    def add_rating(self, row: Row) -> None:
        """Add a rating. `row["annotator"]` None: nobody is named. One who answers again is kept."""
        key = ("rating", row["item"], row["system"], row.get("sample"), row["criterion"])
        self._name_annotator(row, key)
        self.ratings.append(row)

    def add_edit(self, row: Row) -> None:
        """Add a corrected output. `row["annotator"]` None: nobody is named."""
        self._name_annotator(row, ("edit", row["item"], row["system"], row.get("sample")))
        self.edits.append(row)

    def add_span(self, row: Row) -> None:
        """Add what a passage says about an output. `row["annotator"]` None: nobody is named."""
        self._name_annotator(row, ("span", row["item"], row["system"], row.get("sample"), row["passage"]))
        self.spans.append(row)

    def add_score(self, row: Row, column: str | None, place: Place) -> None:
        """Add a metric's score; scores repeat in files with one row per label, so an equal one is no problem."""
        key = ("score", row["item"], row["system"], row.get("sample"), row["metric"], row.get("criterion"))
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
                cause="another score",
            )
            return
        self._label_places[(*key, row["value"])] = place
        self.scores.append(row)

    def add_judged(self, row: Row) -> None:
        """Add a model's choice; `row["outcome"]` None: it could not be read, or there was none."""
        self.judged.append(row)

    def problem(
        self, place: Place, column: str | None, value: str | None, message: str, *, cause: str | None = None
    ) -> None:
        """Note something wrong with a cell. Cells of a column with one `cause` (else: one message) are one problem."""
        found = self.causes.setdefault((place.file, column, cause or message), Cause(place, column, message))
        found.cells[value] = None
        found.rows.add(place.line)

    @property
    def problems(self) -> list[Problem]:
        """One problem for each cause, in the order of files and rows as they were read."""
        files = list(dict.fromkeys(cause.place.file for cause in self.causes.values()))
        found = sorted(self.causes.values(), key=lambda cause: (files.index(cause.place.file), cause.place.line))
        return [cause.problem() for cause in found]

    def raise_problems(self) -> None:
        """InputError with all problems."""
        if self.causes:
            raise InputError(self.problems)

    def _name_annotator(self, row: Row, key: tuple[object, ...]) -> None:
        """A label by nobody is by the next of annotator1, annotator2, ... who has not labelled this yet."""
        if row["annotator"] is None:
            self._labels_of[key] += 1
            self.unnamed_labels += 1
            row["annotator"] = f"{NOBODY}{self._labels_of[key]}"


def systems_of(collected: Collected) -> list[str]:
    """The systems of the outputs and labels, in the order in which they came."""
    found = {system: None for _, system, _ in collected.outputs}
    for row in (*collected.preferences, *collected.judged):
        found |= dict.fromkeys(str(row[side]) for side in ("system_a", "system_b"))
    for row in (*collected.ratings, *collected.edits, *collected.spans, *collected.scores):
        found[str(row["system"])] = None
    return list(found)
