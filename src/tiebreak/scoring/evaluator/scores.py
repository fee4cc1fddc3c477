"""Scores the outputs of a study by what was trained, and writes them into it, beside those that it has."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from tiebreak.data.columns import completed
from tiebreak.data.provenance import Meaning, contexts_of, texts_read
from tiebreak.data.study import Study
from tiebreak.data.writers import add_directions
from tiebreak.errors import TiebreakError, UsageError, check_known
from tiebreak.kernels.glicko2 import Skill
from tiebreak.numbers import counted, some_names
from tiebreak.scoring.evaluator.examples.corpus import Corpus
from tiebreak.scoring.evaluator.examples.rows import Floats, Places
from tiebreak.scoring.evaluator.models.encoders import Lost
from tiebreak.scoring.evaluator.panel import Outcomes, Panel, Report, Sample, TournamentRatings, system_ratings
from tiebreak.scoring.evaluator.settings import COMPARISONS, SampleSettings
from tiebreak.scoring.evaluator.training.kept import Trained, evaluators_in, load_trained, trained_for
from tiebreak.scoring.writing import ANOTHER_NAME, of_judge, refuse_others, write_rows
from tiebreak.settings.checks import refuse_given

_OUTPUTS_AT_ONCE: Final = 256
_SCHEMA: Final = dict.fromkeys(("item", "system", "criterion", "sample", "texts", "metric"), pl.String()) | {
    "value": pl.Float64(),
    "signature": pl.String(),
}
_KEY: Final = ("item", "system", "sample", "metric", "criterion")


def _refuse_other_scores(study: Study, metric: str, criterion: str | None, signatures: Collection[str]) -> None:
    """Raise UsageError where the study has scores of this name on the criterion with another signature, or none."""
    every = study.tables_as_read.get("scores")
    if every is not None:
        refuse_others(of_judge(every, metric, criterion), "score", f"called {metric}", signatures, ANOTHER_NAME)


def add_scores(study: Study, new: pl.DataFrame, meanings: Mapping[str, Meaning], *, overwrite: bool = False) -> None:
    """Rows of `scores` in place of those about the same; `overwrite`: of all by these metrics on these criteria.
    Whatever was added to the study since it was read stays.

    That more is better is written first, then what signatures stand for: no score is ever there without them.

    Raises:
        UsageError: by now the study has scores of such a name and criterion with another signature, or none.
        TiebreakError: the study lies in no folder, or cannot be written.
    """
    if study.path is None:
        raise TiebreakError("scores are written into a study folder, and this study lies in none")
    add_directions(study.path, dict.fromkeys(new["metric"].unique(maintain_order=True), True))

    def replaced(now: Study, rows: pl.DataFrame) -> pl.DataFrame:
        if not overwrite:  # somebody else may have scored since the study was read
            for metric, criterion in new.select("metric", "criterion").unique(maintain_order=True).iter_rows():
                _refuse_other_scores(now, metric, criterion, meanings)
        key = ("metric", "criterion") if overwrite else _KEY
        return rows.join(new.select(key).unique(), on=key, how="semi", nulls_equal=True)

    write_rows(study.path, "scores", new, meanings, replaced)


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
    how many it took, by metric, and of `systems`. `converged`: the order of systems stood still. `notes`: what speaks
    against the evaluator, and what was not read of the texts.
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
    study: Study,
    folder: Path,
    settings: SampleSettings,
    *,
    given: Collection[str] = (),
    overwrite: bool = False,
    report: Report | None = None,
    check: Callable[[Collection[str]], None] | None = None,
) -> Scored:
    """Scores what is asked for, and writes it into the study's folder.

    `given`: names of settings that somebody gave, be it with their default: those of comparisons are refused where
    outputs are scored alone. `report` is told of comparisons, or of outputs that are scored alone; `check`, which may
    refuse them, of the names of the metrics before anything is scored.

    Raises:
        UsageError: nothing to score, or no common references; scores by these names that came about otherwise; settings
            of comparisons for a discriminator or regressor.
        InputError: the folder has no evaluator, or a damaged one.
    """
    trained = [load_trained(place) for place in evaluators_in(folder)]
    compares, form = trained[0].compares, trained[0].model.form
    if not compares:
        refuse_given(settings, COMPARISONS, f"cannot be given for a {form}: it scores each output alone", given)
    samples = _samples_of(study, settings)
    by_item = trained_for(study, list(dict.fromkeys(sample.item for sample in samples)), trained)
    chosen = np.array([by_item[sample.item] for sample in samples], dtype=np.intp)
    contexts, told = contexts_of(study.items), report or (lambda _: None)
    references = _references_of(study, settings, samples, given) if compares and settings.by != "rating" else ()
    kinds = _compared_kinds(settings, samples, references, contexts) if compares else {settings.name or form: "alone"}
    if check is not None:
        check(kinds)
    signatures = {metric: [f"{one.signature}|{kind}" for one in trained] for metric, kind in kinds.items()}
    if not overwrite:
        for metric, mine in signatures.items():
            _refuse_other_scores(study, metric, settings.criterion, mine)
    rated = TournamentRatings({}, 0, converged=False)
    if compares:
        outcomes = [Outcomes(one, [*samples, *references], contexts, told) for one in trained]
        panel = Panel(samples, references, chosen, outcomes)
        rated = system_ratings(panel, settings.system_games, settings.seed)
        values, comparisons = _compared_values(panel, kinds, rated, settings)
        doubts = dict.fromkeys(doubt for one in trained for doubt in one.doubts)
        notes = [*doubts, *_of_references(settings, len(references)), *panel.outcomes[0].lost.notes()]
    else:
        scores_of, lost = _scores_alone(study, trained, samples, chosen, told)
        values, comparisons, notes = dict.fromkeys(kinds, scores_of), {}, lost.notes()
    scores = _frame(samples, settings, contexts, values, signatures, chosen)
    meanings = {
        signature: one.meaning | {"scores": kind}
        for metric, kind in kinds.items()
        for one, signature in zip(trained, signatures[metric], strict=True)
    }
    add_scores(study, scores, meanings, overwrite=overwrite)
    converged = rated.converged if rated.skills else None
    systems = _systems(samples, values, rated.skills)
    return Scored(scores, tuple(kinds), systems, len(references), comparisons, converged, notes)


def _samples_of(study: Study, settings: SampleSettings) -> tuple[Sample, ...]:
    """The outputs to score, in the order of items, systems and samples.

    Raises:
        UsageError: the study has no outputs, or none by these systems; a system that it does not know.
    """
    for names in (settings.systems, settings.references_from):
        check_known("system", names or (), study.systems)
    others = [name for name in study.systems if name not in (settings.references_from or ())]
    found = _by(study, settings.systems or others)
    if not found:
        raise UsageError("there is nothing to score: no item has an output by these systems")
    return found


def _references_of(
    study: Study, settings: SampleSettings, scored: Sequence[Sample], given: Collection[str] = ()
) -> tuple[Sample, ...]:
    """Common references: outputs of systems that are not scored, drawn by the seed (learning-to-compare, 4.2).

    What people wrote is none of them, even where study.toml calls it a system. `given`: settings that somebody gave;
    where nobody asked for points, there may be none, and where nobody said how many, fewer.

    Raises:
        UsageError: no system is left for them, one of them is people's, or they have too few outputs.
    """
    about = study.settings.systems
    people = [name for name in settings.references_from or () if name in about and about[name].reference]
    if people:
        raise UsageError(
            f"{people[0]} is what people wrote (reference = true in study.toml), but common references are outputs of "
            "systems: leave it out of --references-from"
        )
    mine = {one.system for one in scored}
    others = [name for name in study.systems if name not in mine and not (name in about and about[name].reference)]
    found = _by(study, settings.references_from or others)
    if not found and settings.by == "both" and "by" not in given:
        return ()
    if not found:
        raise UsageError(
            "points need outputs of systems that are not scored as common references, and none is left: name such "
            "systems with --references-from, or those to score with --systems, or take --by rating"
        )
    count = settings.references if "references" in given else min(settings.references, len(found))
    if len(found) < count:
        raise UsageError(
            f"there are {len(found):,} outputs to draw {count:,} common references from: take --references "
            f"{len(found)}, or more systems with --references-from"
        )
    chosen = np.random.default_rng([settings.seed, 0]).choice(len(found), count, replace=False)
    return tuple(found[number] for number in np.sort(chosen))


def _digest(samples: Sequence[Sample], contexts: Mapping[str, str]) -> str:
    """16 hex digits of outputs and of what they are about: scores against others are those scores only beside the same
    others.
    """
    sha = hashlib.sha256()
    for one in samples:
        said = (one.item, contexts.get(one.item, ""), one.system, one.sample or "", one.text, "")
        sha.update("\0".join(said).encode("utf-8", "replace"))
    return sha.hexdigest()[:16]


def _by(study: Study, systems: Sequence[str]) -> tuple[Sample, ...]:
    if study.outputs is None:
        raise UsageError("outputs are scored, and the study has none")
    rows = study.outputs.filter(pl.col("system").is_in(list(systems))).sort("item", "system", "sample")
    return tuple(Sample(*row) for row in rows.select("item", "system", "sample", "text").iter_rows())


def _scores_alone(
    study: Study, trained: Sequence[Trained], samples: Sequence[Sample], chosen: Places, report: Report
) -> tuple[Floats, Lost]:
    """The score (n,) of each output, by the one of `trained` whose number is `chosen` (n,); and what was not read.

    Equal outputs of one system for one input are read once.
    """
    corpus = Corpus.of([study])
    numbers = corpus.numbers_in(0, study)
    texts = np.array([numbers[sample.item, sample.system, sample.sample] for sample in samples], dtype=np.intp)
    scores, lost = np.empty(texts.size), []
    for number in np.unique(chosen):
        mine, model = np.flatnonzero(chosen == number), trained[number].model
        tokens = trained[number].read(corpus.texts, corpus.contexts, corpus.reference)
        read = np.unique(texts[mine])
        lost.append(Lost.of(model.always_read(tokens), corpus.texts, corpus.contexts, tokens, corpus.context, read))
        for part in np.array_split(mine, -(-mine.size // _OUTPUTS_AT_ONCE)):
            asked, place = np.unique(texts[part], return_inverse=True)
            scores[part] = model.scores(tokens, corpus.context, asked)[place]
            report(part.size)
    return scores, reduce(or_, lost)


def _games(settings: SampleSettings, samples: Sequence[Sample], references: Sequence[Sample]) -> int:
    """Of the rating of each output."""
    return len(samples) * (len(references) or settings.references) if settings.equal_comparisons else settings.games


def _compared_kinds(
    settings: SampleSettings, samples: Sequence[Sample], references: Sequence[Sample], contexts: Mapping[str, str]
) -> dict[str, str]:
    """By metric, what its signature says of how comparisons made it."""
    name, beside = settings.name or "evaluator", _digest(samples, contexts)
    asked = "rating" if settings.by == "both" and not references else settings.by
    ways = {
        "points": f"points|references:{len(references)}|drawn:{_digest(references, contexts)}",
        "rating": f"rating|games:{_games(settings, samples, references)}|seed:{settings.seed}|beside:{beside}",
    }
    kinds = {f"{name}-{way}": kind for way, kind in ways.items() if asked in ("both", way)}
    if settings.save_tournament:
        kinds[f"{name}-tournament"] = f"tournament|games:{settings.system_games}|seed:{settings.seed}|beside:{beside}"
    return kinds


def _compared_values(
    panel: Panel, kinds: Collection[str], rated: TournamentRatings, settings: SampleSettings
) -> tuple[dict[str, Floats], dict[str, int]]:
    """The scores of the outputs by metric, and the comparisons that each took; those of systems among these."""
    values: dict[str, Floats] = {}
    comparisons: dict[str, int] = {}
    for metric in kinds:
        if metric.endswith("-points"):
            values[metric], comparisons[metric] = panel.points(), len(panel.samples) * len(panel.references)
        elif metric.endswith("-rating"):
            games = _games(settings, panel.samples, panel.references)
            values[metric], comparisons[metric] = panel.ratings(games, settings.seed)
        else:
            values[metric] = _tournament(panel.samples, rated.skills)
    return values, {**comparisons, "systems": rated.games}


def _tournament(samples: Sequence[Sample], skills: Mapping[str, Skill]) -> Floats:
    """The rating (n,) of the system of each output, by which systems can be compared as by any metric.

    Raises:
        UsageError: a system has none, since it has no item in common with another one.
    """
    without = sorted({sample.system for sample in samples} - set(skills))
    if without:
        raise UsageError(f"--save-tournament: {some_names(without)} has no item in common with another system")
    return np.array([skills[sample.system].rating for sample in samples])


def _of_references(settings: SampleSettings, count: int) -> list[str]:
    """What to say where there are fewer common references than usual."""
    if settings.by == "rating" or count >= settings.references:
        return []
    if not count:
        return [
            "No points: they need outputs of systems that are not scored; --references-from names such systems, or "
            "--systems those to score."
        ]
    return [f"Points are against {counted(count, 'common reference')}: there are no more outputs to draw from."]


def _frame(
    samples: Sequence[Sample], settings: SampleSettings, contexts: Mapping[str, str], values: Mapping[str, Floats],
    signatures: Mapping[str, Sequence[str]], chosen: Places,
) -> pl.DataFrame:  # fmt: skip
    """Rows of the table of scores: by metric the values (n,) of samples (n,), and the signatures of what was trained;
    `chosen` (n,): the number of that which scored each.
    """
    texts = [texts_read(contexts.get(sample.item, ""), (sample.text,)) for sample in samples]
    rows = [
        (sample.item, sample.system, settings.criterion, sample.sample, text, metric, score, signatures[metric][number])
        for metric, scores in values.items()
        for sample, text, score, number in zip(samples, texts, scores.tolist(), chosen.tolist(), strict=True)
    ]
    return completed(pl.DataFrame(rows, schema=_SCHEMA, orient="row"), "scores")


def _systems(
    samples: Sequence[Sample], values: Mapping[str, Floats], skills: Mapping[str, Skill]
) -> tuple[SystemScore, ...]:
    of = np.array([one.system for one in samples])
    found = []
    for system in sorted(set(of.tolist())):
        mine, skill = of == system, skills.get(system)
        means = {metric: float(scores[mine].mean()) for metric, scores in values.items()}
        ends = (None, None) if skill is None else (skill.rating, skill.deviation)
        found.append(SystemScore(system, int(mine.sum()), means, *ends))
    first = next(iter(values))
    return tuple(
        sorted(found, key=lambda one: (one.rating is None, -(one.rating or 0.0), -one.means[first], one.system))
    )
