from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from tiebreak.demo.records import (
    KINDS,
    Record,
    draw_distinct_records,
    draw_record,
    draw_wrong_value,
    is_consistent,
    show_value,
)
from tiebreak.demo.texts import HOUSE, MISTAKES, REFERENCE, TEMPLATES, DemoSystem, render, write_output, write_reference

CLEAN: frozenset[str] = frozenset()
TRAIN = Record(
    "train",
    {"train": 482, "destination": "Vexley", "via": "Saltmarsh", "time": "14:05", "platform": 3, "delay": 1},
)
TRAIN_TEMPLATE = (
    "Train {train} to {destination}< via {via}>, due at {time}< on platform {platform}>, [is~are] {delay} late."
)


def states(text: str, slot: str, record: Record) -> bool:
    """Whether the slot's value stands in the text as a whole word or number."""
    shown = re.escape(show_value(slot, record.slots[slot]).split(" star")[0])
    return re.search(rf"(?<![\w-]){shown}(?!\w)", text, re.IGNORECASE) is not None


def templates() -> Iterator[tuple[str, str, str]]:
    for kind, styles in TEMPLATES.items():
        for style, wordings in styles.items():
            for template in wordings:
                yield kind, style, template


def test_a_clean_text_by_hand() -> None:
    text = render(TRAIN, TRAIN_TEMPLATE, CLEAN, np.random.default_rng(0))
    assert text == "Train 482 to Vexley via Saltmarsh, due at 14:05 on platform 3, is 1 minute late."


def test_each_mistake_by_hand() -> None:
    def versions(mistake: str) -> set[str]:
        return {render(TRAIN, TRAIN_TEMPLATE, frozenset({mistake}), np.random.default_rng(s)) for s in range(40)}

    assert versions("omission") == {
        "Train 482 to Vexley, due at 14:05 on platform 3, is 1 minute late.",
        "Train 482 to Vexley via Saltmarsh, due at 14:05, is 1 minute late.",
    }
    assert versions("repetition") == {
        "Train 482 to Vexley via Saltmarsh via Saltmarsh, due at 14:05 on platform 3, is 1 minute late.",
        "Train 482 to Vexley via Saltmarsh, due at 14:05 on platform 3 on platform 3, is 1 minute late.",
    }
    assert versions("disfluency") == {
        "Train 482 to Vexley via Saltmarsh, due at 14:05 on platform 3, are 1 minute late."
    }
    clean = "Train 482 to Vexley via Saltmarsh, due at 14:05 on platform 3, is 1 minute late."
    for text in versions("wrong-fact"):
        assert sum(not states(text, slot, TRAIN) for slot in TRAIN.slots) == 1, text
        assert text != clean


def test_omission_and_repetition_fall_on_different_phrases() -> None:
    both = frozenset({"omission", "repetition"})
    texts = {render(TRAIN, TRAIN_TEMPLATE, both, np.random.default_rng(s)) for s in range(40)}
    assert texts == {
        "Train 482 to Vexley, due at 14:05 on platform 3 on platform 3, is 1 minute late.",
        "Train 482 to Vexley via Saltmarsh via Saltmarsh, due at 14:05, is 1 minute late.",
    }


@pytest.mark.parametrize(("kind", "style", "template"), list(templates()))
def test_every_template_states_every_slot_and_shows_every_mistake(kind: str, style: str, template: str) -> None:
    rng = np.random.default_rng(17)
    for record in (draw_record(kind, rng) for _ in range(25)):
        clean = render(record, template, CLEAN, rng)
        assert not re.search(r"[{}<>\[\]~]|  | [,.;]|None", clean), clean
        assert clean[0].isupper() or clean[0].isdigit()
        assert clean.endswith(".")
        assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", clean, re.IGNORECASE), clean
        assert [slot for slot in record.slots if not states(clean, slot, record)] == [], clean
        if style == REFERENCE:
            continue
        for mistake in MISTAKES:
            wrong = render(record, template, frozenset({mistake}), rng)
            assert wrong != clean, mistake
            assert not re.search(r"[{}<>\[\]~]|  | [,.;]", wrong), wrong
        texts = {render(record, template, frozenset(MISTAKES), rng) for _ in range(5)}
        assert clean not in texts


