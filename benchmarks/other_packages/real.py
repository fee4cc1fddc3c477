"""What all decide on real studies: the same files, each package in the form that it reads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from benchmarks.other_packages.asked import ALPHA, Answers, Labels, Package, Said, by_tiebreak

from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.rules.registry import Multiplicity

_PARTS = 100  # random parts of a study
_PART_ITEMS = {"naturalness-v1": 20, "naturalness-v2": 40}
_PART_PEOPLE = 3

Decided = tuple[int, int | None] | str
"""Pairs decided by p-value and by interval (None: no such thing), or why there is no count."""


@dataclass(frozen=True)
class RealRow:
    """What each package decided, by its name; `pairs`: or parts of a study."""

    study: str
    pairs: int
    decided: dict[str, Decided]


def real_rows(data: Path, packages: Sequence[Package], seed: int, scale: float) -> list[RealRow]:
    """Studies that are not in the folder are skipped, with the reason."""
    found: list[RealRow] = []
    for name, rows in (
        ("naturalness-v1", _one_pair),
        ("naturalness-v2", _one_pair),
        ("pandalm", _pandalm),
        ("summeval", _summeval),
    ):
        if not (data / name).is_dir():
            print(f"{name} skipped: not in {data}; say where it is with --data FOLDER", file=sys.stderr)
            continue
        found += rows(read_study(data / name), packages)
    for name, items in _PART_ITEMS.items():
        if (data / name).is_dir():
            found.append(_parts(read_study(data / name), items, packages, seed, scale))
    return found


def _one_pair(study: Study, packages: Sequence[Package]) -> list[RealRow]:
    labels = [_preferred(study, a, b) for a, b in _pairs(study)]
    people = labels[0].people
    return [_row(f"{study.name}, {people} people per item", study, "holm", labels, packages)]


def _pandalm(study: Study, packages: Sequence[Package]) -> list[RealRow]:
    """Its pairs share no items: the packages are asked pair by pair, and about all systems at once."""
    labels = [_preferred(study, a, b) for a, b in _pairs(study)]
    together = _together(study)
    refused: dict[str, Decided] = {}
    for package in packages:
        if package.name == "evalstats":
            answers = package.ask([together])
            refused[package.name] = ", ".join(f"refuses: `{reason}`" for reason in answers.refused) or "not refused"
        else:
            refused[package.name] = "compares two systems at a time"
    ours = {"tiebreak": _compared(study, "holm")}
    return [
        RealRow("pandalm, 5 systems at once", len(labels), ours | refused),
        _row("pandalm, pair by pair, no correction", study, "none", labels, packages),
        _row("pandalm, pair by pair, Holm by hand", study, "holm", labels, packages, by_hand=True),
    ]


def _summeval(study: Study, packages: Sequence[Package]) -> list[RealRow]:
    """All systems rated on all items by three experts: the form that evalstats reads."""
    if study.ratings is None:
        raise ValueError("summeval has no ratings")
    table = study.ratings.filter(pl.col("annotator").str.starts_with("expert") & (pl.col("criterion") == "coherence"))
    means = table.group_by("system", "item").agg(pl.col("value").mean()).sort("system", "item")
    systems = means["system"].unique().sort()
    scores = means["value"].to_numpy().reshape(len(systems), -1)
    labels = Labels(scores, people=3, bounds=(1.0, 5.0))
    pairs = len(systems) * (len(systems) - 1) // 2
    decided: dict[str, Decided] = {}
    found = compare(study, annotators=["expert*"], criteria=["coherence"]).results[0].pairs
    decided["tiebreak"] = _both(sum(pair.verdict != "undecided" for pair in found))
    for package in packages:
        decided[package.name] = _count(package.ask([labels]), adjusted=package.name == "evalstats")
    return [RealRow(f"summeval, coherence by 3 experts, {len(systems)} systems at once", pairs, decided)]


def _parts(study: Study, part: int, packages: Sequence[Package], seed: int, scale: float) -> RealRow:
    """Random items with labels of a few random people each: how often the pair is decided."""
    ((a, b),) = _pairs(study)
    votes = _votes(study, a, b)
    rng = np.random.default_rng(seed)
    parts = []
    for _ in range(max(1, round(_PARTS * scale))):
        items = rng.permutation(votes.shape[0])[:part]
        means = rng.permuted(votes[items], axis=1)[:, :_PART_PEOPLE].mean(axis=1)
        parts.append(Labels(np.stack([(1 + means) / 2, (1 - means) / 2]), people=_PART_PEOPLE))
    decided: dict[str, Decided] = {"tiebreak": _count(by_tiebreak(parts), adjusted=True)}
    for package in packages:
        decided[package.name] = _count(package.ask(parts), adjusted=True)
    name = f"{study.name}, random parts: {part} items, {_PART_PEOPLE} people each"
    return RealRow(name, len(parts), decided)


def _row(
    name: str,
    study: Study,
    multiplicity: Multiplicity,
    labels: Sequence[Labels],
    packages: Sequence[Package],
    *,
    by_hand: bool = False,
) -> RealRow:
    decided: dict[str, Decided] = {"tiebreak": _compared(study, multiplicity)}
    for package in packages:
        answers = package.ask(labels)
        decided[package.name] = (_by_holm(answers), None) if by_hand else _count(answers, adjusted=True)
    return RealRow(name, len(labels), decided)


def _compared(study: Study, multiplicity: Multiplicity) -> tuple[int, int | None]:
    found = compare(study, multiplicity=multiplicity).results[0].pairs
    return _both(sum(pair.verdict != "undecided" for pair in found))


def _both(decided: int) -> tuple[int, int | None]:
    """By p-value and by interval: `compare` has one verdict for both."""
    return decided, decided


def _count(answers: Answers, *, adjusted: bool) -> tuple[int, int | None]:
    """`adjusted`: whether intervals are meant for as many pairs as there are."""
    pairs = [pair for study in answers.studies if study is not None for pair in study]
    return sum(bool(pair.by_p) for pair in pairs), sum(bool(pair.by_interval) for pair in pairs) if adjusted else None


def _by_holm(answers: Answers) -> int:
    pairs: list[Said] = [pair for study in answers.studies if study is not None for pair in study]
    count = 0
    for pair in sorted(pairs, key=lambda pair: pair.p):
        if pair.p > ALPHA / (len(pairs) - count):
            break
        count += 1
    return count


def _pairs(study: Study) -> list[tuple[str, str]]:
    return [(str(pair.system_a), str(pair.system_b)) for pair in compare(study).results[0].pairs]


def _outcomes(study: Study) -> pl.DataFrame:
    if study.preferences is None:
        raise ValueError(f"{study.name} has no preferences")
    signs = pl.col("outcome").replace_strict({"a": 1.0, "tie": 0.0, "b": -1.0})
    return study.preferences.with_columns(value=signs)


def _of_pair(study: Study, a: str, b: str) -> pl.DataFrame:
    """Items and values of a pair, whichever system a row names first."""
    table = _outcomes(study)
    one = table.filter((pl.col("system_a") == a) & (pl.col("system_b") == b))
    other = table.filter((pl.col("system_a") == b) & (pl.col("system_b") == a)).with_columns(value=-pl.col("value"))
    return pl.concat([one, other]).sort("item", "annotator")


def _preferred(study: Study, a: str, b: str) -> Labels:
    """A preference as scores 1, 1/2, 0 of the two systems; the mean of an item's people."""
    means = _of_pair(study, a, b).group_by("item", maintain_order=True).agg(pl.col("value").mean(), pl.len())
    value = means["value"].to_numpy()
    return Labels(np.stack([(1 + value) / 2, (1 - value) / 2]), people=int(means["len"][0]))


def _votes(study: Study, a: str, b: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """(items, people): as many as every item has."""
    by_item = _of_pair(study, a, b).group_by("item", maintain_order=True).agg(pl.col("value"))["value"].to_list()
    fewest = min(len(votes) for votes in by_item)
    return np.array([votes[:fewest] for votes in by_item])


def _together(study: Study) -> Labels:
    """All systems on all items: a system's score is the mean of its preferences on an item, nan where it has none."""
    table = _outcomes(study)
    won = (1 + pl.col("value")) / 2
    scores = pl.concat(
        [
            table.select("item", system="system_a", score=won),
            table.select("item", system="system_b", score=1 - won),
        ]
    )
    wide = scores.pivot("system", index="item", values="score", aggregate_function="mean").drop("item")
    return Labels(wide.to_numpy().T.astype(np.float64))
