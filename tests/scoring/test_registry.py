"""Metrics by name, and those of other packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiebreak.errors import UsageError
from tiebreak.scoring.registry import known_metrics, metric_named

PLUG_IN = """
from dataclasses import dataclass
import numpy as np
from tiebreak.scoring.registry import Metric

@dataclass(frozen=True, kw_only=True)
class Capitals(Metric):
    name: str = "capitals"
    words: str = "share of capital letters"
    higher_is_better: bool | None = None

    def settings(self):
        return {"v": 1}

    def score(self, batch):
        return np.array([sum(map(str.isupper, text)) / len(text) for text in batch.outputs])

both = (Capitals(name="capitals-2"), Capitals(name="chrf"))
"""


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with three entry points, of which one cannot be loaded and one brings a name that is taken."""
    (tmp_path / "capital_letters.py").write_text(PLUG_IN)
    about = tmp_path / "capital_letters-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: capital-letters\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[tiebreak.metrics]\na = capital_letters:Capitals\nb = capital_letters:both\nc = capital_letters:nothing\n"
    )
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("plug_in")
def test_metrics_of_other_packages_are_found_by_entry_points() -> None:
    known = known_metrics()
    assert known.source == {"capitals": "capital-letters", "capitals-2": "capital-letters"}
    assert metric_named("capitals", known).metric.words == "share of capital letters"
    assert set(known.broken) == {"capital-letters: b", "capital-letters: c"}
    assert known.broken["capital-letters: b"] == "TypeError: there is a metric chrf already"
    assert type(known.metrics["chrf"]).__module__.startswith("tiebreak.")
    with pytest.raises(UsageError, match=r"no metric 'capitels': did you mean capitals.*capital-letters: c could not"):
        metric_named("capitels", known)


def test_names_with_a_model_and_a_name_of_their_own() -> None:
    known = known_metrics()
    assert metric_named("chrf", known).name == "chrf"
    named = metric_named("mine=perplexity:/models/a=b:c", known)
    assert named.name == "mine"
    assert named.metric.model == "/models/a=b:c"  # type: ignore[attr-defined]
    assert metric_named("a=b=chrf", known).name == "a=b"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("rougel", "did you mean rougeL?"),
        ("zzz", "tiebreak score --list shows all"),
        ("", "tiebreak score --list shows all"),
        ("chrf:gpt2", "chrf takes no model"),
        ("perplexity:", "write METRIC, METRIC:MODEL"),
        ("=chrf", "write METRIC, METRIC:MODEL"),
    ],
)
def test_bad_names(asked: str, words: str) -> None:
    with pytest.raises(UsageError, match=words.replace("?", r"\?")):
        metric_named(asked, known_metrics())
