"""Cells: one simulated or computed world, what is promised there, and what was counted; shared by all certifications.

A cell is either computed, by adding up the probabilities of all outcomes, or simulated, in pieces that are kept one by
one: an interrupted run goes on, and pieces of a run at a smaller scale count. `certify` is the command line of a
benchmark that is made of cells.
"""

from __future__ import annotations

import ast
import hashlib
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final, Literal

import numpy as np
from benchmarks.results import REPOSITORY, machine, parser, write_rows
from benchmarks.worlds.simulation import wilson_interval
from numpy.typing import NDArray
from scipy.special import bdtrc

Floats = NDArray[np.float64]
Rng = np.random.Generator

ALPHAS: Final = (0.05, 0.01)
TIMES: Final = {"exact": 1.0, "ordinary": 1.1, "corner": 1.6}
"""Times alpha that a test may err, by promise."""
LUCK: Final = 0.05
"""Chance that any simulated rate of a benchmark is called too high although all of them are at their limit."""
PIECE: Final = 500
"""Simulated studies whose counts are kept together."""
HEADER: Final = ("section", "world", "studies", "event", "alpha", "limit", "share", "low", "high")

Promise = Literal["exact", "ordinary", "corner"]
Counts = Mapping[str, float]
"""Event to its number in the runs; in a computed cell, to its probability. The last word of an event is its alpha."""
Measure = Callable[[Rng, int], Counts]


@dataclass(frozen=True)
class Cell:
    """One world.

    `promise`: exact (at most alpha), ordinary (at most 1.1 alpha) or corner (1.6 alpha). `runs` 0: `measure` computes
    probabilities, and its generator is not read. `settings`: all that defines the cell, for the key of its results.
    `limited`: the events that have a limit; others are shown only. `corners`: those of them that are a corner in any
    world. An event that cannot happen in every run has the runs in which it could counted as "of" it. `source`: the
    file of the cell, filled in by `all_cells`.
    """

    section: str
    world: str
    promise: Promise
    measure: Measure
    runs: int
    settings: tuple[object, ...]
    limited: tuple[str, ...] = tuple(f"wrong {alpha}" for alpha in ALPHAS)
    corners: tuple[str, ...] = ()
    source: str = ""

    def limit(self, event: str) -> float:
        """How often an event may happen."""
        return TIMES["corner" if event in self.corners else self.promise] * float(event.split()[-1])

    @property
    def key(self) -> str:
        """All that defines the cell."""
        return repr((self.section, self.world, *self.settings))


@dataclass(frozen=True)
class Found:
    """What came of a cell; `runs` 0: `counts` are probabilities."""

    cell: Cell
    counts: dict[str, float]
    runs: int

    def total(self, event: str) -> int:
        """Runs in which an event could happen."""
        return round(self.counts.get(f"of {event}", self.runs))

    def share(self, event: str) -> float:
        """How often an event happened; nan where it was not counted, or never could."""
        count = self.counts.get(event, math.nan)
        if not self.runs:
            return count
        return count / self.total(event) if self.total(event) else math.nan

    def excess(self, event: str, luck: float) -> bool:
        """Whether an event happened more often than its limit lets expect; simulated ones: beyond `luck`."""
        limit = self.cell.limit(event)
        if not self.runs:
            return self.share(event) > limit * (1 + 1e-9)
        count = math.floor(self.counts[event])  # sums of shares, too: those vary less than counts of their mean
        return bool(count > 0 and bdtrc(count - 1, self.total(event), min(limit, 1.0)) < luck)

    def rows(self) -> Iterator[tuple[str | float | int | None, ...]]:
        """The rows of a file of rates: one for each event."""
        for event in self.counts:
            share = self.share(event)
            if event.startswith("of ") or math.isnan(share):
                continue
            low, high = (None, None)
            if self.runs and 0 <= share <= 1:
                low, high = wilson_interval(round(self.counts[event]), self.total(event))
            words, alpha = event.rsplit(" ", 1)
            limit = self.cell.limit(event) if event in self.cell.limited else None
            studies = self.total(event) or None
            yield self.cell.section, self.cell.world, studies, words, float(alpha), limit, share, low, high


def add(first: Counts, second: Counts) -> dict[str, float]:
    """Counts of both."""
    return {event: first.get(event, 0.0) + second.get(event, 0.0) for event in {**first, **second}}


