"""What a ledger makes of labels: which count, when an item enters, that the past never moves, and what is left."""

from __future__ import annotations

import numpy as np
import pytest
from tests.small_studies import Row, rating
from tests.watching.watched import Watched, label, labels, outputs

from tiebreak.errors import InputError, UsageError
from tiebreak.messages.claims import labels_words
from tiebreak.watching.settings import WatchSettings

# ---- evidence ----------------------------------------------------------------------------------------------------


def test_each_look_adds_the_items_that_it_completed() -> None:
    watched = Watched()
    watched.look(labels("wlt"))
    watched.look(labels("ww", start=3))
    watched.look()
    assert sorted(watched.values[:3]) == [-1, 0, 1]
    assert watched.values[3:] == [1, 1]
    assert watched.ends == [3, 5]
    assert watched.pair.items == 5


def test_an_item_enters_once_with_its_first_labels() -> None:
    """Two labels of an item count: i0 is complete at the second look, and a third label comes too late to count."""
    watched = Watched(settings=WatchSettings(items_per_pair=100, per_item=2))
    watched.look([label("i0", "a", "x"), label("i1", "b", "x"), label("i1", "tie", "y")])
    assert (watched.values, watched.evidence.waiting) == ([-0.5], 1)
    watched.look([label("i0", "a", "y"), label("i1", "b", "z")])
    assert (watched.values, watched.ends) == ([-0.5, 1], [1, 2])
    assert (watched.evidence.waiting, watched.evidence.beyond) == (0, 1)
    watched.look([label("i0", "b", "z"), label("i0", "b", "q")])
    assert (watched.values, watched.evidence.beyond) == ([-0.5, 1], 3)


def test_of_more_labels_than_count_evidence_takes_the_least_favourable() -> None:
    """Two count. i0 had a win before and gets a loss and a tie; i1 has two wins and a loss at once; i2 three wins."""
    watched = Watched(settings=WatchSettings(items_per_pair=100, per_item=2))
    watched.look([label("i0", "a", "x")])
    watched.look(
        [label("i0", "b", "y"), label("i0", "tie", "z")]
        + [label("i1", outcome, name) for name, outcome in (("x", "a"), ("y", "b"), ("z", "a"))]
        + [label("i2", "a", name) for name in "xyz"]
    )
    sequence = watched.evidence.evidence.sequence
    assert sorted(sequence.for_a.tolist()) == [0, 0, 1]
    assert sorted(sequence.for_b.tolist()) == [0.5, 1, 1]
    assert watched.evidence.beyond == 3
    assert watched.pair.difference.estimate is None or watched.pair.wins == 3


def test_how_many_labels_count_is_read_from_the_first_look() -> None:
    watched = Watched()
    watched.look([label(f"i{k}", "a", name) for k in range(5) for name in ("x", "y", "z")[: 3 if k else 1]])
    assert watched.ledger.per_item == 3
    assert Watched().look(labels("w")).per_item == 1
    before = Watched(tables={"outputs": outputs(4)})
    assert before.look().per_item == 1
    assert before.pair.items == 0


def test_a_label_that_vanishes_or_changes_keeps_its_first_value() -> None:
    watched = Watched()
    watched.look(labels("wwl"))
    watched.rows[0]["outcome"] = "b"
    del watched.rows[1]
    watched.look(labels("l", start=5))
    assert sorted(watched.values[:3]) == [-1, 1, 1]
    (told,) = (notice for notice in watched.result.warnings if notice.code == "evidence-changed")
    assert told.details == {"vanished": 1, "changed": 1, "regrouped": 0, "outputs": 0}


def test_labels_of_people_left_out_count_no_more_after_that_look() -> None:
    watched = Watched()
    watched.look([label("i0", "a", "bot_1"), label("i1", "a", "ann")])
    with pytest.raises(UsageError, match="no annotator matches 'bit_1': did you mean bot_1"):
        watched.look(exclude=["bit_1"])
    watched.look([label("i2", "b", "bot_1"), label("i3", "b", "bot_2"), label("i4", "b")], exclude=["bot_*"])
    watched.look([label("i5", "b", "bot_3")])
    assert watched.values == [1, 1, -1, -1, -1]  # whoever named them had read the labels of that look
    assert watched.summary.excluded == 1


