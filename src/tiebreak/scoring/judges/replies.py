"""What a judge may answer, what a model did answer, and which of it is an answer of the menu, or why none is.

Nothing is ever guessed: the last match counts, or nothing. Log-probabilities of tokens become probabilities of answers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tiebreak.parsing import ParsingError, json_reader

KEY: Final = "answer"
"""Of the JSON object that a structured reply is."""

TOKENS_KEPT: Final = 32
"""Of the end of a reply, where the verdict stands: log-probabilities of a long one would fill a disk."""

_FENCED: Final = re.compile(r"^```\w*\n(?P<inside>.*)\n```$", re.DOTALL)
_MARKED: Final = re.compile(r"\[\[(?P<brackets>[^\[\]]*)\]\]|\{[^{}]*\"answer\"\s*:\s*\"(?P<json>[^\"{}]*)\"[^{}]*\}")
_AROUND: Final = " \t\r\n.,:;!\"'`*_()[]"


@dataclass(frozen=True, slots=True)
class Match:
    """An answer of the menu, and where in the reply it stands."""

    label: str
    place: int


@dataclass(frozen=True, slots=True)
class Menu:
    """The answers that are allowed, each by its meaning."""

    meanings: dict[str, str]

    @property
    def labels(self) -> tuple[str, ...]:
        """The answers themselves."""
        return tuple(self.meanings)

    def schema(self) -> dict[str, object]:
        """A JSON schema that nothing but an answer fits."""
        return {
            "type": "object",
            "properties": {KEY: {"type": "string", "enum": list(self.labels)}},
            "required": [KEY],
            "additionalProperties": False,
        }

    def instruction(self, *, structured: bool) -> str:
        """What the judge is told to answer."""
        form = f'{{{{"{KEY}": "{{}}"}}}}' if structured else "[[{}]]"
        meanings = "; ".join(f"{form.format(label)} {words}" for label, words in self.meanings.items())
        how = "Answer with one of these JSON objects" if structured else "End with one of these, in double brackets"
        return f"{how}, and write nothing after it: {meanings}."

    def read(self, reply: str) -> Match | None:
        """The answer of a reply: a JSON object that is all of it; or else the last answer in double brackets or in an
        object of its own; or else a reply that is nothing but an answer. None where that is not on the menu.
        """
        text = reply.strip()
        if text.startswith(("{", "```")):
            inside = _FENCED.match(text)
            whole = _whole_object(inside["inside"].strip() if inside else text)
            if whole is not None:
                return self._match(whole.get(KEY), reply, reply.rfind(f'"{KEY}"') + len(KEY) + 2)
        marked = list(_MARKED.finditer(reply))
        if marked:
            which = "brackets" if marked[-1]["brackets"] is not None else "json"
            return self._match(marked[-1][which], reply, marked[-1].start(which))
        return self._match(text.strip(_AROUND), reply, 0)

    def known(self, text: str) -> str | None:
        """The answer of the menu that this is, whatever stands around it and in capitals."""
        bare = text.strip(_AROUND)
        if bare in self.meanings:
            return bare
        alike = [label for label in self.meanings if label.casefold() == bare.casefold()]
        return alike[0] if len(alike) == 1 else None

    def _match(self, answer: object, reply: str, start: int) -> Match | None:
        label = self.known(answer) if isinstance(answer, str) else None
        if label is None or not isinstance(answer, str):
            return None
        return Match(label, reply.find(answer.strip(_AROUND), start))


def _whole_object(text: str) -> dict[str, object] | None:
    """The JSON object that a text is; None where it is none."""
    try:
        document = json_reader()(text)
    except ParsingError:
        return None
    return document if isinstance(document, dict) else None


def pair_menu(labels: tuple[str, ...], *, ties: bool) -> Menu:
    """Answers of a judge that compares two texts."""
    meanings = ["if the first text is better", "if the second text is better", "if they are equally good"]
    return Menu(dict(zip(labels, meanings[: 3 if ties else 2], strict=False)))


def grade_menu(low: int, high: int) -> Menu:
    """Answers of a judge that grades single texts."""
    words = {low: "the lowest grade", high: "the highest grade"}
    return Menu({str(grade): f"for {words.get(grade, f'grade {grade}')}" for grade in range(low, high + 1)})


Stop = Literal["done", "length", "refused", "filtered"]
"""Why the reply ends: by itself, at the most tokens that it may have, because the model would not answer, or because a
filter of the provider took it away."""

Unscored = Literal["unparsed", "truncated", "refused", "filtered"]
"""Why a reply is worth nothing: it says nothing of the menu; it was cut off; the model would not answer; a filter of
the provider took it away."""

_BY_STOP: Final[dict[Stop, Unscored]] = {"length": "truncated", "refused": "refused", "filtered": "filtered"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply, and the log-probabilities of what could have stood in its place, itself among them."""

    text: str
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens `read` and `written`, reasoning included, as the provider bills them."""

    read: int
    written: int

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.read + other.read, self.written + other.written)


NO_USAGE: Final = Usage(0, 0)


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply. `model`: the one that says that it answered; `usage`: None where the server does not count; `tokens`:
    the last ones, empty without log-probabilities.
    """

    text: str
    stop: Stop
    model: str
    usage: Usage | None
    tokens: tuple[Token, ...] = ()


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
    shares = dict.fromkeys(menu.labels, 0.0)
    for text, logprob in token.alternatives:
        label = menu.known(text)
        if label is not None:
            shares[label] += math.exp(min(logprob, 0.0))
    total = sum(shares.values())
    if not 0 < total <= 1 + 1e-3:  # rounded log-probabilities may sum to a little more than 1
        return None
    return ReplyChances({label: share / total for label, share in shares.items()}, max(1 - total, 0.0))


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


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """A `label` of the menu, with probabilities where there are any, or the reason why there is none."""

    label: str | None
    unscored: Unscored | None = None
    chances: ReplyChances | None = None


def reading_of(answer: Answer, menu: Menu) -> ReplyReading:
    """What a reply says; one that was cut off says nothing, even where an answer stands in it."""
    if answer.stop != "done":
        return ReplyReading(None, _BY_STOP[answer.stop])
    match = menu.read(answer.text)
    if match is None:
        return ReplyReading(None, "unparsed")
    return ReplyReading(match.label, chances=chances(answer, match, menu))


@dataclass(frozen=True, slots=True)
class Reply:
    """A reading, with the text of the answer where there was one and the model that gave it; `dropped`: the parameters
    that it was asked without.
    """

    reading: ReplyReading
    dropped: frozenset[str]
    text: str | None = None
    model: str = ""


@dataclass(frozen=True, slots=True)
class NoReply:
    """There is none: `message` says why, as the server did."""

    message: str


PENDING: Final = NoReply("in a batch that has not ended")

Outcome = Reply | NoReply
