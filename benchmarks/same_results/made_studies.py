"""Small random studies as plain tables: clusters, identical outputs, metrics, judges, labels with times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Rows = list[dict[str, object]]

SYSTEMS = ("ant", "bee", "cat", "dog")
METRIC, JUDGE = "closeness", "oracle"
PEOPLE = ("p", "q", "r", "s", "t")
_START = datetime(2026, 3, 1, 9, tzinfo=UTC)


@dataclass(frozen=True)
class MadeStudy:
    """Tables of a study, and the latent quality (items, systems) that its labels come from."""

    systems: tuple[str, ...]
    item_names: tuple[str, ...]
    quality: NDArray[np.float64]
    items: Rows
    outputs: Rows
    scores: Rows
    judged: Rows
    labels: Rows


def made_study(
    rng: np.random.Generator,
    systems: int,
    items: int,
    *,
    cluster_size: int = 1,
    identical: float = 0.0,
    gaps: float = 0.0,
    labelled: float = 0.0,
    with_times: bool = False,
) -> MadeStudy:
    """Systems of random quality. `identical`: share of items whose outputs are all the same; `gaps`: share of outputs
    without a score, and of items and pairs without an answer of the judge; `labelled`: share of the items of a pair
    that have one to three labels.
    """
    names = tuple(f"i{k:03d}" for k in range(items))
    quality = rng.normal(rng.uniform(-0.6, 0.6, systems), 0.3, (items, systems))
    same = rng.random(items) < identical
    chosen = SYSTEMS[:systems]
    texts = [
        {"item": name, "system": system, "text": f"text {k}" if same[k] else f"{system} {k}"}
        for k, name in enumerate(names)
        for system in chosen
    ]
    seen = quality + rng.normal(0.0, 0.4, quality.shape)
    scores: Rows = [
        {"item": name, "system": system, "metric": METRIC, "value": round(float(seen[k, s]), 3)}
        for k, name in enumerate(names)
        for s, system in enumerate(chosen)
        if rng.random() >= gaps
    ]
    listed: Rows = [{"item": name, "cluster": f"c{k // cluster_size:03d}"} for k, name in enumerate(names)]
    judged = _judged(rng, chosen, names, quality, gaps)
    labels = _labelled(rng, chosen, names, quality, labelled, with_times) if labelled else []
    return MadeStudy(chosen, names, quality, listed, texts, scores, judged, labels)


def outcome(difference: float, rng: np.random.Generator, ties: bool = True) -> str:
    """What somebody says of two outputs that differ by so much."""
    seen = difference + rng.normal(0.0, 0.4)
    if ties and abs(seen) < 0.12:
        return "tie"
    return "a" if seen > 0 else "b"


def _judged(
    rng: np.random.Generator,
    systems: tuple[str, ...],
    names: tuple[str, ...],
    quality: NDArray[np.float64],
    gaps: float,
) -> Rows:
    """One answer of the judge per item and pair, but for the gaps."""
    return [
        {
            "item": name,
            "system_a": systems[a],
            "system_b": systems[b],
            "judge": JUDGE,
            "outcome": outcome(float(quality[k, a] - quality[k, b]), rng),
        }
        for a, b in combinations(range(len(systems)), 2)
        for k, name in enumerate(names)
        if rng.random() >= gaps
    ]


def _labelled(
    rng: np.random.Generator,
    systems: tuple[str, ...],
    names: tuple[str, ...],
    quality: NDArray[np.float64],
    share: float,
    with_times: bool,
) -> Rows:
    """Preferences of one to three people on a share of the items, in a random order of time."""
    rows: Rows = []
    for a, b in combinations(range(len(systems)), 2):
        for k in rng.permutation(len(names))[: round(share * len(names))].tolist():
            for person in rng.permutation(len(PEOPLE))[: int(rng.integers(1, 4))].tolist():
                row: dict[str, object] = {
                    "item": names[k],
                    "system_a": systems[a],
                    "system_b": systems[b],
                    "annotator": PEOPLE[person],
                    "outcome": outcome(float(quality[k, a] - quality[k, b]), rng),
                }
                if with_times:
                    at = _START + timedelta(minutes=len(rows) // 2)
                    row |= {"seconds": float(rng.integers(5, 60)), "decided_at": at.isoformat()}
                rows.append(row)
    return rows
