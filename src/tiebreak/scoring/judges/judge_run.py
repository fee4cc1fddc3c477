"""One judge from beginning to end: batches collected, work planned, calls made or handed in, rows stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tiebreak.data.study import Study
from tiebreak.scoring.judges.account import JudgeAccount, JudgePlan, account_of, plan_of, prices_of, work_of
from tiebreak.scoring.judges.asking import SPENT, Asker
from tiebreak.scoring.judges.batches.handing import CollectedBatch, Collector, Submitted, in_batches, submit
from tiebreak.scoring.judges.batches.intent import Intent, IntentFolder
from tiebreak.scoring.judges.batches.registry import batches_of
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.money import Purse
from tiebreak.scoring.judges.pace import Pace
from tiebreak.scoring.judges.prompt import PromptMessage
from tiebreak.scoring.judges.providers.registry import provider_of
from tiebreak.scoring.judges.questions import Question
from tiebreak.scoring.judges.replies import NoReply, Outcome, Reply
from tiebreak.scoring.judges.run import Asked, Interrupted, ask_all
from tiebreak.scoring.judges.settings import JudgingSettings
from tiebreak.scoring.judges.store import JudgeStore
from tiebreak.scoring.judges.storing import rows_of, store

Outcomes = Mapping[int, Outcome]
"""What came of questions, by their places in the plan."""

HandInAgain = Callable[[Intent, Sequence[str]], bool]
"""Asks whether calls may be handed in once more that may be in one of some batches."""


@dataclass(slots=True)
class JudgeRun:
    """A judge and what a run of it knows; `kept`: where the study keeps what judges said."""

    judge: Judge
    settings: JudgingSettings
    kept: JudgeStore
    asker: Asker
    collected: CollectedBatch = field(default_factory=CollectedBatch)

    @classmethod
    def of(cls, judge: Judge, settings: JudgingSettings, kept: JudgeStore) -> JudgeRun:
        """A run that has not begun.

        Raises:
            UsageError: one price of two, or a limit in money without prices.
        """
        asker = Asker(
            judge=judge,
            provider=provider_of(judge),
            cache=kept.replies,
            rejected=kept.rejected(judge.endpoint),
            prices=prices_of(judge, settings),
            purse=Purse(settings.spend_at_most),
            pace=Pace(judge.settings.connections),
        )
        return cls(judge, settings, kept, asker)

    @property
    def _intents(self) -> IntentFolder:
        return IntentFolder(self.kept.batches)

    @property
    def has_batches(self) -> bool:
        """Whether calls were handed in, or were about to be."""
        return bool(self._intents.all(self.judge.endpoint))

    def look(self) -> None:
        """Learn what batches there are without asking anybody."""
        self.asker.batched.update(in_batches(self._intents.all(self.judge.endpoint)))

    def collect(self, hand_in_again: HandInAgain, waiting: Callable[[float], None]) -> None:
        """Bring in what has come of batches.

        Raises:
            TiebreakError: the provider cannot be asked, or something cannot be written.
        """
        if not self.has_batches:
            return
        settings = self.judge.settings

        async def collected() -> CollectedBatch:
            """What has come of all batches of this judge; the provider is closed, whether or not that succeeds."""
            collector = Collector(
                service=batches_of(self.asker.provider),
                folder=self._intents,
                cache=self.asker.cache,
                unlisted_after=settings.unlisted_after,
                most_tokens=2 * settings.max_tokens,
                hand_in_again=hand_in_again,
                waiting=waiting,
            )
            try:
                return await collector.collect(self.judge.endpoint)
            finally:
                await self.asker.provider.close()

        self.collected = asyncio.run(collected())
        self.asker.batched.update(self.collected.outcomes)

    def plan(self, study: Study) -> JudgePlan:
        """What there is to do, and what it takes.

        Raises:
            UsageError, InputError: nothing can be asked about this study.
        """
        return plan_of(work_of(study, self.judge, self.settings), self.asker)

    def carry_out(
        self, plan: JudgePlan, progress: Callable[[], None], interrupted: Interrupted
    ) -> tuple[JudgeAccount, Outcomes]:
        """Make the calls of a plan, or hand them in.

        Raises:
            TiebreakError: a batch is not taken, or something cannot be written.
        """
        if self.settings.batch_api:
            asked, stopped = self._hand_in(plan, progress, interrupted)
        else:
            asked, stopped = ask_all(self.asker, plan.work.questions, progress, interrupted)
        prices = prices_of(self.judge, replace(self.settings, batch_api=True))
        price = 0.0 if prices is None else prices.of(self.collected.usage)
        account = account_of(
            plan, self.asker, asked.outcomes, self.collected, price, asked.gave_up, interrupted=stopped
        )
        return account, asked.outcomes

    def write(self, path: Path, plan: JudgePlan, outcomes: Outcomes, study: Study) -> Study:
        """Put answers into the study at a path, and forget batches that they came from; the study afterwards.

        Raises:
            InputError, TiebreakError: the study is damaged by now, or cannot be written.
        """
        questions = plan.work.questions
        answered = [
            (questions[place].row, found) for place, found in sorted(outcomes.items()) if isinstance(found, Reply)
        ]
        rows = rows_of(self.judge, answered, plan.work.identical, self.asker.rejected.names)
        if rows.frame.height:  # without any, nothing is overwritten either
            study = store(path, rows, overwrite=self.settings.overwrite)
        for intent in self.collected.ended:
            self._intents.forget(intent)
        return study

    def _hand_in(self, plan: JudgePlan, progress: Callable[[], None], interrupted: Interrupted) -> tuple[Asked, bool]:
        """The calls as a batch; of a model that has answered nothing yet, one goes directly, so that it may reject
        parameters.
        """
        first = next((found for found in plan.work.questions if self._outcome(found) is None), None)
        answered = plan.work.known or plan.kept or self.collected.replies
        if first is not None and not answered:
            direct = prices_of(self.judge, replace(self.settings, batch_api=False))
            asked, stopped = ask_all(replace(self.asker, prices=direct), [first], progress, interrupted)
            outcome = asked.outcomes.get(0, SPENT)
            if stopped or isinstance(outcome, NoReply):
                why = outcome.message if isinstance(outcome, NoReply) else ""
                return self._so_far(plan, asked.gave_up or why), stopped
            self.asker.batched.setdefault(self.asker.key(self._message(first)), outcome)  # one that says nothing, too
        missing: dict[PromptMessage, None] = {}
        for question in plan.work.questions:
            if self._outcome(question) is None:
                missing[self._message(question)] = None
        if not missing:
            return self._so_far(plan, ""), False
        submitted = asyncio.run(self._submitted(list(missing)))
        self.asker.batched.update(in_batches(submitted.intents))
        return self._so_far(plan, SPENT.message if submitted.left else ""), False

    async def _submitted(self, messages: Sequence[PromptMessage]) -> Submitted:
        try:
            return await submit(batches_of(self.asker.provider), self._intents, self.asker, messages)
        finally:
            await self.asker.provider.close()

    def _so_far(self, plan: JudgePlan, gave_up: str) -> Asked:
        """What is known of all questions."""
        found = {place: self._outcome(question) for place, question in enumerate(plan.work.questions)}
        return Asked({place: outcome for place, outcome in found.items() if outcome is not None}, gave_up)

    def _outcome(self, question: Question) -> Outcome | None:
        return self.asker.kept(self._message(question))

    def _message(self, question: Question) -> PromptMessage:
        return self.judge.message(dict(question.texts))
