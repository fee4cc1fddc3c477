"""How far annotators agree: chance-corrected coefficients, each with a bootstrap interval over items.

Labels come in long form, three arrays of shape (n,): integer codes of the item (what was judged: an item,
or an item and a pair of systems), integer codes of the annotator, and the category or number given. Items
with one label are dropped, they compare nobody. The interval resamples items, not annotators: it is about
more items for these annotators.

Every function raises `UnidentifiedError` where the coefficient does not exist: fewer than two items with
two labels, or (for the chance-corrected ones) a single category in use, so that chance agreement is already
perfect. It raises `UsageError` for arrays that do not match, NaN, or two labels by one annotator on one
item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiebreak.errors import UnidentifiedError, UsageError
from tiebreak.kernels import _checks

Level = Literal["nominal", "ordinal", "interval"]
Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Item weights, shape (resamples, items), to each resample's coefficient, NaN where it does not exist."""

CHUNK_CELLS: Final = 1_000_000
"""Weights held at once while bootstrapping: 8 MB."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient, its percentile interval over items, and what it rests on.

    `low` and `high` are None where all items are alike: drawing among them again says nothing of items that are not.
    `n_items`, `n_labels`, `n_annotators` count only items that carry at least two labels.
    """

    estimate: float
    low: float | None
    high: float | None
    n_items: int
    n_labels: int
    n_annotators: int


@dataclass(frozen=True, slots=True)
class _Labels:
    """Labels on items with two or more, recoded to 0-based consecutive integers."""

    item: NDArray[np.intp]
    annotator: NDArray[np.intp]
    category: NDArray[np.intp]
    values: NDArray[np.float64]
    """Value of each category, ascending."""
    n_items: int
    n_annotators: int

    def counts(self) -> NDArray[np.float64]:
        """Labels per item and category, shape (items, categories)."""
        shape = (self.n_items, len(self.values))
        cells = np.bincount(self.item * shape[1] + self.category, minlength=shape[0] * shape[1])
        return np.asarray(cells.reshape(shape), dtype=np.float64)


