"""What there is to ask of a judge, less what the study knows already, and the answers as rows of the study.

Questions are comparisons of two outputs, or grades of single ones. What is left to chance is drawn from a seed and
names: it is the same for the same names, whatever else a study holds. A signature is a short name of all that it takes
to ask again in the same way.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.columns import completed, one_way_round
from tiebreak.data.provenance import SPEAKERS, Meaning, read_signatures, reference_texts
from tiebreak.data.readers import read_study
from tiebreak.data.schema import NUMBERS, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem, UsageError, check_known
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.replies import Reply
from tiebreak.scoring.settings import JudgingSettings
from tiebreak.scoring.writing import of_judge, refuse_others, write_rows

Row = Mapping[str, str | None]
"""Columns of a table without what the judge is to say."""
Texts = tuple[tuple[str, str], ...]
"""What is shown, by placeholder."""
Pair = tuple[str, str]
Key = tuple[str | None, ...]
"""What tells an answer from others of the same judge: the columns `_KEYS` of its row."""

_KEYS: Final = {
    "judge_preferences": ("item", "system_a", "system_b", "sample_a", "sample_b", "left"),
    "scores": ("item", "system", "sample"),
}
_SIGNATURE_LENGTH: Final = 12


@dataclass(frozen=True, slots=True)
class Question:
    """`row`: what it is about; `texts`: what is shown."""

    row: Row
    texts: Texts


@dataclass(slots=True)
class Work:
    """`questions` to ask; `identical`: rows of comparisons of the same text, which are ties without a question;
    `known`: answers that the study has already; `units`: comparisons, or outputs, that all of this is about.
    """

    questions: list[Question] = field(default_factory=list)
    identical: list[Row] = field(default_factory=list)
    known: int = 0
    units: int = 0


@dataclass(frozen=True, slots=True)
class Output:
    """A text, and the sample that it is."""

    text: str
    sample: str | None


@dataclass(frozen=True, slots=True)
class StudyTexts:
    """`shown` by item: its input, context and reference, where it has them; `outputs` by item and system, in the order
    of their samples.
    """

    shown: Mapping[str, Texts]
    outputs: Mapping[str, Mapping[str, Sequence[Output]]]

    @classmethod
    def of(cls, study: Study) -> StudyTexts:
        """The texts of a study.

        Raises:
            InputError: it has no outputs, which are what a judge reads.
        """
        if study.outputs is None:
            message = "has no outputs (item, system, text), which are what a judge reads"
            raise InputError([Problem(str(study.path or study.name), message)])
        outputs: dict[str, dict[str, list[Output]]] = {}
        rows = study.outputs.sort("sample", maintain_order=True, nulls_last=False)
        for item, system, sample, text in rows.select("item", "system", "sample", "text").iter_rows():
            outputs.setdefault(item, {}).setdefault(system, []).append(Output(text or "", sample))
        return cls(_shown(study.items), outputs)

    @property
    def systems(self) -> tuple[str, ...]:
        """Those that have outputs, sorted."""
        return tuple(sorted(set().union(*self.outputs.values())))

    def items(self, settings: JudgingSettings, has: Callable[[Mapping[str, object]], bool]) -> list[str]:
        """Those to ask about; of the ones that have outputs to ask about, as many as are wanted, drawn by the seed, so
        that more of them leave the places of the others as they are.
        """
        if settings.number_of_items is None:
            return list(self.outputs)
        usable = [item for item, outputs in self.outputs.items() if has(outputs)]
        return sorted(usable, key=lambda item: _drawn(settings.seed, item))[: settings.number_of_items]


def _shown(items: pl.DataFrame | None) -> dict[str, Texts]:
    if items is None:
        return {}
    columns = [name for name in ("input", "context", "reference", "references") if name in items.columns]
    shown: dict[str, Texts] = {}
    for row in items.select("item", *columns).iter_rows(named=True):
        texts = {name: row[name] for name in ("input", "context") if (row.get(name) or "").strip()}
        references = reference_texts(row.get("reference")) or reference_texts(row.get("references"))
        shown[row["item"]] = (*texts.items(), *([("reference", "\n\n".join(references).strip())] if references else []))
    return shown


def _drawn(seed: int, *names: str) -> bytes:
    """Random bytes that belong to these names."""
    return hashlib.sha256("\0".join((str(seed), *names)).encode("utf-8", "surrogatepass")).digest()


def work_of(study: Study, judge: Judge, settings: JudgingSettings) -> Work:
    """What a judge is to be asked that the study does not know.

    Raises:
        UsageError: an unknown system, nothing to ask about, or answers of this name that were made otherwise.
        InputError: the study has no outputs.
    """
    known = _known_answers(study, judge, overwrite=settings.overwrite)
    work, table = Work(), table_of(judge)
    for rows in (_grades if judge.settings.grades else _comparisons)(study, judge, settings):
        work.units += 1
        for row, texts in rows:
            if tuple(row[name] for name in _KEYS[table]) in known:
                work.known += 1
            elif texts is None:
                work.identical.append(row)
            else:
                work.questions.append(Question(row, texts))
    return work


def _comparisons(study: Study, judge: Judge, settings: JudgingSettings) -> Iterator[list[tuple[Row, Texts | None]]]:
    """Of each comparison the rows to fill, one for each order in which the two are shown, with what is shown; None
    where the texts are the same. Of several samples, the first is compared with the first, and so on.
    """
    texts, criterion = StudyTexts.of(study), judge.settings.criterion
    pairs = pairs_asked(texts.systems, settings)
    labelled = _labelled_pairs(study, criterion) if settings.unlabelled else frozenset()
    for item in texts.items(settings, lambda outputs: any(set(pair) <= outputs.keys() for pair in pairs)):
        outputs = texts.outputs[item]
        for pair in pairs:
            if not set(pair) <= outputs.keys() or (item, *pair) in labelled:
                continue
            for both in zip(outputs[pair[0]], outputs[pair[1]], strict=False):
                row = {"item": item, "system_a": pair[0], "system_b": pair[1], "judge": judge.name,
                       "criterion": criterion, "sample_a": both[0].sample, "sample_b": both[1].sample}  # fmt: skip
                if both[0].text == both[1].text:
                    yield [(row | {"left": None}, None)]
                    continue
                samples = (output.sample or "" for output in both)
                first = _drawn(settings.seed, item, *pair, *samples)[0] % 2  # each is shown first half of the time
                orders = (0, 1) if judge.settings.orders == "both" else (first,)
                shown = texts.shown.get(item, ())
                yield [
                    (row | {"left": pair[k]}, (*shown, ("first", both[k].text), ("second", both[1 - k].text)))
                    for k in orders
                ]


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
    pairs = [
        pair
        for pair in itertools.combinations(sorted(set(chosen)), 2)
        if (not asked or pair in asked) and (settings.baseline is None or settings.baseline in pair)
    ]
    if not pairs:
        raise UsageError("no pair of systems is left to compare: name others by --systems, --baseline and --pair")
    return pairs


def _labelled_pairs(study: Study, criterion: str | None) -> frozenset[tuple[str, str, str]]:
    """Item and pair of systems, in alphabetical order, with a preference or with ratings of both outputs."""
    labelled: set[tuple[str, str, str]] = set()
    if study.preferences is not None:
        rows = _serving(study.preferences, criterion).select("item", "system_a", "system_b").unique()
        labelled |= {(item, min(a, b), max(a, b)) for item, a, b in rows.iter_rows()}
    if study.ratings is not None:
        rated = _serving(study.ratings, criterion).select("item", "system").unique()
        both = rated.join(rated, on="item", suffix="_b").filter(pl.col("system") < pl.col("system_b"))
        labelled |= set(both.select("item", "system", "system_b").iter_rows())
    return frozenset(labelled)


def _serving(labels: pl.DataFrame, criterion: str | None) -> pl.DataFrame:
    """Labels on a criterion; those on any where a judge has none."""
    return labels if criterion is None else labels.filter(pl.col("criterion") == criterion)


def _grades(study: Study, judge: Judge, settings: JudgingSettings) -> Iterator[list[tuple[Row, Texts | None]]]:
    """Of each output the row to fill, with what is shown."""
    texts, criterion = StudyTexts.of(study), judge.settings.criterion
    systems = _systems(texts.systems, settings)
    rated: frozenset[Pair] = frozenset()
    if settings.unlabelled and study.ratings is not None:
        rated = frozenset(_serving(study.ratings, criterion).select("item", "system").unique().iter_rows())
    for item in texts.items(settings, lambda outputs: any(system in outputs for system in systems)):
        for system in systems:
            for output in texts.outputs[item].get(system, ()) if (item, system) not in rated else ():
                row = {"item": item, "system": system, "metric": judge.name, "criterion": criterion,
                       "sample": output.sample}  # fmt: skip
                yield [(row, (*texts.shown.get(item, ()), ("output", output.text)))]


def _systems(known: Sequence[str], settings: JudgingSettings) -> Sequence[str]:
    """Those named; with a baseline or pairs, those of the pairs."""
    if settings.baseline is not None or settings.only_pairs:
        return sorted({name for pair in pairs_asked(known, settings) for name in pair})
    check_known("system", settings.systems or (), known)
    return known if settings.systems is None else sorted(set(settings.systems))


def table_of(judge: Judge) -> TableName:
    """The table that a judge writes: scores where it grades."""
    return "scores" if judge.settings.grades else "judge_preferences"


def _known_answers(study: Study, judge: Judge, *, overwrite: bool) -> frozenset[Key]:
    """Keys of the judge's answers that the study has, made as they would be made now; without those that are unscored.
    None to be overwritten: their texts may have changed, and where they have not, the replies are kept.

    Raises:
        UsageError: it has some that were made otherwise, and they are not to be replaced.
    """
    table = study.tables.get(table_of(judge))
    if table is None or overwrite:
        return frozenset()
    mine = of_judge(table, judge.name, judge.settings.criterion)
    refuse_others(mine, "answer", f"of {judge.name}", _made_alike(study, judge), "give the judge another name")
    scored = mine.filter(pl.col("value" if judge.settings.grades else "outcome").is_not_null())
    return frozenset(_turned(scored).select(_KEYS[table_of(judge)]).iter_rows())


def _made_alike(study: Study, judge: Judge) -> list[str]:
    """Signatures in the study of this judge as it is now, whatever its model has rejected."""
    now = judge.meaning(())
    known: Mapping[str, Meaning] = {} if study.path is None else read_signatures(study.path)
    return [signature for signature, meaning in known.items() if {**meaning, "dropped": []} == now]


def _turned(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of pairs with the system that comes first by name as the first."""
    return one_way_round(frame) if "system_a" in frame.columns else frame


