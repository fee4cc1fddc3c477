"""The list of decision rules: the one place that names them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Multiplicity = Literal["holm", "bonferroni", "fdr", "fdr-any", "none"]
MULTIPLICITIES: Final[tuple[Multiplicity, ...]] = ("holm", "bonferroni", "fdr", "fdr-any", "none")


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to turn labels into verdicts.

    `guarantee` completes the sentence "verdicts ..." in outputs, "" where it depends on the settings
    (`results.comparison_terms`); `sequential`: it may be applied while labels come in; `uses_multiplicity`:
    `--multiplicity` changes its verdicts; `level`: what its source calls the number that `--alpha` sets;
    `takes_metric`, `needs_metric`: metrics and judges may, or must, be given; `reproduces`: it is there to reproduce a
    paper, not for a verdict of one's own.
    """

    name: str
    title: str
    sequential: bool
    uses_multiplicity: bool
    guarantee: str = ""
    level: str = "alpha"
    takes_metric: bool = False
    needs_metric: bool = False
    reproduces: bool = False


RULES: Final[dict[str, Rule]] = {
    rule.name: rule
    for rule in (
        Rule(
            "fixed",
            "test at one look",
            sequential=False,
            uses_multiplicity=True,
            takes_metric=True,
        ),
        Rule(
            "anytime",
            "test for a planned number of items, valid at every look",
            sequential=True,
            uses_multiplicity=True,
            takes_metric=True,
        ),
        Rule(
            "hoeffding",
            "Hoeffding rule of Thorleiksdóttir et al. (2022), first crossing",
            sequential=True,
            uses_multiplicity=False,
            guarantee="do not control the error under repeated looks (equal systems: 18% wrong at d = 0.05 within 500 "
            "items)",
            level="d",
            reproduces=True,
        ),
        Rule(
            "dirichlet",
            "Dirichlet posterior of the human counts",
            sequential=False,
            uses_multiplicity=False,
            guarantee="are posterior statements under a uniform prior at a fixed number of labels, not error rates",
            level="gamma",
            reproduces=True,
        ),
        Rule(
            "posterior",
            "metric-error posterior of human labels and a metric with its mistakes",
            sequential=False,
            uses_multiplicity=False,
            guarantee="are posterior statements under its model at a fixed number of labels, not error rates, and not "
            "for stopping early",
            level="gamma",
            takes_metric=True,
            needs_metric=True,
            reproduces=True,
        ),
    )
}


_HALF: Final = 0.5


def alpha_problem(rule: str, alpha: float, multiplicity: Multiplicity, margin: float | None) -> str:
    """What `alpha` must be under the other settings, where it is not; "" where it is.

    With a margin or a false discovery rate the intervals of `fixed` may have a whole alpha on either side, and with a
    half there is nothing between the ends.
    """
    doubled = rule == "fixed" and (margin is not None or multiplicity in ("fdr", "fdr-any"))
    if not doubled or alpha < _HALF:
        return ""
    return "must be below 0.5 with a margin or a false discovery rate: a chance of error such as 0.05"
