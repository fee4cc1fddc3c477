"""Answers of judges as rows in the study that they are about, in place of those that they are to replace.

A signature is a short name of all that it takes to ask again in the same way.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from tiebreak.data.columns import completed, one_way_round
from tiebreak.data.provenance import Meaning, add_signatures, read_signatures
from tiebreak.data.readers import read_study
from tiebreak.data.schema import TableName
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.numbers import counted
from tiebreak.scoring.judges.judge import Judge
from tiebreak.scoring.judges.prompt import RULE
from tiebreak.scoring.judges.questions import Key, Row
from tiebreak.scoring.judges.replies import Reply, ReplyChances
from tiebreak.scoring.writing import change_table

_LENGTH: Final = 12


def meaning_of(judge: Judge, dropped: Collection[str]) -> dict[str, object]:
    """The whole prompt and all settings that an answer hangs on; `dropped`: parameters that the model has rejected.

    How many tokens a reply may have, and in how many orders texts are shown, is not among them: both say which replies
    there are, not what they say.
    """
    settings = judge.settings
    return {
        "kind": "judge",
        "name": judge.name,
        "provider": settings.provider,
        "base_url": judge.base_url,
        "model": judge.model,
        "system": judge.template.system,
        "fence": RULE,
        "user": judge.template.user,
        "words": judge.words,
        "answers": judge.menu.meanings,
        "settings": {
            "temperature": settings.temperature,
            "structured": settings.structured,
            "logprobs": settings.logprobs,
            **settings.parameters,
        },
        "dropped": sorted(dropped),
    }


def signature_of(meaning: Mapping[str, object]) -> str:
    """A short name of it: the judge, the model, and a hash of everything."""
    canonical = json.dumps(meaning, sort_keys=True, ensure_ascii=False)
    digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{meaning['name']}|{meaning['model']}|{digest[:_LENGTH]}"


def alike(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two meanings differ at most in what the model has rejected: the same judge, asked as far as it can be."""
    return {**one, "dropped": []} == {**other, "dropped": []}


