"""Studies and results that the tests of the report share: by the rule that has the most to draw."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.results.records import CompareResult

Compared = tuple[Study, CompareResult]

HOSTILE = ("<script>alert(1)</script>", '"quoted" & $x^2$', "</title><img src=x onerror=alert(1)>")


def study_of(names: list[str], items: int, quality: Sequence[float], name: str = "study") -> Study:
    """Preferences between systems of these qualities (log odds), 15% ties, five annotators."""
    rng = np.random.default_rng(3)
    rows = []
    for a, b in combinations(range(len(names)), 2):
        wins = rng.random(items) < 1 / (1 + np.exp(quality[b] - quality[a]))
        ties = rng.random(items) < 0.15
        rows += [
            (f"i{k}", names[a], names[b], f"ann{(k + a) % 5}", "tie" if ties[k] else "a" if wins[k] else "b")
            for k in range(items)
        ]
    columns = ["item", "system_a", "system_b", "annotator", "outcome"]
    return Study.from_tables(preferences=pl.DataFrame(rows, schema=columns, orient="row"), name=name)


def normal(count: int, spread: float) -> list[float]:
    """Qualities, best first."""
    return sorted(np.random.default_rng(4).normal(0, spread, count).tolist(), reverse=True)


@pytest.fixture(scope="session")
def four() -> Compared:
    """Four systems with a margin: better, equivalent and undecided pairs."""
    study = study_of(["oak", "elm", "fir", "yew"], 250, [1.5, 0.3, 0.0, 0.0])
    return study, compare(study, rule="anytime", margin=0.25)


@pytest.fixture(scope="session")
def hostile() -> Compared:
    """Names that are markup, in the study, the systems and the annotators."""
    study = study_of(list(HOSTILE), 60, [1.5, 0.0, -1.5], name=HOSTILE[2])
    return study, compare(study, rule="anytime")


@pytest.fixture(scope="session")
def sixteen() -> Compared:
    study = study_of([f"system-{k:02d}" for k in range(16)], 60, normal(16, 1.0))
    return study, compare(study, rule="anytime")


@pytest.fixture(scope="session")
def fifty() -> Compared:
    study = study_of([f"org/some-model-{k:02d}-instruct" for k in range(50)], 40, normal(50, 1.5))
    return study, compare(study, rule="anytime")
