"""A package with a slow metric that notes every text it scores, for tests that kill whoever runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_CODE: Final = """
import os, time
from dataclasses import dataclass
import numpy as np
from tiebreak.scoring.registry import Metric

@dataclass(frozen=True, kw_only=True)
class Slow(Metric):
    name: str = "slow"
    words: str = "words, slowly"
    range: tuple[float, float] = (0.0, float("inf"))

    def settings(self):
        return {"v": 1}

    def score(self, batch):
        with open(os.environ["SLOW_LOG"], "a") as log:
            for text in batch.outputs:
                time.sleep(float(os.environ["SLOW_SECONDS"]))
                log.write(text + "\\n")
                log.flush()
        return np.array([len(text.split()) + len(text) / 1000 for text in batch.outputs])
"""


def install_slow_metric(folder: Path) -> Path:
    """Where it is, to be put on the path of Python."""
    about = folder / "slow_metric-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "slow_metric.py").write_text(_CODE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: slow-metric\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[tiebreak.metrics]\nslow = slow_metric:Slow\n")
    return folder
