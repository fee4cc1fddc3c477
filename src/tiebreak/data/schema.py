"""The tables of a study folder: which columns each has, what they hold, and what makes a row unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

TableName = Literal["items", "outputs", "preferences", "ratings", "scores", "judge_preferences"]

Kind = Literal["name", "label", "text", "outcome", "number", "seconds", "time", "reference"]
"""What a column holds.

`name`: an identifier that must be there (item, system, annotator, ...), kept exactly as written;
`label`: an identifier that may be missing (criterion, left, cluster); an empty one counts as missing;
`text`: any text; `outcome`: a, tie or b; `number`: from -1e100 to 1e100; `seconds`: from 0 to 100 million, or missing;
`time`: ISO 8601 or missing; `reference`: text, a list of texts, or texts by name.
"""

OUTCOMES: Final = ("a", "tie", "b")
FORMATS: Final = ("csv", "jsonl", "parquet")
SETTINGS_FILE: Final = "study.toml"


@dataclass(frozen=True, slots=True)
class Column:
    """One known column of a table."""

    name: str
    kind: Kind
    required: bool = True


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: its columns in the order in which they are kept, and the columns that identify a row.

    `pair_key`: system_a and system_b belong to the key as an unordered pair. `blank_outcome`: an empty outcome is
    allowed (a judge's reply that did not parse).
    """

    name: TableName
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    pair_key: bool = False
    blank_outcome: bool = False

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.required)

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def kind_of(self, column: str) -> Kind | None:
        """The kind of a known column; None for a column that is merely kept."""
        return next((known.kind for known in self.columns if known.name == column), None)

    @property
    def system_columns(self) -> tuple[str, ...]:
        """The columns that name a system: none for items, two for pairs."""
        return tuple(name for name in ("system", "system_a", "system_b") if name in self.known)

    @property
    def key_text(self) -> str:
        """The key in words, for messages."""
        names = list(self.key)
        if self.pair_key:
            names.insert(1, "pair of systems (either way round)")
        return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _optional(name: str, kind: Kind) -> Column:
    return Column(name, kind, required=False)


_ITEM = Column("item", "name")
_SYSTEM = Column("system", "name")
_PAIR = (Column("system_a", "name"), Column("system_b", "name"))

TABLES: Final[dict[TableName, TableSpec]] = {
    spec.name: spec
    for spec in (
        TableSpec(
            "items",
            (
                _ITEM,
                _optional("input", "text"),
                _optional("context", "text"),
                _optional("reference", "reference"),
                _optional("references", "reference"),
                _optional("cluster", "label"),
                _optional("batch", "label"),
            ),
            key=("item",),
        ),
        TableSpec("outputs", (_ITEM, _SYSTEM, Column("text", "text")), key=("item", "system")),
        TableSpec(
            "preferences",
            (
                _ITEM,
                *_PAIR,
                Column("annotator", "name"),
                Column("outcome", "outcome"),
                _optional("criterion", "label"),
                _optional("left", "label"),
                _optional("seconds", "seconds"),
                _optional("decided_at", "time"),
            ),
            key=("item", "annotator", "criterion"),
            pair_key=True,
        ),
        TableSpec(
            "ratings",
            (
                _ITEM,
                _SYSTEM,
                Column("annotator", "name"),
                Column("criterion", "name"),
                Column("value", "number"),
            ),
            key=("item", "system", "annotator", "criterion"),
        ),
        TableSpec(
            "scores",
            (
                _ITEM,
                _SYSTEM,
                Column("metric", "name"),
                Column("value", "number"),
                _optional("criterion", "label"),
            ),
            key=("item", "system", "metric", "criterion"),
        ),
        TableSpec(
            "judge_preferences",
            (
                _ITEM,
                *_PAIR,
                Column("judge", "name"),
                Column("outcome", "outcome"),
                _optional("criterion", "label"),
                _optional("left", "label"),
                _optional("reply", "text"),
            ),
            key=("item", "judge", "criterion", "left"),
            pair_key=True,
            blank_outcome=True,
        ),
    )
}
