"""DeepEval: the cases of a test run, a file for each system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, at, is_there, objects, points, says, text
from tiebreak.tabular.documents import Record, text_of
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_PATHS: Final = ("testRunData.testCases", "testCases")


def _cases(source: Source) -> list[Record]:
    return next((cases for path in _PATHS if (cases := objects(source.document, path))), [])


def _read(sources: Sequence[Source]) -> Iterator[Entry]:
    for source in sources:
        system = source.stem.removeprefix("deepeval_")
        for line, case in enumerate(_cases(source), 1):
            place = Place(source.file, line, "record")
            about = {"item": text(case, "name") or f"case{line}", "system": system}
            context = at(case, "context")  # what was retrieved differs from system to system
            passages = "\n\n".join(map(text_of, context)) if isinstance(context, list) else text_of(context)
            yield says(
                place, **about, input=text(case, "input") or None, context=passages or None,
                reference=text(case, "expectedOutput") or None, text=text(case, "actualOutput") or None,
            )  # fmt: skip
            for metric in objects(case, "metricsData"):
                yield says(place, **about, metric=text(metric, "name"), score=points(at(metric, "score")))


FORMAT: Final = Format(
    "deepeval",
    "DeepEval test runs",
    lambda source: any(is_there(case, "input") and is_there(case, "metricsData") for case in _cases(source)),
    _read,
)
