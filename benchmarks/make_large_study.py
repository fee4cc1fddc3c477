"""Writes a large study for the speed benchmark: many systems, a fixed number of labels per pair, a known strength each.

python benchmarks/make_large_study.py FOLDER --systems 100 --items 20000 --labels-per-pair 500
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl


def large_preferences(systems: int, items: int, labels_per_pair: int, seed: int) -> pl.DataFrame:
    """One label on each of `labels_per_pair` random items of every pair; strengths from a normal distribution."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.5, systems)
    first, second = np.triu_indices(systems, 1)
    pairs = first.size
    item = np.concatenate([rng.choice(items, labels_per_pair, replace=False) for _ in range(pairs)])
    left = np.repeat(first, labels_per_pair)
    right = np.repeat(second, labels_per_pair)
    chance = 1 / (1 + np.exp(strength[right] - strength[left]))
    draw = rng.random(item.size)
    outcome = np.where(draw < 0.3, "tie", np.where(draw < 0.3 + 0.7 * chance, "a", "b"))
    return pl.DataFrame(
        {
            "item": pl.Series(item).cast(pl.String),
            "system_a": pl.Series(left).cast(pl.String).str.zfill(3).str.pad_start(4, "s"),
            "system_b": pl.Series(right).cast(pl.String).str.zfill(3).str.pad_start(4, "s"),
            "annotator": pl.Series(rng.integers(50, size=item.size)).cast(pl.String).str.pad_start(3, "w"),
            "outcome": outcome,
        }
    )


def main() -> None:
    """Write the study folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--systems", type=int, default=100)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--labels-per-pair", type=int, default=500)
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    frame = large_preferences(options.systems, options.items, options.labels_per_pair, options.seed)
    path = options.folder / f"preferences.{options.format}"
    if options.format == "csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    print(f"Wrote {frame.height:,} preferences to {path}")


if __name__ == "__main__":
    main()
