"""Plays a world's campaigns by some rules, and counts: wrong verdicts, right ones, and labels until the first."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from benchmarks.certification.rules import EQUIVALENT, NOTHING, A, B, Codes, Rule
from benchmarks.certification.worlds import Sample, World, chunk_size, draw
from benchmarks.worlds.simulation import chunks
from numpy.typing import NDArray

ALPHAS = (0.05, 0.01)
LOOKS = {"every label": 1, "batches of 10": 10, "batches of 50": 50, "once, at the end": None}


@dataclass
class Tally:
    """Campaigns of one rule under one way of looking.

    `wrong`: with a wrong verdict at any look; `decided`: with any verdict; `right`: whose first verdict is right.
    `labels`, `squares`: sum and sum of squares of the labels at the first verdict, undecided ones with all labels.
    """

    runs: int = 0
    wrong: int = 0
    decided: int = 0
    right: int = 0
    labels: float = 0.0
    squares: float = 0.0

    def add(self, codes: Codes, looks: NDArray[np.int64], wrong: Sequence[int], last: int) -> None:
        """`codes` (runs, looks) at looks after `looks` labels; `last`: the labels of an undecided campaign."""
        anything = codes != NOTHING
        decided = anything.any(axis=1)
        first = anything.argmax(axis=1)
        stopped = np.where(decided, looks[first], last).astype(np.float64)
        verdict = codes[np.arange(len(codes)), first]
        self.runs += len(codes)
        self.wrong += int(np.isin(codes, wrong).any(axis=1).sum())
        self.decided += int(decided.sum())
        self.right += int((decided & ~np.isin(verdict, wrong)).sum())
        self.labels += float(stopped.sum())
        self.squares += float((stopped**2).sum())

    def __add__(self, other: Tally) -> Tally:
        """Both sets of campaigns together."""
        return Tally(*(getattr(self, part) + getattr(other, part) for part in vars(self)))


@dataclass
class Outcome:
    """Tallies of one rule in one world by level and way of looking, and the seconds of processor time it took."""

    seconds: float = 0.0
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """For the cache."""
        levels = {alpha: {look: vars(tally) for look, tally in found.items()} for alpha, found in self.tallies.items()}
        return {"seconds": self.seconds, "tallies": levels}

    def __add__(self, other: Outcome) -> Outcome:
        """Both sets of campaigns together."""
        tallies = {
            alpha: {look: tally + other.tallies[alpha][look] for look, tally in found.items()}
            for alpha, found in self.tallies.items()
        }
        return Outcome(self.seconds + other.seconds, tallies)

    @classmethod
    def from_json(cls, document: dict[str, object]) -> Outcome:
        """The opposite of `to_json`."""
        levels = document["tallies"]
        tallies = {a: {k: Tally(**values) for k, values in found.items()} for a, found in levels.items()}  # type: ignore[attr-defined]
        return cls(float(document["seconds"]), tallies)  # type: ignore[arg-type]


def wrong_codes(sample: Sample) -> tuple[int, ...]:
    """Which verdicts are wrong in the sample's world."""
    difference = sample.world.difference
    wrong = () if difference > 0 else (A,)
    wrong += () if difference < 0 else (B,)
    return wrong if abs(difference) < sample.world.margin - 1e-12 else (*wrong, EQUIVALENT)


def looks_of(rule: Rule, labels: int) -> dict[str, NDArray[np.int64]]:
    """For each way of looking that the rule can have, the labels at which one looks; the end is always among them."""
    if rule.retrospective:
        return {"once, at the end": np.arange(1, labels + 1)}
    found = {}
    for name, batch in LOOKS.items():
        if batch is not None and batch >= rule.spacing:
            found[name] = np.unique(np.append(np.arange(batch, labels + 1, batch), labels))
        elif batch is None:
            found[name] = np.array([labels])
    return found


def play(world: World, rules: Sequence[Rule], runs: int, seed: Sequence[int]) -> dict[str, Outcome]:
    """Outcomes of the rules, by name, on the same `runs` campaigns.

    The campaigns depend on the world, `runs` and the seed, not on the rules.
    """
    digest = hashlib.sha256(json.dumps(world.settings(), sort_keys=True).encode()).digest()
    rng = np.random.default_rng([*seed, int.from_bytes(digest[:8], "big")])
    outcomes = {rule.name: Outcome() for rule in rules}
    for chunk in chunks(runs, chunk_size(world)):
        sample = draw(world, rng, chunk)
        for rule in rules:
            start = time.process_time()
            _add(outcomes[rule.name], rule, sample)
            outcomes[rule.name].seconds += time.process_time() - start
    return outcomes


def _add(outcome: Outcome, rule: Rule, sample: Sample) -> None:
    labels = sample.world.labels
    wrong = wrong_codes(sample)
    for alpha, codes in zip(ALPHAS, rule.verdicts(sample, ALPHAS), strict=True):
        of_level = outcome.tallies.setdefault(f"{alpha}", {})
        for name, looks in looks_of(rule, labels).items():
            of_level.setdefault(name, Tally()).add(codes[:, looks // rule.spacing - 1], looks, wrong, labels)
