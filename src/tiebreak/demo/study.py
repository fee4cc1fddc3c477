"""What the demo is told.

The demo study: four invented systems describe invented records, and simulated annotators compare them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiebreak.data.study import Study, StudySettings
from tiebreak.demo.records import draw_distinct_records
from tiebreak.demo.texts import MISTAKES, DemoOutput, DemoSystem, pick_house_template, write_output, write_reference
from tiebreak.demo.truth import (
    EQUAL,
    HOUSE_RATE,
    TASTE,
    DemoTruth,
    PairTruth,
    panel_outcome,
    population_differences,
    severity,
)
from tiebreak.errors import UsageError
from tiebreak.records import OUTCOME_CODES
from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.setting import Setting, setting
from tiebreak.simulate.people.workers import (
    Worker,
    assign_workers,
    draw_outcomes,
    draw_panel,
    draw_seconds,
    draw_shares,
    quality_difference,
)

MOST_ITEMS: Final = 100_000


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """Which example study is written. Raises `UsageError` for impossible values."""

    seed: int = setting(
        1, Setting("Seed of the study: another seed, another study", at_least=0, at_most=shared.LARGEST_SEED)
    )
    number_of_items: int = setting(300, Setting(shared.NUMBER_OF_ITEMS.help, at_least=1, at_most=MOST_ITEMS))

    ratings: bool = setting(False, Setting("Rate outputs and estimate means, instead of comparing outputs"))

    def __post_init__(self) -> None:
        check_settings(self)


SYSTEMS: Final = (
    DemoSystem("aspen", (0.26, 0.16, 0.14, 0.16)),
    DemoSystem("birch", (0.55, 0.38, 0.34, 0.38)),
    DemoSystem("cedar", (0.04, 0.03, 0.03, 0.04)),
    DemoSystem("maple", (0.26, 0.16, 0.14, 0.16)),
)
"""Cedar is the best, birch the worst; aspen and maple differ in style only and are equally good."""

PRICE_PER_LABEL: Final = 0.10
PANEL_SIZE: Final = 10

_START: Final = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
_OUTCOME_NAMES: Final = {code: name for name, code in OUTCOME_CODES.items()}


@dataclass(frozen=True, slots=True)
class DemoStudy:
    """A study as it would come from a labelling campaign, and what is true of it."""

    study: Study
    truth: DemoTruth


class DemoTexts(NamedTuple):
    """The texts of a demo.

    `items`: columns item, input, reference; `outputs`: per system, in the order of `items`; `quality`: the latent
    quality of each output, shape (items, systems), higher is better.
    """

    items: pl.DataFrame
    outputs: dict[str, list[DemoOutput]]
    quality: NDArray[np.float64]


def demo_study(seed: int = 1, items: int = 300, labels_per_item: int = 1) -> DemoStudy:
    """A study of four systems with labels from ten simulated annotators, and its truth.

    `items`: number of inputs, 1 to 100,000, each with one output per system and a reference.
    `labels_per_item`: labels for each of the 6 pairs on each item, each by another annotator; the panel allows
    for 5 and hardly more. The same arguments give the same study.
    Raises `UsageError` for arguments outside these ranges.
    """
    _check_arguments(seed, items, labels_per_item)
    # One stream each: more labels per item leave the texts and the panel as they were.
    text_rng, panel_rng, label_rng = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    texts = write_texts(items, text_rng)
    panel = draw_panel(PANEL_SIZE, panel_rng)
    shares = draw_shares(PANEL_SIZE, panel_rng)
    preferences = _label(texts, panel, shares, labels_per_item, label_rng)
    outputs = pl.DataFrame(
        {
            "item": [item for item in texts.items["item"] for _ in SYSTEMS],
            "system": [system.name for system in SYSTEMS] * items,
            "text": [texts.outputs[system.name][row].text for row in range(items) for system in SYSTEMS],
        }
    )
    settings = StudySettings(
        title=f"Short texts from records: the demo of tiebreak (seed {seed})",
        price_per_label=PRICE_PER_LABEL,
        currency="$",
    )
    study = Study.from_tables(
        outputs=outputs, items=texts.items, preferences=preferences, settings=settings, name="demo"
    )
    return DemoStudy(study, _truth(seed, labels_per_item, texts, panel, shares))


def write_texts(items: int, rng: np.random.Generator) -> DemoTexts:
    """Draws the records, lets every system describe each, and says how good each text is."""
    width = max(3, len(str(items)))
    records = draw_distinct_records(items, rng)
    outputs: dict[str, list[DemoOutput]] = {system.name: [] for system in SYSTEMS}
    references = []
    quality = np.empty((items, len(SYSTEMS)))
    for row, record in enumerate(records):
        references.append(write_reference(record, rng))
        house = pick_house_template(record.kind, rng)
        in_house = rng.random(len(SYSTEMS)) < HOUSE_RATE
        own_taste = rng.uniform(-TASTE, TASTE, len(SYSTEMS))
        taste = np.where(in_house, rng.uniform(-TASTE, TASTE), own_taste)
        for column, system in enumerate(SYSTEMS):
            output = write_output(record, system, house if in_house[column] else None, rng)
            outputs[system.name].append(output)
            quality[row, column] = taste[column] - severity(output.mistakes)
    table = pl.DataFrame(
        {
            "item": [f"item-{row:0{width}d}" for row in range(1, items + 1)],
            "input": [record.to_text() for record in records],
            "reference": references,
        }
    )
    return DemoTexts(table, outputs, quality)


def _label(
    texts: DemoTexts,
    panel: tuple[Worker, ...],
    shares: NDArray[np.float64],
    labels_per_item: int,
    rng: np.random.Generator,
) -> pl.DataFrame:
    """The preferences table, one row per label, in the order in which the labels were given."""
    items = texts.items["item"].to_numpy()
    names = np.array([system.name for system in SYSTEMS])
    pairs = list(combinations(range(len(SYSTEMS)), 2))
    count = items.size * labels_per_item
    row = np.tile(np.repeat(np.arange(items.size), labels_per_item), len(pairs))
    a, b = (np.repeat([pair[side] for pair in pairs], count) for side in (0, 1))
    worker = np.concatenate([assign_workers(shares, items.size, labels_per_item, rng).ravel() for _ in pairs])
    # Every system is on the left in half of a pair's labels, to within one.
    a_on_left = np.concatenate([rng.permutation((np.arange(count) + rng.integers(2)) % 2) == 0 for _ in pairs])
    difference = quality_difference(texts.quality[row, a], texts.quality[row, b])
    outcome = np.empty(row.size, dtype=np.int8)
    seconds = np.empty(row.size)
    finished = np.empty(row.size)
    for index, person in enumerate(panel):
        # Each person takes the labels asked of them in random order, one after the other.
        turn = rng.permutation(np.flatnonzero(worker == index))
        outcome[turn] = draw_outcomes(person, difference[turn], a_on_left[turn], rng)
        seconds[turn] = draw_seconds(person, turn.size, rng)
        finished[turn] = rng.uniform(0, 600) + np.cumsum(seconds[turn])
    order = np.argsort(finished, kind="stable")
    times = [(_START + timedelta(seconds=int(after))).isoformat() for after in finished[order]]
    return pl.DataFrame(
        {
            "item": items[row[order]],
            "system_a": names[a[order]],
            "system_b": names[b[order]],
            "annotator": [f"w{index + 1:02d}" for index in worker[order]],
            "outcome": [_OUTCOME_NAMES[int(code)] for code in outcome[order]],
            "left": np.where(a_on_left, names[a], names[b])[order],
            "seconds": seconds[order],
            "decided_at": times,
        }
    )


def _truth(
    seed: int,
    labels_per_item: int,
    texts: DemoTexts,
    panel: tuple[Worker, ...],
    shares: NDArray[np.float64],
) -> DemoTruth:
    on_inputs = population_differences(SYSTEMS, panel, shares)
    pairs = []
    for (column_a, a), (column_b, b) in combinations(enumerate(SYSTEMS), 2):
        latent = quality_difference(texts.quality[:, column_a], texts.quality[:, column_b])
        difference = on_inputs[a.name, b.name]
        better = EQUAL if difference == 0 else a.name if difference > 0 else b.name
        on_items = float(panel_outcome(panel, shares, latent).mean())
        pairs.append(PairTruth(a.name, b.name, difference, on_items, better))
    return DemoTruth(
        seed=seed,
        items=texts.items.height,
        labels_per_item=labels_per_item,
        pairs=tuple(pairs),
        mistake_rates={system.name: dict(zip(MISTAKES, system.rates, strict=True)) for system in SYSTEMS},
    )


def check_size(seed: int, items: int) -> None:
    """UsageError for a seed below 0, or another number of items than 1 to 100,000."""
    if seed < 0:
        raise UsageError(f"seed must be 0 or more, not {seed}")
    if not 1 <= items <= MOST_ITEMS:
        raise UsageError(f"items must be from 1 to {MOST_ITEMS:,}, not {items}")


def _check_arguments(seed: int, items: int, labels_per_item: int) -> None:
    check_size(seed, items)
    if labels_per_item < 1:
        raise UsageError(f"labels_per_item must be 1 or more, not {labels_per_item}")
