"""The grid: all cells of the certification, and their results, kept piece by piece."""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from benchmarks.certification.runner import REPOSITORY, sources
from benchmarks.one_look import clusters, counts, families, metrics, panels, pools, raters, repeats
from benchmarks.one_look.cells import Cell, add
from benchmarks.one_look.found import Found

MODULES: tuple[ModuleType, ...] = (counts, pools, panels, clusters, metrics, raters, repeats, families)
"""Each has a function `cells()`."""

PIECE = 500
"""Simulated studies whose counts are kept together."""


def all_cells(scale: float = 1.0, modules: Sequence[ModuleType] = MODULES) -> list[Cell]:
    """The grid; `scale` multiplies the numbers of studies, in whole pieces."""
    found = [replace(cell, source=str(module.__file__)) for module in modules for cell in module.cells()]
    return [_scaled(cell, scale) for cell in found]


def _scaled(cell: Cell, scale: float) -> Cell:
    return replace(cell, runs=max(1, round(cell.runs * scale / PIECE)) * PIECE) if cell.runs else cell


@cache
def fingerprint(file: str) -> str:
    """Of all code of this repository that a cell's result depends on."""
    digest = hashlib.sha256()
    for source in sorted(sources(Path(file))):
        digest.update(str(source.relative_to(REPOSITORY)).encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def piece_file(folder: Path, cell: Cell, seed: int, piece: int) -> Path:
    """Where the counts of one piece are kept; another setting or another line of code is another file."""
    key = [cell.key, seed, piece, PIECE if cell.runs else 0, fingerprint(cell.source)]
    return folder / f"one-look-{hashlib.sha256(json.dumps(key).encode()).hexdigest()[:24]}.json"


def run(cells: Sequence[Cell], folder: Path, seed: int) -> list[Found]:
    """Results of all cells, from the cache where they are there. An interrupted run goes on where it was.

    All cells grow together, so that what was done until an interruption is a run at a smaller scale.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting = [(piece / _pieces(cell), cell, piece) for cell in cells for piece in range(_pieces(cell))]
    for _, cell, piece in sorted(waiting, key=lambda each: each[0]):
        _piece(cell, folder, seed, piece)
    return [_sum(cell, folder, seed, range(_pieces(cell))) for cell in cells]


def kept(cells: Sequence[Cell], folder: Path, seed: int) -> list[Found]:
    """What an interrupted run has counted so far; cells of which it has nothing are left out."""
    found = []
    for cell in cells:
        there = [piece for piece in range(_pieces(cell)) if piece_file(folder, cell, seed, piece).is_file()]
        if there:
            found.append(_sum(replace(cell, runs=len(there) * PIECE if cell.runs else 0), folder, seed, there))
    return found


def _pieces(cell: Cell) -> int:
    return max(cell.runs // PIECE, 1)


def _sum(cell: Cell, folder: Path, seed: int, pieces: Sequence[int]) -> Found:
    total: dict[str, float] = {}
    seconds = 0.0
    for piece in pieces:
        kept = _piece(cell, folder, seed, piece)
        total, seconds = add(total, kept["counts"]), seconds + kept["seconds"]
    return Found(cell, total, cell.runs, seconds)


def _piece(cell: Cell, folder: Path, seed: int, piece: int) -> Any:
    file = piece_file(folder, cell, seed, piece)
    if not file.is_file():
        digest = int.from_bytes(hashlib.sha256(cell.key.encode()).digest()[:8], "big")
        start = time.process_time()
        counted = cell.measure(np.random.default_rng([seed, piece, digest]), PIECE)
        document = {"counts": dict(counted), "seconds": time.process_time() - start}
        partial = file.with_suffix(".part")
        partial.write_text(json.dumps(document), encoding="utf-8")
        partial.replace(file)  # never half a result under the final name
        print(f"{cell.section}: {cell.world} ({piece + 1}), {document['seconds']:.1f} s", file=sys.stderr, flush=True)
    return json.loads(file.read_text(encoding="utf-8"))
