"""Where a campaign stands: labels, money, people, and whether it is over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

Beyond = Literal["items", "budget"]
"""Of what a projection needs more than is left."""


@dataclass(frozen=True, slots=True)
class Account:
    """One person. `labels`: answers given, check tasks and late ones among them, each paid; `open`: tasks not answered
    yet, of which `holds_up` that answers of others, or own ones, wait for. `seconds`: time noted in all;
    `seconds_per_label`: on average, where it was noted. `first_text`: share of answers for the text shown first (about
    half is usual). `why_excluded`: what was said when they were, or "wrong answers to check tasks"; empty if they were
    not. `pay` is None without a price.
    """

    annotator: str
    labels: int
    open: int
    holds_up: int
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


NumberOfLabels = Literal["fixed", "abandoned", "short", "looked", "budget", "items", "stopped", "running", "unknown"]
"""What made the number of a campaign's labels: `fixed` beforehand, or that without items `abandoned` since, or cut
`short` by the budget; `looked`: it ended, or some pairs did, at a verdict; `budget`, `items`: these ended it, as a
verdict would have done earlier; `stopped` by somebody; it is `running`."""

_WHY_NO_PROMISE: Final[dict[NumberOfLabels, str]] = {
    "abandoned": "items of the campaign were abandoned, perhaps for what people saw in them",
    "short": "the budget ended the campaign before all pairs had their items",
    "looked": "the number of labels was chosen by looking at them",
    "budget": "the budget ended the campaign, which a verdict would have ended earlier",
    "items": "the campaign ran out of items, and a verdict would have ended it earlier",
    "stopped": "somebody stopped the campaign, perhaps after a look at its labels",
    "running": "the campaign is still running, and is looked at again and again",
    "unknown": "the number of labels may have been chosen by looking at them",
}


@dataclass(frozen=True, slots=True)
class OwnAnalysis:
    """A campaign's labels analysed afresh: not the campaign's verdict.

    `campaign`: its name; `late`: labels that came too late for the campaign and are left out here too. `number`: what
    made the number of labels.
    """

    campaign: str
    late: int
    number: NumberOfLabels

    @property
    def over(self) -> bool:
        """Whether the campaign is known to have ended."""
        return self.number not in ("running", "unknown")

    @property
    def no_promise(self) -> str | None:
        """Why nothing is promised of the error; None where something is."""
        return _WHY_NO_PROMISE.get(self.number)

    @property
    def warning(self) -> str:
        """What it is, and what its numbers cannot promise."""
        left_out = f" {self.late:,} late labels are left out." if self.late > 1 else ""
        left_out = " 1 late label is left out." if self.late == 1 else left_out
        return (
            f"This is an own analysis of the labels of the campaign {self.campaign}, not the campaign's verdict."
            f"{left_out} {self._promise}"
        )

    @property
    def _promise(self) -> str:
        why = _WHY_NO_PROMISE.get(self.number)
        if why is None:
            return "The number of labels was fixed beforehand."
        why = why[0].upper() + why[1:]
        return (
            f"{why}: a promise for a finished set of labels or for a number fixed beforehand does not hold here, and "
            "none is made."
        )

    def to_dict(self) -> dict[str, object]:
        """`own_analysis` of the JSON document."""
        return {"campaign": self.campaign, "late": self.late, "number": self.number, "warning": self.warning}
