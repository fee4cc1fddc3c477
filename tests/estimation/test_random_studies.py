"""`estimate` on odd studies drawn at random: never an exception, strict JSON, intervals that hold their estimates."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest
from rich.console import Console
from tests.small_studies import Row

import tiebreak
from tiebreak.cli.show_estimates import show_estimates
from tiebreak.data.study import Study, StudySettings
from tiebreak.errors import UsageError

KINDS = ("whole", "constant", "huge", "tiny", "negative", "binary")


def value_of(kind: str, rng: np.random.Generator) -> float:
    return {
        "whole": float(rng.integers(1, 6)), "constant": 3.0, "huge": float(rng.uniform(-1, 1) * 1e30),
        "tiny": float(rng.normal() * 1e-90), "negative": -float(rng.integers(0, 3)), "binary": float(rng.integers(2)),
    }[kind]  # fmt: skip


def drawn_study(kind: str, rng: np.random.Generator) -> Study | None:
    """One to three systems, 1 to 30 items, some with samples, clusters, scores or nothing; None without a rating."""
    size = int(rng.choice([1, 2, 3, 7, 8, 12, 30]))
    tables: dict[str, list[Row]] = {"outputs": [], "ratings": [], "scores": [], "items": []}
    for system in range(rng.integers(1, 4)):
        for item in range(size):
            for sample in () if rng.random() < 0.2 else (None,) if rng.random() < 0.7 else ("1", "2"):
                about: Row = {"item": f"i{item}", "system": f"s{system}", "sample": sample}
                tables["outputs"].append({**about, "text": f"text {item} {system} {sample}"})
                for metric, score in (
                    ("m", 1.0 if kind == "constant" else rng.normal()),
                    ("n", rng.choice([0.0, 1e90])),
                ):
                    if rng.random() < 0.8:
                        tables["scores"].append({**about, "metric": metric, "value": float(score)})
                tables["ratings"] += [
                    {**about, "annotator": f"p{person}", "criterion": "c", "value": value_of(kind, rng)}
                    for person in range(rng.integers(0, 4))
                ]
    tables["items"] = [{"item": f"i{k}", "cluster": f"d{k // 3}" if rng.random() < 0.5 else None} for k in range(size)]
    if not tables["ratings"]:
        return None
    for name in ("outputs", "items", "scores"):
        if rng.random() < 0.3 or not tables[name]:
            del tables[name]
    scale = {"c": (1.0, 5.0)} if kind in ("whole", "constant") and rng.random() < 0.5 else {}
    return Study.from_tables(**tables, settings=StudySettings(scale=scale))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_any_study_is_estimated(kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind))
    for _ in range(15):
        study = drawn_study(kind, rng)
        if study is None:
            continue
        metrics = ("all",) if study.scores is not None and rng.random() < 0.6 else ()
        target, raters = rng.choice(["inputs", "items"]), rng.choice(["same", "any"])
        try:
            result = tiebreak.estimate(study, metrics=metrics, target=str(target), raters=str(raters))
        except UsageError as error:
            pytest.fail(str(error))
        json.dumps(result.to_dict(), allow_nan=False)
        for width in (42, 80):
            show_estimates(result, Console(file=io.StringIO(), width=width), everything=True)
        for found in result.results:
            for one in (*found.systems, *found.differences):
                for mean in (one.mean, *(() if one.help is None else (one.help.mean,))):
                    assert mean.estimate is not None
                    assert mean.low is None or mean.low <= mean.estimate
                    assert mean.high is None or mean.estimate <= mean.high
