"""What is known of the annotators of a study, as frozen records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import polars as pl

from tiebreak.kernels.agreement import Agreement, Level
from tiebreak.records import Notice, document
from tiebreak.results.shown import ShownResult
from tiebreak.version import __version__

LabelKind = Literal["preferences", "ratings"]


@dataclass(frozen=True, slots=True)
class Share:
    """A share `value` in [0, 1] of `labels` with the ends of its 95% interval, None where nothing varies enough."""

    value: float
    low: float | None
    high: float | None
    labels: int


@dataclass(frozen=True, slots=True)
class AnnotatorRow:
    """One person and one kind of label.

    `items`: different ones; `seconds`: the median, where noted. `agrees`: the share of their labels that are the most
    frequent answer of the others, of those where the others have one (preferences); `correlation`: the rank
    correlation of their ratings with the mean of the others', within criteria (ratings). `competence` in [0, 1]: the
    chance that they do not guess, by MACE; None below 20 labels on questions with three or more, or with more than 20
    answers. `first_text`: of their answers for one of two texts whose sides are known, the share for the first;
    `usual`: the share of their most frequent answer: a rating, or first text, tie or second text, where sides are
    known. `later`: agreement (correlation) in the later half of their labels minus that in the earlier one, where
    their times are known. `reasons`: why to look at their labels, in words.
    """

    annotator: str
    kind: LabelKind
    labels: int
    items: int
    seconds: float | None
    agrees: Share | None
    correlation: float | None
    competence: float | None
    first_text: float | None
    usual: float | None
    later: float | None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """How far annotators agree on one criterion. `level`: that of Krippendorff's `alpha`. `agreeing`: the share of
    pairs of labels on one question that are alike; `cohen`: of two annotators only. None where it does not exist.
    """

    criterion: str | None
    kind: LabelKind
    level: Level
    agreeing: Agreement | None
    fleiss: Agreement | None
    cohen: Agreement | None
    alpha: Agreement | None


@dataclass(frozen=True, repr=False)
class AnnotatorsResult(ShownResult):
    """`people`: those to look at first, then by agreement, the least first; `panels`: one for each criterion and kind
    of label; `study`: `{name}`.
    """

    study: Mapping[str, object]
    people: tuple[AnnotatorRow, ...]
    panels: tuple[Panel, ...]
    warnings: tuple[Notice, ...]

    @property
    def facts(self) -> tuple[str, ...]:
        """How many annotators there are, and how many have labels to look at."""
        people, odd = ({of.annotator for of in self.people if of.reasons or not wanted} for wanted in (False, True))
        return f"{len(people):,} annotators", f"{len(odd):,} to look at"

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row for each person and kind of label."""
        rows = [_flat(of) for of in self.people]
        return pl.DataFrame(rows, schema=_COLUMNS, orient="row")

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-ready lists and dictionaries."""
        return document(self, "people", "panels", tiebreak=__version__, annotators=self.people, agreement=self.panels)


_COLUMNS = {
    "annotator": pl.String, "kind": pl.String, "labels": pl.Int64, "items": pl.Int64, "seconds": pl.Float64,
    "agrees": pl.Float64, "agrees_low": pl.Float64, "agrees_high": pl.Float64, "agrees_labels": pl.Int64,
    "correlation": pl.Float64, "competence": pl.Float64, "first_text": pl.Float64, "usual": pl.Float64,
    "later": pl.Float64, "reasons": pl.String,
}  # fmt: skip


def _flat(of: AnnotatorRow) -> tuple[object, ...]:
    share = of.agrees
    shares = (None,) * 4 if share is None else (share.value, share.low, share.high, share.labels)
    return (
        of.annotator, of.kind, of.labels, of.items, of.seconds, *shares, of.correlation, of.competence, of.first_text,
        of.usual, of.later, "; ".join(of.reasons),
    )  # fmt: skip
