from __future__ import annotations

import numpy as np
import polars as pl
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
