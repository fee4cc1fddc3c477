"""`--rule fixed`: one look, no order, no seed; verdicts that do not depend on names, rows or sides."""

from __future__ import annotations

import numpy as np
import pytest
from tests.metric_pairs import study_with_metric
from tests.small_studies import Row, only_pair, pair_votes, simulated_votes, study_of, texts, vote

from tiebreak.comparison.compare import compare
from tiebreak.data.study import Study
from tiebreak.errors import UsageError
from tiebreak.kernels.unit_means import cluster_means, panel_means
from tiebreak.results.records import FEW_UNITS, CompareResult
from tiebreak.rules.rule import TOO_FEW

STRENGTHS = {"ant": 0.5, "bee": 0.15, "cat": 0.0, "dog": -0.1}
OTHER = {"a": "b", "tie": "tie", "b": "a"}


def panel_rows(seed: int, items: int = 60, people: int = 3) -> list[Row]:
    rng = np.random.default_rng(seed)
    return [
        vote(f"i{k:03}", "ant", "bee", f"p{person}", str(rng.choice(["a", "tie", "b"], p=[0.5, 0.2, 0.3])))
        for k in range(items)
        for person in range(people)
    ]


def figures(result: CompareResult, names: dict[str, str] | None = None) -> dict[object, tuple[object, ...]]:
    """What was found, with every pair the same way round, whatever its systems are called."""
    found: dict[object, tuple[object, ...]] = {}
    for pair in result.results[0].pairs:
        a, b = ((names or {}).get(name, name) for name in (pair.system_a, pair.system_b))
        low, high = pair.difference.low, pair.difference.high
        winner = None if pair.winner is None else (names or {}).get(pair.winner, pair.winner)
        if a > b:
            a, b, low, high = b, a, -high, -low
        found[a, b] = (winner, pair.verdict == "equivalent", round(low, 6), round(high, 6), pair.p_value)
    return found


def shuffled(rows: list[Row], seed: int) -> list[Row]:
    return [rows[k] for k in np.random.default_rng(seed).permutation(len(rows))]


@pytest.mark.parametrize("each", [8, pytest.param(50, marks=pytest.mark.full)])
def test_names_rows_sides_and_seeds_change_nothing(each: int) -> None:
    """Transformations of 12 studies, `each` so many times, which makes 600 in the full test: other names of systems,
    items and people, other rows, sides and seeds.
    """
    for place in range(12):
        clusters = [{"item": f"i{k:03}", "cluster": f"d{k // 3}"} for k in range(60)] if place % 4 == 3 else None
        rows = panel_rows(place) if place % 2 else simulated_votes(STRENGTHS, 60, ties=0.2)
        options: dict[str, object] = {"rule": "fixed", "margin": 0.2 if place % 3 == 2 else None}
        if place % 5 == 4 and clusters is None:
            options["target"] = "items"
        expected = figures(compare(study_of(rows, items=clusters), **options))  # type: ignore[arg-type]
        rng = np.random.default_rng(place)
        for _ in range(each):
            order = rng.permutation(["q", "r", "s", "t"])
            systems = dict(zip(STRENGTHS, map(str, order), strict=True))
            items = {f"i{k:03}": f"x{number}" for k, number in enumerate(rng.permutation(1000)[:60])}
            items |= {f"i{k}": f"y{number}" for k, number in enumerate(rng.permutation(1000)[:60])}
            changed = []
            for row in shuffled(rows, int(rng.integers(1e6))):
                new = row | {
                    "item": items[str(row["item"])],
                    "system_a": systems[str(row["system_a"])],
                    "system_b": systems[str(row["system_b"])],
                    "annotator": f"w{row['annotator']}",
                }
                if rng.random() < 0.5:
                    new |= {"system_a": new["system_b"], "system_b": new["system_a"]}
                    new["outcome"] = OTHER[str(row["outcome"])]
                changed.append(new)
            named = None if clusters is None else [row | {"item": items[row["item"]]} for row in clusters]
            result = compare(study_of(changed, items=named), **options, seed=int(rng.integers(100)))  # type: ignore[arg-type]
            back = {new: old for old, new in systems.items()}
            found = figures(result, back)
            assert found.keys() == expected.keys()
            for pair, (winner, equivalent, low, high, p) in found.items():
                first = expected[pair]
                assert (winner, equivalent) == first[:2]
                assert (low, high, p) == pytest.approx(first[2:], abs=2e-6)


