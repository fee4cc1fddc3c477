"""The outputs that are scored, and those that are their common references."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tiebreak.data.study import Study
from tiebreak.errors import UsageError, check_known
from tiebreak.scoring.evaluator.scores.settings import SampleSettings


@dataclass(frozen=True, slots=True)
class Sample:
    """One output."""

    item: str
    system: str
    sample: str | None
    text: str


def samples_of(study: Study, settings: SampleSettings) -> tuple[Sample, ...]:
    """The outputs to score, in the order of items, systems and samples.

    Raises:
        UsageError: the study has no outputs, or none by these systems; a system that it does not know.
    """
    for names in (settings.systems, settings.references_from):
        check_known("system", names or (), study.systems)
    others = [name for name in study.systems if name not in (settings.references_from or ())]
    found = _by(study, settings.systems or others)
    if not found:
        raise UsageError("there is nothing to score: no item has an output by these systems")
    return found


def references_of(
    study: Study, settings: SampleSettings, scored: Sequence[Sample], given: Collection[str] = ()
) -> tuple[Sample, ...]:
    """Common references: outputs of systems that are not scored, drawn by the seed (learning-to-compare, 4.2).

    What people wrote is none of them, even where study.toml calls it a system. `given`: settings that somebody gave;
    where nobody asked for points, there may be none, and where nobody said how many, fewer.

    Raises:
        UsageError: no system is left for them, one of them is people's, or they have too few outputs.
    """
    about = study.settings.systems
    people = [name for name in settings.references_from or () if name in about and about[name].reference]
    if people:
        raise UsageError(
            f"{people[0]} is what people wrote (reference = true in study.toml), but common references are outputs of "
            "systems: leave it out of --references-from"
        )
    mine = {one.system for one in scored}
    others = [name for name in study.systems if name not in mine and not (name in about and about[name].reference)]
    found = _by(study, settings.references_from or others)
    if not found and settings.by == "both" and "by" not in given:
        return ()
    if not found:
        raise UsageError(
            "points need outputs of systems that are not scored as common references, and none is left: name such "
            "systems with --references-from, or those to score with --systems, or take --by rating"
        )
    count = settings.references if "references" in given else min(settings.references, len(found))
    if len(found) < count:
        raise UsageError(
            f"there are {len(found):,} outputs to draw {count:,} common references from: take --references "
            f"{len(found)}, or more systems with --references-from"
        )
    chosen = np.random.default_rng([settings.seed, 0]).choice(len(found), count, replace=False)
    return tuple(found[number] for number in np.sort(chosen))


def digest(samples: Sequence[Sample], contexts: Mapping[str, str]) -> str:
    """16 hex digits of outputs and of what they are about: scores against others are those scores only beside the same
    others.
    """
    sha = hashlib.sha256()
    for one in samples:
        said = (one.item, contexts.get(one.item, ""), one.system, one.sample or "", one.text, "")
        sha.update("\0".join(said).encode("utf-8", "replace"))
    return sha.hexdigest()[:16]


def _by(study: Study, systems: Sequence[str]) -> tuple[Sample, ...]:
    if study.outputs is None:
        raise UsageError("outputs are scored, and the study has none")
    rows = study.outputs.filter(pl.col("system").is_in(list(systems))).sort("item", "system", "sample")
    return tuple(Sample(*row) for row in rows.select("item", "system", "sample", "text").iter_rows())
