"""A recipe: what the columns of a file are, in words that its owner can read, write and check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

from tiebreak.errors import Flaw, InputError, KeyedError, Problem, UsageError, did_you_mean
from tiebreak.importers.entries import FIELDS
from tiebreak.numbers import printable
from tiebreak.settings.toml_file import read_toml, toml_key, toml_text
from tiebreak.tabular.cells import whole_characters
from tiebreak.typed import written_path

SUFFIX: Final = ".recipe.toml"
"""How the name of a recipe beside a file ends."""
REST: Final = "*"
"""In `ignore`: all columns that the recipe does not name."""
ROW, FILE, SHEET, COLUMN = ":row", ":file", ":sheet", ":column"
_LARGEST: Final = 1e30
PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")

Columns = str | list[str]


@dataclass(frozen=True, slots=True)
class Recipe:
    """`fields`: by field the column that holds it, several of which each makes a row, `A+B` for two that are one name,
    a pattern such as `{system} answer` for all columns of that form, or after a colon a constant, `:row` (the number of
    the row), `:file`, `:sheet` or `:column` (the name of the column that made the row). `rows`: in JSON, the path to
    the list whose elements are the rows. `split`: cells that are taken apart, such as `{first} vs {second}`. `values`:
    by field, what cells mean. `skip`: by column, cells whose rows are left out. `ignore`: columns that are not read.
    `decimal`: how fractions are written. `best_rank`: whether the lowest or the highest rank is the best.
    """

    fields: dict[str, Columns] = field(default_factory=dict)
    rows: str = ""
    split: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, str | int | float | bool]] = field(default_factory=dict)
    skip: dict[str, list[str]] = field(default_factory=dict)
    ignore: list[str] = field(default_factory=list)
    decimal: Literal[".", ","] = "."
    best_rank: Literal["lowest", "highest"] = "lowest"

    def __post_init__(self) -> None:
        if flaws := list(self._flaws()):
            raise KeyedError(f"{written_path(flaws[0].path)}: {flaws[0].message}", flaws)

    def _flaws(self) -> Iterator[Flaw]:
        for table in ("fields", "values"):
            for name in getattr(self, table):
                if name not in FIELDS:
                    yield Flaw((table, name), None, f"there is no such field{did_you_mean(name, FIELDS)}", hidden=True)
        for name in self.fields:
            yield from _odd_names(("fields", name), self.columns_of(name))
        for name, form in self.split.items():
            yield from _odd_names(("split", name), [form])
        for name, cells in self.values.items():
            for cell, value in cells.items():
                if not isinstance(value, str) and not abs(value) < _LARGEST:
                    yield Flaw(("values", name, cell), None, "too large a number", hidden=True)

    def columns_of(self, name: str) -> list[str]:
        """What the recipe says of a field, as a list."""
        return listed(self.fields.get(name, []))

    def with_options(
        self, mapped: Sequence[str], ignored: Sequence[str], values: Sequence[str], columns: Iterable[str]
    ) -> Recipe:
        """The recipe with what options say: `FIELD=COLUMN`, `COLUMN` to ignore, `FIELD:CELL=VALUE`.

        A field that is given several columns makes a row of each. A column that is given to a field is taken from the
        field that had it, and one that is ignored from all. Of options that name columns which the file does not have,
        those of other files are passed over.
        """
        known = set(columns)
        fields: dict[str, Columns] = dict(self.fields)
        given: dict[str, list[str]] = {}
        for option in mapped:
            name, column = field_and_column(option)
            if is_in(column, known):
                given.setdefault(name, []).append(column)
        for name, columns_ in given.items():
            named = columns_in(columns_)
            fields = {other: form for other, form in fields.items() if other == name or form not in named}
            fields[name] = columns_[0] if len(columns_) == 1 else columns_
        kept = {name: [column for column in listed(form) if column not in ignored] for name, form in fields.items()}
        fields = {name: form if isinstance(form, str) else kept[name] for name, form in fields.items() if kept[name]}
        meanings = {name: dict(cells) for name, cells in self.values.items()}
        for option in values:
            name, cell, meaning = parse_value(option)
            meanings.setdefault(name, {})[cell] = meaning
        return replace(self, fields=fields, values=meanings, ignore=list(dict.fromkeys([*self.ignore, *ignored])))


def _odd_names(path: tuple[str, ...], forms: Iterable[str]) -> Iterator[Flaw]:
    for name in (name for form in forms for name in PLACEHOLDER.findall(form) if name[0].isdigit()):
        yield Flaw(path, name, "a name in braces begins with a letter")


def listed(columns: Columns) -> list[str]:
    """One or several as several."""
    return [columns] if isinstance(columns, str) else columns


def columns_in(columns: Columns) -> list[str]:
    """The columns that are named outright."""
    return [column for column in listed(columns) if not column.startswith(":") and not PLACEHOLDER.search(column)]


def pattern_of(form: str, *, greedy: bool = False) -> re.Pattern[str]:
    """`{first} vs {second}` as a regular expression; `greedy`: the first names are as long as they can be."""
    parts, names = [], set[str]()
    for number, part in enumerate(PLACEHOLDER.split(form)):
        if number % 2 == 0:
            parts.append(re.escape(part))
        else:
            parts.append(f"(?P={part})" if part in names else f"(?P<{part}>.+{'' if greedy else '?'})")
            names.add(part)
    return re.compile("".join(parts), re.DOTALL)


def is_in(form: str, columns: set[str]) -> bool:
    """Whether a file with these columns has what a field is said to be."""
    if form.startswith(":"):
        return True
    if PLACEHOLDER.search(form) and any(pattern_of(form).fullmatch(column) for column in columns):
        return True
    return form in columns or ("+" in form and all(part.strip() in columns for part in form.split("+")))


def field_and_column(option: str) -> tuple[str, str]:
    """`FIELD=COLUMN` in two."""
    name, _, column = (part.strip() for part in option.partition("="))
    if not name or not column:
        raise UsageError(f"--map {option!r}: write FIELD=COLUMN, such as --map annotator=rater")
    _check_field(name, f"--map {option!r}")
    return name, column


def parse_value(option: str) -> tuple[str, str, str]:
    """`FIELD:CELL=VALUE` in three."""
    name, colon, rest = option.partition(":")
    cell, equals, meaning = rest.rpartition("=")
    if not colon or not equals or not cell:
        raise UsageError(f"--value {option!r}: write FIELD:CELL=VALUE, such as --value 'outcome:left better=a'")
    _check_field(name.strip(), f"--value {option!r}")
    return name.strip(), cell.strip(), meaning.strip()


def _check_field(name: str, where: str) -> None:
    if name not in FIELDS:
        hint = did_you_mean(name, FIELDS) or f"; fields are {', '.join(FIELDS)}"
        raise UsageError(f"{where}: there is no field {name!r}{hint}")


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file.

    Raises:
        InputError: no TOML, or a key that no recipe has.
        UsageError: there is no such file.
    """
    if not path.is_file():
        raise UsageError(f"there is no recipe {path}")
    try:
        return recipe_from(path.read_text("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise InputError([Problem(str(path), "no UTF-8 text")]) from error


def recipe_from(text: str, path: str) -> Recipe:
    """The recipe that a text is; `path` names it in errors.

    Raises:
        InputError: no TOML, or what no recipe can say.
    """
    return read_toml(Recipe, text, path)


def recipe_text(recipe: Recipe, open_columns: Mapping[str, str] | None = None, *, about: str = "") -> str:
    """The recipe as its owner reads it. `open_columns`: examples of the cells of columns that it does not name yet;
    `about`: the file.
    """
    lines = [f"# How tiebreak reads {printable(whole_characters(about))}."] if about else []
    for key, usual in (("rows", ""), ("decimal", "."), ("best_rank", "lowest")):
        if getattr(recipe, key) != usual:
            lines.append(f"{key} = {toml_text(getattr(recipe, key))}")
    remark = "" if recipe.ignore else '  # ["*"]: all columns not named here'
    lines.append(f"ignore = {toml_text(recipe.ignore)}{remark}")
    lines += ["", "[fields]"]
    lines += [f"{name} = {toml_text(value)}" for name, value in recipe.fields.items()]
    for column, example in (open_columns or {}).items():
        lines.append(f"# FIELD = {toml_text(column)}  # {printable(example)}")
    tables: dict[str, Mapping[str, object]] = {"split": recipe.split, "skip": recipe.skip}
    tables |= {f"values.{name}": cells for name, cells in recipe.values.items()}
    for name, table in tables.items():
        if table:
            lines += ["", f"[{name}]", *(f"{toml_key(key)} = {toml_text(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"
