from __future__ import annotations

import pytest

from tiebreak.live.answers import nearly_known


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
