"""What a plan starts from, checked: the question, the people, what they cost.

What a plan of ratings starts from, checked; nothing here computes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tiebreak.errors import UsageError, did_you_mean
from tiebreak.records import Target
from tiebreak.rules.registry import RULES, pair_rules
from tiebreak.settings import shared
from tiebreak.settings.checks import check_rule, check_settings
from tiebreak.settings.protocol import OUTCOME_LABELLING_NAMES, DecisionSettings
from tiebreak.settings.setting import Setting, setting

if TYPE_CHECKING:
    from tiebreak.simulate.engines.policies import SimulatedLabelling

MOST_ITEMS: Final = 100_000
PLANNED: Final = "anytime"
"""The rule of a plan where no other is named."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What you expect of every pair. All differences are of single labels, P(a preferred) - P(b preferred).

    `agreement`: the correlation of two people's labels on one item, None for the usual 0.3. `number_of_systems`: None
    where only the `number_of_pairs` tested together is known. `metric_correlation` of a metric or judge with single
    labels, None without one. `tastes`: standard deviation of people's own differences; None for verdicts about the
    people at hand.

    Raises:
        UsageError: an impossible value.
    """

    difference: float = setting(
        0.0, Setting("Share of labels that prefer the better system minus that of the other", at_least=0, below=1)
    )
    tie_rate: float = setting(0.3, Setting("Share of ties among single labels", at_least=0, below=1))
    agreement: float | None = setting(
        None,
        Setting("Correlation of two people's labels on one item", at_least=0, below=1, default_words="the usual 0.3"),
    )
    number_of_systems: int | None = setting(
        2, Setting("Number of systems", at_least=2, at_most=shared.MOST_SYSTEMS_PLANNED)
    )
    number_of_pairs: int = setting(
        1,
        Setting(
            "Number of pairs; with a baseline one less than systems",
            at_least=1,
            at_most=shared.MOST_PAIRS_PLANNED,
            default_words="all of the systems",
        ),
    )
    metric_correlation: float | None = setting(
        None, Setting("Correlation of a metric or judge with single labels", above=0, below=1)
    )

    tastes: float | None = setting(
        None,
        Setting("Standard deviation of people's own differences: plans for people like these", above=0, below=1),
    )

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True)
class PilotSettings:
    """The part of a pilot study to plan from."""

    systems: tuple[str, ...] | None = setting(None, shared.SYSTEMS)
    baseline: str | None = setting(None, shared.BASELINE)
    criterion: str | None = setting(None, shared.CRITERION)
    tie_threshold: float = setting(0.0, shared.TIE_THRESHOLD)

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How it will be decided, and what a label costs.

    rule, alpha, margin, target as in `compare`. `number_of_items` that there are (needed for the target `items` and for
    a metric). `price` and `seconds` per label, None where unknown; a `crowd` that labels in parallel, `hours_per_day`
    each. `max_money` or `max_labels`, in all; at most one of them. `labelling`: policies to compare, the first one is
    planned with; `per_item`: people per item, for "majority" (an odd number).

    Raises:
        UsageError: an impossible value, or values that do not go together.
    """

    rule: str = setting(PLANNED, shared.rule(pair_rules()))
    alpha: float = setting(0.05, shared.ALPHA)
    margin: float | None = setting(None, shared.MARGIN)
    target: Target = setting("inputs", shared.TARGET)
    number_of_items: int | None = setting(None, shared.NUMBER_OF_ITEMS)
    price: float | None = setting(None, replace(shared.PRICE, above=0, at_least=None, default_words="the pilot's"))
    currency: str = "$"
    seconds: float | None = setting(None, replace(shared.SECONDS, default_words="the pilot's"))
    crowd: int = setting(1, shared.CROWD)
    hours_per_day: float = setting(4.0, Setting("Hours per day that each of them labels", above=0, at_most=24))
    max_money: float | None = setting(None, shared.MAX_MONEY)
    max_labels: int | None = setting(None, shared.MAX_LABELS)
    labelling: tuple[str, ...] = setting(
        ("one", "fixed", "max-three", "majority"), Setting("Who labels an item", choices=OUTCOME_LABELLING_NAMES)
    )
    per_item: int = setting(3, shared.PER_ITEM)

    def __post_init__(self) -> None:
        check_settings(self)
        check_rule(self.rule, self.decision(1))
        if RULES[self.rule].needs_metric:
            raise UsageError(f"--rule {self.rule} needs a metric or judge, whose outcomes a plan does not have")
        if RULES[self.rule].looks == "one":
            raise UsageError(f"--rule {self.rule} looks once, which every plan shows in its last row: leave --rule out")
        if self.target == "items" and self.number_of_items is None:
            raise UsageError("a claim about these items needs their number: add --number-of-items")
        if self.max_money is not None and self.max_labels is not None:
            raise UsageError("give --max-money or --max-labels, not both")
        if self.max_money is not None and self.price is None:
            raise UsageError("a budget in money needs the price of a label: add --price, or give --max-labels")
        if not self.labelling:
            raise UsageError("a plan needs at least one labelling policy")
        for name in self.labelling:
            if name not in OUTCOME_LABELLING_NAMES:
                hint = did_you_mean(name, OUTCOME_LABELLING_NAMES)
                raise UsageError(
                    f"labelling is {name!r}, but must be one of {', '.join(OUTCOME_LABELLING_NAMES)}{hint}"
                )
        if self.per_item != 3 and "majority" not in self.labelling:
            raise UsageError(f"--per-item {self.per_item} is for a majority: add --labelling majority")
        from tiebreak.simulate.engines.policies import SimulatedLabelling

        SimulatedLabelling("majority", self.per_item)  # refuses an even number of people
        if self.budget_in_labels is not None and self.budget_in_labels < 1:
            raise UsageError(f"a budget of {self.max_money} does not pay for one label at {self.price}")

    def decision(self, pairs: int) -> DecisionSettings:
        """How one pair of so many is decided: at the level of the first verdict, where all of them share alpha."""
        alpha = self.alpha / pairs if RULES[self.rule].controls_error else self.alpha
        return DecisionSettings(self.rule, alpha, margin=self.margin, target=self.target)

    @property
    def policies(self) -> tuple[SimulatedLabelling, ...]:
        """The labelling policies, each once."""
        from tiebreak.simulate.engines.policies import SimulatedLabelling

        people = {"majority": f"majority-{self.per_item}"}
        return tuple(dict.fromkeys(SimulatedLabelling.parse(people.get(name, name)) for name in self.labelling))

    @property
    def budget_in_labels(self) -> int | None:
        """How many labels the budget pays for in all, None without one."""
        if self.max_money is not None and self.price is not None:
            return shared.labels_for(self.max_money, self.price)
        return self.max_labels

    @property
    def most_items(self) -> int:
        """Items a pair at most: the items there are, or 100,000."""
        return MOST_ITEMS if self.number_of_items is None else min(self.number_of_items, MOST_ITEMS)


