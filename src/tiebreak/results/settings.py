"""What `compare` was asked for, checked. The options of compare, report and plot are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from tiebreak.errors import UsageError
from tiebreak.records import LabelRule, Multiplicity, People, Question, Raters, Target
from tiebreak.rules.registry import RULES, pair_rules
from tiebreak.settings import shared
from tiebreak.settings.checks import check_raters, check_rule, check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting

DEFAULT_RULE: Final = "fixed"
MARGIN: Final = replace(shared.MARGIN, below=None, at_most=shared.LARGEST_NUMBER)
"""In rating points where means are compared."""


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
        for name in ("criteria", "annotators", "exclude", "systems", "metrics", "judges"):
            value = getattr(self, name)
            named = (value,) if isinstance(value, str) else value  # one name is a list of one, not of its letters
            object.__setattr__(self, name, None if named is None else tuple(named))
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