def test_people_left_out_at_the_first_look_fix_nothing() -> None:
    """Neither how many labels of an item count, nor which pairs are watched; nor do they make pairs join later."""
    watched = Watched()
    bot = [label(f"i{k}", "b", "bot_1") for k in range(3)]
    watched.look([*labels("wwl"), *bot, label("i0", "a", "bot_1", a="ant", b="cat")], exclude=["bot_*"])
    assert watched.ledger.families[0].pairs == ((None, "ant", "bee"),)
    assert watched.ledger.per_item == 1
    assert sorted(watched.values) == [-1, 1, 1]
    watched.look([label("i1", "a", "bot_2", a="ant", b="cat")])
    assert len(watched.ledger.families) == 1
    watched.look([label("i1", "a", a="ant", b="cat")])
    assert [family.pairs for family in watched.ledger.families[1:]] == [((None, "ant", "cat"),)]


@pytest.mark.parametrize(
    ("column", "names"), [("cluster", ["c1", "c1", "c2", "c2"]), ("batch", ["mon", "mon", "tue", None])]
)
def test_clusters_and_batches_that_are_named_too_late_are_told(column: str, names: list[str | None]) -> None:
    watched = Watched(tables={"items": [{"item": f"i{k}"} for k in range(4)]})
    watched.look(labels("wwl"))
    assert "evidence-changed" not in [notice.code for notice in watched.result.warnings]
    watched.tables["items"] = [{"item": f"i{k}", column: name} for k, name in enumerate(names)]
    watched.look(labels("w", start=3))
    said = next(notice for notice in watched.result.warnings if notice.code == "evidence-changed")
    assert said.details["regrouped"] == 4 - names.count(None)
    assert len(watched.values) == 4


def test_a_cluster_that_is_taken_apart_is_told() -> None:
    items = [{"item": f"i{k}", "cluster": f"c{k // 2}"} for k in range(6)]
    watched = Watched(tables={"items": items})
    watched.look(labels("wwll"))
    watched.tables["items"] = [*items[::-1], {"item": "i7", "cluster": "c0"}]
    assert "evidence-changed" not in [notice.code for notice in watched.result.warnings]
    watched.tables["items"] = [{"item": f"i{k}", "cluster": f"c{k}"} for k in range(6)]
    assert "evidence-changed" in [notice.code for notice in watched.result.warnings]


def test_a_batch_that_was_named_too_late_cannot_be_closed() -> None:
    watched = Watched(tables={"items": [{"item": f"i{k}"} for k in range(4)]})
    watched.look(labels("wwl"))
    watched.tables["items"] = [{"item": f"i{k}", "batch": "mon"} for k in range(4)]
    with pytest.raises(UsageError, match=r"batch 'mon' has no items: those .* were listed by an earlier look"):
        watched.look(closed=["mon"])
    watched.tables["items"] += [{"item": "i9", "batch": "mon"}]
    watched.look(closed=["mon"])
    assert watched.ledger.closed == {"mon": 2}


def test_the_past_never_moves() -> None:
    """Whatever comes, the evidence of earlier looks stays, value for value and in its order."""
    rng = np.random.default_rng(4)
    items = [{"item": f"i{k}", "cluster": f"c{k // 3}"} for k in range(60)]
    for clustered in (False, True):
        tables = {
            "items": items if clustered else [{"item": row["item"]} for row in items],
            "outputs": outputs(60, range(0, 60, 7)),
        }
        watched = Watched(tables=tables, settings=WatchSettings(items_per_pair=100, per_item=1))
        known: list[float] = []
        for k in range(8):
            chosen = rng.permutation(60)[: 12 + k]
            watched.look([label(f"i{item}", rng.choice(["a", "tie", "b"]), f"p{k}") for item in chosen])
            now = watched.values
            assert now[: len(known)] == known
            known = now


def test_identical_outputs_come_along_in_proportion() -> None:
    watched = Watched(tables={"outputs": outputs(40, same=range(30, 40))})
    watched.look()
    assert watched.values == []
    watched.look(labels("w" * 15))  # half of the 30 others: half of the 10
    assert sorted(watched.values) == [0] * 5 + [1] * 15
    watched.look([*labels("w" * 15, start=15), label("i30", "b")])
    assert sorted(watched.values) == [0] * 10 + [1] * 30
    assert watched.evidence.tied == 1


def test_pairs_for_which_no_alpha_is_left_are_named() -> None:
    watched = Watched(settings=WatchSettings(items_per_pair=100, reserve=0))
    watched.look(labels("wlt"))
    watched.look([label("i0", "a", a="ant", b="cat"), label("i1", "a", a="bee", b="cat")])
    assert len(watched.ledger.families) == 1
    assert "pairs-left-out" in [notice.code for notice in watched.result.warnings]


