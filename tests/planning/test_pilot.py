from __future__ import annotations

import pytest
from tests.small_studies import rating

from tiebreak.data.study import Study, StudySettings
from tiebreak.data.systems import SystemSettings
from tiebreak.errors import UsageError
from tiebreak.planning.pilot import PilotPair, read_pilot


def preferences(**others: object) -> list[dict[str, object]]:
    rows = [
        # item 1: two people for x; item 2: one for x, one tie; item 3: one for y (asked the other way round)
        {"item": "1", "system_a": "x", "system_b": "y", "annotator": "p", "outcome": "a", "seconds": 10.0},
        {"item": "1", "system_a": "x", "system_b": "y", "annotator": "q", "outcome": "a", "seconds": 20.0},
        {"item": "2", "system_a": "x", "system_b": "y", "annotator": "p", "outcome": "a", "seconds": 30.0},
        {"item": "2", "system_a": "x", "system_b": "y", "annotator": "q", "outcome": "tie", "seconds": 40.0},
        {"item": "3", "system_a": "y", "system_b": "x", "annotator": "p", "outcome": "a", "seconds": 60.0},
    ]
    return [row | others for row in rows]


def test_a_pilot_by_hand() -> None:
    settings = StudySettings(price_per_label=0.25, currency="€")
    study = Study.from_tables(preferences=preferences(), settings=settings, name="small")
    pilot = read_pilot(study, None, None)
    assert pilot.pairs == (PilotPair("x", "y", 1.5, 0.5, 1.0),)
    assert pilot.pairs[0].items == 3
    assert (pilot.seconds, pilot.price, pilot.currency, pilot.systems) == (30.0, 0.25, "€", ("x", "y"))
    assert pilot.ties == pytest.approx(0.5 / 3)
    # Four labels with a partner, 1 1 and 1 0: observed disagreement 2 * 1 / 4, expected 2 * 3 * 1 / (4 * 3) = 1/2.
    assert pilot.agreement == pytest.approx(0.0)


def test_clusters_of_a_pilot_are_named() -> None:
    items = [{"item": "1", "cluster": "d"}, {"item": "2", "cluster": "d"}, {"item": "3", "cluster": "e"}]
    study = Study.from_tables(preferences=preferences(), items=items, name="small")
    assert read_pilot(study, None, None).items_a_cluster == 1.5
    assert read_pilot(Study.from_tables(preferences=preferences(), name="small"), None, None).items_a_cluster is None


def test_a_baseline_turns_the_pair_round() -> None:
    study = Study.from_tables(preferences=preferences(), name="small")
    (pair,) = read_pilot(study, None, "x").pairs
    assert (pair.system_a, pair.system_b, pair.wins, pair.losses) == ("y", "x", 1.0, 1.5)
    with pytest.raises(UsageError, match="no system 'z'"):
        read_pilot(study, None, "z")


def test_ratings_are_a_pilot_too() -> None:
    ratings = [
        {"item": str(item), "system": system, "annotator": "p", "criterion": "fluency", "value": value}
        for item, values in enumerate([(3, 2), (2, 2), (1, 4), (5, 1)])
        for system, value in zip("xy", values, strict=True)
    ]
    pilot = read_pilot(Study.from_tables(ratings=ratings, name="rated"), None, None)
    assert pilot.pairs == (PilotPair("x", "y", 2.0, 1.0, 1.0),)
    assert pilot.agreement is None
    assert pilot.seconds is None
    close = read_pilot(Study.from_tables(ratings=ratings, name="rated"), "fluency", None, tie_threshold=1.0)
    assert close.pairs == (PilotPair("x", "y", 1.0, 2.0, 1.0),)


def test_what_is_no_pilot() -> None:
    two = [*preferences(criterion="a"), *preferences(criterion="b")]
    study = Study.from_tables(preferences=two, name="two")
    with pytest.raises(UsageError, match="--criterion: a, b"):
        read_pilot(study, None, None)
    with pytest.raises(UsageError, match="no criterion 'c'"):
        read_pilot(study, "c", None)
    assert read_pilot(study, "b", None).criterion == "b"
    outputs = [{"item": "1", "system": "x", "text": "t"}]
    with pytest.raises(UsageError, match="no human labels"):
        read_pilot(Study.from_tables(outputs=outputs, name="bare"), None, None)


def test_differences_are_as_uncertain_as_the_pilot() -> None:
    drawn = PilotPair("x", "y", 60.0, 20.0, 20.0).likely_differences(2_000)
    # Dir(61, 21, 21): mean (61 - 21)/103; variance ((61 + 21)/103 - mean^2)/104.
    mean = 40 / 103
    assert drawn.mean() == pytest.approx(mean, abs=0.003)
    assert drawn.var() == pytest.approx((82 / 103 - mean**2) / 104, rel=0.05)


def test_systems_that_nobody_labelled_cost_nothing_references_among_them() -> None:
    outputs = [{"item": item, "system": name, "text": f"{name} {item}"} for item in "123" for name in ("x", "y", "h")]
    settings = StudySettings(systems={"h": SystemSettings(reference=True)})
    study = Study.from_tables(preferences=preferences(), outputs=outputs, settings=settings, name="small")
    assert read_pilot(study, None, None).systems == ("x", "y")


def test_agreement_of_ratings_is_that_of_what_each_person_prefers() -> None:
    """Two people rate both outputs of 60 items; the second prefers as the first does, or has no preference."""

    def agreement(*, same: bool) -> float | None:
        rows = []
        for k in range(60):
            for person, sign in (("p", 1), ("q", int(same))):
                rows += [rating(f"i{k}", "ant", person, 3 + sign * (k % 3 - 1)), rating(f"i{k}", "bee", person, 3)]
        return read_pilot(Study.from_tables(ratings=rows), None, None).agreement

    assert agreement(same=True) == 0.9, "the most that is taken"
    assert agreement(same=False) == pytest.approx(0, abs=0.1)
