"""LM Evaluation Harness: the samples of tasks (`samples_TASK_DATE.jsonl`), in a folder for each model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tiebreak.importers.entries import Entries
from tiebreak.importers.formats.format import Format, at, have, names_of, points, says, text
from tiebreak.tabular.source import Place, Record, Source, Sources

_NAME: Final = re.compile(r"samples_(?P<task>.+?)(?:_\d{4}-\d\d-\d\dT.*)?")

_NO_METRICS: Final = frozenset({
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter",
    "doc_hash", "prompt_hash", "target_hash",
})  # fmt: skip
"""What stands beside the metrics in older files, which do not list them."""


def _fits(source: Source) -> bool:
    if source.is_folder:
        return bool(_files(source))
    return have(source, "doc_id", "doc", "resps", "filtered_resps")


def _files(source: Source) -> list[Path]:
    return sorted(source.path.rglob("samples_*.jsonl"))


def _read(sources: Sources) -> Entries:
    files = [file for s in sources for file in (map(Source, map(str, _files(s))) if s.is_folder else [s])]
    others = [file.path for file in files if not _NAME.fullmatch(file.path.stem)]
    # Files that their owner named: after the models, unless several are named alike, after tasks.
    names = dict(zip(others, names_of(others), strict=True))
    for file in files:
        named, stem, folder = _NAME.fullmatch(file.path.stem), file.path.stem, file.path.resolve().parent.name
        system = names.get(file.path, folder)
        task = named["task"] if named else "" if system == stem else stem
        filters = {text(record, "filter") for _, record in file.records()}
        for place, record in file.placed():
            yield from _sample(record, task, system, place, several=len(filters) > 1)


def _sample(record: Record, task: str, system: str, place: Place, *, several: bool) -> Entries:
    item = f"{task}/{text(record, 'doc_id')}".removeprefix("/")
    sample = text(record, "filter") or None if several else None
    output = at(record, "filtered_resps")
    while isinstance(output, list) and len(output) == 1:  # one for each request; likelihoods are pairs
        output = output[0]
    asked = text(record, "arguments.gen_args_0.arg_0", "arguments.0.0")
    target = text(record, "target")
    yield says(
        place, item=item, input=asked or None, reference=target or None, system=system, sample=sample,
        text=output if isinstance(output, str) and output else None,
    )  # fmt: skip
    metrics = at(record, "metrics")
    names = metrics if isinstance(metrics, list) else [name for name in record if name not in _NO_METRICS]
    for metric in map(str, names):
        score = points(record.get(metric))
        yield says(place, item=item, system=system, sample=sample, metric=f"{task} {metric}".strip(), score=score)


FORMAT: Final = Format("lm-eval", "LM Evaluation Harness samples", _fits, _read)
