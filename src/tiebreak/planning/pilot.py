"""What a pilot study says about the labels to come."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from tiebreak.data.study import Study
from tiebreak.errors import UnidentifiedError, UsageError, did_you_mean
from tiebreak.evidence.derived import with_derived
from tiebreak.evidence.human_labels import compared, oriented_preferences
from tiebreak.evidence.pair_evidence import PairSummary
from tiebreak.evidence.ratings import CriterionRatings
from tiebreak.evidence.study_evidence import EvidenceSettings, study_evidence
from tiebreak.kernels.agreement import krippendorff_alpha
from tiebreak.numbers import listed_names
from tiebreak.planning.question import tastes_of

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PilotPair:
    """Items of one pair by outcome of a single label; of several labels on an item their shares: no whole numbers."""

    system_a: str
    system_b: str
    wins: float
    ties: float
    losses: float

    @property
    def items(self) -> int:
        """Items with a label."""
        return round(self.wins + self.ties + self.losses)

    def likely_differences(self, count: int) -> Floats:
        """P(a) - P(b), shape (count,), equally likely: what the pilot leaves open.

        Quantiles of the normal distribution with mean and variance of the posterior under a uniform prior.
        """
        shares = np.array([self.wins + 1, self.ties + 1, self.losses + 1])
        total = shares.sum()
        mean = (shares[0] - shares[2]) / total
        variance = ((shares[0] + shares[2]) / total - mean**2) / (total + 1)
        quantiles = ndtri((np.arange(count) + 0.5) / count)
        return np.asarray(np.clip(mean + math.sqrt(variance) * quantiles, -1.0, 1.0))


@dataclass(frozen=True, slots=True)
class Pilot:
    """`agreement`: correlation of two people's answers, None where no two judged the same; `seconds`: the median;
    `items_a_cluster`: labelled items a cluster of them, None where every item stands alone. `tastes`: standard
    deviation of people's own differences, None where the pilot does not tell.
    """

    name: str
    criterion: str | None
    pairs: tuple[PilotPair, ...]
    systems: tuple[str, ...]
    agreement: float | None
    seconds: float | None
    price: float | None
    currency: str
    items_a_cluster: float | None = None
    tastes: float | None = None

    @property
    def ties(self) -> float:
        """Share of ties over all pairs."""
        total = sum(pair.wins + pair.ties + pair.losses for pair in self.pairs)
        return sum(pair.ties for pair in self.pairs) / total


def read_pilot(study: Study, criterion: str | None, baseline: str | None, tie_threshold: float = 0.0) -> Pilot:
    """The pilot's pairs on one criterion, with all their labels.

    Raises:
        UsageError: several criteria and none named, an unknown name, or no labels.
    """
    study = _with_derived(study, criterion)
    chosen = _criterion_of(study, criterion)
    if baseline is not None and baseline not in study.systems:
        raise UsageError(f"no system {baseline!r}{did_you_mean(baseline, study.systems)}")
    rule = EvidenceSettings(tie_threshold=tie_threshold, baseline=baseline, ordered=False)
    of_study = study_evidence(study, [chosen], rule)
    evidence = of_study.criteria[0]
    shares = _shares_of_ratings(study, chosen, tie_threshold) | _shares_of_preferences(study, chosen)
    pairs = []
    for pair in evidence.summaries:
        turned = (pair.system_a, pair.system_b) not in shares
        counted = shares[pair.system_b, pair.system_a][::-1] if turned else shares[pair.system_a, pair.system_b]
        pairs.append(PilotPair(pair.system_a, pair.system_b, *counted))
    if not pairs:
        raise UsageError(f"the study {study.name} has no labels of two systems on one item: nothing to plan from")
    return Pilot(
        name=study.name,
        criterion=chosen,
        pairs=tuple(pairs),
        systems=tuple(sorted({name for pair in pairs for name in (pair.system_a, pair.system_b)})),
        agreement=_agreement(study, chosen, tie_threshold),
        seconds=_median_seconds(study),
        price=study.settings.price_per_label,
        currency=study.settings.currency,
        items_a_cluster=_items_a_cluster(evidence.summaries),
        tastes=tastes_of(study, of_study, tie_threshold),
    )


def _with_derived(study: Study, criterion: str | None) -> Study:
    """The study with the criterion, if it is one that is derived; without any labels of its own with all of those."""
    if criterion is not None:
        return with_derived(study, (criterion,))
    return study if study.criteria else with_derived(study)


def _items_a_cluster(pairs: Sequence[PairSummary]) -> float | None:
    clusters = sum(pair.clusters or 0 for pair in pairs)
    return sum(pair.items for pair in pairs) / clusters if clusters else None


def _criterion_of(study: Study, criterion: str | None) -> str | None:
    known = [name for name in study.criteria if name is not None]
    if criterion is not None:
        if criterion not in known:
            raise UsageError(f"no criterion {criterion!r}{did_you_mean(criterion, known)}")
        return criterion
    if len(study.criteria) > 1:
        raise UsageError(f"a plan is for one criterion; name one with --criterion: {listed_names(known)}")
    if not study.criteria:
        raise UsageError(f"the study {study.name} has no human labels: give assumptions (--difference) instead")
    return study.criteria[0]


def _shares_of_preferences(study: Study, criterion: str | None) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Per pair the sums over items of the shares of wins, ties and losses among an item's labels."""
    frame = oriented_preferences(study, criterion)
    if not frame.height:
        return {}
    keys = ["system_a", "system_b"]
    of_items = frame.group_by(*keys, "item").agg(
        wins=(pl.col("value") > 0).mean(), ties=(pl.col("value") == 0).mean(), losses=(pl.col("value") < 0).mean()
    )
    sums = of_items.group_by(keys).agg(pl.col("wins").sum(), pl.col("ties").sum(), pl.col("losses").sum())
    return {(a, b): (wins, ties, losses) for a, b, wins, ties, losses in sums.iter_rows()}


