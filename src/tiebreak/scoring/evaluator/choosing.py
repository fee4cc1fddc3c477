"""The best of several trainings, by what a trained evaluator says of their outputs (learning-to-compare, 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.data.system_settings import Scalar, SystemSettings
from tiebreak.errors import UsageError
from tiebreak.ranking.rank import rank_with
from tiebreak.results.numbers import some_names
from tiebreak.results.ranking.records import CriterionRanks, RankedSystem
from tiebreak.results.ranking.settings import JUDGE_PREFIX, RankSettings
from tiebreak.scoring.evaluator.choosing_settings import ChoosingSettings, WhichCheckpoint
from tiebreak.scoring.evaluator.judging import Report, judge_into
from tiebreak.scoring.evaluator.judging_settings import JudgingSettings


@dataclass(frozen=True, slots=True)
class Candidate:
    """A training: the checkpoint that stands for its `run`, and how this was rated."""

    run: str
    about: SystemSettings
    ranked: RankedSystem

    @property
    def win_rate(self) -> float:
        """Share of its comparisons that it won; a tie counts half."""
        return (self.ranked.wins + self.ranked.ties / 2) / (self.ranked.wins + self.ranked.ties + self.ranked.losses)

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "run": self.run,
            "settings": dict(self.about.settings),
            "dev_loss": self.about.dev_loss,
            "win_rate": self.win_rate,
            **self.ranked.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """`candidates`, best first; `ranks`: the leaderboard that they come from; `alpha`: its error rate."""

    candidates: tuple[Candidate, ...]
    ranks: CriterionRanks
    alpha: float

    @property
    def best(self) -> Candidate:
        """That with the highest rating."""
        return self.candidates[0]

    @property
    def may_be_best(self) -> tuple[Candidate, ...]:
        """The others that may be the best as well: their range of places holds the first."""
        return tuple(one for one in self.candidates[1:] if one.ranked.rank_low == 1)

    @property
    def by_loss(self) -> Candidate | None:
        """That with the lowest dev loss; None where not all have one."""
        losses = [one.about.dev_loss for one in self.candidates]
        known = [loss for loss in losses if loss is not None]
        return self.candidates[losses.index(min(known))] if len(known) == len(losses) else None

    @property
    def differing(self) -> tuple[str, ...]:
        """Names of the settings that are not the same in all runs."""
        names = dict.fromkeys(name for one in self.candidates for name in one.about.settings)
        return tuple(name for name in names if len({repr(self._value(one, name)) for one in self.candidates}) > 1)

    def values_of(self, one: Candidate) -> dict[str, Scalar | None]:
        """The settings in which the runs differ."""
        return {name: self._value(one, name) for name in self.differing}

    @staticmethod
    def _value(one: Candidate, name: str) -> Scalar | None:
        return one.about.settings.get(name)

    def to_dict(self) -> dict[str, object]:
        """JSON-ready."""
        return {
            "best": self.best.run,
            "may_be_best": [one.run for one in self.may_be_best],
            "best_by_dev_loss": None if self.by_loss is None else self.by_loss.run,
            "alpha": self.alpha,
            "items": self.ranks.items,
            "candidates": [one.to_dict() for one in self.candidates],
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
    judge_into(study, folder, JudgingSettings(name=settings.name, systems=systems), overwrite=overwrite, report=report)
    judged = read_study(study.path) if study.path is not None else study
    asked = RankSettings(sources=(JUDGE_PREFIX + settings.name,), systems=systems, alpha=settings.alpha)
    (ranks,) = rank_with(judged, asked).results
    rated = {one.system for one in ranks.davidson.systems}
    apart = [about.run or name for name, about in chosen.items() if name not in rated]
    if apart:
        raise UsageError(
            f"{some_names(apart)} cannot be compared: no item in common with the other runs; let all write for the "
            "same inputs, or leave out of study.toml those that did not"
        )
    found = [Candidate(chosen[one.system].run or one.system, chosen[one.system], one) for one in ranks.davidson.systems]
    return Choice(tuple(found), ranks, settings.alpha)


def candidates_of(study: Study, which: WhichCheckpoint) -> Mapping[str, SystemSettings]:
    """One checkpoint of each run that has outputs, by the name of the system.

    Raises:
        UsageError: there are fewer than two such runs.
    """
    with_outputs = set() if study.outputs is None else set(study.outputs["system"])
    runs: dict[str, list[tuple[str, SystemSettings]]] = {}
    for name, about in study.settings.systems.items():
        if about.run is not None and name in with_outputs:
            runs.setdefault(about.run, []).append((name, about))
    if len(runs) < 2:
        raise UsageError(
            f"a choice takes two runs with outputs, and the study has {len(runs) or 'none'}: give systems of at least "
            "two trainings a run in study.toml"
        )
    return dict(_of_run(checkpoints, which) for checkpoints in runs.values())


def _of_run(checkpoints: list[tuple[str, SystemSettings]], which: WhichCheckpoint) -> tuple[str, SystemSettings]:
    in_order = sorted(checkpoints, key=lambda one: (one[1].step or 0, one[0]))
    losses = [about.dev_loss for _, about in in_order]
    known = [loss for loss in losses if loss is not None]
    if which == "last" or len(known) < len(losses):
        return in_order[-1]
    return in_order[losses.index(min(known))]
