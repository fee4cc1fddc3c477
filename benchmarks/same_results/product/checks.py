"""`check`."""

from __future__ import annotations

from typing import Any

from benchmarks.same_results.product.comparisons import notices
from benchmarks.same_results.product.plain import named, taken
from benchmarks.same_results.records import Record

import tiebreak
from tiebreak.data.study import Study


def examined(study: Study) -> Record:
    """All numbers of `check`."""
    found = tiebreak.check(study)
    return {
        "holds": _holdings(found.holds),
        "supports": sorted([can.name, can.possible] for can in found.supports),
        "notices": notices(found.looks_wrong),
    }


def _holdings(holds: Any) -> Record:
    counts = {"labels": "labels", "items": "items", "systems": "systems", "people": "annotators"}
    system = {
        "outputs": "outputs",
        "missing": "missing",
        "empty": "empty",
        "median_characters": "median_characters",
        "labels": "labels",
    }
    person = {"labels": "labels", "share": "share", "median_seconds": "median_seconds"}
    judge = {"replies": "replies", "unparsed": "unparsed", "pairs": "pairs"}
    return {
        **taken(holds, items="items", inputs="inputs", references="references", clusters="clusters"),
        **taken(holds, human_labels="human_labels", outputs="outputs"),
        "systems": named((of.system, taken(of, **system)) for of in holds.systems),
        "labels": named((f"{of.kind} {of.criterion}", taken(of, **counts)) for of in holds.labels),
        "people": named((of.annotator, taken(of, **person)) for of in holds.annotators),
        "metrics": named(
            (f"{of.metric} {of.criterion}", taken(of, scores="scores", share="share")) for of in holds.metrics
        ),
        "judges": named((f"{of.judge} {of.criterion}", taken(of, **judge)) for of in holds.judges),
    }
