"""promptfoo: the results of an evaluation (`promptfoo eval -o results.json`, or `.jsonl`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, is_there, objects, points, says, text
from tiebreak.tabular.documents import text_of
from tiebreak.tabular.source import Place, Record, Source, Sources

_PATHS: Final = ("results.results", "results")
_KEYS: Final = ("provider", "prompt", "vars")
_FAILED: Final = "1"
"""The reason of a failure that says that there was an answer, which an assertion did not accept."""


def _results(source: Source) -> Sequence[Record]:
    if source.is_by_line:
        return [record for _, record in source.records()]
    return next((results for path in _PATHS if (results := objects(source.document, path))), [])


def _fits(source: Source) -> bool:
    results = source.first if source.is_by_line else _results(source)
    return bool(results) and all(is_there(result, key) for result in results[:5] for key in _KEYS)


def _read(sources: Sources) -> Entries:
    results = [(source, line, result) for source in sources for line, result in enumerate(_results(source), 1)]
    asked = [text_of(_variables(result)) for _, _, result in results]
    tests = {question: number for number, question in enumerate(dict.fromkeys(asked))}
    # Files of version 2 do not number the tests.
    items = [text(row[2], "testIdx") or str(tests[question]) for row, question in zip(results, asked, strict=True)]
    times = Counter(question for _, question in set(zip(items, asked, strict=True)))
    rows = zip(results, _systems(results), items, asked, strict=True)
    for (source, line, result), system, item, question in rows:
        # A question that is asked again is another test.
        cluster = f"question{tests[question]}" if times[question] > 1 else None
        about = {"item": f"test{item}", "system": system, "cluster": cluster}
        yield from _result(result, about, Place(source.file, line, source.unit))


def _systems(results: Sequence[tuple[Source, int, Record]]) -> list[str]:
    """Providers; with their prompts, and the numbers of these, where that tells them apart."""
    parts = []
    for source, _, result in results:
        provider, label = at(result, "provider"), text(result, "prompt.label", "prompt.display")
        if isinstance(provider, Mapping):
            provider = text(provider, "label", "id")
        parts.append((text_of(provider), label, text(result, "promptIdx"), source.file))
    several = len({part[:2] for part in parts}) > len({part[0] for part in parts})
    alike = Counter((provider, label, file) for provider, label, _, file in set(parts))
    return [
        provider + (f" / {label}" if several else "") + (f" #{number}" if alike[provider, label, file] > 1 else "")
        for provider, label, number, file in parts
    ]


def _variables(result: Record) -> object:
    """Without those that promptfoo adds, which differ from run to run."""
    variables = at(result, "vars")
    if not isinstance(variables, Mapping):
        return variables
    return {name: value for name, value in variables.items() if not name.startswith("_") and name != "sessionId"}


def _result(result: Record, about: dict[str, str | None], place: Place) -> Entries:
    output, variables = text_of(at(result, "response.output")), _variables(result)
    variable_values = list(variables.values()) if isinstance(variables, Mapping) else []
    asked = text_of(variable_values[0]) if len(variable_values) == 1 else text_of(variables)
    yield says(place, **about, input=asked or None, text=output or None)
    named = at(result, "namedScores")
    scores = {"score": at(result, "score"), **(named if isinstance(named, Mapping) else {})}
    if text(result, "error") and not output and text(result, "failureReason") != _FAILED:
        scores = {"score": None}  # no answer: the 0 that the file holds is no score
    grades = objects(result, "gradingResult.componentResults")
    if any(text(grade, "assertion.type") == "human" for grade in grades):  # a person's grade replaces the score
        yield says(place, **about, value=points(scores.pop("score")))
    for metric, value in scores.items():
        yield says(place, **about, metric=metric, score=points(value))


FORMAT: Final = Format("promptfoo", "promptfoo results", _fits, _read)
