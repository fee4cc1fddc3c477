"""Anytime-valid evidence for one pair: paths of log E, and the confidence sequence from the same process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from tiebreak.kernels import bet_mixture, bounded_mean, confidence_sequence, help_gate, metric_help
from tiebreak.kernels import looks as looks_kernel
from tiebreak.kernels.metric_help import MetricHelp
from tiebreak.rules.sequence import ValueSequence

Floats = NDArray[np.float64]

Times = slice | NDArray[np.intp]

_LOOKS_FOR_INTERVAL = 256


@dataclass(frozen=True, slots=True)
class Priors:
    """The bet priors, fixed before any label; made once and shared by all pairs."""

    outcomes: bet_mixture.BetPrior
    bounded: bounded_mean.KappaPrior
    assisted: bounded_mean.KappaPrior

    @classmethod
    @cache
    def default(cls) -> Priors:
        """Half Beta(20, 20), half Beta(2, 2) for outcomes; half-normal of spread 0.15 for bounded values."""
        return cls(bet_mixture.default_prior(), bounded_mean.kappa_prior(), metric_help.wide_prior())


class EvidenceProcess(ABC):
    """The e-process of one pair, at any null value and in either direction; nonincreasing in the null value.

    One family per pair serves directions, equivalence and interval, so that they never contradict each other.
    """

    sequence: ValueSequence

    @abstractmethod
    def log_e_path(self, side: int, null: float = 0.0, looks: Times = slice(None)) -> Floats:
        """log E after each unit (n,) against "side * difference <= null"; side 1 argues for a, -1 for b.

        `looks` keeps only some of the times (a subset of looks loses tightness, never validity). Between the looks of a
        sequence that has such, log E stays as it was at the last of them.
        """

    def interval(self, log_threshold: float) -> tuple[float, float]:
        """All differences that no look has rejected at this one-sided threshold: (low, high) in [-1, 1].

        None exceeds the share of items that are not known ties, which is all that is known without units. A fully
        labelled pool has no uncertainty: low = high = its mean.
        """
        count, mean, scale = len(self.sequence), self.sequence.mean, self.sequence.scale
        if count == 0:
            return 0.0 - scale, scale
        if count == self.sequence.pool_size and (self.sequence.for_a == self.sequence.for_b).all():
            return mean, mean
        stride = -(-count // _LOOKS_FOR_INTERVAL)
        looks: Times = slice((count - 1) % stride, None, stride)  # the last look is always among them
        if self.sequence.looks is not None:
            looks = self.sequence.looks[-_LOOKS_FOR_INTERVAL:] - 1

        def sup_for_a(null: float) -> float:
            return float(self.log_e_path(1, null, looks).max())

        def sup_for_b(null: float) -> float:
            return float(self.log_e_path(-1, null, looks).max())

        low = confidence_sequence.lower_limit(sup_for_a, log_threshold, mean)
        high = confidence_sequence.upper_limit(sup_for_b, log_threshold, mean)
        return max(low, -scale), min(high, scale)


class AnytimeProcess(EvidenceProcess):
    """From human labels alone.

    Outcomes on inputs like these use the mixture of fixed bets; mean labels, cluster means and finite pools use
    the adaptive bets of `bounded_mean`.
    """

    def __init__(self, sequence: ValueSequence, priors: Priors) -> None:
        self.sequence = sequence
        self._priors = priors
        self._mixture = sequence.are_bare_outcomes

    @cached_property
    def _counts(self) -> dict[int, tuple[Floats, Floats, Floats]]:
        for_b = bet_mixture.outcome_counts(self.sequence.for_b)
        return {1: bet_mixture.outcome_counts(self.sequence.for_a), -1: (for_b[2], for_b[1], for_b[0])}

    @cached_property
    def _scales(self) -> dict[int, Floats]:
        return {side: self._scales_of(self.sequence.values(side, 0.0)) for side in (1, -1)}

    def _scales_of(self, values: Floats) -> Floats:
        if self.sequence.looks is not None:
            return looks_kernel.scales_of_looks(values, self.sequence.looks, self.sequence.pool_size)
        return bounded_mean.bet_scales(values, self.sequence.pool_size)

    @cached_property
    def _last_look(self) -> NDArray[np.intp] | None:
        """How many looks (n,) are over after each unit; None where each unit is one."""
        if self.sequence.looks is None:
            return None
        return np.searchsorted(self.sequence.looks, np.arange(1, len(self.sequence) + 1), side="right")

    def log_e_path(self, side: int, null: float = 0.0, looks: Times = slice(None)) -> Floats:
        """By the mixture of fixed bets, or by adaptive bets."""
        null, pool, ends = self.sequence.unit_null(null), self.sequence.pool_size, self.sequence.looks
        prior, values = self._priors.bounded, self.sequence.values(side, null)
        if self._mixture:
            at = looks if ends is None else ends - 1
            losses, ties, wins = (counts[at] for counts in self._counts[side])
            path = bet_mixture.log_e_from_counts(losses, ties, wins, self._priors.outcomes, null)
            if ends is None:
                return path
        elif ends is None:
            return bounded_mean.log_e_path(values, prior, null, pool, self._scales[side])[looks]
        else:
            path = looks_kernel.log_e_at_looks(values, ends, prior, null, pool, self._scales[side])
        return np.concatenate([[0.0], path])[self._last_look][looks]


class AssistedProcess(EvidenceProcess):
    """From human labels, and with a metric's help once the labels so far show that it predicts them (`help_gate`).

    `assistance` was made from the same sequence, in the same order. `regression`: it comes from the regression on
    outcomes, which can use larger bets than the linear form. Where the help never begins this is `AnytimeProcess`.
    """

    def __init__(
        self, sequence: ValueSequence, assistance: MetricHelp, priors: Priors, *, regression: bool = True
    ) -> None:
        self.sequence = sequence
        self._starts = help_gate.openings(sequence.for_a, assistance.centred)
        self._alone = AnytimeProcess(sequence, priors)
        self._help = assistance
        self._prior = priors.assisted if regression else priors.bounded

    @cached_property
    def _shares(self) -> dict[int, Floats]:
        labels = self.sequence.for_a
        return {side: help_gate.log_shares(labels, self._help, self._prior, side, self._starts) for side in (1, -1)}

    def log_e_path(self, side: int, null: float = 0.0, looks: Times = slice(None)) -> Floats:
        """As for every process; abandoned items are not allowed here, so that both sides see the same values."""
        alone = self._alone.log_e_path(side, null)
        if self._starts == len(self.sequence):
            return alone[looks]
        null, labels, shares = self.sequence.unit_null(null), self.sequence.for_a, self._shares[side]
        return help_gate.log_e_path(alone, labels, self._help, self._prior, side, null, self._starts, shares)[looks]


def assisted_paths(
    outcomes: Floats, assistance: MetricHelp, side: int, null: float = 0.0, *, regression: bool = True
) -> Floats:
    """log E (runs, n) against "side * difference <= null" as `AssistedProcess` has it, of many sequences side by side.

    `outcomes` (runs, n) in {-1, 0, 1}; `assistance`: the help for them, of the regression or of the linear form.
    """
    priors, pool = Priors.default(), assistance.pool_size
    if pool is None:
        losses, ties, wins = (np.cumsum(side * outcomes == value, axis=-1, dtype=np.float64) for value in (-1, 0, 1))
        alone = bet_mixture.log_e_from_counts(losses, ties, wins, priors.outcomes, null)
    else:
        alone = metric_help.log_e_path(outcomes, metric_help.no_help(outcomes, pool), priors.bounded, side, null)
    prior = priors.assisted if regression else priors.bounded
    starts = help_gate.openings(outcomes, assistance.centred)
    shares = help_gate.log_shares(outcomes, assistance, prior, side, starts)
    return help_gate.log_e_path(alone, outcomes, assistance, prior, side, null, starts, shares)


def predicts_labels(sequence: ValueSequence, assistance: MetricHelp) -> bool:
    """Whether some labels of the sequence show, before its end, that the metric predicts them: else it has no use."""
    return int(help_gate.openings(sequence.for_a, assistance.centred)) < len(sequence)


@dataclass(frozen=True, slots=True)
class EvidencePaths:
    """log E after each unit (n,) for each verdict; `equivalent_low/high` are None without a margin.

    `equivalent_low` argues that the difference is above -margin and `equivalent_high` that it is below margin;
    equivalence needs both.
    """

    for_a: Floats
    for_b: Floats
    equivalent_low: Floats | None
    equivalent_high: Floats | None

    def log_e_equivalent(self) -> Floats | None:
        """Current evidence for equivalence: the smaller of its two sides, or None without a margin."""
        if self.equivalent_low is None or self.equivalent_high is None:
            return None
        return np.minimum(self.equivalent_low, self.equivalent_high)


def evidence_paths(process: EvidenceProcess, margin: float | None) -> EvidencePaths:
    """The paths at the null values 0 and, with a margin in (0, 1), at -margin and margin."""
    return EvidencePaths(
        for_a=process.log_e_path(1),
        for_b=process.log_e_path(-1),
        equivalent_low=None if margin is None else process.log_e_path(1, -margin),
        equivalent_high=None if margin is None else process.log_e_path(-1, -margin),
    )
