"""Outputs that are scored by comparisons with common references and with one another (learning-to-compare, 4.2: RQ1 and
RQ2).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import UsageError
from tiebreak.kernels.glicko2 import PaperPlayers, Skill, matched_games, tournament
from tiebreak.ranking.sources import Compare, sample_points, sample_skills
from tiebreak.scoring.evaluator.examples.rows import Floats, Places
from tiebreak.scoring.evaluator.judging import ReadTexts
from tiebreak.scoring.evaluator.training.kept import Trained

_PAIRS_AT_ONCE: Final = 4096

Report = Callable[[int], None]
"""Pairs, or outputs scored alone, that were read since the last call."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One output."""

    item: str
    system: str
    sample: str | None
    text: str


class Outcomes:
    """What one evaluator says of pairs of `samples`, by their numbers: 1, 0 or -1 for the first.

    Each has its own context: outputs for different inputs are compared as answers to their own. (The form `cross`,
    which reads one context with both texts, reads such a pair once in either context.) A pair is read once, and equal
    texts for equal contexts are a tie without being read. `lost`: what is not read of the texts.
    """

    def __init__(
        self, evaluator: Trained, samples: Sequence[Sample], contexts: Mapping[str, str], report: Report
    ) -> None:
        self._texts = ReadTexts.of(evaluator, [(contexts.get(sample.item, ""), sample.text) for sample in samples])
        self.lost = self._texts.lost
        self._evaluator, self._report = evaluator, report
        self._known: dict[int, int] = {}

    def __call__(self, first: Places, second: Places) -> NDArray[np.int8]:
        """Outcomes (n,) of pairs (n,)."""
        a, b = self._texts.place[first], self._texts.place[second]
        count = self._texts.place.size
        pair, place = np.unique(np.minimum(a, b) * count + np.maximum(a, b), return_inverse=True)
        low, high = np.divmod(pair, count)
        fresh = np.flatnonzero([number not in self._known for number in pair.tolist()] & (low != high))
        for part in np.array_split(fresh, -(-fresh.size // _PAIRS_AT_ONCE)) if fresh.size else ():
            answers = self._evaluator.answers(self._texts.probabilities(low[part], high[part]))
            self._known.update(zip(pair[part].tolist(), answers.tolist(), strict=True))
            self._report(answers.size)
        outcome = np.array([self._known.get(number, 0) for number in pair.tolist()], dtype=np.int8)[place]
        return np.where(a <= b, outcome, -outcome)


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
    outputs: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, one in enumerate(panel.samples):
        outputs[one.system][one.item].append(number)
    asked = [
        (a, b, shared)
        for a, b in combinations(sorted(outputs), 2)
        if (shared := sorted(outputs[a].keys() & outputs[b].keys()))
    ]
    players = sorted({player for a, b, _ in asked for player in (a, b)})
    if not players:
        return TournamentRatings({}, 0, converged=False)
    place = {player: number for number, player in enumerate(players)}
    generator = np.random.default_rng([seed, 2])

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

    pairs = np.array([(place[a], place[b]) for a, b, _ in asked], dtype=np.intp)
    paper = PaperPlayers(len(players))
    ended = tournament(paper, matched_games("random", len(players), pairs, play, generator), most_games)
    skills = dict(zip(players, paper.skills(), strict=True))
    return TournamentRatings(skills, ended.games, ended.converged)
