"""Estimates in words: what ratings vary by, what metrics save and what no metric could, and why there is no number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from tiebreak.kernels.influence import IntervalEstimate
from tiebreak.messages.metric_use import WHY_UNUSED
from tiebreak.messages.paper import ratings_words
from tiebreak.numbers import (
    counted,
    counted_range,
    interval,
    known_number,
    natural_key,
    number,
    percent,
    plain,
    significant,
    some_names,
)
from tiebreak.records import Target
from tiebreak.results.estimates import (
    CriterionEstimates,
    EstimateResult,
    MetricEfficiency,
    SystemEstimate,
    best_of,
)
from tiebreak.version import __version__

WHY_NO_GAMMA: Final = {
    "one-output": "one output says nothing of how outputs differ",
    "one-rating": "no output was rated by two people, so that nothing tells people's noise from differences of outputs",
    "constant": "all ratings are equal",
    "no-noise": "people agree on every output, so that nothing limits what a metric may save",
    "no-spread": "outputs differ no more than people do on one output, so that no metric can save anything",
}
WHY_NO_EFFICIENCY: Final = {
    "few-outputs": "too few rated outputs (8 are needed)",
    "constant-ratings": "all outputs have the same mean rating",
    "constant-metric": "the metric has one value throughout",
    "no-residual": "the metric says what people say, to the last digit",
}
FEW_CLUSTERS: Final = 8  # with 6 all sign flips must agree to exclude a mean, with 5 nothing is excluded
_ABOUT: Final = {"inputs": "inputs like these", "items": "the items of this study only"}


def saved_share(efficiency: IntervalEstimate) -> IntervalEstimate:
    """The share of ratings that an efficiency saves, 1 - 1/efficiency; negative where a metric costs some."""
    ends = (efficiency.estimate, efficiency.low, efficiency.high)
    return IntervalEstimate(*(None if end is None else 1 - 1 / end for end in ends))


def share_words(share: IntervalEstimate) -> str:
    """`"3% (-4% to 9%)"`, or "-"."""
    if share.estimate is None:
        return "-"
    told = _percent(share.estimate)
    return (
        told if share.low is None or share.high is None else f"{told} ({_percent(share.low)} to {_percent(share.high)})"
    )


def variance_words(found: CriterionEstimates) -> str:
    """What the ratings of all systems vary by, and what no metric could save; as sentences."""
    variance = found.variance
    if variance.reason in ("one-output", "one-rating", "constant"):
        return f"What ratings vary by is not known: {WHY_NO_GAMMA[variance.reason]}."
    outputs, people = (significant(of.estimate or 0.0) for of in (variance.sigma_f2, variance.sigma_a2))
    told = f"Outputs of one system differ by a variance of {outputs}, people who rate one output by {people}"
    if variance.reason is not None:
        return f"{told}: {WHY_NO_GAMMA[variance.reason]}."
    gamma = f"gamma {_with_interval(variance.gamma)}"
    if variance.gamma.low is None and variance.gamma.high is None:
        return f"{told} ({gamma}). That is of {counted(variance.outputs, 'output')}, which is too few to rely on it."
    return (
        f"{told} ({gamma}). With one rating per output no metric could save more than {share_words(_limit(found))} of "
        "the ratings, unless people agree more."
    )


def what_if_words(found: CriterionEstimates, asked: tuple[str, ...]) -> str:
    """What metrics would save if people had no noise, and people as metrics of one another; "" where nobody knows."""
    best = [name for name in found.metrics_by_use() if name in asked or asked in ((), ("all",))][:1]
    told = [
        f"If people had no noise, {one.metric} would save {_percent(1 - 1 / one.efficiency.noiseless)}."
        for one in found.efficiencies
        if one.metric in best and one.efficiency.noiseless is not None
    ]
    others, published = found.perfect.leave_one_out, found.perfect.as_in_paper
    if others is not None and published is not None:
        told.append(
            "The mean of the other people who rated an output, as a metric, would save "
            f'{_percent(1 - 1 / others)}. The "perfect metric" as in the paper, which contains the rating itself, '
            f"seems to save {_percent(1 - 1 / published)}."
        )
    return " ".join(told)


def paying_words(efficiencies: Sequence[MetricEfficiency]) -> str:
    """From how many rated outputs on each metric saves more than it costs to learn what it says; "" without any."""
    told = [(one.metric, one.efficiency.pays_from) for one in efficiencies]
    known = [(name, of) for name, of in told if of.estimate is not None]
    if not known:
        return ""
    each = ", ".join(f"{name} about {_outputs(of.estimate)}{_span(of)}" for name, of in known)
    return (
        "What a metric says of ratings must be learned from some of them. Where far more outputs are scored than "
        f"rated, it saves more than that costs from this many rated outputs per system on, one rating each: {each}."
    )


def _span(pays: IntervalEstimate) -> str:
    soonest, latest = _outputs(pays.low), _outputs(pays.high)
    if soonest == latest:
        return ""
    return f" ({soonest} or more, if ever)" if pays.high is None else f" ({soonest} to {latest})"


def _outputs(count: float | None) -> str:
    """A number of outputs that is known in about: of two digits."""
    if count is None:
        return "-"
    step = 10.0 ** max(math.floor(math.log10(count)) - 1, 0)
    return f"{math.ceil(count / step) * step:,.0f}"


def _limit(found: CriterionEstimates) -> IntervalEstimate:
    """What no metric could save: no less than what one of these saves, which gamma by itself may not know."""
    limit = saved_share(found.variance.ceiling)
    known = [saved_share(one.efficiency.population).estimate for one in found.efficiencies]
    least = max((share for share in known if share is not None), default=0.0)
    ends = (limit.estimate, limit.high)
    estimate, high = (None if end is None else max(end, least) for end in ends)
    return IntervalEstimate(estimate, limit.low, high)


def help_words(found: CriterionEstimates, asked: tuple[str, ...]) -> str:
    """What the metrics that were asked for did for the means; "" where none was."""
    helps = [one.help for one in found.systems if one.help is not None]
    if not helps:
        return ""
    if asked != ("all",) and set(asked) <= set(found.unvalidated):
        return f"{some_names(asked)}: unvalidated. No output that people rated has a score of it."
    names = some_names(asked) if asked != ("all",) else "The metrics"
    used = [of for of in helps if of.unused is None]
    if not used:
        reasons = dict.fromkeys(of.unused for of in helps if of.unused is not None)
        return f"{names} did not help: {' or '.join(WHY_UNUSED[reason] for reason in reasons)}."
    shares = sorted(of.saved.estimate or 0.0 for of in used)
    cost = shares[-1] < 0
    ends = [_percent(-share if cost else share) for share in (shares[0], shares[-1])]
    span = " to ".join(dict.fromkeys(ends[::-1] if cost else ends))
    which = f" for {len(used)} of {len(found.systems)} systems" if len(used) < len(found.systems) else ""
    return f"{names} {'cost' if cost else 'saved'} {span} of the ratings{which}{_per_output(found)}."


def settings_words(result: EstimateResult, target: Target) -> list[tuple[str, str]]:
    """The statistics behind the figures, as heads and sentences."""
    settings = result.settings
    confidence = percent(settings.confidence)
    raters = (
        "ratings of people who rated both outputs of an item"
        if settings.raters == "same"
        else "ratings of anybody, which people of unequal severity can bend"
    )
    clusters = sorted({told for found in result.results if (told := clusters_of(found))}, key=natural_key)
    return [
        ("Mean", f"of an item's ratings over its people and samples, then over items; a claim about {_ABOUT[target]}"),
        (
            "Intervals",
            f"each holds with about {confidence}, for one look at a number of ratings fixed beforehand",
        ),
        *[("Clusters", f"the items of a system are in {told}; each is one unit of evidence") for told in clusters],
        ("Differences", f"item by item, from {raters}{_expected_misses(result)}"),
        (
            "Saves",
            "the share of ratings that a metric makes unnecessary where every output has one, and far more outputs are "
            "scored than rated",
        ),
    ]


def _expected_misses(result: EstimateResult) -> str:
    """How many intervals of differences miss by chance, where at least one may be expected to."""
    count = sum(len(found.differences) for found in result.results)
    misses = round((1 - result.settings.confidence) * count)
    return (
        f". Of {count:,} such intervals about {misses:,} miss by chance: verdicts come from compare" if misses else ""
    )


def clusters_of(found: CriterionEstimates) -> str:
    """`"3 clusters"` in which the items of a system are, `"3 to 5 clusters"` by system; "" without any."""
    counts = [one.clusters for one in found.systems if one.clusters is not None]
    return counted_range(counts, "cluster") if counts else ""


def remarks_on_means(found: CriterionEstimates, asked: tuple[str, ...]) -> list[str]:
    """What the metrics that were asked for did, and why intervals may be wide: sentences, if any."""
    return [told for told in (help_words(found, asked), _few_clusters(found)) if told]


def _few_clusters(found: CriterionEstimates) -> str:
    """That there are hardly any units of evidence; "" where that is not so."""
    if all(one.clusters is None or one.clusters >= FEW_CLUSTERS for one in found.systems):
        return ""
    return (
        f"Items are in {clusters_of(found)}, each one unit of evidence: too few to tell where means lie, however many "
        "items they have."
    )


def figures(of: IntervalEstimate) -> tuple[str, str]:
    """Estimate and interval, as cells of a table."""
    return known_number(of.estimate), "-" if of.low is None or of.high is None else interval(of.low, of.high)


def best_first(found: CriterionEstimates) -> list[SystemEstimate]:
    """The systems by their means, the highest first."""
    return sorted(found.systems, key=lambda one: (-(best_of(one).estimate or 0.0), natural_key(one.system)))


def paper_sentence(found: CriterionEstimates, result: EstimateResult) -> str:
    """One sentence to paste into a paper: what was rated, estimated and applied, and how intervals hold."""
    ratings, items = (
        sum(one.ratings for one in found.systems),
        counted_range([one.items for one in found.systems], "item"),
    )
    scale = "" if found.scale is None else f" from {plain(found.scale[0])} to {plain(found.scale[1])}"
    rated = ratings_words(ratings, found.derived_from) + scale
    helped = sorted({name for one in found.systems if one.help is not None for name in one.help.metrics})
    metrics = f" with {some_names(helped)} as control variate{'s' if len(helped) > 1 else ''}" if helped else ""
    clusters = clusters_of(found)
    unit = f"{f' in {clusters}' if clusters else ''} per system{', one unit of evidence per cluster' * bool(clusters)}"
    looked = f" ({result.own_analysis})" if result.own_analysis else ""
    exclude = result.settings.exclude
    without = f", leaving out {some_names(list(exclude))}," if exclude else ""
    return (
        f"From {rated} on {found.criterion} ({items}{unit}){without} we "
        f"estimated each system's mean rating on {_ABOUT[result.settings.target]}{metrics}; each interval by itself "
        f"holds with about {percent(result.settings.confidence)} for one look{looked} (tiebreak {__version__})."
    )


def scale_words(found: CriterionEstimates) -> str:
    """On which scale people rated; where none is declared, what that costs. What ratings were derived from."""
    derived = "" if found.derived_from is None else f"derived from {found.derived_from}; "
    if found.scale is not None:
        return f"{derived}ratings from {plain(found.scale[0])} to {plain(found.scale[1])}"
    if derived:
        return f"{derived}no lowest rating: intervals do not know what ratings could be"
    example = f'such as [scale] "{found.criterion}" = [1, 5]'
    return f"no scale in study.toml, {example}: intervals do not know what ratings could be"


def counts_words(found: CriterionEstimates) -> str:
    """`"16 systems, 4,800 ratings"`."""
    ratings = sum(one.ratings for one in found.systems)
    return f"{counted(len(found.systems), 'system')}, {counted(ratings, 'rating')}"


def _per_output(found: CriterionEstimates) -> str:
    """What lets metrics save more than of single ratings: the mean of several has less noise."""
    each = sum(one.ratings for one in found.systems) / sum(one.outputs for one in found.systems)
    return "" if each == 1 else f"; an output has {'about ' if each % 1 else ''}{each:.3g} of them"


def _with_interval(of: IntervalEstimate) -> str:
    told = "-" if of.estimate is None else number(of.estimate)
    if of.low is None and of.high is None:
        return told
    if of.low is None or of.high is None:
        return (
            f"{told}, at most {number(of.high)}" if of.high is not None else f"{told}, at least {number(of.low or 0.0)}"
        )
    return f"{told}, {number(of.low)} to {number(of.high)}"


def _percent(share: float) -> str:
    return f"{round(100 * share)}%"


MEANS_SHOWN: Final = "The mean rating of every system, with an interval for each by itself."
CORRELATIONS_SHOWN: Final = (
    "Correlation of each metric with people's ratings, within each system, and between the means of systems."
)
"""Below the picture of all metrics."""


def ratings_shown(metric: str) -> str:
    """Below the picture of one metric."""
    return f"Every output, and every system: people against {metric}, with the medians of both."
