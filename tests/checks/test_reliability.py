"""How often an annotator at chance is found among few others, and how often somebody is named who is not."""

from __future__ import annotations

import numpy as np
import polars as pl

from tiebreak.checks.reliability import _preferences_at_chance
from tiebreak.data.columns import completed

RUNS = 120


def crowd(rng: np.random.Generator, sound: int, at_chance: int, items: int = 80) -> pl.DataFrame:
    """Everybody labels every item, a fifth of which tie. Sound people see half of the time what is right, and answer as
    others who do not look else: they agree with each other on 52% of the items.
    """
    right = rng.choice(["a", "tie", "b"], size=items, p=[0.4, 0.2, 0.4])
    rows = []
    for person in range(sound + at_chance):
        blind = rng.choice(["a", "tie", "b"], size=items, p=[0.4, 0.2, 0.4])
        answers = np.where((rng.random(items) < 0.5) & (person < sound), right, blind)
        name = f"p{person}" if person < sound else f"dice{person}"
        rows += [(f"i{k}", "x", "y", None, name, str(answer)) for k, answer in enumerate(answers)]
    columns = ["item", "system_a", "system_b", "criterion", "annotator", "outcome"]
    return completed(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row"), "preferences")


def named(seed: int, sound: int, at_chance: int) -> list[str]:
    found = _preferences_at_chance(crowd(np.random.default_rng([seed, 17]), sound, at_chance))
    return [name for name, _ in found]


def test_one_of_six_people_at_chance_is_found_on_80_items() -> None:
    """.79 of the time (.60 where that person's labels lower what is held to be typical); a 99% limit of 120 runs."""
    found = [named(seed, 5, 1) for seed in range(RUNS)]
    assert sum("dice5" in names for names in found) >= 0.69 * RUNS
    assert sum(len(set(names) - {"dice5"}) for names in found) <= 1


def test_hardly_anybody_is_named_where_all_are_sound() -> None:
    """By chance at most one person of 1,000: 720 here, of whom 3 or more are named in 4% of such tests."""
    assert sum(len(named(seed, 6, 0)) for seed in range(RUNS)) <= 2


def test_of_two_people_neither_is_named() -> None:
    """They agree with each other or do not: nothing says who is at fault."""
    assert [named(seed, 1, 1) for seed in range(20)] == [[]] * 20
