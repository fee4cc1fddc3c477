"""Real studies: labels to each verdict with and without a metric, and whether any verdict opposes clear evidence.

All labels of these studies exist already, so that campaigns are replayed: `tiebreak.compare` takes the items in a
random order (its seed) and says after how many of them it would have stopped, with the metric and without it. Where
labels are hidden a random part of the items keeps its labels and the others have metric scores only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

import tiebreak
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.records import Target
from tiebreak.results.records import CompareResult, CriterionResult, PairResult
from tiebreak.rules.registry import Multiplicity

STUDIES = ("summeval", "wmt21-en-de")
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Setting:
    """How one study is compared. `labelled`: share of the items that keep their labels, chosen at random per order."""

    study: str
    metric: str
    target: Target
    multiplicity: Multiplicity
    labelled: float = 1.0
    annotators: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """What one order came to on one criterion: sums over pairs.

    `items`: items that could be labelled, `with_metric` and `without`: items until the verdict, all of them where there
    is none; `decided_*`: pairs with a verdict; `used`: pairs that the metric could help. `clear`: pairs that a sign
    test on all labels decides (Bonferroni); `opposed`: verdicts, with the metric, against it.
    """

    criterion: str
    pairs: int
    used: int
    items: int
    with_metric: int
    without: int
    decided_with: int
    decided_without: int
    clear: int
    opposed: int


def settings() -> Iterator[Setting]:
    """All settings of the page."""
    experts = ("expert_*",)
    for multiplicity in ("bonferroni", "none"):
        for metric in ("rougeL_max11", "chrf_11refs", "gpt-4o"):
            yield Setting("summeval", metric, "items", multiplicity, 1.0, experts)  # type: ignore[arg-type]
    for metric in ("rougeL_max11", "chrf_11refs", "gpt-4o"):
        yield Setting("summeval", metric, "inputs", "none", 0.4, experts)
    for multiplicity in ("bonferroni", "none"):
        for metric in ("chrf_refA", "bleu_refA"):
            yield Setting("wmt21-en-de", metric, "items", multiplicity)  # type: ignore[arg-type]
            yield Setting("wmt21-en-de", metric, "inputs", multiplicity, 0.5)  # type: ignore[arg-type]


def missing_studies(data: Path) -> list[str]:
    """Studies that are not in the folder."""
    return [name for name in STUDIES if not (data / name).is_dir()]


def replays(setting: Setting, data: Path, cache_folder: Path, orders: int) -> list[list[Replay]]:
    """For each order the replay of each criterion; kept in the cache folder."""
    found = []
    for order in range(orders):
        file = _cache_file(cache_folder, setting, data, order)
        if not file.is_file():
            rows = [asdict(of_criterion) for of_criterion in replay(setting, data, order)]
            file.parent.mkdir(parents=True, exist_ok=True)
            partial = file.with_suffix(".part")
            partial.write_text(json.dumps(rows), encoding="utf-8")
            partial.replace(file)
        found.append([Replay(**row) for row in json.loads(file.read_text(encoding="utf-8"))])
    return found


def replay(setting: Setting, data: Path, order: int) -> list[Replay]:
    """One order of a setting."""
    study = complete_study(data, setting.study, setting.metric)
    clear = clear_directions(data, setting.study, setting.metric, setting.annotators)
    result = tiebreak.compare(
        with_hidden_labels(study, setting.labelled, order),
        rule="anytime",
        alpha=ALPHA,
        target=setting.target,
        annotators=setting.annotators,
        multiplicity=setting.multiplicity,
        metrics=[setting.metric],
        seed=order,
    )
    return [_of_criterion(found, clear) for found in result.results]


def _of_criterion(found: CriterionResult, clear: dict[tuple[str | None, str, str], str]) -> Replay:
    pairs = found.pairs
    directions = [clear.get((found.criterion, pair.system_a, pair.system_b)) for pair in pairs]
    return Replay(
        criterion=found.criterion or "",
        pairs=len(pairs),
        used=sum(pair.metric is not None and pair.metric.used for pair in pairs),
        items=sum(pair.items for pair in pairs),
        with_metric=sum(pair.stopped_at or pair.items for pair in pairs),
        without=sum(_stopped_without(pair) or pair.items for pair in pairs),
        decided_with=sum(pair.winner is not None for pair in pairs),
        decided_without=sum(_stopped_without(pair) is not None for pair in pairs),
        clear=sum(direction is not None for direction in directions),
        opposed=sum(
            direction is not None and pair.winner is not None and pair.verdict != direction
            for pair, direction in zip(pairs, directions, strict=True)
        ),
    )


def _stopped_without(pair: PairResult) -> int | None:
    if pair.metric is None or not pair.metric.used:
        return pair.stopped_at
    return pair.metric.stopped_at_without


def with_hidden_labels(study: Study, share: float, order: int) -> Study:
    """The study with the ratings of a random share of its rated items; all other items keep their scores only."""
    if share >= 1 or study.ratings is None:
        return study
    items = sorted(study.ratings["item"].unique().to_list())
    kept = np.random.default_rng([order, 17]).permutation(items)[: round(share * len(items))]
    return replace(study, ratings=study.ratings.filter(pl.col("item").is_in(kept.tolist())))


@cache
def complete_study(data: Path, name: str, metric: str) -> Study:
    """The study, with the systems that the metric has scored."""
    study = read_study(data / name)
    if study.scores is None or study.ratings is None:
        raise ValueError(f"{data / name} is not the study that this benchmark knows")
    scored = study.scores.filter(pl.col("metric") == metric)["system"].unique()
    rated = study.ratings["system"].unique()
    return study.select(systems=sorted(set(scored) & set(rated)))


@cache
def clear_directions(
    data: Path, name: str, metric: str, annotators: tuple[str, ...] | None
) -> dict[tuple[str | None, str, str], str]:
    """By criterion and pair the direction of the sign test on all labels, Bonferroni over all pairs and criteria."""
    study = complete_study(data, name, metric)
    result: CompareResult = tiebreak.compare(study, rule="fixed", alpha=ALPHA, annotators=annotators)
    pairs = [(found.criterion, pair) for found in result.results for pair in found.pairs]
    test = sign_test([pair.wins for _, pair in pairs], [pair.losses for _, pair in pairs])
    level = ALPHA / (2 * len(pairs))
    directions = zip(pairs, test.p_a <= level, test.p_b <= level, strict=True)
    return {
        (criterion, pair.system_a, pair.system_b): "a" if for_a else "b"
        for (criterion, pair), for_a, for_b in directions
        if for_a or for_b
    }


def _cache_file(folder: Path, setting: Setting, data: Path, order: int) -> Path:
    study = complete_study(data, setting.study, setting.metric)
    key = {**asdict(setting), "order": order, "study": study.fingerprint, "code": _code()}
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
    return folder / f"{setting.study}-{digest[:24]}.json"


@cache
def _code() -> str:
    """Fingerprint of everything between a study and its verdicts, and of this file."""
    package = Path(next(iter(tiebreak.__path__)))
    layers = ("kernels", "rules", "evidence", "comparison", "results", "data")
    files = [file for layer in layers for file in sorted((package / layer).rglob("*.py"))]
    digest = hashlib.sha256()
    for file in [*files, Path(__file__)]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
