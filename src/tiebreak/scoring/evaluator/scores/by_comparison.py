"""Outputs and systems scored by comparisons (learning-to-compare, 4.2: RQ1 and RQ2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.glicko2 import PaperPlayers, Skill, matched_games, tournament
from tiebreak.ranking.tournaments import Compare, sample_points, sample_skills
from tiebreak.scoring.evaluator.scores.outcomes import Outcomes, Places, Sample

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Panel:
    """Scored outputs and their common references, with the evaluators that compare them.

    `of` (n,): the number of the evaluator of each scored output. Each of `outcomes` knows all outputs, and the
    references behind them. Evaluators of folds are different scales: an output meets those of its own fold.
    """

    samples: Sequence[Sample]
    references: Sequence[Sample]
    of: Places
    outcomes: Sequence[Outcomes]

    def points(self) -> Floats:
        """Points (n,) against all common references."""
        found = np.empty(len(self.samples))
        references = len(self.samples) + np.arange(len(self.references))
        for mine, compare in self._groups():
            found[mine] = sample_points(_between(compare, mine, references), mine.size, references.size)
        return found

    def ratings(self, games: int, seed: int) -> tuple[Floats, int]:
        """Ratings (n,) after so many games in all, shared by the folds, and how many were played.

        Raises:
            UsageError: one output alone, of the study or of a fold, has nobody to play with.
        """
        found, played = np.empty(len(self.samples)), 0
        for number, (mine, compare) in enumerate(self._groups()):
            if mine.size < 2:
                raise UsageError("a rating takes two outputs at least, in each fold: take --by points")
            share = max(round(games * mine.size / len(self.samples)), 1)
            rng = np.random.default_rng([seed, 1, number])
            skills = sample_skills(_between(compare, mine, mine), mine.size, share, rng=rng)
            found[mine] = [skill.rating for skill in skills]
            played += share
        return found, played

    def _groups(self) -> list[tuple[Places, Outcomes]]:
        return [(np.flatnonzero(self.of == number), self.outcomes[number]) for number in np.unique(self.of)]


def _between(compare: Outcomes, these: Places, those: Places) -> Compare:
    """Comparisons of some outputs with some others, by their places among them."""
    return lambda first, second: compare(these[first], those[second])


@dataclass(frozen=True, slots=True)
class TournamentRatings:
    """A tournament of systems: by name those that have an item in common with another; `converged`: their order stood
    still before the games were used up.
    """

    skills: Mapping[str, Skill]
    games: int
    converged: bool


def system_ratings(panel: Panel, most_games: int, seed: int) -> TournamentRatings:
    """Glicko-2 of systems: a game draws two of them, an item that both have, and an output of each."""
    systems = sorted({one.system for one in panel.samples})
    outputs: dict[str, dict[str, list[int]]] = {name: defaultdict(list) for name in systems}
    for number, one in enumerate(panel.samples):
        outputs[one.system][one.item].append(number)
    common = {
        (a, b): shared
        for a in range(len(systems))
        for b in range(a + 1, len(systems))
        if (shared := sorted(outputs[systems[a]].keys() & outputs[systems[b]].keys()))
    }
    players = sorted({player for pair in common for player in pair})
    if not players:
        return TournamentRatings({}, 0, converged=False)
    place = {player: number for number, player in enumerate(players)}
    generator = np.random.default_rng([seed, 2])
    asked = [(systems[a], systems[b], items) for (a, b), items in common.items()]

    def play(rows: Places) -> NDArray[np.int8]:
        drawn = []
        for row in rows.tolist():
            a, b, items = asked[row]
            item = items[generator.integers(len(items))]
            drawn.append([own[generator.integers(len(own))] for own in (outputs[a][item], outputs[b][item])])
        first, second = np.array(drawn, dtype=np.intp).T
        found = np.zeros(rows.size, dtype=np.int8)
        for number in np.unique(panel.of[first]):
            mine = panel.of[first] == number
            found[mine] = panel.outcomes[number](first[mine], second[mine])
        return found

    pairs = np.array([(place[a], place[b]) for a, b in common], dtype=np.intp)
    paper = PaperPlayers(len(players))
    ended = tournament(paper, matched_games("random", len(players), pairs, play, generator), most_games)
    skills = {systems[player]: skill for player, skill in zip(players, paper.skills(), strict=True)}
    return TournamentRatings(skills, ended.games, ended.converged)
