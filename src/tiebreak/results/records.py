"""What a comparison or a campaign found: frozen records that know how to become a frame and a JSON-ready dictionary."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

import polars as pl

from tiebreak.kernels.agreement import Agreement, Level
from tiebreak.kernels.held_out_regression import Unused
from tiebreak.records import Notice, Verdict, document
from tiebreak.results.comparison_terms import Terms
from tiebreak.results.order import NOBODY, Annotators, EvidenceCurve, Order, SystemRatings
from tiebreak.results.progress import CampaignProgress, OwnAnalysis, WatchProgress
from tiebreak.results.settings import CompareSettings
from tiebreak.results.shown import ShownResult
from tiebreak.rules.rule import Guarantee, Validity
from tiebreak.version import __version__

_SHOWN: Final = (
    "criterion", "system_a", "system_b", "verdict", "difference", "low", "high", "p_value", "p_adjusted", "wins",
    "ties", "losses", "items", "labels",
)  # fmt: skip
"""Columns of a pair that a notebook shows."""

_WIN_RATES: Final = {
    "criterion": pl.String,
    "system": pl.String,
    "opponents": pl.Int64,
    "estimate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}

_LARGEST_E = 1e300  # JSON knows no infinity; an impossible null has E = infinity

LEAST_UNITS: Final = 10
"""Units of evidence below which no estimate is given: it would be taken for more than it is."""

BEYOND_ITEMS: Final = "beyond-items"
"""Flag of a pair whose projected need exceeds the items left."""
BEYOND_BUDGET: Final = "beyond-budget"
"""Flag of a pair whose projected need exceeds what the budget, or the limit of items per pair, still allows."""
NEW_ITEMS: Final = "new-items"
"""Flag of an undecided pair of a watched study: of the items that are known none can become evidence any more."""
NOT_PROJECTED: Final = "not-projected"
"""Flag of an undecided pair whose rule knows nothing of further labels."""
FEW_UNITS: Final = "few-units"
"""Flag of an undecided pair with fewer than `LEAST_UNITS`, which tell nothing about how many more it needs."""
CONTRADICTION: Final = "contradiction"
"""Flag of a pair whose evidence rules out every difference: something that the rule supposes does not hold."""
INTERVAL_CONTAINS_ZERO: Final = "interval-contains-zero"
"""Flag of a pair with a better system whose interval is wider than the verdict needs."""
INTERVAL_BEYOND_MARGIN: Final = "interval-beyond-margin"
"""The same of an equivalent pair."""
UNLIKE_VERDICT: Final = (INTERVAL_CONTAINS_ZERO, INTERVAL_BEYOND_MARGIN)
"""Flags of pairs whose interval says less than their verdict."""
WITH_THE_OTHERS: Final = "with-the-others"
"""Flag of a pair that has all its items, and is decided when the other pairs have theirs."""
CAMPAIGN_OVER: Final = "campaign-over"
"""Flag of a pair that will stay undecided."""


@dataclass(frozen=True, slots=True)
class Difference:
    """P(a preferred) - P(b preferred): `estimate` and interval in [-1, 1]; `validity` says when the interval holds.

    `estimate` is None below 10 units of evidence: it would be taken for more than it is.
    """

    estimate: float | None
    low: float
    high: float
    validity: Validity


def interval_flags(verdict: Verdict, low: float, high: float, margin: float | None) -> tuple[str, ...]:
    """The flag of an interval that says less than its verdict: it contains 0, or goes beyond the margin."""
    if verdict in ("a", "b") and low < 0 < high:
        return (INTERVAL_CONTAINS_ZERO,)
    if verdict == "equivalent" and margin is not None and not -margin <= low <= high <= margin:
        return (INTERVAL_BEYOND_MARGIN,)
    return ()


@dataclass(frozen=True, slots=True)
class Saving:
    """Share of labels saved, in [0, 1], with its 95% interval over items."""

    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class MetricUse:
    """What metrics and judges did for a pair.

    `confusion[k][c]`: labelled items on which they said k and the humans c, in the order a, tie, b. `agreement`: share
    of these on the diagonal, None without any. `unlabelled`: items that they judged and nobody labelled. `used`:
    whether they could enter the verdict, `unused`: at one look, why they did not; `helping`: those that did (None: not
    told apart); `saved`: labels saved, None
    if not known or not used. `stopped_at_without`: items to the verdict from human labels alone, None if it would not
    be reached. `shares`: of what several explain together, the part of each, by `names`; None where that cannot be
    said.
    """

    names: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    agreement: float | None
    unlabelled: int
    used: bool = True
    helping: tuple[str, ...] | None = None
    saved: Saving | None = None
    stopped_at_without: int | None = None
    shares: tuple[float, ...] | None = None
    unused: Unused | Literal["unlisted"] | None = None

    def turned(self) -> MetricUse:
        """With the systems of the pair the other way round."""
        return replace(self, confusion=tuple(row[::-1] for row in self.confusion[::-1]))

    @property
    def entered(self) -> tuple[str, ...]:
        """Names of those that the verdict rests on beside the labels."""
        return () if not self.used else self.names if self.helping is None else self.helping

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        shares = None if self.shares is None else dict(zip(self.names, self.shares, strict=True))
        return document(self, "helping", "unused", entered=self.entered, shares=shares)


@dataclass(frozen=True, slots=True)
class OverPeople:
    """Of a pair whose verdict is about people like these: how many `people` there are, the `share` of the variance of
    its difference that people add to that of items, in [0, 1], and the `floor`: the half-width of the interval that
    more items alone could not get below.
    """

    people: int
    share: float
    floor: float


@dataclass(frozen=True, slots=True)
class PairResult:
    """One pair on one criterion.

    `items`: items in the evidence (`identical`: with identical outputs; `abandoned`: that nobody will label, which
    count against whichever side is argued); `labels`: human labels on them; `units`: bets made (items, or clusters of
    items if `clusters` is not None). `stopped_at`: items after which the verdict was reached, `labels_at_stop` the
    labels on them. `items_to_decision`, `labels_to_decision` and `cost_to_decision`: what a new set would take where
    labels cannot be added, as of a finished set, else what these need beside them; 0 once decided, None if no end is in
    sight or (`flags` say so) more than is left would be needed. `wins`, `ties` and `losses` of system_a count items.
    `e_a`, `e_b`, `e_equivalent`: running maxima of the e-processes (capped at 1e300).
    `p_value`: of the one look, two-sided; `p_adjusted`: the smallest alpha at which the family has this direction.
    `equivalence_interval`: with a margin under `fixed`, the interval whose place inside the margin makes equivalence.
    `effective_clusters`: as many of equal size would say as much, under `fixed`. `mean_p`, `p_interval`:
    posterior means and intervals of (a, tie, b), where the method has them. `budget_left`: items that the limit per
    pair still allows. In a campaign `waiting` items have answers, or are out, beyond one that is not complete, and are
    no evidence yet; `exhausted`: no items are left, as in a watched pool whose items all count. `next_look`: items of
    an undecided pair at which a rule looks that does not look after every one. `curve`: how the evidence grew. What a
    rule lacks is None.
    """

    system_a: str
    system_b: str
    verdict: Verdict
    also: Verdict | None
    items: int
    labels: int
    units: int
    identical: int
    clusters: int | None
    items_to_decision: int | None
    labels_to_decision: int | None
    cost_to_decision: float | None
    stopped_at: int | None
    labels_at_stop: int | None
    wins: int
    ties: int
    losses: int
    difference: Difference
    e_a: float | None = None
    e_b: float | None = None
    e_equivalent: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    theta: float | None = None
    mean_p: tuple[float, float, float] | None = None
    k_hat: float | None = None
    flags: tuple[str, ...] = ()
    metric: MetricUse | None = None
    budget_left: int | None = None
    p_interval: tuple[tuple[float, float], ...] | None = None
    equivalence_interval: tuple[float, float] | None = None
    effective_clusters: float | None = None
    abandoned: int = 0
    waiting: int = 0
    exhausted: bool = False
    next_look: int | None = None
    over_people: OverPeople | None = None
    curve: EvidenceCurve | None = field(default=None, compare=False, repr=False)

    @property
    def winner(self) -> str | None:
        """Name of the better system, if one is."""
        return {"a": self.system_a, "b": self.system_b}.get(self.verdict)

    @property
    def sign(self) -> str:
        """What stands between the names where the winner is first: ">" better, "=" equivalent, "?" undecided."""
        return {"equivalent": "=", "undecided": "?"}.get(self.verdict, ">")

    def winner_first(self) -> PairResult:
        """The same pair with the better system as system_a, or where neither is better the one that is ahead."""
        estimate = self.difference.estimate
        ahead = self.wins - self.losses if estimate is None else estimate  # too few units for an estimate still lean
        turned = self.verdict == "b" or (self.verdict != "a" and ahead < 0)
        return self._turned() if turned else self

    def anew(self) -> PairResult:
        """With what a new set takes in place of what is needed beside this one."""
        if not self.items_to_decision or self.labels_to_decision is None:
            return self
        labels, cost = self.labels + self.labels_to_decision, self.cost_to_decision
        if cost is not None and self.labels_to_decision:
            cost = round(cost * labels / self.labels_to_decision, 2)
        return replace(
            self,
            items_to_decision=self.items + self.items_to_decision,
            labels_to_decision=labels,
            cost_to_decision=cost,
        )

    def _turned(self) -> PairResult:
        """The same pair with its systems the other way round."""
        gap = self.difference
        other: dict[Verdict, Verdict] = {"a": "b", "b": "a"}
        return replace(
            self,
            system_a=self.system_b,
            system_b=self.system_a,
            verdict=other.get(self.verdict, self.verdict),
            also=None if self.also is None else other.get(self.also, self.also),
            wins=self.losses,
            losses=self.wins,
            difference=replace(
                gap, estimate=None if gap.estimate is None else -gap.estimate, low=-gap.high, high=-gap.low
            ),
            e_a=self.e_b,
            e_b=self.e_a,
            theta=None if self.theta is None else 1 - self.theta,
            mean_p=None if self.mean_p is None else self.mean_p[::-1],
            p_interval=None if self.p_interval is None else self.p_interval[::-1],
            equivalence_interval=None
            if self.equivalence_interval is None
            else (-self.equivalence_interval[1], -self.equivalence_interval[0]),
            metric=None if self.metric is None else self.metric.turned(),
            curve=None if self.curve is None else self.curve.turned(),
        )

    def to_dict(self) -> dict[str, Any]:
        """The pair as `compare --json` prints it; `metric` and `k_hat` are null for verdicts from labels alone."""
        total = max(self.wins + self.ties + self.losses, 1)
        p = self.mean_p or (self.wins / total, self.ties / total, self.losses / total)
        ends = None if self.p_interval is None else dict(zip(_OUTCOMES, self.p_interval, strict=True))
        gap = document(self.difference, validity=str(self.difference.validity))
        shares = dict(zip(_OUTCOMES, p, strict=True))
        return document(self, "curve", "mean_p", difference=gap, p=shares, p_interval=ends)


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """How far annotators agree on `kind`, preferences or ratings.

    `alpha`: Krippendorff's at `level`, with its interval. `agreeing`: share of label pairs on the same question that
    agree (preferences only). Both None where nobody can be compared. `all_same`: questions have several labels, and all
    of these are the same, so that there is no alpha.
    """

    kind: str
    level: Level
    alpha: Agreement | None
    agreeing: Agreement | None
    all_same: bool = False

    @property
    def known(self) -> bool:
        """Whether there is anything to say."""
        return self.alpha is not None or self.all_same

    def to_dict(self) -> dict[str, Any]:
        """`{kind, level, all_same, krippendorff_alpha{estimate, low, high, items, labels, annotators}, agreeing{}}`."""
        alpha, agreeing = _agreement(self.alpha), _agreement(self.agreeing)
        return document(self, "alpha", krippendorff_alpha=alpha, agreeing=agreeing)


_OUTCOMES: Final = ("a", "tie", "b")


def _agreement(found: Agreement | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "items": found.n_items,
        "labels": found.n_labels,
        "annotators": found.n_annotators,
    }


@dataclass(frozen=True, slots=True)
class JudgeOrders:
    """How often a judge was asked in both orders (items and pairs), and answered differently: these are ties."""

    name: str
    both_orders: int
    disagreements: int


@dataclass(frozen=True, slots=True)
class PaperSentence:
    """What was found, and what such verdicts guarantee; None where nothing is claimed."""

    found: str
    guarantee: Guarantee | None = None

    def __str__(self) -> str:
        return self.found if self.guarantee is None else f"{self.found} Verdicts {self.guarantee.in_a_paper}."

    def under(self, guarantee: Guarantee) -> PaperSentence:
        """With another guarantee, if it has one."""
        return self if self.guarantee is None else replace(self, guarantee=guarantee)


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often a system is preferred over another, ties half, on average over its `opponents`: in [0, 1].

    `estimate` is None where that of a pair is, `low` and `high` where there is no interval.
    """

    system: str
    opponents: int
    estimate: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """All pairs of one criterion, their order, who labelled, how far they agree, and what else to say.

    `advice`: what the labels could have found and what to do, if a pair is undecided. `for_paper`: its sentence.
    `judges`: how often their answer depended on the order shown. `people`: labels of each annotator, most first;
    `ratings`: what each system was rated, best first; `win_rates`: of each system. `not_compared`: systems without a
    pair, but references.
    """

    criterion: str | None
    pairs: tuple[PairResult, ...]
    order: Order
    annotators: tuple[str, ...]
    labels: int
    agreement: tuple[AnnotatorAgreement, ...]
    advice: tuple[str, ...]
    for_paper: PaperSentence
    judges: tuple[JudgeOrders, ...] = ()
    people: Annotators = NOBODY
    ratings: tuple[SystemRatings, ...] = ()
    not_compared: tuple[str, ...] = ()
    win_rates: tuple[WinRate, ...] = ()

    @property
    def sentence(self) -> str:
        """For the paper."""
        return str(self.for_paper)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return document(self, "for_paper", "people", "ratings", sentence=self.sentence)


