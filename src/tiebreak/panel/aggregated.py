"""One label for each question, by a model of annotators who err: a study as if one careful person had labelled it."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
import polars as pl

from tiebreak.data.schema import LABEL_TABLES, TableName
from tiebreak.data.study import Study
from tiebreak.errors import UsageError, did_you_mean
from tiebreak.importers.reading import StudySource, study_of
from tiebreak.kernels.aggregation import dawid_skene, mace
from tiebreak.panel.annotators import MOST_ANSWERS, codes, label_frames
from tiebreak.records import OUTCOME_CODES

Aggregation = Literal["mace", "dawid-skene"]
AGGREGATIONS: Final[tuple[Aggregation, ...]] = ("mace", "dawid-skene")

_ABOUT: Final = {
    "preferences": ("item", "criterion", "system_a", "system_b", "sample_a", "sample_b"),
    "ratings": ("item", "criterion", "system", "sample"),
}


def aggregated(study: StudySource, model: Aggregation = "mace", *, seed: int = 0) -> Study:
    """The study with one label for each question: the answer that a model of annotators finds most probable.

    The model learns from all labels of a criterion who errs how often; of equally probable answers the first counts: a
    tie before a side, the lower grade before the higher. What follows is about these labels as a finished set: labels
    that come later would change those of today.

    Args:
        study: a study, its folder, or a table of labels.
        model: "mace" (Hovy and others 2013) or "dawid-skene" (1979).
        seed: of the starts of MACE.

    Raises:
        UsageError: no human labels, ratings with more than 20 different values, or an unknown model.
    """
    if model not in AGGREGATIONS:
        raise UsageError(f"no model {model!r}{did_you_mean(model, AGGREGATIONS)}; there are {', '.join(AGGREGATIONS)}")
    study = study_of(study)
    frames = label_frames(study, None)
    if not frames:
        raise UsageError(f"{study.name} has no human labels")
    tables: dict[TableName, object] = {
        kind: pl.concat(
            _questions(kind, part, model, seed) for part in frame.partition_by("criterion", maintain_order=True)
        )
        for kind, frame in frames.items()
    }
    kept: dict[TableName, object] = {name: study.tables[name] for name in LABEL_TABLES if name in study.tables}
    return study.relabelled({**kept, **tables}, study.settings)


def _questions(kind: str, labels: pl.DataFrame, model: Aggregation, seed: int) -> pl.DataFrame:
    """Labels of one criterion, one for each question."""
    answers = labels["answer"].unique().sort().to_numpy()
    if answers.size > MOST_ANSWERS:
        raise UsageError(
            f"ratings of {labels['criterion'][0] or 'one criterion'} have {answers.size:,} different values: a model "
            f"of annotators is for grades, {MOST_ANSWERS} at most"
        )
    order = np.argsort(np.abs(answers), kind="stable") if kind == "preferences" else np.arange(answers.size)
    question, person = codes(labels["question"]), codes(labels["annotator"])
    answer = np.argsort(order)[codes(labels["answer"])]
    if model == "mace":
        found = mace(question, person, answer, answers.size, rng=np.random.default_rng([seed, 1])).answers
    else:
        found = dawid_skene(question, person, answer, answers.size)
    likeliest = answers[order][found.argmax(axis=1)]
    about = [name for name in _ABOUT[kind] if name in labels.columns]
    whole = labels.unique("question", keep="first").sort("question").select(about)
    if kind == "preferences":
        outcome = pl.Series("outcome", likeliest).replace_strict(
            {float(code): name for name, code in OUTCOME_CODES.items()}, return_dtype=pl.String
        )
        return whole.with_columns(outcome, annotator=pl.lit(model))
    return whole.with_columns(pl.Series("value", likeliest), annotator=pl.lit(model))
