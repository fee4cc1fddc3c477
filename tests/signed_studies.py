"""A study in which an evaluator has judged and scored, and what its signatures stand for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from tiebreak.data.signatures import Meaning
from tiebreak.data.study import Study
from tiebreak.data.trained_on import LABELLED_TEXTS, LABELLED_WORDS, context_hash, texts_of_items

JUDGE: Final = "evaluator|siamese|encoder:small|weights:0123456789abcdef"
POINTS: Final = f"{JUDGE}|points"
ITEMS: Final = tuple(f"q{number}" for number in range(8))
LABELLED: Final = ITEMS[:5]
"""The items that people labelled."""


def said(system: str, item: str) -> str:
    return f"What {system} says of {item}, in more than thirty characters."


def judged_texts(item: str) -> str:
    """The hash of what was judged of an item."""
    return context_hash(f"What of {item}?", [said(system, item) for system in ("gpt", "llama")])


def labelled_study(**others: object) -> Study:
    """Outputs of two systems, and the labels of one person."""
    outputs = [
        {"item": item, "system": system, "text": said(system, item)}
        for item in ITEMS for system in ("gpt", "llama")
    ]  # fmt: skip
    votes = [
        {"item": item, "system_a": "gpt", "system_b": "llama", "annotator": "ann", "outcome": "a"} for item in LABELLED
    ]
    items = [{"item": item, "input": f"What of {item}?"} for item in ITEMS]
    return Study.from_tables(outputs=outputs, items=items, preferences=votes, **others)  # type: ignore[arg-type]


def signed_study(learned: Collection[str] = LABELLED) -> Study:
    """The same, judged and scored by an evaluator that learned from labels of the items `learned`."""
    judged = [
        {
            "item": item, "system_a": "gpt", "system_b": "llama", "judge": "learned", "signature": JUDGE,
            "outcome": None if k == 7 else "a", "unscored": "refused" if k == 7 else None, "texts": judged_texts(item),
        }
        for k, item in enumerate(ITEMS)
    ]  # fmt: skip
    scores = [
        {"item": item, "system": system, "metric": "points", "value": k + 0.5 * (system == "gpt"), "signature": POINTS}
        for k, item in enumerate(ITEMS) for system in ("gpt", "llama")
    ]  # fmt: skip
    study = labelled_study(judge_preferences=judged, scores=scores)
    return replace(study, signatures={"chrf|nc:6": {"kind": "metric"}, **meanings(study, learned)})


def meanings(study: Study, learned: Collection[str]) -> dict[str, Meaning]:
    """What the two signatures stand for."""
    assert study.outputs is not None
    texts = texts_of_items(study.outputs, study.items)
    hashes = sorted(text for item in learned for text in texts[item].texts)
    meaning: Meaning = {"kind": "evaluator", LABELLED_TEXTS: hashes, LABELLED_WORDS: []}
    return {JUDGE: meaning, POINTS: {**meaning, "scores": "points"}}
