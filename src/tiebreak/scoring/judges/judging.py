"""A judge's work from a plan to rows of the study: calls, and an account of what came of them."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tiebreak.scoring.judges.answers import Usage
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.plan import Plan
from tiebreak.scoring.judges.readings import Unscored
from tiebreak.scoring.judges.reply import NoReply, Outcome, Reply
from tiebreak.scoring.judges.rows import NewRows, rows_of
from tiebreak.scoring.judges.run import Asked, Run
from tiebreak.scoring.judges.work.question import Question

Interrupted = Callable[[], None]
"""Called when somebody wants the run to stop, while calls on their way are waited for."""


@dataclass(frozen=True, slots=True)
class Account:
    """What came of a judge's questions. `scored`: answers of the menu, kept ones among them; `unscored`: replies that say
    nothing, by the reason; `failed`: questions without a reply, and one `failure` of them in the server's words;
    `not_asked`; `pending`: handed in as a batch. `calls` that were answered, `lost` ones that may cost something all the
    same, `rejected` ones that the server would not take. `paid` and `doubtful` are None without prices. `leaked`: mean
    probability of answers that are on no menu. `models` that say that they answered. `dropped` parameters.
    """

    plan: Plan
    scored: int
    unscored: dict[Unscored, int]
    failed: int
    failure: str
    not_asked: int
    pending: int
    calls: int
    lost: int
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


def ask_all(
    asker: Asker, questions: Sequence[Question], progress: Callable[[], None], interrupted: Interrupted
) -> tuple[Asked, bool]:
    """Ask questions, kept replies first; and whether somebody stopped it.

    Raises:
        TiebreakError: a reply cannot be kept, or there is no key.
    """

    async def asked() -> tuple[Asked, bool]:
        run, stops = Run(asker, [question.texts for question in questions], progress), list[bool]()

        def stop() -> None:
            stops.append(True)
            run.stop()
            interrupted()

        with _on_interrupt(stop):
            try:
                return await run.all(), bool(stops)
            finally:
                await asker.provider.close()

    return asyncio.run(asked())


@contextlib.contextmanager
def _on_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `stop`; where that is not to be had, it ends the run as it always does, and replies are kept."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, stop)
    except (NotImplementedError, RuntimeError, ValueError):
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


def account_of(
    plan: Plan, asker: Asker, outcomes: dict[int, Outcome], gave_up: str, *, pending: int, interrupted: bool
) -> Account:
    """What came of the questions of a plan, by their places."""
    replies = [found for found in outcomes.values() if isinstance(found, Reply)]
    failures = [found for found in outcomes.values() if isinstance(found, NoReply)]
    leaked = [found.reading.chances.leaked for found in replies if found.reading.chances is not None]
    priced = asker.prices is not None
    return Account(
        plan=plan,
        scored=sum(found.reading.label is not None for found in replies),
        unscored=dict(Counter(found.reading.unscored for found in replies if found.reading.unscored is not None)),
        failed=len(failures),
        failure=failures[0].message if failures else "",
        not_asked=len(plan.work.questions) - len(outcomes) - pending,
        pending=pending,
        calls=asker.meter.calls,
        lost=asker.meter.lost,
        rejected=asker.pace.rejected,
        usage=asker.meter.usage,
        paid=asker.purse.paid if priced else None,
        doubtful=asker.purse.doubtful if priced else None,
        leaked=sum(leaked) / len(leaked) if leaked else None,
        models=tuple(sorted({found.model for found in replies if found.model})),
        dropped=tuple(sorted(asker.rejected.names)),
        gave_up=gave_up,
        interrupted=interrupted,
    )


def rows_from(plan: Plan, asker: Asker, outcomes: dict[int, Outcome]) -> NewRows:
    """The rows of all replies, in the order of the questions, and of comparisons of identical texts."""
    questions = plan.work.questions
    answered = [(questions[place].row, found) for place, found in sorted(outcomes.items()) if isinstance(found, Reply)]
    return rows_of(plan.judge, answered, plan.work.identical, asker.rejected.names)
