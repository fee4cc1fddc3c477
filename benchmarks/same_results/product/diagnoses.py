"""`doctor`."""

from __future__ import annotations

from typing import Any

from benchmarks.same_results.product.comparisons import notices
from benchmarks.same_results.product.plain import named, pair_name, taken
from benchmarks.same_results.records import Record

import tiebreak
from tiebreak.data.study import Study


def examined(study: Study) -> Record:
    """All numbers of `doctor`."""
    found = tiebreak.doctor(study)
    return {
        "alpha": found.alpha,
        "holds": _holdings(found.holds),
        "supports": sorted([can.name, str(can.criterion), can.possible] for can in found.supports),
        "blocks": sorted(([block.code, str(block.criterion), block.further_labels] for block in found.blocks), key=str),
        "notices": notices(found.looks_wrong),
        "criteria": named((str(support.criterion), _support(support)) for support in found.criteria),
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


def _support(support: Any) -> Record:
    need = {
        "items": "items",
        "further_items": "further_items",
        "further_labels": "further_labels",
        "pairs_ready": "pairs_ready",
    }
    pair = {
        "items": "items",
        "labels": "labels",
        "units": "units",
        "pool": "pool_size",
        "detectable_difference": "detectable_difference",
    }
    return {
        **taken(
            support,
            possible_pairs="possible_pairs",
            tie_rate="tie_rate",
            from_ratings="from_ratings",
            labels_per_item="labels_per_item",
        ),
        "needs": named((f"{of.difference:g}", taken(of, **need)) for of in support.needs),
        "pairs": named((pair_name(of), taken(of, **pair)) for of in support.pairs),
    }
