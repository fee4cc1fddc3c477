"""Preference sets to learn from: what was chosen and what was rejected, with the models where the file names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, conversation, have, name_of, placed, points, says, text, unpacked
from tiebreak.tabular.documents import messages_in
from tiebreak.tabular.source import Place, Record, Source, Sources

_ASKED: Final = (("prompt",), ("question",), ("instruction", "input"), ("conversations",))
_NAMES: Final = ("prompt_id", "id")
_SIDES: Final = ("chosen", "rejected")
_LAST: Final = "\n\nAssistant:"
"""What stands before the last answer, where question and answer are one text, as in HH-RLHF."""


def _side(record: Record, key: str) -> tuple[str | None, str | None]:
    """What was asked and answered, of a conversation or a text."""
    value = record.get(key)
    if not isinstance(value, str) or messages_in(unpacked(value)):
        return conversation(record, key)
    asked, mark, answer = value.rpartition(_LAST)
    return (asked.strip(), answer.strip()) if mark else (None, value)


def _asked(record: Record) -> str | None:
    for names in _ASKED:
        parts = [part for name in names if (part := _side(record, name)[1] or _side(record, name)[0])]
        if parts:
            return "\n\n".join(parts)
    return _side(record, "chosen")[0]


def _models(record: Record) -> list[str]:
    return [text(record, f"{side}_model", f"{side}-model") for side in _SIDES]


def _read(sources: Sources) -> Entries:
    rows = Counter(name_of(record, place, *_NAMES) for place, record in placed(sources))
    for place, record in placed(sources):
        name, models = name_of(record, place, *_NAMES), _models(record)
        # A question may stand in several rows, each with other answers.
        again = rows[name] > 1 and not all(models)
        about = {"item": name_of(record, place) if again else name, "cluster": name if again else None}
        yield from _pair(record, about, models, place)


def _pair(record: Record, about: dict[str, str | None], models: Sequence[str], place: Place) -> Entries:
    first, second = systems = [model or side for model, side in zip(models, _SIDES, strict=True)]
    yield says(
        place, "a", **about, input=_asked(record), system_a=first, system_b=second,
        annotator=text(record, "annotator") or "dataset",
        text_a=_side(record, "chosen")[1] or "", text_b=_side(record, "rejected")[1] or "",
    )  # fmt: skip
    for side, system in zip(_SIDES, systems, strict=True) if first != second else ():
        for metric in ("score", "rating"):
            for column in {f"{metric}_{side}", f"{side}_{metric}", f"{side}-{metric}"} & record.keys():
                yield says(place, item=about["item"], system=system, metric=metric, score=points(record[column]))


def _fits(source: Source) -> bool:
    """Texts or conversations, and not the names of systems, which come again and again."""
    if not have(source, *_SIDES):
        return False
    answers = [text(record, side) for record in source.first for side in _SIDES]
    return any(" " in answer.strip() for answer in answers) or 2 * len(set(answers)) > len(answers)


def _remark(sources: Sources) -> str:
    if all(all(_models(record)) for source in sources for record in source.first):
        return ""
    return "No column names models: these labels are to learn from, and no evidence which system is better."


FORMAT: Final = Format("chosen-rejected", "preference sets (chosen, rejected)", _fits, _read, remark=_remark)
