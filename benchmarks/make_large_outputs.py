"""Writes a study of many outputs with references, for benchmarks of `score`.

    python benchmarks/make_large_outputs.py FOLDER [--outputs 1000000] [--seed 1]

Half as many items, two systems; a reference has 20 words of a vocabulary of 5,000 that is used as Zipf says, and the
systems change a fifth and two fifths of them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl

WORDS, VOCABULARY, AT_ONCE = 20, 5_000, 50_000


def made_words(rng: np.random.Generator) -> np.ndarray:
    """Words of two to ten letters, no two the same."""
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    found: dict[str, None] = {}
    while len(found) < VOCABULARY:
        found["".join(rng.choice(letters, rng.integers(2, 11)))] = None
    return np.array(list(found))


def write(folder: Path, outputs: int, seed: int) -> None:
    """The study, as Parquet."""
    rng = np.random.default_rng(seed)
    words = made_words(rng)
    shares = 1 / np.arange(1, VOCABULARY + 1)
    shares /= shares.sum()
    items, rows = [], []
    for start in range(0, outputs // 2, AT_ONCE):
        count = min(AT_ONCE, outputs // 2 - start)
        numbers = rng.choice(VOCABULARY, size=(count, WORDS), p=shares)
        names = pl.Series("item", [f"i{start + k:07d}" for k in range(count)])
        items.append(pl.DataFrame([names, pl.Series("reference", texts(words, numbers))]))
        for system, changed in (("ant", 0.2), ("bee", 0.4)):
            other = rng.choice(VOCABULARY, size=numbers.shape, p=shares)
            mixed = np.where(rng.random(numbers.shape) < changed, other, numbers)
            system_of = pl.Series("system", [system] * count)
            rows.append(pl.DataFrame([names, system_of, pl.Series("text", texts(words, mixed))]))
    folder.mkdir(parents=True, exist_ok=True)
    pl.concat(items).write_parquet(folder / "items.parquet")
    pl.concat(rows).write_parquet(folder / "outputs.parquet")


def texts(words: np.ndarray, numbers: np.ndarray) -> list[str]:
    """Rows of word numbers as sentences."""
    return [" ".join(row).capitalize() + "." for row in words[numbers].tolist()]


def main() -> None:
    """Write the study that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--outputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write(options.folder, options.outputs, options.seed)


if __name__ == "__main__":
    main()
