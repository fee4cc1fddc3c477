"""Verdicts on the real studies; their counts are taken again from the files, with the csv module."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from tiebreak.cli.compare import show_comparison
from tiebreak.cli.terminal import Terminal
from tiebreak.comparison.compare import compare
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.results.records import CompareResult


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def printed(result: CompareResult) -> str:
    stream = io.StringIO()
    show_comparison(result, Terminal(file=stream, width=120, emoji=False))
    return " ".join(stream.getvalue().split())


NATURALNESS = [("naturalness-v1", "V1"), ("naturalness-v2", "V2")]


@pytest.mark.parametrize("labels", ["mean", "first"])
@pytest.mark.parametrize(("name", "other"), NATURALNESS)
def test_cga_is_more_natural(real_studies: Path, name: str, other: str, labels: str) -> None:
    study = read_study(real_studies / name)
    once = compare(study, alpha=0.001, several=labels)  # type: ignore[arg-type]
    assert once.results[0].pairs[0].winner == "CGA"
    result = compare(study, rule="anytime", alpha=0.001, several=labels)  # type: ignore[arg-type]
    (pair,) = result.results[0].pairs
    assert (pair.system_a, pair.system_b, pair.winner) == ("CGA", other, "CGA")
    assert pair.stopped_at is not None
    assert pair.stopped_at < 500
    assert pair.difference.low > 0

    votes: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for row in rows_of(real_studies / name / "preferences.csv"):
        votes[row["item"]].append((row["decided_at"], {"a": 1, "tie": 0, "b": -1}[row["outcome"]]))
    if labels == "mean":
        values = [sum(code for _, code in cast) / len(cast) for cast in votes.values()]
    else:  # all times are of one zone; one or two items have two labels that are equally early
        votes = {item: [vote for vote in cast if vote[0] == min(cast)[0]] for item, cast in votes.items()}
        values = [sum(code for _, code in cast) / len(cast) for cast in votes.values()]
    assert pair.items == len(votes) == 500
    assert pair.labels == sum(map(len, votes.values()))
    assert (pair.wins, pair.losses) == (sum(v > 0 for v in values), sum(v < 0 for v in values))
    assert pair.difference.estimate == pytest.approx(sum(values) / 500)


@pytest.fixture(scope="module")
def summeval(real_studies: Path) -> Study:
    return read_study(real_studies / "summeval")


@pytest.fixture(scope="module")
def expert_means(real_studies: Path) -> dict[str, dict[tuple[str, str], float]]:
    """Per criterion the experts' mean rating of each (item, system)."""
    values: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(real_studies / "summeval" / "ratings.csv"):
        if row["annotator"].startswith("expert_"):
            values[row["criterion"]][row["item"], row["system"]].append(float(row["value"]))
    return {
        criterion: {key: float(np.mean(sorted(found))) for key, found in cells.items()}
        for criterion, cells in values.items()
    }


@pytest.fixture(scope="module")
def summaries(real_studies: Path) -> dict[tuple[str, str], str]:
    return {(row["item"], row["system"]): row["text"] for row in rows_of(real_studies / "summeval" / "outputs.csv")}


@pytest.mark.parametrize(
    ("criterion", "fewest"), [("relevance", 38), ("coherence", 50), ("consistency", 32), ("fluency", 26)]
)
def test_summeval_experts(
    summeval: Study,
    expert_means: dict[str, dict[tuple[str, str], float]],
    summaries: dict[tuple[str, str], str],
    criterion: str,
    fewest: int,
) -> None:
    result = compare(summeval, criteria=[criterion], annotators=["expert_*"], multiplicity="bonferroni")
    found = {(pair.system_a, pair.system_b): pair for pair in result.results[0].pairs}
    means = expert_means[criterion]
    systems = sorted({system for _, system in means})
    items = sorted({item for item, _ in means})
    assert (len(systems), len(items), len(found)) == (16, 100, 120)
    assert result.results[0].labels == 100 * 16 * 3
    assert sum(pair.winner is not None for pair in found.values()) >= fewest
    assert result.order.cycles == ()
    for a, b in combinations(systems, 2):
        # Identical summaries are ties, whatever the experts gave them.
        different = [item for item in items if summaries[item, a] != summaries[item, b]]
        differences = [means[item, a] - means[item, b] for item in different]
        wins, losses = sum(d > 1e-6 for d in differences), sum(d < -1e-6 for d in differences)
        pair = found[a, b]
        assert (pair.wins, pair.losses, pair.items) == (wins, losses, 100)
        # No verdict against the sign test of the same 100 items, Bonferroni over 240 directions.
        if wins + losses and binomtest(wins, wins + losses).pvalue / 2 <= 0.05 / 240:
            assert pair.verdict in ("a" if wins > losses else "b", "undecided")


