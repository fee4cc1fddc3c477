"""When a training should stop, by comparisons of its checkpoints: functions of their counts, and settings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings, refuse_given
from tiebreak.settings.setting import Setting, setting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


StopRule = Literal["streak", "no-gain"]

_START: Final = (0.0, 0.0)
"""The logarithm of the wealth of each bet before anything is known."""


@dataclass(frozen=True, slots=True)
class Check:
    """A checkpoint beside earlier ones: how many comparisons it won, drew and lost."""

    wins: int
    ties: int
    losses: int

    @classmethod
    def of(cls, outcomes: NDArray[np.int8]) -> Check:
        """The counts of 1, 0 and -1 among outcomes (n,)."""
        return cls(*(int((outcomes == one).sum()) for one in (1, 0, -1)))

    @property
    def comparisons(self) -> int:
        """How many there were."""
        return self.wins + self.ties + self.losses

    @property
    def is_worse(self) -> bool:
        """Fewer wins than losses; ties count for neither."""
        return self.wins < self.losses


@dataclass(frozen=True, slots=True)
class Stop:
    """`after`: the check (from 0) at which the rule stops; `keep`: the check whose checkpoint is to be kept, -1 for the
    one before the first check.
    """

    after: int
    keep: int


def streak(checks: Sequence[Check], in_a_row: int) -> Stop | None:
    """After so many checks in a row with fewer wins than losses (learning-to-compare, 4.1); None: go on.

    To be kept is the last checkpoint before the row. Where nothing changes any more this takes long: each check is lost
    with a probability just below one half, and five in a row come after about 70, or more where neighbouring checks
    share texts.
    """
    row = 0
    for number, check in enumerate(checks):
        row = row + 1 if check.is_worse else 0
        if row == in_a_row:
            return Stop(number, number - in_a_row)
    return None


@dataclass(slots=True)
class NoGain:
    """A valid sequential test beside it: it compares each checkpoint with the best one so far.

    A checkpoint becomes the best where its comparisons show that it wins more than it loses, and the count begins anew.
    It stops when all comparisons since then show together that the gain over the best is below `gain` (of wins - losses
    per comparison). Both by bets whose wealth is a test martingale: while every checkpoint since the best one gains
    `gain` or more in the mean, the chance of ever stopping is at most alpha in all, however many checks there are. Of
    the g-th best alpha / (g (g + 1)) is spent (Waudby-Smith and Ramdas 2024, section 4, for bounded means). It waits
    for so many checkpoints since the best, because trainings are uneven; that makes a wrong stop rarer still.

    `add` takes one check's counts against the best, and those of them that met a text of the best for the first time;
    True says that the rule stops. The texts of the best are mostly good ones for it by luck where it became the best,
    so that only the others are evidence of what is gained over it.
    """

    gain: float
    alpha: float
    wait: int
    best: int = -1
    seen: int = 0
    _bests: int = 1
    _wealth: tuple[float, ...] = _START

    def __post_init__(self) -> None:
        if not 0 < self.gain < 1:
            raise ValueError(f"gain is {self.gain}, but must lie between 0 and 1")
        if not 0 < self.alpha < 1:
            raise ValueError(f"alpha is {self.alpha}, but must lie between 0 and 1")
        if self.wait < 1:
            raise ValueError(f"wait is {self.wait}, but must be at least 1")

    def add(self, check: Check, new: Check) -> bool:
        """One checkpoint, compared with the best so far, whose number is `best` (-1: the one before the first)."""
        number = self.seen
        self.seen += 1
        if _better(check, self.alpha):
            self.best, self._bests, self._wealth = number, self._bests + 1, _START
            return False
        more = zip(self._wealth, _bets(self.gain), strict=True)
        self._wealth = tuple(wealth + _log_wealth(new, self.gain, bet) for wealth, bet in more)
        enough = math.log(self._bests * (self._bests + 1) / self.alpha)
        return number - self.best >= self.wait and _log_mean_exp(self._wealth) >= enough

    @property
    def stop(self) -> Stop:
        """Where it stands, if it stops here."""
        return Stop(self.seen - 1, self.best)


def _bets(gain: float) -> tuple[float, float]:
    """What is bet on each comparison, half of the stake each: the bet that grows fastest where wins equal losses and a
    third of the comparisons are ties, and a large one, which grows faster where a checkpoint is clearly worse.
    """
    return min(gain / (2.0 / 3.0 + gain**2), 0.5), 0.5


def _log_wealth(check: Check, gain: float, bet: float) -> float:
    """Of one bet on each outcome x (1, 0, -1) that their mean is below `gain`: the sum of log(1 + bet (gain - x))."""
    return (
        check.wins * math.log1p(bet * (gain - 1.0))
        + check.ties * math.log1p(bet * gain)
        + check.losses * math.log1p(bet * (gain + 1.0))
    )


def _log_mean_exp(values: Sequence[float]) -> float:
    most = max(values)
    return most + math.log(sum(math.exp(value - most) for value in values) / len(values))


def _better(check: Check, alpha: float) -> bool:
    """Whether wins exceed losses, by the exact sign test of the decided comparisons (one-sided)."""
    decided = check.wins + check.losses
    return decided > 0 and _binomial_tail(check.wins, decided) <= alpha


def _binomial_tail(wins: int, decided: int) -> float:
    """P(at least so many heads of a fair coin)."""
    from scipy.special import bdtrc

    return 1.0 if wins == 0 else float(bdtrc(wins - 1, decided, 0.5))


_RULES: Final = {
    "streak": "after checks in a row with fewer wins than losses",
    "no-gain": "when a sequential test shows that nothing is gained",
}


_WRONG: Final = Setting(
    "Chance of stopping though each checkpoint gains that much (no-gain)", above=0.0, below=1.0, such_as="0.05"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowSettings:
    """Settings of learning-to-compare (4.1), and of the test beside it, which meets a text of the best checkpoint once.

    Raises:
        UsageError: an impossible value, or one of the other rule.
    """

    rule: StopRule = setting("streak", Setting("When to stop", option="stop-rule", choices=_RULES))
    comparisons: int = setting(
        1000,
        Setting(
            "Comparisons after each checkpoint, in all; no-gain takes fewer where items are few",
            at_least=1,
            at_most=1_000_000,
            such_as="1000",
        ),
    )
    previous: int = setting(
        2, Setting("Earlier checkpoints that share them (streak)", at_least=1, at_most=1000, such_as="2")
    )
    in_a_row: int = setting(5, Setting("Lost checks in a row (streak)", at_least=1, at_most=1000, such_as="5"))
    gain: float = setting(
        0.1,
        Setting("Gain that is worth going on for, in wins - losses per comparison (no-gain)",
                above=0.0, below=1.0, such_as="0.1"),
    )  # fmt: skip
    wrong_stop: float = setting(0.05, _WRONG)
    wait: int = setting(
        5, Setting("Checkpoints since the best one before it may stop (no-gain)", at_least=1, at_most=1000, such_as="5")
    )
    seed: int = setting(0, Setting("Seed of the items and samples", at_least=0, at_most=shared.LARGEST_SEED))

    def __post_init__(self) -> None:
        check_settings(self)
        others = ("gain", "wrong_stop", "wait") if self.rule == "streak" else ("previous", "in_a_row")
        refuse_given(self, others, f"cannot be given with --stop-rule {self.rule}")
