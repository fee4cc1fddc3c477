"""The real studies of this check, and which part of each is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.same_results.product import comparisons

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"

Helper = tuple[tuple[str, ...], tuple[str, ...]]
"""Metrics and judges."""

NOTHING: Helper = ((), ())
ALL: Helper = (("all",), ("all",))


@dataclass(frozen=True)
class RealStudy:
    """`few`: the systems of the cells that ask for many combinations, None for all. `metric`, `judge`: one that it has.

    `people`: a part of its annotators; `baseline` is one of `few`.
    """

    name: str
    people: tuple[str, ...]
    baseline: str
    few: tuple[str, ...] | None = None
    metric: str | None = None
    judge: str | None = None
    has_times: bool = False
    has_ratings: bool = False

    @property
    def helpers(self) -> dict[str, Helper]:
        """No metric, one metric and one judge where there are any, and all."""
        found = {"alone": NOTHING}
        if self.metric is not None:
            found["metric"] = ((self.metric,), ())
        if self.judge is not None:
            found["judge"] = ((), (self.judge,))
        return found | {"all": ALL}

    @property
    def one_helper(self) -> Helper:
        """The metric, else the judge, else nothing."""
        return next((self.helpers[name] for name in ("metric", "judge") if name in self.helpers), NOTHING)


NATURALNESS = tuple(RealStudy(f"naturalness-{version}", ("w00*",), "CGA", has_times=True) for version in ("v1", "v2"))
SUMMEVAL = RealStudy(
    "summeval",
    ("expert_*",),
    "M23",
    ("M12", "M17", "M22", "M23"),
    metric="rougeL_max11",
    judge="gpt35-0301-h2h",
    has_ratings=True,
)
WMT = RealStudy(
    "wmt21-en-de",
    ("*",),
    "Nemo",
    ("Facebook-AI", "Nemo", "Online-W", "UEdin"),
    metric="chrf_refA",
    has_ratings=True,
)
LLMFAO = RealStudy(
    "llmfao",
    ("w1*", "w2*"),
    "GPT 4",
    ("Claude v1", "Claude v2", "GPT 3.5 Turbo", "GPT 4", "PaLM 2 Bison", "Vicuna v1.3 (13B)"),
    judge="gpt3",
)
PANDALM = RealStudy("pandalm", ("annotator1", "annotator2"), "llama-7b", judge="gpt-3.5-turbo")

REAL_STUDIES = (*NATURALNESS, SUMMEVAL, WMT, LLMFAO, PANDALM)

LEFT_OUT = (
    "summeval: all but 4 of its 16 systems, except in one cell of each rule and correction, and in check",
    "wmt21-en-de: all but 4 of its 17 systems, except in one cell of each rule and correction, and in check",
    "llmfao: all but 6 of its 59 systems with labels, except in one cell of each rule without a metric, and in check",
    "seeds other than 0 for settings that are not the default",
    "sentences (notices are counted by kind), the report and its pictures",
)


@lru_cache(maxsize=8)
def read(name: str) -> Any:
    """A real study, read once by each process."""
    return comparisons.read(FOLDER / name)


def missing() -> list[str]:
    """The real studies that are not there."""
    return [of.name for of in REAL_STUDIES if not (FOLDER / of.name).is_dir()]