def test_every_kind_has_every_style_and_styles_differ() -> None:
    for kind in KINDS:
        assert set(TEMPLATES[kind]) == {"aspen", "birch", "cedar", "maple", HOUSE, REFERENCE}
    wordings = [template for _, _, template in templates()]
    assert len(set(wordings)) == len(wordings)


def test_one_and_minus_one_are_singular() -> None:
    assert [show_value("delay", n) for n in (1, 2)] == ["1 minute", "2 minutes"]
    assert [show_value("low", n) for n in (-2, -1, 0, 1)] == ["-2 degrees", "-1 degree", "0 degrees", "1 degree"]
    assert show_value("seats", 20) == "20"


def test_records_are_distinct_and_consistent() -> None:
    records = draw_distinct_records(5_000, np.random.default_rng(2))
    assert len({record.to_text() for record in records}) == 5_000
    assert all(is_consistent(record) for record in records)
    counts = [sum(record.kind == kind for record in records) for kind in KINDS]
    assert all(abs(count - 5_000 / 3) < 4 * np.sqrt(5_000 * 2 / 9) for count in counts)


def test_inconsistent_records_are_told() -> None:
    weather = {"place": "Vexley", "day": "Monday", "high": 12, "low": 4, "wind": "easterly", "speed": 20}
    assert is_consistent(Record("weather", {**weather, "sky": "rainy"}))
    assert not is_consistent(Record("weather", {**weather, "sky": "snowy"}))
    assert not is_consistent(Record("weather", {**weather, "sky": "rainy", "low": 13}))
    assert not is_consistent(Record("train", {**TRAIN.slots, "via": "Vexley"}))


def test_every_consistent_weather_leaves_another_value_for_each_number() -> None:
    # Exhaustive over what a forecast's parts may be: else drawing a wrong value would never end.
    skies = ("sunny", "bright", "cloudy", "overcast", "rainy", "foggy", "stormy", "snowy")
    axes = (skies, range(-2, 29), range(-8, 19), range(5, 65, 5))
    rest = {"place": "Vexley", "day": "Monday", "wind": "easterly"}
    real = {
        (sky, high, low, speed)
        for sky, high, low, speed in product(*axes)
        if is_consistent(Record("weather", {**rest, "sky": sky, "high": high, "low": low, "speed": speed}))
    }
    for axis in range(4):
        alike = Counter(point[:axis] + point[axis + 1 :] for point in real)
        assert min(alike.values()) >= 2
    assert {point[0] for point in real} == set(skies)


def test_every_slot_of_every_record_can_be_stated_wrong() -> None:
    rng = np.random.default_rng(6)
    for record in draw_distinct_records(300, rng):
        for slot, value in record.slots.items():
            wrong = draw_wrong_value(record, slot, rng)
            assert wrong != value
            assert is_consistent(Record(record.kind, {**record.slots, slot: wrong}))


def test_mistakes_come_at_the_rates_asked_and_independently() -> None:
    system = DemoSystem("maple", (0.4, 0.1, 0.25, 0.05))
    rng = np.random.default_rng(12)
    count = 8_000
    records = draw_distinct_records(count, rng)
    made = [write_output(record, system, None, rng).mistakes for record in records]
    for mistake, rate in zip(MISTAKES, system.rates, strict=True):
        share = np.mean([mistake in mistakes for mistakes in made])
        assert share == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / count)), mistake
    # Independence: P(none) = .6 * .9 * .75 * .95 = .38475.
    assert np.mean([not mistakes for mistakes in made]) == pytest.approx(0.38475, abs=4 * np.sqrt(0.24 / count))


def test_wordings_are_the_systems_own_or_the_house_wording_asked_for() -> None:
    rng = np.random.default_rng(1)
    system = DemoSystem("birch", (0.0, 0.0, 0.0, 0.0))
    house = TEMPLATES["train"][HOUSE][1]
    assert write_output(TRAIN, system, house, rng).template == house
    own = {write_output(TRAIN, system, None, rng).template for _ in range(40)}
    assert own == set(TEMPLATES["train"]["birch"])
    assert write_reference(TRAIN, rng) in {
        "Train 482, the 14:05 to Vexley via Saltmarsh, will leave from platform 3, 1 minute late.",
        "Please note that the 14:05 to Vexley (train 482, calling at Saltmarsh) is delayed by 1 minute "
        "and leaves from platform 3.",
    }
