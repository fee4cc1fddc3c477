"""The certification of whole campaigns: its families decide as the campaign core, its counting is right."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from benchmarks.certification import campaign_cells, families
from benchmarks.certification.campaign_cells import DESIGNS, Count, play_design, run_designs
from benchmarks.certification.campaign_page import HEADING, campaign_section, with_section
from benchmarks.certification.whole_campaigns import Played
from tests.campaign.campaigns import open_campaign, protocol_of, run, sealed_outcomes, study_of
from tests.docs.documents import REPOSITORY

from tiebreak.campaign.settings import DecisionSettings, PairSettings

CODES = {"a": 1, "b": -1, "undecided": 0}


@pytest.mark.parametrize("rule", ["holm", "fdr", "none"])
def test_a_family_is_decided_as_by_the_core(rule: str) -> None:
    """The same labels in the same order through `step`: the same verdicts, after the same labels of each pair."""
    names, items, alpha = ("ant", "bee", "cat", "dog", "elk"), 60, 0.2
    rng = np.random.default_rng(4)
    better = np.array([b == "elk" for _, b in combinations(names, 2)])
    wins = np.where(better, 0.8, 0.45)[:, None]
    outcomes = np.where(rng.random((10, items)) < wins, 1, rng.integers(-1, 1, size=(10, items))).astype(np.int8)
    decision = DecisionSettings(alpha=alpha, multiplicity=rule)  # type: ignore[arg-type]
    state = open_campaign(protocol_of(decision=decision, pairs=PairSettings("batches", 1)), study_of(names, items))
    pairs = {(of.system_a, of.system_b): k for k, of in enumerate(state.plan.pairs)}
    order = [pairs[pair] for pair in combinations(names, 2)]
    assert order == sorted(order), "pairs take turns in the order of their rows"
    state = run(state, sealed_outcomes(state, {k: list(outcomes[k]) for k in range(10)}))

    verdicts, labels = families.decided_by_label(outcomes, rule, alpha)  # type: ignore[arg-type]

    assert verdicts.tolist() == [CODES[pair.verdict] for pair in state.pairs]
    assert labels.sum() == state.labels
    assert 0 < np.count_nonzero(verdicts) < 10


def test_the_halves_of_sixteen_systems_are_what_they_claim() -> None:
    true = families.truth(8)
    outcomes = families.draw_outcomes(np.random.default_rng(1), 8, 2_000)
    mean = outcomes.mean(axis=1)
    assert (len(true), int(true.sum())) == (120, 64)
    # Standard error of a mean over 2,000 items: about .02.
    assert np.abs(mean[true == 0]).max() < 0.1
    assert mean[true == 1].min() > 0.3
    assert not families.truth(0).any()


def test_counts_add_up() -> None:
    found = sum((Count.of(Played(wrong, 2, 30, wrong > 0)) for wrong in (0.0, 0.5, 0.1)), start=Count())
    assert (found.runs, found.verdicts, found.labels, found.labels_squares, found.misled) == (3, 6, 90, 2_700, 2)
    mean, error = 0.2, 1.96 * np.std([0.0, 0.5, 0.1], ddof=1) / np.sqrt(3)
    assert found.interval("false discoveries") == pytest.approx((max(0.0, mean - error), mean + error))
    assert Count(runs=1_000, wrong=50.0).interval("any wrong verdict") == pytest.approx((0.038, 0.065), abs=5e-4)


def test_results_are_kept_and_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_cells, "DESIGNS", {name: DESIGNS[name] for name in ("late", "16 none")})
    first = run_designs(tmp_path, seed=1, repeats=1, jobs=1, scale=0.06)
    assert len(list(tmp_path.glob("campaigns-*.json"))) == 2
    assert run_designs(tmp_path, seed=1, repeats=1, jobs=1, scale=0.06) == first, "from the cache, seconds included"
    late = first["late"]
    again = play_design("late", 9, (1, 0))
    assert (again.wrong, again.labels, again.misled) == (late.wrong, late.labels, late.misled)
    assert late.misled > 0, "betting in the order of arrival fails: else the design shows nothing"
    assert first["16 none"].wrong > 0


def test_the_section_replaces_itself_alone() -> None:
    count = Count(runs=100, wrong=40.0, wrong_squares=40.0, decided=40, labels=1_000, labels_squares=11_000, misled=50)
    section = campaign_section(dict.fromkeys(DESIGNS, count), "make it so")
    assert "| **40.0 (30.9 to 49.8)** |" in section
    assert "the same labels in the order of arrival | 100 | campaigns with a wrong verdict | **50.0" in section
    assert "| 10 ± 0 | 60% | 40.0% |" in section
    page = "# One\n\ntext\n\n## Real studies\n\nmore\n"
    once = with_section(page, section)
    assert once.replace(section.rstrip() + "\n\n", "") == page
    assert with_section(once, section) == once
    assert with_section(once, f"{HEADING}\n\nnew\n") == page.replace("## Real", f"{HEADING}\n\nnew\n\n## Real")
    with pytest.raises(ValueError, match="neither"):
        with_section("# One\n", section)


def test_the_section_in_the_docs_is_of_the_present_designs() -> None:
    written = (REPOSITORY / "docs" / "certification.md").read_text(encoding="utf-8")
    assert HEADING in written
    for design in DESIGNS.values():
        assert f"| {design.world} | {design.rule} |" in written
