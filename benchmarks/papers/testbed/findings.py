"""What choosers and rules do in all groups, beside the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from benchmarks.papers.testbed import wins
from benchmarks.papers.testbed.judges import JUDGES, End, Opinion, by_patience, opinion_of
from benchmarks.papers.testbed.trials import Group, Trials, groups_of

RANDOM = "a pick at random"


@dataclass(frozen=True)
class Pick:
    """A chooser in all groups: which candidate it takes."""

    name: str
    chosen: tuple[int, ...]


@dataclass(frozen=True)
class Findings:
    """`opinions`: by judge, one for each group."""

    groups: tuple[Group, ...]
    opinions: Mapping[str, tuple[Opinion, ...]]

    def picks(self) -> list[Pick]:
        """The judges, BLEU and the dev loss."""
        by_judge = {name: [of.values for of in every] for name, every in self.opinions.items()}
        by_measure = {
            "BLEU": [[one.bleu for one in group.candidates] for group in self.groups],
            "dev loss": [[-one.dev_loss for one in group.candidates] for group in self.groups],
        }
        return [
            Pick(name, tuple(int(np.argmax(values)) for values in every))
            for name, every in {**by_judge, **by_measure}.items()
        ]

    def ends(self) -> dict[str, list[End]]:
        """By rule, of the training that is followed in each group."""
        found = {
            f"{name}, {rule}": [of.ends[rule] for of in every]
            for name, every in self.opinions.items()
            for rule in every[0].ends
        }
        followed = [group.followed for group in self.groups]
        return {
            **found,
            "dev loss": [by_patience([-one.dev_loss for one in every]) for every in followed],
            "BLEU": [by_patience([one.bleu for one in every]) for every in followed],
            "the last": [End(len(every), len(every) - 1) for every in followed],
        }

    def truths(self, measure: str) -> list[list[float]]:
        """Of the candidates of each group."""
        return [[one.truth[measure] for one in group.candidates] for group in self.groups]

    def followed_truths(self, measure: str) -> list[list[float]]:
        """Of the checkpoints of each training that is followed."""
        return [[one.truth[measure] for one in group.followed] for group in self.groups]


@dataclass(frozen=True)
class Score:
    """A chooser by one truth, in each group (n,)."""

    won: wins.Floats
    regret: wins.Floats


def choice_scores(found: Findings, measure: str) -> dict[str, Score]:
    """By chooser, and of a pick at random what is expected of it."""
    truths = found.truths(measure)
    scores = {
        pick.name: Score(
            np.array([wins.won(truth, one) for truth, one in zip(truths, pick.chosen, strict=True)], dtype=float),
            np.array([wins.regret(truth, one) for truth, one in zip(truths, pick.chosen, strict=True)]),
        )
        for pick in found.picks()
    }
    chance = Score(np.array(list(map(wins.chance_of_winning, truths))), np.array(list(map(wins.chance_regret, truths))))
    return {**scores, RANDOM: chance}


def stop_scores(found: Findings, measure: str) -> dict[str, Score]:
    """By rule. A rule wins where it keeps the best checkpoint of those that the rules keep."""
    truths, ends = found.followed_truths(measure), found.ends()
    best = [max(truth[every[k].kept] for every in ends.values()) for k, truth in enumerate(truths)]
    scores = {
        rule: Score(
            np.array(
                [truth[end.kept] >= bar for truth, end, bar in zip(truths, every, best, strict=True)], dtype=float
            ),
            np.array([wins.regret(truth, end.kept) for truth, end in zip(truths, every, strict=True)]),
        )
        for rule, every in ends.items()
    }
    chance = Score(
        np.array([np.mean(np.array(truth) >= bar) for truth, bar in zip(truths, best, strict=True)]),
        np.array(list(map(wins.chance_regret, truths))),
    )
    return {**scores, RANDOM: chance}


def find(trials: Trials) -> Findings:
    """All groups, trained, and what every judge says of them."""
    groups = tuple(groups_of(trials))
    return Findings(groups, {name: tuple(opinion_of(trials, name, group) for group in groups) for name in JUDGES})