def pairwise_agreement(
    item: ArrayLike,
    annotator: ArrayLike,
    category: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Agreement:
    """Share of the pairs of labels on the same item that agree, in [0, 1]; not corrected for chance."""
    labels = _prepare(item, annotator, category)
    counts = labels.counts()
    agreeing = (counts * (counts - 1.0)).sum(axis=1)
    total = counts.sum(axis=1)
    sums = np.column_stack([agreeing, total * (total - 1.0)])

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        added = weights @ sums
        return np.asarray(added[:, 0] / added[:, 1])

    return _agreement(labels, statistic, rng, resamples, confidence)


def fleiss_kappa(
    item: ArrayLike,
    annotator: ArrayLike,
    category: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Agreement:
    """Fleiss' kappa (Fleiss 1971), in [-1, 1]: 1 perfect, 0 as by chance.

    Items may carry different numbers of labels: observed agreement is the unweighted mean over items of the
    share of agreeing label pairs, chance agreement comes from the pooled shares of the categories. With
    equal numbers this is the original coefficient.
    """
    labels = _prepare(item, annotator, category)
    counts = labels.counts()
    total = counts.sum(axis=1)
    observed = (counts * (counts - 1.0)).sum(axis=1) / (total * (total - 1.0))
    sums = np.column_stack([counts, observed])

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        added = weights @ sums
        share = added[:, :-1] / added[:, :-1].sum(axis=1, keepdims=True)
        return _corrected(added[:, -1] / weights.sum(axis=1), (share**2).sum(axis=1))

    return _agreement(labels, statistic, rng, resamples, confidence)


def cohen_kappa(
    item: ArrayLike,
    annotator: ArrayLike,
    category: ArrayLike,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Agreement:
    """Cohen's kappa (Cohen 1960) of two annotators on the items that both labelled, in [-1, 1].

    Unlike Fleiss' kappa each annotator has category shares of their own. Raises `UsageError` if the labels
    name more than two annotators.
    """
    labels = _prepare(item, annotator, category)
    if labels.n_annotators > 2:
        raise UsageError(
            f"Cohen's kappa compares two annotators, but these labels name {labels.n_annotators}: pass those "
            "of two, or use Fleiss' kappa or Krippendorff's alpha"
        )
    given = np.zeros((2, labels.n_items), dtype=np.intp)
    given[labels.annotator, labels.item] = labels.category
    one_hot = np.eye(len(labels.values))
    categories = len(labels.values)
    sums = np.column_stack([one_hot[given[0]], one_hot[given[1]], given[0] == given[1]])

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = (weights @ sums) / weights.sum(axis=1, keepdims=True)
        chance = (shares[:, :categories] * shares[:, categories:-1]).sum(axis=1)
        return _corrected(shares[:, -1], chance)

    return _agreement(labels, statistic, rng, resamples, confidence)


def krippendorff_alpha(
    item: ArrayLike,
    annotator: ArrayLike,
    value: ArrayLike,
    level: Level,
    *,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Agreement:
    """Krippendorff's alpha (Krippendorff 2011, "Computing Krippendorff's alpha-reliability"), at most 1.

    Any number of annotators, cells may be missing. level: `nominal` (labels differ or not), `ordinal`
    (distance by ranks among the labels in use) or `interval` (squared difference of the numbers). Raises
    `UsageError` for another level.
    """
    if level not in get_args(Level):
        raise UsageError(f"level must be one of {', '.join(get_args(Level))}, but it is {level!r}")
    labels = _prepare(item, annotator, value)
    statistic = {"nominal": _alpha_nominal, "ordinal": _alpha_ordinal, "interval": _alpha_interval}[level](labels)
    return _agreement(labels, statistic, rng, resamples, confidence)


def _alpha_nominal(labels: _Labels) -> Statistic:
    counts = labels.counts()
    total = counts.sum(axis=1)
    differing = (total**2 - (counts**2).sum(axis=1)) / (total - 1.0)
    sums = np.column_stack([counts, differing])

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        added = weights @ sums
        marginal = added[:, :-1]
        n = marginal.sum(axis=1)
        return _alpha(added[:, -1], n**2 - (marginal**2).sum(axis=1), n)

    return statistic


def _alpha_interval(labels: _Labels) -> Statistic:
    values = labels.values[labels.category]
    # Centred and scaled, so that sums of squares do not cancel; alpha does not depend on origin and unit.
    values = (values - values.mean()) / max(float(np.ptp(values)), np.finfo(np.float64).tiny)
    total = np.bincount(labels.item)
    first = np.bincount(labels.item, weights=values)
    second = np.bincount(labels.item, weights=values**2)
    within = np.bincount(labels.item, weights=(values - (first / total)[labels.item]) ** 2)
    sums = np.column_stack([total, first, second, 2.0 * total * within / (total - 1.0)])

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        n, one, two, observed = (weights @ sums).T
        return _alpha(observed, 2.0 * (n * two - one**2), n)

    return statistic


def _alpha_ordinal(labels: _Labels) -> Statistic:
    counts = labels.counts()
    total = counts.sum(axis=1)
    scale = 2.0 / (total - 1.0)
    sums = np.column_stack([counts, counts * (scale * total)[:, None]])
    categories = counts.shape[1]

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        # The ordinal distance of two categories is the difference of their mid-ranks among the labels in the
        # resample, so alpha is the interval one of mid-ranks; they change with the weights.
        added = weights @ sums
        marginal = added[:, :categories]
        n = marginal.sum(axis=1)
        rank = np.cumsum(marginal, axis=1) - marginal / 2.0 - n[:, None] / 2.0
        square = (added[:, categories:] * rank**2).sum(axis=1)
        cross = (weights * scale * (rank @ counts.T) ** 2).sum(axis=1)
        expected = 2.0 * (n * (marginal * rank**2).sum(axis=1) - (marginal * rank).sum(axis=1) ** 2)
        return _alpha(square - cross, expected, n)

    return statistic


def _alpha(observed: NDArray[np.float64], expected: NDArray[np.float64], n: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 - observed/n divided by expected/(n (n-1)); NaN where all labels are equal (`expected` is 0)."""
    varied = expected > 1e-12 * n**2
    ratio = (n - 1.0) * observed / np.where(varied, expected, 1.0)
    return np.where(varied, 1.0 - ratio, np.nan)


def _corrected(observed: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """(observed - chance) / (1 - chance); NaN where chance agreement is perfect."""
    varied = chance < 1.0 - 1e-12
    return np.where(varied, (observed - chance) / np.where(varied, 1.0 - chance, 1.0), np.nan)


def _prepare(item: ArrayLike, annotator: ArrayLike, value: ArrayLike) -> _Labels:
    items, people = np.asarray(item), np.asarray(annotator)
    values = np.asarray(value, dtype=np.float64)
    if not (items.ndim == 1 and items.shape == people.shape == values.shape):
        raise UsageError(
            "item, annotator and value must be three sequences of one length, but their shapes are "
            f"{items.shape}, {people.shape} and {values.shape}"
        )
    if not np.isfinite(values).all():
        raise UsageError("a label is not a finite number; leave missing labels out")
    codes = np.unique(items, return_inverse=True)[1]
    keep = np.bincount(codes)[codes] >= 2 if codes.size else np.zeros(0, dtype=np.bool_)
    known_items, item_code = np.unique(items[keep], return_inverse=True)
    known_people, person_code = np.unique(people[keep], return_inverse=True)
    known_values, category = np.unique(values[keep], return_inverse=True)
    if len(known_items) < 2:
        raise UnidentifiedError(
            f"agreement needs at least two items with two labels each, but there are {len(known_items)}"
        )
    cells = item_code * len(known_people) + person_code
    if len(np.unique(cells)) < len(cells):
        raise UsageError("an annotator has two labels on one item; keep one of them")
    return _Labels(item_code, person_code, category, known_values, len(known_items), len(known_people))


def _agreement(
    labels: _Labels,
    statistic: Statistic,
    rng: np.random.Generator,
    resamples: int,
    confidence: float,
) -> Agreement:
    estimate = float(statistic(np.ones((1, labels.n_items)))[0])
    if np.isnan(estimate):
        raise UnidentifiedError(
            "all labels are the same, so agreement cannot be told from chance agreement; report the share of "
            "agreeing pairs instead"
        )
    low, high = bootstrap_interval(statistic, labels.n_items, rng, resamples, confidence)
    if low == high:
        return Agreement(estimate, None, None, labels.n_items, len(labels.item), labels.n_annotators)
    return Agreement(estimate, low, high, labels.n_items, len(labels.item), labels.n_annotators)


def bootstrap_interval(
    statistic: Statistic, n_items: int, rng: np.random.Generator, resamples: int, confidence: float
) -> tuple[float, float]:
    """Percentile interval of `statistic` over `resamples` draws of `n_items` items with replacement.

    `statistic` gets how often each item was drawn, shape (draws, n_items), and reduces per-item sufficient
    statistics by it. Draws in which it does not exist (NaN: one category only) are left out. Raises
    `UsageError` for fewer than 2 resamples or confidence outside (0, 1).
    """
    level = _checks.open_unit("confidence", confidence)
    if resamples < 2:
        raise UsageError(f"a bootstrap needs at least 2 resamples, but resamples is {resamples}")
    chunk = max(1, CHUNK_CELLS // n_items)
    parts: list[NDArray[np.float64]] = []
    for start in range(0, resamples, chunk):
        draws = min(chunk, resamples - start)
        cells = rng.integers(n_items, size=(draws, n_items)) + np.arange(draws)[:, None] * n_items
        weights = np.bincount(cells.ravel(), minlength=draws * n_items).reshape(draws, n_items)
        parts.append(statistic(weights.astype(np.float64)))
    drawn = np.concatenate(parts)
    known = drawn[~np.isnan(drawn)]
    if known.size == 0:
        raise UnidentifiedError("no resample of the items has two categories in use; more items are needed")
    low, high = np.quantile(known, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)
