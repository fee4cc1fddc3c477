from __future__ import annotations

import pytest

from tiebreak.results.settings import CompareSettings
from tiebreak.results.words import unlike_campaign
from tiebreak.settings.protocol import DecisionSettings


@pytest.mark.parametrize(
    ("settings", "decision", "words"),
    [
        (CompareSettings(), DecisionSettings(), ""),
        (CompareSettings(rule="fixed"), DecisionSettings(), ""),
        (CompareSettings(several="majority"), DecisionSettings(), ""),
        (
            CompareSettings(margin=0.2, alpha=0.1),
            DecisionSettings(),
            "with margin 0.2, not without a margin; alpha 0.1, not 0.05. To ask its question, give --alpha 0.05.",
        ),
        (
            CompareSettings(multiplicity="none"),
            DecisionSettings(),
            "--multiplicity none, not holm. To ask its question, give --multiplicity holm.",
        ),
        # What the other rule calls d is no alpha, it has no correction for many pairs, and cannot take a margin.
        (CompareSettings(rule="hoeffding", alpha=0.1, multiplicity="none"), DecisionSettings(), ""),
        (
            CompareSettings(rule="hoeffding"),
            DecisionSettings(margin=0.1),
            "without a margin, not with margin 0.1.",
        ),
    ],
)
def test_what_is_asked_otherwise(settings: CompareSettings, decision: DecisionSettings, words: str) -> None:
    said = unlike_campaign(settings, decision, None)
    assert said == (f"Unlike the campaign: {words}" if words else "")
