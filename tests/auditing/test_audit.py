"""The whole audit: what does not change it, who is unvalidated, and data from which little follows."""

from __future__ import annotations

import json

import pytest
from tests.auditing.judged_studies import judged, only_source, outputs_of
from tests.small_studies import Row, pair_votes, scored, study_of, vote

from tiebreak.auditing.audit import audit
from tiebreak.data.study import Study
from tiebreak.errors import InputError, UsageError
from tiebreak.messages.audit import dependence_words

PAIRS = (("ant", "bee"), ("ant", "cat"), ("bee", "cat"))


def tables() -> dict[str, list[Row]]:
    """Three systems, two people, two orders, texts."""
    people = ("wwltlwlwtlww", "wlltlwwwtlwl", "tlltwwlwtlwl")
    judge = ("wwllwwlwtlww", "wwltlwwlt-ww", "tlltlwlwwwwl")
    votes = [row for codes, pair in zip(people, PAIRS, strict=True) for row in pair_votes(codes, *pair)]
    votes += [vote(f"i{k}", "ant", "bee", "bob", "ab"[k % 2]) for k in range(12)]
    replies = [
        row
        for shown, said in enumerate((judge, people))
        for codes, pair in zip(said, PAIRS, strict=True)
        for row in judged(codes, left=pair[shown], pair=pair)
    ]
    names = ("ant", "bee", "cat")
    texts = {name: [f"- {'word ' * ((7 * k + j) % 9)}" for k in range(12)] for j, name in enumerate(names)}
    items = [{"item": f"i{k}", "domain": "xy"[k % 2]} for k in range(12)]
    return {"preferences": votes, "judge_preferences": replies, "outputs": outputs_of(texts), "items": items}


def document(given: dict[str, list[Row]], **options: object) -> dict[str, object]:
    found = audit(Study.from_tables(**given), group="domain", **options).to_dict()  # type: ignore[arg-type]
    return json.loads(json.dumps(found, allow_nan=False))


def test_the_order_of_rows_does_not_matter() -> None:
    given = tables()
    turned = {name: rows[::-1] for name, rows in given.items()}
    assert document(turned) == document(given)


def test_nor_does_which_system_is_named_first() -> None:
    given = tables()

    def swapped(row: Row) -> Row:
        outcome = {"a": "b", "b": "a"}.get(str(row["outcome"]), row["outcome"])
        return row | {"system_a": row["system_b"], "system_b": row["system_a"], "outcome": outcome}

    turned = given | {name: [swapped(row) for row in given[name]] for name in ("preferences", "judge_preferences")}
    assert document(turned) == document(given)


def test_other_names_of_systems_change_names_only() -> None:
    given, names = tables(), {"ant": "zoe", "bee": "yak", "cat": "xen"}  # in the opposite order

    def renamed(row: Row) -> Row:
        return {key: names.get(str(value), value) if key != "text" else value for key, value in row.items()}

    one = audit(Study.from_tables(**given)).results[0]
    turned = {name: [renamed(row) for row in rows] for name, rows in given.items()}
    other = audit(Study.from_tables(**turned)).results[0]
    assert other.agreement.all == one.agreement.all
    assert other.agreement.kappa.value == pytest.approx(one.agreement.kappa.value)
    assert other.agreement.recall == one.agreement.recall[::-1]
    assert other.confusion == tuple(row[::-1] for row in one.confusion[::-1])
    assert other.orders == one.orders
    effects = {(of.check, names.get(of.name or "", of.name)): of.effect.value for of in one.dependence}
    assert {(of.check, of.name): of.effect.value for of in other.dependence} == pytest.approx(effects)
    rates = {(names[of.system_b], names[of.system_a]): 1 - (of.outcomes.by_source.value or 0) for of in one.pairs}
    assert {(of.system_a, of.system_b): of.outcomes.by_source.value for of in other.pairs} == pytest.approx(rates)


def test_checks_of_all_sources_share_one_level() -> None:
    given = tables()
    one = document(given)
    given["judge_preferences"] += [row | {"judge": "other"} for row in given["judge_preferences"]]
    both = document(given)
    assert both["checks"] == 2 * one["checks"]  # type: ignore[operator]

    def width(found: dict[str, object]) -> float:
        first = found["results"][0]["dependence"][1]["effect"]  # type: ignore[index]
        return first["high"] - first["low"]

    assert width(both) > width(one)


