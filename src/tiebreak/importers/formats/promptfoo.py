"""promptfoo: the results of an evaluation (`promptfoo eval -o results.json`, or `.jsonl`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tiebreak.importers.entries import Entry
from tiebreak.importers.formats.format import Format, at, is_there, objects, points, says, text
from tiebreak.tabular.documents import Record, text_of
from tiebreak.tabular.headers import Place
from tiebreak.tabular.source import Source

_PATHS: Final = ("results.results", "results")
_KEYS: Final = ("provider", "prompt", "vars")


def _results(source: Source) -> Sequence[Record]:
    if source.is_by_line:
        return [record for _, record in source.records()]
    return next((results for path in _PATHS if (results := objects(source.document, path))), [])


def _fits(source: Source) -> bool:
    results = source.first if source.is_by_line else _results(source)
    return bool(results) and all(is_there(result, key) for result in results[:5] for key in _KEYS)


def _read(sources: Sequence[Source]) -> Iterator[Entry]:
    for source in sources:
        results = _results(source)
        names = {(_provider(answer), text(answer, "prompt.label")) for answer in results}
        several = len(names) > len({provider for provider, _ in names})
        tests: dict[str, int] = {}
        for line, result in enumerate(results, 1):
            # Files of version 2 do not number the tests.
            item = text(result, "testIdx") or str(tests.setdefault(text_of(at(result, "vars")), len(tests)))
            label = f" / {text(result, 'prompt.label')}" if several else ""
            yield from _result(result, item, _provider(result) + label, Place(source.file, line, source.unit))


def _provider(result: Record) -> str:
    provider = at(result, "provider")
    return text(provider, "label") or text(provider, "id") if isinstance(provider, Mapping) else text_of(provider)


def _result(result: Record, item: str, system: str, place: Place) -> Iterator[Entry]:
    about = {"item": f"test{item}", "system": system}
    output, variables = text_of(at(result, "response.output")), at(result, "vars")
    variable_values = list(variables.values()) if isinstance(variables, Mapping) else []
    asked = text_of(variable_values[0]) if len(variable_values) == 1 else text_of(variables)
    yield says(place, **about, input=asked or None, text=output or None)
    named = at(result, "namedScores")
    scores = {"score": at(result, "score"), **(named if isinstance(named, Mapping) else {})}
    if text(result, "error") and not output:
        scores = {"score": None}  # no answer: the 0 that the file holds is no score
    for metric, value in scores.items():
        yield says(place, **about, metric=metric, score=points(value))


FORMAT: Final = Format("promptfoo", "promptfoo results", _fits, _read)
