"""Leaderboards of real studies beside other tools: which places the labels support, and where the tools put systems.

python benchmarks/leaderboards.py [--data FOLDER] [--write]

Writes benchmarks/results/leaderboards.csv and leaderboards_tools.csv. The tools (evalica, choix) are called as anybody
would: one row per label, everything else by default. Several labels on an item then count as several games, which
tiebreak counts as one comparison.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import choix
import evalica
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # `benchmarks` is no installed package

from benchmarks.results import Value, machine, parser, write_rows

import tiebreak
from tiebreak.evidence.games import GameRows, preference_games, rating_games
from tiebreak.evidence.items import ItemIndex
from tiebreak.results.ranks import CriterionRanks

STUDIES = (("llmfao", None), ("summeval", "relevance"), ("summeval", "coherence"), ("wmt21-en-de", "mqm"))
HEADER = ("study", "systems", "items", "comparisons", "pairs in order", "exact places", "wide", "one scale p")
TOOLS_HEADER = ("study", "tool", "first", "tau", "outside")


@dataclass(frozen=True)
class Real:
    """A study's leaderboard, and its labels as other tools take them: names and outcomes of rows."""

    name: str
    found: CriterionRanks
    items: int
    first: list[str]
    second: list[str]
    outcome: list[int]

    @property
    def systems(self) -> list[str]:
        return [one.system for one in self.found.davidson.systems]


def read(folder: Path, name: str, criterion: str | None) -> Real:
    """The leaderboard of a study, and its rows."""
    study = tiebreak.read_study(folder / name)
    index = ItemIndex.of(study)
    criteria = None if criterion is None else [criterion]
    (found,) = tiebreak.rank(study, criteria=criteria, max_games=100_000).results
    rows: GameRows = preference_games(study, criterion, index, "mean")
    if not len(rows):
        rows = rating_games(study, criterion, index, "mean", 0.0, "same", beside_preferences=False)
    first, second = ([study.systems[k] for k in of.tolist()] for of in (rows.first, rows.second))
    title = name if criterion is None else f"{name}, {criterion}"
    return Real(title, found, np.unique(rows.item).size, first, second, rows.outcome.tolist())


def winners(real: Real) -> list[evalica.Winner]:
    kinds = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
    return [kinds[outcome] for outcome in real.outcome]


def by_evalica(rank: Callable[..., object]) -> Callable[[Real], dict[str, float]]:
    def scores(real: Real) -> dict[str, float]:
        return dict(rank(real.first, real.second, winners(real)).scores)  # type: ignore[attr-defined]

    return scores


def by_choix(real: Real) -> dict[str, float]:
    """Bradley-Terry without ties, which choix does not know."""
    number = {name: k for k, name in enumerate(real.systems)}
    games = [
        (number[a], number[b])[:: 1 if outcome > 0 else -1]
        for a, b, outcome in zip(real.first, real.second, real.outcome, strict=True)
        if outcome
    ]
    return dict(zip(real.systems, choix.ilsr_pairwise(len(number), games, alpha=0.01), strict=True))


TOOLS: dict[str, Callable[[Real], dict[str, float]]] = {
    "evalica, Bradley-Terry": by_evalica(evalica.bradley_terry),
    "evalica, Newman": by_evalica(evalica.newman),
    "evalica, Elo": by_evalica(evalica.elo),
    "evalica, win rate": by_evalica(evalica.average_win_rate),
    "evalica, PageRank": by_evalica(evalica.pagerank),
    "choix, Bradley-Terry without ties": by_choix,
}


def places(scores: dict[str, float]) -> dict[str, int]:
    ordered = sorted(scores, key=lambda name: -scores[name])
    return {name: place for place, name in enumerate(ordered, 1)}


def in_step(real: Real, scores: dict[str, float]) -> float:
    """Kendall's tau with the ratings."""
    ours = np.array([one.strength.rating for one in real.found.davidson.systems])
    theirs = np.array([scores[name] for name in real.systems])
    first, second = np.triu_indices(ours.size, 1)
    return float(np.mean(np.sign(ours[first] - ours[second]) * np.sign(theirs[first] - theirs[second])))


def supported(every: Sequence[Real]) -> Iterator[tuple[Value, ...]]:
    """What the labels of each study support.

    "Pairs in order": whose order the places know; "wide": systems whose range of places spans more than half of the
    leaderboard; "one scale p": the p-value that one scale fits.
    """
    for real in every:
        ranked = real.found.davidson.systems
        widths = np.array([one.rank_high - one.rank_low for one in ranked])
        count = len(ranked)
        known = sum(count - 1 - width for width in widths) / (count * (count - 1))
        exact, wide = int((widths == 0).sum()), int((widths + 1 > count / 2).sum())
        fit = real.found.davidson.fit.p_value
        yield real.name, count, real.items, len(real.outcome), float(known), exact, wide, fit


def by_tools(every: Sequence[Real]) -> Iterator[tuple[Value, ...]]:
    """The first system of each tool, Kendall's tau with Davidson's ratings, and places outside the supported range."""
    for real in every:
        allowed = {one.system: (one.rank_low, one.rank_high) for one in real.found.davidson.systems}
        yield real.name, "tiebreak, Davidson", real.systems[0], 1.0, 0
        for tool, score in TOOLS.items():
            scores = score(real)
            given = places(scores)
            outside = sum(not allowed[name][0] <= place <= allowed[name][1] for name, place in given.items())
            yield real.name, tool, min(given, key=given.__getitem__), in_step(real, scores), outside


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    options = parser(__doc__, "benchmarks/results/leaderboards.csv and leaderboards_tools.csv").parse_args(arguments)
    every = [read(options.data, *study) for study in STUDIES if (options.data / study[0]).is_dir()]
    folder = options.results if options.write else options.cache / "results"
    command, made_on = "python benchmarks/leaderboards.py --write", machine("evalica", "choix")
    print(write_rows("leaderboards", HEADER, supported(every), command, made_on, folder))
    print(write_rows("leaderboards_tools", TOOLS_HEADER, by_tools(every), command, made_on, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
