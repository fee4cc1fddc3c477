"""Small shared records: what every layer above may use, and nothing that knows a table or a file.

Outcomes are relative to `system_a` and `system_b` of the row, whatever was shown on the left of a screen.
Inside, an outcome is an integer (`A`, `TIE`, `B`) and a *difference* is the mean of such integers,
P(a preferred) - P(b preferred), in [-1, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Final, Literal, NamedTuple

A: Final = 1
TIE: Final = 0
B: Final = -1

OUTCOME_CODES: Final[dict[str, int]] = {"a": A, "tie": TIE, "b": B}

MOST_COMPANIONS: Final = 30
"""Unlabelled items beside a labelled one that let all but a thirtieth of what a metric explains through."""

Verdict = Literal["a", "b", "equivalent", "undecided"]
"""`a`: system_a is better; `b`: system_b is better; `equivalent`: closer than the margin; `undecided`."""

Target = Literal["inputs", "items"]
"""`inputs`: a claim about inputs like these (super-population); `items`: about this pool of items only."""

TARGETS: Final[tuple[Target, ...]] = ("inputs", "items")

LabelRule = Literal["mean", "majority", "first"]
"""How the labels of several annotators on one item become one value (RULES: "Labels")."""

Question = Literal["wins", "means"]
"""What a comparison asks: who is better on more items, or whose ratings are higher on average."""

QUESTIONS: Final[tuple[Question, ...]] = ("wins", "means")

Raters = Literal["same", "any"]
"""Whose ratings of two outputs are compared: those of one person, or also those of different people."""

RATERS: Final[tuple[Raters, ...]] = ("same", "any")
People = Literal["fixed", "random"]
PEOPLE: Final[tuple[People, ...]] = ("fixed", "random")

LABEL_RULES: Final[tuple[LabelRule, ...]] = ("mean", "majority", "first")

Multiplicity = Literal["holm", "bonferroni", "fdr", "fdr-any", "none"]
"""How the error of many pairs is accounted for."""

MULTIPLICITIES: Final[tuple[Multiplicity, ...]] = ("holm", "bonferroni", "fdr", "fdr-any", "none")


Support = Literal["supports", "contradicts", "neither"]
"""What an annotator finds that a passage says of an output."""

Kind = Literal["metric", "judge"]
"""What answers automatically: a metric scores one output, a judge compares two."""

Matching = Literal["random", "most-informative", "winner"]
"""Who plays next in a tournament: any pair, or those that say most of the order, or of the winner."""

MATCHINGS: Final[tuple[Matching, ...]] = ("random", "most-informative", "winner")

OrderOfItems = Literal["none", "random", "sealed", "listed", "seen"]
"""`none`: one look at all of them needs no order; `random`: drawn at random afterwards; `sealed`: drawn at random
before a campaign's first label; `listed`: as the study lists them; `seen`: that of the looks which saw them."""


class UnitValue(NamedTuple):
    """The value in [-1, 1] of a unit of evidence: `for_a` in what argues for a, `for_b` in what argues for b, which
    differ where items count against either side. `taught`: as the labels came, which is what later bets learn from;
    None where a label is missing.
    """

    for_a: float
    for_b: float
    taught: float | None

    @classmethod
    def labelled(cls, value: float) -> UnitValue:
        """That of a unit whose labels all count."""
        return cls(value, value, value)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a user should know about the data or the result, which does not stop the run.

    `code` is stable and documented (one row in docs/warnings.md); `text` is one or two plain sentences with the
    figures in them; `details` holds the same figures for programs (JSON-serialisable values only).
    """

    code: str
    text: str
    details: dict[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """`{code, text, ...details}`, the shape of `warnings` in `compare --json`."""
        return {"code": self.code, "text": self.text, **self.details}


def document(record: Any, *without: str, **changed: object) -> dict[str, Any]:
    """A record (a dataclass) for a JSON document: its fields by name, but those `without` which it is told.

    `changed`: values in place of fields, or beside them. Records inside are taken by their own `to_dict`, where they
    have one, else in the same way; tuples become lists.
    """
    own = {of.name: getattr(record, of.name) for of in fields(record) if of.name not in without}
    return {name: _plain(value) for name, value in (own | changed).items()}


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return document(value)
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple | list) else value