def test_unvalidated() -> None:
    nobody = only_source(study_of(outputs=outputs_of({"ant": ["x"], "bee": ["y"]}), judge_preferences=judged("w")))
    assert not nobody.validated
    elsewhere = only_source(study_of(pair_votes("   ww"), judge_preferences=judged("ww")))
    assert not elsewhere.validated
    other = [row | {"criterion": "fluency"} for row in judged("ww")]
    (found,) = audit(study_of(pair_votes("ww", criterion="style"), judge_preferences=other)).results
    assert (found.criterion, found.validated) == ("fluency", False)
    unread = only_source(study_of(pair_votes("ww"), judge_preferences=judged("--")))
    assert (unread.validated, unread.unscored, unread.unjudged) == (False, 2, 2)


def test_metrics_and_judges_by_name() -> None:
    study = study_of(
        pair_votes("wlwl"),
        judge_preferences=judged("wlww", "x") + judged("wlww", "y"),
        scores=scored({"ant": [1, 2, 3, 4], "bee": [2, 1, 1, 1]}),
    )
    assert [found.name for found in audit(study).results] == ["x", "y", "bleu"]
    assert [found.name for found in audit(study, judges=["y"]).results] == ["y"]
    assert [found.name for found in audit(study, judges="all", metrics=["bleu"]).results] == ["x", "y", "bleu"]
    with pytest.raises(UsageError, match="no metric 'blue': did you mean bleu"):
        audit(study, metrics=["blue"])
    with pytest.raises(UsageError, match="bleu rated single outputs, which makes it a metric: --metric bleu"):
        audit(study, judges=["bleu"])
    with pytest.raises(UsageError, match="x compared two outputs at a time, which makes it a judge: --judge x"):
        audit(study, metrics=["x"])
    with pytest.raises(UsageError, match="no criterion 'style'"):
        audit(study, criteria=["style"])
    with pytest.raises(InputError, match="no judge and no metric to audit: add a table judge_preferences"):
        audit(study_of(pair_votes("wl")))


def test_what_is_said_on_no_criterion_serves_those_that_people_labelled() -> None:
    rows = judged("ww", "x") + [row | {"criterion": "fluency"} for row in judged("ww", "y")]
    found = audit(study_of(pair_votes("ww", criterion="style"), judge_preferences=rows)).results
    assert [(of.name, of.criterion, of.validated) for of in found] == [("x", "style", True), ("y", "fluency", False)]


@pytest.mark.parametrize("column", ["nothing", "input", "item"])
def test_groups_that_are_none(column: str) -> None:
    items = [{"item": f"i{k}", "input": f"text {k}"} for k in range(30)]
    study = study_of(pair_votes("w" * 30), judge_preferences=judged("w" * 30), items=items)
    with pytest.raises(UsageError, match=r"column of items|has 30 groups: name a column of items with 2 to 20"):
        audit(study, group=column)


@pytest.mark.parametrize(
    ("people", "judge"),
    [("w", "w"), ("w" * 12, "w" * 12), ("t" * 12, "t" * 12), ("wlt" * 4, "t" * 12), ("t" * 12, "wl" * 6)],
)
def test_little_follows_from_little(people: str, judge: str) -> None:
    study = study_of(pair_votes(people), judge_preferences=judged(judge))
    found = only_source(study)
    json.dumps(found.to_dict(), allow_nan=False)
    assert all("nan" not in text and "inf" not in text for text in dependence_words(found))
    if people == judge and len(set(people)) == 1:
        assert found.agreement.kappa.value is None
    if set(judge) == {"t"} and set(people) != {"t"}:
        assert found.agreement.kappa.value == 0
        assert found.agreement.kappa.low is None
        assert not any(of.shown for of in found.dependence)


def test_one_item_has_figures_and_no_intervals() -> None:
    votes = [row for pair in PAIRS for row in pair_votes("w", *pair)]
    replies = [row for code, pair in zip("wlw", PAIRS, strict=True) for row in judged(code, pair=pair)]
    found = only_source(study_of(votes, judge_preferences=replies))
    assert found.agreement.all.value == pytest.approx(2 / 3)
    assert (found.agreement.all.low, found.agreement.kappa.low) == (None, None)


def test_a_constant_metric_ties_everywhere() -> None:
    study = study_of(pair_votes("wltwltwltwlt"), scores=scored({"ant": [1] * 12, "bee": [1] * 12}))
    found = only_source(study)
    assert found.confusion == ((0, 0, 0), (4, 4, 4), (0, 0, 0))
    (pair,) = found.pairs
    assert not pair.outcomes.uses_source
    assert pair.outcomes.by_source.value == 0.5
