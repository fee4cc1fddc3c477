"""Checks of ratings and of metrics: mistyped ratings, and scores that are unlike on labelled and other outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import kolmogorov

from tiebreak.checks.labels import Check, Labels
from tiebreak.data.study import Study
from tiebreak.evidence.automatic import known_judges, known_metrics
from tiebreak.evidence.validated import unvalidated
from tiebreak.messages.notices import NoticeKind, unvalidated_notice
from tiebreak.numbers import number, plain, some_names, some_parts
from tiebreak.records import Notice

OUTLYING_RATIO: Final = 5.0
"""Distance of an outlying rating from the median, over the largest distance of any other rating."""
OUTLYING_SHARE: Final = 0.05
FEWEST_RATINGS: Final = 20
FEWEST_VALUES: Final = 3
"""Different values of the other ratings: of fewer, such as yes and no, nothing tells how far they may reach."""

SHIFT: Final = 0.2
"""Kolmogorov-Smirnov distance between the scores of labelled and of unlabelled outputs of a system."""
SHIFT_P_VALUE: Final = 1e-4
FEWEST_OUTPUTS: Final = 30

OUTLYING: Final = NoticeKind(
    "outlying-ratings",
    "a rating is far from all others, as a mistyped one is",
    "correct it, or remove it",
    {"ratio": OUTLYING_RATIO, "share": OUTLYING_SHARE, "ratings": FEWEST_RATINGS, "values": FEWEST_VALUES},
)
UNLIKE: Final = NoticeKind(
    "unlike-scores",
    "a metric scores the labelled outputs of a system unlike its others",
    "leave the metric out, unless you know why",
    {"distance": SHIFT, "p_value": SHIFT_P_VALUE, "outputs": FEWEST_OUTPUTS},
)

Floats = NDArray[np.float64]


def outlying_ratings(labels: Labels) -> Iterable[Notice]:
    """Ratings far from all others, as a mistyped 7070 among 60 to 80 is, or a 99 that stands for "no answer"."""
    if labels.ratings is None:
        return
    found, ranges = [], []
    for (criterion,), part in labels.ratings.partition_by("criterion", as_dict=True, maintain_order=True).items():
        values = part["value"].to_numpy()
        far = outlying(values)
        if far.any():
            others = values[~far]
            ranges.append(f"on {criterion} all others are {plain(others.min())} to {plain(others.max())}")
            found += part.filter(pl.Series(far)).select("criterion", "item", "system", "annotator", "value").rows()
    if found:
        named = [
            f"{plain(value)} (item {item}, system {system}, annotator {annotator})"
            for _, item, system, annotator, value in found
        ]
        text = (
            f"Ratings far from all others: {some_parts(named)}; {', '.join(ranges)}. Correct or remove them before you "
            "read a mean."
        )
        keys = ("criterion", "item", "system", "annotator", "value")
        yield OUTLYING.notice(text, ratings=[dict(zip(keys, row, strict=True)) for row in found])


def outlying(values: Floats) -> NDArray[np.bool_]:
    """Which of the values (n,) are far from all others; none where that cannot be told.

    Far means five times as far from the median as any other value, and beyond a scale that suits the others: from 0 to
    the next power of ten, to both sides if they have both signs. At most 5% of the values are far.
    """
    far = np.zeros(values.size, dtype=np.bool_)
    if values.size < FEWEST_RATINGS:
        return far
    middle = float(np.median(values))
    distance = np.abs(values - middle)
    order = np.argsort(distance, kind="stable")
    ranked = distance[order]
    most = max(1, int(OUTLYING_SHARE * values.size))
    steps = np.flatnonzero(ranked[1:] > OUTLYING_RATIO * ranked[:-1]) + 1
    for first in steps[steps >= values.size - most]:
        others = values[order[:first]]
        low, high = _suitable_scale(others)
        beyond = (values < low) | (values > high)
        if np.unique(others).size >= FEWEST_VALUES and beyond[order[first:]].all():
            far[order[first:]] = True
            return far
    return far


def _suitable_scale(values: Floats) -> tuple[float, float]:
    """The ends of a scale on which such values would be given."""
    reach = 10.0 ** np.ceil(np.log10(max(float(np.abs(values).max()), 1.0)))
    return (-reach if values.min() < 0 else 0.0), (reach if values.max() > 0 else 0.0)


def unlike_scores(labels: Labels) -> Iterable[Notice]:
    """The scores of a metric are distributed differently on the outputs that people labelled and on the others.

    Units are items, or clusters. A metric predicts the unlabelled outputs by what it says of the labelled ones, which
    needs both to be alike. They are not where it was fitted to the labels, or where certain items were labelled.
    """
    if labels.study.scores is None or not labels.metrics:
        return
    found = []
    parts = list(_scores(labels, _labelled(labels)))
    for metric, criterion, system, known, others in parts:
        centre = float(np.median(np.concatenate((known, others))))
        tests = [_distance(known, others), _distance(np.abs(known - centre), np.abs(others - centre))]  # level, spread
        clear = [far for far, p_value in tests if far > SHIFT and p_value < SHIFT_P_VALUE / (2 * len(parts))]
        if clear:
            found.append((metric, criterion, system, max(clear)))
    for metric in dict.fromkeys(name for name, *_ in found):
        mine = [of for of in found if of[0] == metric]
        systems = list(dict.fromkeys(system for _, _, system, _ in mine))
        text = (
            f"{metric} scores the outputs that people labelled unlike the others (of {some_names(systems)}; distance "
            f"{number(max(distance for *_, distance in mine))}). If it was fitted to these labels, or if the labelled "
            "items were chosen, results with it are wrong: leave it out."
        )
        keys = ("criterion", "system", "distance")
        details = [dict(zip(keys, of[1:], strict=True)) for of in mine]
        yield UNLIKE.notice(text, metric=metric, systems=details)


def _distance(first: Floats, second: Floats) -> tuple[float, float]:
    """The Kolmogorov-Smirnov distance of two samples, and its asymptotic p-value."""
    both = np.concatenate((first, second))
    shares = [np.searchsorted(np.sort(sample), both, side="right") / sample.size for sample in (first, second)]
    distance = float(np.abs(shares[0] - shares[1]).max())
    units = first.size * second.size / both.size
    return distance, float(kolmogorov(np.sqrt(units) * distance))


def _labelled(labels: Labels) -> pl.DataFrame:
    """`criterion`, `system` and `item` of every output that people labelled."""
    columns = ["criterion", "system", "item"]
    parts = [] if labels.ratings is None else [labels.ratings.select(columns)]
    if labels.as_written is not None:
        parts += [labels.as_written.select("criterion", pl.col(of).alias("system"), "item") for of in _SIDES]
    return pl.concat(parts).unique() if parts else pl.DataFrame(schema=dict.fromkeys(columns, pl.String))


_SIDES: Final = ("system_a", "system_b")


def _scores(labels: Labels, labelled: pl.DataFrame) -> Iterator[tuple[str, str | None, str, Floats, Floats]]:
    """Metric, criterion, system, and the scores of its labelled units and of its others, where there are enough."""
    scores = labels.study.scores
    if scores is None or labelled.height == 0:
        return
    index = labels.evidence.index
    for found in labels.evidence.criteria:
        known = known_metrics(labels.study, found.criterion)
        asked = [name for name in known if labels.metrics == ("all",) or name in labels.metrics]
        if not asked:
            continue
        same = pl.col("criterion").eq_missing(pl.lit(found.criterion, dtype=pl.String))
        of_criterion = pl.col("criterion").is_null() | same
        mine = labelled.filter(same).select("system", "item", labelled=pl.lit(True))
        rows = scores.filter(pl.col("metric").is_in(asked) & of_criterion & pl.col("value").is_finite())
        rows = rows.join(mine, on=["system", "item"], how="left")
        rows = rows.with_columns(unit=pl.Series(index.clusters[index.numbers(rows["item"])], dtype=pl.Int64))
        units = rows.group_by("metric", "system", "unit").agg(pl.col("value").mean(), pl.col("labelled").any())
        for (metric, system), part in sorted(units.partition_by("metric", "system", as_dict=True).items()):
            values, has = part["value"].to_numpy(), part["labelled"].fill_null(False).to_numpy()
            if min(int(has.sum()), int((~has).sum())) >= FEWEST_OUTPUTS:
                yield str(metric), found.criterion, str(system), values[has], values[~has]


def unvalidated_alone(
    study: Study, criterion: str | None, metrics: Sequence[str], judges: Sequence[str]
) -> list[Notice]:
    """Raised of metrics and judges that decide alone where people labelled nothing of what they judged; ("all",) takes
    every one. Beside human labels the words on each say so.
    """
    metrics = known_metrics(study, criterion) if tuple(metrics) == ("all",) else metrics
    judges = known_judges(study, criterion) if tuple(judges) == ("all",) else judges
    found = unvalidated(study, metrics, judges, criterion)
    return [unvalidated_notice(found, criterion)] if found else []


CHECKS: Final = (Check(OUTLYING, outlying_ratings), Check(UNLIKE, unlike_scores))
