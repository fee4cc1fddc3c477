"""Probes that are shipped, and what an evaluator says of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tiebreak.scoring.evaluator.models.siamese import Siamese
from tiebreak.scoring.evaluator.probes import Probe, probe, probes
from tiebreak.scoring.evaluator.training.kept import Evaluator


def test_there_are_thirty_of_five_kinds() -> None:
    assert Counter(one.kind for one in probes()) == dict.fromkeys(
        ("dull", "repetition", "off topic", "opposite and valid", "swapped context"), 6
    )
    assert all(one.a != one.b and one.context for one in probes())
    assert {one.expected for one in probes()} == {"a", "tie", "b"}


def test_right_is_right_in_both_orders(monkeypatch: pytest.MonkeyPatch, tiny: str) -> None:
    from tiebreak.scoring.evaluator.models.encoders import load_encoder
    from tiebreak.scoring.evaluator.models.learner import Limits

    encoder, tokenizer = load_encoder(tiny)
    model = Siamese(encoder, Limits(16, 16))
    forth = np.array([[0.8, 0.1, 0.1], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.4, 0.35, 0.25]])
    back = np.array([[0.7, 0.1, 0.2], [0.2, 0.1, 0.7], [0.2, 0.2, 0.6], [0.2, 0.35, 0.45]])
    monkeypatch.setattr(model, "orders", lambda *_: (forth, back))
    asked = [Probe("k", "what", "good", "bad", expected) for expected in ("a", "a", "b", "tie")]
    found = probe(Evaluator(tokenizer, {"tie_bound": 0.3, "signature": "s"}, model), asked)
    assert [(one.answer, one.flips, one.is_right) for one in found] == [
        ("a", False, True), ("b", False, False), ("tie", True, False), ("tie", False, True),
    ], "the last is a tie in either order, whatever else it says"  # fmt: skip
