"""Makes entries of the rows of a file, as a recipe says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiebreak.errors import InputError, Problem, did_you_mean
from tiebreak.importers.cells import SKIP, named_in, parse_number
from tiebreak.importers.entries import FIELDS, LABELS, OF_A_PAIR, Entry
from tiebreak.importers.recipe import COLUMN, FILE, PLACEHOLDER, REST, ROW, SHEET, Recipe, pattern_of
from tiebreak.tabular.documents import flat, unfolded
from tiebreak.tabular.headers import MOST_COLUMNS
from tiebreak.tabular.source import Place, Record, Source

NUMBERS: Final = frozenset({"value", "score", "rank", "seconds", "p_a", "p_tie", "p_b", "wins_a", "wins_b", "ties"})
_JOINT: Final = "/"
_MEANT: Final = ("a", "tie", "b", "skip")
_SEVERAL: Final = frozenset({"reference", "setting"})
"""Fields of which one entry has several."""

_OF_A_ROW: Final = OF_A_PAIR | LABELS | {"score"}
"""Fields that are said once of a row, whatever groups of columns it has."""

Row = dict[str, str]
MadeRows = Callable[[], Iterable[tuple[Place, Row]]]
"""The rows that a format makes of its files."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a field stands: the columns that make its name, or a constant."""

    columns: tuple[str, ...] = ()
    constant: str | None = None

    def read(self, row: Row) -> str:
        """The text of its columns in a row; "" where any of them is blank."""
        parts = [row.get(column, "") for column in self.columns]
        if len(parts) == 1:
            return parts[0]
        names = [part.strip().replace(_JOINT, 2 * _JOINT) for part in parts]  # a/b and c is not a and b/c
        return _JOINT.join(names) if all(names) else ""


@dataclass(slots=True)
class Shape:
    """One kind of entry that each row makes. `bound`: fields that the names of the columns say."""

    cells: dict[str, Cell] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)


class Table:
    """The rows of a file, flat: `columns` of all of them, those that `split` makes too, in the order in which they
    came; `examples` of cells by column; `blank`: columns without a cell that says anything; `part_column`: the one that
    names the sheet of each row, "" where there is none; `is_nested`: whether records may hold lists and objects.
    """

    def __init__(self, source: Source, recipe: Recipe, made: MadeRows | None = None) -> None:
        """Go through the file once. `made`: its rows, where a format makes them.

        Raises:
            InputError: it cannot be read.
        """
        self.source, self.recipe, self._made = source, recipe, made
        self.is_nested = source.is_json or source.is_parquet
        self.examples: dict[str, Counter[str]] = {}
        self.filled: Counter[str] = Counter()
        self.rows_seen = 0
        for _, row in self.rows():
            self.rows_seen += 1
            for column, cell in row.items():
                seen = self.examples.setdefault(column, Counter())
                if cell.strip():
                    self.filled[column] += 1
                    if len(seen) < KINDS or cell in seen:
                        seen[cell] += 1
            if len(self.examples) > MOST_COLUMNS:
                message = f"more than {MOST_COLUMNS:,} columns; name the list whose elements are the rows: rows = PATH"
                raise InputError([Problem(source.file, message)])
        self.columns = tuple(self.examples)
        self.blank = tuple(column for column in self.columns if not self.filled[column])
        self.part_column = source.sheet.part_column if made is None and source.sheet is not None else ""

    def is_counter(self, column: str) -> bool:
        """Whether the column has no name of its own and numbers the rows, as pandas writes an index."""
        seen = self.examples[column]
        if not re.fullmatch(r"column [A-Z]+|Unnamed: \d+|index|", column) or len(seen) < min(self.rows_seen, KINDS):
            return False
        numbers = [int(cell) for cell in seen if cell.isdecimal()]
        return len(numbers) == len(seen) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    def rows(self) -> Iterator[tuple[Place, Row]]:
        """The rows with the places of their records.

        Raises:
            InputError: a record that cannot be made flat.
        """
        split = [(column, pattern_of(form)) for column, form in self.recipe.split.items()]
        try:
            for place, row in self._made() if self._made is not None else self._read():
                for column, form in split:
                    row |= self._taken_apart(column, form, row, place)
                yield place, row
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
            raise InputError([Problem(self.source.file, f"this file cannot be read ({error})")]) from error

    def _taken_apart(self, column: str, form: re.Pattern[str], row: Row, place: Place) -> Row:
        """The columns that `split` makes of a cell."""
        cell = row.get(column, "").strip()
        match = form.fullmatch(cell)
        if taken := [name for name in form.groupindex if name in row]:
            message = f"[split] would make the column {taken[0]}, which the file has; call it otherwise"
            raise InputError([Problem(place.file, message)])
        if cell and match is None and cell not in map(str.strip, self.recipe.skip.get(column, ())):
            message = f"this cell is not of the form {self.recipe.split[column]}"
            raise InputError([place.problem(message, column, cell)])
        return {name: (match[name].strip() if match else "") for name in form.groupindex}

    def _read(self) -> Iterator[tuple[Place, Row]]:
        """The rows of the records; a document whose own keys `rows` leads through is one record."""
        typed = self.is_nested
        document, first = self.source.document, re.split(r"[.\[]", self.recipe.rows)[0]
        records: Iterable[tuple[Place, Record]] = self.source.placed()
        if isinstance(document, dict) and first and (first in document or first.startswith(("{", "*"))):
            records = [(Place(self.source.file, 1, self.source.unit), document)]
        for place, record in records:
            try:
                for part in unfolded(record, self.recipe.rows) if self.recipe.rows and typed else (record,):
                    yield place, flat(part) if typed else dict(part)  # type: ignore[arg-type]
            except ValueError as error:
                raise InputError([place.problem(str(error))]) from error


