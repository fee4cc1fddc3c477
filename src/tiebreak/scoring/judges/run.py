"""One judge from beginning to end: batches collected, work planned, calls made or handed in, rows stored.

Calls that are handed in together are collected later, at a lower price, so that nothing is ever paid twice. An intent
is on the disk before anything is handed in, and the provider's name of the batch afterwards. Where it is not known
whether a provider took it, the provider's own list is searched; what cannot be told is asked.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError
from tiebreak.scoring.judges.account import JudgeAccount, JudgePlan, prices_of, usually
from tiebreak.scoring.judges.asking import SPENT, Asked, Asker, ask_all
from tiebreak.scoring.judges.judge import Judge, PromptMessage
from tiebreak.scoring.judges.provider import BatchResult, Failed
from tiebreak.scoring.judges.questions import Question, Texts, rows_of, store_rows, work_of
from tiebreak.scoring.judges.replies import NO_USAGE, PENDING, NoReply, Outcome, Reply, Usage, reading_of
from tiebreak.scoring.judges.store import BatchCall, Intent, JudgeStore
from tiebreak.scoring.settings import JudgingSettings

_AROUND: Final = 200
"""Bytes beside the body of a request: its name, and where it goes."""

Outcomes = Mapping[int, Outcome]
"""What came of questions, by their places in the plan."""
HandInAgain = Callable[[Intent, Sequence[str]], bool]
"""Asks whether calls may be handed in once more that may be in one of some batches."""
Waiting = Callable[[float], None]
"""Told how many seconds it still takes to find out whether a batch was handed in."""
Part = list[tuple[PromptMessage, dict[str, object]]]
"""Messages of one batch, with their requests."""


@dataclass(slots=True)
class CollectedBatch:
    """What batches brought: `outcomes` by key of what is not kept as a reply, of what is still in a batch too; `usage`
    of all replies; `ended`: intents that may be forgotten once the study has what they brought; `remarks` for the user.
    """

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    replies: int = 0
    ended: list[Intent] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


class JudgeRun:
    """A judge and what a run of it knows, which has not begun; `store`: where the study keeps what judges said.

    Raises:
        UsageError: one price of two, or a limit in money without prices.
    """

    def __init__(self, judge: Judge, settings: JudgingSettings, store: JudgeStore) -> None:
        self.judge, self.settings, self.store = judge, settings, store
        self.asker, self.collected = Asker(judge, settings, store), CollectedBatch()

    @property
    def has_batches(self) -> bool:
        """Whether calls were handed in, or were about to be."""
        return bool(self.store.intents(self.judge.endpoint))

    def look(self) -> None:
        """Learn what batches there are without asking anybody."""
        self.asker.batched.update(in_batches(self.store.intents(self.judge.endpoint)))

    def collect(self, hand_in_again: HandInAgain, waiting: Waiting) -> None:
        """Bring in what has come of batches; replies are kept before anything else happens to them.

        Raises:
            TiebreakError: the provider cannot be asked, or something cannot be written.
        """
        if self.has_batches:
            asyncio.run(self._collect_all(hand_in_again, waiting))
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
        rows, meanings = rows_of(self.judge, answered, plan.work.identical, self.asker.dropped)
        if rows.height:  # without any, nothing is overwritten either
            study = store_rows(path, self.judge, rows, meanings, overwrite=self.settings.overwrite)
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

    async def _collect_all(self, hand_in_again: HandInAgain, waiting: Waiting) -> None:
        intents = self.store.intents(self.judge.endpoint)
        others = [intent.batch for intent in intents if intent.batch is not None]
        try:
            for intent in intents:
                known = await self._known(intent, others, hand_in_again, waiting)
                if known is not None and known.batch is not None:
                    await self._collect(known, known.batch)
        except Failed as failed:
            raise TiebreakError(f"batches cannot be asked about: {failed.message}") from None
        finally:
            await self.asker.provider.close()

    async def _known(
        self, intent: Intent, others: Sequence[str], hand_in_again: HandInAgain, waiting: Waiting
    ) -> Intent | None:
        """The intent with its batch; None where it has none, or none that is known. After some seconds a batch that its
        provider does not list was never handed in.
        """
        if intent.batch is not None:
            return intent
        provider, unlisted_after = self.asker.provider, self.judge.settings.unlisted_after
        listed = await provider.find(intent, others)
        left = min(intent.created + unlisted_after - time.time(), unlisted_after)
        if listed.batch is None and not listed.perhaps and left > 0:  # the list is not to be believed yet
            waiting(left)
            await asyncio.sleep(left)
            listed = await provider.find(intent, others)
        if listed.batch is not None:
            return self.store.write(replace(intent, batch=listed.batch))
        if listed.perhaps and not hand_in_again(intent, listed.perhaps):
            self.collected.outcomes |= in_batches([intent])
            self.collected.remarks.append(
                f"whether {len(intent.calls):,} calls were handed in as {' or '.join(listed.perhaps)} can be told once "
                "that has ended: they are not handed in again until then"
            )
        else:
            self.store.forget([intent])
        return None

    async def _collect(self, intent: Intent, batch: str) -> None:
        collected, standing = self.collected, await self.asker.provider.standing(batch)
        if not standing.ended:
            collected.outcomes |= in_batches([intent])
            collected.remarks.append(f"batch {batch}: {standing.done:,} of {len(intent.calls):,} calls are done")
            return
        if standing.problem:
            collected.remarks.append(f"batch {batch} failed: {standing.problem}")
            collected.outcomes |= {call.key: NoReply(standing.problem) for call in intent.calls}
        never = len(intent.calls)
        for result in [result async for result in self.asker.provider.results(batch)]:
            never -= self._take(intent, result)
        if never and not standing.problem:
            collected.remarks.append(f"batch {batch} ended before {never:,} of its calls were made, which cost nothing")
        collected.ended.append(intent)

    def _take(self, intent: Intent, result: BatchResult) -> bool:
        """One result; whether its call was made."""
        call, answer, collected = intent.call_named(result.name), result.outcome, self.collected
        if call is None or answer is None:
            return False
        if isinstance(answer, Failed):
            collected.outcomes[call.key] = NoReply(answer.message)
            return True
        collected.usage, collected.replies = collected.usage + (answer.usage or NO_USAGE), collected.replies + 1
        reading = reading_of(answer, intent.menu)
        if reading.label is not None:
            self.store.keep(call.key, answer)
        elif reading.unscored == "truncated":
            self.store.keep_cut_off(call.key, call.tokens)
        stays = reading.unscored != "truncated" or call.tokens >= 2 * self.judge.settings.max_tokens
        if reading.label is None and stays:
            collected.outcomes[call.key] = Reply(reading, intent.dropped, answer.text, answer.model)
        return True


async def submit(asker: Asker, messages: Iterable[PromptMessage]) -> int:
    """Hand in calls about these messages, in as many batches as they take, up to what may be spent on them; how many
    calls no money is left for, at their worst.

    Raises:
        TiebreakError: the provider takes none, or something cannot be written.
    """
    paid, left = list[PromptMessage](), 0
    for message in messages:
        if asker.purse.reserve(asker.worst(message)):
            paid.append(message)
        else:
            left += 1
    try:
        for part in _parts(asker, paid):
            asker.batched |= in_batches([await _hand_in(asker, part)])
    finally:
        await asker.provider.close()
    return left


async def _hand_in(asker: Asker, part: Part) -> Intent:
    calls = tuple(BatchCall(asker.key(message), asker.tokens(message)) for message, _ in part)
    intent = asker.store.write(Intent(asker.judge.endpoint, asker.judge.menu, asker.dropped, calls))
    try:
        batch = await asker.provider.submit(intent, [body for _, body in part])
    except Failed as failed:
        if failed.why == "lost":
            raise TiebreakError(
                f"it is not known whether a batch of {len(calls):,} calls was taken ({failed.message}): the same "
                "command finds out, and hands nothing in twice"
            ) from None
        asker.store.forget([intent])
        raise TiebreakError(f"the batch was not taken: {failed.message}") from None
    return asker.store.write(replace(intent, batch=batch))


def _parts(asker: Asker, messages: Iterable[PromptMessage]) -> Iterator[Part]:
    """As many messages at a time as go into one batch."""
    part, size, provider = Part(), 0, asker.provider
    for message in messages:
        body = provider.request(message, asker.dropped).body(asker.tokens(message))
        more = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) + _AROUND
        if part and (len(part) == provider.most_calls or size + more > provider.most_bytes):
            yield part
            part, size = Part(), 0
        part.append((message, body))
        size += more
    if part:
        yield part


def in_batches(intents: Iterable[Intent]) -> dict[str, Outcome]:
    """By key, the calls of intents, as long as nobody asks what became of them."""
    return {call.key: PENDING for intent in intents for call in intent.calls}