def pairs_of(systems: int, *, baseline: bool) -> int:
    """All pairs of so many systems, or those with a baseline."""
    return systems - 1 if baseline else systems * (systems - 1) // 2


_PANEL: Final = "Ratings"


@dataclass(frozen=True, slots=True)
class RatingAssumptions:
    """What is expected of ratings, in their points. `half_width`: how well a mean is to be known; `sigma_f`, `sigma_a`:
    standard deviations of a system's outputs, and of ratings of one output; `common`: the share of the variance of
    outputs that all systems share on an item, which differences do not have; `metric_rho`: the correlation of a metric
    with what people mean of outputs of one system. `prompts`: questions that could be asked, with their prices.

    Raises:
        UsageError: an impossible value.
    """

    half_width: float | None = setting(None, shared.HALF_WIDTH, panel=_PANEL)
    sigma_f: float = setting(
        1.0, Setting("Standard deviation of a system's outputs", above=0, at_most=shared.LARGEST_RATING), panel=_PANEL
    )
    sigma_a: float = setting(
        0.8,
        Setting("Standard deviation of ratings of one output", at_least=0, at_most=shared.LARGEST_RATING),
        panel=_PANEL,
    )
    until: str = setting("means", shared.UNTIL, panel=_PANEL)
    common: float = setting(
        0.0,
        Setting("Share of the variance of outputs that all systems share on an item", at_least=0, at_most=1),
        panel=_PANEL,
    )
    metric_rho: float | None = setting(
        None, Setting("Correlation of a metric with what people mean", above=0, below=1), panel=_PANEL
    )
    prompts: tuple[str, ...] = setting(
        (),
        Setting("Question with its price, and its gamma", option="prompt", metavar="NAME=PRICE:GAMMA"),
        panel=_PANEL,
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if self.until == "directions":
            raise UsageError("a plan of ratings is until means or differences; for directions use tiebreak simulate")
        parse_prompts(self.prompts)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question that could be asked. `rank` by price (1 + gamma), what the same certainty costs: lowest first."""

    name: str
    price: float
    gamma: float

    @property
    def cost(self) -> float:
        """Price (1 + gamma)."""
        return self.price * (1 + self.gamma)


def parse_prompts(written: Sequence[str]) -> tuple[Prompt, ...]:
    """`Edit=0.40:0.36` and more, the cheapest first.

    Raises:
        UsageError: another form, or a number out of range.
    """
    found = []
    for words in written:
        name, _, numbers = words.rpartition("=")
        price, _, gamma = numbers.partition(":")
        try:
            one = Prompt(name.strip(), float(price), float(gamma))
        except ValueError:
            raise UsageError(f"--prompt {words!r}: write NAME=PRICE:GAMMA, such as Edit=0.40:0.36") from None
        if not one.name or not (0 < one.price <= shared.LARGEST_PRICE) or not (0 <= one.gamma <= shared.LARGEST_NUMBER):
            raise UsageError(f"--prompt {words!r} needs a name, a price above 0 and a gamma of at least 0")
        found.append(one)
    return tuple(sorted(found, key=lambda one: one.cost))