def rows_of(
    judge: Judge, answered: Iterable[tuple[Row, Reply]], identical: Iterable[Row], dropped: frozenset[str]
) -> tuple[pl.DataFrame, Mapping[str, Meaning]]:
    """The rows of replies, and of comparisons of `identical` texts, which are ties; and what their signatures stand
    for. `dropped`: parameters that the model has rejected by now. A table of scores has no place for a reply without
    one.
    """
    rows: list[tuple[Mapping[str, object], frozenset[str]]] = []
    for row, reply in answered:
        if not judge.settings.grades:
            rows.append(({**row, **_preference(judge, row, reply)}, reply.dropped))
        elif reply.reading.label is not None:
            rows.append(({**row, "value": float(reply.reading.label)}, reply.dropped))
    rows += [({**row, "outcome": "tie"}, dropped) for row in identical]
    meanings = {without: judge.meaning(without) for _, without in rows}
    signatures = {without: _signature(meaning) for without, meaning in meanings.items()}
    filled = [{**row, "signature": signatures[without]} for row, without in rows]
    table = table_of(judge)
    schema = {column.name: pl.Float64 if column.kind in NUMBERS else pl.String for column in TABLES[table].columns
              if any(column.name in row for row in filled)}  # fmt: skip
    frame = pl.DataFrame(filled, schema=schema)
    named: dict[str, Meaning] = {signatures[without]: meaning for without, meaning in meanings.items()}
    return completed(frame, table) if filled else frame, named


