from __future__ import annotations

import json
from datetime import datetime
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tiebreak.demo.study import SYSTEMS, DemoStudy, demo_study, write_texts
from tiebreak.demo.texts import MISTAKES, DemoSystem
from tiebreak.demo.truth import HOUSE_RATE, TASTE, panel_outcome, population_differences, severity
from tiebreak.errors import UsageError
from tiebreak.simulate.people.workers import Worker, draw_panel, draw_shares

NAMES = ("aspen", "birch", "cedar", "maple")
FAULTLESS = Worker(capability=1.0, tie_threshold=0.0, side_preference=0.0, spam_rate=0.0, seconds_median=10.0)


@pytest.fixture(scope="module")
def demo() -> DemoStudy:
    return demo_study()


@pytest.fixture(scope="module")
def large() -> DemoStudy:
    return demo_study(seed=2, items=3_000)


def labels_of(demo: DemoStudy, system_a: str, system_b: str) -> np.ndarray:
    preferences = demo.study.preferences
    rows = preferences.filter((pl.col("system_a") == system_a) & (pl.col("system_b") == system_b))
    return rows["outcome"].replace_strict({"a": 1, "tie": 0, "b": -1}).to_numpy()


def test_the_study_has_what_a_campaign_would_have(demo: DemoStudy) -> None:
    study = demo.study
    assert study.systems == NAMES
    assert study.notices == ()
    assert (study.items.height, study.outputs.height, study.preferences.height) == (300, 1_200, 1_800)
    assert study.items["input"].n_unique() == 300
    assert study.outputs["text"].str.len_chars().min() > 30
    assert study.settings.price_per_label == 0.10
    assert len(study.annotators) == 10
    per_pair = study.preferences.group_by("system_a", "system_b").agg(pl.len(), pl.col("item").n_unique())
    assert per_pair.height == 6
    assert {row[2:] for row in per_pair.rows()} == {(300, 300)}


def test_labels_are_in_the_order_given_and_each_annotator_works_alone(demo: DemoStudy) -> None:
    preferences = demo.study.preferences
    times = [datetime.fromisoformat(text) for text in preferences["decided_at"]]
    assert times == sorted(times)
    for (_,), rows in preferences.group_by(["annotator"]):
        ends = [datetime.fromisoformat(text).timestamp() for text in rows["decided_at"]]
        # Ends are cut to whole seconds: two labels of one person are apart by the second one's time, less 1.
        assert np.all(np.diff(ends) > rows["seconds"].to_numpy()[1:] - 1)
        assert 0.05 < rows.height / preferences.height < 0.18


def test_sides_are_balanced_within_every_pair(demo: DemoStudy) -> None:
    preferences = demo.study.preferences
    for _, rows in preferences.group_by(["system_a", "system_b"]):
        assert (rows["left"] == rows["system_a"]).sum() == 150
        assert ((rows["left"] == rows["system_a"]) | (rows["left"] == rows["system_b"])).all()


def test_the_same_arguments_give_the_same_study(demo: DemoStudy) -> None:
    again = demo_study()
    assert again.study.fingerprint == demo.study.fingerprint
    assert again.truth == demo.truth
    assert demo_study(seed=7, items=30).study.fingerprint != demo_study(seed=8, items=30).study.fingerprint


def test_more_labels_per_item_come_from_other_annotators_on_the_same_texts(demo: DemoStudy) -> None:
    more = demo_study(labels_per_item=3)
    preferences = more.study.preferences
    assert demo.study.outputs.equals(more.study.outputs)
    people = preferences.group_by("item", "system_a", "system_b").agg(pl.col("annotator").n_unique())
    assert people["annotator"].unique().to_list() == [3]
    assert [pair.difference_items for pair in more.truth.pairs] == [p.difference_items for p in demo.truth.pairs]


def test_the_truth_is_one_better_one_worse_and_two_equal(demo: DemoStudy, large: DemoStudy) -> None:
    for truth in (demo.truth, large.truth):
        assert [truth.pair("cedar", other).better for other in ("aspen", "birch", "maple")] == ["cedar"] * 3
        assert [truth.pair("birch", other).better for other in ("aspen", "maple")] == ["aspen", "maple"]
        equal = truth.pair("aspen", "maple")
        assert equal.better == "equal"
        assert equal.difference("inputs") == 0.0
        assert 0 < abs(equal.difference("items")) < 0.1
        assert 0.2 < truth.pair("cedar", "aspen").difference("inputs") < 0.4
        assert 0.2 < truth.pair("maple", "birch").difference("inputs") < 0.4


def test_a_pair_reads_either_way_round(demo: DemoStudy) -> None:
    forward, back = demo.truth.pair("aspen", "birch"), demo.truth.pair("birch", "aspen")
    assert (back.system_a, back.system_b, back.better) == ("birch", "aspen", "aspen")
    assert back.difference_inputs == -forward.difference_inputs
    assert back.difference_items == -forward.difference_items
    assert str(demo.truth.pair("maple", "aspen").difference_inputs) == "0.0"
    with pytest.raises(UsageError, match="no pair aspen and oak"):
        demo.truth.pair("aspen", "oak")
    with pytest.raises(UsageError, match="no target 'both'"):
        forward.difference("both")  # type: ignore[arg-type]


