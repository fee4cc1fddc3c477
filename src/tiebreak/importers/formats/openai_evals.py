"""OpenAI evals: the events of a run (JSON Lines)."""

from __future__ import annotations

from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, conversation, is_there, number, points, says, systems_of, text
from tiebreak.tabular.documents import text_of
from tiebreak.tabular.source import Source, Sources


def _fits(source: Source) -> bool:
    return bool(source.first) and is_there(source.first[0], "spec.eval_name")


def _read(sources: Sources) -> Entries:
    specs = [(at(source.first[0], "spec"), source.stem) for source in sources]
    models = [text(spec, "completion_fns.0", "model_name") or stem for spec, stem in specs]
    runs = [(text(spec, "eval_name"), model) for (spec, _), model in zip(specs, models, strict=True)]
    for source, system in zip(sources, systems_of(runs, [source.file for source in sources]), strict=True):
        answered = set[str]()
        for place, record in source.placed():
            kind = text(record, "type")
            about = {"item": text(record, "sample_id"), "system": system}
            sampled = at(record, "data.sampled")
            if sampled is not None and about["item"] not in answered:  # what a judge samples then is of the same item
                answered.add(about["item"])
                output = sampled[0] if isinstance(sampled, list) and sampled else sampled
                asked = at(record, "data.prompt")
                question = asked if isinstance(asked, str) else conversation(record, "data.prompt")[0]
                yield says(place, **about, input=question, text=text_of(output))
            if kind == "match":
                score = points(at(record, "data.correct"))
                yield says(place, **about, metric="match", score=score, reference=at(record, "data.expected"))
            elif kind == "metrics":
                measured = at(record, "data")
                for metric, value in measured.items() if isinstance(measured, dict) else ():
                    if value is None or number(value) is not None:  # others are words
                        yield says(place, **about, metric=metric, score=points(value))


FORMAT: Final = Format("openai-evals", "OpenAI evals runs", _fits, _read)
