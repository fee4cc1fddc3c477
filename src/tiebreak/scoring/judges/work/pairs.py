"""Comparisons of two outputs of an item."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.settings import JudgingSettings
from tiebreak.scoring.judges.work.drawing import first_goes_left, in_random_order
from tiebreak.scoring.judges.work.labelled import labelled_pairs
from tiebreak.scoring.judges.work.question import Question, Row, Work
from tiebreak.scoring.judges.work.texts import Output, StudyTexts, texts_of

Pair = tuple[str, str]
Key = tuple[str | None, ...]


def pair_work(study: Study, judge: Judge, settings: JudgingSettings, known: frozenset[Key]) -> Work:
    """All comparisons that are asked for; `known`: keys (`pair_key`) of rows that the study has already.

    Raises:
        UsageError: an unknown system, or nothing to compare.
        InputError: the study has no outputs.
    """
    texts = texts_of(study)
    questions: list[Question] = []
    identical: list[Row] = []
    units = had = 0
    for item, pair, outputs in _comparisons(study, judge, settings, texts):
        units += 1
        row = _row(item, pair, outputs, judge)
        if outputs[0].text == outputs[1].text:
            if pair_key(row | {"left": None}) in known:
                had += 1
            else:
                identical.append(row | {"left": None})
            continue
        for turned in _orders(judge, settings, item, pair, outputs):
            one, other = (1, 0) if turned else (0, 1)
            shown = row | {"left": pair[one]}
            if pair_key(shown) in known:
                had += 1
                continue
            first, second = outputs[one].text, outputs[other].text
            about = texts.shown.get(item, {})
            questions.append(Question(shown, (*about.items(), ("first", first), ("second", second))))
    return Work(questions, identical, had, units)


def pair_key(row: Row) -> Key:
    """What tells a row of judge preferences from others of the same judge."""
    names = ("item", "system_a", "system_b", "sample_a", "sample_b", "left")
    return tuple(row[name] for name in names)


def pairs_asked(systems: Sequence[str], settings: JudgingSettings) -> list[Pair]:
    """The pairs of systems that are asked for, each in alphabetical order.

    Raises:
        UsageError: an unknown system, or no pair is left.
    """
    for pair in settings.only_pairs:
        check_known("system", pair, systems)
        if pair[0] == pair[1]:
            raise UsageError(f"--pair {pair[0]},{pair[1]}: name two different systems")
    chosen = systems if settings.systems is None else settings.systems
    check_known("system", chosen, systems)
    if settings.baseline is not None:
        check_known("system", (settings.baseline,), systems)
    asked = {(min(pair), max(pair)) for pair in settings.only_pairs}
    found = [
        pair
        for pair in itertools.combinations(sorted(set(chosen)), 2)
        if (not asked or pair in asked) and (settings.baseline is None or settings.baseline in pair)
    ]
    if not found:
        raise UsageError("no pair of systems is left to compare: name others by --systems, --baseline and --pair")
    return found


def _comparisons(
    study: Study, judge: Judge, settings: JudgingSettings, texts: StudyTexts
) -> Iterator[tuple[str, Pair, tuple[Output, Output]]]:
    """Items with two outputs each; of several samples, the first is compared with the first, and so on."""
    pairs = pairs_asked(texts.systems, settings)
    labelled = labelled_pairs(study, judge.settings.criterion) if settings.unlabelled else frozenset()
    items = list(texts.outputs)
    if settings.number_of_items is not None:
        there = [item for item in items if any(set(pair) <= texts.outputs[item].keys() for pair in pairs)]
        items = in_random_order(there, settings.seed)[: settings.number_of_items]
    for item in items:
        outputs = texts.outputs[item]
        for pair in pairs:
            if set(pair) <= outputs.keys() and (item, *pair) not in labelled:
                for both in zip(outputs[pair[0]], outputs[pair[1]], strict=False):
                    yield item, pair, both


def _row(item: str, pair: Pair, outputs: tuple[Output, Output], judge: Judge) -> dict[str, str | None]:
    return {
        "item": item,
        "system_a": pair[0],
        "system_b": pair[1],
        "judge": judge.name,
        "criterion": judge.settings.criterion,
        "sample_a": outputs[0].sample,
        "sample_b": outputs[1].sample,
    }


def _orders(
    judge: Judge, settings: JudgingSettings, item: str, pair: Pair, outputs: tuple[Output, Output]
) -> tuple[bool, ...]:
    """Whether the two are turned round, for each time that they are shown."""
    if judge.settings.orders == "both":
        return (False, True)
    names = (item, *pair, outputs[0].sample or "", outputs[1].sample or "")
    return (not first_goes_left(settings.seed, *names),)
