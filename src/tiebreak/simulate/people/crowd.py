"""How simulated people work: how many tasks they take, forget and leave.

Answers of many simulated workers to many items in many runs at once: arrays instead of one worker at a time.

Labels are drawn as one array (runs, items, people), int8 outcomes relative to system_a; the last axis is the order in
which people answer an item. In memory the people come first, so that the labels of the first person of every item lie
together: that is what the labelling policies read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting
from tiebreak.simulate.people.workers import Worker, answer_chances


@dataclass(frozen=True, slots=True)
class Habits:
    """How people work. `hand`: tasks that a person takes at a time.

    `forgets` in [0, 1): chance that a task is never answered: it comes back when it expires (`people.hours` of the
    protocol). `leaves` in [0, 1): chance that a person leaves for good after an answer, with the tasks in hand.
    `give_up`: an item of a pair whose tasks have come back this often is abandoned; None: never.

    Raises `UsageError` for values outside these ranges.
    """

    hand: int = setting(
        1, Setting("Number of tasks that a person takes at a time", at_least=1, at_most=1000, panel="People")
    )
    forgets: float = setting(
        0.0, Setting("Share of tasks that are never answered", at_least=0, below=1, panel="People")
    )
    leaves: float = setting(
        0.0, Setting("Chance that a person leaves for good after a label", at_least=0, below=1, panel="People")
    )
    give_up: int | None = 3

    def __post_init__(self) -> None:
        check_settings(self)
        if self.give_up is not None and self.give_up < 1:
            raise UsageError(f"give_up must be at least 1, not {self.give_up}")


Codes = NDArray[np.int8]
Floats = NDArray[np.float64]
Floats32 = NDArray[np.float32]
People = NDArray[np.unsignedinteger]

_LARGEST_CROWD = 2**16
_BLOCK = 2**15  # cells drawn at a time


@dataclass(frozen=True, slots=True)
class Crowd:
    """Workers as arrays (W,), each as in `Worker`; `lean` is the worker's lean toward a in the pair at hand."""

    capability: Floats
    tie_threshold: Floats
    side_preference: Floats
    spam_rate: Floats
    lean: Floats
    seconds: Floats
    price: Floats

    @classmethod
    def of(cls, workers: Sequence[Worker], system_a: str = "", system_b: str = "") -> Crowd:
        """The workers in their order, with their leanings in the pair of `system_a` and `system_b`.

        Raises:
            UsageError: no worker, or more than 65,536.
        """
        if not 1 <= len(workers) <= _LARGEST_CROWD:
            raise UsageError(f"a crowd has from 1 to {_LARGEST_CROWD:,} workers, not {len(workers):,}")
        return cls(
            capability=np.array([w.capability for w in workers]),
            tie_threshold=np.array([w.tie_threshold for w in workers]),
            side_preference=np.array([w.side_preference for w in workers]),
            spam_rate=np.array([w.spam_rate for w in workers]),
            lean=np.array([w.lean(system_a, system_b) for w in workers]),
            seconds=np.array([w.seconds_median for w in workers]),
            price=np.array([w.price for w in workers]),
        )

    def __len__(self) -> int:
        return int(self.capability.size)

    @property
    def forced_choice(self) -> bool:
        """Whether every worker follows the paper's model: no ties, sides, spam or leanings."""
        parts = (self.tie_threshold, self.side_preference, self.spam_rate, self.lean)
        return not any(part.any() for part in parts)


def capable_workers(count: int, low: float, high: float, rng: np.random.Generator) -> tuple[Worker, ...]:
    """The paper's crowd: `count` workers of capability U(low, high) who do nothing but compare."""
    return tuple(Worker(float(c), 0.0, 0.0, 0.0, 8.0) for c in rng.uniform(low, high, count))


