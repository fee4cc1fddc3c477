"""Which column of a file is what: said by `--map`, and the record that the guess and the shapes share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.importers.importer import Origin
from tiebreak.importers.spreadsheet.fields import ALIASES, SEVERAL_COLUMNS, TARGETS, folded
from tiebreak.tabular.spreadsheet import Sheet


@dataclass(frozen=True, slots=True)
class Binding:
    """`target` is read from `columns` (several only for text, outcome, value, score) or is always `constant`."""

    target: str
    columns: tuple[str, ...] = ()
    constant: str | None = None
    origin: Origin = "name"


@dataclass(frozen=True, slots=True)
class Mapping:
    """One file, understood.

    `shape`: what kind of table it is, in words. `bindings`: what is read from where. `unused`: columns that are not.
    `several_are`: what the names of several outcome or value columns say.
    """

    sheet: Sheet
    shape: str
    bindings: tuple[Binding, ...]
    unused: tuple[str, ...] = ()
    several_are: Literal["annotator", "criterion"] = "criterion"

    def get(self, target: str) -> Binding | None:
        """The binding of a target, if it has one."""
        return next((binding for binding in self.bindings if binding.target == target), None)

    def has(self, *targets: str) -> bool:
        """Whether all of the targets are bound."""
        return all(self.get(target) is not None for target in targets)

    @property
    def one_column_per_system(self) -> bool:
        text = self.get("text")
        return text is not None and len(text.columns) > 1

    @property
    def names_a_pair(self) -> bool:
        text = self.get("text")
        return self.has("system_a", "system_b") or (text is not None and len(text.columns) == 2)

    @property
    def tables(self) -> tuple[str, ...]:
        """The study tables that this file adds rows to."""
        pair_texts = self.has("system_a", "system_b") and (self.has("text_a") or self.has("text_b"))
        found = {
            "items": any(self.has(target) for target in ("input", "context", "reference", "cluster")),
            "outputs": self.one_column_per_system or self.has("text", "system") or pair_texts,
            "preferences": self.has("outcome") and self.names_a_pair,
            "ratings": self.has("value", "system"),
            "scores": self.has("score", "system"),
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
            if binding.target in bindings:
                raise UsageError(
                    f"--map names {binding.target} twice; write {binding.target}=COLUMN|COLUMN for several"
                )
            bindings[binding.target] = binding
    return tuple(bindings.values())


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
        if target in ("ignore", "outcome", "value", "score"):
            raise UsageError(f"--map {part.strip()!r}: {target} needs a column, not a constant")
        return Binding(target, constant=source[1:].strip(), origin="option")
    columns = tuple(name.strip() for name in source.split("|") if name.strip())
    if len(columns) > 1 and target not in SEVERAL_COLUMNS:
        raise UsageError(f"--map {part.strip()!r}: {target} is one column, not several")
    return Binding(target, columns=columns, origin="option")


def resolve(bindings: Iterable[Binding], sheets: Sequence[Sheet]) -> list[tuple[Binding, ...]]:
    """For each file the bindings whose columns it has, with the columns' names as the file spells them.

    Raises UsageError for a column that no file has. Case, spaces and punctuation may differ from the file's.
    """
    per_sheet: list[list[Binding]] = [[] for _ in sheets]
    for binding in bindings:
        for name in binding.columns:
            if all(_find(name, sheet.columns) is None for sheet in sheets):
                known = list(dict.fromkeys(column for sheet in sheets for column in sheet.columns))
                raise UsageError(
                    f"--map {binding.target}={name}: there is no column {name}{did_you_mean(name, known)} "
                    f"(columns: {', '.join(known)})"
                )
        for found, sheet in zip(per_sheet, sheets, strict=True):
            columns = tuple(c for name in binding.columns if (c := _find(name, sheet.columns)) is not None)
            if columns or binding.constant is not None:
                found.append(Binding(binding.target, columns, binding.constant, binding.origin))
    return [tuple(found) for found in per_sheet]


def _find(name: str, columns: Sequence[str]) -> str | None:
    if name in columns:
        return name
    alike = [column for column in columns if folded(column) == folded(name)]
    return alike[0] if len(alike) == 1 else None
