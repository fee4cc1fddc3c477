"""What a judge is to be asked, what of it is known already, and what the rest will take."""

from __future__ import annotations

from dataclasses import dataclass

from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.scoring.judges.answers import NO_USAGE, Usage
from tiebreak.scoring.judges.asking import Asker
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.money import Prices, usually
from tiebreak.scoring.judges.reply import PENDING, Outcome, Reply
from tiebreak.scoring.judges.settings import JudgingSettings
from tiebreak.scoring.judges.storing import known_answers
from tiebreak.scoring.judges.work.grades import grade_work
from tiebreak.scoring.judges.work.pairs import pair_work
from tiebreak.scoring.judges.work.question import Work


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
