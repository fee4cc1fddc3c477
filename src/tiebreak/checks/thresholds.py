"""Every code and threshold of the warnings, in one place; docs/warnings.md is made from it.

A warning that rests on chance needs both: significance, so that clean data stays quiet, and a size that matters, so
that large studies do. One that states a count (empty outputs) needs the count alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tiebreak.evidence.items import MOST_REPEATS, MOST_SHARE

P_VALUE: Final = 1e-4
"""Two-sided significance of each test; divided by the number of pairs where every pair is tested."""
FEWEST_ITEMS: Final = 30
"""Independent items (clusters) that a test needs: below, its normal approximation does not hold."""

FEWEST_LABELS: Final = 30
FEW_ANNOTATORS: Final = 2
TOP_SHARE: Final = 0.5
CROWD: Final = 5
TOP_THREE_SHARE: Final = 0.8

POSITION_DEVIATION: Final = 0.1
LEFT_DEVIATION: Final = 0.05
NEIGHBOUR_CORRELATION: Final = 0.1
ORDER_CHANGE: Final = 0.2
"""Change of the mean outcome between the halves of the labels."""
TIE_SHARE: Final = 0.6
LENGTH_CORRELATION: Final = 0.25

IDENTICAL_SHARE: Final = 0.05
IDENTICAL_ITEMS: Final = 5
EMPTY_OUTPUTS: Final = 1
ASKED_ON_IDENTICAL: Final = 10
UNEVEN_SHARE: Final = 0.05
AGREEMENT_SPREAD: Final = 0.05

FEWEST_SHARED: Final = 30
"""Items shared with others that an annotator needs before agreement is judged."""
ABOVE_CHANCE: Final = 0.05
"""One-sided p-value above which agreement is not above chance."""
BELOW_TYPICAL: Final = 1e-3
"""One-sided p-value below which agreement is under that of the other annotators."""
LEAST_CORRELATION: Final = 0.2
"""Ratings: flagged if even the upper 99.9% bound of the correlation with the others is below this."""

FEWEST_ANSWERS: Final = 20
"""Labels that the checks of speed and of constant answers need."""
HURRY_FRACTION: Final = 0.33
HURRY_SECONDS: Final = 3.0
CONSTANT_CHANCE: Final = 1e-3
"""Chance that the others' answers, drawn as often, would all be the same."""

FIRST_SHARE: Final = 0.2
"""Share of items that a person is first on, beyond what chance would give."""
FIRST_DIFFERENCE: Final = 0.2
"""Difference of first labels less that of the others."""

REPEATED_SHARE: Final = 0.05
REPEATED_OUTPUTS: Final = 5
"""A system is named if so many, and more than this share, of its outputs repeat the text of another item."""

_TEST: Final = {"p_value": P_VALUE, "items": FEWEST_ITEMS}

THRESHOLDS: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "annotators-at-chance": {
            "items": FEWEST_SHARED,
            "above_chance_p": ABOVE_CHANCE,
            "below_typical_p": BELOW_TYPICAL,
            "correlation": LEAST_CORRELATION,
        },
        "annotators-in-a-hurry": {"labels": FEWEST_ANSWERS, "fraction": HURRY_FRACTION, "seconds": HURRY_SECONDS},
        "constant-annotators": {"labels": FEWEST_ANSWERS, "p_value": CONSTANT_CHANCE},
        "one-person-first": {"share": FIRST_SHARE, "p_value": P_VALUE},
        "first-labels-differ": {"difference": FIRST_DIFFERENCE, **_TEST},
        "few-annotators": {
            "labels": FEWEST_LABELS,
            "annotators": FEW_ANNOTATORS,
            "top_share": TOP_SHARE,
            "crowd": CROWD,
            "top_three_share": TOP_THREE_SHARE,
        },
        "one-sided-positions": {"deviation": POSITION_DEVIATION, **_TEST},
        "position-bias": {"deviation": LEFT_DEVIATION, **_TEST},
        "neighbouring-items-correlate": {"correlation": NEIGHBOUR_CORRELATION, **_TEST},
        "suspicious-order": {"change": ORDER_CHANGE, **_TEST},
        "many-ties": {"share": TIE_SHARE, "items": FEWEST_ITEMS},
        "length-explains-preference": {"correlation": LENGTH_CORRELATION, **_TEST},
        "identical-outputs": {"share": IDENTICAL_SHARE, "items": IDENTICAL_ITEMS},
        "empty-outputs": {"outputs": EMPTY_OUTPUTS},
        "repeated-outputs": {"share": REPEATED_SHARE, "outputs": REPEATED_OUTPUTS},
        "labels-on-identical-outputs": {"labels": ASKED_ON_IDENTICAL},
        "uneven-panels": {"share": UNEVEN_SHARE},
        "repeated-inputs": {},
        "few-inputs": {},
        "shared-inputs": {"items": MOST_REPEATS, "share": MOST_SHARE},
        "ratings-not-used": {},
        "different-raters": {},
        "pool-is-labelled": {},
        "drawn-by-cluster": {},
        "contradiction": {},
        "beyond-budget": {},
        "metric-errors-differ": {"spread": AGREEMENT_SPREAD, **_TEST},
        "unvalidated": {},
    }
)
"""Code of the warning to its thresholds by name."""
