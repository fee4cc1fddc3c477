"""Correctness: what passages say of an answer (price-of-debiasing, section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from tiebreak.campaign.events import Answered, EventError, OutputRated
from tiebreak.campaign.kinds.rating import Rating
from tiebreak.campaign.protocol import Protocol
from tiebreak.campaign.rating_checks import ANY_CORRECT, AVG_CORRECT

SENSIBLE: Final = "sensible"
PLAUSIBLE: Final = "plausible"
SURE: Final = "sure"
QUESTIONS: Final = {
    SENSIBLE: "Does the question make sense?",
    PLAUSIBLE: "Is the answer plausible?",
    SURE: "Have you checked your answers again?",
}
"""Answered by yes (1) or no (0), by the name that an answer has for each."""


class Correctness(Rating):
    """People say whether a question makes sense, whether its answer is plausible, and then of every passage whether it
    supports or contradicts the answer. An answer that is not plausible, or to no question, is not correct.
    """

    name: ClassVar[str] = "correctness"

    def check_answer(self, protocol: Protocol, event: Answered) -> None:  # noqa: ARG002
        """Yes or no to every question, and where both are yes at least one passage."""
        if not isinstance(event, OutputRated):
            raise EventError(f"task {event.task} asks about passages, and was answered with an outcome")
        if set(event.values) != set(QUESTIONS) or not set(event.values.values()) <= {0.0, 1.0}:
            raise EventError(f"task {event.task} needs yes (1) or no (0) for {', '.join(QUESTIONS)}")
        if not event.values[SURE]:
            raise EventError(f"task {event.task} was not checked again")
        judged = [span.passage for span in event.spans]
        if is_plausible(event.values) and not judged:
            raise EventError(f"task {event.task} is plausible, but no passage was judged")
        if len(set(judged)) < len(judged):
            raise EventError(f"task {event.task} judges a passage twice")
        if event.edit is not None:
            raise EventError(f"task {event.task} was answered with an edit, which nobody asked for")

    def values(self, event: OutputRated) -> dict[str, float]:
        """AnyCorrect and AvgCorrect."""
        if not is_plausible(event.values):
            return {ANY_CORRECT: 0.0, AVG_CORRECT: 0.0}
        supports = [span.support == "supports" for span in event.spans]
        return {ANY_CORRECT: float(any(supports)), AVG_CORRECT: sum(supports) / len(supports)}


def is_plausible(values: Mapping[str, float]) -> bool:
    """Whether passages are to be judged at all."""
    return bool(values.get(SENSIBLE) and values.get(PLAUSIBLE))
