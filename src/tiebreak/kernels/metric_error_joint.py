"""The metric-error posterior of many pairs together, from labels of annotators who err.

The model of metric-error-correction, section 3 (`kernels.metric_error`), takes a label for the truth and learns every
pair alone. Here, each part by itself or all together:

- An annotator j answers l where the truth is c with probability pi_jlc; the true class of a labelled item is unknown.
- The mixture matrices mu of all pairs come from one distribution: column c of each ~ Dir(kappa m_c), m_c ~ Dir(1),
  kappa from a grid. What is learned of the metric on one pair helps on the others, by how alike the pairs are. Since
  which system of a pair is a says nothing, m is the same with a and b exchanged.
- The items of a pair may be in strata, such as easy and hard ones, each with shares and a matrix of its own; the pair
  has the mean of its strata, weighted by their shares of the items.

Rows stand for pairs, or for the strata of pairs. With perfect annotators, one stratum and no pooling this is exactly
the paper's model. Sampled by Gibbs: every step draws from a known distribution; the numbers of tables behind m are
those of Teh and others (2006, hierarchical Dirichlet processes), equation 40.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from tiebreak.errors import UsageError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

CLASSES: Final = 3  # a, tie, b
_STRENGTHS: Final = np.geomspace(1.0, 1000.0, 19)
"""Of pooling, from next to none to equal matrices: values of kappa, equally likely."""
_RIGHT: Final = 4.0
"""How many answers the prior of annotators as a whole adds where the answer is the truth: without it nothing tells a
panel that is mostly right from one that is mostly wrong."""
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True, eq=False)
class JointLabels:
    """Labels of R rows, classes in the order a, tie, b.

    `row`, `metric` (N,): the row of each labelled item, and the metric's class of it, -1 without one. `item`,
    `annotator`, `answer` (L,): of each label. `metric_only` (R, 3): items that only the metric judged, by its class.
    """

    row: Codes
    metric: Codes
    item: Codes
    annotator: Codes
    answer: Codes
    metric_only: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class JointPosterior:
    """Draws of `differences` p_a - p_b (S, G) of G pairs; the posterior mean (J,) of how often each annotator is right
    (`accuracy`, 1 where annotators are taken for perfect), and of kappa (`strength`, nan without pooling).
    """

    differences: Floats
    accuracy: Floats
    strength: float


def joint_posterior(
    labels: JointLabels,
    pair: Codes,
    weight: Floats,
    *,
    annotators_err: bool = True,
    pooled: bool = True,
    rng: np.random.Generator,
    draws: int = 4_000,
    settle: int = 500,
) -> JointPosterior:
    """The posterior of rows that belong to `pair` (R,) in 0, ..., G - 1 with `weight` (R,), which sums to 1 in a pair.

    The first `settle` draws are left out. Neighbouring draws are alike: with the defaults theta is known to about .01
    and a mean to .02.

    Raises:
        UsageError: several labels of an item that differ, where annotators do not err.
    """
    rows = len(weight)
    truth = _majorities(labels)
    if not annotators_err and (labels.answer != truth[labels.item]).any():
        raise UsageError("annotators who never err gave different labels to one item: let annotators_err be true")
    people = int(labels.annotator.max(initial=-1)) + 1
    of_metric = _Matrices.start(rows, np.ones((CLASSES, CLASSES)), pooled, rng)
    of_people = _Matrices.start(people, np.ones((CLASSES, CLASSES)) + _RIGHT * np.eye(CLASSES), annotators_err, rng)
    shares = np.full((rows, CLASSES), 1 / CLASSES)
    judged = labels.metric >= 0
    right = truth[labels.item] == labels.answer
    kept, accuracy, strength = [], np.zeros(people), 0.0
    for step in range(settle + draws):
        joint = of_metric.drawn * shares[:, None, :]
        alone = rng.multinomial(labels.metric_only, joint / joint.sum(axis=2, keepdims=True))
        if annotators_err:
            logs = np.log(shares[labels.row])
            logs[judged] += np.log(of_metric.drawn[labels.row[judged], labels.metric[judged]])
            said = np.log(of_people.drawn[labels.annotator, labels.answer])
            for c in range(CLASSES):
                logs[:, c] += np.bincount(labels.item, said[:, c], labels.row.size)
            truth = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
            right = truth[labels.item] == labels.answer
            of_people.draw(_counted((labels.annotator, labels.answer, truth[labels.item]), people), rng)
        seen = _counted((labels.row[judged], labels.metric[judged], truth[judged]), rows)
        of_metric.draw(seen + alone, rng)
        counts = np.bincount(labels.row * CLASSES + truth, minlength=rows * CLASSES).reshape(rows, CLASSES)
        shares = np.maximum(rng.standard_gamma(1 + counts + alone.sum(axis=1)), _TINY)
        shares /= shares.sum(axis=1, keepdims=True)
        if step >= settle:
            kept.append(np.bincount(pair, weight * (shares[:, 0] - shares[:, -1])))
            accuracy += np.bincount(labels.annotator, right, people) / draws
            strength += of_metric.strength / draws
    given = np.bincount(labels.annotator, minlength=people)
    return JointPosterior(np.array(kept), accuracy / np.maximum(given, 1), strength if pooled else float("nan"))


def _majorities(labels: JointLabels) -> Codes:
    votes = np.zeros((labels.row.size, CLASSES))
    np.add.at(votes, (labels.item, labels.answer), 1.0)
    return np.asarray(votes.argmax(axis=1), dtype=np.intp)


def _counted(at: tuple[Codes, Codes, Codes], size: int) -> NDArray[np.int64]:
    """How often (size, 3, 3) each combination occurs."""
    cells = (at[0] * CLASSES + at[1]) * CLASSES + at[2]
    counts = np.bincount(cells, minlength=size * CLASSES**2).reshape(size, CLASSES, CLASSES)
    return np.asarray(counts, dtype=np.int64)


@dataclass(slots=True, eq=False)
class _Matrices:
    """`drawn` (R, 3, 3): the probability of each answer (rows) given each truth (columns). Column c of a matrix is
    Dir(strength base_c), and base_c is Dir(prior_c); without pooling Dir(prior_c).
    """

    drawn: Floats
    prior: Floats
    base: Floats
    strength: float
    pooled: bool

    @classmethod
    def start(cls, rows: int, prior: Floats, pooled: bool, rng: np.random.Generator) -> _Matrices:
        """As the prior has it."""
        found = cls(np.empty((rows, CLASSES, CLASSES)), prior, prior / prior.sum(axis=0), float(CLASSES), pooled)
        found._columns(np.zeros((rows, CLASSES, CLASSES)), rng)
        return found

    def draw(self, counts: NDArray[np.int64], rng: np.random.Generator) -> None:
        """Anew, given counts (R, 3, 3)."""
        if self.pooled:
            self._strength(counts, rng)
            self._base(_tables(counts, self.strength * self.base, rng), rng)
        self._columns(counts, rng)

    def _columns(self, counts: NDArray[np.int64] | Floats, rng: np.random.Generator) -> None:
        prior = self.strength * self.base if self.pooled else self.prior
        drawn = np.maximum(rng.standard_gamma(prior + counts), _TINY)
        self.drawn = drawn / drawn.sum(axis=1, keepdims=True)

    def _strength(self, counts: NDArray[np.int64], rng: np.random.Generator) -> None:
        """By the probability of the counts where the matrices are integrated out."""
        totals = counts.sum(axis=1)
        logs = np.array(
            [
                (gammaln(of) - gammaln(of + totals)).sum()
                + (gammaln(of * self.base + counts) - gammaln(of * self.base)).sum()
                for of in _STRENGTHS
            ]
        )
        self.strength = float(_STRENGTHS[(logs + rng.gumbel(size=logs.size)).argmax()])

    def _base(self, tables: NDArray[np.int64], rng: np.random.Generator) -> None:
        """The same with a and b exchanged: columns a and b are one, and in that of a tie a and b share."""
        known = self.prior + tables
        side = rng.dirichlet(known[:, 0] + known[::-1, -1] - self.prior[:, 0])
        tied, untied = rng.dirichlet([known[1, 1], known[0, 1] + known[-1, 1]])
        self.base = np.maximum(np.column_stack([side, [untied / 2, tied, untied / 2], side[::-1]]), _TINY)


def _tables(counts: NDArray[np.int64], prior: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """How many tables (3, 3) so many guests (R, 3, 3) of Chinese restaurants with concentrations `prior` (3, 3) take:
    guest n opens one with probability prior / (prior + n - 1).
    """
    cells = counts.reshape(len(counts), -1)
    several = np.repeat(np.tile(np.arange(cells.shape[1]), len(cells)), cells.ravel())
    starts = np.repeat(np.cumsum(cells.ravel()) - cells.ravel(), cells.ravel())
    before = np.arange(several.size) - starts
    of = prior.ravel()[several]
    opened = rng.random(several.size) * (of + before) < of
    return np.asarray(np.bincount(several[opened], minlength=cells.shape[1]).reshape(CLASSES, CLASSES), dtype=np.int64)
