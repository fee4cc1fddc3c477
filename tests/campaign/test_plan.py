"""The plan: sealed orders that nobody can choose, and refusals of what the study cannot carry."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from benchmarks.worlds.small_campaigns import (
    NOW,
    answered,
    assign,
    item_names,
    open_campaign,
    open_plan,
    protocol_of,
    run,
    study_of,
)
from tests.planned_evidence import least_wins

from tiebreak.campaign import CampaignPlan, Protocol, ProtocolError, make_plan, next_tasks
from tiebreak.campaign.make_plan import plan_again, with_room_for_companions
from tiebreak.campaign.plan import TrackPlan
from tiebreak.data.settings import SystemSettings
from tiebreak.data.study import Study
from tiebreak.records import Target
from tiebreak.settings.protocol import (
    Budget,
    DecisionSettings,
    GoldTask,
    LabelSettings,
    OrderSettings,
    PairSettings,
    PeopleSettings,
)

# ---- plan --------------------------------------------------------------------------------------------------------

THREE = ("ant", "bee", "cat")


def order_of(plan: CampaignPlan, pair: int = 0) -> list[str]:
    return [plan.items[int(item)] for item in plan.tracks[pair].order]


def units_of(plan: CampaignPlan, pair: TrackPlan) -> list[list[str]]:
    return [[plan.items[int(item)] for item in pair.items(unit)] for unit in range(pair.starts.size - 1)]


def study_of_sizes(**items: range) -> Study:
    """Each system has outputs of its own items only."""
    outputs = [{"item": f"i{k:03d}", "system": name, "text": f"{name} {k}"} for name, own in items.items() for k in own]
    return Study.from_tables(outputs=outputs)


def test_pairs_of_all_systems_or_with_the_baseline() -> None:
    study = study_of(THREE)
    names = [pair.systems for pair in make_plan(Protocol(), study).tracks]
    assert names == [("ant", "bee"), ("ant", "cat"), ("bee", "cat")]
    names = [pair.systems for pair in make_plan(protocol_of(baseline="ant"), study).tracks]
    assert names == [("bee", "ant"), ("cat", "ant")]
    chosen = make_plan(protocol_of(systems=("cat", "ant")), study)
    assert [pair.systems for pair in chosen.tracks] == [("ant", "cat")]


def test_a_reference_is_in_a_campaign_where_it_is_named() -> None:
    study = study_of(("ant", "bee", "human"))
    known = replace(study.settings, systems={"human": SystemSettings(reference=True)})
    study = replace(study, settings=known)
    for asked, pairs in (
        (Protocol(), [("ant", "bee")]),
        (protocol_of(systems=("ant", "human")), [("ant", "human")]),
        (protocol_of(baseline="human"), [("ant", "human"), ("bee", "human")]),
    ):
        assert [pair.systems for pair in make_plan(asked, study).tracks] == pairs


def test_only_the_pairs_that_are_named() -> None:
    # A star around two of four systems: who names a pair, or which of its systems comes first, changes nothing else.
    study = study_of(("ant", "bee", "cat", "dog"))
    plan = make_plan(protocol_of(only_pairs=(("dog", "cat"), ("ant", "cat"))), study)
    assert [pair.systems for pair in plan.tracks] == [("ant", "cat"), ("cat", "dog")]
    assert plan.systems == ("dog", "cat", "ant"), "bee is in no pair"
    assert plan.left_out == ()
    everything = make_plan(Protocol(), study)
    number = everything.track_numbers["cat", "dog"]
    assert order_of(plan, 1) == order_of(everything, number), "the same sealed order as among all pairs"


def test_a_named_pair_that_nobody_can_be_asked_about_is_left_out_and_named() -> None:
    study = study_of_sizes(ant=range(60), bee=range(60), cat=range(60, 90))
    plan = make_plan(protocol_of(only_pairs=(("ant", "bee"), ("ant", "cat"))), study)
    assert [pair.systems for pair in plan.tracks] == [("ant", "bee")]
    assert [pair.systems for pair in plan.left_out] == [("ant", "cat")]
    with pytest.raises(ProtocolError, match=r"only_pairs .*no item has an output of both") as error:
        make_plan(protocol_of(only_pairs=(("ant", "cat"),)), study)
    assert error.value.key == "only_pairs"


def test_each_pair_and_each_seed_has_an_order_of_its_own() -> None:
    study = study_of(THREE)
    first, second = make_plan(Protocol(), study), make_plan(protocol_of(order=OrderSettings(seed=1)), study)
    orders = [order_of(plan, pair) for plan in (first, second) for pair in range(3)]
    assert all(sorted(order) == item_names(60) for order in orders)
    assert len({tuple(order) for order in orders}) == 6
    assert order_of(make_plan(Protocol(), study)) == orders[0], "the same whenever it is made"


def test_the_order_does_not_depend_on_who_is_the_baseline() -> None:
    study = study_of(THREE)
    plain = make_plan(Protocol(), study)
    turned = make_plan(protocol_of(baseline="ant"), study)
    assert (turned.tracks[0].system_a, turned.tracks[0].system_b) == ("bee", "ant")
    assert order_of(turned, 0) == order_of(plain, 0)
    assert order_of(turned, 1) == order_of(plain, 1)


def test_another_system_does_not_move_an_order() -> None:
    assert order_of(make_plan(Protocol(), study_of(THREE))) == order_of(make_plan(Protocol(), study_of(("ant", "bee"))))


def test_orders_look_random() -> None:
    """Where the first item comes, over 400 pairs of seeds: uniform, mean 9.5, standard error .29."""
    study = study_of(items=20)
    places = [
        order_of(make_plan(protocol_of(order=OrderSettings(seed=seed)), study)).index("i000") for seed in range(400)
    ]
    assert abs(np.mean(places) - 9.5) < 3 * np.sqrt((20**2 - 1) / 12 / 400)
    assert len(set(places)) == 20


def test_clusters_stay_together_for_inputs_only() -> None:
    study = study_of(items=60, cluster_size=3)
    plan = make_plan(Protocol(), study)
    (pair,) = plan.tracks
    units = units_of(plan, pair)
    assert len(units) == 20
    assert {len({int(name[1:]) // 3 for name in unit}) for unit in units} == {1}
    assert units != sorted(units)
    single = make_plan(protocol_of(decision=DecisionSettings(target="items")), study)
    assert [len(unit) for unit in units_of(single, single.tracks[0])] == [1] * 60


def test_the_listed_order() -> None:
    names = item_names(30)
    outputs = [{"item": name, "system": system, "text": system + name} for system in ("ant", "bee") for name in names]
    listed = names[::-1]
    rows = [{"item": name, "cluster": "c" if name in ("i029", "i003") else name} for name in listed]
    study = Study.from_tables(items=rows, outputs=outputs, name="listed")
    as_listed = protocol_of(order=OrderSettings("listed"), decision=DecisionSettings(target="items"))
    assert order_of(make_plan(as_listed, study)) == listed
    plan = make_plan(protocol_of(order=OrderSettings("listed")), study)
    assert order_of(plan) == ["i029", "i003", *(name for name in listed if name not in ("i029", "i003"))]
    without = make_plan(as_listed, Study.from_tables(outputs=outputs, name="unlisted"))
    assert order_of(without) == names


def test_identical_outputs() -> None:
    """For inputs they are ties at their place; for items they are left out, and shrink the scale."""
    study = study_of(items=60, identical=(3, 7, 40))
    inputs = make_plan(Protocol(), study).tracks[0]
    assert inputs.identical == 3
    assert sorted(int(item) for item in inputs.order[inputs.known]) == [3, 7, 40]
    assert [inputs.is_known(unit) for unit in range(60)] == inputs.known.tolist()
    items = make_plan(protocol_of(decision=DecisionSettings(target="items")), study)
    assert items.tracks[0].order.size == 57
    assert not items.tracks[0].known.any()
    assert items.tracks[0].identical == 3
    assert items.rule_plans[0].bets.pool_size == 57
    assert items.rule_plans[0].scale == pytest.approx(57 / 60)


def test_the_budget_of_a_pair_is_in_items_asked() -> None:
    study = study_of(items=60, identical=range(0, 60, 2))
    (pair,) = make_plan(protocol_of(budget=Budget(items_per_pair=20)), study).tracks
    assert int((~pair.known[: pair.most_units]).sum()) == 20
    assert pair.is_known(pair.most_units - 1) or not pair.is_known(pair.most_units)
    clustered = study_of(items=60, cluster_size=4)
    (pair,) = make_plan(protocol_of(budget=Budget(items_per_pair=50)), clustered).tracks
    assert pair.most_units == 12, "a cluster that would go beyond the budget is not begun"


HELPED, NINE = DecisionSettings(metrics=("bleu",)), Budget(items_per_pair=9)
BLEU = {"bleu": {"ant": range(60), "bee": range(60)}}
CLUSTERS_JUDGED = study_of(cluster_size=3, judges={"gpt": {("ant", "bee"): ["a"] * 60}})
REFUSED = [
    (Protocol(), study_of_sizes(ant=range(9), bee=range(9, 18)), "systems"),
    (protocol_of(systems=("ant", "beee")), study_of(), "systems"),
    (protocol_of(systems=("ant", "xyz")), study_of(), "systems"),
    (protocol_of(baseline="antt"), study_of(), "baseline"),
    (protocol_of(only_pairs=(("ant", "beee"),)), study_of(), "only_pairs"),
    (Protocol(), study_of(("ant",)), "systems"),
    (Protocol(), study_of(identical=range(60)), "systems"),
    (protocol_of(decision=DecisionSettings(target="items")), study_of(identical=range(60)), "systems"),
    (Protocol(), study_of(items=5), "systems"),
    (protocol_of(budget=Budget(items_per_pair=5)), study_of(), "budget.items_per_pair"),
    (protocol_of(decision=HELPED), study_of(), "decision.metrics"),
    (protocol_of(decision=DecisionSettings(judges=("gpt",))), study_of(), "decision.judges"),
    (
        protocol_of(decision=DecisionSettings(metrics=("bleu",), target="items")),
        study_of(scores={"bleu": {"ant": range(60), "bee": range(50)}}),
        "decision.metrics",
    ),
    (protocol_of(decision=HELPED), study_of(scores=BLEU), "budget.items_per_pair"),
    (protocol_of(decision=HELPED, budget=NINE), study_of(cluster_size=3, scores=BLEU), "decision.metrics"),
    (protocol_of(decision=DecisionSettings(judges=("gpt",)), budget=NINE), CLUSTERS_JUDGED, "decision.judges"),
    (
        protocol_of(decision=DecisionSettings("posterior", metrics=("bleu",))),
        study_of(cluster_size=3, scores=BLEU),
        "decision.rule",
    ),
    (protocol_of(people=PeopleSettings(gold=(GoldTask("i0000", "ant", "bee", "a"),))), study_of(), "people.gold"),
    (protocol_of(people=PeopleSettings(gold=(GoldTask("i000", "bee", "ant", "a"),))), study_of(), "people.gold"),
    (
        protocol_of(
            people=PeopleSettings(gold=(GoldTask("i000", "ant", "bee", "tie"),)), labels=LabelSettings(ties=False)
        ),
        study_of(),
        "people.gold",
    ),
    (protocol_of(budget=Budget(max_labels=10), decision=DecisionSettings(alpha=1e-6)), study_of(), "budget.max_labels"),
    (
        protocol_of(
            budget=Budget(max_money=40.0),
            labels=LabelSettings("majority", 3, price=1.0),
            decision=DecisionSettings(alpha=1e-6),
        ),
        study_of(),
        "budget.max_money",
    ),
    (
        protocol_of(budget=Budget(max_labels=100, items_per_pair=40), decision=DecisionSettings("fixed")),
        study_of(THREE),
        "budget.max_labels",
    ),
]


@pytest.mark.parametrize(("protocol", "study", "key"), REFUSED)
def test_refusals(protocol: Protocol, study: Study, key: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        make_plan(protocol, study)
    assert caught.value.key == key


def with_metric(items_per_pair: int | None, seed: int = 1) -> Protocol:
    return protocol_of(decision=HELPED, budget=Budget(items_per_pair=items_per_pair), order=OrderSettings(seed=seed))


@pytest.mark.parametrize("identical", [(), (3, 17, 40)])
def test_the_budget_that_leaves_a_metric_its_companions_is_exact(identical: tuple[int, ...]) -> None:
    """60 - 26 = 34, of which a quarter, 8, are set aside: 26 are left. Known ties among the first units are free."""
    study = study_of(identical=identical, scores=BLEU)
    chosen = with_room_for_companions(with_metric(None), study).budget.items_per_pair
    plan = make_plan(with_metric(chosen), study)
    assert chosen == 26 - sum(plan.tracks[0].known[:26].tolist())
    for more in (chosen + 1, None):
        with pytest.raises(ProtocolError, match="and 26 leave enough: lower --items-per-pair, leave --metric out"):
            make_plan(with_metric(more), study)


def test_many_pairs_have_room_for_one_budget() -> None:
    outputs = study_of(THREE, identical=()).outputs
    fewer = outputs.filter((pl.col("system") != "cat") | (pl.col("item") < "i040"))
    scores = fewer.select("item", "system", metric=pl.lit("bleu"), value=pl.int_range(pl.len()).cast(pl.Float64))
    study = Study.from_tables(outputs=fewer, scores=scores)
    assert with_room_for_companions(with_metric(None), study) == with_metric(17)  # 40 - 17 = 23, less 5
    with pytest.raises(ProtocolError, match="Of 40 items of a pair 26 may be labelled, and 17 leave enough"):
        make_plan(with_metric(26), study)


def test_a_budget_is_chosen_only_where_a_metric_takes_items_that_nobody_labels() -> None:
    study = study_of(scores=BLEU)
    for asked in (
        with_metric(9),
        protocol_of(),
        protocol_of(decision=DecisionSettings(metrics=("bleu",), target="items")),
        protocol_of(decision=DecisionSettings("posterior", metrics=("bleu",))),
    ):
        assert with_room_for_companions(asked, study) is asked
    make_plan(with_metric(17), study)


def test_known_ties_are_no_wins() -> None:
    """As many wins decide as without ties, wherever in the order the ties stand that nobody is asked about."""
    study, least = study_of(identical=range(20)), least_wins()
    for seed in range(20):
        order = OrderSettings(seed=seed)
        with pytest.raises(ProtocolError, match=rf"ant and bee {least - 1}\); .* needs {least} or more"):
            make_plan(protocol_of(budget=Budget(items_per_pair=least - 1), order=order), study)
        enough = open_campaign(protocol_of(budget=Budget(items_per_pair=least), order=order), study)
        assert run(enough, lambda _: "a").ended == "decided"
        small = Budget(max_labels=least - 1)
        with pytest.raises(ProtocolError, match=rf"ant and bee {least - 1}\); .* needs {least} or more. Raise this"):
            make_plan(protocol_of(budget=small, order=order, pairs=PairSettings(batch=1)), study)


def test_a_small_budget_says_what_it_pays_for_is_worth() -> None:
    protocol = protocol_of(budget=Budget(max_labels=12), pairs=PairSettings(batch=1))
    message = r"too few clusters of items with different outputs \(ant and bee 4\); a pair needs \d+ or more"
    with pytest.raises(ProtocolError, match=message):
        make_plan(protocol, study_of(items=60, cluster_size=3))


def test_known_ties_that_show_an_equivalence_decide() -> None:
    study = study_of(items=200, identical=range(195))
    with pytest.raises(ProtocolError, match="different outputs"):
        make_plan(protocol_of(), study)
    budget, pairs = Budget(max_labels=5), PairSettings(batch=1)
    asked = protocol_of(decision=DecisionSettings(margin=0.2), budget=budget, pairs=pairs)
    assert run(open_campaign(asked, study), lambda _: "tie").ended == "decided"


@pytest.mark.parametrize(
    ("rule", "cluster_size"),
    [("anytime", 1), ("anytime", 3), ("fixed", 1), ("fixed", 3), ("hoeffding", 1), ("dirichlet", 1)],
)
def test_what_wins_throughout_decide_is_accepted_and_nothing_else(rule: str, cluster_size: int) -> None:
    study = study_of(identical=range(0, 60, 2), cluster_size=cluster_size)
    found = set()
    for items in range(2, 30, 3):
        asked = protocol_of(decision=DecisionSettings(rule), budget=Budget(items_per_pair=items))
        decided = run(open_plan(plan_again(asked, study)), lambda _: "a").ended == "decided"
        found.add(decided)
        with nullcontext() if decided else pytest.raises(ProtocolError, match="cannot be decided"):
            make_plan(asked, study)
    assert len(found) == 2


def test_pairs_that_cannot_be_compared_are_left_out_and_named() -> None:
    texts = {"ant": "x", "bee": "y", "cat": "x", "dog": "z"}
    outputs = [
        {"item": f"i{k}", "system": name, "text": text}
        for name, text in texts.items()
        for k in (range(20, 40) if name == "dog" else range(20))
    ]
    plan = make_plan(Protocol(), Study.from_tables(outputs=outputs))
    assert [pair.systems for pair in plan.tracks] == [("ant", "bee"), ("bee", "cat")]
    assert plan.systems == ("ant", "bee", "cat")
    apart, same = "no item has an output of both", "both wrote the same text for every item"
    assert [(*pair.systems, pair.why) for pair in plan.left_out] == [
        ("ant", "cat", same), ("ant", "dog", apart), ("bee", "dog", apart), ("cat", "dog", apart),
    ]  # fmt: skip


def test_a_fixed_design_may_have_pairs_of_different_sizes() -> None:
    protocol = protocol_of(decision=DecisionSettings("fixed"), budget=Budget(max_labels=120, items_per_pair=60))
    plan = make_plan(protocol, study_of_sizes(ant=range(60), bee=range(60), cat=range(30)))
    assert [pair.most_units for pair in plan.tracks] == [60, 30, 30]


@pytest.mark.parametrize(
    ("rule", "target"),
    [("anytime", "inputs"), ("dirichlet", "inputs"), ("hoeffding", "items"), ("fixed", "inputs")],
)
def test_every_short_pair_is_named_with_what_it_needs(rule: str, target: Target) -> None:
    limit, sizes = 60 if rule == "fixed" else None, dict.fromkeys(("ant", "bee", "dog"), range(60))
    protocol = protocol_of(decision=DecisionSettings(rule, target=target), budget=Budget(items_per_pair=limit))
    with pytest.raises(ProtocolError) as caught:
        make_plan(protocol, study_of_sizes(**sizes, cat=range(2)))
    needed = int(str(caught.value).split("a pair needs ")[1].split()[0])
    make_plan(protocol, study_of_sizes(**sizes, cat=range(needed)))
    with pytest.raises(ProtocolError, match=rf"ant and cat {needed - 1},"):
        make_plan(protocol, study_of_sizes(**sizes, cat=range(needed - 1)))


def test_of_a_pool_all_wins_decide_and_part_of_it_needs_enough() -> None:
    """For a claim about these items nothing is open once all are won; with a limit, as many as the pool asks for."""
    decision = DecisionSettings(target="items")
    make_plan(protocol_of(decision=decision), study_of_sizes(ant=range(60), bee=range(60), cat=range(2)))
    with pytest.raises(ProtocolError) as caught:
        make_plan(protocol_of(decision=decision, budget=Budget(items_per_pair=3)), study_of())
    needed = int(str(caught.value).split("a pair needs ")[1].split()[0])
    make_plan(protocol_of(decision=decision, budget=Budget(items_per_pair=needed)), study_of())
    with pytest.raises(ProtocolError, match=f"a pair needs {needed} or more"):
        make_plan(protocol_of(decision=decision, budget=Budget(items_per_pair=needed - 1)), study_of())


def test_the_least_that_can_decide_is_let_through() -> None:
    """One pair at alpha .05: the first number of items that is let through is the smallest plan that wins decide."""
    least = least_wins()
    make_plan(Protocol(), study_of(items=least))
    make_plan(protocol_of(budget=Budget(items_per_pair=least)), study_of())
    with pytest.raises(ProtocolError, match=rf"ant and bee {least - 1}\); a pair needs {least} or more"):
        make_plan(Protocol(), study_of(items=least - 1))


def test_metrics_enter_by_their_size_and_judges_by_their_votes() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=60), rng.normal(size=60)
    scores = {"small": {"ant": a, "bee": b}, "large": {"ant": 1000 * b, "bee": 1000 * a}}
    study = study_of(scores=scores, judges={"gpt": {("ant", "bee"): ["a"] * 60}})
    decision = DecisionSettings(metrics=("small", "large"), judges=("gpt",), target="items")
    plan = make_plan(protocol_of(decision=decision), study)
    # The two metrics cancel, the judge says the same of all: nothing to tell items apart.
    assert np.ptp(plan.rule_plans[0].rows.means) == 0


def test_without_metrics_on_reserved_items_their_size_comes_from_elsewhere() -> None:
    """For inputs the size of a bet may not know what the labelled items score: only reserved items set the scale."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=200)
    protocol = protocol_of(decision=DecisionSettings(metrics=("m", "k")), budget=Budget(items_per_pair=40))
    base = study_of(items=200, scores={"m": {"ant": a, "bee": -a}, "k": {"ant": a**2, "bee": -a}})
    order = make_plan(protocol, base).tracks[0].order[:40]
    changed = a.copy()
    changed[order] *= 50  # only labelled items score otherwise
    other = study_of(items=200, scores={"m": {"ant": changed, "bee": -changed}, "k": {"ant": a**2, "bee": -a}})
    first, second = (make_plan(protocol, study).rule_plans[0].rows for study in (base, other))
    np.testing.assert_array_equal(first.means, second.means)


