"""Where a campaign stands: labels, money, people, and whether it is over.

What a campaign that has just begun will ask, find and cost at most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tiebreak.records import document
from tiebreak.settings.protocol import DecisionSettings

Beyond = Literal["items", "budget"]
"""Of what a projection needs more than is left."""


@dataclass(frozen=True, slots=True)
class CampaignAccount:
    """One person. `labels`: answers given, check tasks and late ones among them, each paid; `open`: tasks not answered
    yet, of which `holds_up` that answers of others, or own ones, wait for. `seconds`: time noted in all;
    `seconds_per_label`: on average, where it was noted. `first_text`: share of answers for the text shown first (about
    half is usual). `left_page`, `pasted`: labels during which they left the page, or pasted text. `edited`: characters
    that an edit of theirs changes, on average; None without edits. `why_excluded`: what was said when they were, or
    "wrong answers to check tasks"; empty if they were not. `pay` is None without a price.
    """

    annotator: str
    labels: int
    open: int
    holds_up: int
    seconds: float
    seconds_per_label: float | None
    first_text: float | None
    left_page: int
    pasted: int
    edited: float | None
    checks: int
    checks_right: int
    excluded: bool
    why_excluded: str
    pay: float | None
    currency: str

    @property
    def is_waited_for(self) -> bool:
        """Whether answers wait for this person; open tasks of somebody who is excluded go to others."""
        return self.holds_up > 0 and not self.excluded


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """What a campaign's result has beside its verdicts.

    `labels`: answers received and paid, the sum of `labels_in_evidence`, `labels_waiting` (complete items and single
    answers that wait behind tasks that are out), `late` ones, `labels_withdrawn` (which count no more),
    `labels_set_aside` (too fast, say), and answers to `checks`. `labels_out`: tasks that people have before them.
    `labels_left`, `cost`: None without a budget, without a price. `labels_to_decision`, `cost_to_decision`: projected
    for all undecided pairs together, None where no end is in sight, or where that is `beyond` the items or the budget
    left. `ended`: why it is over, in a word (None while it runs), and in a sentence `ended_because`; `stop_reason`:
    what was said when somebody ended it. `protocol`: as in its TOML file. `people`: what each has done. `paused`:
    nobody gets a task.
    """

    labels: int
    labels_in_evidence: int
    labels_waiting: int
    late: int
    labels_withdrawn: int
    checks: int
    labels_out: int
    labels_left: int | None
    cost: float | None
    labels_to_decision: int | None
    cost_to_decision: float | None
    beyond: Beyond | None
    currency: str
    ended: str | None
    ended_because: str | None
    ended_at: str | None
    protocol: Mapping[str, object] = field(repr=False)
    stop_reason: str | None = None
    people: tuple[CampaignAccount, ...] = ()
    labels_set_aside: int = 0
    paused: bool = False


@dataclass(frozen=True, slots=True)
class WatchedFamily:
    """The `pairs` that joined at a `look` and are tested together, and what they may spend of alpha."""

    look: int
    pairs: int
    alpha: float


@dataclass(frozen=True, slots=True)
class WatchProgress:
    """What the result of a watched study has beside its verdicts, which are those of the last of so many `looks`.

    `labels` seen in all (rows of preferences and ratings). Of comparisons that are no evidence: `waiting` until their
    item has `per_item` labels (None: not the same for all pairs), `beyond` that number, `outside` the pool or the
    clusters that were sealed, on clusters that are `unfinished`, after their batch was closed (`late`), and on
    identical outputs (`tied`). `excluded`: labels of people who were excluded by then.
    `missing`: items of closed batches without an answer, which count against either side. `of_ratings`: whether
    comparisons are of two ratings. `open_batches` with labels, the most of a pair. `planned`: items of a pair
    at which looking ends. `unseen`: labels in the study that
    no look has seen. `settings`: those that the first look fixed.
    """

    looks: int
    begun_at: str
    at: str
    labels: int
    per_item: int | None
    waiting: int
    beyond: int
    outside: int
    unfinished: int
    late: int
    tied: int
    excluded: int
    missing: int
    of_ratings: bool
    open_batches: int
    planned: int
    unseen: int
    families: tuple[WatchedFamily, ...]
    settings: Mapping[str, object] = field(repr=False)


Kept = Literal["campaign", "watch"]
"""Where verdicts of their own come from: a campaign (or its export), or a watched study."""


@dataclass(frozen=True, slots=True)
class OwnAnalysis:
    """Labels of a campaign, or of a watched study, analysed afresh: not the verdict that these have of their own.

    `name`, `kind`: whose labels. Labels of a campaign that are left out here too: those that came too `late`, were
    `withdrawn`, or were `set_aside`.
    """

    name: str
    kind: Kept = "campaign"
    late: int = 0
    withdrawn: int = 0
    set_aside: int = 0

    def to_dict(self) -> dict[str, Any]:
        """`own_analysis` of the JSON document."""
        return document(self, "name", of=self.name)


@dataclass(frozen=True, slots=True)
class PlannedItems:
    """`items` of a pair are planned, of which the plan `finds` a difference with a chance of 80% (None: none); so would
    one for `others`, if there could be one (0: not).
    """

    items: int
    finds: float | None
    others: int
    others_find: float | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """`study_items` of the study; `items`: (pair, item) combinations that could be asked about at most; `known`: those
    that need not be, since both systems wrote the same. `labels`, `money` in `currency` (None without a price): what
    the former take at most, or the budget where it is less (`within_budget`).

    In words: what people are asked (`asks`), who labels what (`labelling`), the `rule` and what it `wants` to know ("",
    where people compare). `look`: the rule decides all pairs together, at one look. `needs`: items per system that take
    ratings which come equally often (None: not known); `plan`: None without one; `companions`: most labelled items of a
    pair, where metrics need others (None: no limit for their sake). `hours` to an answer; `notices`: what may surprise.
    """

    systems: int
    pairs: int
    study_items: int
    items: int
    known: int
    labels: int
    within_budget: bool
    money: float | None
    currency: str
    rates: bool
    asks: str
    labelling: str
    rule: str
    decision: DecisionSettings
    wants: str
    look: bool
    needs: int | None
    plan: PlannedItems | None
    companions: int | None
    hours: float
    notices: tuple[str, ...]
