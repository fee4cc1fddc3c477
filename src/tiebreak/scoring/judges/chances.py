"""From log-probabilities of tokens to probabilities of answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tiebreak.scoring.judges.answers import Answer, Token
from tiebreak.scoring.judges.menu import Match, Menu


@dataclass(frozen=True, slots=True)
class ReplyChances:
    """Probabilities by answer, which sum to 1, and the probability `leaked` to what is on no menu before that."""

    of: dict[str, float]
    leaked: float


def chances(answer: Answer, match: Match, menu: Menu) -> ReplyChances | None:
    """The probabilities where the reply says its answer; an answer's are those of all its forms ("A", " A", '"A').

    None without log-probabilities, where these are not of the reply's text, or where one answer begins another, so that
    its first token does not tell which is meant.
    """
    if not answer.text.endswith("".join(token.text for token in answer.tokens)):
        return None
    token = _token_at(answer.tokens, len(answer.text) - match.place)
    if token is None or menu.known(token.text) != match.label or _ambiguous(menu.labels):
        return None
    found = dict.fromkeys(menu.labels, 0.0)
    for text, logprob in token.alternatives:
        label = menu.known(text)
        if label is not None:
            found[label] += math.exp(min(logprob, 0.0))
    total = sum(found.values())
    if not 0 < total <= 1 + 1e-3:  # rounded log-probabilities may sum to a little more than 1
        return None
    return ReplyChances({label: share / total for label, share in found.items()}, max(1 - total, 0.0))


def _token_at(tokens: Sequence[Token], from_end: int) -> Token | None:
    """The token that holds the character so many from the end of the reply, which the tokens end with."""
    left = 0
    for token in reversed(tokens):
        left += len(token.text)
        if left >= from_end:
            return token
    return None


def _ambiguous(labels: Sequence[str]) -> bool:
    folded = [label.casefold() for label in labels]
    return any(one != other and other.startswith(one) for one in folded for other in folded)
