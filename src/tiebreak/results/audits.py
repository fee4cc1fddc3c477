"""What an audit found, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from tiebreak.records import Kind, Notice, document
from tiebreak.results.settings import AuditSettings
from tiebreak.results.shown import SummarisedResult


@dataclass(frozen=True, slots=True)
class Estimate:
    """`value` with an interval, of so many comparisons of outputs; `units` of them are independent: items, or clusters.

    What is not identified is None: the value without any comparison, the interval where the units exclude nothing.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    comparisons: int = 0
    units: int = 0


OUTCOMES: Final = {"a": 1.0, "tie": 0.0, "b": -1.0}
"""Outcomes in the order in which tables have them."""


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Shares of comparisons on which the source and people name the same outcome.

    `all`; `decided`: those of which people did not call it a tie; `both_decided`: neither did the source. `recall`: of
    those with each outcome by people, in the order of `OUTCOMES`. `kappa` is Cohen's. `person`: a person with the
    outcome of the others who labelled the same comparison, and `with_others`: the source with that same outcome; both
    without comparisons where nobody's labels overlap. `needed`: comparisons with human labels until `all` is known to
    the half-width asked for, a projection; None where it is not identified.
    """

    all: Estimate = field(default_factory=Estimate)
    decided: Estimate = field(default_factory=Estimate)
    both_decided: Estimate = field(default_factory=Estimate)
    recall: tuple[Estimate, Estimate, Estimate] = (Estimate(), Estimate(), Estimate())
    kappa: Estimate = field(default_factory=Estimate)
    person: Estimate = field(default_factory=Estimate)
    with_others: Estimate = field(default_factory=Estimate)
    needed: int | None = None


@dataclass(frozen=True, slots=True)
class Together:
    """Two sources on the comparisons that people and both of them made.

    `correlation` of their errors, source minus people; `both_wrong`: the share of comparisons of which neither names
    people's outcome, `by_chance` what it would be if one's mistakes had nothing to do with the other's.
    """

    criterion: str | None
    names: tuple[str, str]
    correlation: Estimate
    both_wrong: float
    by_chance: float


@dataclass(frozen=True, slots=True)
class Reliability:
    """Comparisons whose most probable outcome has a probability from `low` to below `high` (at 1: 1 too).

    `stated`: its mean; `agrees`: how often people name that outcome; outcomes that are equally probable share it.
    """

    low: float
    high: float
    stated: float
    agrees: Estimate


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probabilities beside people's outcomes.

    `replies` have probabilities, `scaled` of which were not 1 in all. `comparisons` have them, and human labels.
    `brier` and `log_loss`, each beside what the shares of people's outcomes alone would get. `impossible`: comparisons
    whose outcome had the probability 0, which leave no log loss. `stated`: the mean probability of the most probable
    outcome, `agrees`: how often people name it, `excess`: the first minus the second. `reliability`: bins that hold
    anything.
    """

    replies: int
    scaled: int
    comparisons: int
    brier: Estimate
    brier_of_shares: float | None
    log_loss: Estimate
    log_loss_of_shares: float | None
    impossible: int
    stated: float | None
    agrees: Estimate
    excess: Estimate
    reliability: tuple[Reliability, ...]


Feature = Literal["length", "lists", "headings", "bold"]


CheckKind = Literal[Feature, "side", "system", "group"]


@dataclass(frozen=True, slots=True)
class Dependence:
    """One check. `name`: the system or group that it is about, else None.

    `by_source`, `by_people`: how often outputs with the property win, in [0, 1], ties counted half; of a group instead
    `inside` and `elsewhere`: how often source and people agree. `effect`: the first minus the second, with an interval
    that holds for all checks of the audit together. `shown`: whether that excludes 0; None where nothing could be
    checked, and `why` says why. `would_show`: an effect that would have been shown in 80% of studies, None
    where not known. `family`: what the names of the source and of the system both point to.
    """

    check: CheckKind
    name: str | None = None
    by_source: float | None = None
    by_people: float | None = None
    inside: float | None = None
    elsewhere: float | None = None
    effect: Estimate = Estimate()
    shown: bool | None = None
    would_show: float | None = None
    why: str = ""
    family: str | None = None


@dataclass(frozen=True, slots=True)
class Orders:
    """Of the comparisons that a judge was asked in both orders, and answered in both.

    `flips`: the share of them whose outcome changes with the order; `reversals`: comparisons among them on which it
    takes the one output first and then the other one. Where people labelled them: `one_order` agrees with people so
    often, in the mean of both, and `together`, a change counted as a tie, as everywhere in tiebreak; `gain`: the second
    minus the first.
    """

    flips: Estimate
    reversals: int
    one_order: Estimate = field(default_factory=Estimate)
    together: Estimate = field(default_factory=Estimate)
    gain: Estimate = field(default_factory=Estimate)


JUDGED_PER_LABELLED: Final = 10
"""Items that a source judges for each that people label, in projections: it costs next to nothing."""


@dataclass(frozen=True, slots=True)
class LabelsNeeded:
    """Human labels on a pair until the interval of its win rate has the half-width asked for; None: not identified.

    `with_source`: where it judges `JUDGED_PER_LABELLED` items for each that people label; `without`: human labels
    alone. Each item would have as many labels as now. Of a claim about these items both stand in the pool as it is;
    None where it is too small.
    """

    with_source: int | None = None
    without: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRates:
    """Win rates of the first of two systems, in [0, 1], ties counted half.

    `items` have human labels and a value of the source, `labels` of people are on them; `judged` items have a value of
    the source. `by_people` and `by_source` are about the `items`; `difference`: source minus people. `corrected`: about
    inputs like those judged, or about these; `uses_source`: whether the source entered it, which it does where it
    predicts labels.
    """

    items: int
    labels: int
    judged: int
    by_people: Estimate
    by_source: Estimate
    difference: Estimate
    corrected: Estimate
    uses_source: bool
    needed: LabelsNeeded

    def turned(self) -> WinRates:
        """Those of the second of the two systems."""
        return replace(
            self,
            by_people=_turned(self.by_people, 1.0),
            by_source=_turned(self.by_source, 1.0),
            corrected=_turned(self.corrected, 1.0),
            difference=_turned(self.difference, 0.0),
        )


def _turned(of: Estimate, total: float) -> Estimate:
    """What is left of a total."""
    value, low, high = (None if end is None else total - end for end in (of.value, of.high, of.low))
    return replace(of, value=value, low=low, high=high)


@dataclass(frozen=True, slots=True)
class PairWinRates:
    """Those of `system_a` beside `system_b`: of the source's `outcomes`, and of the outcomes that its probabilities
    let expect, where it has any.
    """

    system_a: str
    system_b: str
    outcomes: WinRates
    expected: WinRates | None = None

    def winner_first(self) -> PairWinRates:
        """With the system first that wins more often by the corrected rate."""
        if (self.outcomes.corrected.value or 0.0) >= 0.5:
            return self
        expected = None if self.expected is None else self.expected.turned()
        return PairWinRates(self.system_b, self.system_a, self.outcomes.turned(), expected)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: those of the outcomes beside the names."""
        return document(self, "outcomes", **document(self.outcomes))


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

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        recall = dict(zip(OUTCOMES, self.agreement.recall, strict=True))
        return document(self, validated=self.validated, agreement=document(self.agreement, recall=recall))


@dataclass(frozen=True, slots=True)
class Audit(SummarisedResult):
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

    def to_dict(self) -> dict[str, Any]:
        """The document of `--json`."""
        asked = {name: getattr(self.settings, name) for name in ("alpha", "half_width", "target", "raters")}
        return document(self, "settings", **asked)
