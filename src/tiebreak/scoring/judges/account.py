"""What a judge is to be asked and what that will take; afterwards, what came of it and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.batches.handing import CollectedBatch
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.money import Prices, usually
from tiebreak.scoring.judges.questions import Work, grade_work, pair_work
from tiebreak.scoring.judges.replies import NO_USAGE, PENDING, NoReply, Outcome, Reply, Unscored, Usage
from tiebreak.scoring.judges.settings import JudgingSettings
from tiebreak.scoring.judges.storing import known_answers


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """What there is to do for a judge.

    `kept`: questions whose replies are known; `pending`: those in batches; `calls`: to be made, one for each different
    question; `usage`: what they are expected to take; `price`: of that, None where prices are not known; `first`: the
    first message.
    """

    judge: Judge
    work: Work
    kept: int
    pending: int
    calls: int
    usage: Usage
    price: float | None
    first: str | None

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "units": self.work.units,
            "known": self.work.known,
            "identical": len(self.work.identical),
            "kept": self.kept,
            "pending": self.pending,
            "calls": self.calls,
            "expected_tokens_read": self.usage.read,
            "expected_tokens_written": self.usage.written,
            "expected_price": self.price,
        }


def work_of(study: Study, judge: Judge, settings: JudgingSettings) -> Work:
    """What a judge is to be asked that the study does not know.

    Raises:
        UsageError: an unknown system, nothing to ask about, or answers of this name that were made otherwise.
        InputError: the study has no outputs.
    """
    known = known_answers(study, judge, overwrite=settings.overwrite)
    return (grade_work if judge.settings.grades else pair_work)(study, judge, settings, known)


def plan_of(work: Work, asker: Asker) -> JudgePlan:
    """What the work takes, with the replies that are known."""
    judge, usage, first = asker.judge, NO_USAGE, None
    known: dict[tuple[tuple[str, str], ...], Outcome | None] = {}
    kept = pending = 0
    for question in work.questions:
        if question.texts not in known:
            message = judge.message(dict(question.texts))
            known[question.texts] = asker.kept(message)
            if known[question.texts] is None:
                usage += usually(message)
                first = first or f"{message.system}\n\n{message.user}".strip()
        pending += known[question.texts] is PENDING
        kept += isinstance(known[question.texts], Reply)
    price = None if asker.prices is None else asker.prices.of(usage)
    calls = sum(outcome is None for outcome in known.values())
    return JudgePlan(judge, work, kept, pending, calls, usage, price, first)


def prices_of(judge: Judge, settings: JudgingSettings) -> Prices | None:
    """The prices of a judge: those of the run, or else its own.

    Raises:
        UsageError: one of the two prices without the other, or a limit in money without prices.
    """
    read = judge.settings.input_price if settings.input_price is None else settings.input_price
    written = judge.settings.output_price if settings.output_price is None else settings.output_price
    if (read is None) != (written is None):
        raise UsageError(f"{judge.name} has one price of two: give --input-price and --output-price")
    if read is None or written is None:
        if settings.spend_at_most is not None:
            raise UsageError(
                f"--spend-at-most needs prices, which {judge.name} has none of: give --input-price and --output-price, "
                "per million tokens, or input_price and output_price in its table"
            )
        return None
    return Prices(read, written).times(judge.settings.batch_share if settings.batch_api else 1.0)


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
