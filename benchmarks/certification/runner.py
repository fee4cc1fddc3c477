"""Runs the grid on several processes; every finished result is a file, so that an interrupted run goes on."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.certification import campaigns
from benchmarks.certification.campaigns import Outcome
from benchmarks.certification.grid import RULES, Task
from benchmarks.certification.rules import Rule
from benchmarks.certification.worlds import World, metric_title

REPOSITORY = Path(__file__).resolve().parents[2]
ROOTS = (REPOSITORY, REPOSITORY / "src")


@dataclass(frozen=True)
class Results:
    """What came out for each (task, rule name), and the processor seconds behind all of it."""

    outcomes: dict[tuple[Task, str], Outcome]

    @property
    def seconds(self) -> float:
        """Processor seconds, whenever they were spent."""
        return sum(outcome.seconds for outcome in self.outcomes.values())


@cache
def fingerprint(source_file: str) -> str:
    """Of all code of this repository that a rule's result depends on: what its file and `campaigns` import."""
    files = sources(Path(source_file)) | sources(Path(str(campaigns.__file__)))
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file.relative_to(REPOSITORY)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


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
    candidates = [(root / name.replace(".", "/")).with_suffix(".py") for name in names for root in ROOTS]
    return [candidate for candidate in candidates if candidate.is_file()]


def cache_file(folder: Path, world: World, rule: Rule, runs: int, seed: Sequence[int]) -> Path:
    """Where a result is kept; another setting or another line of code is another file."""
    key = {
        "world": world.settings(),
        "rule": rule.name,
        "runs": runs,
        "seed": list(seed),
        "code": fingerprint(rule.source_file),
    }
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return folder / f"{rule.name}-{digest[:24]}.json"


def run_grid(tasks: Sequence[Task], folder: Path, seed: int, repeats: int, jobs: int) -> Results:
    """Results of all tasks, from the cache where they are there; tells on standard error how far it is.

    Each repeat plays the whole grid with campaigns of its own, and the results are added up: more repeats later go on
    from those that are there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    seeds = [(seed, repeat) for repeat in range(repeats)]
    missing = [(task, names, each) for each in seeds for task in tasks if (names := _missing(task, folder, each))]
    known = repeats * sum(len(task.rules) for task in tasks) - sum(len(names) for _, names, _ in missing)
    print(f"{known} results are in {folder}; {len(missing)} worlds to simulate", file=sys.stderr)
    start = time.monotonic()
    with ProcessPoolExecutor(jobs) as pool:
        waiting: dict[Future[None], Task] = {
            pool.submit(simulate, task, names, folder, each): task for task, names, each in missing
        }
        try:
            for done, future in enumerate(as_completed(waiting), start=1):
                future.result()
                _tell(done, len(missing), time.monotonic() - start, waiting[future])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return Results({(task, name): _kept(task, name, folder, seeds) for task in tasks for name in task.rules})


def simulate(task: Task, names: Sequence[str], folder: Path, seed: Sequence[int]) -> None:
    """Play the named rules in the task's world, and keep what came out."""
    chosen = [RULES[name] for name in names]
    for name, outcome in campaigns.play(task.world, chosen, task.runs, seed).items():
        file = cache_file(folder, task.world, RULES[name], task.runs, seed)
        partial = file.with_suffix(".part")
        partial.write_text(json.dumps(outcome.to_json()), encoding="utf-8")
        partial.replace(file)  # never half a result under the final name


def _missing(task: Task, folder: Path, seed: Sequence[int]) -> list[str]:
    return [name for name in task.rules if not cache_file(folder, task.world, RULES[name], task.runs, seed).is_file()]


def _kept(task: Task, name: str, folder: Path, seeds: Sequence[Sequence[int]]) -> Outcome:
    """A result over all repeats."""
    files = [cache_file(folder, task.world, RULES[name], task.runs, seed) for seed in seeds]
    parts = [Outcome.from_json(json.loads(file.read_text(encoding="utf-8"))) for file in files]
    return sum(parts[1:], start=parts[0])


def _tell(done: int, total: int, seconds: float, task: Task) -> None:
    left = seconds / done * (total - done) / 60
    world = task.world
    what = f"{world.target}, N = {world.size:,}, {metric_title(world.metric)}, {world.ties:.0%} ties"
    print(f"{done}/{total} worlds, {seconds / 60:.1f} min, about {left:.0f} left: {what}", file=sys.stderr, flush=True)
