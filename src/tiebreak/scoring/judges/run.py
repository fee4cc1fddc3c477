"""One judge from beginning to end: batches collected, work planned, calls made or handed in, rows stored."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tiebreak.data.study import Study
from tiebreak.scoring.judges.account import JudgeAccount, JudgePlan, Purse, prices_of, usually
from tiebreak.scoring.judges.anthropic import AnthropicProvider
from tiebreak.scoring.judges.asking import SPENT, Asked, Asker, ask_all
from tiebreak.scoring.judges.batches import CollectedBatch, Collector, HandInAgain, in_batches, submit
from tiebreak.scoring.judges.judge import Judge, PromptMessage
from tiebreak.scoring.judges.openai import OpenAIProvider
from tiebreak.scoring.judges.pace import Pace
from tiebreak.scoring.judges.provider import Provider
from tiebreak.scoring.judges.questions import Question, Texts, rows_of, store_rows, work_of
from tiebreak.scoring.judges.replies import NO_USAGE, PENDING, NoReply, Outcome, Reply
from tiebreak.scoring.judges.store import JudgeStore
from tiebreak.scoring.settings import JudgingSettings
from tiebreak.settings.judge import ProviderName

_PROVIDERS: Final[dict[ProviderName, type[Provider]]] = {"openai": OpenAIProvider, "anthropic": AnthropicProvider}

Outcomes = Mapping[int, Outcome]
"""What came of questions, by their places in the plan."""


@dataclass(slots=True)
class JudgeRun:
    """A judge and what a run of it knows; `store`: where the study keeps what judges said."""

    judge: Judge
    settings: JudgingSettings
    store: JudgeStore
    asker: Asker
    collected: CollectedBatch = field(default_factory=CollectedBatch)

    @classmethod
    def of(cls, judge: Judge, settings: JudgingSettings, store: JudgeStore) -> JudgeRun:
        """A run that has not begun.

        Raises:
            UsageError: one price of two, or a limit in money without prices.
        """
        pace = Pace(judge.settings.connections)
        asker = Asker(
            judge=judge,
            provider=_PROVIDERS[judge.settings.provider](judge, pace),
            store=store,
            prices=prices_of(judge, settings),
            purse=Purse(settings.spend_at_most),
            pace=pace,
        )
        return cls(judge, settings, store, asker)

    @property
    def has_batches(self) -> bool:
        """Whether calls were handed in, or were about to be."""
        return bool(self.store.intents(self.judge.endpoint))

    def look(self) -> None:
        """Learn what batches there are without asking anybody."""
        self.asker.batched.update(in_batches(self.store.intents(self.judge.endpoint)))

    def collect(self, hand_in_again: HandInAgain, waiting: Callable[[float], None]) -> None:
        """Bring in what has come of batches.

        Raises:
            TiebreakError: the provider cannot be asked, or something cannot be written.
        """
        if not self.has_batches:
            return
        collector = Collector(
            provider=self.asker.provider,
            store=self.store,
            unlisted_after=self.judge.settings.unlisted_after,
            most_tokens=2 * self.judge.settings.max_tokens,
            hand_in_again=hand_in_again,
            waiting=waiting,
        )
        self.collected = asyncio.run(collector.collect(self.judge.endpoint))
        self.asker.batched.update(self.collected.outcomes)

    def plan(self, study: Study) -> JudgePlan:
        """What there is to do, and what it takes, with the replies that are known.

        Raises:
            UsageError, InputError: nothing can be asked about this study.
        """
        work, usage, first = work_of(study, self.judge, self.settings), NO_USAGE, None
        known: dict[Texts, Outcome | None] = {}
        kept = pending = 0
        for question in work.questions:
            if question.texts not in known:
                message = self._message(question)
                known[question.texts] = self.asker.kept(message)
                if known[question.texts] is None:
                    usage += usually(message)
                    first = first or f"{message.system}\n\n{message.user}".strip()
            pending += known[question.texts] is PENDING
            kept += isinstance(known[question.texts], Reply)
        price = None if self.asker.prices is None else self.asker.prices.of(usage)
        calls = sum(outcome is None for outcome in known.values())
        return JudgePlan(self.judge, work, kept, pending, calls, usage, price, first)

    def carry_out(
        self, plan: JudgePlan, progress: Callable[[], None], interrupted: Callable[[], None]
    ) -> tuple[JudgeAccount, Outcomes]:
        """Make the calls of a plan, or hand them in; `interrupted`: called when somebody wants it to stop.

        Raises:
            TiebreakError: a batch is not taken, or something cannot be written.
        """
        if self.settings.batch_api:
            asked = self._hand_in(plan, progress, interrupted)
        else:
            asked = ask_all(self.asker, plan.work.questions, progress, interrupted)
        return self._account(plan, asked), asked.outcomes

    def write(self, path: Path, plan: JudgePlan, outcomes: Outcomes, study: Study) -> Study:
        """Put answers into the study at a path, and forget batches that they came from; the study afterwards.

        Raises:
            InputError, TiebreakError: the study is damaged by now, or cannot be written.
        """
        questions = plan.work.questions
        answered = [
            (questions[place].row, outcome) for place, outcome in sorted(outcomes.items()) if isinstance(outcome, Reply)
        ]
        rows = rows_of(self.judge, answered, plan.work.identical, self.asker.dropped)
        if rows.frame.height:  # without any, nothing is overwritten either
            study = store_rows(path, rows, overwrite=self.settings.overwrite)
        self.store.forget(self.collected.ended)
        return study

    def _hand_in(self, plan: JudgePlan, progress: Callable[[], None], interrupted: Callable[[], None]) -> Asked:
        """The calls as a batch; of a model that has answered nothing yet, one goes directly, so that it may reject
        parameters.
        """
        first = next((question for question in plan.work.questions if self._outcome(question) is None), None)
        if first is not None and not (plan.work.known or plan.kept or self.collected.replies):
            self.asker.prices = prices_of(self.judge, replace(self.settings, batch_api=False))
            asked = ask_all(self.asker, [first], progress, interrupted)
            self.asker.prices = prices_of(self.judge, self.settings)
            outcome = asked.outcomes.get(0, SPENT)
            if asked.interrupted or isinstance(outcome, NoReply):
                why = outcome.message if isinstance(outcome, NoReply) else ""
                return replace(self._so_far(plan), gave_up=asked.gave_up or why, interrupted=asked.interrupted)
            self.asker.batched.setdefault(self.asker.key(self._message(first)), outcome)  # one that says nothing, too
        missing = [self._message(question) for question in plan.work.questions if self._outcome(question) is None]
        if not missing:
            return self._so_far(plan)
        left = asyncio.run(submit(self.asker, dict.fromkeys(missing)))
        return replace(self._so_far(plan), gave_up=SPENT.message if left else "")

    def _so_far(self, plan: JudgePlan) -> Asked:
        """What is known of all questions."""
        outcomes = {place: self._outcome(question) for place, question in enumerate(plan.work.questions)}
        return Asked({place: outcome for place, outcome in outcomes.items() if outcome is not None})

    def _outcome(self, question: Question) -> Outcome | None:
        return self.asker.kept(self._message(question))

    def _message(self, question: Question) -> PromptMessage:
        return self.judge.message(question.texts)

    def _account(self, plan: JudgePlan, asked: Asked) -> JudgeAccount:
        """What came of the questions of a plan, and of batches that were collected before."""
        asker, outcomes, collected = self.asker, asked.outcomes.values(), self.collected
        replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
        failures = [outcome for outcome in outcomes if isinstance(outcome, NoReply) and outcome is not PENDING]
        leaked = [reply.reading.chances.leaked for reply in replies if reply.reading.chances is not None]
        in_batch = prices_of(self.judge, replace(self.settings, batch_api=True))
        return JudgeAccount(
            plan=plan,
            scored=sum(reply.reading.label is not None for reply in replies),
            unscored=dict(Counter(reply.reading.unscored for reply in replies if reply.reading.unscored is not None)),
            failed=len(failures),
            failure=failures[0].message if failures else "",
            not_asked=len(plan.work.questions) - len(outcomes),
            pending=sum(outcome is PENDING for outcome in outcomes),
            calls=asker.meter.calls + collected.replies,
            lost=asker.meter.lost,
            uncounted=asker.meter.uncounted,
            rejected=asker.pace.rejected,
            usage=asker.meter.usage + collected.usage,
            paid=None if in_batch is None else asker.purse.paid + in_batch.of(collected.usage),
            doubtful=None if in_batch is None else asker.purse.doubtful,
            leaked=sum(leaked) / len(leaked) if leaked else None,
            models=tuple(sorted({reply.model for reply in replies if reply.model})),
            dropped=tuple(sorted(asker.dropped)),
            gave_up=asked.gave_up,
            interrupted=asked.interrupted,
        )
