"""A study in which an evaluator has judged and scored, and what its signatures stand for."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tiebreak.data.provenance import LABELLED_ITEMS, Meaning, keys_of_items, texts_read
from tiebreak.data.study import Study
from tiebreak.messages.tables import LEARNED_FROM

JUDGE: Final = "evaluator|siamese|encoder:small|weights:0123456789abcdef"
POINTS: Final = f"{JUDGE}|points"
ITEMS: Final = tuple(f"q{number}" for number in range(8))
LABELLED: Final = ITEMS[:5]
"""The items that people labelled."""


def said(system: str, item: str) -> str:
    return f"What {system} says of {item}, in more than thirty characters."


def judged_texts(item: str) -> str:
    """The hash of what was judged of an item."""
    return texts_read(f"What of {item}?", [said(system, item) for system in ("gpt", "llama")])


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
    return study.with_signatures({"chrf|nc:6": {"kind": "metric"}, **meanings(study, learned)})


def left_out(study: Study) -> dict[object, tuple[object, object]]:
    """By metric or judge: on how many items answers are left out, and on how many others they count."""
    details = (notice.details for notice in study.notices if notice.code == LEARNED_FROM.code)
    return {of["name"]: (of["items"], of["others"]) for of in details}


def meanings(study: Study, learned: Collection[str]) -> dict[str, Meaning]:
    """What the two signatures stand for."""
    keys = keys_of_items(study.outputs, study.items)
    meaning: Meaning = {"kind": "evaluator", LABELLED_ITEMS: sorted(set().union(*(keys[item] for item in learned)))}
    return {JUDGE: meaning, POINTS: {**meaning, "scores": "points"}}
