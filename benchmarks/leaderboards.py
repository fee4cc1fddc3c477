"""Leaderboards of real studies beside other tools, and how long they take: Markdown; `--write` saves it.

python benchmarks/leaderboards.py [--data FOLDER] [--write]

The page is docs/leaderboards.md. Times are the best of several, ours and the other's in turn.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import choix
import evalica
import glicko2 as other_glicko2
import numpy as np
from numpy.typing import NDArray

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))  # `benchmarks` is no installed package

from benchmarks.pages import REAL_STUDIES, machine, show, table  # noqa: E402

import tiebreak  # noqa: E402
from tiebreak.evidence.games import GameRows, preference_games, rating_games  # noqa: E402
from tiebreak.evidence.items import ItemIndex  # noqa: E402
from tiebreak.kernels.davidson import davidson, outcome_probabilities  # noqa: E402
from tiebreak.kernels.games import Games  # noqa: E402
from tiebreak.kernels.glicko2 import PaperPlayers  # noqa: E402
from tiebreak.results.ranking.records import CriterionRanks  # noqa: E402
from tiebreak.results.ranking.words import place_words  # noqa: E402

Floats = NDArray[np.float64]

STUDIES = (
    ("llmfao", None, "answers of chat models to 13 prompts, preferences of a crowd"),
    ("summeval", "relevance", "news summaries, ratings of experts and a crowd"),
    ("summeval", "coherence", "the same, another question"),
    ("wmt21-en-de", "mqm", "news translations, errors marked by professionals"),
)
SHOWN = 8
GAMES, SYSTEMS, BEST_OF = 1_000_000, 100, 5

PAGE = """# Leaderboards of real studies, beside other tools

The same labels ranked by `tiebreak rank` and by what other tools offer, and which of their places the labels support.
Made by `python benchmarks/leaderboards.py --write` with evalica {evalica}, choix 0.4.1 and glicko2 2.1.0, as anybody
would call them: one row per label, everything else by default. Several labels on an item then count as several games,
which tiebreak counts as one comparison.

## What the labels support

*Pairs in order*: whose order the places know. *Exact places*: systems with a single possible place. *Wide*: systems
whose range of places spans more than half of the leaderboard. *One scale*: the p-value that it fits.

{supported}

## What other tools make of them

*Outside*: systems that the tool puts on a place outside of the range that the labels allow. *In step*: Kendall's tau
with Davidson's ratings. *First*: the system that the tool puts first.

{beside}

What counts wins agrees: where every pair was compared on the same items, Bradley-Terry with ties, without them, win
rates and Davidson put nearly all systems in one order. What goes game by game (Elo, Glicko-2) depends on the order of
the rows. But tools agree far better than the labels allow, as they count the same wins: that they agree is no evidence
for a place. Each gives every system a place, also where the labels say next to nothing. (evalica's eigenvector is left
out: version 0.4.2 gives the highest score to the system that loses most.)

## Places that nobody should report

{unsupported}

## Time

{machine}. {games:,} games of {systems} systems, a third of them ties between equal ones, best of
{best_of}; ratios are from the same run.

{speed}

"From tables": from two columns of systems and one of outcomes, as such tools are called. "From counts": wins, ties and
losses of each pair. Intervals and ranges of places are not in the first rows: other tools have none that hold for
dependent games.

Code: `kernels/davidson.py`, `kernels/strengths.py`, `kernels/glicko2.py`.
"""


@dataclass(frozen=True)
class Real:
    """A study's leaderboard, and its labels as other tools take them: names and outcomes of rows."""

    name: str
    what: str
    found: CriterionRanks
    items: int
    first: list[str]
    second: list[str]
    outcome: list[int]

    @property
    def systems(self) -> list[str]:
        return [one.system for one in self.found.davidson.systems]


