"""The settings of a campaign, one record per table of its protocol file. `campaign.protocol` checks them together.

The options of `campaign create` and `simulate`, the keys of a protocol file and its reference are made from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

from tiebreak.records import Multiplicity, Target
from tiebreak.rules.registry import RULES
from tiebreak.settings import shared
from tiebreak.settings.setting import Setting, setting


@dataclass(frozen=True, slots=True)
class AskedKind:
    """A kind of label in words, and the `question` that people see where nobody wrote one. `rates`: one output is
    asked about at a time.
    """

    words: str
    question: str
    rates: bool = False


DEFAULT_QUESTION: Final = "Which text is better?"
LABEL_KINDS: Final = {
    "preference": AskedKind("which of two outputs is better", DEFAULT_QUESTION),
    "ranking": AskedKind("the order of three to five outputs", "Which text is the best, which comes next?"),
    "rating": AskedKind("how good an output is, by one criterion or several", "How good is this text?", rates=True),
    "rating+edit": AskedKind(
        "the same, and a better text where it is lacking", "How good is this text, and what would make it good?", True
    ),
    "correctness": AskedKind(
        "whether an answer is supported by passages", "Is this answer correct, by these passages?", rates=True
    ),
}
"""One for each of `campaign.kinds`."""
_KINDS_IN_WORDS: Final = {name: kind.words for name, kind in LABEL_KINDS.items()}

OUTCOME_LABELLING_NAMES: Final = ("one", "fixed", "majority", "max-three")
LABELLING_NAMES: Final = (*OUTCOME_LABELLING_NAMES, "mean")
"""One for each file in `campaign.labelling`."""

PairPolicyName = Literal["batches", "most-informative", "winner"]
PAIR_POLICY_NAMES: Final[tuple[PairPolicyName, ...]] = ("batches", "most-informative", "winner")
"""One for each file in `campaign.pair_policies`."""

ItemOrder = Literal["shuffled", "listed"]
ORDER: Final = Setting(
    "Order in which items are handed out",
    choices={"shuffled": "random", "listed": "as the study lists them"},
)

LISTED_POOL: Final = (
    "is no order for a claim about a pool, which needs items drawn from it at random: hand them out in random order "
    "(shuffled), or ask about inputs like these (--target inputs)"
)


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """What is compared and what people are asked. `systems` () takes all; `baseline`: only pairs with this system;
    `only_pairs`: these pairs and no others, () takes all that systems and baseline leave.
    """

    systems: tuple[str, ...] = setting((), shared.SYSTEMS)
    baseline: str | None = setting(None, shared.BASELINE)
    only_pairs: tuple[tuple[str, str], ...] = setting((), shared.ONLY_PAIRS)
    criterion: str | None = setting(None, shared.CRITERION)
    question: str = setting(DEFAULT_QUESTION, Setting("Question that people answer", metavar="TEXT"))
    instructions: str = setting("", Setting("Instructions, for the first page", metavar="FILE"))


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """How an item gets its value. `kind`: what people are asked, one of `LABEL_KINDS`; `labelling`: one of
    `LABELLING_POLICIES`; `per_item`: people per item, for `majority` (an odd number) and `mean`; `price` of one label
    in `currency`; `ties`: may annotators answer "tie"? `markdown`: texts are shown in the browser as it says.
    """

    labelling: str = setting("one", Setting("Who labels an item", choices=LABELLING_NAMES))
    per_item: int = setting(1, shared.PER_ITEM)
    ties: bool = setting(True, Setting("Let people see no difference, or make them choose", flags="--ties/--no-ties"))
    price: float | None = setting(None, shared.PRICE)
    currency: str = setting("$", Setting("Currency of prices", metavar="TEXT", default_words="the study's, or $"))
    kind: str = setting("preference", Setting("What people are asked", choices=_KINDS_IN_WORDS))
    markdown: bool = setting(
        False, Setting("Show texts in the browser as Markdown, or as they are", flags="--markdown/--no-markdown")
    )


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Which pair is asked next. `pair_policy`: one of `PAIR_POLICIES`; `batch`: items that a pair gets before the next
    pair's turn, and after which rules that look in batches look; `open`: most items of a pair that may be out at the
    same time (None: no limit; with clusters: most clusters).
    """

    pair_policy: str = setting("batches", Setting("Pair that is asked next", choices=PAIR_POLICY_NAMES))
    batch: int = setting(
        10, Setting("Number of items of a pair before the next pair", at_least=1, at_most=shared.MOST_LABELS_IN_ALL)
    )
    open: int | None = setting(
        None,
        Setting(
            "Most items of a pair that may be incomplete at the same time",
            at_least=1,
            at_most=shared.MOST_LABELS_IN_ALL,
            file_only=True,
        ),
    )


Until = Literal["means", "differences", "directions"]
"""What a campaign of ratings is to find out."""


