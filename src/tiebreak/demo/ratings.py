"""The demo with ratings: a quarter of the outputs rated by two people each, a metric of all, and the true means."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr

from tiebreak.data.study import Study, StudySettings
from tiebreak.demo.study import SYSTEMS, DemoTexts, check_size, write_texts

Floats = NDArray[np.float64]

CRITERION: Final = "overall"
MODEL: Final = "llm"
SCALE: Final = (1, 5)

_PEOPLE = 10
_PER_ITEM = 2
_SHARE_RATED = 0.25
_FLAWLESS = 4.6  # the mean rating of a text without a mistake
_PER_QUALITY = 1.3
_SEVERITY = 0.3
_NOISE = 0.55
_NOISE_OF_MODEL = 0.15
_ITEMS_OF_TRUTH = 4_000


@dataclass(frozen=True, slots=True)
class DemoRatings:
    """A study with ratings, and the mean rating of each system that its people would give to inputs like these."""

    study: Study
    means: dict[str, float]


def demo_ratings(seed: int = 1, items: int = 300) -> DemoRatings:
    """Four systems, `items` inputs (1 to 100,000), ratings from 1 to 5 of a quarter of them, at least one.

    Each of these is rated by two of ten people, all of its outputs by the same two. People are unequally severe, and
    read with noise. Metrics of all outputs: `overlap` with the reference, in words, the number of `words`, and `llm`,
    what a simulated language model thinks of the output. The same arguments give the same study.

    Raises:
        UsageError: arguments outside these ranges.
    """
    check_size(seed, items)
    text_rng, people_rng, rating_rng, model_rng, truth_rng = (
        np.random.default_rng(stream) for stream in np.random.SeedSequence([seed, 4]).spawn(5)
    )
    texts, severity = write_texts(items, text_rng), people_rng.normal(0, _SEVERITY, _PEOPLE)
    names, rated = [system.name for system in SYSTEMS], max(1, round(_SHARE_RATED * items))
    study = Study.from_tables(
        items=texts.items,
        outputs=pl.DataFrame(_outputs(texts)),
        ratings=_ratings(texts, severity, rated, rating_rng),
        scores=_scores(texts, model_rng),
        settings=StudySettings(
            title=f"Short texts from records, rated: the demo of tiebreak (seed {seed})",
            price_per_label=0.1,
            scale={CRITERION: SCALE},
            higher_is_better={"overlap": True, MODEL: True},
        ),
        name="demo",
    )
    population = write_texts(_ITEMS_OF_TRUTH, truth_rng).quality
    return DemoRatings(study, dict(zip(names, _expected(population, severity).mean(axis=0).tolist(), strict=True)))


def _liking(quality: Floats) -> Floats:
    return _FLAWLESS + _PER_QUALITY * quality


def _ratings(texts: DemoTexts, severity: Floats, rated: int, rng: np.random.Generator) -> pl.DataFrame:
    rows = np.sort(rng.permutation(texts.items.height)[:rated])
    people = np.stack([rng.permutation(_PEOPLE)[:_PER_ITEM] for _ in rows])
    row, person = np.repeat(rows, _PER_ITEM), people.ravel()
    felt = _liking(texts.quality[row]) - severity[person, None] + _NOISE * rng.normal(size=(row.size, len(SYSTEMS)))
    values = np.clip(np.rint(felt), *SCALE)
    return pl.DataFrame(
        {
            "item": np.repeat(texts.items["item"].to_numpy()[row], len(SYSTEMS)),
            "system": [system.name for _ in row for system in SYSTEMS],
            "annotator": [f"w{number + 1:02d}" for number in person for _ in SYSTEMS],
            "criterion": CRITERION,
            "value": values.ravel(),
        }
    )


def _expected(quality: Floats, severity: Floats) -> Floats:
    """The mean rating (n, systems) over people and noise: 1 and the chances of at least 2, 3, 4 and 5."""
    likings = _liking(quality)[..., None] - severity
    steps = np.arange(SCALE[0], SCALE[1]) + 0.5
    return np.asarray(SCALE[0] + sum(ndtr((likings - step) / _NOISE) for step in steps).mean(axis=-1))


def _outputs(texts: DemoTexts) -> list[dict[str, str]]:
    return [
        {"item": item, "system": system.name, "text": texts.outputs[system.name][row].text}
        for row, item in enumerate(texts.items["item"])
        for system in SYSTEMS
    ]


def _scores(texts: DemoTexts, rng: np.random.Generator) -> pl.DataFrame:
    references = [reference.split() for reference in texts.items["reference"]]
    thought = texts.quality + _NOISE_OF_MODEL * rng.normal(size=texts.quality.shape)
    rows = []
    for column, system in enumerate(SYSTEMS):
        for row, (item, output) in enumerate(zip(texts.items["item"], texts.outputs[system.name], strict=True)):
            words = output.text.split()
            values = {"overlap": _overlap(words, references[row]), "words": len(words), MODEL: thought[row, column]}
            rows += [
                {"item": item, "system": system.name, "metric": metric, "value": float(value)}
                for metric, value in values.items()
            ]
    return pl.DataFrame(rows)


def _overlap(words: list[str], reference: list[str]) -> float:
    """Words in common, twice over the words of both, in [0, 1]."""
    common = (Counter(words) & Counter(reference)).total()
    return 2 * common / max(len(words) + len(reference), 1)
