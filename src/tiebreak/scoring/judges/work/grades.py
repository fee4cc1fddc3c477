"""Outputs to grade one by one."""

from __future__ import annotations

from collections.abc import Sequence

from tiebreak.data.study import Study
from tiebreak.errors import check_known
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.settings import JudgingSettings
from tiebreak.scoring.judges.work.drawing import in_random_order
from tiebreak.scoring.judges.work.labelled import rated_outputs
from tiebreak.scoring.judges.work.pairs import Key, pairs_asked
from tiebreak.scoring.judges.work.question import Question, Row, Work
from tiebreak.scoring.judges.work.texts import texts_of


def grade_work(study: Study, judge: Judge, settings: JudgingSettings, known: frozenset[Key]) -> Work:
    """All outputs that are asked for; `known`: keys (`grade_key`) of scores that the study has already.

    Raises:
        UsageError: an unknown system, or no output is left.
        InputError: the study has no outputs.
    """
    texts = texts_of(study)
    systems = _systems(texts.systems, settings)
    rated = rated_outputs(study, judge.settings.criterion) if settings.unlabelled else frozenset()
    items = list(texts.outputs)
    if settings.number_of_items is not None:
        there = [item for item in items if any(system in texts.outputs[item] for system in systems)]
        items = in_random_order(there, settings.seed)[: settings.number_of_items]
    questions, units, had = list[Question](), 0, 0
    for item in items:
        for system in systems:
            for output in texts.outputs[item].get(system, ()) if (item, system) not in rated else ():
                units += 1
                row = {
                    "item": item,
                    "system": system,
                    "metric": judge.name,
                    "criterion": judge.settings.criterion,
                    "sample": output.sample,
                }
                if grade_key(row) in known:
                    had += 1
                    continue
                shown = texts.shown.get(item, {})
                questions.append(Question(row, (*shown.items(), ("output", output.text))))
    return Work(questions, (), had, units)


def _systems(known: Sequence[str], settings: JudgingSettings) -> Sequence[str]:
    """Those named; with a baseline or pairs, those of the pairs."""
    if settings.baseline is not None or settings.only_pairs:
        return sorted({name for pair in pairs_asked(known, settings) for name in pair})
    check_known("system", settings.systems or (), known)
    return known if settings.systems is None else sorted(set(settings.systems))


def grade_key(row: Row) -> Key:
    """What tells a score from others of the same judge."""
    return tuple(row[name] for name in ("item", "system", "sample"))