@dataclass(frozen=True, slots=True)
class RatedCriterion:
    """What is rated by numbers from `low` to `high`, the ends of the scale that people are given. `half_width` of its
    intervals, None for that of all criteria; `question` that stands above its column, "" for its name; `cues`: what
    each whole number of the scale means, from the lowest, such as "poor"; () for none.
    """

    name: str
    low: float
    high: float
    half_width: float | None = None
    question: str = ""
    cues: tuple[str, ...] = ()

    def to_unit(self, value: float) -> float:
        """A rating on [-1, 1]."""
        return 2 * (value - self.low) / (self.high - self.low) - 1

    def from_unit(self, value: float) -> float:
        """What `to_unit` made of a rating, back on its scale."""
        return self.low + (value + 1) * (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """Campaigns of ratings. `criteria` to rate; `until`: what must be known for the campaign to end, to a `half_width`
    in points of the ratings; `allocation`: which system's outputs are rated next; `whole`: ratings are whole numbers;
    `edit_below`: an output rated below it on any criterion has to be edited; `edit_half_width`: the share of words
    that edits keep must be known as well, None: it need not; `items_per_system`: None for no limit.
    """

    criteria: tuple[RatedCriterion, ...] = ()
    until: Until = setting("means", shared.UNTIL)
    half_width: float | None = setting(None, shared.HALF_WIDTH)
    allocation: str = setting(
        "equal",
        Setting(
            "System whose outputs are rated next",
            choices={"equal": "all in turn", "widest": "the one whose mean is known least"},
        ),
    )
    whole: bool = setting(True, Setting("Ratings are whole numbers, or any", flags="--whole/--any-number"))
    edit_below: float | None = setting(
        None,
        Setting(
            "Rating below which an output must be edited",
            at_least=-shared.LARGEST_RATING,
            at_most=shared.LARGEST_RATING,
        ),
    )
    edit_half_width: float | None = setting(
        None,
        Setting("Half-width wanted of the share of words that edits keep", above=0, below=1),
    )
    items_per_system: int | None = setting(
        None,
        Setting("Most items of a system that will be rated", at_least=1, at_most=shared.MOST_LABELS_IN_ALL),
    )


@dataclass(frozen=True, slots=True)
class Budget:
    """What may be spent: `max_labels` in all, `max_money` in all (needs a price), `items_per_pair`. None: no limit."""

    max_labels: int | None = setting(None, shared.MAX_LABELS)
    max_money: float | None = setting(None, shared.MAX_MONEY)
    items_per_pair: int | None = setting(None, shared.ITEMS_PER_PAIR)


@dataclass(frozen=True, slots=True)
class DecisionSettings:
    """When a pair is decided. `rule`: one of `RULES`; `alpha` in (0, 1): chance of any wrong verdict (for
    `hoeffding` its d, for `posterior` gamma); `margin` in (0, 1) or None: the smallest difference that matters;
    `target`: a claim about inputs like these, or about these items; `metrics`, `judges`: used beside the labels.
    """

    rule: str = setting("anytime", shared.rule(tuple(RULES)))
    alpha: float = setting(0.05, shared.ALPHA)
    multiplicity: Multiplicity = setting("holm", shared.MULTIPLICITY)
    margin: float | None = setting(None, shared.MARGIN)
    target: Target = setting("inputs", shared.TARGET)
    metrics: tuple[str, ...] = setting((), shared.METRICS)
    judges: tuple[str, ...] = setting((), shared.JUDGES)


@dataclass(frozen=True, slots=True)
class OrderSettings:
    """`order`: "shuffled" is a sealed random order per pair from `seed` >= 0, which no annotator should know; "listed"
    takes items in the order of the study (replays of published campaigns; errors are then not controlled unless the
    list itself is in random order).
    """

    order: ItemOrder = setting("shuffled", ORDER)
    seed: int = setting(
        0,
        Setting(
            "Seed of the sealed order of items",
            at_least=0,
            at_most=shared.LARGEST_SEED,
            default_words="drawn at random",
        ),
    )


@dataclass(frozen=True, slots=True)
class GoldTask:
    """A task with a known answer: `outcome` a, tie or b, relative to system_a and system_b."""

    item: str
    system_a: str
    system_b: str
    outcome: str


@dataclass(frozen=True, slots=True)
class PeopleSettings:
    """Rules for annotators. `labels_per_person`: the most; `hours` until an unanswered task is asked of somebody else.
    A label that took less than `least_seconds`, an edit of fewer than `least_edit` characters, and a passage without a
    span where `spans` are asked for is kept and paid, and somebody else is asked: none of it looks at the rating.

    `gold`: check tasks, asked every `gold_every` tasks of a person. After `gold_after` of them, somebody who got
    fewer than the share `gold_share` right gets no more tasks. (People are excluded by gold tasks only: an exclusion
    that depends on a pair's labels would bend its error rate.)
    """

    labels_per_person: int | None = setting(
        None, Setting("Most labels of one person", at_least=1, at_most=shared.MOST_LABELS_IN_ALL, file_only=True)
    )
    hours: float = setting(
        48.0, Setting("Hours until an unanswered task is asked of somebody else", above=0, at_most=shared.MOST_HOURS)
    )
    gold: tuple[GoldTask, ...] = ()
    gold_every: int = setting(
        10,
        Setting(
            "Number of tasks of a person of which one is a check",
            at_least=2,
            at_most=shared.MOST_LABELS_IN_ALL,
            file_only=True,
        ),
    )
    gold_after: int = setting(
        5,
        Setting(
            "Number of checks before anybody is excluded", at_least=1, at_most=shared.MOST_LABELS_IN_ALL, file_only=True
        ),
    )
    gold_share: float = setting(
        0.7, Setting("Share of checks to get right, or get no more tasks", at_least=0, at_most=1, file_only=True)
    )
    least_seconds: float | None = setting(
        None, Setting("Seconds that a label must have taken to count", above=0, at_most=shared.MOST_SECONDS)
    )
    least_edit: int | None = setting(
        None, Setting("Characters that an edit must change to count", at_least=1, at_most=1_000_000, file_only=True)
    )
    spans: bool = setting(
        False, Setting("A passage that supports or contradicts must have its span marked to count", file_only=True)
    )


PROTOCOL_TABLES: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        "labels": LabelSettings,
        "pairs": PairSettings,
        "budget": Budget,
        "decision": DecisionSettings,
        "order": OrderSettings,
        "people": PeopleSettings,
        "ratings": RatingSettings,
    }
)
"""The tables of a protocol file by name; the keys outside them are `QuestionSettings`."""