def draw_people(
    crowd: int, runs: int, items: int, people: int, rng: np.random.Generator, *, replace: bool = False
) -> People:
    """Who answers: indices (runs, items, people) into a crowd, uniform; `replace`: one person may answer twice.

    Without replacement every ordered choice of different people is equally likely (a clash is drawn again).
    Raises `UsageError` for more people than the crowd has.
    """
    if not 1 <= people <= (people if replace else crowd):
        raise UsageError(f"{people} different people cannot be asked from a crowd of {crowd}")
    cells = runs * items
    drawn = np.empty((people, cells), dtype=np.uint8 if crowd <= 256 else np.uint16)
    for start in range(0, cells, _BLOCK):
        _draw_block(crowd, drawn[:, start : start + _BLOCK], rng, replace=replace)
    return np.moveaxis(drawn.reshape(people, runs, items), 0, 2)


def _draw_block(crowd: int, block: People, rng: np.random.Generator, *, replace: bool) -> None:
    """Fill (people, cells): a block stays in the processor's cache, which halves the time."""
    clash = np.empty(block.shape[1], dtype=np.bool_)
    same = np.empty_like(clash)
    for place, column in enumerate(block):
        column[:] = _indices(crowd, column.size, rng)
        if replace or not place:
            continue
        np.equal(block[0], column, out=clash)
        for earlier in block[1:place]:
            np.equal(earlier, column, out=same)
            np.logical_or(clash, same, out=clash)
        again = np.flatnonzero(clash)
        while again.size:
            column[again] = _indices(crowd, again.size, rng)
            again = again[(block[:place, again] == column[again]).any(axis=0)]


def _indices(crowd: int, count: int, rng: np.random.Generator) -> Floats | Floats32:
    """Whole numbers 0 ... crowd - 1, three times faster than `rng.integers`.

    24 (large crowds: 53) random bits scaled down: no index is likelier than another by more than 2^-24.
    """
    uniform = rng.random(count, dtype=np.float32) if crowd <= 256 else rng.random(count)
    uniform *= crowd
    return np.minimum(uniform, np.nextafter(uniform.dtype.type(crowd), 0))


def draw_one_person(crowd: int, runs: int, items: int, rng: np.random.Generator) -> People:
    """One person per run who answers all items, shape (runs, items, 1) (a read-only view)."""
    chosen = rng.integers(crowd, size=(runs, 1, 1), dtype=np.uint16)
    return np.broadcast_to(chosen, (runs, items, 1))


def draw_labels(crowd: Crowd, people: People, difference: Floats, rng: np.random.Generator) -> Codes:
    """Answers (runs, items, people) to latent differences d in [-1, 1], shape (items,) or (runs, items).

    The side on which a is shown is drawn by a fair coin for every answer. A lean is added to d, and the sum clipped.
    """
    runs, items, width = people.shape
    labels = np.empty((width, runs, items), dtype=np.int8)
    of_run = np.broadcast_to(difference, (runs, items))
    step = max(1, _BLOCK // max(items, 1))
    draw = _forced_choices if crowd.forced_choice else _answers
    for start in range(0, runs, step):
        rows = slice(start, start + step)
        for place in range(width):
            labels[place, rows] = draw(crowd, people[rows, :, place], of_run[rows], rng)
    return np.moveaxis(labels, 0, 2)


def _forced_choices(crowd: Crowd, who: People, difference: Floats, rng: np.random.Generator) -> Codes:
    """The paper's model, P(a) = (c d + 1)/2: 2 u - 1 < c d, in single precision (steps of 1.2e-7)."""
    wanted = np.take(crowd.capability.astype(np.float32), who)
    wanted *= difference.astype(np.float32)
    wanted += 1
    uniform = rng.random(who.shape, dtype=np.float32)
    uniform *= 2
    codes = (uniform < wanted).view(np.int8)
    codes *= 2
    codes -= 1
    return codes


def _answers(crowd: Crowd, who: People, difference: Floats, rng: np.random.Generator) -> Codes:
    seen = np.clip(difference + crowd.lean[who], -1.0, 1.0)
    left = rng.random(who.shape, dtype=np.float32) < 0.5
    capability, threshold = crowd.capability[who], crowd.tie_threshold[who]
    a, tie = answer_chances(capability, threshold, crowd.side_preference[who], crowd.spam_rate[who], seen, left)
    uniform = rng.random(who.shape)
    return np.asarray((uniform < a).astype(np.int8) - (uniform >= a + tie).astype(np.int8))
