"""What metrics `score` runs, and how. The options of the command are made from this record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from tiebreak.settings import shared
from tiebreak.settings.checks import check_settings
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
        for name in ("metrics", "prepare"):
            value = getattr(self, name)
            object.__setattr__(self, name, (value,) if isinstance(value, str) else tuple(value))
        check_settings(self)
