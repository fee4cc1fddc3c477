"""Campaigns replayed on the real studies: no verdict of the anytime method opposes clear evidence, metric or not."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.certification.real_data import Setting, clear_directions, complete_study, replay, with_hidden_labels
from scipy.stats import binomtest

EXPERTS = ("expert_*",)
SETTINGS = [
    (Setting("summeval", "rougeL_max11", "items", "bonferroni", 1.0, EXPERTS), [12, 9, 7, 11]),
    (Setting("summeval", "gpt-4o", "items", "none", 1.0, EXPERTS), [77, 64, 70, 39]),
    (Setting("summeval", "chrf_11refs", "inputs", "none", 0.4, EXPERTS), [0, 0, 0, 2]),
    (Setting("wmt21-en-de", "chrf_refA", "items", "bonferroni"), [3]),
    (Setting("wmt21-en-de", "bleu_refA", "inputs", "none", 0.5), [0]),
]


# Those of the same study as the second, which takes long, are for the full tests.
CASES = [pytest.param(*SETTINGS[k], marks=pytest.mark.full) if k in (0, 2) else SETTINGS[k] for k in range(5)]


@pytest.mark.parametrize(("setting", "used"), CASES, ids=[f"{s.study}-{s.metric}-{s.target}" for s, _ in SETTINGS])
def test_no_verdict_opposes_a_clear_sign_test(real_studies: Path, setting: Setting, used: list[int]) -> None:
    """`used`: pairs of each criterion whose labels show that the metric predicts them, few for most metrics."""
    found = replay(setting, real_studies, order=1)
    assert [row.criterion for row in found] == (
        ["mqm"] if setting.study == "wmt21-en-de" else ["coherence", "consistency", "fluency", "relevance"]
    )
    assert [row.used for row in found] == used
    for row in found:
        assert row.opposed == 0
        assert row.pairs == (45 if setting.study == "wmt21-en-de" else 120)
        assert 0 < row.clear < row.pairs
        assert row.decided_with > 0
        assert row.decided_without > 0
        assert row.with_metric < row.items
        assert row.used or (row.with_metric, row.decided_with) == (row.without, row.decided_without)
    # A metric that knows little saves a few labels, and costs next to none: the others wait until it is clear.
    assert 0.95 < sum(row.with_metric for row in found) / sum(row.without for row in found) < 1.01


def test_clear_directions_are_those_of_the_sign_test(real_studies: Path) -> None:
    study = complete_study(real_studies, "wmt21-en-de", "chrf_refA")
    clear = clear_directions(real_studies, "wmt21-en-de", "chrf_refA", None)
    assert study.ratings is not None
    assert study.outputs is not None
    texts = {(item, system): text for item, system, text in study.outputs.select("item", "system", "text").iter_rows()}
    values: dict[str, dict[str, float]] = {}
    for item, system, value in study.ratings.select("item", "system", "value").iter_rows():
        values.setdefault(system, {})[item] = value
    systems = sorted(values)
    family = len(systems) * (len(systems) - 1) // 2
    assert family == 45
    for (criterion, a, b), verdict in clear.items():
        assert criterion == "mqm"
        both = [i for i in values[a].keys() & values[b].keys() if texts.get((i, a), a) != texts.get((i, b), b)]
        wins, losses = (sum(sign * (values[a][i] - values[b][i]) > 0 for i in both) for sign in (1, -1))
        assert verdict == ("a" if wins > losses else "b")
        assert binomtest(wins, wins + losses).pvalue / 2 <= 0.05 / (2 * family)


def test_hidden_labels_leave_the_scores(real_studies: Path) -> None:
    study = complete_study(real_studies, "wmt21-en-de", "chrf_refA")
    hidden = with_hidden_labels(study, 0.5, 3)
    assert hidden.ratings is not None
    assert study.ratings is not None
    rated, left = (table["item"].n_unique() for table in (study.ratings, hidden.ratings))
    assert rated == 527  # as the page says
    assert left == round(rated / 2)
    assert hidden.scores is not None
    assert study.scores is not None
    assert hidden.scores.equals(study.scores)
    assert set(hidden.ratings["item"]) != set(with_hidden_labels(study, 0.5, 4).ratings["item"])  # type: ignore[index]
