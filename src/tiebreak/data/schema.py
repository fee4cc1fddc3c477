"""The tables of a study folder: which columns each has, what they hold, and what makes a row unique.

Criteria that nobody rates, because their ratings follow from other labels: which there are, and from what.

`evidence/derived` makes the ratings.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, Literal, get_args

from tiebreak.records import Support

TableName = Literal[
    "items", "passages", "outputs", "preferences", "ratings", "edits", "spans", "scores", "judge_preferences"
]

Kind = Literal[
    "name", "label", "text", "outcome", "support", "number", "rating", "seconds", "share", "place", "time", "reference"
]
"""What a column holds.

`name`: an identifier that must be there (item, system, annotator, ...), kept exactly as written;
`label`: an identifier that may be missing (criterion, left, cluster, sample); an empty one counts as missing;
`text`: any text; `outcome`: a, tie or b; `support`: supports, contradicts or neither; `number`: from -1e100 to 1e100,
`rating`: from -1e30 to 1e30;
`seconds`: from 0 to 100 million, `share`: from 0 to 1, `place`: a whole number from 0 to a billion, any of them may be
missing; `time`: ISO 8601 or missing; `reference`: text, a list of texts, or texts by name.
"""

OUTCOMES: Final = ("a", "tie", "b")
SUPPORTS: Final[tuple[Support, ...]] = get_args(Support)
NUMBERS: Final[frozenset[Kind]] = frozenset(("number", "rating", "seconds", "share", "place"))
PROBABILITIES: Final = ("p_a", "p_tie", "p_b")
FORMATS: Final = ("csv", "jsonl", "parquet")
SETTINGS_FILE: Final = "study.toml"


@dataclass(frozen=True, slots=True)
class Column:
    """One known column of a table.

    `later`: it came after the first fingerprints were taken, and counts in them only where it has a value: a study that
    does without it keeps its fingerprint, and with it whatever that draws.
    """

    name: str
    kind: Kind
    required: bool = True
    later: bool = False


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: its columns in the order in which they are kept, and the columns that identify a row.

    `pair_key`: system_a and system_b, each with its sample, belong to the key as an unordered pair. `blank_outcome`: an
    empty outcome is allowed (a judge's reply that did not parse). `judged`: the column that holds an answer, where the
    same question may have been asked again; None for tables of facts.
    """

    name: TableName
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    pair_key: bool = False
    blank_outcome: bool = False
    judged: str | None = None

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
    def samples(self) -> tuple[tuple[str, str], ...]:
        """The columns that name a sample, each behind the column of its system."""
        sides = ((name, f"sample{name.removeprefix('system')}") for name in self.system_columns)
        return tuple(side for side in sides if side[1] in self.known)

    @property
    def question(self) -> tuple[str, ...]:
        """The columns that say what was asked or measured, whom or what: the key, and both sides of a pair."""
        return tuple(dict.fromkeys((*self.key, *self.system_columns, *(sample for _, sample in self.samples))))

    @property
    def key_text(self) -> str:
        """The key in words, for messages."""
        names = [name for name in self.key if name != "sample"]
        if self.pair_key:
            names.insert(1, "pair of systems (either way round)")
        return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


_KINDS: Final[dict[str, Kind]] = {
    "item": "name", "system": "name", "system_a": "name", "system_b": "name", "annotator": "name", "passage": "name",
    "metric": "name", "judge": "name", "input": "text", "context": "text", "text": "text", "reply": "text",
    "reference": "reference", "references": "reference", "outcome": "outcome", "support": "support", "start": "place",
    "end": "place", "seconds": "seconds", "decided_at": "time", "p_a": "share", "p_tie": "share", "p_b": "share",
}  # fmt: skip
"""What a column holds in every table: a label where nothing is said; ratings and scores have their own values."""


