"""How often leaderboards err: prints Markdown; `--write` saves it as docs/rank_certification.md.

python benchmarks/rank_certification.py [--scale 1] [--seed 1] [--cache FOLDER] [--data FOLDER] [--write]

Exit status 1 where anything errs more than was promised. Every world is kept in the cache folder, by its settings: an
interrupted run goes on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402
from scipy.special import ndtri  # noqa: E402

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import scaled_options, scaled_parser, show, table  # noqa: E402
from benchmarks.worlds.tournaments import (  # noqa: E402
    World,
    by_item,
    circle,
    endless_games,
    independent,
    one_sided_items,
    spread_out,
    uneven_items,
)

from tiebreak.kernels.games import Games  # noqa: E402
from tiebreak.kernels.glicko2 import (  # noqa: E402
    PaperPlayers,
    Players,
    StandardPlayers,
    tournament,
)
from tiebreak.kernels.one_scale import one_scale  # noqa: E402
from tiebreak.kernels.strengths import Strengths, strengths  # noqa: E402

ALPHA = 0.05
RUNS = 2_000
ELO = 400 / math.log(10)

WORLDS = (
    independent(2, 10, 0.5, 1 / 3),
    independent(2, 20, 1.0, 0.6),
    independent(2, 50, 2.0, 0.0),
    independent(5, 20, 1.0, 1 / 3),
    independent(5, 50, 1.0, 0.0),
    independent(5, 100, 1.0, 0.8),
    independent(5, 40, 2.0, 0.2),
    independent(10, 60, 1.0, 1 / 3),
    independent(10, 200, 2.0, 0.1),
    independent(10, 300, 0.0, 0.9),
    independent(10, 200, 0.5, 1 / 3, one_rare=0.1),
    independent(20, 100, 1.0, 1 / 3),
    independent(20, 400, 0.0, 0.0),
    independent(50, 300, 1.0, 1 / 3),
    independent(100, 600, 1.0, 1 / 3),
    independent(100, 5_000, 1.0, 1 / 3),
    by_item(3, 5, None, 0.0, 1 / 3),
    by_item(5, 8, None, 1.0, 1 / 3),
    by_item(10, 13, None, 0.0, 1 / 3),
    by_item(10, 13, 10, 0.0, 0.2),
    by_item(10, 30, None, 1.0, 1 / 3),
    by_item(5, 100, None, 1.0, 0.6),
    by_item(20, 100, 5, 1.0, 1 / 3),
    by_item(20, 100, None, 1.0, 0.0),
    by_item(30, 13, 60, 0.0, 1 / 3, people=2),
    by_item(100, 60, 60, 0.0, 1 / 3),
    by_item(2, 30, None, 0.5, 1 / 3, own=2.0, people=5),
    by_item(5, 30, 3, 1.0, 1 / 3, people=5),
    uneven_items(5, 15, 1 / 3),
    uneven_items(10, 60, 1 / 3),
    one_sided_items(3, 60, 5, 0.1),
    one_sided_items(2, 50, 10, 0.05),
)
ONE_SCALE = (
    independent(3, 120, 1.0, 1 / 3),
    independent(5, 300, 1.0, 0.1),
    independent(10, 1_000, 1.0, 1 / 3),
    independent(20, 3_000, 1.0, 0.6),
    by_item(5, 30, None, 0.0, 1 / 3),
    by_item(10, 100, 10, 0.0, 1 / 3),
    by_item(5, 40, 3, 0.0, 1 / 3, people=5),
)

PAGE = """# How often leaderboards err

Simulated studies of systems whose strengths are known, rated as `tiebreak rank` does, alpha 0.05. Made by `python
benchmarks/rank_certification.py --write`: {runs:,} studies a world (fewer of many systems), seed {seed}. Games are
those of Davidson's model; *spread* is the standard deviation of the systems' strengths (1 is 174 points), and equal
systems tie in the share given. Where items have several games, systems have strengths of their own on each, which
differ from the general ones by N(0, 1): the games of an item depend on each other.

**How to read a number.** Shares of studies in which something that holds with 95% did not: *any interval* of the
leaderboard, *one interval* (the mean over systems of intervals each by itself), *any place* (a range of places that
does not hold the true one). Strengths are told from the systems in the core, those with both limits. **Bold**: above 5%
by more than luck would show in one of 20 such pages. *Control*: the intervals that take all games for independent, as
many packages do, which must fail where items have several games.

## Intervals and places

*Half-width*: median half-width of an interval of the leaderboard, in points. *Decided*: share of pairs whose order the
places know. *No limit*: share of systems outside of the core.

{coverage}

With few games or items intervals cover more than they promise: the larger one of two variances is taken, Student's t
with few degrees of freedom, and Bonferroni's bound for all systems. Only a wrong order of two systems makes a place
wrong, which is rare unless systems are equal.