KINDS: Final = 200
"""Different cells of a column that are remembered."""


def open_columns(table: Table, recipe: Recipe) -> list[str]:
    """The columns that a recipe neither reads nor ignores; blank ones, and numbers of rows, need no word."""
    if REST in recipe.ignore:
        return []
    known = columns_read(table, recipe) | set(recipe.ignore) | set(recipe.split) | set(recipe.skip) | set(table.blank)
    known.add(table.part_column)
    return [column for column in table.columns if column not in known and not table.is_counter(column)]


def columns_read(table: Table, recipe: Recipe) -> set[str]:
    """The columns that a recipe reads."""
    return shapes_of(table, recipe)[1]


def shapes_of(table: Table, recipe: Recipe) -> tuple[list[Shape], set[str]]:
    """The entries that a row makes, and the columns that are read.

    Raises:
        InputError: a field names a column that the file does not have.
    """
    columns, used = table.columns, set[str]()
    base, groups, problems = Shape(), dict[tuple[tuple[str, str], ...], Shape](), list[str]()
    named = {c for name in recipe.fields if name not in OF_A_PAIR for c in recipe.columns_of(name)} | set(recipe.ignore)
    for name in recipe.fields:
        forms = recipe.columns_of(name)
        if name in _SEVERAL:
            missing = [column for column in forms if column not in columns and not column.startswith(":")]
            problems += [f"{name} = {_no_column(column, columns)}" for column in missing]
            constant = forms[0][1:] if forms and forms[0].startswith(":") else None
            base.cells[name] = Cell(tuple(column for column in forms if column in columns), constant)
            used |= set(forms)
            continue
        for form in forms:
            if isinstance(recipe.fields[name], str) and (cell := _cell(form, columns)) is not None:
                base.cells[name] = cell
                used |= set(cell.columns)
                continue
            try:
                matched = _matching(form, columns, named, recipe)
            except ValueError as error:
                problems.append(f"{name} = {error}")
                continue
            for column, bound in matched.items():
                shape = groups.setdefault(tuple(sorted(bound.items())), Shape(bound=bound))
                shape.cells[name] = Cell((column,))
                used.add(column)
    used |= set(recipe.split)
    for key, named_columns in (("split", recipe.split), ("skip", recipe.skip)):
        problems += [f"{key} = {_no_column(column, columns)}" for column in named_columns if column not in columns]
    if problems:
        raise InputError([Problem(table.source.file, message) for message in problems])
    shapes = _with_base(base, list(groups.values()))
    for shape in [shape for shape in shapes if {"value", "score"} <= shape.cells.keys()]:
        if "criterion" not in shape.cells.keys() | shape.bound.keys():  # what names the rating does not name the score
            shapes.append(Shape({name: cell for name, cell in shape.cells.items() if name != "value"}, shape.bound))
            del shape.cells["score"]
    for shape in shapes:
        _name_measures(shape, recipe, nested=table.is_nested)
    return shapes, used


