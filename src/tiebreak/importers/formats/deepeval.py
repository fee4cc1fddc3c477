"""DeepEval: the cases of a test run, a file for each system."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, names_of, objects, points, says, text
from tiebreak.tabular.documents import dialogue, messages_in, text_of
from tiebreak.tabular.source import Place, Record, Source, Sources

_RUNS: Final = ("testRunData.", "")
_LISTS: Final = ("testCases", "conversationalTestCases", "test_results")
"""The last as Python writes it, whose keys have underscores."""


def _cases(source: Source) -> list[Record]:
    """The cases with the keys of a file."""
    found = [case for run in _RUNS for name in _LISTS for case in objects(source.document, run + name)]
    return [{re.sub("_(.)", lambda match: match[1].upper(), key): case[key] for key in case} for case in found]


def _read(sources: Sources) -> Entries:
    for source, called in zip(sources, names_of([source.path for source in sources]), strict=True):
        cases = _cases(source)
        names, seen = Counter(text(case, "name") for case in cases), Counter[str]()
        for line, case in enumerate(cases, 1):
            place, name = Place(source.file, line, "record"), text(case, "name") or "case"
            seen[name] += 1  # a test function has one name for all of its cases
            item = f"{name}/{seen[name]}" if names[name] != 1 else name
            yield from _case(case, {"item": item, "system": called.removeprefix("deepeval_")}, place)


def _case(case: Record, about: dict[str, str], place: Place) -> Entries:
    context = at(case, "context")  # what was retrieved differs from system to system
    passages = "\n\n".join(map(text_of, context)) if isinstance(context, list) else text_of(context)
    talk = dialogue(messages_in(at(case, "turns")))
    yield says(
        place, **about, input=text(case, "input", "scenario") or None, context=passages or None,
        reference=text(case, "expectedOutput", "expectedOutcome") or None,
        text=text(case, "actualOutput") or talk or None,
    )  # fmt: skip
    for metric in objects(case, "metricsData"):
        yield says(place, **about, metric=text(metric, "name"), score=points(at(metric, "score")))


FORMAT: Final = Format(
    "deepeval", "DeepEval test runs", lambda source: any("metricsData" in case for case in _cases(source)), _read
)
