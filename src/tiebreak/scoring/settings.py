"""What metrics and judges `score` runs, and how. The options of the command are made from these records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
from tiebreak.settings.judge import INPUT_PRICE, OUTPUT_PRICE
from tiebreak.settings.setting import Setting, setting

ReferenceSource = Literal["reference", "context", "input"]
REFERENCE_SOURCES: Final[tuple[ReferenceSource, ...]] = get_args(ReferenceSource)

METRICS: Final = Setting("Metric to compute, such as chrf or ppl=perplexity:MODEL", option="metric", metavar="NAME")
REFERENCE_FROM: Final = Setting("What outputs are held against", choices=REFERENCE_SOURCES)
PREPARE: Final = Setting(
    "What is done to texts first: detokenise, true-case, mark-unknown, cut=WORDS", metavar="A,B,...", listed=True
)
OVERWRITE: Final = Setting(
    "Replace scores and judgements of the same name that were made otherwise", flags="--overwrite"
)
DASK: Final = Setting("Dask cluster that does the work: the address of its scheduler, or local", metavar="ADDRESS")


def list_names(record: Any, *names: str) -> None:
    """Make tuples of settings that are lists of names; one name is a list of one, not of its letters."""
    for name in names:
        value = getattr(record, name)
        if value is not None:
            object.__setattr__(record, name, (value,) if isinstance(value, str) else tuple(value))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSettings:
    """Settings of a run of metrics. `metrics`: each `[NAME=]METRIC[:MODEL]`. `workers` None: as many as there are
    cores.

    Raises:
        UsageError: an impossible value, with the nearest possible one where there is a near miss.
    """

    metrics: Sequence[str] = setting((), METRICS)
    reference_from: ReferenceSource = setting("reference", REFERENCE_FROM)
    prepare: Sequence[str] = setting((), PREPARE)
    overwrite: bool = setting(False, OVERWRITE)
    workers: int | None = setting(None, shared.WORKERS)
    dask: str | None = setting(None, DASK)

    def __post_init__(self) -> None:
        list_names(self, "metrics", "prepare")
        check_settings(self)


JUDGE: Final = Setting("Judge to run: its name in study.toml, or a model", option="judge", metavar="NAME")
JUDGE_CONFIG: Final = Setting("TOML file with tables [judges.NAME], in place of study.toml", metavar="FILE")
ITEMS: Final = replace(shared.NUMBER_OF_ITEMS, default_words="all")
SEED: Final = Setting("Seed of the items and orders that are drawn", at_least=0, at_most=shared.LARGEST_SEED)
UNLABELLED: Final = Setting("Only comparisons, or outputs, that nobody labelled", flags="--unlabelled")
SPEND: Final = Setting(
    "Most money that the calls of this run may cost",
    metavar="AMOUNT",
    above=0,
    at_most=shared.MOST_MONEY_IN_ALL,
)
BATCH: Final = Setting("Hand calls in as a batch, which costs less; the same command collects it", flags="--batch-api")
_PANEL: Final = "Judges"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingSettings:
    """Settings of one run of judges. `number_of_items` None: all of them; `overwrite` is an option of metrics, too.

    Raises:
        UsageError: an impossible value.
    """

    judges: Sequence[str] = setting((), JUDGE, panel=_PANEL)
    judge_config: str | None = setting(None, JUDGE_CONFIG, panel=_PANEL)
    systems: Sequence[str] | None = setting(None, shared.SYSTEMS, panel=_PANEL)
    baseline: str | None = setting(None, shared.BASELINE, panel=_PANEL)
    only_pairs: Sequence[tuple[str, str]] = setting((), shared.ONLY_PAIRS, panel=_PANEL)
    number_of_items: int | None = setting(None, ITEMS, panel=_PANEL)
    seed: int = setting(0, SEED, panel=_PANEL)
    unlabelled: bool = setting(False, UNLABELLED, panel=_PANEL)
    input_price: float | None = setting(None, INPUT_PRICE, panel=_PANEL)
    output_price: float | None = setting(None, OUTPUT_PRICE, panel=_PANEL)
    spend_at_most: float | None = setting(None, SPEND, panel=_PANEL)
    batch_api: bool = setting(False, BATCH, panel=_PANEL)
    overwrite: bool = False

    def __post_init__(self) -> None:
        list_names(self, "judges", "systems", "only_pairs")
        check_settings(self)