## Whether one scale fits

Shares of studies in which the test finds that one scale does not fit. The first rows have one: 5% are asked for. The
last have three systems in a circle.

{one_scale}

## When Glicko-2 converges

Tournaments by random matching, a third ties between equal systems, at most {most:,} games, {tournaments} of each:
converged means that the order stood still while everybody was drawn 50 times. *In order*: pairs in their true order at
the end. Five equal systems converge like others, in an order made by chance: that is no evidence. In the standard form
whoever sits out a game becomes less certain, and the order does not settle.

{glicko}

Code: `kernels/strengths.py`, `kernels/influence.py`, `kernels/davidson_limits.py`, `kernels/games.py`,
`kernels/glicko2.py`, `kernels/glicko2.py`.
"""


@dataclass(frozen=True)
class Found:
    """Of one world: studies, those in which anything was wrong, and what intervals looked like."""

    runs: int
    any_interval: int
    one_interval: float
    any_place: int
    control: int
    half_width: float
    decided: float
    outside: float


def runs_of(world: World, scale: float) -> int:
    """Fewer of many systems."""
    return max(round(scale * RUNS / max(1.0, len(world.truth) / 30) ** 1.5), 20)


def measured(world: World, runs: int, seed: int) -> Found:
    rng = np.random.default_rng([seed, _number(world.name)])
    any_interval = any_place = control = 0
    single, half, decided, outside = [], [], [], []
    count = world.truth.size
    order = np.subtract.outer(world.truth, world.truth)
    for _ in range(runs):
        found = strengths(world.make(rng))
        beside = world.truth - world.truth[found.core].mean()
        low, high = found.ends(found.level_of_each(ALPHA))
        any_interval += bool(((beside < low) | (beside > high)).any())
        half += [*(ELO * (high - low)[found.core] / 2)]
        low, high = found.ends(ALPHA / 2)
        single.append(((beside < low) | (beside > high)).mean())
        better = found.better(ALPHA / (count * (count - 1)))
        any_place += bool((better & (order <= 0)).any())
        decided.append(better.sum() / (count * (count - 1) / 2))
        outside.append((~found.core).mean())
        control += naive_misses(found, beside)
    return Found(
        runs, any_interval, float(np.mean(single)), any_place, control, float(np.median(half)),
        float(np.mean(decided)), float(np.mean(outside)),
    )  # fmt: skip


def naive_misses(found: Strengths, beside: np.ndarray) -> bool:
    """Whether intervals that take games for independent, by the normal distribution, miss any strength of the core."""
    count, share = beside.size, found.core / found.core.sum()
    of_systems = found.influences.model[:count, :count]
    variance = np.diagonal(of_systems) - 2 * of_systems @ share + share @ of_systems @ share
    error = -ndtri(found.level_of_each(ALPHA)) * np.sqrt(variance)
    return bool((np.abs(found.estimates - beside) > error)[found.core].any())


def _number(name: str) -> int:
    return int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)


def kept(key: str, cache: Path, make: Callable[[], dict[str, object]]) -> dict[str, object]:
    """What `make` gives, from the cache where it is there."""
    file = cache / "rank" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
    if not file.exists():
        found = make()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found), encoding="utf-8")
        print(f"{key}: {found}", file=sys.stderr)
    return dict(json.loads(file.read_text(encoding="utf-8")))


def too_many(wrong: int, runs: int, rates: int) -> bool:
    """Whether so many are wrong beyond luck, over all rates of the page (normal approximation, one of 20 pages)."""
    limit = ALPHA + -float(ndtri(0.05 / rates)) * math.sqrt(ALPHA * (1 - ALPHA) / runs)
    return wrong / runs > limit


def rate(wrong: int, runs: int, rates: int) -> str:
    text = f"{wrong / runs:.1%}"
    return f"**{text}**" if too_many(wrong, runs, rates) else text


def coverage_table(options: argparse.Namespace, failures: list[str]) -> str:
    rows, rates = [], 2 * len(WORLDS) + len(ONE_SCALE)
    for world in WORLDS:
        runs = runs_of(world, options.scale)
        key = f"coverage 1 {world.name} {runs} {options.seed}"
        found = Found(**kept(key, options.cache, lambda w=world, n=runs: asdict(measured(w, n, options.seed))))
        for what, wrong in (("intervals", found.any_interval), ("places", found.any_place)):
            if too_many(wrong, runs, rates):
                failures.append(f"{world.name}: {what} err in {wrong / runs:.1%}")
        rows.append(
            [
                world.name,
                f"{runs:,}",
                rate(found.any_interval, runs, rates),
                f"{found.one_interval:.1%}",
                rate(found.any_place, runs, rates),
                f"{found.control / runs:.1%}",
                f"{found.half_width:.0f}",
                f"{found.decided:.0%}",
                f"{found.outside:.0%}",
            ]
        )
    header = [
        "world",
        "studies",
        "any interval",
        "one interval",
        "any place",
        "control",
        "half-width",
        "decided",
        "no limit",
    ]
    return table(header, rows)


def finds_misfit(make: Callable[[np.random.Generator], Games], runs: int, seed: int, name: str) -> dict[str, object]:
    rng = np.random.default_rng([seed, _number(name)])
    p_values = []
    for _ in range(runs):
        games = make(rng)
        found = strengths(games)
        p_values.append(one_scale(games, found.fit, found.influences).p_value)
    tested = [value for value in p_values if value is not None]
    return {"runs": runs, "tested": len(tested), "found": sum(value <= ALPHA for value in tested)}


def one_scale_table(options: argparse.Namespace, failures: list[str]) -> str:
    rows, rates = [], 2 * len(WORLDS) + len(ONE_SCALE)
    circles = [(f"a circle of three, {games} games, each {ELO * lead:.0f} points above the next", circle(games, lead))
               for games, lead in ((90, 0.5), (150, 0.5), (150, 1.0))]  # fmt: skip
    for name, make in [*((world.name, world.make) for world in ONE_SCALE), *circles]:
        runs = max(round(options.scale * RUNS / 2), 20)
        key = f"one scale 1 {name} {runs} {options.seed}"
        found = kept(key, options.cache, lambda n=name, m=make, r=runs: finds_misfit(m, r, options.seed, n))
        wrong, tested = int(found["found"]), int(found["tested"])
        sound = not name.startswith("a circle")
        if sound and too_many(wrong, tested, rates):
            failures.append(f"{name}: one scale is rejected in {wrong / tested:.1%}")
        shown = rate(wrong, tested, rates) if sound else f"{wrong / tested:.0%}"
        rows.append([name, f"{tested:,}", shown])
    return table(["world", "studies", "one scale does not fit"], rows)


TOURNAMENTS = (
    ("5 equal systems", "paper", np.zeros(5)),
    ("5 systems, spread 1", "paper", spread_out(5, 1.0)),
    ("20 systems, spread 1", "paper", spread_out(20, 1.0)),
    ("20 systems, spread 1", "standard", spread_out(20, 1.0)),
)
EACH, MOST = 20, 25_000


def glicko_table(options: argparse.Namespace) -> str:
    rows = []
    for name, form, truth in TOURNAMENTS:
        key = f"glicko 1 {name} {form} {EACH} {MOST} {options.seed}"
        found = kept(key, options.cache, lambda f=form, t=truth, n=name: played(f, t, options.seed, n))
        games = found["games"]
        rows.append(
            [name, form, f"{found['converged']} of {EACH}", f"{np.median(games):,.0f}",
             f"{found['deviation']:.0f}", "-" if not np.ptp(truth) else f"{found['in_order']:.0%}"]
        )  # fmt: skip
    return table(["systems", "form", "converged", "games, median", "deviation, mean", "in order"], rows)


def played(form: str, truth: np.ndarray, seed: int, name: str) -> dict[str, object]:
    rng = np.random.default_rng([seed, _number(name)])
    converged, games, deviations, in_order = 0, [], [], []
    pairs = np.stack(np.triu_indices(truth.size, 1), axis=1)
    for _ in range(EACH):
        players: Players = PaperPlayers(truth.size) if form == "paper" else StandardPlayers(truth.size)
        shuffled = rng.permutation(truth)
        ended = tournament(players, endless_games(shuffled, rng), MOST)
        converged += ended.converged
        games.append(ended.games)
        deviations.append(np.mean([one.deviation for one in players.skills()]))
        ratings = np.array(players.strengths)
        ahead = (ratings[pairs[:, 0]] - ratings[pairs[:, 1]]) * (shuffled[pairs[:, 0]] - shuffled[pairs[:, 1]])
        in_order.append(float(np.mean(ahead > 0)))
    return {"converged": converged, "games": games, "deviation": float(np.mean(deviations)),
            "in_order": float(np.mean(in_order))}  # fmt: skip


def main() -> int:
    options = scaled_options(scaled_parser(__doc__, "rank_certification.md", "worlds"))
    failures: list[str] = []
    start = time.perf_counter()
    text = PAGE.format(
        runs=round(options.scale * RUNS),
        seed=options.seed,
        coverage=coverage_table(options, failures),
        one_scale=one_scale_table(options, failures),
        glicko=glicko_table(options),
        most=MOST,
        tournaments=EACH,
    )
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    show(text, "rank_certification.md", options.write)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
