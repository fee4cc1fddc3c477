"""What a judge may answer, and which of it a reply says: the last match, or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tiebreak.parsing import ParsingError, json_reader

KEY: Final = "answer"
"""Of the JSON object that a structured reply is."""

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
        meanings = "; ".join(f"{self._written(label, structured)} {words}" for label, words in self.meanings.items())
        how = "Answer with one of these JSON objects" if structured else "End with one of these, in double brackets"
        return f"{how}, and write nothing after it: {meanings}."

    def _written(self, label: str, structured: bool) -> str:
        return f'{{"{KEY}": "{label}"}}' if structured else f"[[{label}]]"

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

    def known(self, said: str) -> str | None:
        """The answer of the menu that this is, whatever stands around it and in capitals."""
        bare = said.strip(_AROUND)
        if bare in self.meanings:
            return bare
        alike = [label for label in self.meanings if label.casefold() == bare.casefold()]
        return alike[0] if len(alike) == 1 else None

    def _match(self, said: object, reply: str, start: int) -> Match | None:
        label = self.known(said) if isinstance(said, str) else None
        if label is None or not isinstance(said, str):
            return None
        return Match(label, reply.find(said.strip(_AROUND), start))


def _whole_object(text: str) -> dict[str, object] | None:
    """The JSON object that a text is; None where it is none."""
    try:
        found = json_reader()(text)
    except ParsingError:
        return None
    return found if isinstance(found, dict) else None


def pair_menu(labels: tuple[str, ...], *, ties: bool) -> Menu:
    """Answers of a judge that compares two texts."""
    meanings = ["if the first text is better", "if the second text is better", "if they are equally good"]
    return Menu(dict(zip(labels, meanings[: 3 if ties else 2], strict=False)))


def grade_menu(low: int, high: int) -> Menu:
    """Answers of a judge that grades single texts."""
    words = {low: "the lowest grade", high: "the highest grade"}
    return Menu({str(grade): f"for {words.get(grade, f'grade {grade}')}" for grade in range(low, high + 1)})
