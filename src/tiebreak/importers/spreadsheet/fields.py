"""What a spreadsheet's column can be, and the names that people give it.

Names are compared without case, spaces and punctuation: `Doc ID`, `doc_id` and `docId` are one name. A name may say
a side: `model_a`, `Model 1`, `left_model`, `responseB`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

from tiebreak.importers.spreadsheet.header_notes import bare_name
from tiebreak.importers.spreadsheet.header_words import (
    BETTER_WORDS,
    DETAIL_NAMES,
    METRIC_NAMES,
    NEGATIONS,
    OTHER_CHOICES,
    PARTS_OF_TASKS,
    PROPERTY_WORDS,
    SECOND_PLACES,
    SYNONYMS,
    header_key,
    word_set,
)

Side = Literal["a", "b"]

TARGETS: Final[dict[str, str]] = {
    "item": "the item's id",
    "input": "the item's input (prompt, source)",
    "context": "the item's context",
    "reference": "the item's reference output; several columns: one each",
    "cluster": "the group of dependent items (document, conversation)",
    "passage": "the id of a passage that outputs are checked against",
    "passage_text": "the text of a passage; several columns: one per passage",
    "system": "the system that wrote the text",
    "sample": "which of several outputs of a system for an item",
    "run": "the training that the system is a checkpoint of",
    "step": "the step of the training at which it was taken",
    "total_steps": "the steps of the whole training",
    "dev_loss": "the loss of the checkpoint on held-out data",
    "setting": "a hyper-parameter of the training; several columns: one each",
    "text": "an output; several columns: one per system",
    "system_a": "the first system of a pair",
    "system_b": "the second system of a pair",
    "sample_a": "which output of system_a",
    "sample_b": "which output of system_b",
    "pair": "both systems of a pair in one cell (x vs y)",
    "text_a": "the output of system_a",
    "text_b": "the output of system_b",
    "outcome": "who won; several columns: one per annotator or criterion",
    "rank": "a rank, 1 is the best; several columns: one per system",
    "ranking": "a ranking of systems (x > y = z)",
    "left": "the system shown on the left",
    "annotator": "the person who labelled; several columns: the answers of one person each",
    "judge": "the model that judged",
    "reply": "what the judge wrote",
    "p_a": "the judge's probability that system_a wins",
    "p_tie": "its probability of a tie",
    "p_b": "its probability that system_b wins",
    "signature": "what made the score or the judge's answer, in tables that tiebreak wrote",
    "unscored": "why the judge's reply has no outcome",
    "judged_texts": "a hash of what the judge read",
    "criterion": "what was judged",
    "value": "a rating; several columns: one per criterion",
    "edit": "the output as a person corrected it; several columns: one per system",
    "support": "whether the passage supports the output: supports, contradicts or neither",
    "sensible": "whether the question makes sense: yes or no",
    "plausible": "whether the output is a plausible answer: yes or no",
    "start": "where in the passage, in characters from 0",
    "end": "where that ends",
    "severity": "how bad a marked error is (MQM); the ratings follow from all of them",
    "metric": "the name of the metric that scored the text",
    "score": "a metric's score; several columns: one per metric",
    "seconds": "time spent on the label",
    "decided_at": "when the label was given",
    "ignore": "columns to leave out",
}

ALIASES: Final[dict[str, str]] = {
    "winner": "outcome",
    "preference": "outcome",
    "rating": "value",
    "output": "text",
    "prompt": "input",
}
"""Other words for a target that `--map` accepts."""

JOINED_COLUMNS: Final = frozenset({"item", "cluster", "system", "run", "annotator"})
"""Targets that several columns may make together: `item=doc_id+seg_id`."""

SEVERAL_COLUMNS: Final = frozenset(
    {"text", "reference", "setting", "outcome", "rank", "value", "score", "edit", "passage_text", "ignore"}
)

OF_TRAININGS: Final = ("run", "step", "total_steps", "dev_loss", "setting")
"""Targets that say of a system which checkpoint of which training it is."""

PEOPLE: Final = "annotator"
"""The target of which several columns are the answers of one person each."""

ABOUT_ONE: Final = ("value", "score", "rank", "severity", "edit", "support")
"""Targets that are about the one system of a row, unless there is a column for each."""

_SIDE_WORDS: Final[dict[str, Side]] = {
    "a": "a", "1": "a", "left": "a", "first": "a",
    "b": "b", "2": "b", "right": "b", "second": "b",
    "x": "a", "y": "b", "links": "a", "rechts": "b", "gauche": "a", "droite": "b", "izquierda": "a", "derecha": "b",
    "左": "a", "右": "b",
}  # fmt: skip
_ONLY_AFTER_KNOWN_WORDS: Final[dict[str, Side]] = {"a": "a", "b": "b", "one": "a", "two": "b"}
"""`responseA`, `Response one`; in `first one` and `which one` it says no side."""

_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.(?:\d+|[^\W\d]\w*))+")
_CALLED: Final = word_set("id email name username uuid")
_SAID: Final = word_set("text content body")
PASSAGES: Final = word_set(
    "passage passages paragraph paragraphs snippet snippets chunk chunks evidence evidences documents contexts ctxs"
)
"""What objects or lists of passages are called."""

_NAMED: Final = frozenset({*SYNONYMS["annotator"], *SYNONYMS["system"], *SYNONYMS["judge"]})
_ONLY_BESIDE_A_WORD: Final = ("x", "y")
_SCREEN_WORDS: Final = word_set("left right links rechts gauche droite izquierda derecha 左 右")
_SYSTEM_WORDS: Final = frozenset({*SYNONYMS["system"], "assistant", "agent", "competitor", "player", "name"})
NEUTRAL_TEXTS: Final = word_set("text message content sentence satz phrase")
"""Words for texts that nobody need have been asked for."""

_OF: Final = word_set("of for the")

TEXT_WORDS: Final = frozenset({*SYNONYMS["text"], *NEUTRAL_TEXTS, "conversation", "resp", "out", "ans"})


def folded(name: str) -> str:
    """The name without case, spaces, punctuation and accents' encoding: `Doc-ID ` is `docid`."""
    return "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isalnum())