def test_a_pool_is_what_the_first_look_saw() -> None:
    watched = Watched(tables={"outputs": outputs(20, same=[0, 1])}, settings=WatchSettings(target="items"))
    watched.look(labels("www", start=2))
    sequence = watched.evidence.evidence.sequence
    assert (sequence.pool_size, sequence.scale) == (18, 0.9)
    watched.tables["outputs"] = outputs(30, same=[0, 1])
    watched.look(labels("ll", start=24))
    assert watched.evidence.evidence.sequence.pool_size == 18
    assert (watched.values, watched.evidence.outside) == ([1, 1, 1], 2)


def test_a_cluster_enters_once_and_as_it_was_first_listed() -> None:
    """Three clusters of 3, 2 and 1 items; the last item of the first makes it enter. It weighs all, the others less."""
    items = [{"item": f"i{k}", "cluster": name} for k, name in enumerate("aaabbc")]
    watched = Watched(tables={"items": items})
    watched.look(labels("ww"))
    assert (watched.values, watched.evidence.evidence.clusters) == ([], 0)
    watched.look([*labels("l", start=2), *labels("tl", start=3)])
    sequence = watched.evidence.evidence.sequence
    weighted = sorted(zip(watched.values, sequence.weights.round(3).tolist(), strict=True))
    assert weighted == [(-0.5, 0.667), (0.333333333, 1)]
    watched.tables["items"] = [*items, {"item": "i6", "cluster": "c"}, {"item": "i7", "cluster": "d"}]
    watched.look(labels("www", start=5))
    assert watched.values[2:] == [1, 1]
    assert watched.evidence.evidence.sequence.weights[2:].round(3).tolist() == [0.333, 0.333]
    assert watched.evidence.outside == 1  # i6 came into a cluster that was there


def test_a_larger_cluster_is_cut_by_chance() -> None:
    """The largest at the first look has two items; of a later one of five, two count, whatever their labels."""
    watched = Watched(tables={"items": [{"item": f"i{k}", "cluster": f"c{k // 2}"} for k in range(4)]})
    watched.look(labels("wwll"))
    watched.tables["items"] += [{"item": f"i{k}", "cluster": "new"} for k in range(4, 9)]
    watched.look(labels("wwwww", start=4))
    assert sorted(watched.values) == [-1, 1, 1]
    assert watched.evidence.outside == 3
    assert watched.evidence.evidence.sequence.weights is None or (watched.evidence.evidence.sequence.weights == 1).all()


def test_a_batch_enters_whole_and_what_is_missing_counts_against_either_side() -> None:
    items = [{"item": f"i{k}", "batch": "one" if k < 3 else "two"} for k in range(6)]
    watched = Watched(tables={"items": items})
    watched.look(labels("ww"))
    assert (watched.values, watched.evidence.open_batches) == ([], 1)
    watched.look(labels("w", start=2))
    assert (watched.values, watched.ends) == ([1, 1, 1], [3])
    watched.look(labels("ww", start=3), closed=["two"])
    sequence = watched.evidence.evidence.sequence
    assert sorted(sequence.for_a[3:].tolist()) == [-1, 1, 1]
    assert sorted(sequence.for_b[3:].tolist()) == [1, 1, 1]
    assert watched.pair.abandoned == 1
    watched.look(labels("w", start=5))  # too late
    assert sorted(watched.evidence.evidence.sequence.for_a[3:].tolist()) == [-1, 1, 1]
    with pytest.raises(UsageError, match="three"):
        watched.look(closed=["three"])


def test_a_cluster_in_two_batches_is_refused() -> None:
    items = [{"item": "i0", "cluster": "c", "batch": "one"}, {"item": "i1", "cluster": "c", "batch": "two"}]
    with pytest.raises(InputError, match="one unit of evidence"):
        Watched(tables={"items": items}).look(labels("ww"))


def test_ratings_of_one_person_are_compared() -> None:
    def rated(item: str, person: str, ant: int, bee: int) -> list[Row]:
        return [rating(item, name, person, value) for name, value in (("ant", ant), ("bee", bee))]

    watched = Watched(tables={"ratings": [*rated("i0", "x", 5, 3), *rated("i1", "x", 2, 2)[:1]]})
    watched.look()
    assert watched.values == [1]
    watched.tables["ratings"] += [*rated("i1", "x", 2, 2)[1:], *rated("i2", "y", 1, 4)]
    watched.look()
    assert sorted(watched.values[1:]) == [-1, 0]
    assert watched.pair.labels == 6


