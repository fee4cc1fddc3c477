"""A campaign by the rule `fixed` and an own analysis of its labels by the same rule: one question, one answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.worlds.small_campaigns import protocol_of, study_of

from tiebreak.campaign import LabelGiven, TaskAssigned, next_tasks
from tiebreak.campaign.events import Event
from tiebreak.campaign.kinds import Preferred
from tiebreak.live import LiveCampaign, create_campaign, open_campaign, result_of
from tiebreak.live.export import write_export
from tiebreak.places import result_at
from tiebreak.results.settings import CompareSettings
from tiebreak.settings.protocol import Budget, DecisionSettings, LabelSettings

AT = "2026-05-01T09:30:00Z"
SHARES = {("ant", "bee"): (0.7, 0.2), ("ant", "cat"): (0.45, 0.15), ("bee", "cat"): (0.15, 0.7)}
ALL = Budget(items_per_pair=60)


def labelled(folder: Path, decision: DecisionSettings, labels: LabelSettings, study: dict[str, object]) -> LiveCampaign:
    """A campaign in which three people answered everything."""
    budget = Budget(items_per_pair=int(study.pop("budget", 36)))  # type: ignore[call-overload]
    protocol = protocol_of(decision=decision, labels=labels, budget=budget)
    create_campaign(folder, protocol, study_of(("ant", "bee", "cat"), 60, **study), at=AT)  # type: ignore[arg-type]
    live, rng = open_campaign(folder), np.random.default_rng(11)
    while live.state.ended is None:
        asked: list[Event] = []
        for person in ("zoe", "ann", "bo"):
            asked += live.commit(lambda state, _, person=person: next_tasks(state, person, 60, AT))  # type: ignore[misc]
        given: list[Event] = []
        for task in asked:
            assert isinstance(task, TaskAssigned)
            share = SHARES[task.system_a, task.system_b]
            outcome = rng.choice(["a", "tie", "b"], p=[share[0], share[1], 1 - sum(share)])
            given.append(LabelGiven(AT, task.task, task.annotator, Preferred(str(outcome))))  # type: ignore[arg-type]
        live.commit(lambda _, __, given=given: given)  # type: ignore[misc]
    return live


@pytest.mark.parametrize(
    ("decision", "labels", "study"),
    [
        (DecisionSettings("fixed"), LabelSettings(), {}),
        (DecisionSettings("fixed", multiplicity="bonferroni", margin=0.35), LabelSettings(), {}),
        (DecisionSettings("fixed", multiplicity="fdr"), LabelSettings("fixed"), {}),
        (DecisionSettings("fixed", multiplicity="fdr-any", margin=0.5), LabelSettings(), {}),
        (DecisionSettings("fixed", multiplicity="none", alpha=0.2), LabelSettings("majority", 3), {}),
        (DecisionSettings("fixed", target="items"), LabelSettings("max-three"), {}),
        (DecisionSettings("fixed", target="items", margin=0.3), LabelSettings(), {"identical": range(50, 60)}),
        (DecisionSettings("fixed", target="items"), LabelSettings(), {"budget": 60}),
        (DecisionSettings("fixed"), LabelSettings(), {"identical": range(0, 60, 5), "budget": 60}),
        (DecisionSettings("fixed"), LabelSettings(), {"cluster_size": 3}),
        (
            DecisionSettings("fixed", margin=0.4),
            LabelSettings(),
            {"cluster_size": 2, "identical": range(9), "budget": 60},
        ),
    ],
)
def test_it_agrees_with_an_own_analysis_of_the_same_labels(
    decision: DecisionSettings, labels: LabelSettings, study: dict[str, object], tmp_path: Path
) -> None:
    live = labelled(tmp_path / "camp", decision, labels, dict(study))
    write_export(live, tmp_path / "out")
    settings = CompareSettings(
        rule="fixed",
        alpha=decision.alpha,
        multiplicity=decision.multiplicity,
        margin=decision.margin,
        target=decision.target,
        several="majority" if labels.labelling in ("majority", "max-three") else "mean",
    )
    own = result_at(tmp_path / "out", settings, own_analysis=True)
    verdict = result_of(live)
    assert own.terms.title == verdict.terms.title
    assert own.terms.correction == verdict.terms.correction
    seen = set()
    for ours, theirs in zip(own.results[0].pairs, verdict.results[0].pairs, strict=True):
        # About these items a campaign counts those that people are asked about, and tells the known ties beside them.
        known = ours.identical if decision.target == "items" else 0
        assert (ours.system_a, ours.system_b, ours.identical) == (theirs.system_a, theirs.system_b, theirs.identical)
        counted = (ours.items - known, ours.wins, ours.ties - known, ours.losses)
        assert counted == (theirs.items, theirs.wins, theirs.ties, theirs.losses)
        assert (ours.verdict, ours.also) == (theirs.verdict, theirs.also)
        for name in ("estimate", "low", "high"):
            assert getattr(ours.difference, name) == pytest.approx(getattr(theirs.difference, name), abs=1e-9)
        assert ours.p_value == pytest.approx(theirs.p_value, abs=1e-9)
        assert ours.equivalence_interval == pytest.approx(theirs.equivalence_interval, abs=1e-9)
        assert ours.effective_clusters == pytest.approx(theirs.effective_clusters)
        seen.add(ours.verdict)
    assert "a" in seen


def test_before_its_end_a_campaign_decides_nothing_that_an_own_analysis_would(tmp_path: Path) -> None:
    create_campaign(tmp_path / "camp", protocol_of(decision=DecisionSettings("fixed"), budget=ALL), study_of(), at=AT)
    live = open_campaign(tmp_path / "camp")
    tasks = live.commit(lambda state, _: next_tasks(state, "zoe", 40, AT))
    live.commit(lambda _, __: [LabelGiven(AT, task.task, "zoe", Preferred("a")) for task in tasks])  # type: ignore[union-attr]
    own = result_at(live.folder, CompareSettings(), own_analysis=True)
    assert own.results[0].pairs[0].verdict == "a"
    assert own.terms.guarantee.says.startswith("promise no error rate")
    status = result_of(live)
    assert status.results[0].pairs[0].verdict == "undecided"
    validity = status.results[0].pairs[0].difference.validity
    assert validity.says.startswith("about 95% at the number of items fixed beforehand")
