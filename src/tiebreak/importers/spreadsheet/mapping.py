"""Which column of a file is what: said by `--map`, and the record that the guess and the shapes share."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from tiebreak.data.schema import LABEL_TABLES
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.importers.importer import LEFT_OUT, Doubt, Origin
from tiebreak.importers.spreadsheet.fields import (
    ALIASES,
    JOINED_COLUMNS,
    PEOPLE,
    SEVERAL_COLUMNS,
    TARGETS,
    folded,
)
from tiebreak.tabular.spreadsheet import Sheet

JOINT: Final = "/"
"""Between the parts of a key of several columns."""


@dataclass(frozen=True, slots=True)
class Binding:
    """`target` is read from `columns` or is always `constant`.

    Several columns are several readings (text, outcome, value, score); `joined`: they are one key together. For each
    column, where its name says so: `owners` the system it is about, `measures` what it measures, `people` who answered.
    """

    target: str
    columns: tuple[str, ...] = ()
    constant: str | None = None
    origin: Origin = "name"
    joined: bool = False
    owners: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    def cell(self, cells: dict[str, str]) -> str:
        """What a row says, or the constant; a key with a blank part is blank."""
        if not self.joined:
            return cells[self.columns[0]] if self.columns else self.constant or ""
        first, *others = (cells[column].strip() for column in self.columns)
        return JOINT.join([first, *map(_part, others)]) if first and all(others) else ""

    def name_of(self, column: str) -> str:
        """The system that a column is about: the column's own name unless `owners` says another."""
        return self.owners[self.columns.index(column)] if self.owners else column

    def measure_of(self, column: str) -> str:
        """What a column measures: its own name unless `measures` says another."""
        return self.measures[self.columns.index(column)] if self.measures else column

    def name_of_answers(self, column: str) -> str:
        """Whose answers a column of several has, or on what: its own name unless another is known."""
        return self.person_of(column) or self.measure_of(column)

    def person_of(self, column: str) -> str | None:
        """Who answered in a column, where each person has columns."""
        return self.people[self.columns.index(column)] if self.people else None


def _part(part: str) -> str:
    """A later part of a key without the joint in it, so that no two keys are one: a/b + c is not a + b/c."""
    return part.replace("%", "%25").replace(JOINT, "%2F") if JOINT in part or "%2" in part else part


