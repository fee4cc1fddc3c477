"""The texts of a study, found by item, system and passage: annotators get one task at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from tiebreak.campaign.events import TaskAssigned
from tiebreak.campaign.kinds import ItemTexts, LabelKind
from tiebreak.data.provenance import reference_texts
from tiebreak.data.study import Study
from tiebreak.errors import InputError, Problem

GIVEN: Final = ("input", "context", "reference")
"""What an item may have beside its outputs, as annotators see it."""
_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class StudyTexts:
    """Texts as the study has them; each table is read once, when something of it is asked for."""

    def __init__(self, study: Study) -> None:
        self._study = study

    def of_task(self, task: TaskAssigned, kind: LabelKind) -> ItemTexts:
        """The outputs of a task's systems, and the passages of its item where its kind of label shows any.

        Raises:
            InputError: the study has no output of one of them.
        """
        outputs = {}
        for system in task.systems:
            text = self._outputs.get((task.item, system))
            if text is None:
                message = f"item {task.item!r} has no output of {system}, which a task shows; write it into outputs"
                raise InputError([Problem("study", message)])
            outputs[system] = text
        return ItemTexts(outputs, self._passages.get(task.item, _NOTHING) if kind.shows_passages else _NOTHING)

    def given(self, item: str) -> Mapping[str, str]:
        """Input, context and references of an item, by these names, where it has them."""
        return self._given.get(item, _NOTHING)

    @cached_property
    def _outputs(self) -> dict[tuple[str, str], str]:
        frame = self._study.outputs
        if frame is None:
            return {}
        return {(item, system): text or "" for item, system, text in frame.select("item", "system", "text").iter_rows()}

    @cached_property
    def _passages(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        if self._study.passages is not None:
            for item, passage, text in self._study.passages.select("item", "passage", "text").iter_rows():
                found.setdefault(item, {})[passage] = text or ""
        return found

    @cached_property
    def _given(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        if self._study.items is not None:
            columns = ["item", "input", "context", "reference", "references"]
            for item, text, context, *references in self._study.items.select(columns).iter_rows():
                joined = _joined([one for value in references for one in reference_texts(value)])
                said = dict(zip(GIVEN, (text, context, joined), strict=True))
                found[item] = {name: value for name, value in said.items() if value and value.strip()}
        return found


def _joined(texts: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(texts))
    if len(distinct) <= 1:
        return "".join(distinct)
    return "\n\n".join(f"({number}) {text}" for number, text in enumerate(distinct, 1))
