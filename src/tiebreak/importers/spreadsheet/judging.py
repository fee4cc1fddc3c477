"""Decides whether those who judged are people or models: answers of models are no labels."""

from __future__ import annotations

from dataclasses import replace

from tiebreak.importers.spreadsheet.draft import Draft
from tiebreak.importers.spreadsheet.fields import key_of
from tiebreak.importers.spreadsheet.mapping import Binding
from tiebreak.importers.spreadsheet.model_names import are_models


def settle_judge(draft: Draft) -> None:
    """`judge` names a model if its cells do; an annotator that is a model is a judge; ratings of a judge are scores.

    What is signed, no person said.
    """
    judged = draft.beside.role == "judge" or _are_signed_answers(draft)
    if judged and not draft.bound.keys() & {"judge", "annotator"}:
        draft.bound["judge"] = Binding("judge", constant=draft.sheet.stem, origin="file name")
    for target, other in (("judge", "annotator"), ("annotator", "judge")):
        if not draft.guessed(target) or not draft.columns(target):
            continue
        models = judged or are_models(draft.profiles[draft.columns(target)[0]].distinct)
        if models == (target == "judge") or other in draft.bound:
            continue
        columns, origin = draft.columns(target), draft.bound[target].origin
        draft.release(target)
        draft.bind(other, columns, origin)
        break
    _release_prompts_of_judges(draft)


def _are_signed_answers(draft: Draft) -> bool:
    """Answers, and no scores of a metric, whose file says what made them."""
    asked = draft.beside.role == "plain" and "signature" in draft.bound
    return asked and "metric" not in draft.bound and bool(draft.bound.keys() & {"outcome", "value", "p_a"})


def _release_prompts_of_judges(draft: Draft) -> None:
    """`user_prompt` beside a judge's answers is what the judge was asked, and no input of the systems."""
    asked = {*map(key_of, draft.columns("input"))} == {"userprompt"} and draft.guessed("input")
    if asked and draft.guessed("judge") and "item" in draft.bound:
        draft.release("input")


def make_scores_of_judges_ratings(draft: Draft) -> None:
    """What a model rated is a score by its name."""
    ratings = draft.bound.get("value")
    if "judge" in draft.bound and ratings is not None and not draft.bound.keys() & {"outcome", "score"}:
        del draft.bound["value"]
        draft.bound["score"] = replace(ratings, target="score")
