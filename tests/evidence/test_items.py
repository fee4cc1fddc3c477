from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from tests.small_studies import pair_votes, study_of, texts, vote

from tiebreak.evidence.items import ItemIndex


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
        {"item": "a", "cluster": "doc 1"},
        {"item": "b", "cluster": ""},
        {"item": "c", "cluster": "doc 1"},
        {"item": "d", "cluster": None},
        {"item": "e", "cluster": "doc 2"},
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


def test_items_with_another_context_or_reference_do_not_repeat_one_another() -> None:
    for other in ({"context": "else"}, {"reference": "else"}):
        items = [{"item": "i0", "input": "same", "context": "c", "reference": "r"}]
        items += [{**items[0], "item": "i1"}, {**items[0], "item": "i2", **other}]
        index = ItemIndex.of(study_of(pair_votes("www"), items=items))
        assert index.clusters.tolist() == [0, 0, 2]


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


def test_a_cluster_of_its_own_for_each_item_says_that_inputs_do_not_matter() -> None:
    items = [{"item": f"i{k}", "input": f"domain {k % 2}", "cluster": f"own {k}"} for k in range(4)]
    index = ItemIndex.of(study_of([vote("i0", "ant", "bee", "p", "a")], items=items))
    assert index.clustered_by is None
    assert index.clusters.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("count", [2, 20, 21])
def test_an_input_that_all_items_share_is_an_instruction(count: int) -> None:
    items = [{"item": f"i{k:02}", "input": "Summarise:"} for k in range(count)]
    index = ItemIndex.of(study_of([vote("i00", "ant", "bee", "p", "a")], items=items))
    assert index.clusters.tolist() == list(range(count))
    assert [found.items for found in index.shared_inputs] == [count]


def test_a_cluster_column_goes_before_repeated_inputs() -> None:
    items = [{"item": f"i{k}", "input": "same", "cluster": f"doc {k // 2}"} for k in range(4)]
    index = ItemIndex.of(study_of(pair_votes("wwww"), items=items))
    assert index.clustered_by == "cluster"
    assert index.clusters.tolist() == [0, 0, 2, 2]


def test_without_repetitions_every_item_stands_alone() -> None:
    for items in (None, [{"item": "i0", "cluster": "x", "input": "p"}, {"item": "i1", "cluster": "y", "input": "q"}]):
        index = ItemIndex.of(study_of(pair_votes("ww"), items=items))
        assert index.clustered_by is None
        assert index.clusters.tolist() == [0, 1]


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
