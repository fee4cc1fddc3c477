"""The designs of whole campaigns, and what came out of each; every finished result is a file, as in `runner`."""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import numpy as np
from benchmarks.certification import families, whole_campaigns
from benchmarks.certification.runner import REPOSITORY, sources
from benchmarks.certification.whole_campaigns import (
    DIFFERENCE,
    LATE,
    MISSING,
    POLICIES,
    Play,
    Played,
    different_pair,
    equal_four,
    equal_pair,
    two_systems,
)
from tests.kernels.simulation import wilson_interval

Counted = Literal["any wrong verdict", "false discoveries", "labels"]
CORE = ("campaign", "decisions", "kernels")  # packages that a whole campaign runs through
SIXTEEN = f"16 systems, 120 pairs, {families.ITEMS} items"
HALVES = f"{SIXTEEN}: 8 better than the other 8"


@dataclass(frozen=True, slots=True)
class Design:
    """`counted`: what the row states; `careless`: the words for the same labels read carelessly, None where they are
    not.
    """

    world: str
    rule: str
    prepare: Callable[[], Play]
    runs: int
    counted: Counted = "any wrong verdict"
    careless: str | None = None


@dataclass(frozen=True)
class Count:
    """Sums over campaigns: of `Played.wrong` and its squares, of verdicts, of campaigns with one, of labels and their
    squares, and of campaigns in which careless reading misled."""

    runs: int = 0
    wrong: float = 0.0
    wrong_squares: float = 0.0
    verdicts: int = 0
    decided: int = 0
    labels: int = 0
    labels_squares: int = 0
    misled: int = 0
    seconds: float = 0.0

    def __add__(self, other: Count) -> Count:
        """Both sets of campaigns together."""
        return Count(*(getattr(self, part) + getattr(other, part) for part in vars(self)))

    @classmethod
    def of(cls, played: Played) -> Count:
        """Of one campaign."""
        wrong, labels = played.wrong, played.labels
        decided, misled = int(played.verdicts > 0), int(bool(played.careless))
        return cls(1, wrong, wrong**2, played.verdicts, decided, labels, labels**2, misled)

    def interval(self, counted: Counted) -> tuple[float, float]:
        """95 %: Wilson for a share of campaigns; for the mean of shares of false discoveries by its standard error.

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


def _family(rule: str, better: int, rate: bool) -> Callable[[], Play]:
    return partial(families.sixteen, rule, better, rate)


_EQUAL = "2 equal systems, 100 items"
_FOUR = "4 equal systems, 6 pairs, 40 items"
_DIFFERENT = f"2 systems, difference {DIFFERENCE:g}, 300 items"

DESIGNS = {
    "one": Design(_EQUAL, "one person an item", equal_pair("one person an item"), 250),
    "majority": Design(_EQUAL, "majority of 3", equal_pair("majority of 3"), 120),
    "max-three": Design(_EQUAL, "max-three", equal_pair("max-three"), 120),
    "late": Design(
        f"{_EQUAL}, 30 in flight, losses three times as slow",
        "one person an item",
        equal_pair("one person an item", LATE),
        150,
        careless="the same labels in the order of arrival",
    ),
    "missing": Design(
        "2 equal systems, 400 items, a fifth of the losses abandoned",
        "one person an item",
        two_systems(POLICIES["one person an item"], 400, 0.0, MISSING, careless=True),
        80,
        careless="the same labels in the order of arrival, abandoned items left out",
    ),
    "batches": Design(_FOUR, "Holm; batches of 10", equal_four("batches", 10), 100),
    "informative": Design(_FOUR, "Holm; most-informative pair", equal_four("most-informative", 10), 40),
    "winner": Design(_FOUR, "Holm; winner only", equal_four("winner", 10), 40),
    "16 holm": Design(f"{SIXTEEN}, all equal", "Holm", _family("holm", 0, False), 150),
    "16 none": Design(f"{SIXTEEN}, all equal", "each pair by itself", _family("none", 0, False), 60),
    "16 holm halves": Design(HALVES, "Holm", _family("holm", 8, False), 60),
    "16 fdr": Design(HALVES, "fdr (Benjamini-Yekutieli)", _family("fdr", 8, True), 80, "false discoveries"),
    "16 e-bh": Design(
        HALVES, "fdr (e-BH, as `compare` on complete labels)", _family("e-bh", 8, True), 80, "false discoveries"
    ),
    "16 none halves": Design(HALVES, "each pair by itself", _family("none", 8, True), 60, "false discoveries"),
    "labels one": Design(_DIFFERENT, "one person an item", different_pair("one person an item"), 40, "labels"),
    "labels majority": Design(_DIFFERENT, "majority of 3", different_pair("majority of 3"), 40, "labels"),
    "labels max-three": Design(_DIFFERENT, "max-three", different_pair("max-three"), 40, "labels"),
}


@cache
def _code() -> str:
    """Fingerprint of all code that a result depends on."""
    files = {file for module in (families, whole_campaigns) for file in sources(Path(str(module.__file__)))}
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
        found[cell[0]] += Count(**json.loads(cell_file(*cell, folder).read_text(encoding="utf-8")))
    return found


def _keep(name: str, runs: int, seed: Sequence[int], folder: Path) -> None:
    file = cell_file(name, runs, seed, folder)
    partial_file = file.with_suffix(".part")
    partial_file.write_text(json.dumps(vars(play_design(name, runs, seed))), encoding="utf-8")
    partial_file.replace(file)  # never half a result under the final name
