"""Settings that several commands have: one name, one meaning. A record takes one and adds its own default."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiebreak.records import LABEL_RULES, MULTIPLICITIES, PEOPLE, QUESTIONS, RATERS, TARGETS
from tiebreak.rules.registry import LINES
from tiebreak.settings.setting import Setting

SMALLEST_ALPHA: Final = 1e-12  # nobody can mean less, and thresholds stay ordinary numbers

# Far beyond what anybody can mean, and far below where sums, dates or whole numbers of 64 bits overflow.
LARGEST_NUMBER: Final = 1e100
"""Of scores, either way: their squares can still be summed."""
LARGEST_RATING: Final = 1e30
"""Either way: variances of their variances can still be summed."""
MOST_SECONDS: Final = 100_000_000
"""Of one label: three years, for a sheet that stayed open."""
LEAST_SECONDS: Final = 0.001
"""What a simulated person takes at least for an answer."""
LARGEST_PRICE: Final = 1_000_000_000
"""Of one label, in any currency."""
MOST_MONEY_IN_ALL: Final = 1_000_000_000_000_000
MOST_LABELS_IN_ALL: Final = 1_000_000_000
LARGEST_SEED: Final = 2**63 - 1
"""The largest whole number of a TOML file."""
MOST_SYSTEMS_PLANNED: Final = 500
MOST_PAIRS_PLANNED: Final = MOST_SYSTEMS_PLANNED * (MOST_SYSTEMS_PLANNED - 1) // 2
MOST_ITEMS_PLANNED: Final = 10_000_000
MOST_ITEMS_SIMULATED: Final = 100_000
MOST_HOURS: Final = 87_600
"""Ten years."""
LARGEST_QUALITY: Final = 1000
"""Of a simulated system, either way; a difference of 1 is all that anybody can see."""


MORE: Final = "More options"
"""The heading of options that few people need."""


def rule(names: Sequence[str]) -> Setting:
    """The rule of a verdict, one of `names`; those that reproduce a paper are called so."""
    words = {name: "reproduction" if LINES[name].kind == "reproduction" else "" for name in names}
    return Setting("Rule that turns labels into verdicts", choices=words)


ALPHA: Final = Setting(
    "Chance of any wrong verdict", above=0, below=1, at_least=SMALLEST_ALPHA, such_as="a chance of error such as 0.05"
)
MARGIN: Final = Setting(
    "Smallest difference that matters; without it nothing is called equivalent",
    above=0,
    below=1,
    such_as="a difference between preference shares such as 0.1",
)
TARGET: Final = Setting(
    "What verdicts are about",
    choices=dict(zip(TARGETS, ("inputs like these", "these items only"), strict=True)),
)
MULTIPLICITY: Final = Setting("Adjustment for many pairs", choices=MULTIPLICITIES)
SEVERAL: Final = Setting(
    "Value of an item with several labels",
    choices=dict(zip(LABEL_RULES, ("", "", "the earliest"), strict=True)),
)
QUESTION: Final = Setting(
    "What is compared",
    choices=dict(zip(QUESTIONS, ("who is better on more items", "whose mean rating is higher"), strict=True)),
)
RATERS_COMPARED: Final = Setting(
    "Whose ratings of two outputs are compared",
    choices=dict(zip(RATERS, ("one person's", "those of different people, too"), strict=True)),
)
PEOPLE_MEANT: Final = Setting(
    "For whom verdicts hold",
    choices=dict(zip(PEOPLE, ("these annotators", "people like these, too"), strict=True)),
)
TIE_THRESHOLD: Final = Setting(
    "Largest difference between two ratings that is a tie", at_least=0, at_most=LARGEST_NUMBER
)
METRIC_TIE_THRESHOLD: Final = Setting(
    "Largest difference between two scores of a metric that is a tie", at_least=0, at_most=LARGEST_NUMBER
)
CRITERION: Final = Setting("Criterion of the labels", option="criterion", metavar="NAME")
SYSTEMS: Final = Setting("Only these systems", metavar="A,B,...", listed=True)
NAME: Final = Setting("Name in the study", metavar="NAME")
BASELINE: Final = Setting("Only pairs with this system", metavar="SYSTEM")
ONLY_PAIRS: Final = Setting("Only this pair of systems", option="pair", metavar="A,B")
ANNOTATORS: Final = Setting("Only these people, such as 'expert_*'", metavar="GLOB")
EXCLUDED: Final = Setting("Leave out these people, such as 'bot_*'", metavar="GLOB")
METRICS: Final = Setting("Metric to set beside the labels", option="metric", metavar="NAME")
JUDGES: Final = Setting("Judge to set beside the labels", option="judge", metavar="NAME")
ITEMS_PER_PAIR: Final = Setting(
    "Most items of a pair that will ever be labelled; fix it before the first label",
    at_least=1,
    at_most=MOST_LABELS_IN_ALL,
)
ORDER_SEED: Final = Setting(
    "Seed of the random order of items; fix it before looking", at_least=0, at_most=LARGEST_SEED
)
PER_ITEM: Final = Setting("Number of people per item", at_least=1, at_most=1000)
HALF_WIDTH: Final = Setting("Half the width that an interval is to have", above=0, at_most=LARGEST_RATING)
UNTIL: Final = Setting(
    "What is to be known to the half-width",
    choices={
        "means": "every system's mean rating",
        "differences": "the difference of any two means",
        "directions": "which of any two is better, or that they differ by less than the half-width",
    },
)
PRICE: Final = Setting(
    "Price per label", metavar="AMOUNT", at_least=0, at_most=LARGEST_PRICE, default_words="the study's"
)
MAX_LABELS: Final = Setting("Most labels in all", at_least=1, at_most=MOST_LABELS_IN_ALL)
MAX_MONEY: Final = Setting("Most money in all", metavar="AMOUNT", above=0, at_most=MOST_MONEY_IN_ALL)
SECONDS: Final = Setting("Seconds per label", at_least=LEAST_SECONDS, at_most=MOST_SECONDS)
CROWD: Final = Setting("Number of people labelling in parallel", at_least=1, at_most=1000)
REPETITIONS: Final = Setting("Number of simulated campaigns", at_least=1, at_most=1_000_000)
NUMBER_OF_ITEMS: Final = Setting("Number of items", at_least=1, at_most=MOST_ITEMS_PLANNED)
SIMULATED_ITEMS: Final = replace(NUMBER_OF_ITEMS, at_most=MOST_ITEMS_SIMULATED)
SIMULATION_SEED: Final = Setting("Seed of the simulation", at_least=0, at_most=LARGEST_SEED)

WORKERS: Final = Setting(
    "Number of processes; results do not depend on it", at_least=1, at_most=1000, default_words="all cores"
)


def labels_for(money: float, price: float) -> int:
    """Labels that an amount of money pays for at a price above 0, at most `MOST_LABELS_IN_ALL`."""
    return math.floor(min(money / price + 1e-9, MOST_LABELS_IN_ALL))
