"""Where a campaign stands: labels, money, people, and whether it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

Beyond = Literal["items", "budget"]
"""Of what a projection needs more than is left."""


@dataclass(frozen=True, slots=True)
class Account:
    """One person. `labels`: answers given, check tasks and late ones among them, each paid; `open`: tasks not answered
    yet. `seconds`: time noted in all; `seconds_per_label`: on average, where it was noted. `first_text`: share of
    answers for the text shown first (about half is usual). `why_excluded`: what was said when they were, or "wrong
    answers to check tasks"; empty if they were not. `pay` is None without a price.
    """

    annotator: str
    labels: int
    open: int
    seconds: float
    seconds_per_label: float | None
    first_text: float | None
    checks: int
    checks_right: int
    excluded: bool
    why_excluded: str
    pay: float | None
    currency: str


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """What a campaign's result has beside its verdicts.

    `labels`: answers received and paid, the sum of `labels_in_evidence`, `labels_waiting` (complete items and single
    answers that wait behind tasks that are out), `late` ones, and answers to `checks`. `labels_out`: tasks that people
    have before them. `labels_left`, `cost`: None without a budget, without a price. `labels_to_decision`,
    `cost_to_decision`: projected for all undecided pairs together, None where no end is in sight, or where that is
    `beyond` the items or the budget left. `ended`: why it is over, in a word (None while it
    runs), and in a sentence `ended_because`; `stop_reason`: what was said when somebody ended it. `protocol`: as in its
    TOML file. `people`: what each has done.
    """

    labels: int
    labels_in_evidence: int
    labels_waiting: int
    late: int
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
    people: tuple[Account, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """`campaign` of the JSON document."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class OwnAnalysis:
    """A campaign's labels analysed afresh: not the campaign's verdict.

    `campaign`: its name; `late`: labels that came too late for the campaign and are left out here too.
    """

    campaign: str
    late: int

    @property
    def warning(self) -> str:
        """What it is, and what its numbers cannot promise."""
        left_out = f" {self.late:,} late labels are left out." if self.late > 1 else ""
        left_out = " 1 late label is left out." if self.late == 1 else left_out
        return (
            f"This is an own analysis of the labels of the campaign {self.campaign}, not the campaign's verdict."
            f"{left_out} The number of labels was chosen by looking at them: a promise for a finished set of labels or "
            "for a number fixed beforehand does not hold here."
        )

    def to_dict(self) -> dict[str, object]:
        """`own_analysis` of the JSON document."""
        return {"campaign": self.campaign, "late": self.late, "warning": self.warning}
