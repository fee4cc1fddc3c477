"""What every rule of the registry keeps to."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.rules.one_pair import judged, prepared

from tiebreak.records import MULTIPLICITIES, Multiplicity, UnitValue
from tiebreak.results.records import PaperSentence
from tiebreak.rules.registry import LINES, RULES, pair_rules, rating_rules
from tiebreak.rules.rule import ALL_COUNTED, CHANCE_RATED, Guarantee, PlanError, Units

# ---- rules ---------------------------------------------------------------------------------------------------------

CELLS, UNITS = 3, 40
MIRROR = {"a": "b", "b": "a", "equivalent": "equivalent", "undecided": "undecided"}


def values_for(name: str, seed: int = 5) -> NDArray[np.float64]:
    """Values (CELLS, UNITS), some of them leaning to a side."""
    rng = np.random.default_rng(seed)
    if RULES[name].rates:
        return rng.uniform(-1, 1, (CELLS, UNITS))
    lean = np.array([0.0, 0.4, -0.5])[:, None]
    seen = rng.normal(lean, 1.0, (CELLS, UNITS))
    return np.where(np.abs(seen) < 0.3, 0.0, np.sign(seen))


def facts_for(name: str) -> dict[str, object]:
    """A metric where one is needed."""
    outcomes = np.random.default_rng(6).choice([1.0, 0.0, -1.0], UNITS + 20)
    return {"metric_outcomes": outcomes, "batch": 7} if RULES[name].needs_metric else {"batch": 7}


@pytest.mark.parametrize("name", RULES)
def test_a_block_is_its_units_one_by_one(name: str) -> None:
    rule, plan, _ = prepared(name, UNITS, **facts_for(name))
    values = values_for(name)
    units = Units(values, values, values)
    units.for_a[1, 4], units.for_b[1, 4] = -1.0, -1.0
    lowered = Units(units.for_a.copy(), units.for_b.copy(), units.taught.copy())
    lowered.for_a[2, 9], lowered.for_b[2, 9], lowered.taught[2, 9] = -1.0, 1.0, np.nan  # nobody will label it
    together, path = rule.advance(plan, rule.start(plan, CELLS), lowered)
    state = rule.start(plan, CELLS)
    assert state.evidence.shape == path[:, 0].shape
    for unit in range(UNITS):
        one = Units(*(of[:, unit : unit + 1] for of in lowered))
        state, of_one = rule.advance(plan, state, one)
        np.testing.assert_allclose(of_one[:, 0], path[:, unit], rtol=1e-12)
        np.testing.assert_array_equal(state.evidence, of_one[:, 0])
    np.testing.assert_array_equal(together.evidence, path[:, -1])


@pytest.mark.parametrize("name", RULES)
def test_cells_do_not_know_of_each_other(name: str) -> None:
    rule, plan, _ = prepared(name, UNITS, **facts_for(name))
    values = values_for(name)
    state, first = rule.advance(plan, rule.start(plan, CELLS), Units.labelled(values[:, :15]))
    some = np.array([0, 2])
    _, path = rule.advance(plan, rule.some(state, some), Units.labelled(values[some, 15:]))
    for place, cell in enumerate(some):
        _, alone = rule.advance(plan, rule.start(plan), Units.labelled(values[cell : cell + 1]))
        np.testing.assert_allclose(np.concatenate([first[cell], path[place]]), alone[0], rtol=1e-12)


@pytest.mark.parametrize("name", pair_rules())
@pytest.mark.parametrize("margin", [None, 0.6])
def test_swapping_the_systems_mirrors_verdict_and_interval(name: str, margin: float | None) -> None:
    if margin is not None and not RULES[name].takes_margin:
        return
    facts = facts_for(name)
    back = {key: -value if isinstance(value, np.ndarray) else value for key, value in facts.items()}
    for values in values_for(name):
        one, other = judged(name, values, 0.2, margin, **facts), judged(name, -values, 0.2, margin, **back)
        assert (other.verdict, other.stopped_at) == (MIRROR[one.verdict], one.stopped_at)
        assert (other.summary.low, other.summary.high) == pytest.approx((-one.summary.high, -one.summary.low), abs=1e-3)
        assert other.summary.estimate == pytest.approx(-one.summary.estimate, abs=1e-9)


@pytest.mark.parametrize("name", pair_rules())
def test_one_look_at_the_end_or_a_first_verdict_that_stands(name: str) -> None:
    """Wins throughout are decided for a, before the end unless the rule looks there only."""
    facts = facts_for(name)
    if RULES[name].needs_metric:
        facts["metric_outcomes"] = np.ones(UNITS + 20)
    found = judged(name, np.ones(UNITS), **facts)
    assert found.verdict == "a"
    assert found.stopped_at == UNITS if RULES[name].looks == "one" else (found.stopped_at or UNITS) < UNITS
    assert found.summary.low > 0


@pytest.mark.parametrize("name", RULES)
def test_without_units_nothing_is_known(name: str) -> None:
    rule, plan, settings = prepared(name, UNITS, **facts_for(name))
    start = rule.start(plan)
    (summary,) = rule.summary([plan], [start], settings)
    assert np.isnan(summary.estimate)
    assert (summary.low, summary.high) == (-1.0, 1.0)
    assert not rule.verdicts([plan], start.evidence[:, None], settings).any()
    assert rule.decide([plan], [start], settings, 0) == {}
    assert rule.units_to_decide([plan], [start], [], settings, 0) is None
    assert str(rule.guarantee([plan], settings))


@pytest.mark.parametrize("name", RULES)
def test_what_was_seen_stands_where_an_item_is_withdrawn(name: str) -> None:
    """Evidence of all units again, of which one has become a loss for either side."""
    rule, plan, _ = prepared(name, UNITS, **facts_for(name))
    before = [UnitValue.labelled(value) for value in np.abs(values_for(name)[1]).tolist()]
    after = [UnitValue(-1.0, 1.0, before[0].taught), *before[1:]]
    seen, _ = rule.advance(plan, rule.start(plan), Units.of(before))
    found = rule.again(plan, after, seen)
    fresh, _ = rule.advance(plan, rule.start(plan), Units.of(after))
    kept = RULES[name].looks == "every" and name != "bernstein"
    expected = np.maximum(seen.evidence, fresh.evidence) if kept else fresh.evidence
    np.testing.assert_allclose(found.evidence, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "facts", "why"),
    [
        ("bernstein", {"pool_size": 50}, "on inputs like these; take width"),
        ("bernstein", {"direction": True}, "on inputs like these; take width"),
        ("bernstein", {"sizes": np.full(UNITS, 2)}, "counts single items"),
        ("width", {"metric": np.zeros(UNITS)}, "about these items only"),
        ("dirichlet", {"outcomes_only": False}, "counts single items"),
        ("posterior", {"outcomes_only": False}, "counts single items"),
        ("anytime", {"outcomes_only": False, "metric": np.zeros(UNITS)}, "cannot help where items form clusters"),
    ],
)
def test_what_a_rule_cannot_work_with(name: str, facts: dict[str, object], why: str) -> None:
    with pytest.raises(PlanError, match=why):
        prepared(name, UNITS, **facts)


# ---- registry ------------------------------------------------------------------------------------------------------


def test_rules_for_pairs_and_for_ratings_of_which_the_default_comes_first() -> None:
    assert sorted(pair_rules() + rating_rules()) == sorted(RULES)
    assert rating_rules() == ("width", "bernstein")
    assert next(iter(RULES)) == "fixed"


def test_every_rule_is_filed_under_its_name() -> None:
    for name, rule in RULES.items():
        assert rule.name == name
        assert rule.title
        assert rule.rates is (LINES[name].kind == "ratings")
        assert rule.controls_error is (LINES[name].kind == "verdicts")


def test_multiplicities_are_listed_once() -> None:
    assert get_args(Multiplicity) == MULTIPLICITIES


# ---- guarantees ----------------------------------------------------------------------------------------------------

HOLDS = Guarantee("hold for one look", "the chance of an error is at most 0.05", (CHANCE_RATED,), "Look once")


def test_a_guarantee_says_when_it_holds_on_what_condition_and_what_to_do() -> None:
    assert str(HOLDS) == (
        "hold for one look, provided that chance decided who rated which output: the chance of an error is at most "
        "0.05. Look once"
    )
    assert str(HOLDS) == f"{HOLDS.in_a_paper}. Look once"
    assert ALL_COUNTED.doubted() == ALL_COUNTED, "only a bounded chance can be doubted"
    assert HOLDS.doubted().provisos == f"{HOLDS.provisos} and that items are independent, which a warning doubts"


def test_several_conditions_are_counted_where_there_is_no_room() -> None:
    assert HOLDS.in_short == HOLDS.in_a_paper
    three = Guarantee("hold", "the chance is small", ("one", "two", "three"))
    assert three.in_a_paper == "hold, provided that one, that two and that three: the chance is small"
    assert three.in_short == "hold (3 conditions: --all): the chance is small"


def test_a_sentence_that_claims_nothing_takes_no_guarantee() -> None:
    why = Guarantee("carry no promise, because labels were lost")
    assert str(PaperSentence("Nothing was found.").under(why)) == "Nothing was found."
    found = PaperSentence("A is better than B.", HOLDS)
    assert str(found) == f"A is better than B. Verdicts {HOLDS.in_a_paper}."
    assert str(found.under(why)) == "A is better than B. Verdicts carry no promise, because labels were lost."