# ---- askable -----------------------------------------------------------------------------------------------------

SCORED = study_of(scores={"m": {"ant": range(60), "bee": [0] * 60}})


def asked(*numbers: int) -> dict[tuple[str, str], frozenset[str]]:
    return {("ant", "bee"): frozenset(f"i{k:03d}" for k in numbers)}


def test_items_that_nobody_can_be_asked_about_leave_the_pool() -> None:
    for target in ("inputs", "items"):
        protocol = Protocol(decision=DecisionSettings(target=target))  # type: ignore[arg-type]
        plan = make_plan(protocol, study_of(identical=(1, 50)), asked(*range(30)))
        assert set(plan.tracks[0].order) == set(range(30)) - ({1} if target == "items" else set())
        assert plan.tracks[0].identical == 1
        assert plan.tracks[0].most_units == plan.tracks[0].order.size


def test_a_metric_keeps_the_items_that_nobody_is_asked_about() -> None:
    protocol = Protocol(decision=DecisionSettings(rule="posterior", metrics=("m",)))
    plan = make_plan(protocol, SCORED, asked(*range(20)))
    assert set(plan.tracks[0].order[:20]) == set(range(20))
    assert plan.tracks[0].most_units == 20
    assert plan.tracks[0].order.size == 60
    # ant is better by the metric on all items but the first.
    assert plan.rule_plans[0].totals.tolist() == [59, 1, 0]


