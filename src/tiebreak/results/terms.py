"""What a set of verdicts means: the same record for a comparison of finished labels and for a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiebreak.records import Multiplicity, OrderOfItems, People, Question, Raters, Target, document
from tiebreak.rules.guarantee import ALL_COUNTED, Guarantee
from tiebreak.rules.registry import RULES
from tiebreak.rules.rule import Looks


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything that the verdicts of one result depend on, and what they promise.

    `rule`, `title`: the rule by name and in words; `level`: what `alpha` is called there. `guarantee` completes the
    sentence "Verdicts ...". `several`: how several labels on an item become its value: a label rule, or a campaign's
    labelling policy; `labels_in_words`: the same in words. `family`: pairs tested together, over all criteria.
    `correction`: how many pairs are accounted for, in words; None where the rule does not. `tie_threshold` in rating
    points and `metric_tie_threshold` in points of a metric: differences up to them are ties. `human`: whether human
    labels decide. `compare`: the question, with `margin` in rating points where it is about means. `items_per_pair`:
    most items of a pair that will ever be labelled, None without a limit. `raters`: whose ratings of two outputs were
    compared: those of the "same" person, or those of "any". `people`: whether verdicts are about these annotators
    ("fixed") or about people like these ("random"). `systems`, `annotators` (globs): the part of the data that
    was asked for; None: all. `exclude` (globs): people left out. `only_pairs`: the pairs that a campaign names, ()
    where none are named. `seed` of the order of items.
    """

    rule: str
    title: str
    level: str
    alpha: float
    guarantee: Guarantee
    several: str
    labels_in_words: str
    family: int
    order: OrderOfItems
    looks: Looks
    margin: float | None = None
    target: Target = "inputs"
    multiplicity: Multiplicity = "holm"
    correction: str | None = None
    criteria: tuple[str | None, ...] = (None,)
    systems: Sequence[str] | None = None
    baseline: str | None = None
    only_pairs: Sequence[tuple[str, str]] = ()
    raters: Raters = "same"
    people: People = "fixed"
    annotators: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    metrics: Sequence[str] = ()
    judges: Sequence[str] = ()
    human: bool = True
    compare: Question = "wins"
    tie_threshold: float = 0.0
    metric_tie_threshold: float = 0.0
    items_per_pair: int | None = None
    seed: int = 0
    sources: tuple[str, ...] = ()

    @property
    def counted(self) -> bool:
        """Whether every verdict is a count of all items there are, so that no chance is left to be bounded."""
        return self.guarantee.says == ALL_COUNTED.says

    @property
    def automatic(self) -> tuple[str, ...]:
        """Metrics and judges."""
        return (*self.metrics, *self.judges)

    @property
    def going_on(self) -> bool:
        """Whether labels are added under these terms, as in a campaign; else going on would be another study."""
        return self.order in ("sealed", "listed", "seen")

    @property
    def trusted(self) -> bool:
        """Whether the verdicts rest on people and on evidence whose error rate is controlled."""
        return RULES[self.rule].controls_error and self.human

    def to_dict(self) -> dict[str, Any]:
        """All by name; `terms` of the JSON document."""
        return document(self, guarantee=str(self.guarantee))