@pytest.mark.parametrize(("a", "b"), list(combinations(NAMES, 2)))
def test_labels_agree_with_the_truth_within_sampling_error(large: DemoStudy, a: str, b: str) -> None:
    labels = labels_of(large, a, b)
    pair = large.truth.pair(a, b)
    error = labels.std() / np.sqrt(labels.size)
    assert labels.mean() == pytest.approx(pair.difference_items, abs=3.5 * error)
    assert labels.mean() == pytest.approx(pair.difference_inputs, abs=3.5 * error)


def test_equal_systems_win_equally_often_over_many_studies() -> None:
    labels = np.concatenate([labels_of(demo_study(seed=s, items=200), "aspen", "maple") for s in range(20, 35)])
    wins, losses = int((labels == 1).sum()), int((labels == -1).sum())
    assert abs(wins - losses) < 3.5 * np.sqrt(wins + losses)


@pytest.mark.parametrize("texts", [5_000, pytest.param(20_000, marks=pytest.mark.full)])
def test_population_truth_against_a_simulation_of_the_texts(texts: int) -> None:
    # An independent route: many texts drawn, their latent differences averaged; error about .5/sqrt(20,000).
    panel, shares = draw_panel(10, np.random.default_rng(3)), draw_shares(10, np.random.default_rng(4))
    quality = write_texts(texts, np.random.default_rng(5)).quality
    exact = population_differences(SYSTEMS, panel, shares)
    for (column_a, a), (column_b, b) in combinations(enumerate(NAMES), 2):
        latent = np.clip(quality[:, column_a] - quality[:, column_b], -1, 1)
        drawn = panel_outcome(panel, shares, latent)
        assert exact[a, b] == pytest.approx(drawn.mean(), abs=3.5 * drawn.std() / np.sqrt(drawn.size))


def test_population_truth_by_hand() -> None:
    # One faultless worker; a never errs, b always disfluent (costs .6), no other mistakes: d = .6 + taste, which
    # |taste| <= .24 never lifts to 1, so the mean outcome is .6 exactly. With c = .5 it is .3.
    systems = (DemoSystem("a", (0.0, 0.0, 0.0, 0.0)), DemoSystem("b", (0.0, 0.0, 0.0, 1.0)))
    for capability, expected in ((1.0, 0.6), (0.5, 0.3)):
        worker = Worker(capability, 0.0, 0.0, 0.0, 10.0)
        found = population_differences(systems, (worker,), np.array([1.0]))
        assert found == {("a", "b"): pytest.approx(expected, abs=1e-12)}


def test_clipping_at_one_is_integrated() -> None:
    # b always states a wrong fact (costs 1): d = min(1, 1 + t), t triangular on (-2w, 2w), mean of min(0, t) is
    # -(2w)/6 for different wordings (w = TASTE); with the same house wording t = 0.
    systems = (DemoSystem("a", (0.0, 0.0, 0.0, 0.0)), DemoSystem("b", (1.0, 0.0, 0.0, 0.0)))
    expected = 1 - (1 - HOUSE_RATE**2) * 2 * TASTE / 6
    found = population_differences(systems, (FAULTLESS,), np.array([1.0]))
    assert found["a", "b"] == pytest.approx(expected, abs=1e-6)


def test_population_truth_is_antisymmetric_and_exactly_zero_for_equal_rates() -> None:
    panel, shares = draw_panel(10, np.random.default_rng(3)), draw_shares(10, np.random.default_rng(4))
    forward = population_differences(SYSTEMS, panel, shares)
    back = population_differences(SYSTEMS[::-1], panel, shares)
    for (a, b), difference in forward.items():
        assert back[b, a] == pytest.approx(-difference, abs=1e-12)
    assert forward["aspen", "maple"] == 0.0


def test_severity_adds_up_to_one() -> None:
    assert severity(frozenset()) == 0.0
    assert severity(frozenset({"disfluency"})) == 0.6
    assert severity(frozenset({"disfluency", "repetition"})) == 1.0


def test_outputs_make_the_mistakes_of_their_system() -> None:
    texts = write_texts(3_000, np.random.default_rng(9))
    for system in SYSTEMS:
        for mistake, rate in zip(MISTAKES, system.rates, strict=True):
            share = np.mean([mistake in output.mistakes for output in texts.outputs[system.name]])
            assert share == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / 3_000)), (system.name, mistake)


def test_identical_outputs_are_few_and_of_equal_quality() -> None:
    texts = write_texts(3_000, np.random.default_rng(10))
    for (column_a, a), (column_b, b) in combinations(enumerate(NAMES), 2):
        same = np.array([x.text == y.text for x, y in zip(texts.outputs[a], texts.outputs[b], strict=True)])
        assert 0 < same.mean() < 0.12
        assert np.array_equal(texts.quality[same, column_a], texts.quality[same, column_b])


def test_the_truth_survives_json(demo: DemoStudy) -> None:
    written = json.loads(json.dumps(demo.truth.to_dict(), allow_nan=False))
    assert [pair["better"] for pair in written["pairs"]] == [pair.better for pair in demo.truth.pairs]
    assert written["pairs"][2] == {
        "system_a": "aspen",
        "system_b": "maple",
        "better": "equal",
        "difference": {"inputs": 0.0, "items": demo.truth.pair("aspen", "maple").difference_items},
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"items": 0}, "items must be from 1 to 100,000, not 0"),
        ({"labels_per_item": 0}, "labels_per_item must be 1 or more, not 0"),
        ({"labels_per_item": 11}, "11 labels per item need 11 different workers"),
    ],
)
def test_impossible_arguments_are_refused(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        demo_study(**arguments)


def test_one_item_is_enough() -> None:
    tiny = demo_study(items=1)
    assert tiny.study.preferences.height == 6