def _shares_of_ratings(
    study: Study, criterion: str | None, tie_threshold: float
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """The same of ratings: what each person's two ratings of an item say."""
    ratings = CriterionRatings.of(study, criterion)
    if ratings is None:
        return {}
    shares = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(ratings.systems), 2):
        same = ratings.same_person(i, j)
        outcomes, weights = compared(same.differences, tie_threshold), 1 / same.both[ratings.item_of[same.keys]]
        wins, ties, losses = (float(weights[outcomes == code].sum()) for code in (1.0, 0.0, -1.0))
        shares[a, b] = (wins, ties, losses)
    return shares


def _agreement(study: Study, criterion: str | None, tie_threshold: float) -> float | None:
    """Krippendorff's alpha of the preferences as numbers (a 1, tie 0, b -1), from 0 to 0.9; without any of what each
    person's two ratings of an item say.
    """
    frame = oriented_preferences(study, criterion)
    if frame.height:
        about = pl.struct("system_a", "system_b", "item", "sample_a", "sample_b").rank("dense")
        unit = frame.select(about).to_series().to_numpy()
        person = frame.select(pl.col("annotator").rank("dense")).to_series().to_numpy()
        values = frame["value"].to_numpy()
    else:
        ratings = CriterionRatings.of(study, criterion)
        pairs = [] if ratings is None else list(itertools.combinations(range(len(ratings.systems)), 2))
        if ratings is None or not pairs:
            return None
        same = [ratings.same_person(*pair) for pair in pairs]
        unit = np.concatenate([k * len(ratings.items) + ratings.item_of[of.keys] for k, of in enumerate(same)])
        person = np.concatenate([ratings.person_of[of.keys] for of in same])
        values = np.concatenate([compared(of.differences, tie_threshold) for of in same])
    try:
        found = krippendorff_alpha(unit, person, values, "interval", rng=np.random.default_rng(0), resamples=2)
    except UnidentifiedError:
        return None
    return min(max(found.estimate, 0.0), 0.9)


def _median_seconds(study: Study) -> float | None:
    found = [frame["seconds"].drop_nulls() for frame in (study.preferences, study.ratings) if frame is not None]
    median = pl.concat(found).median() if found else None
    return float(median) if isinstance(median, int | float) and median > 0 else None