def test_a_claim_about_these_items_is_about_those_that_are_asked() -> None:
    protocol = Protocol(decision=DecisionSettings(target="items", metrics=("m",)))
    plan = make_plan(protocol, SCORED, asked(*range(40)))
    assert set(plan.tracks[0].order) == set(range(40))


def test_without_the_restriction_nothing_changes() -> None:
    full, same = make_plan(Protocol(), SCORED), make_plan(Protocol(), SCORED, asked(*range(60)))
    np.testing.assert_array_equal(full.tracks[0].order, same.tracks[0].order)


def test_no_item_to_ask_is_refused() -> None:
    with pytest.raises(ProtocolError, match="no item has as many labels as the labelling policy may need"):
        make_plan(Protocol(), SCORED, asked())


# ---- checks ------------------------------------------------------------------------------------------------------


def checked(golds: int, target: str = "inputs") -> Protocol:
    gold = tuple(GoldTask(f"i{k:03d}", "ant", "bee", "a") for k in range(golds))
    people = PeopleSettings(gold=gold, gold_every=2, gold_after=2, gold_share=0.6)
    return Protocol(people=people, decision=DecisionSettings(target=target))  # type: ignore[arg-type]


@pytest.mark.parametrize("target", ["inputs", "items"])
def test_a_check_is_no_evidence_of_its_pair(target: str) -> None:
    plan = make_plan(checked(3, target), study_of(THREE, 40, identical=(1,)))
    with_checks = plan.tracks[plan.track_numbers["ant", "bee"]]
    without = plan.tracks[plan.track_numbers["ant", "cat"]]
    checks = {plan.item_numbers[f"i{k:03d}"] for k in range(3)}
    assert not checks & set(with_checks.order.tolist())
    assert {plan.item_numbers["i000"], plan.item_numbers["i002"]} <= set(without.order.tolist())
    assert (with_checks.identical, without.identical) == (0, 1), "the identical outputs are an item of a check"


def test_checks_may_not_take_all_items() -> None:
    with pytest.raises(ProtocolError, match="takes every item of this pair"):
        make_plan(checked(4), study_of(THREE, 4))


def test_who_failed_stays_out_whatever_comes_later() -> None:
    """TaskAssigned after two checks: both wrong. A third, answered late and rightly, changes nothing."""
    state, tasks = assign(open_campaign(checked(5), study_of(THREE, 40)), "p", 10)
    checks = [task for task in tasks if task.gold]
    assert len(checks) == 5
    for task, outcome in zip(checks, ("b", "b", "a", "a", "a"), strict=True):
        state = answered(state, task, outcome)
    assert (state.annotators["p"].gold_right, state.annotators["p"].gold_asked) == (3, 5)
    assert state.is_excluded("p")
    assert next_tasks(state, "p", 1, NOW) == ()
    assert next_tasks(state, "q", 1, NOW)