_TYPES: Final[Mapping[str, pl.DataType]] = {
    **dict.fromkeys(
        ("item", "system_a", "system_b", "judge", "outcome", "criterion", "left", "reply", "sample_a", "sample_b",
         "signature", "unscored", "system", "metric", "sample"),
        pl.String(),
    ),
    **dict.fromkeys(("p_a", "p_tie", "p_b", "value"), pl.Float64()),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows of one judge for one `table`, and what their signatures stand for."""

    judge: Judge
    table: TableName
    frame: pl.DataFrame
    meanings: Mapping[str, Meaning]


def table_of(judge: Judge) -> TableName:
    """The table that a judge writes: scores where it grades."""
    return "scores" if judge.settings.grades else "judge_preferences"


def rows_of(
    judge: Judge, answered: Iterable[tuple[Row, Reply]], identical: Iterable[Row], dropped: frozenset[str]
) -> NewRows:
    """The rows of replies, and of comparisons of `identical` texts, which are ties; `dropped`: parameters that the
    model has rejected by now.
    """
    names, meanings = dict[frozenset[str], str](), dict[str, Meaning]()

    def signed(without: frozenset[str]) -> str:
        if without not in names:
            meaning = meaning_of(judge, without)
            names[without] = signature_of(meaning)
            meanings[names[without]] = meaning
        return names[without]

    rows: list[dict[str, object]] = []
    for row, reply in answered:
        told = _grade(reply) if judge.settings.grades else _preference(judge, row, reply)
        if told is not None:
            rows.append({**row, **told, "signature": signed(reply.dropped)})
    rows += [{**row, "outcome": "tie", "signature": signed(dropped)} for row in identical]
    table = table_of(judge)
    schema = {name: kind for name, kind in _TYPES.items() if any(name in row for row in rows)}
    frame = pl.DataFrame(rows, schema=schema)
    return NewRows(judge, table, completed(frame, table) if rows else frame, meanings)


def _grade(reply: Reply) -> dict[str, object] | None:
    """A score; none where the reply has none, since a table of scores has no place for it."""
    return None if reply.reading.label is None else {"value": float(reply.reading.label)}


def _preference(judge: Judge, row: Row, reply: Reply) -> dict[str, object]:
    """What is said of systems a and b by an answer about the texts shown first and second."""
    labels = judge.menu.labels
    first_is_a = row["left"] == row["system_a"]
    sides = ("a", "b", "tie") if first_is_a else ("b", "a", "tie")
    named = dict(zip(labels, sides, strict=False))
    reading = reply.reading
    outcome = None if reading.label is None else named[reading.label]
    told: dict[str, object] = {"outcome": outcome, "reply": reply.text, "unscored": reading.unscored}
    return told | _probabilities(reading.chances, named)


def _probabilities(chances: ReplyChances | None, named: Mapping[str, str]) -> dict[str, object]:
    if chances is None:
        return {}
    found = {f"p_{named[label]}": share for label, share in chances.of.items()}
    return {"p_tie": 0.0, **found}


_KEYS: Final = {
    "judge_preferences": ("item", "system_a", "system_b", "sample_a", "sample_b", "left"),
    "scores": ("item", "system", "sample"),
}
_NAMES: Final = {"judge_preferences": "judge", "scores": "metric"}


def known_answers(study: Study, judge: Judge, *, overwrite: bool) -> frozenset[Key]:
    """Keys of the judge's answers that the study has, made as they would be made now; without those that are unscored.
    None to be overwritten: their texts may have changed, and where they have not, the replies are kept.

    Raises:
        UsageError: it has some that were made otherwise, and they are not to be replaced.
    """
    mine = _of_judge(study, judge)
    if mine is None or overwrite:
        return frozenset()
    others = mine.filter(~_made_alike(study, judge))
    if others.height:
        signature = others["signature"][0]
        made = f"made by {signature}" if signature else "that do not say what made them"
        raise UsageError(
            f"the study has {counted(others.height, 'answer')} of {judge.name} {made}, and now they would be made in "
            "another way (signatures.jsonl says how they were made): --overwrite replaces them; or give the judge "
            "another name"
        )
    scored = mine.filter(_made_alike(study, judge) & pl.col(_answer(judge)).is_not_null())
    return frozenset(_turned(scored).select(_KEYS[table_of(judge)]).iter_rows())


def store(path: Path, new: NewRows, *, overwrite: bool) -> Study:
    """Put rows into the study at a path, whatever was added to it since it was read; the study afterwards. There must
    be some: a judge of which nothing came overwrites nothing.

    Raises:
        InputError, TiebreakError: the study is damaged by now, or cannot be written.
    """
    add_signatures(path, new.meanings)

    change_table(path, new.table, lambda study: _merged(study, new, overwrite=overwrite))
    return read_study(path)


def _merged(study: Study, new: NewRows, *, overwrite: bool) -> pl.DataFrame:
    """The table with the new rows, in place of answers to the same questions."""
    old = study.tables_as_read.get(new.table)
    if old is None:
        return new.frame
    rows = old.with_row_index("row")
    key = [*_KEYS[new.table], _NAMES[new.table], "criterion"]
    if overwrite and new.table == "judge_preferences":
        key.remove("left")  # where texts became equal, or are no longer, there are other rows than before
    again = _turned(rows.select("row", *key))
    again = again.join(_turned(new.frame).select(key).unique(), on=key, how="semi", nulls_equal=True)
    gone = set(again["row"].to_list())
    mine = _of_judge(study, new.judge, rows)
    if overwrite and mine is not None:
        gone |= set(mine.filter(~_made_alike(study, new.judge))["row"].to_list())
    kept = rows.filter(~pl.col("row").is_in(list(gone))).drop("row")
    return pl.concat([kept, new.frame], how="diagonal_relaxed")


def _of_judge(study: Study, judge: Judge, rows: pl.DataFrame | None = None) -> pl.DataFrame | None:
    """The rows of a judge on its criterion."""
    table = table_of(judge)
    frame = study.tables.get(table) if rows is None else rows
    if frame is None:
        return None
    criterion = pl.lit(judge.settings.criterion, pl.String)
    return frame.filter((pl.col(_NAMES[table]) == judge.name) & pl.col("criterion").eq_missing(criterion))


def _made_alike(study: Study, judge: Judge) -> pl.Expr:
    """Which rows have a signature of this judge as it is now, whatever its model has rejected."""
    now = meaning_of(judge, frozenset())
    known: Mapping[str, Meaning] = {} if study.path is None else read_signatures(study.path)
    same = [signature for signature, meaning in known.items() if alike(meaning, now)]
    return pl.col("signature").is_in(same).fill_null(value=False)


def _answer(judge: Judge) -> str:
    return "value" if judge.settings.grades else "outcome"


def _turned(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows of pairs with the system that comes first by name as the first."""
    return one_way_round(frame) if "system_a" in frame.columns else frame
