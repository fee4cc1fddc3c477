"""What an audit found, as frozen records."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from tiebreak.auditing.agreement import OUTCOMES, JudgeAgreement, Together
from tiebreak.auditing.calibration import Calibration
from tiebreak.auditing.dependence import Dependence
from tiebreak.auditing.pair_items import Orders
from tiebreak.auditing.settings import AuditSettings
from tiebreak.auditing.win_rates import PairWinRates
from tiebreak.data.provenance import Kind
from tiebreak.records import Notice


@dataclass(frozen=True, slots=True)
class AuditedSource:
    """A metric or judge on one criterion.

    `comparisons` (an item and a pair each) that people and it both made, on `items`; `unjudged`: made by people alone.
    `unscored`: replies of a judge without an outcome, of `replies`; both None for a metric. `confusion`: comparisons by
    what it says (rows) and what people say (columns), a, tie, b. `pairs`: win rates; `pairs_without_labels`: pairs that
    a judge judged and nobody labelled. `orders`: None unless a judge was asked in both orders; `probabilities`: None
    unless it states any.
    """

    name: str
    kind: Kind
    criterion: str | None
    comparisons: int
    items: int
    unjudged: int
    replies: int | None
    unscored: int | None
    agreement: JudgeAgreement
    confusion: tuple[tuple[int, ...], ...]
    dependence: tuple[Dependence, ...]
    orders: Orders | None
    probabilities: Calibration | None
    pairs: tuple[PairWinRates, ...]
    pairs_without_labels: int

    @property
    def validated(self) -> bool:
        """Whether people labelled anything that it judged."""
        return self.comparisons > 0

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        recall = zip(OUTCOMES, map(asdict, self.agreement.recall), strict=True)
        return {
            "name": self.name,
            "kind": self.kind,
            "criterion": self.criterion,
            "validated": self.validated,
            "comparisons": self.comparisons,
            "items": self.items,
            "unjudged": self.unjudged,
            "replies": self.replies,
            "unscored": self.unscored,
            "agreement": asdict(self.agreement) | {"recall": dict(recall)},
            "confusion": [list(row) for row in self.confusion],
            "dependence": [asdict(check) for check in self.dependence],
            "orders": None if self.orders is None else asdict(self.orders),
            "probabilities": None if self.probabilities is None else asdict(self.probabilities),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "pairs_without_labels": self.pairs_without_labels,
        }


@dataclass(frozen=True, slots=True)
class Audit:
    """The findings of `audit`: one result per source and criterion, and `together` for every two of one criterion.

    `checks` of dependence were made in all: their intervals hold together at level 1 - alpha, each at 1 - alpha/checks.
    `group`: the column of items that groups are by, None without groups.
    """

    study: str
    settings: AuditSettings
    group: str | None
    checks: int
    results: tuple[AuditedSource, ...]
    together: tuple[Together, ...]
    warnings: tuple[Notice, ...]

    def to_dict(self) -> dict[str, object]:
        """The document of `--json`."""
        return {
            "study": self.study,
            "alpha": self.settings.alpha,
            "half_width": self.settings.half_width,
            "target": self.settings.target,
            "raters": self.settings.raters,
            "group": self.group,
            "checks": self.checks,
            "results": [result.to_dict() for result in self.results],
            "together": [asdict(two) for two in self.together],
            "warnings": [notice.to_dict() for notice in self.warnings],
        }
