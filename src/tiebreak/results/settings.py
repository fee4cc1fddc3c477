"""What `compare` was asked for, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.evidence.study_evidence import EvidenceSettings
from tiebreak.records import LABEL_RULES, TARGETS, LabelRule, Target
from tiebreak.rules.methods import METHODS, MULTIPLICITIES, Multiplicity

DEFAULT_METHOD: Final = "anytime"
_SMALLEST_ALPHA: Final = 1e-12  # nobody can mean less, and thresholds stay ordinary numbers


@dataclass(frozen=True, slots=True)
class CompareSettings:
    """Settings of one comparison; fix them before looking at results.

    method: a name of `decisions.methods.METHODS`. alpha in (0, 1): bound on the chance of any wrong verdict (for
    `hoeffding` its d, for `dirichlet` gamma). tie_threshold >= 0: ratings that differ by at most this much are a
    tie. margin in (0, 1) or None: the smallest difference that matters. target: the claim is about inputs like
    these, or about these items. criteria, annotators (globs), systems: None takes all. baseline: only pairs with
    this system. seed: of the random order of items. metrics, judges: automatic values to use beside the labels ("all":
    every one that serves the criterion); metric_tie_threshold >= 0: score differences up to it are a tie. human=False
    decides from metrics and judges alone, which is what not to do, for comparison only. budget >= 1 or None: items of
    each pair that will ever be labelled at most, fixed before the first label.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss.
    """

    method: str = DEFAULT_METHOD
    alpha: float = 0.05
    tie_threshold: float = 0.0
    margin: float | None = None
    target: Target = "inputs"
    criteria: tuple[str, ...] | None = None
    labels: LabelRule = "mean"
    annotators: tuple[str, ...] | None = None
    multiplicity: Multiplicity = "holm"
    systems: tuple[str, ...] | None = None
    baseline: str | None = None
    seed: int = 0
    metrics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    metric_tie_threshold: float = 0.0
    human: bool = True
    budget: int | None = None

    def __post_init__(self) -> None:
        _check_choice("method", self.method, tuple(METHODS))
        _check_choice("target", self.target, TARGETS)
        _check_choice("labels", self.labels, LABEL_RULES)
        _check_choice("multiplicity", self.multiplicity, MULTIPLICITIES)
        _check_range("alpha", self.alpha, 0.0, 1.0, "a chance of error such as 0.05")
        if self.alpha < _SMALLEST_ALPHA:
            raise UsageError(f"alpha is {self.alpha}, but must be at least {_SMALLEST_ALPHA:g}")
        if self.margin is not None:
            _check_range("margin", self.margin, 0.0, 1.0, "a difference between preference shares such as 0.1")
        if self.margin is not None and self.method != "anytime":
            raise UsageError(f"a margin needs --method anytime; {self.method} cannot call two systems equivalent")
        if not 0 <= self.tie_threshold < float("inf"):
            raise UsageError(f"tie-threshold is {self.tie_threshold}, but must be a number of rating points >= 0")
        if not 0 <= self.metric_tie_threshold < float("inf"):
            raise UsageError(f"metric-tie-threshold is {self.metric_tie_threshold}, but must be a number >= 0")
        self._check_automatic()
        self._check_budget()
        if self.seed < 0:
            raise UsageError(f"seed is {self.seed}, but must be a whole number >= 0")

    def _check_budget(self) -> None:
        if self.budget is None:
            return
        if self.budget < 1:
            raise UsageError(f"budget is {self.budget}, but must be a number of items per pair, 1 or more")
        if self.method != DEFAULT_METHOD:
            raise UsageError(
                f"a budget needs --method {DEFAULT_METHOD}; {self.method} does not bet towards a number of labels"
            )

    def _check_automatic(self) -> None:
        """Which methods can, must or cannot have metrics and judges."""
        automatic = bool(self.metrics or self.judges)
        if not self.human and (self.method != "sign" or not automatic):
            raise UsageError(
                "--no-human shows what a metric alone would say: it needs --method sign and --metric or --judge"
            )
        if METHODS[self.method].needs_metric and not automatic:
            raise UsageError(
                f"--method {self.method} needs a metric or judge: --metric NAME, --metric all or --judge NAME"
            )
        if automatic and self.human and not METHODS[self.method].takes_metric:
            takers = ", ".join(name for name, method in METHODS.items() if method.takes_metric)
            raise UsageError(f"--method {self.method} uses human labels only; with metrics and judges: {takers}")

    @property
    def evidence(self) -> EvidenceSettings:
        """Those that say how labels become values."""
        return EvidenceSettings(self.labels, self.tie_threshold, self.target, self.seed, self.baseline, self.budget)

    def to_dict(self) -> dict[str, object]:
        """All settings by name, tuples as lists."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def _check_choice(option: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise UsageError(f"no {option} {value!r}{did_you_mean(value, allowed)}; choose from {', '.join(allowed)}")


def _check_range(option: str, value: float, low: float, high: float, meaning: str) -> None:
    if not low < value < high:
        raise UsageError(f"{option} is {value}, but must be above {low:g} and below {high:g}: {meaning}")