def test_many_small_pairs_get_advice_instead_of_verdicts(real_studies: Path) -> None:
    # 927 pairs with 2.3 items each: nothing can be decided, and the result says what could have been.
    result = compare(read_study(real_studies / "llmfao"))
    votes = defaultdict(set)
    for row in rows_of(real_studies / "llmfao" / "preferences.csv"):
        votes[tuple(sorted((row["system_a"], row["system_b"])))].add(row["item"])
    (found,) = result.results
    assert result.terms.family == len(found.pairs) == len(votes) == 927
    for pair in found.pairs:
        asked = votes[pair.system_a, pair.system_b]
        assert pair.items - pair.identical <= len(asked) <= pair.items
    undecided = sum(pair.verdict == "undecided" for pair in found.pairs)
    assert undecided > 920
    words = printed(result)
    assert f"{undecided} remain undecided" in found.sentence
    assert "nothing could be found: " in words
    assert re.search(r"With at most \d+ items? per pair", words)


def test_pandalm_decides_and_advises(real_studies: Path) -> None:
    result = compare(read_study(real_studies / "pandalm"))
    (found,) = result.results
    votes: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in rows_of(real_studies / "pandalm" / "preferences.csv"):
        code = {"a": 1, "tie": 0, "b": -1}[row["outcome"]]
        a, b = row["system_a"], row["system_b"]
        votes[min(a, b), max(a, b)][row["item"]].append(code if a < b else -code)
    assert {(pair.system_a, pair.system_b) for pair in found.pairs} == set(votes)
    assert sum(len(cast) for items in votes.values() for cast in items.values()) == found.labels == 2_997
    for pair in found.pairs:
        means = [float(np.mean(cast)) for cast in votes[pair.system_a, pair.system_b].values()]
        assert abs(pair.wins - sum(m > 0 for m in means)) <= pair.identical
        if pair.verdict != "undecided":
            assert np.sign(np.mean(means)) == {"a": 1, "b": -1}[pair.verdict]
    decided = sum(pair.winner is not None for pair in found.pairs)
    assert 1 <= decided <= len(found.pairs)
    if decided < len(found.pairs):
        assert "would have been found in 80% of studies" in printed(result)


def test_wmt_decides_some_pairs_of_translations_and_misses_the_documents(real_studies: Path) -> None:
    result = compare(read_study(real_studies / "wmt21-en-de"))
    (found,) = result.results
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows_of(real_studies / "wmt21-en-de" / "ratings.csv"):
        values[row["system"]][row["item"]] = float(row["value"])
    assert len(found.pairs) == len(values) * (len(values) - 1) // 2
    assert found.labels == sum(len(by_item) for by_item in values.values()) == 8_959
    for pair in found.pairs:
        a, b = values[pair.system_a], values[pair.system_b]
        both = a.keys() & b.keys()
        assert pair.items >= len(both)  # identical outputs that nobody rated may come in
        assert abs(pair.wins - sum(a[i] > b[i] for i in both)) <= pair.identical
    decided = [pair for pair in found.pairs if pair.winner is not None]
    assert len(found.pairs) > len(decided) >= 10
    # Segments of one document are not independent, and the study does not say which belong together.
    assert "items-belong-together" in {warning.code for warning in result.warnings}
    assert f"{len(decided)} of 136 pairs have a better system" in found.sentence
    # Human translations are better than machines: no reference loses to a system.
    references = {name for name in values if name.startswith("ref")}
    for pair in decided:
        loser = pair.system_b if pair.winner == pair.system_a else pair.system_a
        assert not (loser in references and pair.winner not in references)
    assert "would have been found in 80% of studies" in printed(result)