def too_high(found: Sequence[Found]) -> list[str]:
    """Events above their limits by more than luck (Bonferroni over all simulated events), in words."""
    simulated = sum(len(each.cell.limited) for each in found if each.runs)
    return [
        f"{each.cell.section}: {each.cell.world}: {event} is {each.share(event):.4f}, above {each.cell.limit(event):g}"
        for each in found
        for event in each.cell.limited
        if event in each.counts and each.total(event) >= 0 and each.excess(event, LUCK / max(simulated, 1))
    ]


# ---- running, piece by piece -----------------------------------------------------------------------------------


def all_cells(modules: Iterable[ModuleType], scale: float = 1.0) -> list[Cell]:
    """The cells of modules with a function `cells`; `scale` multiplies the numbers of studies, in whole pieces."""
    found = [replace(cell, source=str(module.__file__)) for module in modules for cell in module.cells()]
    return [replace(cell, runs=_scaled(cell.runs, scale)) for cell in found]


def _scaled(runs: int, scale: float) -> int:
    if runs * scale >= PIECE:
        return round(runs * scale / PIECE) * PIECE
    return max(2, round(runs * scale)) if runs else 0


@cache
def sources(file: Path) -> frozenset[Path]:
    """A file of this repository and all others that it imports, directly or not."""
    found: set[Path] = set()
    waiting = [file.resolve()]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += _imports(current)
    return frozenset(found)


def _imports(file: Path) -> list[Path]:
    names: list[str] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    roots = (REPOSITORY, REPOSITORY / "src")
    candidates = [(root / name.replace(".", "/")).with_suffix(".py") for name in names for root in roots]
    return [candidate for candidate in candidates if candidate.is_file()]


@cache
def fingerprint(file: str) -> str:
    """Of all code of this repository that a cell's result depends on."""
    digest = hashlib.sha256()
    for source in sorted(sources(Path(file))):
        digest.update(str(source.relative_to(REPOSITORY)).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def run(cells: Sequence[Cell], folder: Path, seed: int) -> list[Found]:
    """Results of all cells, from the cache where they are there. All cells grow together."""
    folder.mkdir(parents=True, exist_ok=True)
    waiting = [
        (piece / len(_pieces(cell)), k, piece) for k, cell in enumerate(cells) for piece in range(len(_pieces(cell)))
    ]
    for _, k, piece in sorted(waiting):
        _piece(cells[k], folder, seed, piece)
    return [_sum(cell, folder, seed) for cell in cells]


def _pieces(cell: Cell) -> list[int]:
    """Studies of each piece."""
    return [min(PIECE, cell.runs - start) for start in range(0, cell.runs, PIECE)] or [0]


def _sum(cell: Cell, folder: Path, seed: int) -> Found:
    total: dict[str, float] = {}
    for piece in range(len(_pieces(cell))):
        total = add(total, _piece(cell, folder, seed, piece))
    return Found(cell, total, cell.runs)


def _piece(cell: Cell, folder: Path, seed: int, piece: int) -> dict[str, float]:
    runs = _pieces(cell)[piece]
    key = json.dumps([cell.key, seed, piece, runs, fingerprint(cell.source)])
    file = folder / f"cell-{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
    if not file.is_file():
        digest = int.from_bytes(hashlib.sha256(cell.key.encode()).digest()[:8], "big")
        start = time.process_time()
        counted = cell.measure(np.random.default_rng([seed, piece, digest]), runs)
        partial = file.with_suffix(".part")
        partial.write_text(json.dumps(dict(counted)), encoding="utf-8")
        partial.replace(file)  # never half a result under the final name
        seconds = time.process_time() - start
        print(f"{cell.section}: {cell.world} ({piece + 1}), {seconds:.1f} s", file=sys.stderr, flush=True)
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


Extra = Callable[[Sequence[Found], Any, str, Path], None]
"""Writes more files than the rates: from what was found, the options, the command and the folder of results."""


def certify(
    name: str,
    about: str | None,
    modules: Sequence[ModuleType],
    extra: Extra | None = None,
    arguments: Sequence[str] | None = None,
) -> int:
    """The command line of a certification: writes benchmarks/results/NAME.csv; exit status 1 where a promise fails."""
    options = parser(about, f"benchmarks/results/{name}.csv").parse_args(arguments)
    found = run(all_cells(modules, options.scale), options.cache, options.seed)
    scale = "" if options.scale == 1 else f" --scale {options.scale:g}"
    command = f"python benchmarks/{name}.py{scale} --seed {options.seed} --write"
    folder = options.results if options.write else options.cache / "results"
    rates = [row for each in found if each.cell.section != "labels" for row in each.rows()]
    print(write_rows(name, HEADER, rates, command, machine(), folder))
    if extra is not None:
        extra(found, options, command, folder)
    failures = too_high(found)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0
