"""The designs of whole campaigns, and what came out of each; every finished result is a file, as in `runner`."""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.certification import campaign_designs
from benchmarks.certification.campaign_designs import DESIGNS, Counted
from benchmarks.certification.runner import REPOSITORY, sources
from benchmarks.certification.whole_campaigns import Played
from benchmarks.worlds.simulation import wilson_interval

CORE = ("campaign", "rules", "kernels")  # packages that a whole campaign runs through


@dataclass(frozen=True)
class Count:
    """Sums over campaigns: of `Played.wrong` and its squares, of verdicts, of campaigns with one, of labels and their
    squares, and of campaigns in which each control misled."""

    runs: int = 0
    wrong: float = 0.0
    wrong_squares: float = 0.0
    verdicts: int = 0
    decided: int = 0
    labels: int = 0
    labels_squares: int = 0
    misled: tuple[int, ...] = ()
    seconds: float = 0.0

    def __add__(self, other: Count) -> Count:
        """Both sets of campaigns together."""
        sums = {part: getattr(self, part) + getattr(other, part) for part in vars(self) if part != "misled"}
        misled = tuple(a + b for a, b in zip_longest(self.misled, other.misled, fillvalue=0))
        return Count(**sums, misled=misled)

    @classmethod
    def of(cls, played: Played) -> Count:
        """Of one campaign."""
        wrong, labels = played.wrong, played.labels
        misled = tuple(int(control) for control in played.controls)
        return cls(1, wrong, wrong**2, played.verdicts, int(played.verdicts > 0), labels, labels**2, misled)

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Count:
        """The opposite of `vars`."""
        return cls(**{**document, "misled": tuple(document["misled"])})

    def interval(self, counted: Counted) -> tuple[float, float]:
        """95%: Wilson for a share of campaigns; for the mean of shares of false discoveries by its standard error.

        With no false discovery at all: Wilson's for campaigns with any, whose share is at least the rate.
        """
        if counted != "false discoveries" or self.wrong == 0:
            return wilson_interval(round(self.wrong), self.runs)
        mean = self.wrong / self.runs
        error = 1.96 * spread(self.runs, self.wrong, self.wrong_squares)
        return max(0.0, mean - error), mean + error


def spread(runs: int, total: float, squares: float) -> float:
    """Standard error of a mean, from sums; infinite for a single run."""
    if runs < 2:
        return math.inf
    return math.sqrt(max(0.0, squares - total**2 / runs) / (runs - 1) / runs)


@cache
def _code() -> str:
    """Fingerprint of all code that a result depends on."""
    files = set(sources(Path(str(campaign_designs.__file__))))
    files |= {file for package in CORE for file in (REPOSITORY / "src" / "tiebreak" / package).rglob("*.py")}
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file.relative_to(REPOSITORY)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def cell_file(name: str, runs: int, seed: Sequence[int], folder: Path) -> Path:
    """Where a result is kept; another setting or another line of code is another file."""
    key = json.dumps([name, runs, list(seed), DESIGNS[name].world, DESIGNS[name].rule, _code()])
    return folder / f"campaigns-{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


def play_design(name: str, runs: int, seed: Sequence[int]) -> Count:
    """`runs` campaigns of a design, from a seed that belongs to its name."""
    start = time.process_time()
    own = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    rng, play = np.random.default_rng([*seed, own]), DESIGNS[name].prepare()
    found = sum((Count.of(play(rng)) for _ in range(runs)), start=Count())
    return found + Count(seconds=time.process_time() - start)


def run_designs(folder: Path, seed: int, repeats: int, jobs: int, scale: float = 1.0) -> dict[str, Count]:
    """Counts of all designs over all repeats, from the cache where they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    runs = {name: max(2, round(design.runs * scale)) for name, design in DESIGNS.items()}
    cells = [(name, runs[name], (seed, repeat)) for repeat in range(repeats) for name in DESIGNS]
    missing = [cell for cell in cells if not cell_file(*cell, folder).is_file()]
    print(f"{len(cells) - len(missing)} results are in {folder}; {len(missing)} designs to play", file=sys.stderr)
    # Started anew: a process that is forked from one whose libraries have threads may wait for ever.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(_keep, *cell, folder): cell for cell in missing}
        try:
            for future in as_completed(waiting):
                future.result()
                print(f"campaigns: {waiting[future][0]}", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    found = dict.fromkeys(DESIGNS, Count())
    for cell in cells:
        found[cell[0]] += Count.from_json(json.loads(cell_file(*cell, folder).read_text(encoding="utf-8")))
    return found


def _keep(name: str, runs: int, seed: Sequence[int], folder: Path) -> None:
    file = cell_file(name, runs, seed, folder)
    partial_file = file.with_suffix(".part")
    partial_file.write_text(json.dumps(vars(play_design(name, runs, seed))), encoding="utf-8")
    partial_file.replace(file)  # never half a result under the final name