def _signature(meaning: Meaning) -> str:
    """A short name of it: the judge, the model, and a hash of everything."""
    canonical = json.dumps(meaning, sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{meaning['name']}|{meaning['model']}|{digest[:_SIGNATURE_LENGTH]}"


def _preference(judge: Judge, row: Row, reply: Reply) -> dict[str, object]:
    """What is said of systems a and b by an answer about the texts shown first and second."""
    sides = ("a", "b", "tie") if row["left"] == row["system_a"] else ("b", "a", "tie")
    named = dict(zip(judge.menu.labels, sides, strict=False))
    reading = reply.reading
    outcome = None if reading.label is None else named[reading.label]
    shares: dict[str, float] = {}
    if reading.chances is not None:
        shares = {"p_tie": 0.0} | {f"p_{named[label]}": share for label, share in reading.chances.of.items()}
    return {"outcome": outcome, "reply": reply.text, "unscored": reading.unscored, **shares}


def store_rows(
    path: Path, judge: Judge, new: pl.DataFrame, meanings: Mapping[str, Meaning], *, overwrite: bool
) -> Study:
    """Put rows of a judge into the study at a path, in place of answers to the same questions; the study afterwards.
    There must be some: a judge of which nothing came overwrites nothing.

    Raises:
        InputError, TiebreakError: the study is damaged by now, or cannot be written.
    """
    table = table_of(judge)
    key = [*_KEYS[table], SPEAKERS[table], "criterion"]
    if overwrite and table == "judge_preferences":
        key.remove("left")  # where texts became equal, or are no longer, there are other rows than before

    def replaced(study: Study, rows: pl.DataFrame) -> pl.DataFrame:
        asked = _turned(new).select(key).unique()
        again = _turned(rows.select("row", *key)).join(asked, on=key, how="semi", nulls_equal=True).select("row")
        if not overwrite:
            return again
        mine = of_judge(rows, judge.name, judge.settings.criterion)
        alike = pl.col("signature").is_in(_made_alike(study, judge)).fill_null(value=False)
        return pl.concat([again, mine.filter(~alike).select("row")])

    write_rows(path, table, new, meanings, replaced)
    return read_study(path)
