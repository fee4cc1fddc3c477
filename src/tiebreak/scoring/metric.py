"""What a metric is: a small class that gives every output of a batch a number.

@dataclass(frozen=True, kw_only=True)
class Capitals(Metric):
    name: str = "capitals"
    words: str = "Share of capital letters"
    higher_is_better: bool | None = None

    def settings(self) -> Settings:
        return {"v": 1}

    def score(self, batch: Batch) -> Floats:
        return np.array([sum(map(str.isupper, text)) / len(text) for text in batch.outputs])
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from typing import Final, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tiebreak.errors import ExtraMissingError, UsageError

Floats = NDArray[np.float64]
Settings = Mapping[str, str | int | float]
Need = Literal["references", "input"]
T = TypeVar("T")

REFERENCES: Final[frozenset[Need]] = frozenset(("references",))
INPUT: Final[frozenset[Need]] = frozenset(("input",))
NOTHING: Final[frozenset[Need]] = frozenset()


@dataclass(frozen=True, slots=True)
class Batch:
    """Outputs, and what the metric needs of each: rows of one length, or empty where it needs none.

    No text is blank, and no list of references is empty: such outputs have no score, and no metric sees them.
    """

    outputs: Sequence[str]
    references: Sequence[Sequence[str]] = ()
    inputs: Sequence[str] = ()

    @property
    def texts(self) -> list[str]:
        """Outputs and references that differ: systems share references, and what is made of a text is made once."""
        return list(dict.fromkeys((*self.outputs, *chain.from_iterable(self.references))))

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every output with each of its references, those of one output side by side."""
        rows = zip(self.outputs, self.references, strict=True)
        return [(output, reference) for output, references in rows for reference in references]

    def scored(self, made: Mapping[str, T], score: Callable[[T, Sequence[T]], float]) -> Floats:
        """Scores (n,) by what was `made` of each text that says anything: `score` is of what was made of an output and
        of its references. NaN where there is nothing of the output, or of any reference.
        """
        rows = zip(self.outputs, self.references, strict=True)
        parts = [(made.get(output), [made[text] for text in own if text in made]) for output, own in rows]
        return np.array([np.nan if output is None or not own else score(output, own) for output, own in parts])

    def best(self, scores: Floats) -> Floats:
        """Of the scores of all `pairs` the highest of each output (n,)."""
        found: Floats = np.maximum.reduceat(scores, np.cumsum([0, *map(len, self.references)])[:-1])
        return found


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """A metric with its settings; two of the same class and fields are the same metric.

    `name`: as in `--metric`; `words`: what it measures, for `score --list`. `higher_is_better`: None where neither is
    (length, say). `range`: the lowest and the highest score. `needs`: beside the output. `packages` it imports, and
    the `extra` of tiebreak that installs them. `one_process`: it uses the cores by itself, or is too large to be loaded
    several times.
    """

    name: str
    words: str
    higher_is_better: bool | None = True
    range: tuple[float, float] = (0.0, 1.0)
    needs: frozenset[Need] = NOTHING
    packages: tuple[str, ...] = ()
    extra: str = ""
    one_process: bool = False

    @abstractmethod
    def settings(self) -> Settings:
        """All that the scores depend on: with the name, they make the same scores again. Short words, for a signature;
        among them a version of the library, or of our own code.
        """

    @abstractmethod
    def score(self, batch: Batch) -> Floats:
        """Scores (n,) of a batch, each of its own text only; NaN where there is none to give."""

    def missing_package(self) -> str:
        """The first of its packages that is not installed; "" where all are."""
        return next((package for package in self.packages if find_spec(package) is None), "")

    def check(self) -> None:
        """Find out, before any work, whether it can run here.

        Raises:
            TiebreakError: a package or a file is missing; the text says how to get it.
        """
        if missing := self.missing_package():
            raise ExtraMissingError(f"the metric {self.name}", missing, self.extra)

    def with_model(self, model: str) -> Self:
        """The same with another model, by name or folder.

        Raises:
            UsageError: it has none.
        """
        raise UsageError(f"the metric {self.name} takes no model, but :{model} stands behind it")

    def fitted(self, references: Iterable[Sequence[str]]) -> Self:  # noqa: ARG002
        """The metric for a study whose items have these references; itself, where it needs not know them.

        Raises:
            TiebreakError: they are too few.
        """
        return self


def signature_of(metric: Metric, more: Mapping[str, str]) -> str:
    """One line that says what makes the scores: the metric's name, its settings, and `more` where it is not empty."""
    told = {**metric.settings(), **{key: value for key, value in more.items() if value}}
    return "|".join((metric.name, *(f"{key}:{value}" for key, value in told.items())))
