"""Studies in which nobody labelled anything: what judges and metrics alone would say, and that it promises nothing."""

from __future__ import annotations

import pytest

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import InputError

JUDGED = [
    {"item": f"q{k}", "system_a": "x", "system_b": "y", "judge": "j", "outcome": "b" if k % 5 else "a"}
    for k in range(30)
]
SCORED = [
    {"item": f"q{k}", "system": of, "metric": "m", "value": float(k % 3 + (of == "y"))}
    for k in range(30)
    for of in "xy"
]


def test_judgements_alone() -> None:
    study = Study.from_tables(judge_preferences=JUDGED)
    (found,) = compare(study, human=False, judges=("j",)).results
    (pair,) = found.pairs
    assert (pair.winner, pair.wins, pair.losses, pair.labels) == ("y", 6, 24, 0)


def test_scores_alone() -> None:
    (found,) = compare(Study.from_tables(scores=SCORED), human=False, metrics=("all",)).results
    assert found.pairs[0].winner == "y"


def test_with_people_there_is_nothing_to_compare() -> None:
    with pytest.raises(InputError, match="no human labels"):
        compare(Study.from_tables(judge_preferences=JUDGED))