def own_name(column: str) -> str:
    """The last part of a path that is no number: `Input.id` -> id, `annotations.0.completed_by` -> completed_by; what
    somebody is called says who it is: `completed_by.email` -> completed_by, `model.name` -> model; and what a passage
    says is its text: `passages.0.text` -> passage_text.

    Only words between points are a path; `gpt-3.5` is a name.
    """
    if not _PATH.fullmatch(column):
        return column
    last, *before = (part for part in reversed(column.split(".")) if not part.isdigit())
    above = header_key(before[0]) if before else ""
    if last in _SAID and above in PASSAGES:
        return "passage_text"
    return before[0] if last in _CALLED and above in _NAMED else last


def is_of_passages(column: str) -> bool:
    """Whether a path leads through a list of passages: `documents.0.score` is about a document."""
    return any(header_key(part) in PASSAGES for part in column.split(".")[:-1])


def key_of(column: str) -> str:
    """What names of columns are compared by: without path and notes, `Input.id` -> id, `Source (DE)` -> source."""
    return header_key(own_name(bare_name(column)))


def words(name: str) -> list[str]:
    """The words of a column name: `leftModel` -> left, model; `Model1` -> model, 1."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    return re.findall(r"\d+|[^\W\d_]+", spaced.casefold())


def name_without_number(column: str) -> str:
    """The name without its number."""
    return header_key("".join(word for word in words(column) if not word.isdigit()))


def side_of(name: str) -> tuple[Side | None, str]:
    """The side that a name says and the rest of it: `left_model` -> (a, model), `text` -> (None, text)."""
    parts = words(own_name(name))
    # The end says the side more often than the start: `model_1_left` does not occur, `a_model_b` neither.
    for position in (*((-1,) if parts else ()), *range(len(parts) - 1)):
        side = _SIDE_WORDS.get(parts[position])
        if side is not None and (len(parts) > 1 or parts[0] not in _ONLY_BESIDE_A_WORD):
            rest = parts[:position] if position == -1 else parts[:position] + parts[position + 1 :]
            return side, header_key("".join(rest))
    joined = header_key("".join(parts))
    for ending, side in _ONLY_AFTER_KNOWN_WORDS.items():
        if joined.endswith(ending) and joined.removesuffix(ending) in _SYSTEM_WORDS | TEXT_WORDS | PARTS_OF_TASKS:
            return side, joined.removesuffix(ending)
    return None, joined


def sided_target(name: str) -> str | None:
    """`system_a`, `system_b`, `text_a` or `text_b` if the name says one of them, else None."""
    side, rest = side_of(name)
    if side is None or key_of(name) in DETAIL_NAMES:  # `First Name` is a person's
        return None
    if _names_systems(rest) or _names_system_of_text(name, rest):
        return f"system_{side}"
    is_text = rest in TEXT_WORDS or any(
        rest in (system + text, text + system) for system in _SYSTEM_WORDS for text in TEXT_WORDS
    )
    return f"text_{side}" if is_text else None


def _names_systems(rest: str) -> bool:
    """Whether a name without its side is a word for systems: `model`, `modelid`."""
    return rest in _SYSTEM_WORDS or rest.removesuffix("name").removesuffix("id") in _SYSTEM_WORDS


def _names_system_of_text(name: str, rest: str) -> bool:
    """`Answer 1 model` is the model of Answer 1; `answer model 1` is the answer of Model 1."""
    ends_with_side = words(own_name(name))[-1] in _SIDE_WORDS
    return not ends_with_side and any(
        rest.startswith(text) and _names_systems(rest.removeprefix(text)) for text in TEXT_WORDS
    )


def texts_whose_system(column: str) -> Iterator[tuple[str, ...]]:
    """The words of each column whose text's system this one may name: `Answer 1 model` and `model of answer 1` are
    called as `Answer 1` is, with words for a system.
    """
    parts = words(own_name(column))
    for start in range(len(parts)):
        for end in range(start + 1, len(parts) + 1):
            if _names_systems("".join(word for word in parts[start:end] if word not in _OF)):
                yield (*parts[:start], *parts[end:])


def is_left_right(name: str) -> bool:
    """Whether the name says a place on the screen, so that an outcome `left` has a meaning."""
    return bool(_SCREEN_WORDS & set(words(name)))


def other_choice(name: str) -> str | None:
    """What a column that names one of two says, if not who won: `lost`, `shown` (first), `correct`, or a `property`."""
    found = set(map(header_key, words(name)))
    won = bool(found & BETTER_WORDS)
    if (won or "choice" in found) and (found & NEGATIONS or ("second" in found and found & SECOND_PLACES)):
        return "lost"
    if won:
        return None
    if found & PROPERTY_WORDS:
        return "property"
    said = next((what for what, said in OTHER_CHOICES.items() if found & said), None)
    return None if said == "correct" and "more" in found else said


def is_metric_name(name: str) -> bool:
    """`ROUGE-L`, `bleu_4`, `bertscore_f1`: a metric that computers compute."""
    plain = key_of(name)
    return any(plain == metric or (len(metric) > 3 and plain.startswith(metric)) for metric in METRIC_NAMES)


def without_owner(column: str, owner: str) -> str | None:
    """What is left of a column's name without the system's at its start or end: `gpt-4o score`, gpt-4o -> score.

    None where the system's name is no whole part of it: gpt-4 is none of `gpt-4o score`.
    """
    plain = column.strip()
    if plain.casefold().startswith(owner.casefold()) and _may_part(plain, len(owner)):
        return plain[len(owner) :].strip(_BETWEEN)
    if plain.casefold().endswith(owner.casefold()) and _may_part(plain, len(plain) - len(owner)):
        return plain[: -len(owner)].strip(_BETWEEN)
    return None


def _may_part(name: str, position: int) -> bool:
    """Whether one word ends here and another begins: at a sign, an end, or a capital (`llamaScore`)."""
    before, after = name[position - 1 : position], name[position : position + 2]
    if not (before and after and before.isalnum() and after[0].isalnum()):
        return True
    return not before.isupper() and after[:1].isupper() and after[1:].islower()


_BETWEEN: Final = " _-.:/()[]'’"