def read(folder: Path, name: str, criterion: str | None, what: str) -> Real:
    study = tiebreak.read_study(folder / name)
    index = ItemIndex.of(study)
    criteria = None if criterion is None else [criterion]
    (found,) = tiebreak.rank(study, criteria=criteria, max_games=100_000).results
    rows: GameRows = preference_games(study, criterion, index, "mean")
    if not len(rows):
        rows = rating_games(study, criterion, index, "mean", 0.0, "same", beside_preferences=False)
    first, second = ([study.systems[k] for k in of.tolist()] for of in (rows.first, rows.second))
    title = name if criterion is None else f"{name}, {criterion}"
    return Real(title, what, found, np.unique(rows.item).size, first, second, rows.outcome.tolist())


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


def by_glicko2(real: Real) -> dict[str, float]:
    """The PyPI package, the whole study as one period."""
    games: dict[str, tuple[list[str], list[float]]] = {name: ([], []) for name in real.systems}
    for a, b, outcome in zip(real.first, real.second, real.outcome, strict=True):
        for one, other, score in ((a, b, (1 + outcome) / 2), (b, a, (1 - outcome) / 2)):
            games[one][0].append(other)
            games[one][1].append(score)
    found = {}
    for name, (others, scores) in games.items():
        player = other_glicko2.Player()
        player.update_player([1500] * len(others), [350] * len(others), scores)
        found[name] = player.rating
    return found


def our_glicko2(real: Real) -> dict[str, float]:
    return {one.system: one.rating for one in real.found.glicko2.systems}


TOOLS: dict[str, Callable[[Real], dict[str, float]]] = {
    "tiebreak, Glicko-2 (the paper's)": our_glicko2,
    "evalica, Bradley-Terry": by_evalica(evalica.bradley_terry),
    "evalica, Newman": by_evalica(evalica.newman),
    "evalica, Elo": by_evalica(evalica.elo),
    "evalica, win rate": by_evalica(evalica.average_win_rate),
    "evalica, PageRank": by_evalica(evalica.pagerank),
    "choix, Bradley-Terry without ties": by_choix,
    "glicko2, one period": by_glicko2,
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


def supported_table(every: Sequence[Real]) -> str:
    rows = []
    for real in every:
        ranked = real.found.davidson.systems
        widths = np.array([one.rank_high - one.rank_low for one in ranked])
        count = len(ranked)
        known = sum(count - 1 - width for width in widths) / (count * (count - 1))
        fit = real.found.davidson.fit.p_value
        rows.append(
            [real.name, f"{count}", f"{real.items}", f"{len(real.outcome):,}", f"{known:.0%}",
             f"{int((widths == 0).sum())}", f"{int((widths + 1 > count / 2).sum())}",
             "not tested" if fit is None else f"{fit:.2f}"]
        )  # fmt: skip
    header = [
        "study",
        "systems",
        "items",
        "labels or comparisons",
        "pairs in order",
        "exact places",
        "wide",
        "one scale",
    ]
    return table(header, rows)


def beside_tables(every: Sequence[Real]) -> str:
    parts = []
    for real in every:
        allowed = {one.system: (one.rank_low, one.rank_high) for one in real.found.davidson.systems}
        rows = []
        for tool, score in TOOLS.items():
            scores = score(real)
            given = places(scores)
            outside = sum(not allowed[name][0] <= place <= allowed[name][1] for name, place in given.items())
            rows.append([tool, min(given, key=given.__getitem__), f"{in_step(real, scores):.2f}", f"{outside}"])
        rows.insert(0, ["tiebreak, Davidson", real.systems[0], "1.00", "0"])
        parts.append(f"### {real.name}\n\n{real.what}\n\n{table(['tool', 'first', 'in step', 'outside'], rows)}")
    return "\n\n".join(parts)


def unsupported(every: Sequence[Real]) -> str:
    """The first and the last systems of each study: what the labels allow, and where the tools put them."""
    parts = []
    for real in every:
        given = [places(score(real)) for score in TOOLS.values()]
        ranked = real.found.davidson.systems
        shown = ranked if len(ranked) <= 2 * SHOWN + 4 else (*ranked[:SHOWN], *ranked[-SHOWN:])
        rows = []
        for one in shown:
            own = [each[one.system] for each in given]
            rows.append([one.system, place_words(one), f"{min(own)} to {max(own)}"])
        cut = "" if len(shown) == len(ranked) else f" The first and last {SHOWN} of {len(ranked)}."
        parts.append(
            f"### {real.name}: places\n\n{sentence(real)}{cut}\n\n{table(['system', 'allowed', 'by tools'], rows)}"
        )
    return "\n\n".join(parts)


def wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 120))


