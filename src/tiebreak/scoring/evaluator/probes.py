"""Thirty small dialogues with an answer that nobody disputes (in the manner of learning-to-compare, table 4)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

import numpy as np

from tiebreak.scoring.evaluator.training.calibration import answers, flips
from tiebreak.scoring.evaluator.training.kept import Evaluator
from tiebreak.scoring.evaluator.training.measured import AT_ONCE

Outcome = Literal["a", "tie", "b"]
_OUTCOMES: dict[int, Outcome] = {1: "a", 0: "tie", -1: "b"}


@dataclass(frozen=True, slots=True)
class Probe:
    """A context, two replies, and which is better; `kind`: what is wrong with the other, or that neither is wrong."""

    kind: str
    context: str
    a: str
    b: str
    expected: Outcome


@dataclass(frozen=True, slots=True)
class Probed:
    """An evaluator's answer; `flips`: it changes with the order in which the replies are read."""

    probe: Probe
    answer: Outcome
    flips: bool

    @property
    def is_right(self) -> bool:
        """The expected answer, in both orders."""
        return self.answer == self.probe.expected and not self.flips


def probes() -> tuple[Probe, ...]:
    """Those that are shipped: six of each kind."""
    lines = (files("tiebreak.scoring.evaluator") / "probes.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Probe(**json.loads(line)) for line in lines)


def probe(evaluator: Evaluator, asked: Sequence[Probe] | None = None) -> list[Probed]:
    """The answers of an evaluator to these, or to all that are shipped."""
    given = probes() if asked is None else tuple(asked)
    tokens = evaluator.read([text for one in given for text in (one.a, one.b)], [one.context for one in given])
    context = np.repeat(np.arange(len(given)), 2)
    a, b = np.arange(0, 2 * len(given), 2), np.arange(1, 2 * len(given), 2)
    bound = float(evaluator.about["tie_bound"])
    forth, back = evaluator.model.orders(tokens, context, a, b, AT_ONCE)
    found, flipped = answers((forth + back) / 2, bound), flips(forth, back, bound)
    return [
        Probed(one, _OUTCOMES[int(answer)], bool(flip)) for one, answer, flip in zip(given, found, flipped, strict=True)
    ]
