"""Scores the outputs of a study by an evaluator, and writes them into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tiebreak.data.columns import completed
from tiebreak.data.study import Study
from tiebreak.data.trained_on import contexts_of
from tiebreak.scoring.evaluator.folds import trained_for
from tiebreak.scoring.evaluator.scores.by_comparison import Floats, Panel, SystemRatings, system_ratings
from tiebreak.scoring.evaluator.scores.outcomes import Outcomes, Report
from tiebreak.scoring.evaluator.scores.samples import Sample, digest, references_of, samples_of
from tiebreak.scoring.evaluator.scores.settings import SampleSettings
from tiebreak.scoring.evaluator.scores.writing import add_scores, refuse_others
from tiebreak.scoring.evaluator.training.kept import Evaluator, load_evaluator
from tiebreak.scoring.evaluator.training.run import evaluators_in


@dataclass(frozen=True, slots=True)
class SystemScore:
    """A system by its mean scores (by metric), and by its own rating, which has a deviation; None where there is none
    (no tournament, or no item in common with another system).
    """

    system: str
    outputs: int
    means: Mapping[str, float]
    rating: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True)
class Scored:
    """`scores`: rows of the table. `systems`: best first, by their own rating, else by the first metric. `comparisons`:
    how many it took, by metric, and of `systems`. `converged`: the order of systems stood still. `notes`: what was not
    read of the texts.
    """

    scores: pl.DataFrame
    metrics: tuple[str, ...]
    systems: tuple[SystemScore, ...]
    references: int
    comparisons: Mapping[str, int]
    converged: bool | None
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, object]:
        """The numbers, JSON-ready."""
        return {
            "metrics": list(self.metrics), "outputs": self.scores.height // len(self.metrics),
            "references": self.references, "comparisons": dict(self.comparisons), "converged": self.converged,
            "notes": list(self.notes),
            "systems": [asdict(one) for one in self.systems],
        }  # fmt: skip


def score_into(
    study: Study, folder: Path, settings: SampleSettings, *, overwrite: bool = False, report: Report | None = None
) -> Scored:
    """Scores what is asked for, and writes it into the study's folder.

    Raises:
        UsageError: nothing to score, or no common references; scores by these names that came about otherwise.
        InputError: the folder has no evaluator, or a damaged one.
    """
    evaluators = [load_evaluator(place) for place in evaluators_in(folder)]
    return _by_comparison(study, evaluators, settings, overwrite, report or (lambda _: None))


def _by_comparison(
    study: Study, evaluators: Sequence[Evaluator], settings: SampleSettings, overwrite: bool, report: Report
) -> Scored:
    samples = samples_of(study, settings)
    references = () if settings.by == "rating" else references_of(study, settings, samples)
    chosen = trained_for(study, list(dict.fromkeys(one.item for one in samples)), evaluators)
    of = np.array([chosen[one.item] for one in samples], dtype=np.intp)
    name = settings.name or "evaluator"
    games = len(samples) * settings.references if settings.equal_comparisons else settings.games
    kinds = {
        f"{name}-points": f"points|references:{len(references)}|drawn:{digest(references)}",
        f"{name}-rating": f"rating|games:{games}|seed:{settings.seed}|beside:{digest(samples)}",
    }
    wanted = {metric: kind for metric, kind in kinds.items() if settings.by in ("both", metric.rpartition("-")[2])}
    signatures = {metric: [f"{one.signature}|{kind}" for one in evaluators] for metric, kind in wanted.items()}
    if not overwrite:
        for metric, mine in signatures.items():
            refuse_others(study, metric, settings.criterion, mine)

    contexts = contexts_of(study.items)
    players = [*samples, *references]
    panel = Panel(samples, references, of, [Outcomes(one, players, contexts, report) for one in evaluators])
    values: dict[str, Floats] = {}
    comparisons: dict[str, int] = {}
    for metric in wanted:
        if metric.endswith("-points"):
            values[metric], comparisons[metric] = panel.points(), len(samples) * len(references)
        else:
            values[metric], comparisons[metric] = panel.ratings(games, settings.seed)
    rated = system_ratings(panel, settings.system_games, settings.seed)
    comparisons["systems"] = rated.games

    rows = [
        _rows(samples, metric, settings.criterion, found, [signatures[metric][number] for number in of])
        for metric, found in values.items()
    ]
    meanings = {
        signature: one.meaning | {"scores": kind}
        for metric, kind in wanted.items()
        for one, signature in zip(evaluators, signatures[metric], strict=True)
    }
    scores = pl.concat(rows)
    add_scores(study, scores, meanings, overwrite=overwrite)
    return Scored(
        scores, tuple(wanted), _systems(samples, values, rated), len(references), comparisons,
        rated.converged if rated.skills else None, panel.outcomes[0].lost.notes(),
    )  # fmt: skip


def _rows(
    samples: Sequence[Sample], metric: str, criterion: str | None, values: Floats, signatures: Sequence[str]
) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "item": [one.item for one in samples],
            "system": [one.system for one in samples],
            "metric": [metric] * len(samples),
            "value": values,
            "criterion": [criterion] * len(samples),
            "sample": [one.sample for one in samples],
            "signature": signatures,
        },
        schema_overrides={"criterion": pl.String, "sample": pl.String},
    )
    return completed(frame, "scores")


def _systems(samples: Sequence[Sample], values: Mapping[str, Floats], rated: SystemRatings) -> tuple[SystemScore, ...]:
    of = np.array([one.system for one in samples])
    found = []
    for system in sorted(set(of.tolist())):
        mine, skill = of == system, rated.skills.get(system)
        means = {metric: float(scores[mine].mean()) for metric, scores in values.items()}
        ends = (None, None) if skill is None else (skill.rating, skill.deviation)
        found.append(SystemScore(system, int(mine.sum()), means, *ends))
    first = next(iter(values))
    return tuple(
        sorted(found, key=lambda one: (one.rating is None, -(one.rating or 0.0), -one.means[first], one.system))
    )
