"""What is asked for, checked: comparisons, means, leaderboards and audits.

The options of their commands are made from these records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final, Literal

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import MATCHINGS, LabelRule, Matching, Multiplicity, People, Question, Raters, Target
from tiebreak.rules.registry import RULES, pair_rules
from tiebreak.settings import shared
from tiebreak.settings.checks import check_raters, check_rule, check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting

DEFAULT_RULE: Final = "fixed"
MARGIN: Final = replace(shared.MARGIN, below=None, at_most=shared.LARGEST_NUMBER)
"""In rating points where means are compared."""


def _keep_as_tuples(settings: object, *names: str) -> None:
    """Several names are kept as a tuple; one name is one of them, and no row of letters."""
    for name in names:
        value = getattr(settings, name)
        named = (value,) if isinstance(value, str) else value
        object.__setattr__(settings, name, None if named is None else tuple(named))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareSettings:
    """Settings of one comparison; fix them before looking at results. Several names may be any sequence; they are kept
    as tuples; None, where it is the default, takes all.

    human=False decides by metrics and judges alone, to see what these would say: such verdicts promise nothing.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss.
    """

    rule: str = setting(DEFAULT_RULE, shared.rule(pair_rules()), panel=shared.MORE)
    compare: Question = setting("wins", shared.QUESTION, panel=shared.MORE, against=False)
    alpha: float = setting(0.05, shared.ALPHA)
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD, panel=shared.MORE)
    margin: float | None = setting(None, MARGIN)
    target: Target = setting("inputs", shared.TARGET, panel=shared.MORE)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION, against=False)
    several: LabelRule = setting("mean", shared.SEVERAL, panel=shared.MORE)
    raters: Raters = setting("same", shared.RATERS_COMPARED, panel=shared.MORE)
    people: People = setting("fixed", shared.PEOPLE_MEANT, panel=shared.MORE)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED, panel=shared.MORE)
    multiplicity: Multiplicity = setting("holm", shared.MULTIPLICITY, panel=shared.MORE)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS, against=False)
    baseline: str | None = setting(None, shared.BASELINE, against=False, panel=shared.MORE)
    seed: int = setting(0, shared.ORDER_SEED, against=False, panel=shared.MORE)
    metrics: Sequence[str] = setting((), shared.METRICS)
    judges: Sequence[str] = setting((), shared.JUDGES)
    metric_tie_threshold: float = setting(0.0, shared.METRIC_TIE_THRESHOLD, panel=shared.MORE)
    human: bool = setting(
        True,
        Setting("Use human labels, or see what metrics and judges alone would say", flags="--human/--no-human"),
        panel=shared.MORE,
    )
    items_per_pair: int | None = setting(None, shared.ITEMS_PER_PAIR, against=False, panel=shared.MORE)

    def __post_init__(self) -> None:
        _keep_as_tuples(self, "criteria", "annotators", "exclude", "systems", "metrics", "judges")
        check_settings(self)
        rule = RULES[self.rule]
        if self.compare == "means":
            needless = ("rule", "several", "tie_threshold", "judges", "human")
            refuse_given(self, needless, "cannot be given with --compare means: one look at means of human ratings")
        elif self.margin is not None and self.margin >= 1:
            raise UsageError(
                f"margin is {self.margin:g}, but must be above 0 and below 1: a difference between preference shares "
                "such as 0.1; with --compare means it is in points of the rating scale"
            )
        check_rule(self.rule, self)
        self._check_automatic()
        check_raters(self.raters, self.several)
        if self.people == "random":
            others = ("rule", "several", "target", "raters", "metrics", "judges", "human")
            refuse_given(self, others, "cannot be given with --people random: one look at labels, each by itself")
        if self.items_per_pair is not None and not rule.plans_items:
            planners = " or ".join(name for name in pair_rules() if RULES[name].plans_items)
            raise UsageError(f"items-per-pair needs --rule {planners}; {self.rule} plans no number of items")

    def _check_automatic(self) -> None:
        """Which methods can, must or cannot have metrics and judges."""
        automatic = bool(self.metrics or self.judges)
        if not self.human and (self.rule != DEFAULT_RULE or not automatic):
            raise UsageError(
                "--no-human shows what a metric alone would say: it needs --metric or --judge, and --rule "
                f"{DEFAULT_RULE}"
            )
        if RULES[self.rule].needs_metric and not automatic:
            raise UsageError(f"--rule {self.rule} needs a metric or judge: --metric NAME, --metric all or --judge NAME")
        if automatic and self.human and not RULES[self.rule].takes_metric:
            takers = ", ".join(name for name in pair_rules() if RULES[name].takes_metric)
            raise UsageError(f"--rule {self.rule} uses human labels only; with metrics and judges: {takers}")

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


_CONFIDENCE: Final = Setting(
    "Share of studies in which an interval holds, each by itself",
    at_least=0.5,
    below=1,
    at_most=1 - shared.SMALLEST_ALPHA,
    such_as="0.95 for 95%",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateSettings:
    """Settings of an estimate; fix them before looking at results. Several names may be any sequence; None takes all.

    Raises:
        UsageError: an impossible value.
    """

    confidence: float = setting(0.95, _CONFIDENCE)
    target: Target = setting("inputs", shared.TARGET)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    raters: Raters = setting("same", shared.RATERS_COMPARED)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    metrics: Sequence[str] = setting((), shared.METRICS)

    def __post_init__(self) -> None:
        _keep_as_tuples(self, "criteria", "annotators", "exclude", "systems", "metrics")
        check_settings(self)
        if "all" in self.metrics and len(self.metrics) > 1:
            raise UsageError("--metric all takes every metric of the study: name no other beside it")

    @property
    def level(self) -> float:
        """Chance to miss on either side, above 0."""
        return (1 - self.confidence) / 2

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


GlickoVariant = Literal["paper", "standard"]
Together = Literal["holm", "none"]

SOURCES: Final = ("preferences", "ratings", "judges")
JUDGE_PREFIX: Final = "judge:"
LEAST_WEIGHT: Final = 0.001
LARGEST_WEIGHT: Final = 1000.0
LARGEST_ANCHOR: Final = 1_000_000.0

_SOURCE: Final = Setting(
    "Comparisons to rate by: preferences, ratings, judges or judge:NAME, with =WEIGHT for what one of them counts for",
    option="source",
    metavar="NAME",
)
_TOGETHER: Final = replace(
    shared.MULTIPLICITY,
    choices={"holm": "all intervals hold together, all places and all verdicts", "none": "each by itself"},
)
_SIDE: Final = Setting(
    "Estimate the advantage of the output shown on the left", flags="--left-advantage/--no-left-advantage"
)
_MATCHING: Final = Setting(
    "Pair that plays next in the Glicko-2 tournament",
    choices=dict(zip(MATCHINGS, ("", "for the order", "for the best system alone"), strict=True)),
)
_VARIANT: Final = Setting(
    "Also rate by a Glicko-2 tournament of this form",
    default_words="no tournament",
    choices={"paper": "deviations never grow, a draw moves a tenth", "standard": "Glickman's, a game is a period"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """Settings of a leaderboard; fix them before looking at results. Several names may be any sequence; None takes all.

    Without `sources` people's labels are rated: preferences, and ratings of pairs that have none.

    Raises:
        UsageError: an impossible value.
    """

    sources: Sequence[str] = setting((), _SOURCE)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    anchor: str | None = setting(
        None, Setting("System whose rating is fixed; without it the mean of all is", metavar="SYSTEM")
    )
    anchor_rating: float = setting(
        1500.0,
        Setting("Rating of the anchor, or of the mean", at_least=-LARGEST_ANCHOR, at_most=LARGEST_ANCHOR),
    )
    alpha: float = setting(0.05, shared.ALPHA)
    multiplicity: Together = setting("holm", _TOGETHER)
    left_advantage: bool = setting(False, _SIDE)
    several: LabelRule = setting("mean", shared.SEVERAL)
    raters: Raters = setting("same", shared.RATERS_COMPARED)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED)
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD)
    glicko2: GlickoVariant | None = setting(None, _VARIANT)
    matching: Matching = setting("random", _MATCHING)
    max_games: int = setting(100_000, Setting("Most games of the tournament", at_least=1, at_most=1_000_000))
    seed: int = setting(1, Setting("Seed of the tournament", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        _keep_as_tuples(self, "sources", "criteria", "systems", "annotators", "exclude")
        check_settings(self)
        asked_sources(self.sources)
        if self.raters == "any" and self.several != "mean":
            raise UsageError(f"raters any needs --several mean; {self.several} takes the two ratings of one person")
        if self.left_advantage and self.several == "majority":
            raise UsageError("--left-advantage needs --several mean or first: a majority was shown on no side")

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class AskedSource:
    """One kind of comparison with its weight; `kind`: one of `SOURCES`, `judge`: the one meant, None: every one."""

    kind: str
    weight: float = 1.0
    judge: str | None = None


def asked_sources(sources: Sequence[str]) -> tuple[AskedSource, ...]:
    """The sources as they were asked for, () without any.

    Raises:
        UsageError: an unknown source, one named twice, or a weight that is no number from 0.001 to 1000.
    """
    found = [_asked(text) for text in sources]
    names = [(of.kind, of.judge) for of in found]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"--source names {name[0]} twice; each source has one weight")
    if ("judges", None) in names and any(judge is not None for _, judge in names):
        raise UsageError("--source judges takes every judge: name no judge beside it")
    return tuple(found)


def _asked(text: str) -> AskedSource:
    name, equals, written = text.rpartition("=")
    weight = _weight(written) if equals else None
    if weight is None:  # the name of a judge may have an equals sign in it
        name, weight = text, 1.0
    if name.startswith(JUDGE_PREFIX) and len(name) > len(JUDGE_PREFIX):
        return AskedSource("judges", weight, name.removeprefix(JUDGE_PREFIX))
    if name in SOURCES:
        return AskedSource(name, weight)
    kind, equals, written = text.partition("=")
    if equals and kind in SOURCES:
        raise UsageError(
            f"--source {text}: the weight must be a number from {LEAST_WEIGHT:g} to {LARGEST_WEIGHT:g}, as in "
            f"{kind}=0.5"
        )
    known = (*SOURCES, f"{JUDGE_PREFIX}NAME")
    raise UsageError(f"--source {text}: name one of {', '.join(known)}{did_you_mean(name, known)}")


def _weight(written: str) -> float | None:
    try:
        weight = float(written)
    except ValueError:
        return None
    return weight if LEAST_WEIGHT <= weight <= LARGEST_WEIGHT else None


HALF_WIDTH: Final = replace(shared.HALF_WIDTH, below=0.5, at_least=0.0001, at_most=None)
GROUP: Final = Setting(
    "Column of items whose groups are set against one another", metavar="COLUMN", default_words="cluster"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditSettings:
    """Settings of one audit. Without any `metrics` or `judges` all that the study has are audited.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss.
    """

    metrics: Sequence[str] = setting((), shared.METRICS)
    judges: Sequence[str] = setting((), shared.JUDGES)
    alpha: float = setting(0.05, shared.ALPHA)
    half_width: float = setting(0.05, HALF_WIDTH)
    target: Target = setting("inputs", shared.TARGET)
    group: str | None = setting(None, GROUP)
    criteria: Sequence[str] | None = setting(None, shared.CRITERION)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS)
    annotators: Sequence[str] | None = setting(None, shared.ANNOTATORS)
    exclude: Sequence[str] | None = setting(None, shared.EXCLUDED)
    several: LabelRule = setting("mean", shared.SEVERAL)
    raters: Raters = setting("same", shared.RATERS_COMPARED)
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD)
    metric_tie_threshold: float = setting(0.0, shared.METRIC_TIE_THRESHOLD)

    def __post_init__(self) -> None:
        _keep_as_tuples(self, "criteria", "annotators", "exclude", "systems", "metrics", "judges")
        check_settings(self)
        check_raters(self.raters, self.several)