@dataclass(frozen=True, slots=True)
class Mapping:
    """One file, understood.

    `shape`: what kind of table it is, in words. `bindings`: what is read from where. `unused`: columns that are not.
    `several_are`: what the names of several outcome or value columns say. `doubts`: what speaks against all this.
    `pair_separator`: what stands between two systems in a cell of `pair`.
    """

    sheet: Sheet
    shape: str
    bindings: tuple[Binding, ...]
    unused: tuple[str, ...] = ()
    several_are: Literal["annotator", "criterion"] = "criterion"
    doubts: tuple[Doubt, ...] = ()
    pair_separator: str = ""

    def get(self, target: str) -> Binding | None:
        """The binding of a target, if it has one."""
        return next((binding for binding in self.bindings if binding.target == target), None)

    def has(self, *targets: str) -> bool:
        """Whether all of the targets are bound."""
        return all(self.get(target) is not None for target in targets)

    def owned(self, target: str) -> bool:
        """Whether a target has one column per system."""
        binding = self.get(target)
        return binding is not None and bool(binding.owners)

    @property
    def one_column_per_system(self) -> bool:
        text = self.get("text")
        return text is not None and len(text.columns) > 1

    @property
    def names_a_pair(self) -> bool:
        text = self.get("text")
        return self.has("system_a", "system_b") or self.has("pair") or (text is not None and len(text.columns) == 2)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that the file names."""
        found: dict[str, None] = {}
        text = self.get("text")
        if text is not None and len(text.columns) > 1:
            found |= dict.fromkeys(text.name_of(column) for column in text.columns)
        for target in ("system", "system_a", "system_b"):
            binding = self.get(target)
            if binding is not None and binding.columns:
                rows = zip(*map(self.sheet.values, binding.columns), strict=True)
                cells = (
                    binding.cell(dict(zip(binding.columns, row, strict=True))).strip() for row in dict.fromkeys(rows)
                )
                found |= dict.fromkeys(cell for cell in cells if cell)
            elif binding is not None and binding.constant:
                found[binding.constant] = None
        return tuple(found)

    @property
    def key_option(self) -> str:
        """The option by which rows are told apart as of several items by one more column."""
        item = self.get("item")
        known = item.columns if item is not None and item.columns else ("COLUMN",)
        return _joined_option("item", (*known, "COLUMN"))

    @property
    def system_option(self) -> str:
        """The option by which they are told apart as of several systems; "" where a row is about two, or the user said
        which columns are each one's.
        """
        system, text = self.get("system"), self.get("text")
        if text is None or (len(text.columns) > 1 and text.origin == "option"):
            return ""
        return _joined_option("system", (*(system.columns if system is not None else ()), "COLUMN"))

    @property
    def ranks(self) -> bool:
        """Whether rows, or several rows together, rank systems."""
        rank = self.get("rank")
        return self.has("ranking") or (rank is not None and (len(rank.columns) > 1 or self.has("system")))

    @property
    def has_labels(self) -> bool:
        """Whether somebody, a person or a model, judged."""
        return bool({*LABEL_TABLES, "judge_preferences"} & set(self.tables))

    @property
    def tables(self) -> tuple[str, ...]:
        """The study tables that this file adds rows to."""
        pair_texts = (self.has("system_a", "system_b") or self.has("pair")) and (
            self.has("text_a") or self.has("text_b")
        )
        found = {
            "items": any(self.has(target) for target in ("input", "context", "reference", "cluster")),
            "passages": self.has("passage_text"),
            "outputs": self.one_column_per_system or self.has("text", "system") or pair_texts,
            "preferences": (self.has("outcome") and self.names_a_pair and not self.has("judge")) or self.ranks,
            "ratings": self.has("value", "system")
            or self.owned("value")
            or self.has("severity", "system")
            or self.has("support", "plausible", "system")
            or self.has("support", "sensible", "system"),
            "edits": self.has("edit", "system") or self.owned("edit"),
            "spans": self.has("support", "system") and (self.has("passage") or self.has("passage_text")),
            "scores": self.has("score", "system") or self.owned("score"),
            "judge_preferences": self.has("judge") and self.names_a_pair and (self.has("outcome") or self.has("p_a")),
        }
        return tuple(table for table, present in found.items() if present)


def parse_map(options: Sequence[str]) -> tuple[Binding, ...]:
    """`item=doc_id,system_a=model1`, `text=colA|colB`, `system=:gpt-4` (a constant), as bindings.

    Commas separate pairs only where a `target=` follows, so column names may hold commas. Raises UsageError for an
    unknown target (with a suggestion), a target given twice, several columns where one is needed.
    """
    bindings: dict[str, Binding] = {}
    for option in options:
        for part in re.split(r",(?=\s*[A-Za-z_]+\s*=)", option):
            binding = _parse_pair(part)
            if binding.target == LEFT_OUT and binding.target in bindings:
                binding = replace(binding, columns=(*bindings[LEFT_OUT].columns, *binding.columns))
            elif binding.target in bindings:
                raise UsageError(
                    f"--map names {binding.target} twice; write {binding.target}=COLUMN|COLUMN for several"
                )
            bindings[binding.target] = binding
    return tuple(bindings.values())


def map_option(target: str, columns: Sequence[str]) -> str:
    """The option that says it, quoted for a shell."""
    return f"--map {shlex.quote(target + '=' + '|'.join(columns))}"


def _joined_option(target: str, columns: Sequence[str]) -> str:
    return f"--map {shlex.quote(target + '=' + '+'.join(columns))}"


def _parse_pair(part: str) -> Binding:
    said, equals, source = part.partition("=")
    target = ALIASES.get(said.strip().lower(), said.strip().lower())
    if not equals or not said.strip() or not source.strip():
        raise UsageError(f"--map {part.strip()!r}: write TARGET=COLUMN, for example --map item=doc_id,outcome=winner")
    if target not in TARGETS:
        raise UsageError(
            f"--map {part.strip()!r}: there is nothing called {said.strip()}{did_you_mean(target, TARGETS)} "
            f"(targets: {', '.join(TARGETS)})"
        )
    if source.startswith(":"):
        if target in ("ignore", "setting", "value", "score", "edit"):
            raise UsageError(f"--map {part.strip()!r}: {target} needs a column, not a constant")
        return Binding(target, constant=source[1:].strip(), origin="option")
    columns = tuple(name.strip() for name in source.split("|"))  # a name may hold some: see `resolve`
    return Binding(target, columns=columns, origin="option")


def resolve(bindings: Iterable[Binding], sheets: Sequence[Sheet]) -> list[tuple[Binding, ...]]:
    """For each file the bindings whose columns it has, with the columns' names as the file spells them.

    Raises UsageError for a column that no file has. Case, spaces and punctuation may differ from the file's.
    """
    per_sheet: list[list[Binding]] = [[] for _ in sheets]
    every = list(dict.fromkeys(column for sheet in sheets for column in sheet.columns))
    for said in bindings:
        binding = _key_of_several(replace(said, columns=_whole_names(said.columns, every)), sheets)
        if len(binding.columns) > 1 and binding.target == PEOPLE and not binding.joined:
            binding = replace(binding, people=binding.columns)
        elif len(binding.columns) > 1 and binding.target not in SEVERAL_COLUMNS and not binding.joined:
            joined = "+".join(binding.columns)
            hint = f"; {binding.target}={joined} makes one key of them" if binding.target in JOINED_COLUMNS else ""
            stated = f"{binding.target}={'|'.join(binding.columns)}"
            raise UsageError(f"--map {stated!r}: {binding.target} is one column, not several{hint}")
        for name in binding.columns:
            if all(_find(name, sheet.columns) is None for sheet in sheets):
                raise UsageError(
                    f"--map {binding.target}={name}: there is no column {name}{did_you_mean(name, every)} "
                    f"(columns: {', '.join(every)})"
                )
        for found, sheet in zip(per_sheet, sheets, strict=True):
            columns = tuple(c for name in binding.columns if (c := _find(name, sheet.columns)) is not None)
            if columns or binding.constant is not None:
                found.append(replace(binding, columns=columns, people=columns if binding.people else ()))
    return [tuple(found) for found in per_sheet]


def _whole_names(parts: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """The names that were parted at `|`, put together again where a column has one in its name."""
    whole = {"|".join(map(str.strip, column.split("|"))): column for column in known if "|" in column}
    found: list[str] = []
    start = 0
    while start < len(parts):
        ends = (end for end in range(len(parts), start + 1, -1) if "|".join(parts[start:end]) in whole)
        end = next(ends, start + 1)
        name = "|".join(parts[start:end])
        found.append(whole.get(name, name))
        start = end
    return tuple(name for name in found if name)


def _key_of_several(binding: Binding, sheets: Sequence[Sheet]) -> Binding:
    """`item=doc_id+seg_id` as a key of two columns, unless a column is called that."""
    name = binding.columns[0] if len(binding.columns) == 1 else ""
    if binding.target not in JOINED_COLUMNS or "+" not in name or any(_find(name, s.columns) for s in sheets):
        return binding
    return replace(binding, columns=tuple(part.strip() for part in name.split("+") if part.strip()), joined=True)


def _find(name: str, columns: Sequence[str]) -> str | None:
    if name in columns:
        return name
    alike = [column for column in columns if folded(column) == folded(name)]
    return alike[0] if len(alike) == 1 else None