def _name_measures(shape: Shape, recipe: Recipe, *, nested: bool) -> None:
    """A rating is of the criterion, and a score by the metric, that its column is called after, unless one is named."""
    for what, name in (("value", "criterion"), ("score", "metric"), ("outcome", "criterion")):
        if what == "outcome" and len(recipe.columns_of(what)) < 2:
            continue  # one question about pairs needs no name
        if what not in shape.cells or name in shape.cells or name in shape.bound or not shape.cells[what].columns:
            continue
        forms = recipe.columns_of(what)
        form = forms[0] if len(forms) == 1 else shape.cells[what].columns[0]
        form = form.rpartition(".")[2] if nested else form
        taken = any(recipe.columns_of(other) == [COLUMN] for other in recipe.fields)
        called = "" if taken else PLACEHOLDER.sub("", form).strip(" _-.:/()[]")
        if what == "score" or called.casefold() not in GENERAL:
            shape.cells[name] = Cell(constant=f":{called}")


GENERAL: Final = frozenset({"", "value", "rating", "score", "stars", "grade", "points", "mark"})
"""Names of columns of ratings that say no criterion."""


def _cell(form: str, columns: Sequence[str]) -> Cell | None:
    """A column, a joint name of several, or a constant; None for anything else."""
    if form in columns:
        return Cell((form,))
    if form.startswith(":"):
        return Cell(constant=form)
    parts = tuple(part.strip() for part in form.split("+"))
    return Cell(parts) if len(parts) > 1 and all(part in columns for part in parts) else None


def _with_base(base: Shape, groups: list[Shape]) -> list[Shape]:
    """The entries of a row: one for each group of columns, with what is said of all; and what is said of the row."""
    if not groups:
        return [base]
    shapes = []
    for group in groups:
        hidden = _OF_A_ROW - OF_A_PAIR if group.cells.keys() & OF_A_PAIR else _OF_A_ROW
        shared = {name: cell for name, cell in base.cells.items() if name not in hidden}
        shapes.append(Shape({**shared, **group.cells}, group.bound))
    if base.cells.keys() & (LABELS | {"score", "text_a"}):
        cells = dict(base.cells)
        by_column = base.cells.get("system", Cell()).constant == COLUMN
        names = (group.bound.get(COLUMN if by_column else "system") for group in groups if "text" in group.cells)
        systems = list(dict.fromkeys(name for name in names if name is not None))
        if "system_a" not in cells and len(systems) == 2:
            cells |= {f"system_{side}": Cell(constant=f":{name}") for side, name in zip("ab", systems, strict=True)}
        shapes.append(Shape(cells))
    return shapes


def _no_column(column: str, columns: Sequence[str]) -> str:
    listed = ", ".join(columns[:20]) + (", ..." if len(columns) > 20 else "")
    return f"{column!r}: there is no such column{did_you_mean(column, columns)} (there are: {listed})"


def _matching(form: str, columns: Sequence[str], named: set[str], recipe: Recipe) -> dict[str, dict[str, str]]:
    """What the placeholders of a form stand for in each column of that form, which may be the name of one.

    Raises:
        ValueError: no column is of the form, or it can be read in two ways.
    """
    if form in columns:
        return {form: {COLUMN: form}}
    if not PLACEHOLDER.search(form):
        raise ValueError(_no_column(form, columns))
    others = [other for name in recipe.fields for other in recipe.columns_of(name) if other != form]
    fixed = {other: len(PLACEHOLDER.sub("", other)) for other in (form, *others)}
    closer = [pattern_of(other) for other in others if PLACEHOLDER.search(other) and fixed[other] > fixed[form]]
    free = [c for c in columns if c not in named and not any(pattern_.fullmatch(c) for pattern_ in closer)]
    readings = []
    for longest in (False, True):
        pattern = pattern_of(form, greedy=longest)
        matches = {column: match.groupdict() for column in free if (match := pattern.fullmatch(column))}
        readings.append({column: {k: v.strip() for k, v in bound.items()} for column, bound in matches.items()})
    lazy, greedy = ({pair for bound in matches.values() for pair in bound.items()} for matches in readings)
    if lazy != greedy and len(lazy) == len(greedy):
        first, second = (next(iter(matches.values())) for matches in readings)
        ways = " or ".join(", ".join(f"{name} {value}" for name, value in bound.items()) for bound in (first, second))
        raise ValueError(f"{form}: columns of this form can be read in two ways ({ways}); name the columns in a list")
    if not lazy:
        raise ValueError(_no_column(form, columns))
    return readings[len(lazy) > len(greedy)]


