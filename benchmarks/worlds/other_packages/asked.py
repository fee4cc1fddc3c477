"""What a study says by tiebreak and by another package: one record per pair, whoever was asked."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiebreak.records import Multiplicity
from tiebreak.rules.finished import FinishedSet, FinishedSets
from tiebreak.rules.finished_family import decide_finished

Floats = NDArray[np.float64]

WORKER = Path(__file__).with_name("worker.py")
PACKAGES = ("evalstats", "truescore", "evalica", "ppi-python")
ALPHA = 0.05

_AT_ONCE = 100  # studies that one run of the worker gets


@dataclass(frozen=True)
class Labels:
    """A study: scores (systems, items), the mean over `people` labels of each item; nan where one is missing.

    `clusters` (items,): items with the same number depend on one another. `bounds`: of the scores, where a package
    wants them said because they are not 0 and 1.
    """

    scores: Floats
    people: int = 1
    clusters: NDArray[np.intp] | None = None
    bounds: tuple[float, float] | None = None

    def task(self) -> dict[str, Any]:
        """For the worker."""
        scores = [[None if np.isnan(x) else float(x) for x in row] for row in self.scores]
        clusters = None if self.clusters is None else [int(x) for x in self.clusters]
        return {"scores": scores, "clusters": clusters, "range": self.bounds}

    def pairs(self) -> list[FinishedSet]:
        """The same for tiebreak: by how much the first of two systems is better on each item."""
        n = self.scores.shape[1]
        return [
            FinishedSet(
                np.rint((a - b) * self.people) / self.people,
                np.full(n, self.people, dtype=np.int64),
                np.zeros(n) if self.people > 1 else None,
                clusters=self.clusters,
            )
            for a, b in itertools.combinations(self.scores, 2)
        ]


@dataclass(frozen=True)
class Said:
    """About a pair: the interval, and which system is better by it and by the p-value (1, -1, or 0: not decided)."""

    low: float
    high: float
    by_p: int
    p: float

    @property
    def by_interval(self) -> int:
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True)
class Answers:
    """About many studies: their pairs (None: refused), the methods used, and why studies were refused."""

    studies: tuple[tuple[Said, ...] | None, ...]
    methods: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def by_tiebreak(studies: Sequence[Labels], multiplicity: Multiplicity = "holm") -> Answers:
    """The rule `fixed` of `compare`, as `compare` calls it."""
    found = []
    for labels in studies:
        tests = FinishedSets(labels.pairs())
        family = decide_finished(tests, ALPHA, multiplicity, None)
        two_sided = np.minimum(1.0, 2 * np.minimum(tests.p_a, tests.p_b))
        signs = [{"a": 1, "b": -1}.get(verdict, 0) for verdict in family.verdicts]
        rows = zip(family.low, family.high, signs, two_sided, strict=True)
        found.append(tuple(Said(float(low), float(high), sign, float(p)) for low, high, sign, p in rows))
    return Answers(tuple(found))


@dataclass(frozen=True)
class Package:
    """Another package in an interpreter of its own; what it answered is kept in `cache`."""

    name: str
    version: str
    python: Path
    cache: Path

    def ask(self, studies: Sequence[Labels]) -> Answers:
        """About all these studies, each by itself. What is kept of an interrupted or shorter run counts."""
        found = []
        for start in range(0, len(studies), _AT_ONCE):
            found += self._kept(studies[start : start + _AT_ONCE])
        return _answers(found)

    def _kept(self, studies: Sequence[Labels]) -> list[dict[str, Any]]:
        task = json.dumps({"package": self.name, "studies": [labels.task() for labels in studies]})
        mark = hashlib.sha256((self.version + WORKER.read_text(encoding="utf-8") + task).encode()).hexdigest()[:24]
        kept = self.cache / f"{self.name}-{mark}.json"
        if not kept.is_file():
            self.cache.mkdir(parents=True, exist_ok=True)
            kept.write_text(_worked(self.python, task), encoding="utf-8")
        studies_found: list[dict[str, Any]] = json.loads(kept.read_text(encoding="utf-8"))["studies"]
        return studies_found


def package(name: str, python: Path, cache: Path) -> Package | str:
    """The package, or why it is not there."""
    try:
        found = json.loads(_worked(python, json.dumps({"package": name, "studies": []})))
    except (OSError, subprocess.CalledProcessError) as problem:
        return f"{name} skipped: {python} does not run ({problem}); name another interpreter with --python PATH"
    if "absent" in found:
        return f"{name} skipped: {found['absent']} in {python}; name an interpreter that has it with --python PATH"
    return Package(name, found["version"], python, cache)


def _worked(python: Path, task: str) -> str:
    done = subprocess.run([str(python), str(WORKER)], input=task, capture_output=True, text=True, check=True)
    return done.stdout


def _answers(studies: Sequence[dict[str, Any]]) -> Answers:
    methods = tuple(dict.fromkeys(study["method"] for study in studies if "method" in study))
    refused = tuple(dict.fromkeys(study["refused"] for study in studies if "refused" in study))
    pairs = (None if "refused" in study else tuple(_said(*pair) for pair in study["pairs"]) for study in studies)
    return Answers(tuple(pairs), methods, refused)


def _said(difference: float, low: float, high: float, p: float) -> Said:
    return Said(low, high, int(np.sign(difference)) if p < ALPHA else 0, p)
