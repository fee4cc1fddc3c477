"""What `compare` was asked for, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import LABEL_RULES, TARGETS, LabelRule, Target
from tiebreak.rules.registry import MULTIPLICITIES, RULES, Multiplicity

DEFAULT_RULE: Final = "anytime"
_SMALLEST_ALPHA: Final = 1e-12  # nobody can mean less, and thresholds stay ordinary numbers


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """Settings of one comparison; fix them before looking at results.

    rule: a name of `decisions.methods.RULES`. alpha in (0, 1): bound on the chance of any wrong verdict (for
    `hoeffding` its d, for `dirichlet` gamma). tie_threshold >= 0: ratings that differ by at most this much are a
    tie. margin in (0, 1) or None: the smallest difference that matters. target: the claim is about inputs like
    these, or about these items. criteria, annotators (globs), systems: None takes all. baseline: only pairs with
    this system. seed: of the random order of items. metrics, judges: automatic values to use beside the labels ("all":
    every one that serves the criterion); metric_tie_threshold >= 0: score differences up to it are a tie. human=False
    decides from metrics and judges alone, which is what not to do, for comparison only. items_per_pair >= 1 or None:
    most items of a pair that will ever be labelled, fixed before the first label.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss.
    """

    rule: str = DEFAULT_RULE
    alpha: float = 0.05
    tie_threshold: float = 0.0
    margin: float | None = None
    target: Target = "inputs"
    criteria: tuple[str, ...] | None = None
    several: LabelRule = "mean"
    annotators: tuple[str, ...] | None = None
    multiplicity: Multiplicity = "holm"
    systems: tuple[str, ...] | None = None
    baseline: str | None = None
    seed: int = 0
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    metric_tie_threshold: float = 0.0
    human: bool = True
    items_per_pair: int | None = None

    def __post_init__(self) -> None:
        _check_choice("rule", self.rule, tuple(RULES))
        _check_choice("target", self.target, TARGETS)
        _check_choice("several", self.several, LABEL_RULES)
        _check_choice("multiplicity", self.multiplicity, MULTIPLICITIES)
        _check_range("alpha", self.alpha, 0.0, 1.0, "a chance of error such as 0.05")
        if self.alpha < _SMALLEST_ALPHA:
            raise UsageError(f"alpha is {self.alpha}, but must be at least {_SMALLEST_ALPHA:g}")
        if self.margin is not None:
            _check_range("margin", self.margin, 0.0, 1.0, "a difference between preference shares such as 0.1")
        if self.margin is not None and self.rule != "anytime":
            raise UsageError(f"a margin needs --rule anytime; {self.rule} cannot call two systems equivalent")
        if not 0 <= self.tie_threshold < float("inf"):
            raise UsageError(f"tie-threshold is {self.tie_threshold}, but must be a number of rating points >= 0")
        if not 0 <= self.metric_tie_threshold < float("inf"):
            raise UsageError(f"metric-tie-threshold is {self.metric_tie_threshold}, but must be a number >= 0")
        self._check_automatic()
        self._check_budget()
        if self.seed < 0:
            raise UsageError(f"seed is {self.seed}, but must be a whole number >= 0")

    def _check_budget(self) -> None:
        if self.items_per_pair is None:
            return
        if self.items_per_pair < 1:
            raise UsageError(f"items-per-pair is {self.items_per_pair}, but must be 1 or more")
        if self.rule != DEFAULT_RULE:
            raise UsageError(
                f"items-per-pair needs --rule {DEFAULT_RULE}; {self.rule} does not bet towards a number of labels"
            )

    def _check_automatic(self) -> None:
        """Which methods can, must or cannot have metrics and judges."""
        automatic = bool(self.metrics or self.judges)
        if not self.human and (self.rule != "fixed" or not automatic):
            raise UsageError(
                "--no-human shows what a metric alone would say: it needs --rule fixed and --metric or --judge"
            )
        if RULES[self.rule].needs_metric and not automatic:
            raise UsageError(f"--rule {self.rule} needs a metric or judge: --metric NAME, --metric all or --judge NAME")
        if automatic and self.human and not RULES[self.rule].takes_metric:
            takers = ", ".join(name for name, method in RULES.items() if method.takes_metric)
            raise UsageError(f"--rule {self.rule} uses human labels only; with metrics and judges: {takers}")

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _check_choice(option: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise UsageError(f"no {option} {value!r}{did_you_mean(value, allowed)}; choose from {', '.join(allowed)}")


def _check_range(option: str, value: float, low: float, high: float, meaning: str) -> None:
    if not low < value < high:
        raise UsageError(f"{option} is {value}, but must be above {low:g} and below {high:g}: {meaning}")