def _table(
    name: TableName,
    required: str,
    *,
    key: str,
    optional: str = "",
    later: str = "",
    pair_key: bool = False,
    blank_outcome: bool = False,
    judged: str | None = None,
) -> TableSpec:
    """A table by the names of its columns: those that are required first, then the optional ones, then the later."""
    own: dict[str, Kind] = {"value": "rating" if "annotator" in required.split() else "number", "criterion": "name"}
    columns = [Column(column, (_KINDS | own).get(column, "label")) for column in required.split()]
    columns += [Column(column, _KINDS.get(column, "label"), required=False) for column in optional.split()]
    columns += [Column(column, _KINDS.get(column, "label"), required=False, later=True) for column in later.split()]
    return TableSpec(name, tuple(columns), tuple(key.split()), pair_key, blank_outcome, judged)


_TIMING: Final = "seconds decided_at"

TABLES: Final[dict[TableName, TableSpec]] = {
    spec.name: spec
    for spec in (
        _table("items", "item", optional="input context reference references cluster batch", key="item"),
        _table("passages", "item passage text", key="item passage"),
        _table("outputs", "item system text", later="sample", key="item system sample"),
        _table(
            "preferences",
            "item system_a system_b annotator outcome",
            optional=f"criterion left {_TIMING}",
            later="sample_a sample_b",
            key="item annotator criterion",
            pair_key=True,
            judged="outcome",
        ),
        _table(
            "ratings",
            "item system annotator criterion value",
            later=f"{_TIMING} sample",
            key="item system annotator criterion sample",
            judged="value",
        ),
        _table(
            "edits",
            "item system annotator text",
            later=f"{_TIMING} sample",
            key="item system annotator sample",
            judged="text",
        ),
        _table(
            "spans",
            "item system annotator passage support",
            later=f"start end {_TIMING} sample",
            key="item system annotator passage sample",
            judged="support",
        ),
        _table(
            "scores",
            "item system metric value",
            optional="criterion",
            later="sample signature texts",
            key="item system metric criterion sample",
        ),
        _table(
            "judge_preferences",
            "item system_a system_b judge outcome",
            optional="criterion left reply",
            later="p_a p_tie p_b sample_a sample_b signature unscored texts",
            key="item judge criterion left",
            pair_key=True,
            blank_outcome=True,
            judged="outcome",
        ),
    )
}

TABLE_FILES: Final = tuple(f"{table}.{suffix}" for table in TABLES for suffix in FORMATS)
"""The names that files of tables may have."""

LABEL_TABLES: Final[tuple[TableName, ...]] = ("preferences", "ratings", "edits", "spans")
"""Those that hold what people said."""

NEEDED: Final[tuple[TableName, ...]] = ("outputs", *LABEL_TABLES, "scores", "judge_preferences")
"""A study has one of these at least."""


SENSIBLE: Final = "sensible"
PLAUSIBLE: Final = "plausible"
YES_OR_NO: Final = (SENSIBLE, PLAUSIBLE)
"""Criteria of ratings by which an answer is not correct whatever the passages say: 0 says that the question makes no
sense, or that the answer is not plausible."""


@dataclass(frozen=True, slots=True)
class DerivedCriterion:
    """`source`: the labels that it follows from, of which one is one rating or a part of one; `needs`: tables without
    which there is none. `by_name`: made only where somebody names it, as it says nearly the same as another. `scale`:
    the lowest and the highest rating, None where there is no lowest.
    """

    name: str
    source: TableName
    needs: tuple[TableName, ...]
    by_name: bool = False
    scale: tuple[float, float] | None = (0.0, 1.0)


_EDITS: Final[tuple[TableName, ...]] = ("edits", "outputs")

DERIVED: Final[dict[str, DerivedCriterion]] = {
    found.name: found
    for found in (
        DerivedCriterion("AnyCorrect", "spans", ("spans",)),  # 1 if some passage supports the answer, else 0
        DerivedCriterion("AvgCorrect", "spans", ("spans",)),  # the share of passages that support it
        DerivedCriterion("EditWords", "edits", _EDITS),  # 1 - edit distance / longer length, in words
        DerivedCriterion("EditCharacters", "edits", _EDITS, by_name=True),  # the same in characters
        DerivedCriterion("HTER", "edits", _EDITS, True, None),  # minus the TER of the output against its edit
    )
}


def derivable(tables: Collection[TableName]) -> tuple[DerivedCriterion, ...]:
    """Those that a study with these tables can have."""
    return tuple(criterion for criterion in DERIVED.values() if set(criterion.needs) <= set(tables))
