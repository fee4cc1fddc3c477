"""Estimates as one self-contained HTML page: tables, pictures, and outputs to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from tiebreak.messages.estimates import (
    CORRELATIONS_SHOWN,
    MEANS_SHOWN,
    WHY_NO_EFFICIENCY,
    best_first,
    counts_words,
    figures,
    paper_sentence,
    ratings_shown,
    remarks_on_means,
    saved_share,
    scale_words,
    settings_words,
    share_words,
    variance_words,
    what_if_words,
)
from tiebreak.numbers import known_number, natural_key
from tiebreak.report.document import page
from tiebreak.report.style import svg_of
from tiebreak.results.estimates import (
    CriterionEstimates,
    DifferenceEstimate,
    EstimateResult,
    MetricPoints,
    SystemEstimate,
    best_of,
)

LONGEST_EXAMPLE: Final = 280
"""Characters of an output that are shown; whole words."""
_WORD: Final = re.compile(r"\s+\S*$")


def estimate_page(result: EstimateResult, shown: Sequence[MetricPoints], every: Sequence[MetricPoints]) -> str:
    """The page, with the outputs by the metrics `shown`, and `every` metric in the picture of correlations. The same
    result gives the same text.
    """
    views = [
        {
            "name": found.criterion,
            "sizes": f"{counts_words(found)}; {scale_words(found)}",
            "helped": any(map(_uses_metrics, found.systems)),
            "systems": _system_rows(found, helped=any(map(_uses_metrics, found.systems))),
            "helped_differences": any(map(_uses_metrics, found.differences)),
            "differences": _difference_rows(found),
            "help": " ".join(remarks_on_means(found, tuple(result.settings.metrics))),
            "variance": variance_words(found),
            "what_ifs": what_if_words(found, tuple(result.settings.metrics)),
            "metrics": _metric_rows(found),
            "pictures": list(_pictures(found, result, shown, every)),
            "points": [
                {
                    "metric": of.metric,
                    "label": of.label,
                    "quadrants": [
                        (one.words, one.count, [(each, shortened(each.text)) for each in one.examples])
                        for one in of.quadrants
                    ],
                }
                for of in shown
                if of.criterion == found.criterion
            ],
            "sentence": paper_sentence(found, result),
        }
        for found in result.results
    ]
    statistics = settings_words(result, result.settings.target)
    return page("estimates.html.j2", {"result": result, "views": views, "statistics": statistics})


def _pictures(
    found: CriterionEstimates, result: EstimateResult, shown: Sequence[MetricPoints], every: Sequence[MetricPoints]
) -> Iterator[tuple[str, str]]:
    """What each shows, and its SVG element."""
    from tiebreak.report.figures.labels import ratings
    from tiebreak.report.figures.metrics import correlations
    from tiebreak.report.figures.systems import systems

    yield MEANS_SHOWN, svg_of(systems(replace(result, results=(found,))))
    if metrics := [of for of in every if of.criterion == found.criterion]:
        yield CORRELATIONS_SHOWN, svg_of(correlations(found, metrics))
        yield from ((ratings_shown(of.metric), svg_of(ratings(of))) for of in shown if of.criterion == found.criterion)


def shortened(text: str) -> str:
    """The beginning of a text, with whole words, on one line."""
    plain = " ".join(text.split())
    if len(plain) <= LONGEST_EXAMPLE:
        return plain
    return _WORD.sub("", plain[:LONGEST_EXAMPLE]) + " …"


def _system_rows(found: CriterionEstimates, *, helped: bool) -> list[tuple[str, ...]]:
    """Name, mean and interval, the same with metrics where they `helped` any system, items and ratings."""
    rows = []
    for one in best_first(found):
        of_metrics = () if not helped else figures(best_of(one)) if _uses_metrics(one) else ("-", "-")
        rows.append((one.system, *figures(one.mean), *of_metrics, f"{one.items:,}", f"{one.ratings:,}"))
    return rows


def _difference_rows(found: CriterionEstimates) -> list[tuple[str, str, str, str]]:
    return [(f"{one.system_a} - {one.system_b}", *figures(best_of(one)), f"{one.items:,}") for one in found.differences]


def _metric_rows(found: CriterionEstimates) -> list[tuple[str, ...]]:
    correlations = dict(found.correlations)
    rows = []
    for one in sorted(found.efficiencies, key=lambda of: natural_key(of.metric)):
        of = correlations[one.metric]
        kinds = (of.within, of.instances, of.systems)
        why = one.efficiency.reason
        saved = share_words(saved_share(one.efficiency.population)) if why is None else WHY_NO_EFFICIENCY[why]
        rows.append((one.metric, saved, *(known_number(kind.estimate) for kind in kinds)))
    return rows


def _uses_metrics(one: SystemEstimate | DifferenceEstimate) -> bool:
    return one.help is not None and bool(one.help.metrics)
