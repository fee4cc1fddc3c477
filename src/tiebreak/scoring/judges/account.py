"""What a judge costs, and what comes of it: an estimate before its calls, a purse that is never overdrawn during them,
the bill afterwards, and beside it what the answers look like together: flips, ties, and human labels that they save.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Final

import polars as pl

from tiebreak.comparison.compare import compare_with
from tiebreak.data.columns import one_way_round
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.results.settings import CompareSettings
from tiebreak.scoring.judges.judge import Judge, PromptMessage
from tiebreak.scoring.judges.questions import Work
from tiebreak.scoring.judges.replies import NO_USAGE, Unscored, Usage
from tiebreak.scoring.settings import JudgingSettings
from tiebreak.scoring.writing import of_judge

_MILLION: Final = 1_000_000
_BYTES_PER_TOKEN: Final = 4
_TOKENS_AROUND: Final = 200
"""More than any server adds to what it is sent."""
_USUALLY_WRITTEN: Final = 30
_ROUNDING: Final = 1e-12

CALLS_BEFORE_CORRECTING: Final = 20
_LARGEST_SHARE: Final = 0.99


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens `read` and `written`."""

    read: float
    written: float

    def of(self, usage: Usage) -> float:
        """What these tokens cost."""
        return (usage.read * self.read + usage.written * self.written) / _MILLION

    def times(self, share: float) -> Prices:
        """The same for calls that cost this share, as those of a batch do."""
        return Prices(self.read * share, self.written * share)


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


def usually(message: PromptMessage) -> Usage:
    """What a message and its reply take, by its size and without a tokenizer."""
    return Usage(math.ceil(message.size / _BYTES_PER_TOKEN), _USUALLY_WRITTEN)


def at_most(size: int, tokens: int) -> Usage:
    """What a request of so many bytes and its reply cannot take more than: no token is less than a byte."""
    return Usage(size + _TOKENS_AROUND, tokens)


@dataclass(slots=True)
class Purse:
    """Money for calls. `limit` None: any amount. `paid` for replies that came; `doubtful`: what calls may have cost
    whose replies were lost; `reserved`: what those on their way may cost at most.
    """

    limit: float | None = None
    paid: float = 0.0
    doubtful: float = 0.0
    reserved: float = 0.0

    def reserve(self, amount: float) -> bool:
        """Set money aside for a call, if there is enough."""
        if self.limit is not None and self.paid + self.doubtful + self.reserved + amount > self.limit + _ROUNDING:
            return False
        self.reserved += amount
        return True

    def release(self, amount: float) -> None:
        """A call that was set aside for costs nothing."""
        self.reserved = max(self.reserved - amount, 0.0)

    def pay(self, reserved: float, cost: float) -> None:
        """A call that was set aside for has cost this much."""
        self.release(reserved)
        self.paid += cost

    def doubt(self, reserved: float) -> None:
        """A call that was set aside for may have cost as much, and nobody will say."""
        self.release(reserved)
        self.doubtful += reserved


@dataclass(slots=True)
class Meter:
    """Calls and tokens as they come in, beside what was expected of the same calls."""

    calls: int = 0
    usage: Usage = NO_USAGE
    expected: Usage = NO_USAGE
    lost: int = 0
    uncounted: int = 0

    def add(self, expected: Usage, used: Usage | None) -> Usage:
        """A reply; where the server does not count, it took what was expected. What it took."""
        self.calls += 1
        self.uncounted += used is None
        taken = used or expected
        self.usage, self.expected = self.usage + taken, self.expected + expected
        return taken

    def corrected(self, estimate: Usage) -> Usage | None:
        """An estimate by what the first calls took; None before there were enough of them."""
        if self.calls < CALLS_BEFORE_CORRECTING:
            return None
        return Usage(
            math.ceil(estimate.read * self.usage.read / max(self.expected.read, 1)),
            math.ceil(estimate.written * self.usage.written / max(self.expected.written, 1)),
        )


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


@dataclass(frozen=True, slots=True)
class JudgeAccount:
    """What came of a judge's questions.

    `scored`: answers of the menu, kept ones among them; `unscored`: replies that say nothing, by the reason; `failed`:
    questions without a reply, and one `failure` of them in the server's words; `not_asked`; `pending`: in a batch.
    `calls` that were answered, `lost` ones that may cost something all the same, `uncounted` ones of which the server
    does not say how many tokens they took, `rejected` ones that the server would not take. `paid` and `doubtful` are
    None without prices. `leaked`: mean probability of answers that are on no menu. `models` that say that they
    answered. `dropped` parameters.
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
        told = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("plan", "usage")}
        told |= {"tokens_read": self.usage.read, "tokens_written": self.usage.written}
        return told | {"failure": self.failure or None, "gave_up": self.gave_up or None}


@dataclass(frozen=True, slots=True)
class Findings:
    """Of all answers that a study has of a judge on its criterion.

    `answered_in_both_orders`: how many comparisons, of which the outcome of those `flipped` changed with the order:
    they count as ties. `labels_saved`: human labels, None where nobody can tell, below 0 where it costs some; and what
    they cost, None without a price.
    """

    flipped: int
    answered_in_both_orders: int
    labels_saved: float | None
    price_of_labels_saved: float | None

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return asdict(self)


def findings_of(study: Study, judge: Judge) -> Findings:
    """What there is to find."""
    saved, price = _labels_saved(study, judge), study.settings.price_per_label
    return Findings(*_flips(study, judge), saved, None if saved is None or price is None else saved * price)


def _flips(study: Study, judge: Judge) -> tuple[int, int]:
    frame = study.judge_preferences
    if frame is None or judge.settings.grades:
        return 0, 0
    answered = frame.filter(pl.col("outcome").is_not_null() & pl.col("left").is_not_null())
    mine = of_judge(answered, judge.name, judge.settings.criterion)
    asked = one_way_round(mine).group_by("item", "system_a", "system_b", "sample_a", "sample_b")
    counted = asked.agg(sides=pl.col("left").n_unique(), outcomes=pl.col("outcome").n_unique())
    both = counted.filter(pl.col("sides") == 2)
    return both.filter(pl.col("outcomes") > 1).height, both.height


def _labels_saved(study: Study, judge: Judge) -> float | None:
    """By the verdicts of `compare` with the judge beside the labels: where an interval is as narrow as that of more
    labels, the judge saves as many as it would have taken.
    """
    name, criterion = judge.name, judge.settings.criterion
    metrics, judges = ((name,), ()) if judge.settings.grades else ((), (name,))
    try:
        criteria = None if criterion is None else (criterion,)
        result = compare_with(study, CompareSettings(criteria=criteria, metrics=metrics, judges=judges))
    except TiebreakError:
        return None  # nobody labelled anything that could be compared
    saved = [
        pair.labels * share / (1 - share)
        for found in result.results
        for pair in found.pairs
        if pair.metric is not None and pair.metric.saved is not None
        for share in (min(pair.metric.saved.share, _LARGEST_SHARE),)
    ]
    return sum(saved) if saved else None