def test_a_rating_that_serves_many_pairs_is_one_label() -> None:
    """Three systems: six ratings of two items stand in three pairs, which have four each."""
    rated = [rating(f"i{k}", name, "x", value) for k in range(2) for value, name in enumerate(("ant", "bee", "cat"))]
    watched = Watched(tables={"ratings": rated})
    watched.look()
    (found,) = watched.result.results
    assert [pair.labels for pair in found.pairs] == [4, 4, 4]
    assert labels_words(found, watched=True) == "6 labels by 1 annotator (x)"


def test_systems_that_join_are_a_family_of_their_own() -> None:
    watched = Watched(settings=WatchSettings(items_per_pair=100, reserve=0.2))
    watched.look(labels("www"))
    watched.look([label("i0", "a", b="cat"), label("i1", "b", a="bee", b="cat")])
    watched.look([label("i2", "a", a="dog")])
    families = watched.ledger.families
    assert [family.alpha for family in families] == pytest.approx([0.04, 0.005, 0.0025])
    assert [len(family.pairs) for family in families] == [1, 2, 1]
    assert families[1].pairs == ((None, "ant", "cat"), (None, "bee", "cat"))


def test_alpha_is_never_spent_twice() -> None:
    watched = Watched(settings=WatchSettings(items_per_pair=100, reserve=0.5))
    watched.look(labels("w"))
    for k in range(12):
        watched.look([label("i0", "a", b=f"z{k:02d}")])
    assert sum(family.alpha for family in watched.ledger.families) < 0.05


def test_what_cannot_be_watched() -> None:
    with pytest.raises(UsageError, match="lists no items"):
        Watched(settings=WatchSettings(target="items")).look(labels("w"))
    with pytest.raises(UsageError, match="in random order"):
        WatchSettings(target="items", order="listed")
    with pytest.raises(UsageError, match="fixed"):
        WatchSettings(rule="fixed")
    with pytest.raises(InputError, match="no two systems"):
        Watched(tables={"outputs": outputs(3, systems=["ant"])}).look()
    with pytest.raises(UsageError, match="bea"):
        Watched(settings=WatchSettings(items_per_pair=100, systems=("ant", "bea"))).look(labels("w"))


def test_the_baseline_is_the_second_of_its_pairs() -> None:
    watched = Watched(settings=WatchSettings(items_per_pair=100, baseline="ant"))
    watched.look([*labels("ww"), label("i0", "a", a="bee", b="cat")])
    assert watched.ledger.pairs == ((None, "bee", "ant"),)
    assert watched.values == [-1, -1]


def test_before_the_first_label_all_systems_are_pairs() -> None:
    watched = Watched(tables={"outputs": outputs(3, systems=["cat", "ant", "bee"])})
    assert watched.look().pairs == ((None, "ant", "bee"), (None, "ant", "cat"), (None, "bee", "cat"))


def test_late_answers_and_unfinished_clusters_are_counted() -> None:
    items = [{"item": f"i{k}", "batch": "one"} for k in range(4)]
    batched = Watched(tables={"items": items})
    batched.look(labels("www"), closed=["one"])
    batched.look(labels("wwww")[3:])
    assert (batched.summary.late, batched.summary.missing) == (1, 1)
    clustered = Watched(tables={"items": [{"item": f"i{k}", "cluster": f"d{k // 2}"} for k in range(4)]})
    clustered.look(labels("www"))
    assert clustered.summary.unfinished == 1


def test_what_was_evidence_is_not_replaced_by_labels_of_another_kind() -> None:
    rated = [rating(f"i{k}", name, "x", value, "q") for k in range(5) for name, value in (("ant", 1), ("bee", 3))]
    watched = Watched(tables={"ratings": rated})
    watched.look()
    watched.look([label(f"i{k}", "a", "x", criterion="q") for k in range(5)])
    assert watched.values == [-1] * 5


def test_texts_that_come_after_labels_change_nothing_for_these() -> None:
    """No outputs at first; later those of the items that bee won are said to be the same."""
    watched = Watched()
    watched.look(labels("wwll"))
    known = watched.values
    watched.tables["outputs"] = outputs(4, same=[2, 3])
    watched.look(labels("w", start=4))
    assert watched.values[:4] == known
    assert sorted(known) == [-1, -1, 1, 1]
    some = Watched(tables={"outputs": outputs(2)})
    some.look(labels("wwll"))
    some.tables["outputs"] = outputs(4, same=[2, 3])
    some.look()
    assert sorted(some.values) == [-1, -1, 1, 1]


def test_a_pool_whose_texts_come_later_stays_the_pool() -> None:
    watched = Watched(
        tables={"items": [{"item": f"i{k}"} for k in range(9)]}, settings=WatchSettings(target="items", per_item=1)
    )
    watched.look(labels("www"))
    watched.tables["outputs"] = outputs(9)
    watched.look()
    assert watched.evidence.evidence.sequence.pool_size == 9
    assert watched.pair.items == 3


