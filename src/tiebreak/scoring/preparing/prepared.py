"""A study whose outputs were prepared: what metrics score is what people will see, and the original is kept.

The table of outputs then has two more columns: `original`, the text as it came, and `prepared`, what was done to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from tiebreak.data.schema import LABEL_TABLES, TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.numbers import counted
from tiebreak.scoring.instances import Texts
from tiebreak.scoring.preparing.steps import Preparation

ORIGINAL: Final = "original"
PREPARED: Final = "prepared"

_LABELLED: Final[tuple[TableName, ...]] = (*LABEL_TABLES, "judge_preferences")
_ROWS: Final = ("item", "system", "sample")


@dataclass(frozen=True, slots=True)
class PreparedStudy:
    """`study`: with outputs as metrics see them. `label`: what was done, for signatures, "" for nothing; `steps`: the
    same as one writes it. `references`: what is done to references. `changed`: whether the table of outputs is another
    one than before this run, in `texts` of which the text is.
    """

    study: Study
    label: str = ""
    steps: str | None = None
    references: Texts | None = None
    changed: bool = False
    texts: int = 0


def prepared_study(study: Study, asked: Sequence[str], *, overwrite: bool) -> PreparedStudy:
    """The study with the steps asked for, or with those that were taken before.

    Raises:
        UsageError: no such step; other steps were taken before; or people have labelled texts that would be other ones
            (`overwrite` allows both, but for texts that people edited).
    """
    outputs = study.outputs
    if outputs is None:
        return PreparedStudy(study)
    before = outputs[PREPARED].drop_nulls().unique().sort() if PREPARED in outputs.columns else pl.Series([])
    if not asked and not len(before):
        return PreparedStudy(study)
    steps = tuple(asked) or _steps_in(before)
    preparation = Preparation.of(steps, lambda: _running_text(study))
    done = ",".join(asked_of(preparation))
    if not asked:
        _refuse_unprepared(outputs, done)
    elif not overwrite and any(found != done for found in before):
        raise UsageError(
            f"outputs were prepared before ({before[0]}), and otherwise than now ({done}): --overwrite begins anew "
            "with the original texts"
        )
    now = _prepared(outputs, preparation, done)
    other = now.filter(now["text"].ne_missing(outputs["text"]))
    if other.height:
        _refuse_labelled(study, other, overwrite=overwrite)
    made = study
    if not now.equals(outputs):
        repeats: dict[TableName, pl.DataFrame] = dict(study.with_repeats)
        if "outputs" in repeats:
            repeats["outputs"] = _prepared(repeats["outputs"], preparation, done)
        made = replace(study, outputs=now, with_repeats=repeats)
    return PreparedStudy(made, preparation.label, done, preparation.references, made is not study, other.height)


def asked_of(preparation: Preparation) -> list[str]:
    """The steps as one writes them."""
    return [f"{step}={preparation.words}" if step == "cut" else step for step in preparation.steps]


def _steps_in(before: pl.Series) -> tuple[str, ...]:
    if len(before) > 1:
        raise UsageError(f"some outputs were prepared by {before[0]}, others by {before[1]}: --prepare {before[0]}")
    return tuple(str(before[0]).split(","))


def _refuse_unprepared(outputs: pl.DataFrame, done: str) -> None:
    left = outputs[PREPARED].null_count()
    if left:
        raise UsageError(f"{counted(left, 'output')} came after the others were prepared: --prepare {done}")


def _prepared(outputs: pl.DataFrame, preparation: Preparation, done: str) -> pl.DataFrame:
    """The table of outputs, made of the original texts."""
    first = outputs["text"]
    if ORIGINAL in outputs.columns:
        first = outputs.select(pl.coalesce(pl.col(ORIGINAL), pl.col("text"))).to_series()
    return outputs.with_columns(
        preparation.outputs(first).alias("text"), first.alias(ORIGINAL), pl.lit(done).alias(PREPARED)
    )


def _running_text(study: Study) -> Iterator[str]:
    """Inputs, contexts and references."""
    if study.items is None:
        return
    for name in ("input", "context", "reference", "references"):
        if name in study.items.columns:
            for value in study.items[name].drop_nulls().to_list():
                yield from (value.values() if isinstance(value, dict) else [value] if isinstance(value, str) else value)


def _refuse_labelled(study: Study, other: pl.DataFrame, *, overwrite: bool) -> None:
    """Labels are about the texts that people saw."""
    rows = other.select(_ROWS)
    for table in _LABELLED:
        frame = study.tables.get(table)
        if frame is None or (overwrite and table != "edits"):
            continue
        sides = [
            frame.select("item", system=pl.col(system), sample=pl.col(sample))
            for system, sample in TABLES[table].samples
        ]
        labelled = rows.join(pl.concat(sides), on=_ROWS, how="semi", nulls_equal=True).height
        if labelled:
            what = "edits say how the original differs from a better text" if table == "edits" else "they would change"
            allowed = "" if table == "edits" else "; --overwrite changes them all the same, and keeps the originals"
            raise UsageError(
                f"{counted(labelled, 'output')} that --prepare would change {'is' if labelled == 1 else 'are'} in the "
                f"table {table}: whoever labelled saw the text as it is, and {what}. Prepare texts before they are "
                f"labelled{allowed}"
            )
