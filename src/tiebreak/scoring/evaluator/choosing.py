"""The best of several trainings, by what a trained evaluator says of their outputs (learning-to-compare, 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.readers import read_study
from tiebreak.data.settings import Scalar, SystemSettings
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.messages.ranks import MISFIT
from tiebreak.messages.tables import LEARNED_FROM
from tiebreak.numbers import some_names
from tiebreak.ranking.rank import rank_with
from tiebreak.results.ranks import CriterionRanks, RankedSystem
from tiebreak.results.settings import JUDGE_PREFIX, RankSettings
from tiebreak.scoring.evaluator.judging import Report, judge_into
from tiebreak.scoring.evaluator.settings import ChoosingSettings, EvaluatorJudgingSettings, WhichCheckpoint

_ROUNDING: Final = 1e-6  # of ratings that were fitted


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A system that stands for its run. `lowest_loss`: of all checkpoints of the run, what a choice by dev loss would
    see; `notes`: what is to be known of how it was taken.
    """

    system: str
    about: SystemSettings
    lowest_loss: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def run(self) -> str:
        """The name of its run."""
        return self.about.run or self.system


@dataclass(frozen=True, slots=True)
class Candidate:
    """A training: the `checkpoint` that stands for it, and how this was rated."""

    checkpoint: Checkpoint
    ranked: RankedSystem

    @property
    def run(self) -> str:
        """The name of the training."""
        return self.checkpoint.run

    @property
    def about(self) -> SystemSettings:
        """What study.toml says of the checkpoint."""
        return self.checkpoint.about

    @property
    def win_rate(self) -> float:
        """Share of its comparisons that it won; a tie counts half."""
        return (self.ranked.wins + self.ranked.ties / 2) / (self.ranked.wins + self.ranked.ties + self.ranked.losses)

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "run": self.run,
            "checkpoint": self.checkpoint.system,
            "settings": dict(self.about.settings),
            "dev_loss": self.about.dev_loss,
            "win_rate": self.win_rate,
            **self.ranked.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """`candidates`, by their ratings, the highest first; `ranks`: the leaderboard that they come from; `alpha`: its
    error rate; `left_out`: runs without any outputs; `of_judge`: what is to be known of the evaluator, of what it read,
    and of whether ratings can say it.
    """

    candidates: tuple[Candidate, ...]
    ranks: CriterionRanks
    alpha: float
    left_out: tuple[str, ...] = ()
    of_judge: tuple[str, ...] = ()

    @property
    def best(self) -> Candidate | None:
        """That with the highest rating; None where every run may be the best, and nothing tells one from the rest, or
        where another beats it.
        """
        alike = all(one.ranked.rank_low == 1 for one in self.candidates)
        return None if alike or self.beaten_by else self.highest

    @property
    def beaten_by(self) -> tuple[Candidate, ...]:
        """Runs that are better than that with the highest rating by the verdict on the two."""
        above = {
            better for better, worse in self.ranks.against_verdicts if worse == self.candidates[0].checkpoint.system
        }
        return tuple(one for one in self.candidates if one.checkpoint.system in above)

    @property
    def one_scale(self) -> bool:
        """Whether nothing speaks against it that a rating for each run can say which is better."""
        return not any(note.code == MISFIT.code for note in self.ranks.notes)

    @property
    def highest(self) -> Candidate | None:
        """That with the highest rating, told apart or not; None where another has the same."""
        first, second = (one.ranked.strength.rating for one in self.candidates[:2])
        return self.candidates[0] if first - second > _ROUNDING else None

    @property
    def may_be_best(self) -> tuple[Candidate, ...]:
        """The runs beside the best that may be it as well: their range of places holds the first, or they beat the one
        with the highest rating.
        """
        beat = self.beaten_by
        return tuple(
            one for one in self.candidates if (one.ranked.rank_low == 1 or one in beat) and one is not self.best
        )

    @property
    def comparisons(self) -> int:
        """How many there are, each of two candidates on an item."""
        return sum(pair.games for pair in self.ranks.pairs)

    @property
    def all_tied(self) -> bool:
        """Whether there is no comparison that any run won."""
        return not any(one.ranked.wins for one in self.candidates)

    @property
    def by_loss(self) -> Candidate | None:
        """The run with the lowest dev loss; None where not all have one, or two have the same."""
        known = [(loss, one) for one in self.candidates if (loss := one.checkpoint.lowest_loss) is not None]
        lowest = min((loss for loss, _ in known), default=0.0)
        found = [one for loss, one in known if loss == lowest]
        return found[0] if len(known) == len(self.candidates) and len(found) == 1 else None

    @property
    def notes(self) -> tuple[str, ...]:
        """How checkpoints were taken, where that needs words, runs that are left out, and what the judge says."""
        taken = [*(note for one in self.candidates for note in one.checkpoint.notes), *self.of_judge]
        if not self.left_out:
            return tuple(taken)
        verb = "has no outputs and is" if len(self.left_out) == 1 else "have no outputs and are"
        return (*taken, f"{some_names(self.left_out)} {verb} left out.")

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of the settings that are not the same in all runs."""
        names = dict.fromkeys(name for one in self.candidates for name in one.about.settings)
        return tuple(name for name in names if len({repr(one.about.settings.get(name)) for one in self.candidates}) > 1)

    def values_of(self, one: Candidate) -> dict[str, Scalar | None]:
        """The settings in which the runs differ."""
        return {name: one.about.settings.get(name) for name in self.differing}

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "best": None if self.best is None else self.best.run,
            "may_be_best": [one.run for one in self.may_be_best],
            "best_by_dev_loss": None if self.by_loss is None else self.by_loss.run,
            "alpha": self.alpha,
            "items": self.ranks.items,
            "candidates": [one.to_dict() for one in self.candidates],
            "notes": list(self.notes),
        }


def choose_into(
    study: Study, folder: Path, settings: ChoosingSettings, *, overwrite: bool = False, report: Report | None = None
) -> Choice:
    """Judges one checkpoint of each run, writes what was said into the study's folder, and rates the runs by it.

    Raises:
        UsageError: fewer than two runs with outputs, or one without an item of the others; the evaluator learned from
            labels of these outputs; answers of another judge by this name.
        InputError: the folder has no evaluator, or a damaged one.
    """
    chosen = candidates_of(study, settings.checkpoint)
    systems = tuple(chosen)
    asked_for = EvaluatorJudgingSettings(name=settings.name, systems=systems)
    said = judge_into(study, folder, asked_for, overwrite=overwrite, proves=True, report=report)
    judged = _said_by(settings.name, read_study(study.path) if study.path is not None else study)
    asked = RankSettings(sources=(JUDGE_PREFIX + settings.name,), systems=systems, alpha=settings.alpha)
    (ranks,) = rank_with(judged, asked).results
    rated = {one.system for one in ranks.davidson.systems}
    apart = [checkpoint.run for name, checkpoint in chosen.items() if name not in rated]
    if apart:
        raise UsageError(
            f"{some_names(apart)} cannot be compared: no item in common with the other runs; let all write for the "
            "same inputs, or leave out of study.toml those that did not"
        )
    found = [Candidate(chosen[one.system], one) for one in ranks.davidson.systems]
    there = {one.run for one in found}
    every = dict.fromkeys(about.run for about in study.settings.systems.values() if about.run is not None)
    without = tuple(run for run in every if run not in there)
    left_out = (note.text for note in judged.notices_for((), (settings.name,)) if note.code == LEARNED_FROM.code)
    doubts = (note.text for note in ranks.notes if note.code == MISFIT.code)
    of_judge = (*replace(said, gone=0).notes, *left_out, *doubts)
    return Choice(tuple(found), ranks, settings.alpha, without, of_judge)


def candidates_of(study: Study, which: WhichCheckpoint) -> Mapping[str, Checkpoint]:
    """One checkpoint of each run that has outputs, by the name of the system.

    Raises:
        UsageError: there are fewer than two such runs, or nothing tells which checkpoint of one is the last.
    """
    with_outputs = set() if study.outputs is None else set(study.outputs["system"])
    runs: dict[str, list[Checkpoint]] = {}
    for name, about in study.settings.systems.items():
        if about.run is not None:
            runs.setdefault(about.run, []).append(Checkpoint(name, about))
    found = [_of_run(of, with_outputs, which) for of in runs.values() if any(one.system in with_outputs for one in of)]
    if len(found) < 2:
        raise UsageError(
            f"a choice takes two runs with outputs, and the study has {len(found) or 'none'}: give systems of at least "
            "two trainings a run in study.toml"
        )
    return {one.system: one for one in found}


def _of_run(checkpoints: Sequence[Checkpoint], with_outputs: AbstractSet[str], which: WhichCheckpoint) -> Checkpoint:
    """That with outputs which is asked for, or comes nearest to it."""
    there = [one for one in checkpoints if one.system in with_outputs]
    known, known_there = ([one for one in of if one.about.dev_loss is not None] for of in (checkpoints, there))
    if which == "lowest-loss" and known:
        wanted, found = _lowest(known), _lowest(known_there) if known_there else _last(there)
    else:
        wanted, found = _last(checkpoints), _last(there)
    lowest = _lowest(known).about.dev_loss if known else None
    notes = tuple(_how_taken(found, wanted, which, len(known), len(checkpoints)))
    return replace(found, lowest_loss=lowest, notes=notes)


def _how_taken(found: Checkpoint, wanted: Checkpoint, which: WhichCheckpoint, with_loss: int, of: int) -> Iterator[str]:
    """What is to be known of a checkpoint that stands for its run of so many, of which so many have a dev loss."""
    run, by_loss = found.run, which == "lowest-loss" and with_loss > 0
    if found is not wanted:
        what = "the checkpoint with the lowest dev loss" if by_loss else "the last checkpoint"
        yield f"{wanted.system}, {what} of {run}, has no outputs: {found.system} stands for the run."
    elif by_loss and with_loss < of:
        has = "has" if with_loss == 1 else "have"
        yield f"Of {of} checkpoints of {run} {with_loss} {has} a dev loss; {found.system} has the lowest."
    elif which == "lowest-loss" and not with_loss and of > 1:
        yield f"{run} has no dev loss: its last checkpoint, {found.system}, stands for it."


def _lowest(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """By dev loss; the first of several, as a training that looks at it takes."""
    return min(checkpoints, key=lambda one: (one.about.dev_loss, one.about.step or 0, one.system))


def _last(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
    """By step. Raise UsageError where one of several has none."""
    if len(checkpoints) == 1:
        return checkpoints[0]
    for one in checkpoints:
        if one.about.step is None:
            raise UsageError(
                f"nothing tells which checkpoint of {one.run} is the last: give {one.system} its step in study.toml"
            )
    return max(checkpoints, key=lambda one: (one.about.step or 0, one.system))


def _said_by(judge: str, study: Study) -> Study:
    """The study with the answers of this judge on no criterion, which were asked for, about outputs that are there: an
    answer of before says nothing of what is gone.
    """
    outputs, said = study.outputs, study.judge_preferences
    if outputs is None or said is None:
        return study
    said = said.filter((pl.col("judge") == judge) & pl.col("criterion").is_null())
    for side in ("a", "b"):
        on = ["item", f"system_{side}", f"sample_{side}"]
        keys = outputs.select("item", pl.col("system").alias(on[1]), pl.col("sample").alias(on[2])).unique()
        said = said.join(keys, on=on, how="semi", nulls_equal=True)
    return replace(study, judge_preferences=said, with_repeats={})
