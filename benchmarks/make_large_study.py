"""Writes a large study for the speed benchmarks: many systems, a known strength each, labels spread evenly over pairs.

    python benchmarks/make_large_study.py FOLDER --systems 100 --items 20000 --labels-per-pair 500
    python benchmarks/make_large_study.py FOLDER --systems 100 --items 100000 --labels 20000 --metric fit

With --metric every output of every system has a score, which predicts the labels; the items are listed, and labels
carry their times, as those of a campaign do.
"""

from __future__ import annotations

import argparse
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TIES = 0.3
_PEOPLE = 50
_METRIC_WEIGHT = 0.7  # how much of an output's score people see too, beside the strength of its system


def large_preferences(
    strength: Floats, items: int, labels: int, rng: np.random.Generator, quality: Floats | None = None
) -> pl.DataFrame:
    """`labels` human labels, each pair as many (one more for some), on random items, no item twice for a pair.

    `strength` (n_systems,); `quality` (n_items, n_systems) of single outputs moves the outcomes too.
    """
    first, second = np.triu_indices(strength.size, 1)
    counts = np.full(first.size, labels // first.size) + (np.arange(first.size) < labels % first.size)
    item = np.concatenate([rng.choice(items, count, replace=False) for count in counts])
    left, right = np.repeat(first, counts), np.repeat(second, counts)
    difference = strength[left] - strength[right]
    if quality is not None:
        difference = difference + _METRIC_WEIGHT * (quality[item, left] - quality[item, right])
    chance = 1 / (1 + np.exp(-difference))
    draw = rng.random(item.size)
    outcome = np.where(draw < _TIES, "tie", np.where(draw < _TIES + (1 - _TIES) * chance, "a", "b"))
    return pl.DataFrame(
        {
            "item": item_names(item),
            "system_a": system_names(left),
            "system_b": system_names(right),
            "annotator": pl.Series(rng.integers(_PEOPLE, size=item.size)).cast(pl.String).str.pad_start(3, "w"),
            "outcome": outcome,
        }
    )


def item_names(numbers: NDArray[np.integer]) -> pl.Series:
    """`i000012` for 12."""
    return "i" + pl.Series(numbers).cast(pl.String).str.zfill(6)


def system_names(numbers: NDArray[np.integer]) -> pl.Series:
    """`s007` for 7."""
    return "s" + pl.Series(numbers).cast(pl.String).str.zfill(3)


def in_time(preferences: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The labels in a random order, a second apart."""
    start = datetime(2024, 5, 1, 9)
    times = [(start + timedelta(seconds=k)).isoformat() + "Z" for k in range(preferences.height)]
    return preferences[rng.permutation(preferences.height)].with_columns(decided_at=pl.Series(times))


def by_output(values: pl.Series, items: int, systems: int) -> pl.DataFrame:
    """A table with a row per output, system by system."""
    return pl.DataFrame(
        {
            "item": pl.concat([item_names(np.arange(items))] * systems),
            "system": system_names(np.arange(systems)).gather(np.repeat(np.arange(systems), items)),
            values.name: values,
        }
    )


def main() -> None:
    """Write the study folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--items", type=int, default=20_000)
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--labels-per-pair", type=int, default=500)
    amount.add_argument("--labels", type=int, help="labels in all")
    parser.add_argument("--metric", help="score every output by a metric of this name")
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    strength = rng.normal(0, 0.5, options.systems)
    pairs = options.systems * (options.systems - 1) // 2
    labels = options.labels or pairs * options.labels_per_pair
    tables: dict[str, pl.DataFrame] = {}
    quality = None
    if options.metric:
        quality = rng.standard_normal((options.items, options.systems))
        scores = pl.Series("value", (strength + quality).T.ravel())
        tables["items"] = pl.DataFrame({"item": item_names(np.arange(options.items))})
        tables["scores"] = by_output(scores, options.items, options.systems).with_columns(metric=pl.lit(options.metric))
    preferences = large_preferences(strength, options.items, labels, rng, quality)
    tables["preferences"] = in_time(preferences, rng) if options.metric else preferences
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, frame in tables.items():
        path = options.folder / f"{name}.{options.format}"
        if options.format == "csv":
            frame.write_csv(path)
        else:
            frame.write_parquet(path)
        print(f"Wrote {frame.height:,} rows to {path}")


if __name__ == "__main__":
    main()
