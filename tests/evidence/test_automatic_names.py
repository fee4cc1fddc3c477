"""What is said of metrics and judges that are named where they cannot help, or left out as they learned from labels."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.signed_studies import JUDGE
from tests.small_studies import Row, answer, pair_votes, rating, scored, study_of, vote

from tiebreak.auditing.audit import audit, audit_with
from tiebreak.campaign import Protocol, ProtocolError
from tiebreak.campaign.make_plan import make_plan
from tiebreak.checks.study_check import check
from tiebreak.comparison.compare import compare
from tiebreak.data.provenance import LABELLED_ITEMS, keys_of_items
from tiebreak.data.study import Study
from tiebreak.errors import TiebreakError, UsageError
from tiebreak.estimation.estimate import estimate
from tiebreak.live.folder import study_for
from tiebreak.messages.tables import LEARNED_FROM
from tiebreak.ranking.rank import rank
from tiebreak.results.settings import AuditSettings
from tiebreak.settings.protocol import DecisionSettings

# ---- named ---------------------------------------------------------------------------------------------------------

ITEMS = tuple(f"q{number}" for number in range(9))
FEW = ITEMS[:4]
"""The items with labels of B and C."""


def judged(judge: str, pair: str, signature: str | None = None) -> list[Row]:
    return [answer(item, *pair, "a", judge=judge) | {"signature": signature} for item in ITEMS]


@pytest.fixture
def study() -> Study:
    """People labelled A and B on nine items, and B and C on four. `other` judged both pairs, `far` A and B alone, as
    did `learned`; `seen` judged B and C. Both of these learned from all labels. The metric `m` scored all systems,
    `m-a` A alone.
    """
    votes = [vote(item, "A", "B", "ann", "a") for item in ITEMS] + [vote(item, "B", "C", "ann", "a") for item in FEW]
    made = Study.from_tables(
        items=[{"item": item, "input": f"What of {item}?"} for item in ITEMS],
        outputs=[{"item": item, "system": name, "text": f"{name} on {item}"} for item in ITEMS for name in "ABC"],
        preferences=votes,
        judge_preferences=[
            *judged("other", "AB"), *judged("other", "BC"), *judged("far", "AB"),
            *judged("learned", "BA", JUDGE), *judged("seen", "BC", JUDGE),
        ],
        scores=[
            {"item": item, "system": name, "metric": metric, "value": k + len(metric)}
            for k, item in enumerate(ITEMS) for metric, names in (("m", "ABC"), ("m-a", "A")) for name in names
        ],
    )  # fmt: skip
    keys = keys_of_items(made.outputs, made.items)
    hashes = sorted(key for item in ITEMS for key in keys[item])
    return made.with_signatures({JUDGE: {"kind": "evaluator", LABELLED_ITEMS: hashes}})


def planned(study: Study, judge: str) -> object:
    protocol = Protocol(only_pairs=(("B", "C"),), decision=DecisionSettings(judges=(judge,)))
    return make_plan(protocol, study_for(protocol, study))


BC = ("B", "C")


@pytest.mark.parametrize(
    ("said", "ask"),
    [
        ("'far' judged none", lambda study: compare(study, systems=BC, judges=("far",), rule="anytime")),
        ("'far' judged none", lambda study: audit_with(study, AuditSettings(systems=BC, judges=("far",)))),
        ("'far' judged none", lambda study: rank(study, systems=BC, sources=("judge:far",))),
        ("'far' judged none", lambda study: planned(study, "far")),
        ("'m-a' scored none", lambda study: compare(study, systems=BC, metrics=("m-a",), rule="anytime")),
        ("'m-a' scored none", lambda study: audit_with(study, AuditSettings(systems=BC, metrics=("m-a",)))),
    ],
)
def test_a_source_of_other_pairs_is_said_to_be_one(study: Study, said: str, ask: Callable[[Study], object]) -> None:
    with pytest.raises(UsageError, match=said) as error:
        ask(study)
    assert isinstance(error.value, ProtocolError) == str(error.value).startswith("decision.judges")


def warned(found: object) -> list[str]:
    return [notice.text for notice in found.warnings if notice.code == LEARNED_FROM.code]  # type: ignore[attr-defined]


def test_only_what_was_asked_for_is_warned_of_with_the_items_compared(study: Study) -> None:
    learned_from = [notice.details["name"] for notice in study.notices if notice.code == LEARNED_FROM.code]
    assert learned_from == ["learned", "seen"]
    assert warned(compare(study)) == []
    assert warned(compare(study, judges=("other",), rule="anytime")) == []
    learned, seen = warned(compare(study, judges=("all",), rule="anytime"))
    assert ("'learned'" in learned, "'seen'" in seen) == (True, True)
    with pytest.raises(TiebreakError, match="the judge 'seen' is left out on all 9 items"):
        compare(study, systems=BC, judges=("seen",), rule="anytime")
    assert warned(rank(study)) == warned(rank(study, sources=("judge:other",))) == []
    assert warned(rank(study, sources=("judges",))) == [learned, seen]
    assert warned(audit_with(study, AuditSettings(judges=("other",)))) == []
    assert warned(audit_with(study, AuditSettings())) == [learned, seen]


def test_an_estimate_is_warned_of_metrics_that_it_would_show_and_of_no_judge(study: Study) -> None:
    ratings = [rating(item, name, "ann", k % 3, "c") for k, item in enumerate(ITEMS) for name in "ABC"]
    made = Study.from_tables(
        items=study.items,
        outputs=study.outputs,
        ratings=ratings,
        judge_preferences=study.judge_preferences,
        scores=[
            {"item": item, "system": name, "metric": metric, "value": k, "signature": signature}
            for k, item in enumerate(ITEMS) for name in "ABC" for metric, signature in (("m", None), ("points", JUDGE))
        ],
    ).with_signatures(study.signatures)  # fmt: skip
    (points,) = warned(estimate(made))
    assert warned(estimate(made, metrics=("all",))) == [points]
    assert warned(estimate(made, metrics=("m",))) == []


# ---- validated -----------------------------------------------------------------------------------------------------
# Whether people labelled anything that a source judged: by tables alone as by an audit.

RATED = [rating("i0", "ant", "p", 3), rating("i0", "bee", "p", 4), rating("i0", "ant", "q", 2)]
APART = [rating("i0", "ant", "p", 3), rating("i0", "bee", "q", 4)]
JUDGED = [answer("i0", "bee", "ant", "a")]


def of_sample(sample: str) -> list[Row]:
    return [vote("i0", "ant", "bee", "p", "a") | {"sample_a": sample}]


def judged_sample(sample: str) -> list[Row]:
    return [answer("i0", "bee", "ant", "a") | {"sample_b": sample}]


def scores(items: int, criterion: str | None = None) -> list[Row]:
    return scored({"ant": [1] * items, "bee": [2] * items}, criterion=criterion)


@pytest.mark.parametrize(
    ("study", "validated"),
    [
        (study_of(pair_votes("w"), judge_preferences=JUDGED), True),
        (study_of(pair_votes(" w"), judge_preferences=JUDGED), False),
        (study_of([vote("i0", "ant", "cat", "p", "a")], judge_preferences=JUDGED), False),
        (study_of(pair_votes("w"), judge_preferences=[answer("i0", "bee", "ant", None)]), False),
        (study_of(pair_votes("w", criterion="style"), judge_preferences=JUDGED), True),
        (study_of(pair_votes("w"), judge_preferences=[answer("i0", "ant", "bee", "a", criterion="style")]), False),
        (study_of(ratings=RATED, judge_preferences=JUDGED), True),
        (study_of(ratings=APART, judge_preferences=JUDGED), False),
        (study_of(pair_votes("w"), scores=scores(1)), True),
        (study_of(pair_votes(" w"), scores=scores(1)), False),
        (study_of(pair_votes("w"), scores=scores(1)[:1]), False),
        (study_of(pair_votes("w", criterion="style"), scores=scores(1, "fluency")), False),
        (study_of(ratings=RATED, scores=scores(1)), True),
        (study_of(ratings=RATED, scores=scores(1)[:1]), False),
        (study_of(ratings=APART, scores=scores(1)), False),
        (study_of(of_sample("1"), judge_preferences=judged_sample("1")), True),
        (study_of(of_sample("1") + of_sample("2"), judge_preferences=judged_sample("3")), False),
        (study_of(of_sample("1"), judge_preferences=JUDGED), True),
    ],
)
def test_check_and_audit_say_the_same(study: Study, validated: bool) -> None:
    held = check(study).holds
    (source,) = (*held.judges, *held.metrics)
    assert source.validated is validated
    (found,) = audit(study).results
    assert found.validated is validated


def test_what_decides_alone_is_unvalidated_where_people_labelled_none_of_it() -> None:
    study = study_of(pair_votes("ww"), judge_preferences=[answer("i2", "ant", "bee", "a")], scores=scores(1))
    alone = compare(study, human=False, judges=["gpt"], metrics=["all"]).warnings
    assert [of.details["names"] for of in alone if of.code == "unvalidated"] == [["gpt"]]
    assert "unvalidated" not in [of.code for of in compare(study, human=False, metrics=["bleu"]).warnings]
    assert "unvalidated" not in [of.code for of in compare(study, judges=["gpt"]).warnings]  # the words on it say so
