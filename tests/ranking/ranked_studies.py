"""Small studies with systems of known strengths, for the tests of leaderboards."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from itertools import combinations

from tests.small_studies import Row, answer, rating, study_of, vote

from tiebreak.data.study import Study

SYSTEMS = {"ant": 1.0, "bee": 0.5, "cat": 0.0, "dog": -0.5}
_CODES = {"w": "a", "t": "tie", "l": "b"}


def played(results: Mapping[tuple[str, str], str]) -> Study:
    """One label on an item of its own for every letter: `w` the first of the pair won, `t` a tie, `l` it lost."""
    return study_of(
        [
            vote(f"{first}-{second}-{k}", first, second, "ann", _CODES[code])
            for (first, second), codes in results.items()
            for k, code in enumerate(codes)
        ]
    )


def judged(items: int = 60, people: int = 2, left: float = 0.0, judge_likes_dog: float = 0.0, seed: int = 1) -> Study:
    """All pairs on all items, by people and by a judge in both orders, and ratings of one person.

    `left`: the advantage of the left; `judge_likes_dog`: how much the judge overrates it.
    """
    chance = random.Random(seed)
    votes: list[Row] = []
    replies: list[Row] = []
    ratings: list[Row] = []

    def outcome(difference: float) -> str:
        return chance.choices(["a", "tie", "b"], [math.exp(difference / 2), 0.7, math.exp(-difference / 2)])[0]

    for k in range(items):
        own = {name: strength + chance.gauss(0, 0.5) for name, strength in SYSTEMS.items()}
        for a, b in combinations(SYSTEMS, 2):
            for person in range(people):
                shown = chance.choice((a, b))
                difference = own[a] - own[b] + (left if shown == a else -left)
                said = vote(f"i{k}", a, b, f"p{person}", outcome(difference), criterion="overall")
                votes.append(said | {"left": shown})
            for shown in (a, b):
                bias = judge_likes_dog * ((a == "dog") - (b == "dog"))
                difference = 2 * (own[a] - own[b]) + bias + (left if shown == a else -left)
                replies.append(answer(f"i{k}", a, b, outcome(difference), shown, criterion="overall"))
        ratings += [rating(f"i{k}", name, "p0", round(3 + strength)) for name, strength in own.items()]
    return study_of(votes, ratings=ratings, judge_preferences=replies)
