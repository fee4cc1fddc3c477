"""What there is to ask: comparisons of two outputs, or grades of single ones, less what is known already.

What is left to chance is drawn from a seed and names: it is the same for the same names, whatever else a study holds.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError, check_known
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.settings import JudgingSettings

Row = Mapping[str, str | None]
"""Columns of a table without what the judge is to say."""


@dataclass(frozen=True, slots=True)
class Question:
    """`row`: what it is about; `texts`: what is shown, by placeholder."""

    row: Row
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Work:
    """`questions` to ask; `identical`: rows of comparisons of the same text, which are ties without a question;
    `known`: answers that the study has already; `units`: comparisons, or outputs, that all of this is about.
    """

    questions: Sequence[Question] = ()
    identical: Sequence[Row] = ()
    known: int = 0
    units: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """A text, and the sample that it is."""

    text: str
    sample: str | None


@dataclass(frozen=True, slots=True)
class StudyTexts:
    """`shown` by item: what its input, context and reference are, where it has them; `outputs` by item and system, in
    the order of their samples.
    """

    shown: Mapping[str, Mapping[str, str]]
    outputs: Mapping[str, Mapping[str, Sequence[Output]]]

    @property
    def systems(self) -> tuple[str, ...]:
        """Those that have outputs, sorted."""
        return tuple(sorted(set().union(*self.outputs.values())))


def texts_of(study: Study) -> StudyTexts:
    """The texts of a study.

    Raises:
        InputError: it has no outputs, which are what a judge reads.
    """
    if study.outputs is None:
        message = "has no outputs (item, system, text), which are what a judge reads"
        raise InputError([Problem(str(study.path or study.name), message)])
    outputs: dict[str, dict[str, list[Output]]] = {}
    rows = study.outputs.sort("sample", maintain_order=True, nulls_last=False).select(
        "item", "system", "sample", "text"
    )
    for item, system, sample, text in rows.iter_rows():
        outputs.setdefault(item, {}).setdefault(system, []).append(Output(text or "", sample))
    return StudyTexts(_shown(study.items), outputs)


def _shown(items: pl.DataFrame | None) -> dict[str, dict[str, str]]:
    if items is None:
        return {}
    columns = [name for name in ("input", "context", "reference", "references") if name in items.columns]
    found: dict[str, dict[str, str]] = {}
    for row in items.select("item", *columns).iter_rows(named=True):
        texts = {name: row[name] for name in ("input", "context") if (row.get(name) or "").strip()}
        reference = _reference(row.get("reference")) or _reference(row.get("references"))
        found[row["item"]] = texts | ({"reference": reference} if reference else {})
    return found


def _reference(value: object) -> str:
    """One text of a reference: several below one another."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return "\n\n".join(str(text) for text in value if text is not None and str(text).strip())
    return "" if value is None else str(value).strip()


def drawn(seed: int, *names: str) -> bytes:
    """Random bytes that belong to these names."""
    return hashlib.sha256("\0".join((str(seed), *names)).encode("utf-8", "surrogatepass")).digest()


def in_random_order(items: Iterable[str], seed: int) -> list[str]:
    """The items in a random order in which more of them leave the places of the others as they are."""
    return sorted(items, key=lambda item: drawn(seed, item))


def first_goes_left(seed: int, *names: str) -> bool:
    """Whether the first of two outputs is shown first: half of the time."""
    return drawn(seed, *names)[0] % 2 == 0


def labelled_pairs(study: Study, criterion: str | None) -> frozenset[tuple[str, str, str]]:
    """Item and pair of systems, in alphabetical order, with a preference or with ratings of both outputs."""
    found: set[tuple[str, str, str]] = set()
    if study.preferences is not None:
        rows = _serving(study.preferences, criterion).select("item", "system_a", "system_b").unique()
        found |= {(item, min(a, b), max(a, b)) for item, a, b in rows.iter_rows()}
    if study.ratings is not None:
        rated = _serving(study.ratings, criterion).select("item", "system").unique()
        both = rated.join(rated, on="item", suffix="_b").filter(pl.col("system") < pl.col("system_b"))
        found |= set(both.select("item", "system", "system_b").iter_rows())
    return frozenset(found)


def rated_outputs(study: Study, criterion: str | None) -> frozenset[tuple[str, str]]:
    """Item and system with a rating."""
    if study.ratings is None:
        return frozenset()
    return frozenset(_serving(study.ratings, criterion).select("item", "system").unique().iter_rows())


def _serving(labels: pl.DataFrame, criterion: str | None) -> pl.DataFrame:
    """Labels on a criterion; those on any where a judge has none."""
    return labels if criterion is None else labels.filter(pl.col("criterion") == criterion)


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
