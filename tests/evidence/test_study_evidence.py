"""From tables to ordered sequences: order, identical outputs, clusters, pools."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import polars as pl
import pytest
from benchmarks.same_results.made_studies import made_study
from tests.small_studies import pair_votes, rating, simulated_votes, study_of, texts, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.evidence import study_evidence as module
from tiebreak.evidence.human_labels import PairValues
from tiebreak.evidence.items import ItemIndex
from tiebreak.evidence.pair_evidence import PairEvidence
from tiebreak.evidence.study_evidence import EvidenceSettings, StudyEvidence, study_evidence
from tiebreak.kernels import worst_share

# ---- sequences -----------------------------------------------------------------------------------------------------


def evidence_of(study: Study, **settings: object) -> StudyEvidence:
    return study_evidence(study, study.criteria, EvidenceSettings(**settings))  # type: ignore[arg-type]


def only(study: Study, **settings: object) -> PairEvidence:
    (criterion,) = evidence_of(study, **settings).criteria
    (pair,) = criterion.pairs
    return pair


def names(study: Study, pair: PairEvidence) -> list[str]:
    index = evidence_of(study).index
    return [index.items[k] for k in pair.items]


OUTCOMES = "wltwwlwttlwlwwtlwwll" * 3


def test_values_labels_and_counts() -> None:
    pair = only(study_of(pair_votes("wwtl")))
    assert pair.counts == (2, 1, 1)
    assert pair.labels.tolist() == [1, 1, 1, 1]
    assert (pair.pool_size, pair.identical, pair.clusters) == (4, 0, None)
    assert pair.sequence.pool_size is None
    assert pair.sequence.outcomes_only
    assert pair.sequence.for_a.tolist() == pair.values.tolist()


def test_the_order_is_a_permutation_fixed_by_the_data_and_moved_by_the_seed() -> None:
    study = study_of(pair_votes(OUTCOMES))
    pair = only(study)
    assert sorted(pair.items.tolist()) == list(range(60))
    assert pair.items.tolist() != list(range(60))
    assert only(study_of(pair_votes(OUTCOMES)[::-1])).items.tolist() == pair.items.tolist()
    assert only(study, seed=1).items.tolist() != pair.items.tolist()
    assert Counter(only(study, seed=1).values.tolist()) == Counter(pair.values.tolist())


def test_the_order_is_uniform() -> None:
    # Place of the first item over 2,000 seeds: 20 places, 100 each, chi-squared with 19 degrees of freedom < 43.8
    # (upper .1%).
    study = study_of(pair_votes(OUTCOMES[:20]))
    counts = np.zeros(20)
    for seed in range(400):
        items = only(study, seed=seed).items
        for item in range(5):
            counts[int(np.flatnonzero(items == item)[0])] += 1
    assert float(((counts - 100) ** 2 / 100).sum()) < 43.8


def test_pairs_have_independent_orders() -> None:
    rows = simulated_votes({"ant": 0.0, "bee": 0.0, "cat": 0.0}, items=50)
    (criterion,) = evidence_of(study_of(rows)).criteria
    orders = [tuple(pair.items.tolist()) for pair in criterion.pairs]
    assert len(set(orders)) == 3


def test_outcomes_other_than_their_size_do_not_choose_the_order() -> None:
    # Who wins must not matter: the same items, every outcome turned round.
    turned = OUTCOMES.translate(str.maketrans("wl", "lw"))
    one, other = only(study_of(pair_votes(OUTCOMES))), only(study_of(pair_votes(turned)))
    assert one.items.tolist() == other.items.tolist()
    assert one.values.tolist() == (-other.values).tolist()


def test_a_pair_does_not_notice_other_systems_or_criteria() -> None:
    rows = pair_votes(OUTCOMES)
    more = [*rows, *simulated_votes({"ant": 0.0, "cat": 0.4}, 30, seed=2), *pair_votes("wwll", criterion="style")]
    alone, among = only(study_of(rows)), evidence_of(study_of(more)).criteria[0].pairs[0]
    assert (among.system_a, among.system_b) == ("ant", "bee")
    assert among.values.tolist() == alone.values.tolist()


def test_baseline_is_system_b_and_other_pairs_are_left_out() -> None:
    rows = simulated_votes({"ant": 0.0, "bee": 0.0, "cat": 0.0}, items=20)
    study = study_of(rows)
    everything = {(p.system_a, p.system_b): p for p in evidence_of(study).criteria[0].pairs}
    found = {(p.system_a, p.system_b): p for p in evidence_of(study, baseline="bee").criteria[0].pairs}
    assert set(found) == {("ant", "bee"), ("cat", "bee")}
    assert found["cat", "bee"].values.tolist() == (-everything["bee", "cat"].values).tolist()
    assert found["ant", "bee"].values.tolist() == everything["ant", "bee"].values.tolist()


def test_identical_outputs_are_ties_even_if_somebody_was_asked() -> None:
    # i0 and i1 identical; the label on i0 says that ant is better, i1 was not asked. Every other item is labelled, so
    # that all identical ones count: i1 joins with 0 labels.
    outputs = texts({"ant": ["x", "y", "p", "q"], "bee": ["x", "y", "P", "Q"]})
    study = study_of(pair_votes("w wl"), outputs=outputs)
    pair = only(study)
    found = {name: (value, label) for name, value, label in zip(names(study, pair), pair.values, pair.labels)}  # noqa: B905
    assert found == {"i0": (0.0, 1), "i1": (0.0, 0), "i2": (1.0, 1), "i3": (-1.0, 1)}
    assert pair.identical == 2
    assert pair.pool_size == 4


@pytest.mark.parametrize(("labelled", "asked", "added"), [(8, 0, 10), (4, 0, 5), (4, 3, 2), (4, 8, 0), (2, 0, 2)])
def test_identical_outputs_count_in_proportion_to_the_labelled_items(labelled: int, asked: int, added: int) -> None:
    # 18 items: ten identical, eight different, of which `labelled` are labelled. The share labelled/8 of the ten
    # should be in (5 of 10 for 4 of 8, 2.5 rounded to 2 for 2 of 8), less those that were asked already.
    outputs = texts({"ant": ["s"] * 10 + ["x"] * 8, "bee": ["s"] * 10 + ["y"] * 8})
    study = study_of(pair_votes("w" * asked + " " * (10 - asked) + "w" * labelled), outputs=outputs)
    pair = only(study)
    assert int((pair.labels == 0).sum()) == added
    assert pair.identical == asked + added
    assert pair.counts == (labelled, asked + added, 0)
    assert pair.pool_size == 18


def test_a_claim_about_these_items_knows_its_pool() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 5}"} for k in range(100)]
    study = study_of(pair_votes(OUTCOMES), items=items)
    assert only(study, target="items").sequence.pool_size == 100
    assert len(only(study, target="items").sequence) == 60  # clusters matter for inputs like these only
    assert only(study, target="items").clusters is None


def test_one_bet_per_cluster_on_its_mean() -> None:
    # doc 0: w, l, w, w -> (1 - 1 + 1 + 1)/4 = .5; doc 1: t, l -> -.5; i6 alone: w.
    items = [{"item": f"i{k}", "cluster": "doc 0" if k < 4 else "doc 1"} for k in range(6)]
    pair = only(study_of(pair_votes("wlwwtlw"), items=items))
    assert pair.clusters == 3
    assert sorted(pair.sequence.for_a.tolist()) == [-0.5, 0.5, 1.0]
    assert len(pair.items) == 7
    assert pair.counts == (4, 1, 2)
    # In the order of their first items.
    expected = []
    for item, value in zip(pair.items.tolist(), pair.values.tolist(), strict=True):
        mean = 0.5 if item < 4 else -0.5 if item < 6 else value
        if mean not in expected:
            expected.append(mean)
    assert pair.sequence.for_a.tolist() == expected


def test_a_cluster_of_which_one_item_is_labelled_is_an_item() -> None:
    items = [{"item": f"i{k}", "cluster": f"doc {k // 2}"} for k in range(4)]
    pair = only(study_of(pair_votes("w l "), items=items))
    assert pair.clusters is None
    assert pair.sequence.outcomes_only


def test_the_times_of_labels_order_nothing() -> None:
    rows = [row | {"decided_at": f"2024-05-01T{k:02d}:00:00Z"} for k, row in enumerate(pair_votes("wltw" * 5))]
    study, without = study_of(rows), study_of([{**row, "decided_at": None} for row in rows])
    assert evidence_of(study).order == "random"
    assert names(study, only(study)) == names(without, only(without)) != [f"i{k}" for k in range(20)]
    (pair,) = study_evidence(study, (None,), EvidenceSettings(ordered=False)).criteria[0].pairs
    assert sorted(pair.items) == list(range(20))
    assert study_evidence(study, (None,), EvidenceSettings(ordered=False)).order == "none"


def test_ratings_and_preferences_are_told_apart() -> None:
    scores = [rating("i0", system, "p", value) for system, value in (("ant", 1), ("bee", 2))]
    study = study_of(pair_votes("wl"), scores)
    by_criterion = {found.criterion: found for found in evidence_of(study).criteria}
    assert by_criterion[None].from_ratings == 0
    assert by_criterion["overall"].from_ratings == 1
    assert by_criterion["overall"].pairs[0].labels.tolist() == [2]


# ---- many pairs ----------------------------------------------------------------------------------------------------
# The evidence of many pairs: made when it is asked for, never all of it at once, and always the same.


def rated(systems: int, items: int, people: int = 1, missing: float = 0.0, seed: int = 0) -> Study:
    """Every output rated from 1 to 5 by everybody, as far as no rating is missing."""
    rng = np.random.default_rng(seed)
    kept = rng.random((people, systems, items)) >= missing
    person, system, item = np.nonzero(kept)
    quality = rng.normal(0, 0.2, systems)[:, None] + rng.normal(0, 1, items)
    values = np.clip(np.rint(3 + quality + rng.normal(0, 0.8, kept.shape)), 1, 5)
    columns = {"item": ("i", item), "system": ("s", system), "annotator": ("w", person)}
    named = {name: letter + pl.Series(codes).cast(pl.String) for name, (letter, codes) in columns.items()}
    return Study.from_tables(ratings=pl.DataFrame({**named, "criterion": "overall", "value": values[kept]}))


def made(number: int) -> Study:
    """Labels of panels, with metrics; some studies in clusters, some with identical outputs."""
    rng, identical = np.random.default_rng([7, number]), 0.1 * (number % 3)
    tables = made_study(rng, 4, 60, cluster_size=1 + number % 2, identical=identical, gaps=0.05, labelled=0.6)
    others = {"scores": tables.scores, "judge_preferences": tables.judged}
    return Study.from_tables(items=tables.items, outputs=tables.outputs, preferences=tables.labels, **others)


def test_a_comparison_does_not_hold_the_evidence_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    # 435 pairs of 2,000 items. Held, each comparison takes an item, a value and labels of 8 bytes, and more.
    study = rated(30, 2_000)
    monkeypatch.setattr(worst_share, "CHUNK_CELLS", 100_000)
    peaks = []
    for room in (2_000, 10**9):
        monkeypatch.setattr(module, "VALUES_KEPT", room)
        tracemalloc.start()
        (found,) = compare(study).results
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert sum(pair.items for pair in found.pairs) == 435 * 2_000
    assert peaks[1] > 24 * 435 * 2_000
    assert peaks[0] < 12 * 435 * 2_000


@pytest.mark.parametrize("room", [0, 10**9])
def test_evidence_is_made_a_few_times_at_most(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    # To count it, to look for neighbours that are alike, for the orders of what little there is, and for win rates; of
    # one pair also for what its test could have found.
    counts: Counter[tuple[str, str]] = Counter()
    make = module._evidence

    def counted(pair: PairValues, *others: object) -> PairEvidence:
        counts[pair.system_a, pair.system_b] += 1
        return make(pair, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "VALUES_KEPT", room)
    monkeypatch.setattr(module, "_evidence", counted)
    compare(rated(8, 50))
    assert len(counts) == 28
    assert sum(counts.values()) <= (4 * 28 + 1 if room == 0 else 28)


@pytest.mark.parametrize(
    ("study", "settings"),
    [
        (rated(4, 40), {}),
        (rated(4, 40, people=3, missing=0.4), {"several": "majority", "baseline": "s2"}),
        (rated(4, 40, people=3, missing=0.4), {"raters": "any", "target": "items"}),
        (made(0), {"metrics": ("all",), "judges": ("all",)}),
        (made(2), {"metrics": ("all",), "target": "items", "margin": 0.3}),
        (made(5), {"multiplicity": "fdr"}),
        (made(5), {"human": False, "metrics": ("all",)}),
    ],
)
def test_made_anew_is_as_it_was(monkeypatch: pytest.MonkeyPatch, study: Study, settings: dict[str, object]) -> None:
    kept = compare(study, **settings).to_dict()  # type: ignore[arg-type]
    monkeypatch.setattr(module, "VALUES_KEPT", 0)
    assert compare(study, **settings).to_dict() == kept  # type: ignore[arg-type]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("number", range(6))
def test_a_summary_is_that_of_the_arrays(number: int, ordered: bool) -> None:
    for target in ("inputs", "items"):
        evidence = study_evidence(made(number), (None,), EvidenceSettings(target=target, ordered=ordered))  # type: ignore[arg-type]
        assert evidence.items == len({item for pair in evidence.pairs for item in pair.items.tolist()})
        for pair, summary in zip(evidence.pairs, evidence.summaries, strict=True):
            values = pair.sequence.for_a
            assert (summary.wins, summary.ties, summary.losses) == pair.counts
            assert (summary.items, summary.labels) == (pair.items.size, pair.labels.sum())
            assert (summary.units, summary.untied_units) == (values.size, np.count_nonzero(values))
            assert summary.tied_weight == pytest.approx(float(np.sum(1 - values**2)))
            assert summary.clustered == pair.clustered
            assert (summary.drawn is not None) == (pair.drawn is not None)


def test_an_order_changes_no_value() -> None:
    """But for the choice of identical outputs that nobody was asked about, which only an order leaves to chance."""
    for number in range(6):
        for target in ("inputs", "items"):
            both = [
                study_evidence(made(number), (None,), EvidenceSettings(target=target, ordered=ordered)).pairs  # type: ignore[arg-type]
                for ordered in (True, False)
            ]
            for ordered, plain in zip(*both, strict=True):
                found = [
                    sorted(zip(pair.items.tolist(), pair.values.tolist(), pair.labels.tolist(), strict=True))
                    for pair in (ordered, plain)
                ]
                labelled = [[value for value in values if value[2]] for values in found]
                assert labelled[0] == labelled[1]
                assert len(found[0]) == len(found[1])


def test_a_budget_needs_an_order() -> None:
    with pytest.raises(ValueError, match="order"):
        EvidenceSettings(items_per_pair=10, ordered=False)


# ---- items ---------------------------------------------------------------------------------------------------------


def test_every_item_that_any_table_names_is_known_and_sorted() -> None:
    study = study_of(
        [vote("m", "ant", "bee", "p", "a")],
        items=[{"item": "z"}, {"item": "b"}],
        outputs=[{"item": "a", "system": "ant", "text": "x"}],
        scores=[{"item": "s", "system": "ant", "metric": "bleu", "value": 1.0}],
    )
    index = ItemIndex.of(study)
    assert index.items == ("a", "b", "m", "s", "z")
    assert [index.position[name] for name in index.items] == [0, 1, 2, 3, 4]
    assert index.listed == 2
    assert index.numbers(pl.Series(["s", "a", "s"])).tolist() == [3, 0, 3]


def test_clusters_are_the_column_and_blank_ones_stand_alone() -> None:
    items = [
        {"item": name, "cluster": of} for name, of in zip("abcde", ("doc 1", "", "doc 1", None, "doc 2"), strict=True)
    ]
    index = ItemIndex.of(study_of([vote("f", "ant", "bee", "p", "a")], items=items))
    assert index.clustered_by == "cluster"
    assert index.clusters[0] == index.clusters[2]
    assert len(set(index.clusters.tolist())) == 5  # six items, two of them together


def test_items_that_repeat_an_input_are_one_cluster() -> None:
    items = [{"item": name, "input": text} for name, text in (("a", "same"), ("b", "same"), ("c", "else"), ("d", " "))]
    index = ItemIndex.of(study_of(pair_votes("w"), items=[*items, {"item": "i0", "input": " "}]))
    assert index.clustered_by == "input"
    assert index.clusters[index.position["a"]] == index.clusters[index.position["b"]]
    assert len(set(index.clusters.tolist())) == 4  # two blank inputs are not the same input


ASKED = {"input": "same", "context": "c", "reference": "r"}


@pytest.mark.parametrize(
    ("items", "by", "clusters"),
    [
        ([ASKED, ASKED, ASKED | {"context": "else"}], "input", [0, 0, 2]),
        ([ASKED, ASKED, ASKED | {"reference": "else"}], "input", [0, 0, 2]),
        ([{"input": "same", "cluster": f"doc {k // 2}"} for k in range(4)], "cluster", [0, 0, 2, 2]),  # goes first
        ([{"input": f"domain {k % 2}", "cluster": f"own {k}"} for k in range(4)], None, [0, 1, 2, 3]),
        ([{"input": "p", "cluster": "x"}, {"input": "q", "cluster": "y"}], None, [0, 1]),
        ([{}, {}], None, [0, 1]),
    ],
)
def test_which_items_are_one_cluster(items: list[dict[str, str]], by: str | None, clusters: list[int]) -> None:
    """A cluster of its own for each item says that repeated inputs do not matter."""
    listed = [row | {"item": f"i{k}"} for k, row in enumerate(items)]
    index = ItemIndex.of(study_of(pair_votes("w" * len(items)), items=listed))
    assert (index.clustered_by, index.clusters.tolist()) == (by, clusters)


def test_an_instruction_that_many_items_share_groups_nothing() -> None:
    inputs = ["Summarise:"] * 30 + ["Translate:"] * 25 + [f"question {k // 2}" for k in range(45)]
    items = [{"item": f"i{k:03}", "input": text} for k, text in enumerate(inputs)]
    index = ItemIndex.of(study_of(pair_votes("w"), items=items))
    assert [(found.text, found.items) for found in index.shared_inputs] == [("Summarise:", 30), ("Translate:", 25)]
    assert index.clustered_by == "input"  # the questions that come twice
    assert len(set(index.clusters[index.numbers(pl.Series([f"i{k:03}" for k in range(55)]))].tolist())) == 55
    assert len(set(index.clusters.tolist())) == 55 + 23 + 1  # and the labelled item, which has no input


def test_an_input_on_many_of_very_many_items_is_repeated() -> None:
    items = [{"item": f"i{k:04}", "input": f"question {k // 25}"} for k in range(600)]  # each on 4% of the items
    index = ItemIndex.of(study_of(pair_votes("w"), items=items))
    assert index.shared_inputs == ()
    assert len(set(index.clusters.tolist())) == 24 + 1


@pytest.mark.parametrize("count", [2, 20, 21])
def test_an_input_that_all_items_share_is_an_instruction(count: int) -> None:
    items = [{"item": f"i{k:02}", "input": "Summarise:"} for k in range(count)]
    index = ItemIndex.of(study_of([vote("i00", "ant", "bee", "p", "a")], items=items))
    assert index.clusters.tolist() == list(range(count))
    assert [found.items for found in index.shared_inputs] == [count]


def test_identical_outputs_and_the_pool() -> None:
    # i0 identical, i1 different, i2 only ant, i3 both blank of content but identical, i4 only labelled.
    outputs = texts({"ant": ["x", "y", "z", "same "], "bee": ["x", "Y", "", "same "]})
    index = ItemIndex.of(study_of([vote("i4", "ant", "bee", "p", "a")], outputs=outputs))
    labelled = np.array([index.position["i1"], index.position["i4"]])
    same, pool = index.identical_outputs("ant", "bee", labelled)
    assert [index.items[k] for k in same] == ["i0", "i3"]
    assert pool == 3 + 1  # i0, i1, i3 have both texts; i4 is labelled all the same
    swapped, pool_swapped = index.identical_outputs("bee", "ant", labelled)
    assert swapped.tolist() == same.tolist()
    assert pool_swapped == pool


def test_the_pool_without_outputs_is_what_is_listed_or_labelled() -> None:
    items = [{"item": f"i{k}"} for k in range(9)]
    index = ItemIndex.of(study_of(pair_votes("www"), items=items))
    assert index.texts is None
    assert index.identical_outputs("ant", "bee", np.arange(3))[1] == 9
    alone = ItemIndex.of(study_of(pair_votes("www")))
    same, pool = alone.identical_outputs("ant", "bee", np.arange(3))
    assert (same.size, pool) == (0, 3)
    # Outputs of one of the systems only cannot be compared either.
    half = ItemIndex.of(study_of(pair_votes("www"), items=items, outputs=texts({"ant": ["x", "y", "z"]})))
    assert half.identical_outputs("ant", "bee", np.arange(3))[1] == 9
