"""What came of a judge's questions, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tiebreak.scoring.judges.answers import Usage
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.batches.collecting import CollectedBatch
from tiebreak.scoring.judges.plan import JudgePlan
from tiebreak.scoring.judges.readings import Unscored
from tiebreak.scoring.judges.reply import PENDING, NoReply, Outcome, Reply


@dataclass(frozen=True, slots=True)
class JudgeAccount:
    """What came of a judge's questions.

    `scored`: answers of the menu, kept ones among them; `unscored`: replies that say nothing, by the reason; `failed`:
    questions without a reply, and one `failure` of them in the server's words; `not_asked`; `pending`: in a batch.
    `calls` that were answered, `lost` ones that may cost something all the same, `uncounted` ones of which the server
    does not say how many tokens they took, `rejected` ones that the server would
    not take. `paid` and `doubtful` are None without prices. `leaked`: mean probability of answers that are on no menu.
    `models` that say that they answered. `dropped` parameters.
    """

    plan: JudgePlan
    scored: int
    unscored: dict[Unscored, int]
    failed: int
    failure: str
    not_asked: int
    pending: int
    calls: int
    lost: int
    uncounted: int
    rejected: int
    usage: Usage
    paid: float | None
    doubtful: float | None
    leaked: float | None
    models: tuple[str, ...]
    dropped: tuple[str, ...]
    gave_up: str
    interrupted: bool

    @property
    def nothing(self) -> bool:
        """Whether the judge judged nothing at all, though there was something to judge."""
        work = self.plan.work
        return bool(work.questions) and not (self.scored or work.known or work.identical or self.pending)

    @property
    def complete(self) -> bool:
        """Whether every question has an answer."""
        return not (self.unscored or self.failed or self.not_asked or self.pending)

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "scored": self.scored,
            "unscored": dict(self.unscored),
            "failed": self.failed,
            "failure": self.failure or None,
            "not_asked": self.not_asked,
            "pending": self.pending,
            "calls": self.calls,
            "lost": self.lost,
            "uncounted": self.uncounted,
            "rejected": self.rejected,
            "tokens_read": self.usage.read,
            "tokens_written": self.usage.written,
            "paid": self.paid,
            "doubtful": self.doubtful,
            "leaked": self.leaked,
            "models": list(self.models),
            "dropped": list(self.dropped),
            "gave_up": self.gave_up or None,
            "interrupted": self.interrupted,
        }


def account_of(
    plan: JudgePlan,
    asker: Asker,
    outcomes: Mapping[int, Outcome],
    collected: CollectedBatch,
    collected_price: float,
    gave_up: str,
    *,
    interrupted: bool,
) -> JudgeAccount:
    """What came of the questions of a plan, by their places, and what was `collected` of batches before."""
    replies = [found for found in outcomes.values() if isinstance(found, Reply)]
    failures = [found for found in outcomes.values() if isinstance(found, NoReply) and found is not PENDING]
    pending = sum(found is PENDING for found in outcomes.values())
    leaked = [found.reading.chances.leaked for found in replies if found.reading.chances is not None]
    priced = asker.prices is not None
    return JudgeAccount(
        plan=plan,
        scored=sum(found.reading.label is not None for found in replies),
        unscored=dict(Counter(found.reading.unscored for found in replies if found.reading.unscored is not None)),
        failed=len(failures),
        failure=failures[0].message if failures else "",
        not_asked=len(plan.work.questions) - len(outcomes),
        pending=pending,
        calls=asker.meter.calls + collected.replies,
        lost=asker.meter.lost,
        uncounted=asker.meter.uncounted,
        rejected=asker.pace.rejected,
        usage=asker.meter.usage + collected.usage,
        paid=asker.purse.paid + collected_price if priced else None,
        doubtful=asker.purse.doubtful if priced else None,
        leaked=sum(leaked) / len(leaked) if leaked else None,
        models=tuple(sorted({found.model for found in replies if found.model})),
        dropped=tuple(sorted(asker.rejected.names)),
        gave_up=gave_up,
        interrupted=interrupted,
    )
