"""The certification of whole campaigns: its families decide as the campaign core, its counting is right."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from benchmarks.certification import campaign_cells, families, whole_campaigns
from benchmarks.certification.campaign_cells import Count, play_design, run_designs
from benchmarks.certification.campaign_designs import DESIGNS
from benchmarks.certification.campaign_page import campaign_section, rows_of, with_section
from benchmarks.certification.campaign_prose import HEADING, TOPICS
from benchmarks.certification.whole_campaigns import Played
from benchmarks.worlds.crowds import live
from benchmarks.worlds.small_campaigns import open_campaign, protocol_of, run, sealed_outcomes, study_of
from tests.docs.documents import REPOSITORY

from tiebreak.campaign import make_plan
from tiebreak.settings.protocol import DecisionSettings, PairSettings

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
    pairs = {(of.system_a, of.system_b): k for k, of in enumerate(state.plan.tracks)}
    order = [pairs[pair] for pair in combinations(names, 2)]
    assert order == sorted(order), "pairs take turns in the order of their rows"
    state = run(state, sealed_outcomes(state, {k: list(outcomes[k]) for k in range(10)}))

    verdicts, labels = families.decided_by_label(outcomes, rule, alpha)  # type: ignore[arg-type]

    assert verdicts.tolist() == [CODES[measure.verdict] for measure in state.measures]
    assert labels.sum() == state.labels
    assert 0 < np.count_nonzero(verdicts) < 10


def test_the_halves_of_sixteen_systems_are_what_they_claim() -> None:
    true = families.truth(8)
    outcomes = families.draw_outcomes(np.random.default_rng(1), 8, 2_000)
    mean = outcomes.mean(axis=1)
    assert (len(true), int(true.sum())) == (120, 64)
    # Standard error of a mean over 2,000 items: about 0.02.
    assert np.abs(mean[true == 0]).max() < 0.1
    assert mean[true == 1].min() > 0.3
    assert not families.truth(0).any()


def test_counts_add_up() -> None:
    campaigns = [Played(wrong, 2, 30, (wrong > 0, True)) for wrong in (0.0, 0.5, 0.1)]
    found = sum((Count.of(played) for played in campaigns), start=Count())
    assert (found.runs, found.verdicts, found.labels, found.labels_squares, found.misled) == (3, 6, 90, 2_700, (2, 3))
    mean, error = 0.2, 1.96 * np.std([0.0, 0.5, 0.1], ddof=1) / np.sqrt(3)
    assert found.interval("false discoveries") == pytest.approx((max(0.0, mean - error), mean + error))
    assert Count(runs=1_000, wrong=50.0).interval("any wrong verdict") == pytest.approx((0.038, 0.065), abs=5e-4)


def test_results_are_kept_and_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign_cells, "DESIGNS", {name: DESIGNS[name] for name in ("late", "16 none")})
    first = run_designs(tmp_path, seed=1, repeats=1, jobs=1, scale=0.12)
    assert len(list(tmp_path.glob("campaigns-*.json"))) == 2
    assert run_designs(tmp_path, seed=1, repeats=1, jobs=1, scale=0.12) == first, "from the cache, seconds included"
    late = first["late"]
    again = play_design("late", 9, (1, 0))
    assert (again.wrong, again.labels, again.misled) == (late.wrong, late.labels, late.misled)
    assert late.misled[0] > 0, "betting in the order of arrival fails: else the design shows nothing"
    assert first["16 none"].wrong > 0


@pytest.mark.parametrize("policy", ["batches", "most-informative", "winner"])
def test_the_controls_read_the_answers_of_the_campaign(policy: str) -> None:
    """Bets in the sealed order at the campaign's own first threshold give a verdict exactly where the campaign does."""
    alpha, items, decided = 0.9, 15, []
    settings = protocol_of(decision=DecisionSettings(alpha=alpha), pairs=PairSettings(policy, 2))
    plan = make_plan(settings, study_of(whole_campaigns.FOUR, items))
    rng = np.random.default_rng(8)
    for _ in range(8):
        state, arrived = live(plan, lambda rng, _: int(rng.choice([-1, 1], p=[0.4, 0.6])), rng, whole_campaigns.FOURS)
        sealed = whole_campaigns.in_sealed_order(plan, arrived)
        decided.append(len(state.undecided) < len(state.measures))
        assert [len(outcomes) for outcomes in sealed] == [pair.labels for pair in state.tracks]
        assert whole_campaigns.bets_reach(sealed, 12 / alpha) == decided[-1]
        assert [sorted(of) for of in whole_campaigns.by_arrival(plan, arrived)] == [sorted(of) for of in sealed]
    assert 0 < sum(decided) < 8


def test_sign_tests_by_hand() -> None:
    # Five wins in a row: two-sided p = 2/32 = 0.0625; six: 1/32 = 0.03125. Ties do not count.
    assert whole_campaigns.sign_tests_reach([[1, -1], [1, 0, 1, 1, 1, 1, -1]], 0.0625)
    assert not whole_campaigns.sign_tests_reach([[1, -1], [1, 0, 1, 1, 1, 1, -1]], 0.06)
    assert whole_campaigns.sign_tests_reach([[-1] * 6], 0.04)
    assert not whole_campaigns.sign_tests_reach([[]], 0.99)


@pytest.mark.parametrize(("name", "runs", "least"), [("left", 6, 4), ("documents", 12, 3), ("informative late", 8, 5)])
def test_what_is_broken_on_purpose_breaks(name: str, runs: int, least: int) -> None:
    """Else the row beside it shows nothing. At the level asked for, so many have a chance of 0.02 at most."""
    found = play_design(name, runs, (3, 0))
    assert found.wrong <= 2
    assert found.misled[0] >= least


def test_the_list_as_it_comes_breaks() -> None:
    assert play_design("drift listed", 8, (3, 0)).wrong >= 3  # at 5%: a chance below 0.006


def counts_of(wrong: int) -> dict[str, Count]:
    """100 campaigns of each design, of which so many are wrong; half of all are misled."""
    return {
        name: Count(100, wrong, wrong, 40, 40, 1_000, 11_000, (50,) * len(design.controls))
        for name, design in DESIGNS.items()
    }


def test_the_section_tells_what_holds() -> None:
    section = campaign_section(counts_of(40), "make it so")
    assert "| **40.0 (30.9 to 49.8)** |" in section
    late = "✗ the same answers, bets in the order of arrival | 100 | 5% | campaigns with a wrong verdict | **50.0"
    assert late in section
    assert "| 10 ± 0 | 60% | 40.0% |" in section
    rows = rows_of(counts_of(0))
    assert {row.topic for row in rows} == set(TOPICS) - {"cost"}
    claims, controls = [row for row in rows if not row.broken], [row for row in rows if row.broken]
    assert all(row.excludes and not row.above for row in claims)
    section = campaign_section(counts_of(0), "make it so")
    assert f"Of {len(claims)} rows that should hold, {len(claims)} have their upper end at or below" in section
    silent = sum(design.broken for design in DESIGNS.values())
    assert f"Of {len(controls)} such rows, {len(controls) - silent} are above the level; not: " in section
    assert "{" not in section


def test_the_section_replaces_itself_alone() -> None:
    section = campaign_section(counts_of(1), "make it so")
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
    for row in rows_of(counts_of(1)):
        assert f"| {row.cells[0]} | {row.cells[1]} |" in written