def entries_of(table: Table, recipe: Recipe) -> Iterator[Entry]:
    """The entries of a file.

    Raises:
        InputError: the recipe names a column that the file does not have, or the file cannot be read.
    """
    shapes, _ = shapes_of(table, recipe)
    comma = recipe.decimal == "," or (table.source.sheet is not None and table.source.sheet.decimal_comma)
    skip = {column: {cell.strip() for cell in cells} for column, cells in recipe.skip.items()}
    part = table.part_column
    columns = [{name: cell.columns[0] for name, cell in shape.cells.items() if cell.columns} for shape in shapes]
    for number, (place, row) in enumerate(table.rows(), 1):
        if any(row.get(column, "").strip() in cells for column, cells in skip.items()):
            yield Entry(place, {}, side="skip")
            continue
        stem = table.source.stem if place.file == table.source.file else Path(place.file).stem
        words = {ROW: f"{stem}-{number:04d}", FILE: stem, SHEET: row.get(part, table.source.stem)}
        for shape, at in zip(shapes, columns, strict=True):
            if at and not any(row.get(column, "").strip() for column in at.values()):
                continue  # nothing is said
            won = shape.cells.get("outcome", Cell()).constant  # a side, whatever systems are called
            side = won[1:] if won is not None and won[1:] in _MEANT else None
            entry = Entry(place, _fields(shape, row, words), side, at)
            recode(entry, recipe.values)
            for name in NUMBERS & entry.fields.keys() if comma else ():
                if (value := parse_number(entry.text(name), decimal_comma=True)) is not None:
                    entry.fields[name] = value
            if recipe.best_rank == "highest" and (rank := parse_number(entry.text("rank"), comma)) is not None:
                entry.fields["rank"] = -rank
            yield entry


def _fields(shape: Shape, row: Row, words: Mapping[str, str]) -> dict[str, object]:
    fields: dict[str, object] = {name: value for name, value in shape.bound.items() if name in FIELDS}
    for name, cell in shape.cells.items():
        if name == "reference":
            fields[name] = [row.get(column, "") for column in cell.columns] or cell.constant or ""
        elif name == "setting":
            fields[name] = {column: row.get(column, "") for column in cell.columns}
        elif cell.constant == COLUMN:
            fields[name] = shape.bound.get(COLUMN) or shape.bound.get(name, "")
        elif cell.constant is not None:
            fields[name] = words.get(cell.constant, cell.constant[1:])
        else:
            fields[name] = cell.read(row)
    return fields


def _range_of(cell: str, cells: Iterable[str]) -> str | None:
    """Which of `<0`, `>0` and the like a number is in."""
    number = parse_number(cell)
    for key in cells:
        limit = parse_number(key.strip()[1:]) if key.strip()[:1] in ("<", ">") else None
        if number is not None and limit is not None and (number < limit if key.strip()[0] == "<" else number > limit):
            return key
    return None


def recode(entry: Entry, meanings: Mapping[str, Mapping[str, str | int | float | bool]]) -> None:
    """Put what cells mean in their place; of outcomes it is who won."""
    for name, cells in meanings.items():
        for own in (name, f"{name}_a", f"{name}_b") if name in ("system", "sample") else (name,):
            if own not in entry.fields or isinstance(entry.fields[own], dict | list):
                continue
            meant = (named_in(entry.text(own), cells) or _range_of(entry.text(own), cells)) if entry.text(own) else None
            if meant is None:
                continue
            value = cells[meant]
            if own == "outcome" and value in _MEANT:
                entry.side = str(value)
            elif value == SKIP:
                entry.fields[own] = SKIP if own in NUMBERS else ""
            else:
                is_number = own in NUMBERS and not isinstance(value, bool)
                entry.fields[own] = value if is_number else str(float(value) if isinstance(value, bool) else value)
    renamed = meanings.get("system", {})
    for name in ("outcome", "left"):  # they may name a system as the file does
        called = named_in(entry.text(name), renamed)
        if called is not None and entry.side is None:
            entry.fields[name] = renamed[called]
    if renamed and (ranking := entry.text("ranking")):
        parts = re.split(r"(\s*[>=~≻]\s*)", ranking)
        entry.fields["ranking"] = "".join(str(renamed.get(part, part)) for part in parts)