def sentence(real: Real) -> str:
    ranked = real.found.davidson.systems
    exact = [one.system for one in ranked if one.rank_low == one.rank_high]
    first = [one.system for one in ranked if one.rank_low == 1]
    wide = sum(one.rank_high - one.rank_low + 1 > len(ranked) / 2 for one in ranked)
    known = f"The labels settle the place of {', '.join(exact)} alone" if exact else "The labels settle no place"
    could = f"{len(first)} of {len(ranked)} systems may be the best" if len(first) > 1 else f"{first[0]} is the best"
    half = f"; {wide} may have any place in more than half of the leaderboard" if wide else ""
    return f"{known}: {could}{half}."


def speed_table() -> str:
    rng = np.random.default_rng(1)
    truth = rng.standard_normal(SYSTEMS)
    first = rng.integers(SYSTEMS, size=GAMES)
    second = (first + rng.integers(1, SYSTEMS, size=GAMES)) % SYSTEMS
    bounds = outcome_probabilities(truth[first] - truth[second], 0.0).cumsum(axis=1)[:, :2]
    outcome = 1 - (rng.random(GAMES)[:, None] > bounds).sum(axis=1)
    pairs, counts, _ = Games.of(SYSTEMS, first, second, outcome).counts()
    kinds = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
    rows = first.tolist(), second.tolist(), [kinds[k] for k in outcome.tolist()]
    games = list(zip(*rows[:2], outcome.tolist(), strict=True))

    def from_tables() -> None:
        columns = (np.asarray(of) for of in (rows[0], rows[1], outcome))
        found, of_counts, _ = Games.of(SYSTEMS, *columns).counts()
        davidson(SYSTEMS, found, of_counts)

    def glicko() -> None:
        play = PaperPlayers(SYSTEMS).play
        for game in games:
            play(*game)

    calls: dict[str, Callable[[], object]] = {
        "Davidson from counts": lambda: davidson(SYSTEMS, pairs, counts),
        "Davidson from tables": from_tables,
        "evalica, Bradley-Terry from tables": lambda: evalica.bradley_terry(*rows),
        "evalica, Newman (the same model) from tables": lambda: evalica.newman(*rows),
        "Glicko-2, the paper's form": glicko,
    }
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(BEST_OF):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            best[name] = min(best[name], time.perf_counter() - start)
    reference = best["evalica, Newman (the same model) from tables"]
    return table(
        ["what", "seconds", "beside evalica's Newman"],
        [[name, f"{seconds:.3f}", f"{seconds / reference:.3f}"] for name, seconds in best.items()],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=REAL_STUDIES, help="the real studies")
    parser.add_argument("--write", action="store_true", help="save docs/leaderboards.md")
    options = parser.parse_args()
    every = [read(options.data, *study) for study in STUDIES]
    text = PAGE.format(
        evalica=evalica.__version__,
        supported=supported_table(every),
        beside=beside_tables(every),
        unsupported=unsupported(every),
        machine=machine(),
        speed=speed_table(),
        games=GAMES,
        systems=SYSTEMS,
        best_of=BEST_OF,
    )
    show(text, "leaderboards.md", options.write)


if __name__ == "__main__":
    main()