@dataclass(frozen=True, repr=False)
class CompareResult(ShownResult):
    """The result of `compare`, of a campaign, or of the last look at a watched study.

    `study`: name, fingerprint, and sizes. `terms`: what the verdicts mean. `settings`: what makes the same comparison
    again; None where it was not made by `compare`. `campaign`, `watch`: where that stands whose verdicts these are;
    `own_analysis`: that a campaign's labels were analysed afresh. `folder`: last part of where it lies, if it does.
    """

    study: dict[str, object]
    terms: Terms
    results: tuple[CriterionResult, ...]
    warnings: tuple[Notice, ...] = field(default=())
    settings: CompareSettings | None = None
    campaign: CampaignProgress | None = None
    watch: WatchProgress | None = None
    own_analysis: OwnAnalysis | None = None
    folder: str | None = field(default=None, compare=False)

    @property
    def undecided(self) -> int:
        """Number of pairs without a verdict, over all criteria."""
        return sum(pair.verdict == "undecided" for found in self.results for pair in found.pairs)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """One row per criterion and pair, the fields of `PairResult` as columns (`difference` spread out)."""
        rows = [
            {"criterion": result.criterion, **_flat(pair.to_dict())} for result in self.results for pair in result.pairs
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @cached_property
    def systems(self) -> pl.DataFrame:
        """One row per criterion and system: `criterion` and the fields of `WinRate`; none of means."""
        rows = [{"criterion": result.criterion, **asdict(rate)} for result in self.results for rate in result.win_rates]
        return pl.DataFrame(rows, schema=_WIN_RATES)

    @property
    def order(self) -> Order:
        """The partial order, if one criterion was compared.

        Raises:
            ValueError: several criteria were; use `.results`.
        """
        if len(self.results) != 1:
            raise ValueError(f"there are {len(self.results)} criteria, each with its own order: see .results")
        return self.results[0].order

    @property
    def table(self) -> pl.DataFrame:
        """One row per criterion and pair: the verdict, the difference with its interval, and what it rests on."""
        names = [name for name in _SHOWN if name in self.pairs.columns]
        return self.pairs.select(names)

    @property
    def facts(self) -> tuple[str, ...]:
        """Each pair, the winner first: `gpt > llama`, `gpt ? mistral`."""
        several = len(self.results) > 1
        return tuple(
            f"{pair.system_a} {pair.sign} {pair.system_b}" + (f" on {found.criterion}" if several else "")
            for found in self.results
            for pair in (one.winner_first() for one in found.pairs)
        )

    def to_dict(self) -> dict[str, Any]:
        """The document that `compare --json` prints."""
        return document(self, "settings", "folder", tiebreak=__version__)


def _flat(pair: dict[str, object]) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in pair.items():
        if name in ("metric", "k_hat", "flags", "p_interval", "equivalence_interval"):
            continue
        if isinstance(value, dict):
            prefix = "" if name == "difference" else f"{name}_"
            flat |= {("difference" if key == "estimate" else prefix + key): part for key, part in value.items()}
        else:
            flat[name] = value
    return flat


def e_value(log_e: float) -> float:
    """exp(log E), capped at 1e300."""
    return min(math.exp(min(log_e, 700.0)), _LARGEST_E)