def test_a_batch_that_was_closed_stays_closed() -> None:
    watched = Watched(tables={"items": [{"item": f"i{k}", "batch": "one"} for k in range(3)]})
    watched.look(labels("www"))
    watched.tables["items"] = [*watched.tables["items"], {"item": "i3", "batch": "one"}]
    watched.look()
    watched.look(labels("l", start=3))
    assert watched.values == [1, 1, 1]


def test_a_majority_of_many_with_a_choice_is_lost_to_either_side() -> None:
    """The first four of b, b, tie, tie, a may be a majority for b, or none."""
    watched = Watched(settings=WatchSettings(items_per_pair=100, per_item=4, several="majority"))
    watched.look([label("i0", outcome, f"p{k}") for k, outcome in enumerate(("b", "b", "tie", "tie", "a"))])
    sequence = watched.evidence.evidence.sequence
    assert (sequence.for_a.tolist(), sequence.for_b.tolist()) == ([-1], [1])


# ---- left --------------------------------------------------------------------------------------------------------


def test_evidence_that_contradicts_itself_is_flagged() -> None:
    """150 wins and then 400 losses: something changed on the way."""
    watched = Watched(tables={"outputs": outputs(600)}, settings=WatchSettings())
    watched.look()
    for start in range(0, 150, 30):
        watched.look(labels("w" * 30, start=start))
    for start in range(150, 550, 50):
        watched.look(labels("l" * 50, start=start))
    assert watched.pair.flags == ("contradiction",)
    assert "contradiction" in [notice.code for notice in watched.result.warnings]


def test_where_every_item_is_labelled_only_new_ones_can_help() -> None:
    watched = Watched(tables={"outputs": outputs(30)})
    watched.look()
    watched.look(labels("wwltwtlw" * 2))
    assert watched.evidence.left == 14
    assert "new-items" not in watched.pair.flags
    watched.look(labels("wltwwtlwltwlwt", start=16))
    assert (watched.evidence.left, watched.evidence.room) == (0, 70)
    assert "new-items" in watched.pair.flags


def test_a_plan_ends_at_its_number_of_items() -> None:
    """What comes after it is no evidence; without a number it is what the study lists."""
    watched = Watched(tables={"outputs": outputs(40)}, settings=WatchSettings(items_per_pair=20))
    watched.look(labels("wltwltwltwltwltwlt"))
    assert (watched.evidence.room, watched.pair.exhausted) == (2, False)
    watched.look(labels("wlwlwl" * 3, start=18))
    assert (watched.evidence.room, watched.pair.exhausted) == (0, True)
    assert watched.summary.planned == 20
    listed = Watched(tables={"outputs": outputs(40)}, settings=WatchSettings())
    listed.look(labels("wl"))
    assert (listed.evidence.evidence.most_units, listed.evidence.room) == (40, 38)
    with pytest.raises(UsageError, match="--items-per-pair"):
        Watched(settings=WatchSettings()).look(labels("wl"))


def test_items_of_a_plan_stand_for_as_many_clusters() -> None:
    items = [{"item": f"i{k}", "cluster": f"c{k // 4}"} for k in range(40)]
    watched = Watched(tables={"items": items, "outputs": outputs(40)}, settings=WatchSettings(items_per_pair=80))
    watched.look(labels("wwww"))
    assert watched.evidence.evidence.most_units == 20


def test_a_pool_cannot_grow() -> None:
    """Two answers never came: nothing decides, and nothing can be added."""
    batches = {"items": [{"item": f"i{k}", "batch": "b"} for k in range(8)], "outputs": outputs(8)}
    watched = Watched(tables=batches, settings=WatchSettings(target="items"))
    watched.look(labels("wwlwlt"))
    assert watched.evidence.left == 8
    watched.look(closed=["b"])
    assert (watched.evidence.left, watched.pair.verdict, watched.pair.exhausted) == (0, "undecided", True)


def test_items_of_a_closed_batch_are_not_left() -> None:
    """Listed after it was closed, they never enter."""
    tables = {"items": [{"item": f"i{k}", "batch": "b"} for k in range(4)], "outputs": outputs(4)}
    watched = Watched(tables=tables)
    watched.look(labels("wlwl"), closed=["b"])
    watched.tables["items"] = [{"item": f"i{k}", "batch": "b" if k < 6 else "c"} for k in range(9)]
    watched.tables["outputs"] = outputs(9)
    watched.look()
    assert watched.evidence.left == 3
