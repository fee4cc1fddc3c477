"""Replays of real labels: what the adaptive protocol reaches, and with which share of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tiebreak.campaign import Protocol
from tiebreak.data.readers import read_study
from tiebreak.data.study import Study
from tiebreak.kernels.sign_flips import sign_test
from tiebreak.settings.protocol import DecisionSettings, LabelSettings
from tiebreak.simulate.people.crowd import Habits
from tiebreak.simulate.replay import OldLabels, Replay
from tiebreak.simulate.runs.repeat import ReplayExperiment, repeat


def test_fewer_labels_reach_the_verdicts_of_all_on_summeval(real_studies: Path) -> None:
    # Six systems, 15 pairs, 100 items each; relevance, means of three experts; Holm at 5%, a claim about these items.
    # The full run over 16 systems is that of benchmarks/papers/metric_error_correction.py.
    study = read_study(real_studies / "summeval").select(
        systems=["M0", "M2", "M5", "M10", "M17", "M22"], annotators=["expert_*"]
    )
    bare = Study.from_tables(ratings=study.ratings)
    labels = OldLabels.of(bare, "relevance")
    protocol = Protocol(criterion="relevance", decision=DecisionSettings(target="items"))
    found = repeat(ReplayExperiment(Replay(protocol, bare, labels)), 1, 1, habits=Habits(hand=10))
    counts = np.array([labels.totals(*pair) for pair in found.pairs])
    assert (counts.sum(axis=1) == 100).all()
    side = np.sign(counts[:, 0] - counts[:, 2])
    np.testing.assert_array_equal(found.verdict[0], side)  # what all labels favour, on every pair
    significant = sign_test(counts[:, 0], counts[:, 2]).p_two_sided <= 0.05
    assert significant.sum() == 12  # of which a fixed sample of all labels would find these
    assert found.ended == ("decided",)
    share = found.labels[0] / counts.sum()
    assert 0.55 < share < 0.70  # .63 and .64 in two orders of items


def test_the_naturalness_study_is_decided_early_by_every_policy(real_studies: Path) -> None:
    # V1: ten annotators, most for CGA. In the paper's order of cost one person per item is cheapest (its retrospective
    # rule takes 19 labels at 1-d = .999; a rule whose error rate holds takes more).
    study = read_study(real_studies / "naturalness-v1")
    labels = OldLabels.of(study)
    spent = {}
    for policy, people in (("one", 1), ("max-three", 1), ("majority", 5), ("majority", 7)):
        protocol = Protocol(labels=LabelSettings(policy, people), decision=DecisionSettings(alpha=0.001))
        found = repeat(ReplayExperiment(Replay(protocol, study, labels)), 5, 2)
        assert (found.verdict == 1).all()
        assert not found.wrong.any()
        spent[(policy, people)] = float(found.labels.mean())
    assert spent[("one", 1)] < spent[("max-three", 1)] < spent[("majority", 5)] < spent[("majority", 7)]
    assert 20 < spent[("one", 1)] < 60