def test_the_rule_first_chooses_nothing_by_names_or_seeds() -> None:
    """Labels without times, or of one time, of which a choice by name or by seed would be another verdict."""
    rows = panel_rows(5)
    for time in (None, "2024-05-01T08:00:00Z"):
        timed = [{**row, "decided_at": time} for row in rows]
        found = figures(compare(study_of(timed), several="first"))
        assert found == figures(compare(study_of(timed), several="first", seed=9))
        renamed = [{**row, "item": f"q{row['item']}", "annotator": f"z{row['annotator']}"} for row in timed]
        assert found == figures(compare(study_of(shuffled(renamed, 3)), several="first"))


def test_the_seed_says_nothing_about_identical_outputs() -> None:
    rng = np.random.default_rng(2)
    outputs = [
        {"item": f"i{k:03}", "system": name, "text": "same" if k % 5 > 2 else name} for k in range(120) for name in "AB"
    ]
    items = [{"item": f"i{k:03}", "cluster": f"d{k // 4}"} for k in range(120)]
    votes = [vote(f"i{k:03}", "A", "B", "p", str(rng.choice(["a", "b"]))) for k in range(0, 120, 3) if k % 5 <= 2]
    study = study_of(votes, outputs=outputs, items=items)
    first, second = (compare(study, seed=seed).results[0] for seed in (0, 1))
    assert first.pairs == second.pairs
    assert first.advice == second.advice
    assert first.pairs[0].identical > 0
    labelled = {k // 4 for k in range(0, 120, 3) if k % 5 <= 2}
    same = [k // 4 for k in range(120) if k % 5 > 2][: first.pairs[0].identical]  # those that stand for their share
    assert first.pairs[0].clusters == len(labelled | set(same))


def test_several_labels_of_an_item_are_their_mean() -> None:
    rows = panel_rows(3)
    pair = only_pair(study_of(rows), rule="fixed")
    codes = {"a": 1.0, "tie": 0.0, "b": -1.0}
    values = np.array([codes[str(row["outcome"])] for row in rows]).reshape(-1, 3).mean(axis=1)
    test = panel_means(values, np.full(values.size, 3))
    assert pair.p_value == pytest.approx(2 * min(test.p_a, test.p_b))
    assert (pair.difference.low, pair.difference.high) == pytest.approx(test.interval(0.025))
    assert pair.difference.estimate == pytest.approx(values.mean())


def test_documents_count_by_their_items() -> None:
    """Small documents favour a, a large one b: by items nobody is ahead."""
    votes = pair_votes("w" * 12 + "l" * 12)
    items = [{"item": row["item"], "cluster": f"d{min(k, 12)}"} for k, row in enumerate(votes)]
    pair = only_pair(study_of(votes, items=items), rule="fixed")
    assert (pair.verdict, pair.clusters, pair.difference.estimate) == ("undecided", 13, 0.0)
    test = cluster_means(np.array([1.0] * 12 + [-12.0]), np.array([1.0] * 12 + [12.0]), 1)
    assert (pair.difference.low, pair.difference.high) == pytest.approx(test.interval(0.025))


def test_clusters_of_unequal_size_are_worth_fewer() -> None:
    votes = pair_votes("wl" * 20)
    items = [{"item": row["item"], "cluster": f"d{min(k // 2, 8)}"} for k, row in enumerate(votes)]
    pair = only_pair(study_of(votes, items=items), rule="fixed")
    assert pair.clusters == 9
    assert pair.effective_clusters == pytest.approx(40**2 / (8 * 4 + 24**2))


def test_too_few_to_decide_anything_is_said() -> None:
    pair = only_pair(study_of(pair_votes("wwwww")), rule="fixed")
    assert (pair.verdict, pair.flags) == ("undecided", (TOO_FEW, FEW_UNITS))
    assert only_pair(study_of(pair_votes("wwwwww")), rule="fixed").verdict == "a"


def split_panels() -> list[Row]:
    """Two labels of each of 8 items, on three of which they differ."""
    return [
        vote(f"i{k}", "ant", "bee", person, "b" if k < 3 and person == "q" else "a")
        for k in range(8)
        for person in "pq"
    ]


def split_clusters() -> tuple[list[Row], list[Row]]:
    """24 items in 7 clusters, two of which have as many labels for either."""
    sizes, outcomes = [4, 4, 4, 3, 3, 3, 3], "aabb" + "abab" + "aaaa" + "aaa" * 2 + "aab" * 2
    clusters = np.repeat(np.arange(7), sizes)
    rows = [vote(f"i{k:02}", "ant", "bee", "p", outcome) for k, outcome in enumerate(outcomes)]
    return rows, [{"item": row["item"], "cluster": f"d{cluster}"} for row, cluster in zip(rows, clusters, strict=True)]


def test_split_panels_and_clusters_could_have_agreed() -> None:
    rows, items = split_clusters()
    for votes, clusters in ((split_panels(), None), (rows, items)):
        pair = only_pair(study_of(votes, items=clusters))
        assert (pair.verdict, pair.flags) == ("undecided", (FEW_UNITS,))
        assert only_pair(study_of([{**row, "outcome": "a"} for row in votes], items=clusters)).verdict == "a"


@pytest.mark.parametrize("seed", range(4))
def test_too_few_is_said_exactly_where_agreement_would_have_decided_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    said = 0
    for _ in range(15):
        items, people = int(rng.integers(4, 14)), int(rng.integers(1, 4))
        rows = [
            vote(f"i{k:02}", "ant", "bee", f"p{person}", str(rng.choice(["a", "tie", "b"], p=[0.4, 0.3, 0.3])))
            for k in range(items)
            for person in range(people)
        ]
        grouped = [{"item": f"i{k:02}", "cluster": f"d{k // 2}"} for k in range(items)] if rng.random() < 0.4 else None
        pair = only_pair(study_of(rows, items=grouped))
        agreed = [{**row, "outcome": "tie" if row["outcome"] == "tie" else "a"} for row in rows]
        could = only_pair(study_of(agreed, items=grouped)).verdict != "undecided"
        assert pair.verdict != "undecided" or could == (TOO_FEW not in pair.flags)
        said += TOO_FEW in pair.flags
    assert said


def test_equivalence_shows_the_interval_it_rests_on() -> None:
    pair = only_pair(study_of(pair_votes("wl" * 300)), rule="fixed", margin=0.15)
    assert pair.verdict == "equivalent"
    low, high = pair.equivalence_interval
    assert -0.15 < low < 0 < high < 0.15
    assert pair.difference.low < low
    assert pair.to_dict()["equivalence_interval"] == [low, high]


def test_more_power_than_a_rule_for_every_look() -> None:
    study = study_of(pair_votes("w" * 61 + "l" * 39))
    assert only_pair(study, rule="fixed").verdict == "a"
    assert only_pair(study, rule="anytime").verdict == "undecided"


@pytest.mark.parametrize("world", [(9, 400, 100, 0.0, 0.2), (5, 150, 150, 0.8, 0.15)])
def test_a_useless_metric_changes_nothing_nor_does_one_of_a_labelled_pool(world: tuple[float, ...]) -> None:
    study = study_with_metric(*world)  # type: ignore[arg-type]
    alone, helped = only_pair(study, rule="fixed"), only_pair(study, rule="fixed", metrics=["bleu"])
    assert not helped.metric.used
    assert (helped.verdict, helped.p_value, helped.difference) == (alone.verdict, alone.p_value, alone.difference)


def test_identical_outputs_are_ties_that_nobody_is_asked_about() -> None:
    votes = pair_votes("w" * 20 + "l" * 5)
    study = study_of(votes, outputs=texts({"ant": ["one"] * 25 + ["same"] * 25, "bee": ["other"] * 25 + ["same"] * 25}))
    pair = only_pair(study, rule="fixed")
    assert (pair.items, pair.ties, pair.identical) == (50, 25, 25)
    assert pair.difference.estimate == pytest.approx(15 / 50)
    among = only_pair(study, rule="fixed", target="items")
    assert among.difference.estimate == pytest.approx(15 / 50)
    assert among.difference.low == pytest.approx(among.difference.high, abs=1e-6)  # all that differ are labelled


def documents(seed: int, drawn: int | None, unfinished: int = 0) -> Study:
    """60 documents of five items, half of them for each side throughout; `drawn` of them labelled but for the last
    `unfinished` items, None: single items, as many as those of twenty documents."""
    rng = np.random.default_rng(seed)
    items = [{"item": f"d{k // 5}-{k % 5}", "cluster": f"d{k // 5}"} for k in range(300)]
    if drawn is None:
        chosen = rng.permutation(300)[:100]
    else:
        chosen = (rng.permutation(60)[:drawn, None] * 5 + np.arange(5)).ravel()
        chosen = chosen[: chosen.size - unfinished]
    return study_of([vote(str(items[k]["item"]), "ant", "bee", "p", "ab"[k // 5 % 2]) for k in chosen], items=items)


def test_whole_documents_that_were_drawn_are_tested_as_documents() -> None:
    assert only_pair(documents(1, 20), target="items").effective_clusters == pytest.approx(20)
    # Items drawn one by one are items, whatever documents they are from.
    assert only_pair(documents(1, None), target="items").effective_clusters is None
    # By the rule that bets item by item such a draw is not what it supposes.
    with pytest.raises(UsageError, match="whole clusters are labelled: use --rule fixed"):
        compare(documents(1, 20), target="items", rule="anytime")


@pytest.mark.parametrize("people", [1, 3])
def test_a_pool_that_is_labelled_leaves_chance_no_part(people: int) -> None:
    rows = [vote(f"i{k}", "ant", "bee", f"p{who}", "aab"[(k + who) % 3]) for k in range(40) for who in range(people)]
    pair = only_pair(study_of(rows, items=[{"item": f"i{k}"} for k in range(40)]), target="items")
    assert pair.flags == ("all-labelled",)
    if people == 1:
        assert (pair.difference.low, pair.difference.high) == pytest.approx((pair.difference.estimate,) * 2)
    else:
        assert pair.difference.low < pair.difference.estimate < pair.difference.high
    assert only_pair(study_of(rows, items=[{"item": f"i{k}"} for k in range(50)]), target="items").flags == ()


def test_equal_systems_where_whole_documents_are_drawn() -> None:
    # The pool's difference is 0. Items taken one by one err four times as often as they say; one document unfinished
    # must not make items of them.
    wrong = as_items = 0
    for seed in range(200):
        study = documents(seed, 20, seed % 3)
        wrong += only_pair(study, target="items").verdict != "undecided"
        if seed % 4 == 0:
            alone = Study.from_tables(preferences=study.preferences, items=study.items.drop("cluster"))  # type: ignore[union-attr]
            as_items += only_pair(alone, target="items").verdict != "undecided"
    assert wrong <= 20  # 5% is 10, 10% would be 20
    assert as_items >= 10  # of 50


@pytest.mark.parametrize(("outcomes", "least"), [("wwwwt", 5), ("wwww", 6), ("wwtt", 5), ("wwww" + "t" * 12, 5)])
def test_ties_at_hand_let_fewer_items_agree(outcomes: str, least: int) -> None:
    """5 wins and a tie decide, 5 wins do not: whoever has the tie is not told that 6 must agree."""
    pair = only_pair(study_of(pair_votes(outcomes)))
    assert TOO_FEW in pair.flags
    ties = "t" * max(outcomes.count("t"), len(outcomes) - least)
    assert only_pair(study_of(pair_votes("w" * least + ties))).verdict == "a"
    ties = "t" * max(outcomes.count("t"), len(outcomes) - least + 1)
    assert only_pair(study_of(pair_votes("w" * (least - 1) + ties))).verdict == "undecided"


def test_a_pool_of_documents_is_bounded_by_its_labels() -> None:
    # 4 of 6 documents of 5 items are labelled: the other 10 items could all be wins, or all be losses.
    items = [{"item": f"i{k}", "cluster": f"d{k // 5}"} for k in range(30)]
    votes = [vote(f"i{k}", "ant", "bee", "p", "a" if k % 5 < 3 - (k >= 15) else "b") for k in range(20)]
    pair = only_pair(study_of(votes, items=items), rule="fixed", target="items")
    net = sum(1 if row["outcome"] == "a" else -1 for row in votes)
    assert pair.verdict == "undecided"
    assert (pair.difference.low, pair.difference.high) == pytest.approx(((net - 10) / 30, (net + 10) / 30), abs=1e-6)
    decided = [{**row, "outcome": "a"} for row in votes]
    certain = only_pair(study_of(decided, items=items), rule="fixed", target="items")
    assert certain.verdict == "a"
    assert (certain.difference.low, certain.difference.high) == pytest.approx((1 / 3, 1.0), abs=1e-6)


def test_items_that_stand_alone_beside_known_ties_get_the_test_for_items() -> None:
    """Twenty documents of two items, of which one has the same text of both systems."""
    outputs = texts({"ant": ["text", "same"] * 20, "bee": ["other", "same"] * 20})
    items = [{"item": f"i{k}", "cluster": f"doc {k // 2}"} for k in range(40)]
    pair = only_pair(study_of(pair_votes("w " * 14 + "l " * 6), items=items, outputs=outputs))
    alone = only_pair(study_of(pair_votes("w" * 14 + "t" * 20 + "l" * 6)))
    assert (pair.clusters, pair.items, pair.identical) == (None, 40, 20)
    assert pair.p_value == alone.p_value


def test_a_small_pool_that_is_labelled_whole_has_its_difference() -> None:
    pair = only_pair(study_of(pair_votes("wwl")), target="items")
    assert pair.difference.estimate == pair.difference.low == pair.difference.high == pytest.approx(1 / 3)
    assert only_pair(study_of(pair_votes("wwl"))).difference.estimate is None, "three items tell little of others"
