"""Answers in words, the outcomes that they stand for, and who is meant by a name."""

from __future__ import annotations

import pytest
from tests.sheets.sheet_makers import PREFERENCE, task

from tiebreak.campaign import Preferred, Protocol
from tiebreak.campaign.kinds import ItemTexts
from tiebreak.campaign.kinds.preference import FIRST, SECOND, answer_of
from tiebreak.campaign.kinds.preference import NO_DIFFERENCE as TIE
from tiebreak.live.answers import nearly_known

# ---- Answers in words, and the outcomes that they stand for. -------------------------------------------------------


@pytest.mark.parametrize(("left", "answer", "outcome"), [
    ("eta-3b", FIRST, "a"), ("eta-3b", SECOND, "b"), ("eta-3b", TIE, "tie"),
    ("zeta-9b", FIRST, "b"), ("zeta-9b", SECOND, "a"), ("zeta-9b", TIE, "tie"),
])  # fmt: skip
def test_sides_become_outcomes(left: str, answer: str, outcome: str) -> None:
    # The pair is (eta-3b, zeta-9b): "a" is eta-3b.
    assigned = task(0, left=left)
    response = PREFERENCE.read(Protocol(), assigned, ItemTexts(), {"answer": answer})
    assert response == Preferred(outcome)  # type: ignore[arg-type]
    assert PREFERENCE.said(assigned, response) == answer


@pytest.mark.parametrize(
    ("cell", "answer"),
    [
        ("First text", FIRST), (" first  TEXT. ", FIRST), ("left", FIRST), ("tie", TIE), ("Equal", TIE),
        ("second", SECOND), ("1", None), ("3", None), ("a", None), ("both", None), ("x", None),
    ],
)  # fmt: skip
def test_spellings(cell: str, answer: str | None) -> None:
    assert answer_of(cell) == answer


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Ann", "ann"), ("a n n", "ann"), ("ann.", "ann"), ("anna", "ann"), ("Jose\u0301", "José"), ("JOSÉ", "José"),
        ("Worker 1", "worker-1"), ("worker-2", None), ("worker-11", None), ("katia", "katja"), ("bo", None),
        ("dan", None), ("", None),
    ],
)  # fmt: skip
def test_who_may_be_meant(name: str, near: str | None) -> None:
    assert nearly_known(name, ["ann", "José", "worker-1", "katja"]) == near


def test_nobody_is_known() -> None:
    assert nearly_known("ann", []) is None
